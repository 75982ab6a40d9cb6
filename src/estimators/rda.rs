//! Regularized discriminant analysis: covariances between those of QDA, LDA and naive Bayes.

use ndarray::{Array2, Array3, Axis};

use super::estimator::sealed::{Learn, LearnMoments};
use super::estimator::{
    Estimator, GaussianEstimator, GaussianStatistics, Kind, Solution, Statistics, Training, check_classes,
};
use super::params::Params;
use super::settings::Settings;
use super::shrinkage::check_fourth_order;
use crate::covariance::{
    Mixing, Pooling, Target, ledoit_wolf_intensities, ledoit_wolf_intensities_of_moments, oracle_intensities,
    regularized,
};
use crate::error::{Error, InputError, Result};
use crate::model::{LinearFit, Model};
use crate::moments::{Moments, Structure};

/// Regularized discriminant analysis (Friedman 1989): with S_k the covariance of class k and S the pooled one, the
/// covariance of class k becomes (1 − γ) B_k + γ T(B_k), where B_k = (1 − α) S_k + α S and T(B) is the target.
///
/// ```
/// use gauda::{Rda, Target};
/// use ndarray::array;
///
/// let x = array![[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]];
/// let model = Rda::params().alpha(0.5).gamma(0.1).target(Target::Diagonal).fit(&x, &[1, 1, 1, 2, 2, 2])?;
/// assert_eq!(model.predict(&array![[-0.8, -1.0]])?, [1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rda {
    pub(super) alpha: f64,
    pub(super) gamma: Gamma,
    pub(super) target: Target,
    pub(super) pooling: Pooling,
    pub(super) tol: f64,
    pub(super) unbiased: bool,
}

/// Share of the target in the covariances of [`Rda`].
///
/// ```
/// use gauda::{Gamma, Rda};
///
/// assert_eq!(Rda::params().gamma(0.2), Rda::params().gamma(Gamma::Fixed(0.2)));
/// let params = Rda::params().gamma(Gamma::OracleApproximating);
/// # assert_ne!(params, Rda::params());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Gamma {
    /// The same for all classes, from 0 to 1.
    Fixed(f64),
    /// Ledoit and Wolf's intensity, for each class its own. The target is [`Target::Spherical`].
    LedoitWolf,
    /// The oracle-approximating intensity, for each class its own. The target is [`Target::Spherical`].
    OracleApproximating,
}

impl From<f64> for Gamma {
    fn from(share: f64) -> Self {
        Self::Fixed(share)
    }
}

impl Default for Rda {
    fn default() -> Self {
        Self {
            alpha: 0.0,
            gamma: Gamma::Fixed(0.0),
            target: Target::Spherical,
            pooling: Pooling::Covariance,
            tol: 1e-4,
            unbiased: false,
        }
    }
}

impl Rda {
    /// α = 0 and γ = 0, which is quadratic discriminant analysis.
    ///
    /// ```
    /// let params = gauda::Rda::params().alpha(1.0);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<Rda> {
    /// Share of the pooled covariance, from 0 to 1.
    ///
    /// ```
    /// let params = gauda::Rda::params().alpha(0.3);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.estimator.alpha = alpha;
        self
    }

    /// Share of the target: a number from 0 to 1, or how to estimate it.
    ///
    /// ```
    /// let params = gauda::Rda::params().gamma(gauda::Gamma::LedoitWolf);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn gamma(mut self, gamma: impl Into<Gamma>) -> Self {
        self.estimator.gamma = gamma.into();
        self
    }

    /// What covariances are moved toward; by default the multiple of the identity with the same trace.
    ///
    /// ```
    /// let params = gauda::Rda::params().gamma(1.0).target(gauda::Target::Diagonal);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn target(mut self, target: Target) -> Self {
        self.estimator.target = target;
        self
    }

    /// Whether covariances are mixed, which is usual, or scatters and divisors apart, as Friedman does.
    ///
    /// ```
    /// let params = gauda::Rda::params().alpha(0.2).pooling(gauda::Pooling::Scatter);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn pooling(mut self, pooling: Pooling) -> Self {
        self.estimator.pooling = pooling;
        self
    }

    /// A class is singular if a singular value of its standardized data is at most this; by default 1e-4.
    ///
    /// ```
    /// let params = gauda::Rda::params().tol(1e-6);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn tol(mut self, tol: f64) -> Self {
        self.estimator.tol = tol;
        self
    }

    /// Whether scatters are divided by n_k − 1, the pooled one by n − K, instead of n_k and n.
    ///
    /// ```
    /// let params = gauda::Rda::params().unbiased(true);
    /// # assert_ne!(params, gauda::Rda::params());
    /// ```
    pub fn unbiased(mut self, unbiased: bool) -> Self {
        self.estimator.unbiased = unbiased;
        self
    }
}

