//! One covariance for all classes, by three routes that differ in how they treat singular covariances and in what they
//! give besides: discriminant axes or none.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::{Model, Parts, Shape, center_and_log_prior, singular};
use crate::covariance::{check_covariance, check_semidefinite, pooled};
use crate::error::{
    Error, InputError, Owner, RankError, Result, ShapeError, check_number, check_tolerance, same_size,
};
use crate::linalg::{
    self, Whitening, pseudo_whitening, resolvable, right_singular, spectral_whitening, standard_deviations,
    symmetric_eigen,
};
use crate::moments::{Means, Moments, check_resolved};

/// A model with a common covariance, and its linear functions in the data's own coordinates.
///
/// There is an example at [`LinearFit::svd`].
#[derive(Debug)]
#[non_exhaustive]
pub struct LinearFit {
    /// The model.
    pub model: Model,
    /// Slopes of the discriminants, K × d; for two classes the second's less the first's, 1 × d.
    pub coefficients: Array2<f64>,
    /// Constants of the discriminants, as many.
    pub intercepts: Vec<f64>,
    /// Discriminant axes as columns, the most discriminating first. The common covariance is white along them.
    pub axes: Array2<f64>,
    /// The between-class variance along each axis.
    pub between: Vec<f64>,
}

impl LinearFit {
    /// Pools the scatter over all classes and drops directions without variance within classes: those whose
    /// eigenvalue on the correlation scale is at most `tol`². Axes come from the class means, weighted by the priors;
    /// scores do not: they know all directions in which a class differs, whatever its prior.
    ///
    /// # Errors
    /// Bad priors, a class without weight, a divisor that is not positive.
    ///
    /// ```
    /// use gauda::core::{LinearFit, Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// // two classes apart in the first column; the third column repeats the second
    /// let x = array![[0.0, 1.0, 1.0], [0.5, 2.0, 2.0], [9.0, 1.0, 1.0], [9.5, 2.5, 2.5]];
    /// let rows = Rows::from(x.view());
    /// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Tied, Parallel::default())?;
    /// let fit = LinearFit::svd(&moments, &moments.priors()?, 1e-4, false)?;
    /// assert_eq!(fit.axes.dim(), (3, 1));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn svd(moments: &Moments, priors: &[f64], tol: f64, unbiased: bool) -> Result<Self> {
        Self::svd_without_axes(moments, priors, tol, unbiased)?.with_axes_of_means(priors)
    }

    /// The same without axes, which [`find_axes_of_means`] finds: of many classes they take longer than all else.
    pub(crate) fn svd_without_axes(
        moments: &Moments,
        priors: &[f64],
        tol: f64,
        unbiased: bool,
    ) -> Result<Self> {
        moments.check_no_class_empty()?;
        Self::of_covariance_without_axes(moments, pooled(moments, None, unbiased)?.view(), priors, tol)
    }

    /// The same for a common covariance that is given.
    ///
    /// # Errors
    /// Bad priors, a class without weight, a matrix that is not a covariance, or one without any direction.
    ///
    /// ```
    /// use gauda::core::{LinearFit, Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Tied, Parallel::default())?;
    /// let covariance = covariance::pooled(&moments, None, false)?;
    /// let fit = LinearFit::of_covariance(&moments, covariance.view(), &[0.5, 0.5], 1e-4)?;
    /// assert_eq!(fit.coefficients, LinearFit::svd(&moments, &[0.5, 0.5], 1e-4, false)?.coefficients);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn of_covariance(
        moments: &Moments,
        covariance: ArrayView2<'_, f64>,
        priors: &[f64],
        tol: f64,
    ) -> Result<Self> {
        Self::of_covariance_without_axes(moments, covariance, priors, tol)?.with_axes_of_means(priors)
    }

    /// The same without axes.
    pub(crate) fn of_covariance_without_axes(
        moments: &Moments,
        covariance: ArrayView2<'_, f64>,
        priors: &[f64],
        tol: f64,
    ) -> Result<Self> {
        check_tolerance(tol)?;
        moments.check_no_class_empty()?;
        let (center, log_prior) = center_and_log_prior(moments, priors)?;
        let deviations = checked_deviations(moments, covariance)?;
        let tol_within = tol.max(resolvable(moments.n_features()));
        let whitening = match linalg::whiten(covariance, &deviations, tol_within) {
            Some(whitening) => Some(whitening),
            None => {
                check_semidefinite(covariance)?;
                spectral_whitening(covariance, &deviations, tol_within)
            }
        };
        let whitening = whitening.ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
        if whitening.matrix.nrows() == 0 {
            return Err(singular(moments, Owner::Pooled, covariance, &deviations, tol_within));
        }
        Self::without_axes(center, moments.means_in_parts().clone(), log_prior, whitening)
    }

    /// The fit of a common covariance whose whitening matrix is known, with axes from the class means.
    pub(crate) fn with_axes(
        center: Vec<f64>,
        means: Means,
        log_prior: Vec<f64>,
        whitening: Whitening,
        priors: &[f64],
    ) -> Result<Self> {
        Self::without_axes(center, means, log_prior, whitening)?.with_axes_of_means(priors)
    }

    fn without_axes(
        center: Vec<f64>,
        means: Means,
        log_prior: Vec<f64>,
        whitening: Whitening,
    ) -> Result<Self> {
        let axes = Array2::zeros((center.len(), 0));
        let shape = Shape::tied(&center, &means, whitening, false);
        Self::new(Parts { center, means, shape }, log_prior, axes, vec![])
    }

    fn with_axes_of_means(self, priors: &[f64]) -> Result<Self> {
        let (axes, between) = find_axes_of_means(self.model.parts(), priors)?;
        Ok(Self { axes, between, ..self })
    }

    /// Takes the given common covariance; a singular one is inverted on the directions it spans. No axes.
    ///
    /// # Errors
    /// Bad priors, a class without weight, a matrix that is not a covariance (an eigenvalue that is negative beyond rounding
    /// too), or one without any direction.
    ///
    /// ```
    /// use gauda::core::{LinearFit, Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Tied, Parallel::default())?;
    /// let covariance = covariance::pooled(&moments, None, false)?;
    /// let fit = LinearFit::lsqr(&moments, covariance.view(), &[0.5, 0.5])?;
    /// assert_eq!(fit.coefficients.dim(), (1, 2)); // of two classes the difference
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn lsqr(moments: &Moments, covariance: ArrayView2<'_, f64>, priors: &[f64]) -> Result<Self> {
        moments.check_no_class_empty()?;
        let deviations = checked_deviations(moments, covariance)?;
        let whitening = match linalg::whiten(covariance, &deviations, resolvable(moments.n_features())) {
            Some(whitening) => Some(whitening),
            None => {
                check_semidefinite(covariance)?;
                pseudo_whitening(covariance)
            }
        };
        let whitening = whitening.ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
        if whitening.matrix.nrows() == 0 {
            return Err(singular(
                moments,
                Owner::Pooled,
                covariance,
                &deviations,
                resolvable(moments.n_features()),
            ));
        }
        let axes = Array2::zeros((moments.n_features(), 0));
        let (parts, log_prior) = uncentered(moments, priors, whitening)?;
        Self::new(parts, log_prior, axes, vec![])
    }

    /// Takes the given covariances within and between classes; axes solve Σ_between v = λ Σ_within v.
    ///
    /// # Errors
    /// Bad priors, a class without weight, matrices that are not covariances, a singular one within classes.
    ///
    /// ```
    /// use gauda::core::{LinearFit, Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Tied, Parallel::default())?;
    /// let within = covariance::pooled(&moments, None, false)?;
    /// let between = covariance::of_classes(&moments.total()?, false)?.index_axis_move(ndarray::Axis(0), 0) - &within;
    /// let fit = LinearFit::eigen(&moments, within.view(), between.view(), &moments.priors()?)?;
    /// assert!(fit.between[0] > 0.0);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn eigen(
        moments: &Moments,
        within: ArrayView2<'_, f64>,
        between: ArrayView2<'_, f64>,
        priors: &[f64],
    ) -> Result<Self> {
        moments.check_no_class_empty()?;
        let d = moments.n_features();
        same_size("rows of the covariance between classes", between.nrows(), d)?;
        same_size("columns of the covariance between classes", between.ncols(), d)?;
        let finite =
            |&entry: &f64| check_number("a covariance between classes", "finite", entry, f64::is_finite);
        between.iter().try_for_each(finite)?;
        let deviations = checked_deviations(moments, within)?;
        let whitening = linalg::whiten(within, &deviations, resolvable(d))
            .ok_or_else(|| singular(moments, Owner::Pooled, within, &deviations, resolvable(d)))?;
        let rotated = whitening.matrix.dot(&between).dot(&whitening.matrix.t());
        let eigen =
            symmetric_eigen(rotated.view()).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
        let axes = whitening.matrix.t().dot(&eigen.vectors.t());
        let (parts, log_prior) = uncentered(moments, priors, whitening)?;
        Self::new(parts, log_prior, axes, eigen.values)
    }

    /// The same, but of rows and means only the coordinates along the first axes count, at most `components` of them:
    /// distances and discriminants are those of rows in so few dimensions. Without any axis nothing changes.
    ///
    /// # Errors
    /// Discriminants that overflow, axes or a model that were put in place of the fit's own and do not go together.
    ///
    /// ```
    /// use gauda::core::{LinearFit, Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// // three classes: far apart in the first column, the second of them a little in the other
    /// let x = array![[0.0, 0.0], [2.0, 1.0], [11.0, 3.0], [9.0, 2.0], [18.0, 1.0], [20.0, 0.0]];
    /// let rows = Rows::from(x.view());
    /// let labels = [0, 0, 1, 1, 2, 2];
    /// let moments = Moments::from_rows(&rows, &labels, 3, None, Structure::Tied, Parallel::default())?;
    /// let fit = LinearFit::svd(&moments, &moments.priors()?, 1e-4, false)?.reduced(1)?;
    /// let slopes = fit.coefficients;
    /// assert!((slopes[[0, 0]] * slopes[[2, 1]] - slopes[[0, 1]] * slopes[[2, 0]]).abs() < 1e-9);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn reduced(self, components: usize) -> Result<Self> {
        let kept = components.min(self.axes.ncols());
        if kept == 0 {
            return Ok(self);
        }
        same_size("rows of the axes", self.axes.nrows(), self.model.n_features())?;
        let Parts { center, means, shape } = self.model.parts().clone();
        let Shape::Tied { whitening: Whitening { log_det, .. }, uncentered, .. } = shape else {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        };
        let matrix = self.axes.slice(s![.., ..kept]).t().as_standard_layout().into_owned();
        let shape = Shape::tied(&center, &means, Whitening { matrix, log_det }, uncentered);
        Self::new(Parts { center, means, shape }, self.model.log_prior, self.axes, self.between)
    }

    pub(crate) fn new(
        parts: Parts,
        log_prior: Vec<f64>,
        axes: Array2<f64>,
        between: Vec<f64>,
    ) -> Result<Self> {
        let (coefficients, intercepts) = discriminants(&parts, &log_prior);
        let possible = log_prior.iter().all(|log_prior| log_prior.is_finite());
        check_finite(&coefficients, &intercepts, &parts.center, possible)?;
        Ok(Self { model: Model::from_parts(parts, log_prior)?, coefficients, intercepts, axes, between })
    }
}

