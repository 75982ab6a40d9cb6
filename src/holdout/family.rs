//! Gaussian models of one kind, which moments determine.

use ndarray::Array1;

use crate::covariance::{Mixing, Target};
use crate::error::{Result, check_number, check_tolerance};
use crate::moments::{Moments, check_priors};

/// What the models have in common; they differ in how far covariances are moved towards the target.
#[derive(Debug, Clone, Copy)]
pub struct Family<'a> {
    /// How covariances of classes are mixed with the pooled one.
    pub mixing: Mixing,
    /// Weights of the covariances of classes in a common one, instead of `mixing`.
    pub weights: Option<&'a [f64]>,
    /// What covariances are moved towards.
    pub target: Target,
    /// Priors; without them, proportions of the rows.
    pub priors: Option<&'a [f64]>,
    /// A covariance is singular if an eigenvalue on the correlation scale is at most `tol`².
    pub tol: f64,
    /// This share of the largest variance of any column is added to the variances of independent columns.
    pub smoothing: f64,
}

impl Family<'_> {
    /// Whether all classes have the same covariance.
    pub(super) fn is_common(&self) -> bool {
        self.mixing.alpha == 1.0 || self.weights.is_some()
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

    /// An error unless there are models of this family for these moments.
    pub(super) fn check(&self, moments: &Moments) -> Result<()> {
        moments.check_no_class_empty()?;
        for given in [self.priors, self.weights].into_iter().flatten() {
            check_priors(given, moments.n_classes())?;
        }
        self.mixing.check()?;
        check_tolerance(self.tol)?;
        let fits = |smoothing: f64| smoothing.is_finite() && smoothing >= 0.0;
        check_number("smoothing", "finite and at least 0", self.smoothing, fits)
    }
}
