//! Linear discriminant analysis: all classes share one covariance.

use ndarray::{Array2, Array3, Axis, s};

use super::estimator::sealed::{Learn, LearnMoments};
use super::estimator::{
    Estimator, GaussianEstimator, GaussianStatistics, Kind, Linear, Scorer, Solution, Statistics, Training,
    check_classes,
};
use super::params::Params;
use super::settings::{ClassPriors, Settings};
use super::shrinkage::{Shrinkage, shrink_all};
use crate::covariance;
use crate::error::{Error, InputError, Result, check_number};
use crate::model::LinearFit;
use crate::moments::{Moments, Structure};

/// Linear discriminant analysis: Gaussian classes with a common covariance.
///
/// ```
/// use gauda::Lda;
/// use ndarray::array;
///
/// let x = array![[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]];
/// let model = Lda::params().fit(&x, &[1, 1, 1, 2, 2, 2])?;
/// assert_eq!(model.predict(&array![[-0.8, -1.0]])?, [1]);
/// assert_eq!(model.transform(&x)?.dim(), (6, 1));
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lda {
    pub(super) solver: Option<Solver>,
    pub(super) shrinkage: Shrinkage,
    pub(super) components: Option<usize>,
    pub(super) reduced_rank: bool,
    pub(super) tol: f64,
    pub(super) unbiased: bool,
}

/// How [`Lda`] finds its model. All give the same posteriors where the covariance is regular and priors are those of the data.
///
/// ```
/// use gauda::{Lda, Solver};
///
/// let params = Lda::params().solver(Solver::Lsqr);
/// # assert_ne!(params, Lda::params());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Solver {
    /// Pools the scatter of all classes and drops directions without variance within classes.
    Svd,
    /// Weights the covariances of the classes by the priors. No axes.
    Lsqr,
    /// The same, with axes from the covariance between classes.
    Eigen,
}

impl Default for Lda {
    fn default() -> Self {
        Self {
            solver: None,
            shrinkage: Shrinkage::default(),
            components: None,
            reduced_rank: false,
            tol: 1e-4,
            unbiased: false,
        }
    }
}

impl Lda {
    /// A maximum-likelihood covariance and priors.
    ///
    /// ```
    /// let params = gauda::Lda::params().unbiased(true);
    /// # assert_ne!(params, gauda::Lda::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<Lda> {
    /// How the model is found; by default [`Solver::Svd`], or with shrinkage [`Solver::Eigen`].
    ///
    /// ```
    /// let params = gauda::Lda::params().solver(gauda::Solver::Eigen);
    /// # assert_ne!(params, gauda::Lda::params());
    /// ```
    pub fn solver(mut self, solver: Solver) -> Self {
        self.estimator.solver = Some(solver);
        self
    }

    /// Moves the covariance toward a multiple of the identity; by default not at all. Not with [`Solver::Svd`].
    ///
    /// ```
    /// use gauda::{Lda, Shrinkage};
    ///
    /// let params = Lda::params().shrinkage(Shrinkage::LedoitWolf);
    /// # assert_ne!(params, Lda::params());
    /// ```
    pub fn shrinkage(mut self, shrinkage: impl Into<Shrinkage>) -> Self {
        self.estimator.shrinkage = shrinkage.into();
        self
    }

    /// Number of axes that [`transform`](crate::Fitted::transform) projects on; by default min(K − 1, d).
    ///
    /// ```
    /// let params = gauda::Lda::params().components(2);
    /// # assert_ne!(params, gauda::Lda::params());
    /// ```
    pub fn components(mut self, components: usize) -> Self {
        self.estimator.components = Some(components);
        self
    }

    /// Whether rows are classified by their coordinates along the axes alone (Fisher's rule). They have no density then.
    ///
    /// ```
    /// let params = gauda::Lda::params().components(1).reduced_rank(true);
    /// # assert_ne!(params, gauda::Lda::params());
    /// ```
    pub fn reduced_rank(mut self, reduced_rank: bool) -> Self {
        self.estimator.reduced_rank = reduced_rank;
        self
    }

