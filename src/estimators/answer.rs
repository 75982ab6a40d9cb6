//! What a model answers.

use ndarray::{Array1, Array2};

/// Which answers are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) label: bool,
    pub(super) posterior: bool,
    pub(super) log_posterior: bool,
    pub(super) joint: bool,
    pub(super) log_density: bool,
    pub(super) mahalanobis: bool,
    pub(super) typicality: bool,
    pub(super) min_mahalanobis: bool,
    pub(super) label_typicality: bool,
    pub(super) expected_cost: bool,
    pub(super) decision: bool,
    pub(super) best: usize,
}

/// What was asked for; the rest is empty.
///
/// ```
/// use gauda::Lda;
/// use ndarray::array;
///
/// let x = array![[-2.0], [-1.0], [1.0], [2.0]];
/// let answer = Lda::params().fit(&x, &[0, 0, 1, 1])?.ask(&x).log_density().run()?;
/// assert_eq!(answer.log_density.len(), 4);
/// assert!(answer.label.is_empty());
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Answer<L> {
    /// The label of each row, or none where it is rejected.
    pub label: Vec<Option<L>>,
    /// p(k | x), n × K.
    pub posterior: Array2<f64>,
    /// log p(k | x), n × K.
    pub log_posterior: Array2<f64>,
    /// log p(x, k), n × K.
    pub joint: Array2<f64>,
    /// log p(x), n.
    pub log_density: Array1<f64>,
    /// (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k), n × K.
    pub mahalanobis: Array2<f64>,
    /// The probability that a row of the class lies farther from its mean, n × K.
    pub typicality: Array2<f64>,
    /// The smallest of the distances to the classes, n.
    pub min_mahalanobis: Array1<f64>,
    /// The typicality of the label, n; NaN where the row is rejected.
    pub label_typicality: Array1<f64>,
    /// What each decision is expected to cost, n × the columns of the cost matrix.
    pub expected_cost: Array2<f64>,
    /// log p(k | x) up to a term common to the classes, n × K; for two classes the second less the first, n × 1.
    pub decision: Array2<f64>,
    /// The classes of the largest posteriors and these, largest first, for each row as many as were wanted.
    pub best: Vec<Vec<(L, f64)>>,
}
