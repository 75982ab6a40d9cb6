//! What an estimator does: it learns statistics from rows, and solves for a model.

use std::fmt::Debug;

use ndarray::{Array1, Array2, Array3};

use super::settings::Settings;
use super::table::Table;
use super::{BernoulliNb, CategoricalNb, ComplementNb, GaussianNb, Lda, MixedNb, MultinomialNb, Qda, Rda};
use crate::discrete::{AffineModel, ColumnModel, Labeled, LevelCounts, NumberSums, PresenceCounts};
use crate::error::{Error, InputError, Result, check_number};
use crate::missing::{Em, Estimate, Regularize, Regularized, estimate};
use crate::model::Model;
use crate::moments::{Moments, Structure};
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::Missing;

/// The largest variance that smoothing may add.
const LARGEST_EPSILON: f64 = 1e300;

/// One of the estimators: [`Qda`], [`Lda`], [`Rda`], [`GaussianNb`], [`BernoulliNb`], [`CategoricalNb`], [`MixedNb`],
/// [`MultinomialNb`] or [`ComplementNb`].
///
/// It is sealed. [`Params`](crate::Params) are generic over it:
///
/// ```
/// use gauda::{Estimator, Lda, Params, Qda};
/// use ndarray::{Array2, array};
///
/// fn right<E: Estimator>(params: &Params<E>, x: &Array2<f64>, y: &[i64]) -> gauda::Result<f64> {
///     params.fit(x, y)?.accuracy(x, y)
/// }
///
/// let (x, y) = (array![[-2.0], [-1.0], [1.0], [3.0]], [0, 0, 1, 1]);
/// assert_eq!(right(&Lda::params(), &x, &y)?, right(&Qda::params(), &x, &y)?);
/// # Ok::<(), gauda::Error>(())
/// ```
pub trait Estimator: sealed::Learn {}

/// An estimator that moments determine: all but those of discrete columns.
///
/// It is sealed. Such [`Params`](crate::Params) can be fitted to moments:
///
/// ```
/// use gauda::{Fitted, GaussianEstimator, Moments, Params, Qda, Structure};
/// use ndarray::array;
///
/// fn refit<E: GaussianEstimator>(params: &Params<E>, moments: &Moments<i64>) -> gauda::Result<Fitted<i64>> {
///     params.fit_moments(&moments.scale(0.5)?)
/// }
///
/// let moments = Moments::from_rows(&array![[-2.0], [-1.0], [1.0], [3.0]], &[0_i64, 0, 1, 1], Structure::Full)?;
/// assert_eq!(refit(&Qda::params(), &moments)?.priors(), [0.5, 0.5]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub trait GaussianEstimator: Estimator + sealed::LearnMoments {}

pub(super) mod sealed {
    use super::{Debug, Kind, Moments, Result, Settings, Statistics, Structure, Training};

    pub trait Learn: Clone + Debug + PartialEq + Send + Sync + 'static {
        /// Statistics of rows, which were checked to be as many as labels.
        fn learn(&self, training: &Training<'_>) -> Result<Statistics>;
        /// Which of all estimators this is.
        fn kind(&self) -> Kind;
    }

    pub trait LearnMoments: Learn {
        /// The minimum that moments must tell.
        fn structure(&self, settings: &Settings) -> Structure;
        /// Refuses ways to estimate covariances that take rows.
        fn check_moments(&self, moments: &Moments) -> Result<()>;
    }
}

/// Any of the estimators.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Qda(Qda),
    Lda(Lda),
    Rda(Rda),
    GaussianNb(GaussianNb),
    BernoulliNb(BernoulliNb),
    CategoricalNb(CategoricalNb),
    MixedNb(MixedNb),
    MultinomialNb(MultinomialNb),
    ComplementNb(ComplementNb),
}

