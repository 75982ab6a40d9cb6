//! Gaussian models of one kind, which moments determine.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::covariance::{Mixing, Target, pooled, pooled_correction, regularized};
use crate::error::{Result, check_number, check_tolerance, not_empty, same_size};
use crate::linalg::factor;
use crate::model::{LinearFit, Model};
use crate::moments::{Moments, Structure, check_priors};
use crate::parallel::Parallel;
use crate::wide::WideMoments;

/// What the models have in common; they differ in how far covariances are moved toward the target.
///
/// ```
/// use gauda::core::covariance::{Mixing, Pooling, Target};
/// use gauda::core::{Family, Moments, Parallel, Rows, Structure, tally_left_out};
/// use ndarray::array;
///
/// // covariances of the classes, moved toward multiples of the identity; priors are proportions
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
/// let family =
///     Family { mixing, weights: None, target: Target::Spherical, priors: None, tol: 1e-4, smoothing: 0.0, columns: None };
/// let x = array![[-3.0, 1.0], [-2.0, 3.0], [-1.0, 2.0], [1.0, 2.0], [2.0, 1.0], [3.0, 4.0]];
/// let (rows, labels, parallel) = (Rows::from(x.view()), [0, 0, 0, 1, 1, 1], Parallel::default());
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, parallel)?;
/// // Two rows of a class have no covariance of their own, but with half of the target they have one.
/// let tallies = tally_left_out(&moments, &rows, &labels, &family, &[0.0, 0.5], parallel)?;
/// assert!(tallies[0].is_none() && tallies[1].is_some());
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Family<'a> {
    /// How covariances of classes are mixed with the pooled one.
    pub mixing: Mixing,
    /// Weights of the covariances of classes in a common one, instead of `mixing`.
    pub weights: Option<&'a [f64]>,
    /// What covariances are moved toward.
    pub target: Target,
    /// Priors; without them, proportions of the rows.
    pub priors: Option<&'a [f64]>,
    /// A covariance is singular if an eigenvalue on the correlation scale is at most `tol`².
    pub tol: f64,
    /// This share of the largest variance of any column is added to the variances of independent columns.
    pub smoothing: f64,
    /// Number of columns before rows were turned to the directions that they span: in all others there is the target
    /// alone, spherical or the identity. None if the columns are all.
    pub columns: Option<usize>,
}

