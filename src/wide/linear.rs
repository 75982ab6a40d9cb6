//! One covariance for all classes of wide data: by the directions in which rows vary, or with all others at a level.

use ndarray::{Array1, Array2, Axis, concatenate};

use super::WideMoments;
use super::basis::{gram, invert, orthonormal_of, spectrum};
use super::common::{Common, Diagonal, DiagonalPlusRows, smallest_sizes};
use super::model::{WideModel, WideParts};
use crate::covariance::pooled_correction_of;
use crate::error::{Error, Owner, RankError, Result, check_number, check_tolerance};
use crate::linalg::{Deficiency, Whitening, factor, resolvable, symmetric_eigen};
use crate::model::{LinearFit, Parts, Shape, check_finite, discriminants, log_shares};
use crate::moments::{Means, SMALLEST_VARIANCE, Structure, check_priors};

/// A spread within so many units of rounding of the smallest class mean is none.
const ROUNDED: f64 = 4.0 * f64::EPSILON;

/// A model with a common covariance in few directions and their complement, and its linear functions.
#[derive(Debug)]
#[non_exhaustive]
pub struct WideLinearFit {
    /// The model.
    pub model: WideModel,
    /// Slopes of the discriminants, K × d; for two classes the second's less the first's, 1 × d.
    pub coefficients: Array2<f64>,
    /// Constants of the discriminants, as many.
    pub intercepts: Vec<f64>,
    /// Discriminant axes as columns, if they were asked for.
    pub axes: Array2<f64>,
    /// The between-class variance along each axis, and in all directions of the complement.
    pub between: Vec<f64>,
}

impl WideLinearFit {
    /// The fit of rows and means of which only the coordinates along the axes count.
    ///
    /// # Errors
    /// Discriminants that overflow.
    pub fn along_axes(self) -> Result<LinearFit> {
        let WideParts { center, means, uncentered, .. } = self.model.parts().clone();
        let matrix = self.axes.t().as_standard_layout().into_owned();
        let shape = Shape::tied(&center, &means, Whitening { matrix, log_det: f64::NAN }, uncentered);
        let log_prior = self.model.log_prior().to_vec();
        LinearFit::new(Parts { center, means, shape }, log_prior, self.axes, self.between)
    }
}

impl WideMoments {
    /// Pools the scatter over all classes and drops directions without variance within classes, as
    /// [`crate::core::LinearFit::svd`].
    ///
    /// # Errors
    /// As there.
    pub fn linear_svd(&self, priors: &[f64], tol: f64, unbiased: bool) -> Result<LinearFit> {
        check_tolerance(tol)?;
        self.check_no_class_empty()?;
        check_priors(priors, self.n_classes())?;
        let divisor = self.total_weight() / self.correction(unbiased)?;
        let deviations = self.deviations(divisor)?;
        let rows = &self.factor / &(&deviations * divisor.sqrt()).insert_axis(Axis(0));
        let tol = tol.max(resolvable(self.n_features()));
        let products = gram(rows.view());
        let found = invert(&products).filter(|inverted| inverted.least > tol * tol && rows.nrows() > 0);
        let whitened = match found {
            Some(inverted) => inverted.inverse.dot(&rows),
            None => {
                let (values, vectors) = spectrum(&products, tol * tol)?;
                if values.is_empty() {
                    return Err(self.no_variance());
                }
                let basis = orthonormal_of(rows.view(), &values, &vectors)?;
                let along = rows.dot(&basis.t());
                let factor = factor(along.t().dot(&along).view())
                    .ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
                factor.inverse.dot(&basis)
            }
        };
        let matrix = whitened / &deviations.insert_axis(Axis(0));
        let whitening = Whitening { matrix, log_det: f64::NAN };
        let center = self.means.mean(priors);
        LinearFit::with_axes(center, self.means.clone(), log_shares(priors), whitening, priors)
    }