impl Kind {
    /// The model that statistics lead to.
    pub(super) fn solve(&self, settings: &Settings, statistics: &Statistics) -> Result<Solution> {
        match (self, statistics) {
            (Self::Qda(qda), Statistics::Gaussian(gaussian)) => qda.solve(settings, gaussian),
            (Self::Lda(lda), Statistics::Gaussian(gaussian)) => lda.solve(settings, gaussian),
            (Self::Rda(rda), Statistics::Gaussian(gaussian)) => rda.solve(settings, gaussian),
            (Self::GaussianNb(nb), Statistics::Gaussian(gaussian)) => nb.solve(settings, gaussian),
            (Self::BernoulliNb(nb), Statistics::Presence(presence)) => nb.solve(settings, presence),
            (Self::CategoricalNb(nb), Statistics::Levels(levels)) => nb.solve(settings, levels),
            (Self::MixedNb(nb), Statistics::Mixed(sums)) => nb.solve(settings, sums),
            (Self::MultinomialNb(nb), Statistics::Terms(counts)) => nb.solve(settings, counts),
            (Self::ComplementNb(nb), Statistics::Terms(counts)) => nb.solve(settings, counts),
            _ => Err(Error::Input(InputError::Unsupported("statistics must be of the estimator's kind"))),
        }
    }
}

/// The covariances that an estimator makes of moments.
type CovariancesOf<'a> = dyn Fn(&Moments) -> Result<Array3<f64>> + 'a;

/// Rows with codes of their classes, and how to learn from them.
pub struct Training<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) codes: &'a [u32],
    pub(super) classes: usize,
    pub(super) weights: Option<&'a [f64]>,
    pub(super) settings: &'a Settings,
}

impl<'a> Training<'a> {
    pub(super) fn parallel(&self) -> Parallel<'static> {
        self.settings.parallel()
    }

    /// The rows, for estimators that read all entries.
    pub(super) fn rows(&self) -> Result<&'a Rows<'a>> {
        self.table.dense()
    }

    pub(super) fn labeled(&self) -> Labeled<'a> {
        Labeled { labels: self.codes, classes: self.classes, weights: self.weights }
    }

    /// Moments of the rows; where values may be missing, those that are expected, under covariances that the estimator
    /// makes of them unless they are those of largest likelihood.
    pub(super) fn moments(
        &self,
        structure: Structure,
        covariances: Option<&CovariancesOf<'_>>,
    ) -> Result<GaussianStatistics> {
        let rows = self.rows()?;
        if self.settings.missing != Missing::Marginalize {
            let parallel = self.parallel();
            let moments =
                Moments::from_rows(rows, self.codes, self.classes, self.weights, structure, parallel)?;
            return Ok(GaussianStatistics::of(moments));
        }
        let regularize = covariances
            .map(|of| move |moments: &Moments| Ok(Regularized { means: None, covariances: of(moments)? }));
        let regularize = regularize.as_ref().map(|regularize| regularize as &Regularize<'_>);
        let em = Em { regularize, ..Em::default() };
        let Estimate { moments, converged, complete, .. } =
            estimate(rows, self.codes, self.classes, self.weights, structure, em, self.parallel())?;
        Ok(GaussianStatistics { has_gaps: !complete, converged, ..GaussianStatistics::of(moments) })
    }
}

/// What a model is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Statistics {
    Gaussian(Box<GaussianStatistics>),
    Presence(PresenceCounts),
    Levels(LevelCounts),
    Mixed(Box<MixedSums>),
    Terms(TermCounts),
}

impl Statistics {
    /// Sum of the weights of each class.
    pub(super) fn class_weights(&self) -> Array1<f64> {
        match self {
            Self::Gaussian(gaussian) => gaussian.moments.weights().clone(),
            Self::Presence(presence) => presence.classes.clone().into(),
            Self::Levels(levels) => levels.classes.clone().into(),
            Self::Mixed(sums) => sums.class_weights(),
            Self::Terms(counts) => counts.classes.clone().into(),
        }
    }

    pub(super) fn n_features(&self) -> usize {
        match self {
            Self::Gaussian(gaussian) => gaussian.moments.n_features(),
            Self::Presence(presence) => presence.present.ncols(),
            Self::Levels(levels) => levels.columns.len(),
            Self::Mixed(sums) => sums.categorical.len(),
            Self::Terms(counts) => counts.terms.ncols(),
        }
    }
}

/// Moments, and what they do not tell.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianStatistics {
    pub(crate) moments: Moments,
    /// Whether values were missing.
    pub(crate) has_gaps: bool,
    /// Whether EM, if it took any, ended by itself.
    pub(crate) converged: bool,
    /// All rows as one class, each counted once, where rows have weights or gaps.
    pub(crate) unweighted: Option<Moments>,
    /// Covariances of the classes and of all rows that take the rows to estimate.
    pub(crate) covariances: Option<Array3<f64>>,
    pub(crate) total: Option<Array2<f64>>,
    /// For each class how far its covariance is moved toward the target.
    pub(crate) intensities: Option<Vec<f64>>,
}

