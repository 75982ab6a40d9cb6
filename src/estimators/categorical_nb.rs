//! Naive Bayes on columns of categories 0, 1, 2, …

use ndarray::{Array2, Axis, s};

use super::estimator::sealed::Learn;
use super::estimator::{
    Estimator, Kind, Scorer, Solution, Statistics, Training, check_smoothing, log_prior, log_shares,
};
use super::params::Params;
use super::settings::Settings;
use crate::discrete::{ColumnModel, Feature, LevelCounts, count_levels};
use crate::error::Result;

/// Naive Bayes on columns of categories 0, 1, 2, … With N of the n rows of a class in one of c categories, its probability is
/// estimated as (N + α) / (n + c α).
///
/// ```
/// use gauda::CategoricalNb;
/// use ndarray::array;
///
/// let x = array![[0_u8, 2], [1, 2], [1, 0], [2, 0]];
/// let model = CategoricalNb::params().fit(&x, &["low", "low", "high", "high"])?;
/// assert_eq!(model.predict(&array![[2_u8, 0]])?, ["high"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CategoricalNb {
    pub(super) alpha: f64,
    pub(super) min_categories: usize,
    pub(super) ignores_unknown: bool,
}

impl Default for CategoricalNb {
    fn default() -> Self {
        Self { alpha: 1.0, min_categories: 1, ignores_unknown: false }
    }
}

impl CategoricalNb {
    /// Laplace's rule, α = 1; as many categories as occur.
    ///
    /// ```
    /// let params = gauda::CategoricalNb::params().alpha(0.5);
    /// # assert_ne!(params, gauda::CategoricalNb::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<CategoricalNb> {
    /// What is added to the count of each category; by default 1.
    ///
    /// ```
    /// let params = gauda::CategoricalNb::params().alpha(0.1);
    /// # assert_ne!(params, gauda::CategoricalNb::params());
    /// ```
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.estimator.alpha = alpha;
        self
    }

    /// The minimum number of categories of each column, whatever occurs.
    ///
    /// ```
    /// let params = gauda::CategoricalNb::params().min_categories(5);
    /// # assert_ne!(params, gauda::CategoricalNb::params());
    /// ```
    pub fn min_categories(mut self, categories: usize) -> Self {
        self.estimator.min_categories = categories;
        self
    }

    /// Whether a category beyond those of the fit says nothing when rows are scored, instead of being refused.
    ///
    /// ```
    /// use gauda::CategoricalNb;
    /// use ndarray::array;
    ///
    /// let params = CategoricalNb::params().ignore_unknown(true);
    /// let model = params.fit(&array![[0_u8], [1], [1]], &[false, true, true])?;
    /// assert_eq!(model.predict(&array![[9_u8]])?, [true]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn ignore_unknown(mut self, ignore: bool) -> Self {
        self.estimator.ignores_unknown = ignore;
        self
    }
}

impl Estimator for CategoricalNb {}

impl Learn for CategoricalNb {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        let columns = training.rows()?.columns();
        Ok(Statistics::Levels(count_levels(&columns, training.labeled(), false, training.parallel())?))
    }

    fn kind(&self) -> Kind {
        Kind::CategoricalNb(self.clone())
    }
}

impl CategoricalNb {
    pub(super) fn solve(&self, settings: &Settings, counts: &LevelCounts) -> Result<Solution> {
        check_smoothing(self.alpha)?;
        let feature = |counts: &Array2<f64>| {
            let (classes, seen) = counts.dim();
            let mut smoothed = Array2::from_elem((classes, seen.max(self.min_categories)), self.alpha);
            let mut seen = smoothed.slice_mut(s![.., ..seen]);
            seen += counts;
            let totals = smoothed.sum_axis(Axis(1)).insert_axis(Axis(1));
            Ok(Feature::levels(log_shares(&smoothed, &totals)?.view()))
        };
        let features = counts.columns.iter().map(feature).collect::<Result<_>>()?;
        let log_prior = log_prior(settings, &counts.classes)?;
        let model = ColumnModel::new(log_prior, features, false, self.ignores_unknown)?;
        Ok(Solution { scorer: Scorer::Columns(model), linear: None })
    }
}