/// Discriminant axes from the class means, weighted by the priors, and the between-class variance along each.
///
/// # Errors
/// Singular values that do not converge, or a model without a common covariance.
pub(crate) fn find_axes_of_means(parts: &Parts, priors: &[f64]) -> Result<(Array2<f64>, Vec<f64>)> {
    let Shape::Tied { whitening, whitened_means, .. } = &parts.shape else {
        return Err(Error::Shape(ShapeError::Incompatible("structures")));
    };
    let roots = roots_of_shares(priors);
    let apart = right_singular((whitened_means * &roots).view())
        .ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
    let threshold = rounding(&parts.means.about(&parts.center), whitening, &roots);
    let possible = whitened_means.ncols().min(priors.len() - 1);
    let found = apart.values.iter().take(possible.min(apart.vectors.nrows()));
    let rank = found.filter(|&&value| value > threshold).count();
    let axes = whitening.matrix.t().dot(&apart.vectors.slice(s![..rank, ..]).t());
    Ok((axes, apart.values.iter().map(|value| value * value).collect()))
}

/// For each column the smallest size of a class mean: a spread beyond its rounding is real in that class at least.
pub(crate) fn magnitudes(moments: &Moments) -> Vec<f64> {
    let smallest =
        |means: ArrayView1<'_, f64>| means.fold(f64::INFINITY, |smallest, mean| smallest.min(mean.abs()));
    moments.means().map_axis(Axis(0), smallest).to_vec()
}