    /// The smallest singular value of the standardized data within classes that counts as variance; by default 1e-4. Only for
    /// [`Solver::Svd`].
    ///
    /// ```
    /// let params = gauda::Lda::params().tol(1e-6);
    /// # assert_ne!(params, gauda::Lda::params());
    /// ```
    pub fn tol(mut self, tol: f64) -> Self {
        self.estimator.tol = tol;
        self
    }

    /// Whether the pooled scatter is divided by n − K instead of n.
    ///
    /// ```
    /// let params = gauda::Lda::params().unbiased(true);
    /// # assert_ne!(params, gauda::Lda::params());
    /// ```
    pub fn unbiased(mut self, unbiased: bool) -> Self {
        self.estimator.unbiased = unbiased;
        self
    }
}

impl Estimator for Lda {}
impl GaussianEstimator for Lda {}

impl Learn for Lda {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        self.check()?;
        let structure = self.structure(training.settings);
        let repeated = |moments: &Moments| {
            let priors = training.settings.priors.of(moments.weights().view())?;
            let common = self.within(&GaussianStatistics::of(moments.clone()), &priors)?;
            let copies = moments.scatter().len_of(Axis(0));
            Ok(common.insert_axis(Axis(0)).select(Axis(0), &vec![0; copies]))
        };
        let regularizes = structure == Structure::Full || self.shrinkage.is_given();
        let mut statistics = training.moments(structure, if regularizes { Some(&repeated) } else { None })?;
        if self.shrinkage == Shrinkage::LedoitWolf {
            statistics.check_complete()?;
            self.estimate_covariances(training, &mut statistics)?;
        }
        Ok(Statistics::Gaussian(Box::new(statistics)))
    }

    fn kind(&self) -> Kind {
        Kind::Lda(self.clone())
    }
}

impl LearnMoments for Lda {
    fn structure(&self, settings: &Settings) -> Structure {
        let reweighted = self.solver() != Solver::Svd && settings.priors != ClassPriors::Proportions;
        match reweighted || self.shrinkage == Shrinkage::LedoitWolf {
            true => Structure::Full,
            false => Structure::Tied,
        }
    }

    fn check_moments(&self, moments: &Moments) -> Result<()> {
        self.shrinkage.check_moments(moments)
    }
}

impl Lda {
    pub(super) fn solver(&self) -> Solver {
        let shrinks = self.shrinkage != Shrinkage::default();
        self.solver.unwrap_or(if shrinks { Solver::Eigen } else { Solver::Svd })
    }

    fn check(&self) -> Result<()> {
        self.shrinkage.check()?;
        match self.solver() {
            Solver::Svd if self.shrinkage != Shrinkage::default() => Err(Error::Input(
                InputError::Unsupported("shrinkage must have another solver than Svd; use Eigen or Lsqr"),
            )),
            Solver::Lsqr if self.reduced_rank => Err(Error::Input(InputError::Unsupported(
                "reduced_rank must have axes, which Lsqr does not find; use Svd or Eigen",
            ))),
            Solver::Svd | Solver::Lsqr | Solver::Eigen => Ok(()),
        }
    }

    /// Covariances of the classes and of all rows, each shrunk as its own rows suggest.
    fn estimate_covariances(
        &self,
        training: &Training<'_>,
        statistics: &mut GaussianStatistics,
    ) -> Result<()> {
        let (moments, parallel) = (&statistics.moments, training.parallel());
        let Training { codes, weights, .. } = *training;
        let rows = training.rows()?;
        let covariances = covariance::ledoit_wolf(moments, rows, codes, weights, parallel)?;
        if self.solver() == Solver::Eigen {
            let one_class = vec![0; codes.len()];
            let total = covariance::ledoit_wolf(&moments.total()?, rows, &one_class, weights, parallel)?;
            statistics.total = Some(total.index_axis_move(Axis(0), 0));
        }
        statistics.covariances = Some(covariances);
        Ok(())
    }

