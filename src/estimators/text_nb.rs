//! Naive Bayes on counts of terms.

use ndarray::{Array1, Array2, Axis};

use super::estimator::sealed::Learn;
use super::estimator::{
    Estimator, Kind, Scorer, Solution, Statistics, TermCounts, Training, check_smoothing, log_prior,
    log_shares,
};
use super::params::Params;
use super::settings::Settings;
use super::table::Table;
use crate::discrete::{AffineModel, count_amounts, count_sparse_amounts};
use crate::error::{Result, check_number};

/// Naive Bayes on counts of terms: a row of a class is as many draws as it has terms. Where a term makes up N of all M
/// counts of a class, its probability is estimated as (N + α) / (M + d α), with d the number of columns.
///
/// ```
/// use gauda::MultinomialNb;
/// use ndarray::array;
///
/// let texts = array![[3, 0, 1], [2, 1, 1], [0, 2, 1], [0, 3, 0]];
/// let model = MultinomialNb::params().fit(&texts, &["spam", "spam", "ham", "ham"])?;
/// assert_eq!(model.predict(&array![[1, 0, 4]])?, ["spam"]);
/// # Ok::<(), gauda::Error>(())
/// ```
///
/// Rows may be [`Sparse`](crate::Sparse), in the fit and afterwards:
///
/// ```
/// use gauda::{MultinomialNb, Sparse};
///
/// let texts = Sparse::csr(&[3_u8, 1, 2, 2], &[0, 2, 0, 1], &[0, 2, 3, 4], 3)?;
/// let model = MultinomialNb::params().fit(texts, &["spam", "spam", "ham"])?;
/// assert_eq!(model.predict(texts)?, ["spam", "spam", "ham"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MultinomialNb {
    pub(super) alpha: f64,
}

impl Default for MultinomialNb {
    fn default() -> Self {
        Self { alpha: 1.0 }
    }
}

impl MultinomialNb {
    /// Laplace's rule, α = 1.
    ///
    /// ```
    /// let params = gauda::MultinomialNb::params().alpha(0.5);
    /// # assert_ne!(params, gauda::MultinomialNb::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<MultinomialNb> {
    /// What is added to the count of each term; by default 1.
    ///
    /// ```
    /// let params = gauda::MultinomialNb::params().alpha(0.1);
    /// # assert_ne!(params, gauda::MultinomialNb::params());
    /// ```
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.estimator.alpha = alpha;
        self
    }
}

/// Complement naive Bayes on counts of terms: a class is scored by how unlike its complement, the texts of all other classes,
/// a row is (Rennie, Shih, Teevan, Karger, ICML 2003). Scores do not depend on priors, and are no densities.
///
/// ```
/// use gauda::ComplementNb;
/// use ndarray::array;
///
/// let texts = array![[3, 0, 1], [2, 1, 1], [0, 2, 1], [0, 3, 0]];
/// let model = ComplementNb::params().fit(&texts, &["spam", "spam", "ham", "ham"])?;
/// assert_eq!(model.predict(&array![[1, 0, 4]])?, ["spam"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ComplementNb {
    pub(super) alpha: f64,
    pub(super) norm: bool,
}

impl Default for ComplementNb {
    fn default() -> Self {
        Self { alpha: 1.0, norm: false }
    }
}

impl ComplementNb {
    /// Laplace's rule, α = 1; weights as they are.
    ///
    /// ```
    /// let params = gauda::ComplementNb::params().norm(true);
    /// # assert_ne!(params, gauda::ComplementNb::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<ComplementNb> {
    /// What is added to the count of each term; by default 1.
    ///
    /// ```
    /// let params = gauda::ComplementNb::params().alpha(0.1);
    /// # assert_ne!(params, gauda::ComplementNb::params());
    /// ```
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.estimator.alpha = alpha;
        self
    }

    /// Whether the weights of a class are divided by their sum, so that long texts of one class count no more than others; by
    /// default not.
    ///
    /// ```
    /// let params = gauda::ComplementNb::params().norm(true);
    /// # assert_ne!(params, gauda::ComplementNb::params());
    /// ```
    pub fn norm(mut self, norm: bool) -> Self {
        self.estimator.norm = norm;
        self
    }
}