impl GaussianStatistics {
    pub(crate) fn of(moments: Moments) -> Self {
        Self {
            moments,
            has_gaps: false,
            converged: true,
            unweighted: None,
            covariances: None,
            total: None,
            intensities: None,
        }
    }

    /// An error if values were missing, of which estimates that take rows know nothing.
    pub(super) fn check_complete(&self) -> Result<()> {
        match self.has_gaps {
            true => Err(Error::Input(InputError::Unsupported(
                "shrinkage by Ledoit and Wolf's intensity must have complete rows; give a number, or fill in what is missing",
            ))),
            false => Ok(()),
        }
    }
}

/// How often terms occur.
#[derive(Debug, Clone, PartialEq)]
pub struct TermCounts {
    /// Weight of each class.
    pub(crate) classes: Vec<f64>,
    /// What was counted of each term, class × column.
    pub(crate) terms: Array2<f64>,
}

/// Sums of columns of numbers, and counts of columns of categories.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedSums {
    /// Rows of positive weight.
    pub(crate) n_rows: u64,
    /// Whether values were missing.
    pub(crate) has_gaps: bool,
    /// For each column whether it holds categories.
    pub(crate) categorical: Vec<bool>,
    pub(crate) numbers: NumberSums,
    /// All rows as one class, each counted once.
    pub(crate) unweighted: NumberSums,
    pub(crate) counts: LevelCounts,
}

/// A model, and its linear functions if it has some.
#[derive(Debug)]
pub(crate) struct Solution {
    pub(super) scorer: Scorer,
    pub(super) linear: Option<Linear>,
}

impl Solution {
    pub(super) fn gaussian(model: Model) -> Self {
        Self { scorer: Scorer::Gaussian(Box::new(model)), linear: None }
    }
}

/// What answers questions of rows.
#[derive(Debug)]
pub(crate) enum Scorer {
    Gaussian(Box<Model>),
    Presence(Box<AffineModel>),
    /// Scores that are no densities.
    Weights(Box<AffineModel>),
    Columns(ColumnModel),
}

/// Linear functions of a model with a common covariance.
#[derive(Debug)]
pub(crate) struct Linear {
    pub(super) coefficients: Array2<f64>,
    pub(super) intercepts: Vec<f64>,
    /// Discriminant axes as columns; none if the solver finds none.
    pub(super) axes: Array2<f64>,
    /// Share of the variance between classes along each axis.
    pub(super) ratios: Vec<f64>,
    pub(super) center: Vec<f64>,
}

/// Refuses what cannot be added to counts.
pub(super) fn check_smoothing(alpha: f64) -> Result<()> {
    check_number("alpha", "finite and at least 0", alpha, |alpha| alpha.is_finite() && alpha >= 0.0)
}

/// What a share of the largest variance adds to all.
pub(super) fn smoothing(share: f64, largest: f64) -> Result<f64> {
    check_number("var_smoothing", "finite and at least 0", share, |share| share >= 0.0)?;
    let epsilon = share * largest;
    check_number("what var_smoothing adds to variances", "below 1e300", epsilon, |epsilon| {
        epsilon < LARGEST_EPSILON
    })?;
    Ok(epsilon)
}

/// Refuses a single class, of which nothing is to be told apart.
pub(super) fn check_classes(classes: usize) -> Result<()> {
    check_number("the number of classes", "at least 2", classes as f64, |classes| classes >= 2.0)
}

/// ln(counts / total) of each row, −∞ where nothing was counted at all.
pub(super) fn log_shares(counts: &Array2<f64>, totals: &Array2<f64>) -> Result<Array2<f64>> {
    totals.iter().try_for_each(|&total| {
        check_number("the sum of counts and what is added to them", "finite", total, f64::is_finite)
    })?;
    let totals = totals.broadcast(counts.raw_dim()).expect("a total for each row");
    let mut logs = counts.clone();
    logs.zip_mut_with(&totals, |count, &total| {
        *count = if total > 0.0 { count.ln() - total.ln() } else { f64::NEG_INFINITY };
    });
    Ok(logs)
}

/// Logarithms of the priors of a discrete model.
pub(super) fn log_prior(settings: &Settings, weights: &[f64]) -> Result<Vec<f64>> {
    let weights = ndarray::ArrayView1::from(weights);
    Ok(settings.priors.of(weights)?.into_iter().map(f64::ln).collect())
}