    pub(super) fn solve(&self, settings: &Settings, statistics: &GaussianStatistics) -> Result<Solution> {
        self.check()?;
        let moments = &statistics.moments;
        check_classes(moments.n_classes())?;
        let priors = settings.priors.of(moments.weights().view())?;
        let components = self.max_components(moments)?;
        let fit = self.fit(statistics, &priors)?;
        let fit = if self.reduced_rank { fit.reduced(components)? } else { fit };
        let center = match self.solver() {
            Solver::Svd => moments.mean_of_means(&priors),
            Solver::Lsqr | Solver::Eigen => vec![0.0; moments.n_features()],
        };
        let total: f64 = fit.between.iter().sum();
        let ratio = |between: &f64| if total > 0.0 { between / total } else { 0.0 };
        let linear = Linear {
            axes: fit.axes.slice(s![.., ..components.min(fit.axes.ncols())]).to_owned(),
            ratios: fit.between.iter().take(components).map(ratio).collect(),
            coefficients: fit.coefficients,
            intercepts: fit.intercepts,
            center,
        };
        Ok(Solution { scorer: Scorer::Gaussian(Box::new(fit.model)), linear: Some(linear) })
    }

    fn max_components(&self, moments: &Moments) -> Result<usize> {
        let max = moments.n_features().min(moments.n_classes() - 1);
        let components = self.components.unwrap_or(max);
        check_number("components", "from 1 to min(K − 1, d)", components as f64, |_| {
            (1..=max).contains(&components)
        })?;
        Ok(components)
    }

    fn fit(&self, statistics: &GaussianStatistics, priors: &[f64]) -> Result<LinearFit> {
        let moments = &statistics.moments;
        if self.solver() == Solver::Svd {
            return LinearFit::svd(moments, priors, self.tol, self.unbiased);
        }
        let within = self.within(statistics, priors)?;
        let correction = if self.unbiased { covariance::pooled_correction(moments)? } else { 1.0 };
        let corrected = &within * correction;
        if self.solver() == Solver::Lsqr {
            return LinearFit::lsqr(moments, corrected.view(), priors);
        }
        let between = self.total(statistics)? - &within;
        LinearFit::eigen(moments, corrected.view(), between.view(), priors)
    }

    /// The covariances of the classes weighted by the priors, with divisors n_k.
    fn within(&self, statistics: &GaussianStatistics, priors: &[f64]) -> Result<Array2<f64>> {
        let moments = &statistics.moments;
        if moments.structure() == Structure::Tied {
            return self.shrinkage.shrink(covariance::pooled(moments, None, false)?);
        }
        let covariances = match &statistics.covariances {
            Some(estimated) => estimated.clone(),
            None if self.shrinkage == Shrinkage::LedoitWolf => covariance::ledoit_wolf_of_moments(moments)?,
            None => shrink_all(covariance::of_classes(moments, false)?, self.shrinkage)?,
        };
        let mut mixture = Array2::zeros((moments.n_features(), moments.n_features()));
        for (covariance, &prior) in covariances.outer_iter().zip(priors) {
            mixture.scaled_add(prior, &covariance);
        }
        Ok(mixture)
    }

    /// The covariance of all rows, estimated as those of the classes are.
    fn total(&self, statistics: &GaussianStatistics) -> Result<Array2<f64>> {
        if let Some(total) = &statistics.total {
            return Ok(total.clone());
        }
        let total = statistics.moments.total()?;
        let only = |covariances: Array3<f64>| covariances.index_axis_move(Axis(0), 0);
        match self.shrinkage {
            Shrinkage::LedoitWolf => Ok(only(covariance::ledoit_wolf_of_moments(&total)?)),
            Shrinkage::Fixed(_) => self.shrinkage.shrink(only(covariance::of_classes(&total, false)?)),
        }
    }
}
