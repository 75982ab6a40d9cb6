//! Sums over held-out rows of how wrong a model is, each row counted with its weight.

/// Smallest posterior that counts, so that one row cannot cost everything (scikit-learn's bound).
const LEAST: f64 = f64::EPSILON;

/// How a model does on some rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Tally {
    /// Σ −log p(k | x) of the true classes k, with posteriors of 2⁻⁵² at least.
    pub log_loss: f64,
    /// The sum of the squares of the same.
    pub squared_log_loss: f64,
    /// Rows whose class has the largest posterior.
    pub hits: f64,
    /// Σ Σ_k (p(k | x) − 1{k is true})².
    pub brier: f64,
    /// The sum of the squares of the same.
    pub squared_brier: f64,
}

impl Tally {
    /// Counts a row by the posterior of its class, whether that is the largest, and the sum of all squared.
    pub(super) fn record(&mut self, weight: f64, log_posterior: f64, hit: bool, squares: f64) {
        let loss = -log_posterior.max(LEAST.ln());
        self.log_loss += weight * loss;
        self.squared_log_loss += weight * loss * loss;
        self.hits += if hit { weight } else { 0.0 };
        let brier = squares - 2.0 * log_posterior.exp() + 1.0;
        self.brier += weight * brier;
        self.squared_brier += weight * brier * brier;
    }

    /// Counts a row by its log-posteriors.
    pub(super) fn record_row(&mut self, weight: f64, log_posteriors: &[f64], class: usize) {
        let largest = log_posteriors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let first = log_posteriors.iter().position(|&value| value == largest);
        let squares = log_posteriors.iter().map(|value| (2.0 * value).exp()).sum();
        self.record(weight, log_posteriors[class], first == Some(class), squares);
    }

    /// Of both together.
    pub(super) fn add(&mut self, other: &Self) {
        self.log_loss += other.log_loss;
        self.squared_log_loss += other.squared_log_loss;
        self.hits += other.hits;
        self.brier += other.brier;
        self.squared_brier += other.squared_brier;
    }
}

/// Adds up the tallies of each model.
pub(super) fn add_tallies(sums: &mut [Tally], others: &[Tally]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| sum.add(other));
}
