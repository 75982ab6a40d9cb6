//! Gaussian naive Bayes: within a class all columns are independent.

use super::estimator::sealed::{Learn, LearnMoments};
use super::estimator::{
    Estimator, GaussianEstimator, GaussianStatistics, Kind, Solution, Statistics, Training, smoothing,
};
use super::moments::counted_once;
use super::params::Params;
use super::settings::Settings;
use crate::covariance;
use crate::error::{Result, not_empty};
use crate::model::Model;
use crate::moments::{Moments, Structure};

/// Gaussian naive Bayes: within a class all columns are independent.
///
/// ```
/// use gauda::GaussianNb;
/// use ndarray::array;
///
/// let x = array![[5.1_f32, 3.5], [4.9, 3.0], [7.0, 3.2], [6.4, 3.2]];
/// let model = GaussianNb::params().fit(&x, &["setosa", "setosa", "versicolor", "versicolor"])?;
/// assert_eq!(model.predict(&array![[5.0_f32, 3.3]])?, ["setosa"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianNb {
    pub(super) var_smoothing: f64,
    pub(super) unbiased: bool,
}

impl Default for GaussianNb {
    fn default() -> Self {
        Self { var_smoothing: 1e-9, unbiased: false }
    }
}

impl GaussianNb {
    /// Maximum-likelihood variances, hardly smoothed.
    ///
    /// ```
    /// let params = gauda::GaussianNb::params().unbiased(true);
    /// # assert_ne!(params, gauda::GaussianNb::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<GaussianNb> {
    /// This share of the largest variance of any column is added to all variances; by default 1e-9. In that variance each
    /// row counts once, whatever its weight, unless it has next to none.
    ///
    /// ```
    /// let params = gauda::GaussianNb::params().var_smoothing(0.0);
    /// # assert_ne!(params, gauda::GaussianNb::params());
    /// ```
    pub fn var_smoothing(mut self, share: f64) -> Self {
        self.estimator.var_smoothing = share;
        self
    }

    /// Whether sums of squares are divided by n_k − 1 instead of n_k.
    ///
    /// ```
    /// let params = gauda::GaussianNb::params().unbiased(true);
    /// # assert_ne!(params, gauda::GaussianNb::params());
    /// ```
    pub fn unbiased(mut self, unbiased: bool) -> Self {
        self.estimator.unbiased = unbiased;
        self
    }
}

impl Estimator for GaussianNb {}
impl GaussianEstimator for GaussianNb {}

impl Learn for GaussianNb {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        let mut statistics = training.moments(Structure::Diag, None)?;
        if training.weights.is_some() {
            let one_class = vec![0; training.codes.len()];
            let (rows, parallel) = (training.rows()?, training.parallel());
            let counted = counted_once(training.weights);
            let total = match statistics.has_gaps {
                true => Moments::from_observed(rows, &one_class, 1, counted.as_deref(), parallel)?,
                false => {
                    Moments::from_rows(rows, &one_class, 1, counted.as_deref(), Structure::Diag, parallel)?
                }
            };
            statistics.unweighted = Some(total);
        }
        Ok(Statistics::Gaussian(Box::new(statistics)))
    }

    fn kind(&self) -> Kind {
        Kind::GaussianNb(self.clone())
    }
}

impl LearnMoments for GaussianNb {
    fn structure(&self, _settings: &Settings) -> Structure {
        Structure::Diag
    }

    fn check_moments(&self, _moments: &Moments) -> Result<()> {
        Ok(())
    }
}

impl GaussianNb {
    pub(super) fn solve(&self, settings: &Settings, statistics: &GaussianStatistics) -> Result<Solution> {
        let moments = &statistics.moments;
        not_empty("number of classes", moments.n_classes())?;
        let priors = settings.priors.of(moments.weights().view())?;
        let variances = covariance::variances(moments, self.unbiased)? + self.epsilon(statistics)?;
        Model::naive(moments, variances.view(), &priors).map(Solution::gaussian)
    }

    /// What is added to the variances.
    fn epsilon(&self, statistics: &GaussianStatistics) -> Result<f64> {
        let total = match &statistics.unweighted {
            Some(total) => total.clone(),
            None => statistics.moments.total()?,
        };
        let largest = covariance::variances(&total, false)?.iter().copied().fold(0.0, f64::max);
        smoothing(self.var_smoothing, largest)
    }
}
