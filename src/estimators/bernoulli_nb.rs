//! Naive Bayes on columns in which something is present or absent.

use ndarray::{Array1, Axis};

use super::estimator::sealed::Learn;
use super::estimator::{
    Estimator, Kind, Scorer, Solution, Statistics, Training, check_smoothing, log_prior, log_shares,
};
use super::params::Params;
use super::settings::Settings;
use super::table::Table;
use crate::discrete::{AffineModel, PresenceCounts, weigh_presence, weigh_sparse_presence};
use crate::error::Result;

/// Naive Bayes on columns in which something is present or absent. With N of the n rows of a class present, the probability
/// of presence is estimated as (N + α) / (n + 2 α).
///
/// ```
/// use gauda::BernoulliNb;
/// use ndarray::array;
///
/// let words = array![[true, false, true], [true, true, true], [false, false, true], [false, true, false]];
/// let model = BernoulliNb::params().fit(&words, &["spam", "spam", "ham", "ham"])?;
/// assert_eq!(model.predict(&array![[true, false, false]])?, ["spam"]);
/// # Ok::<(), gauda::Error>(())
/// ```
///
/// Rows may be [`Sparse`](crate::Sparse), in the fit and afterwards:
///
/// ```
/// use gauda::{BernoulliNb, Sparse};
///
/// let words = Sparse::csr(&[1_u8; 5], &[0, 2, 0, 1, 1], &[0, 2, 4, 5], 3)?; // three texts
/// let model = BernoulliNb::params().fit(words, &["spam", "spam", "ham"])?;
/// assert_eq!(model.predict(words)?, ["spam", "spam", "ham"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BernoulliNb {
    pub(super) alpha: f64,
    pub(super) binarize: Option<f64>,
}

impl Default for BernoulliNb {
    fn default() -> Self {
        Self { alpha: 1.0, binarize: Some(0.0) }
    }
}

impl BernoulliNb {
    /// Laplace's rule, α = 1; what is above 0 is present.
    ///
    /// ```
    /// let params = gauda::BernoulliNb::params().alpha(0.5);
    /// # assert_ne!(params, gauda::BernoulliNb::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<BernoulliNb> {
    /// What is added to counts of presence and of absence; by default 1.
    ///
    /// ```
    /// let params = gauda::BernoulliNb::params().alpha(0.1);
    /// # assert_ne!(params, gauda::BernoulliNb::params());
    /// ```
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.estimator.alpha = alpha;
        self
    }

    /// What lies above is present; by default 0. Without a threshold, entries must be 0, 1 or shares between.
    ///
    /// ```
    /// let params = gauda::BernoulliNb::params().binarize(Some(127.0));
    /// # assert_ne!(params, gauda::BernoulliNb::params());
    /// ```
    pub fn binarize(mut self, threshold: impl Into<Option<f64>>) -> Self {
        self.estimator.binarize = threshold.into();
        self
    }
}

impl Estimator for BernoulliNb {}

impl Learn for BernoulliNb {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        let labeled = training.labeled();
        let counts = match training.table {
            Table::Dense(rows) => weigh_presence(rows, self.binarize, labeled, training.parallel()),
            Table::Sparse(rows) => weigh_sparse_presence(rows, self.binarize, labeled, training.parallel()),
        };
        counts.map(Statistics::Presence)
    }

    fn kind(&self) -> Kind {
        Kind::BernoulliNb(self.clone())
    }
}

impl BernoulliNb {
    pub(super) fn solve(&self, settings: &Settings, counts: &PresenceCounts) -> Result<Solution> {
        check_smoothing(self.alpha)?;
        let totals = Array1::from(counts.classes.clone()).insert_axis(Axis(1));
        let smoothed = totals + 2.0 * self.alpha;
        let log_present = log_shares(&(&counts.present + self.alpha), &smoothed)?;
        let log_absent = log_shares(&(counts.absent() + self.alpha), &smoothed)?;
        let log_prior = log_prior(settings, &counts.classes)?;
        let model =
            AffineModel::of_presence(log_prior, log_present.view(), log_absent.view(), self.binarize)?;
        Ok(Solution { scorer: Scorer::Presence(Box::new(model)), linear: None })
    }
}