impl Family<'_> {
    /// Whether all classes have the same covariance.
    pub(super) fn is_common(&self) -> bool {
        self.mixing.alpha == 1.0 || self.weights.is_some()
    }

    /// Whether all classes have the same covariance with this share of the target.
    pub(super) fn is_common_at(&self, gamma: f64) -> bool {
        self.is_common() || (self.target == Target::Identity && gamma == 1.0)
    }

    /// Whether columns are independent with this share of the target.
    pub(super) fn is_independent_at(&self, gamma: f64) -> bool {
        self.target == Target::Diagonal && gamma == 1.0
    }

    /// (1 − γ) B + γ T(B), where B is 0 in the directions beyond.
    pub(super) fn shrink(&self, mixed: ArrayView2<'_, f64>, gamma: f64) -> Array2<f64> {
        match self.columns {
            None => self.target.shrink(mixed, gamma),
            Some(_) => {
                let mut moved = &mixed * (1.0 - gamma);
                let level = gamma * self.anchor(mixed);
                moved.diag_mut().map_inplace(|variance| *variance += level);
                moved
            }
        }
    }

    /// The variance of a target that is the same in all directions.
    pub(super) fn anchor(&self, mixed: ArrayView2<'_, f64>) -> f64 {
        match self.target {
            Target::Identity => 1.0,
            _ => mixed.diag().sum() / self.columns.unwrap_or(mixed.nrows()) as f64,
        }
    }

    /// Number of directions beyond those of moments.
    pub(super) fn n_beyond(&self, n_features: usize) -> usize {
        self.columns.map_or(0, |columns| columns - n_features)
    }

    /// Scores of the classes for a row under the model of moments, where directions are beyond; none if a covariance is
    /// singular.
    pub(super) fn log_joint_beyond(
        &self,
        moments: &Moments,
        gamma: f64,
        row: ArrayView1<'_, f64>,
    ) -> Result<Option<Vec<f64>>> {
        let log_priors = self.log_priors(moments, None);
        let mixed = self.mixing.mixed_covariances(moments)?;
        let mut scores = vec![];
        for (class, mixed) in mixed.outer_iter().enumerate() {
            let Some(factor) = factor(self.shrink(mixed, gamma).view()) else {
                return Ok(None);
            };
            let mean =
                &moments.means_in_parts().shift.row(class) + &moments.means_in_parts().offset.row(class);
            let white = factor.inverse.dot(&(&row - &mean));
            let beyond = self.n_beyond(row.len()) as f64 * (gamma * self.anchor(mixed)).ln();
            scores.push(log_priors[class] - 0.5 * (white.dot(&white) + factor.log_det() + beyond));
        }
        Ok(scores.iter().all(|score| score.is_finite()).then_some(scores))
    }

    /// Logarithms of the priors, for moments as they are or with a row less in one class.
    pub(super) fn log_priors(&self, moments: &Moments, without: Option<usize>) -> Array1<f64> {
        if let Some(priors) = self.priors {
            return priors.iter().map(|prior| prior.ln()).collect();
        }
        let mut weights = moments.weights().clone();
        if let Some(class) = without {
            weights[class] -= 1.0;
        }
        let total = weights.sum();
        weights.mapv_into(|weight| (weight / total).ln())
    }

    /// The model of moments with this share of the target.
    pub(super) fn model(&self, moments: &Moments, gamma: f64) -> Result<Model> {
        let priors = match self.priors {
            Some(priors) => priors.to_vec(),
            None => moments.priors()?,
        };
        let independent = moments.structure() == Structure::Diag
            || (self.is_independent_at(gamma) && moments.structure() == Structure::Full);
        if independent {
            let variances = self.variances(moments)?;
            if !self.is_common_at(gamma) {
                return Model::naive(moments, variances.view(), &priors);
            }
            // Of equal variances, distances tell nothing of rows far off; linear functions do.
            let means = moments.means_in_parts();
            let fit = WideMoments::linear_of_variances(means, &variances.row(0).to_owned(), &priors, false)?;
            return fit.model.linear();
        }
        if self.is_common_at(gamma) {
            let covariance = match self.is_common() {
                true => self.shrink(pooled(moments, self.weights, self.mixing.unbiased)?.view(), gamma),
                false => Array2::eye(moments.n_features()),
            };
            return Ok(
                LinearFit::of_covariance_without_axes(moments, covariance.view(), &priors, self.tol)?.model
            );
        }
        let gammas = vec![gamma; moments.n_classes()];
        let covariances = regularized(moments, self.mixing, self.target, &gammas)?;
        Model::quadratic(moments, covariances.view(), &priors, self.tol, Parallel::default().alone())
    }

    /// Smoothed variances of independent columns, as the target has them.
    fn variances(&self, moments: &Moments) -> Result<Array2<f64>> {
        let moments = moments.to(Structure::Diag)?;
        let squares = moments.scatter().index_axis(Axis(1), 0);
        let total = moments.total()?;
        let largest = total.scatter().iter().copied().fold(0.0, f64::max) / total.total_weight();
        let mut variances = Array2::zeros(squares.raw_dim());
        for (class, mut row) in variances.outer_iter_mut().enumerate() {
            let shares = self.mixing.shares(moments.weights(), class)?;
            row.scaled_add(shares.own, &squares.row(class));
            row.scaled_add(shares.pooled, &squares.sum_axis(Axis(0)));
        }
        if let Some(weights) = self.weights {
            let correction = if self.mixing.unbiased { pooled_correction(&moments)? } else { 1.0 };
            let mean: Array1<f64> = (0..weights.len()).fold(Array1::zeros(squares.ncols()), |sum, class| {
                sum + &squares.row(class) * (correction * weights[class] / moments.weights()[class])
            });
            variances.outer_iter_mut().for_each(|mut row| row.assign(&mean));
        }
        match self.target {
            Target::Diagonal => {}
            Target::Identity => variances.fill(1.0),
            Target::Spherical => {
                let means = variances.mean_axis(Axis(1)).unwrap_or_default();
                variances.outer_iter_mut().zip(means).for_each(|(mut row, mean)| row.fill(mean));
            }
        }
        Ok(variances + self.smoothing * largest)
    }

    /// An error unless there are models of this family for these moments.
    pub(super) fn check(&self, moments: &Moments) -> Result<()> {
        moments.check_no_class_empty()?;
        not_empty("number of columns", moments.n_features())?;
        for given in [self.priors, self.weights].into_iter().flatten() {
            check_priors(given, moments.n_classes())?;
        }
        self.mixing.check()?;
        if let Some(columns) = self.columns {
            let kept = columns.max(moments.n_features());
            same_size("number of columns before", columns, kept)?;
            not_empty(
                "targets that are the same in all directions",
                usize::from(self.target != Target::Diagonal),
            )?;
        }
        check_tolerance(self.tol)?;
        let fits = |smoothing: f64| smoothing.is_finite() && smoothing >= 0.0;
        check_number("smoothing", "finite and at least 0", self.smoothing, fits)
    }
}