    /// The pseudo-inverse of the common covariance, which weighs the covariances of classes by `shares`; no axes.
    ///
    /// # Errors
    /// As [`crate::core::LinearFit::lsqr`].
    pub fn linear_lsqr(&self, priors: &[f64], unbiased: bool) -> Result<LinearFit> {
        self.check_no_class_empty()?;
        let rows = self.weighted_rows(priors, 1.0, self.correction(unbiased)?)?;
        self.check_resolved(&rows)?;
        let products = gram(rows.view());
        let matrix = match invert(&products).filter(|_| rows.nrows() > 0) {
            Some(inverted) => inverted.inverse.dot(&rows),
            None => {
                let largest = products.diag().sum();
                let (values, vectors) = spectrum(&products, resolvable(self.n_features()).powi(2) * largest)?;
                if values.is_empty() {
                    return Err(self.no_variance());
                }
                let basis = orthonormal_of(rows.view(), &values, &vectors)?;
                let along = rows.dot(&basis.t());
                let factor = factor(along.t().dot(&along).view())
                    .ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
                factor.inverse.dot(&basis)
            }
        };
        let center = self.means.mean(priors);
        let whitening = Whitening { matrix, log_det: f64::NAN };
        let shape = Shape::tied(&center, &self.means, whitening, true);
        let parts = Parts { center, means: self.means.clone(), shape };
        LinearFit::new(parts, log_shares(priors), Array2::zeros((self.n_features(), 0)), vec![])
    }

    /// The common covariance moved toward a multiple of the identity; with axes, if they are asked for.
    ///
    /// # Errors
    /// Bad priors, a class without weight, a share that is none, no variance at all.
    pub fn linear_shrunk(
        &self,
        priors: &[f64],
        shrinkage: f64,
        unbiased: bool,
        with_axes: bool,
    ) -> Result<WideLinearFit> {
        check_number("the intensity", "above 0 and at most 1", shrinkage, |s| s > 0.0 && s <= 1.0)?;
        self.check_no_class_empty()?;
        let correction = self.correction(unbiased)?;
        let rows = self.weighted_rows(priors, 1.0 - shrinkage, correction)?;
        let trace = self.mean_trace(priors)?;
        let level = shrinkage * trace * correction / self.n_features() as f64;
        if level == 0.0 {
            return Err(self.no_variance());
        }
        check_number("the mean variance", "large enough for a double", level, |l| l >= SMALLEST_VARIANCE)?;
        let covariance = DiagonalPlusRows { rows, diagonal: Diagonal::Level(level) };
        let fit = self.linear_of(covariance, priors, true)?;
        if with_axes { self.with_axes(fit, priors, shrinkage, trace) } else { Ok(fit) }
    }

    /// A common covariance of independent columns with these variances; columns without any are left out.
    ///
    /// # Errors
    /// Bad priors, no variance at all.
    pub fn linear_of_variances(
        means: &Means,
        variances: &Array1<f64>,
        priors: &[f64],
        uncentered: bool,
    ) -> Result<WideLinearFit> {
        let rows = Array2::zeros((0, variances.len()));
        let covariance = DiagonalPlusRows { rows, diagonal: Diagonal::Columns(variances.clone()) };
        linear_of(means, covariance, priors, uncentered)
    }

    /// The model of a common covariance.
    pub(super) fn linear_of(
        &self,
        covariance: DiagonalPlusRows,
        priors: &[f64],
        uncentered: bool,
    ) -> Result<WideLinearFit> {
        linear_of(&self.means, covariance, priors, uncentered)
    }

    /// The axes that solve Σ_between v = λ Σ_within v. In the complement all λ are the same.
    fn with_axes(
        &self,
        fit: WideLinearFit,
        priors: &[f64],
        shrinkage: f64,
        trace: f64,
    ) -> Result<WideLinearFit> {
        let parts = fit.model.parts();
        let (space, whitening) = (&parts.spaces[0], &parts.whitenings[0]);
        let (d, p, total) = (self.n_features(), space.basis.nrows(), self.total_weight());
        let along = |rows: &Array2<f64>| {
            let along = rows.dot(&space.basis.t());
            along.t().dot(&along)
        };
        // The covariance of all rows less that within classes, both with divisors n.
        let center = self.means.mean(&self.priors()?);
        let apart = self.means.about(&center);
        let apart = &apart * &self.weights.mapv(|weight| (weight / total).sqrt()).insert_axis(Axis(1));
        let all =
            concatenate(Axis(0), &[(&self.factor / total.sqrt()).view(), apart.view()]).expect("as wide");
        let within = self.weighted_rows(priors, 1.0, 1.0)?;
        let all_trace: f64 = all.iter().map(|entry| entry * entry).sum();
        let level = shrinkage * (all_trace - trace) / d as f64;
        let mut between = (along(&all) - along(&within)) * (1.0 - shrinkage);
        between.diag_mut().map_inplace(|entry| *entry += level);
        let rotated = whitening.dot(&between).dot(&whitening.t());
        let eigen =
            symmetric_eigen(rotated.view()).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
        let axes = parts.directions(0).t().dot(&whitening.t().dot(&eigen.vectors.t()));
        let mut values = eigen.values;
        values.extend(std::iter::repeat_n(level / parts.levels[0], d - p));
        Ok(WideLinearFit { axes, between: values, ..fit })
    }