fn checked_deviations(moments: &Moments, covariance: ArrayView2<'_, f64>) -> Result<Array1<f64>> {
    same_size("rows of the covariance", covariance.nrows(), moments.n_features())?;
    same_size("columns of the covariance", covariance.ncols(), moments.n_features())?;
    check_covariance(covariance, Owner::Pooled)?;
    check_resolved(covariance.diag(), Owner::Pooled)?;
    Ok(standard_deviations(covariance, &magnitudes(moments)))
}

/// Classes whose distances overflow have no usable discriminants; priors of 0 alone, without which all classes are
/// possible, may make a constant infinite.
pub(crate) fn check_finite(
    coefficients: &Array2<f64>,
    intercepts: &[f64],
    center: &[f64],
    possible: bool,
) -> Result<()> {
    let overflows = |column: ArrayView1<'_, f64>| !column.iter().all(|slope| slope.is_finite());
    let steep = coefficients.axis_iter(Axis(1)).position(overflows);
    let high = intercepts.iter().any(|constant| !constant.is_finite());
    let farthest = || (0..center.len()).max_by(|&a, &b| center[a].abs().total_cmp(&center[b].abs()));
    match steep.or_else(|| (high && possible).then(farthest).flatten()) {
        Some(column) => Err(Error::Input(InputError::Overflow { what: Owner::Pooled, column })),
        None => Ok(()),
    }
}