impl Estimator for MultinomialNb {}
impl Estimator for ComplementNb {}

impl Learn for MultinomialNb {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        count_terms(training)
    }

    fn kind(&self) -> Kind {
        Kind::MultinomialNb(self.clone())
    }
}

impl Learn for ComplementNb {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        count_terms(training)
    }

    fn kind(&self) -> Kind {
        Kind::ComplementNb(self.clone())
    }
}

fn count_terms(training: &Training<'_>) -> Result<Statistics> {
    let (labeled, parallel) = (training.labeled(), training.parallel());
    let (classes, terms) = match training.table {
        Table::Dense(rows) => count_amounts(rows, labeled, parallel)?,
        Table::Sparse(rows) => count_sparse_amounts(rows, labeled, parallel)?,
    };
    Ok(Statistics::Terms(TermCounts { classes, terms }))
}

impl MultinomialNb {
    pub(super) fn solve(&self, settings: &Settings, counts: &TermCounts) -> Result<Solution> {
        check_smoothing(self.alpha)?;
        let smoothed = &counts.terms + self.alpha;
        let weights = log_shares(&smoothed, &totals(&smoothed))?;
        let model = AffineModel::of_amounts(log_prior(settings, &counts.classes)?, weights.view())?;
        Ok(Solution { scorer: Scorer::Presence(Box::new(model)), linear: None })
    }
}

impl ComplementNb {
    pub(super) fn solve(&self, settings: &Settings, counts: &TermCounts) -> Result<Solution> {
        check_smoothing(self.alpha)?;
        settings.priors.of(Array1::from(counts.classes.clone()).view())?;
        let weights = self.weights(&counts.terms)?;
        let model = AffineModel::of_amounts(vec![0.0; counts.classes.len()], weights.view())?;
        Ok(Solution { scorer: Scorer::Weights(Box::new(model)), linear: None })
    }

    fn weights(&self, terms: &Array2<f64>) -> Result<Array2<f64>> {
        let others = sums_of_others(terms) + self.alpha;
        others.iter().try_for_each(|&count| {
            check_number("what is counted of a term outside a class, and alpha", "above 0", count, |count| {
                count > 0.0
            })
        })?;
        let logs = log_shares(&others, &totals(&others))?;
        if !self.norm {
            return Ok(-logs);
        }
        let sums = totals(&logs);
        sums.iter().try_for_each(|&sum| {
            check_number("the sum of the weights of a class, by which norm divides", "not 0", sum, |sum| {
                sum != 0.0
            })
        })?;
        Ok(logs / sums)
    }
}

/// The sum of all rows but each, as those before and those after it: a difference would lose what is small beside a row.
fn sums_of_others(counts: &Array2<f64>) -> Array2<f64> {
    let (mut others, mut sum) = (Array2::zeros(counts.raw_dim()), Array1::zeros(counts.ncols()));
    for row in 0..counts.nrows() {
        others.row_mut(row).assign(&sum);
        sum += &counts.row(row);
    }
    sum.fill(0.0);
    for row in (0..counts.nrows()).rev() {
        others.row_mut(row).zip_mut_with(&sum, |other, &after| *other += after);
        sum += &counts.row(row);
    }
    others
}

/// The sum of each row.
fn totals(counts: &Array2<f64>) -> Array2<f64> {
    counts.sum_axis(Axis(1)).insert_axis(Axis(1))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::sums_of_others;

    #[test]
    fn what_others_hold_is_not_lost_beside_a_large_row() {
        let counts = array![[1e20, 0.0, 3.0], [0.1, 2.0, 0.0], [0.25, 1e-30, 5.0]];
        let others = array![[0.35, 2.0, 5.0], [1e20, 1e-30, 8.0], [1e20, 2.0, 3.0]];
        assert_eq!(sums_of_others(&counts), others);
        assert_eq!(sums_of_others(&array![[4.0, 1.0]]), array![[0.0, 0.0]]);
    }
}