    /// Rows whose products are the common covariance times a share.
    fn weighted_rows(&self, priors: &[f64], share: f64, correction: f64) -> Result<Array2<f64>> {
        check_priors(priors, self.n_classes())?;
        if share == 0.0 {
            return Ok(Array2::zeros((0, self.n_features())));
        }
        let mut rows = self.factor.clone();
        for (scatter, range) in self.bounds.windows(2).enumerate() {
            let root = (share * correction * self.weight_of(scatter, priors)).sqrt();
            rows.slice_mut(ndarray::s![range[0]..range[1], ..]).map_inplace(|entry| *entry *= root);
        }
        Ok(rows)
    }

    /// The trace of the common covariance, with divisors n.
    fn mean_trace(&self, priors: &[f64]) -> Result<f64> {
        let trace =
            |scatter: usize| self.factor_of(scatter).outer_iter().map(|row| row.dot(&row)).sum::<f64>();
        Ok((0..self.n_scatters()).map(|scatter| self.weight_of(scatter, priors) * trace(scatter)).sum())
    }

    /// What a scatter is multiplied by in a common covariance.
    fn weight_of(&self, scatter: usize, priors: &[f64]) -> f64 {
        match self.structure {
            Structure::Tied => self.total_weight().recip(),
            Structure::Full | Structure::Diag => {
                priors[scatter] / priors.iter().sum::<f64>() / self.weights[scatter]
            }
        }
    }

    /// n / (n − K) if covariances are unbiased.
    pub(super) fn correction(&self, unbiased: bool) -> Result<f64> {
        if unbiased { pooled_correction_of(self.total_weight(), self.n_classes()) } else { Ok(1.0) }
    }

    /// Pooled standard deviations; 1 where that does not exceed the rounding of the means.
    pub(super) fn deviations(&self, divisor: f64) -> Result<Array1<f64>> {
        let squares = self.squares().sum_axis(Axis(0));
        crate::moments::check_resolved(&squares.mapv(|square| square / divisor), Owner::Pooled)?;
        let smallest = smallest_sizes(&self.means);
        let deviation = |(square, least): (&f64, &f64)| match (square / divisor).sqrt() {
            deviation if deviation > ROUNDED * least => deviation,
            _ => f64::INFINITY,
        };
        Ok(squares.iter().zip(&smallest).map(deviation).collect())
    }

    fn check_resolved(&self, rows: &Array2<f64>) -> Result<()> {
        let squares = rows.map_axis(Axis(0), |column| column.iter().map(|entry| entry * entry).sum::<f64>());
        crate::moments::check_resolved(&squares, Owner::Pooled)
    }

    /// Nothing varies within classes.
    pub(super) fn no_variance(&self) -> Error {
        let d = self.n_features();
        let deficiency = Deficiency { rank: 0, constant: (0..d).collect(), dependent: vec![] };
        Error::singular(Owner::Pooled, self.total_weight(), d, deficiency)
    }
}

/// The model of a common covariance.
fn linear_of(
    means: &Means,
    covariance: DiagonalPlusRows,
    priors: &[f64],
    uncentered: bool,
) -> Result<WideLinearFit> {
    check_priors(priors, means.shift.nrows())?;
    let center = means.mean(priors);
    let common = Common::of(means, covariance, &center, Owner::Pooled)?;
    let parts = WideParts {
        center,
        means: means.clone(),
        spaces: vec![common.space],
        whitenings: vec![common.whitening],
        levels: vec![common.level],
        log_dets: vec![common.log_det],
        uncentered,
    };
    let log_prior = log_shares(priors);
    let linear = parts.linear();
    let (coefficients, intercepts) = discriminants(&linear, &log_prior);
    let possible = log_prior.iter().all(|log_prior| log_prior.is_finite());
    check_finite(&coefficients, &intercepts, &parts.center, possible)?;
    let axes = Array2::zeros((means.shift.ncols(), 0));
    let model = WideModel::from_parts(parts, log_prior)?;
    Ok(WideLinearFit { model, coefficients, intercepts, axes, between: vec![] })
}