fn uncentered(moments: &Moments, priors: &[f64], whitening: Whitening) -> Result<(Parts, Vec<f64>)> {
    let (center, log_prior) = center_and_log_prior(moments, priors)?;
    let means = moments.means_in_parts().clone();
    let shape = Shape::tied(&center, &means, whitening, true);
    Ok((Parts { center, means, shape }, log_prior))
}

impl Shape {
    /// The common covariance.
    pub(crate) fn tied(center: &[f64], means: &Means, whitening: Whitening, uncentered: bool) -> Self {
        let whitened_means = means.about(center).dot(&whitening.matrix.t());
        Self::Tied { whitening, whitened_means, uncentered }
    }
}

/// The roots of the priors' shares in their sum, K × 1.
fn roots_of_shares(priors: &[f64]) -> Array2<f64> {
    let total: f64 = priors.iter().sum();
    let roots: Array1<f64> = priors.iter().map(|prior| (prior / total).sqrt()).collect();
    roots.insert_axis(Axis(1))
}

/// More than rounding adds to the singular values of whitened means that are weighted by `roots`: each dot product errs
/// by so many units of its absolute terms.
fn rounding(means: &Array2<f64>, whitening: &Whitening, roots: &Array2<f64>) -> f64 {
    let terms = means.mapv(f64::abs).dot(&whitening.matrix.mapv(f64::abs).t()) * roots;
    let (classes, features) = means.dim();
    f64::EPSILON * classes.max(features) as f64 * terms.iter().map(|term| term * term).sum::<f64>().sqrt()
}

/// Slopes and constants of the discriminants on raw rows; for two classes of their difference, in which the center
/// cancels.
pub(crate) fn discriminants(parts: &Parts, log_prior: &[f64]) -> (Array2<f64>, Vec<f64>) {
    let Shape::Tied { whitening, whitened_means, uncentered } = &parts.shape else {
        unreachable!("linear fits have a common covariance");
    };
    let center = Array1::from(parts.center.clone());
    let two = whitened_means.nrows() == 2;
    let means = match *uncentered && !two {
        true => whitened_means + &whitening.matrix.dot(&center).insert_axis(Axis(0)),
        false => whitened_means.clone(),
    };
    let constants = means.outer_iter().zip(log_prior);
    let constants: Vec<f64> = constants.map(|(mean, log_prior)| log_prior - 0.5 * mean.dot(&mean)).collect();
    let (slopes, constants) = match two {
        true => (&means.slice(s![1.., ..]) - &means.slice(s![..1, ..]), vec![constants[1] - constants[0]]),
        false => (means, constants),
    };
    let coefficients = slopes.dot(&whitening.matrix);
    if *uncentered && !two {
        return (coefficients, constants);
    }
    let at_center = coefficients.dot(&center);
    (coefficients, constants.iter().zip(at_center).map(|(constant, at)| constant - at).collect())
}
