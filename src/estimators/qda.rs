//! Quadratic discriminant analysis: every class has its own covariance.

use ndarray::{Array3, Axis};

use super::estimator::sealed::{Learn, LearnMoments};
use super::estimator::{
    Estimator, GaussianEstimator, GaussianStatistics, Kind, Solution, Statistics, Training, check_classes,
};
use super::params::Params;
use super::settings::Settings;
use super::shrinkage::{Shrinkage, shrink_all};
use crate::covariance::{self, Target};
use crate::error::{Error, InputError, Result, check_share};
use crate::model::Model;
use crate::moments::{Moments, Structure};

/// Quadratic discriminant analysis: Gaussian classes, each with its own covariance.
///
/// ```
/// use gauda::Qda;
/// use ndarray::array;
///
/// let x = array![[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]];
/// let model = Qda::params().fit(&x, &[1, 1, 1, 2, 2, 2])?;
/// assert_eq!(model.predict(&array![[-0.8, -1.0]])?, [1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Qda {
    pub(super) shrinkage: Shrinkage,
    pub(super) reg_param: f64,
    pub(super) tol: f64,
    pub(super) unbiased: bool,
}

impl Default for Qda {
    fn default() -> Self {
        Self { shrinkage: Shrinkage::default(), reg_param: 0.0, tol: 1e-4, unbiased: false }
    }
}

impl Qda {
    /// Maximum-likelihood covariances and priors.
    ///
    /// ```
    /// let params = gauda::Qda::params().unbiased(true);
    /// # assert_ne!(params, gauda::Qda::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<Qda> {
    /// Moves each covariance toward a multiple of the identity; by default not at all.
    ///
    /// ```
    /// use gauda::{Qda, Shrinkage};
    ///
    /// assert_eq!(Qda::params().shrinkage(0.1), Qda::params().shrinkage(Shrinkage::Fixed(0.1)));
    /// ```
    pub fn shrinkage(mut self, shrinkage: impl Into<Shrinkage>) -> Self {
        self.estimator.shrinkage = shrinkage.into();
        self
    }

    /// Covariances become (1 − r) S + r I; by default r = 0. Classes of fewer rows than columns are refused whatever r:
    /// [`Rda`](crate::Rda) takes them, with [`Target::Identity`].
    ///
    /// ```
    /// let params = gauda::Qda::params().reg_param(0.05);
    /// # assert_ne!(params, gauda::Qda::params());
    /// ```
    pub fn reg_param(mut self, r: f64) -> Self {
        self.estimator.reg_param = r;
        self
    }

    /// A class is singular if a singular value of its standardized data is at most this; by default 1e-4.
    ///
    /// ```
    /// let params = gauda::Qda::params().tol(1e-6);
    /// # assert_ne!(params, gauda::Qda::params());
    /// ```
    pub fn tol(mut self, tol: f64) -> Self {
        self.estimator.tol = tol;
        self
    }

    /// Whether the scatter of a class is divided by n_k − 1 instead of n_k.
    ///
    /// ```
    /// let params = gauda::Qda::params().unbiased(true);
    /// # assert_ne!(params, gauda::Qda::params());
    /// ```
    pub fn unbiased(mut self, unbiased: bool) -> Self {
        self.estimator.unbiased = unbiased;
        self
    }
}

impl Estimator for Qda {}
impl GaussianEstimator for Qda {}

impl Learn for Qda {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        self.check()?;
        let plain = Self { unbiased: false, ..self.clone() };
        let covariances = |moments: &Moments| plain.covariances(&GaussianStatistics::of(moments.clone()));
        let mut statistics =
            training.moments(Structure::Full, if self.regularizes() { Some(&covariances) } else { None })?;
        if self.shrinkage == Shrinkage::LedoitWolf {
            statistics.check_complete()?;
            let Training { codes, weights, .. } = *training;
            let rows = training.rows()?;
            let parallel = training.parallel();
            statistics.covariances =
                Some(covariance::ledoit_wolf(&statistics.moments, rows, codes, weights, parallel)?);
        }
        Ok(Statistics::Gaussian(Box::new(statistics)))
    }

    fn kind(&self) -> Kind {
        Kind::Qda(self.clone())
    }
}

impl LearnMoments for Qda {
    fn structure(&self, _settings: &Settings) -> Structure {
        Structure::Full
    }

    fn check_moments(&self, moments: &Moments) -> Result<()> {
        self.shrinkage.check_moments(moments)
    }
}

impl Qda {
    /// Whether covariances are others than those of largest likelihood, and moments give them.
    fn regularizes(&self) -> bool {
        self.reg_param > 0.0 || self.shrinkage.is_given()
    }

    fn check(&self) -> Result<()> {
        check_share("reg_param", self.reg_param)?;
        self.shrinkage.check()?;
        match self.reg_param > 0.0 && self.shrinkage != Shrinkage::default() {
            true => Err(Error::Input(InputError::Unsupported(
                "reg_param and shrinkage must not both be given; leave out one",
            ))),
            false => Ok(()),
        }
    }

    pub(super) fn solve(&self, settings: &Settings, statistics: &GaussianStatistics) -> Result<Solution> {
        self.check()?;
        let moments = &statistics.moments;
        check_classes(moments.n_classes())?;
        let priors = settings.priors.of(moments.weights().view())?;
        let covariances = self.covariances(statistics)?;
        let model = Model::quadratic(moments, covariances.view(), &priors, self.tol, settings.parallel())?;
        Ok(Solution::gaussian(model))
    }

    fn covariances(&self, statistics: &GaussianStatistics) -> Result<Array3<f64>> {
        let moments = &statistics.moments;
        let plain = covariance::of_classes(moments, self.unbiased)?;
        let estimated = match (&statistics.covariances, self.shrinkage) {
            (None, Shrinkage::LedoitWolf) => Some(covariance::ledoit_wolf_of_moments(moments)?),
            (estimated, _) => estimated.clone(),
        };
        if let Some(mut estimated) = estimated {
            if self.unbiased {
                for (mut covariance, &weight) in estimated.outer_iter_mut().zip(moments.weights()) {
                    covariance *= weight / (weight - 1.0);
                }
            }
            return Ok(estimated);
        }
        let few = moments.rows().iter().any(|&rows| rows < moments.n_features() as u64);
        if self.reg_param > 0.0 && !few {
            let mut moved = plain;
            for mut covariance in moved.axis_iter_mut(Axis(0)) {
                let target = Target::Identity.approach(covariance.view(), self.reg_param)?;
                covariance.assign(&target);
            }
            return Ok(moved);
        }
        shrink_all(plain, self.shrinkage)
    }
}