impl Estimator for Rda {}
impl GaussianEstimator for Rda {}

impl Learn for Rda {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        self.check()?;
        let plain = Self { unbiased: false, ..self.clone() };
        let covariances = |moments: &Moments| plain.covariances(&GaussianStatistics::of(moments.clone()));
        let mut statistics =
            training.moments(Structure::Full, if self.regularizes() { Some(&covariances) } else { None })?;
        if self.gamma == Gamma::LedoitWolf {
            statistics.check_complete()?;
            let Training { codes, weights, .. } = *training;
            let rows = training.rows()?;
            let (moments, parallel) = (&statistics.moments, training.parallel());
            let found = ledoit_wolf_intensities(moments, self.mixing(), rows, codes, weights, parallel)?;
            statistics.intensities = Some(found);
        }
        Ok(Statistics::Gaussian(Box::new(statistics)))
    }

    fn kind(&self) -> Kind {
        Kind::Rda(self.clone())
    }
}

impl LearnMoments for Rda {
    fn structure(&self, _settings: &Settings) -> Structure {
        Structure::Full
    }

    fn check_moments(&self, moments: &Moments) -> Result<()> {
        if self.gamma == Gamma::LedoitWolf { check_fourth_order(moments) } else { Ok(()) }
    }
}

impl Rda {
    /// Whether covariances are others than those of largest likelihood, and moments give them.
    fn regularizes(&self) -> bool {
        let moved = self.gamma != Gamma::Fixed(0.0) && self.gamma != Gamma::LedoitWolf;
        self.alpha > 0.0 || moved
    }

    fn check(&self) -> Result<()> {
        match self.gamma {
            Gamma::Fixed(_) => Ok(()),
            Gamma::LedoitWolf | Gamma::OracleApproximating if self.target == Target::Spherical => Ok(()),
            Gamma::LedoitWolf | Gamma::OracleApproximating => Err(Error::Input(InputError::Unsupported(
                "the target must be Spherical where gamma is estimated; leave it out, or give a number for gamma",
            ))),
        }
    }

    fn mixing(&self) -> Mixing {
        Mixing { alpha: self.alpha, pooling: self.pooling, unbiased: self.unbiased }
    }

    pub(super) fn solve(&self, settings: &Settings, statistics: &GaussianStatistics) -> Result<Solution> {
        self.check()?;
        let moments = &statistics.moments;
        check_classes(moments.n_classes())?;
        let priors = settings.priors.of(moments.weights().view())?;
        let covariances = self.covariances(statistics)?;
        self.model_of(settings, moments, covariances, &priors).map(Solution::gaussian)
    }

    fn covariances(&self, statistics: &GaussianStatistics) -> Result<Array3<f64>> {
        regularized(&statistics.moments, self.mixing(), self.target, &self.gammas(statistics)?)
    }

    /// The share of the target for each class.
    fn gammas(&self, statistics: &GaussianStatistics) -> Result<Vec<f64>> {
        let moments = &statistics.moments;
        match self.gamma {
            Gamma::Fixed(gamma) => Ok(vec![gamma; moments.n_classes()]),
            Gamma::LedoitWolf => match &statistics.intensities {
                Some(intensities) => Ok(intensities.clone()),
                None => ledoit_wolf_intensities_of_moments(moments, self.mixing()),
            },
            Gamma::OracleApproximating => oracle_intensities(moments, self.mixing()),
        }
    }

    /// The simplest model that has these covariances.
    fn model_of(
        &self,
        settings: &Settings,
        moments: &Moments,
        covariances: Array3<f64>,
        priors: &[f64],
    ) -> Result<Model> {
        let diagonal = self.gamma == Gamma::Fixed(1.0);
        if self.alpha == 1.0 || (diagonal && self.target == Target::Identity) {
            let common = covariances.index_axis(Axis(0), 0);
            return Ok(LinearFit::of_covariance(moments, common, priors, self.tol)?.model);
        }
        if diagonal {
            let dimensions = (moments.n_classes(), moments.n_features());
            let variances =
                Array2::from_shape_fn(dimensions, |(class, column)| covariances[(class, column, column)]);
            return Model::naive(moments, variances.view(), priors);
        }
        Model::quadratic(moments, covariances.view(), priors, self.tol, settings.parallel())
    }
}
