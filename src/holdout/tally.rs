//! Sums over held-out rows of how wrong a model is, each row counted with its weight.

use crate::score::Outcome;

/// Smallest posterior that counts, so that one row cannot cost everything (scikit-learn's bound).
const LEAST: f64 = f64::EPSILON;

/// What no loss of a row exceeds, nor the square of one: (ln 2⁵²)² is about 1300.
pub(super) const LARGEST_LOSS: f64 = 2048.0;

/// How a model does on some rows.
///
/// There is an example at [`tally_left_out`](crate::core::tally_left_out).
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
    /// Counts a row.
    pub(super) fn record(&mut self, weight: f64, outcome: Outcome) {
        let loss = -outcome.log_posterior.max(LEAST.ln());
        self.log_loss += weight * loss;
        self.squared_log_loss += weight * loss * loss;
        self.hits += if outcome.is_hit { weight } else { 0.0 };
        let brier = outcome.squares - 2.0 * outcome.posterior + 1.0;
        self.brier += weight * brier;
        self.squared_brier += weight * brier * brier;
    }

    /// Counts a row by its log-posteriors.
    pub(super) fn record_row(&mut self, weight: f64, log_posteriors: &[f64], class: usize) {
        let largest = log_posteriors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let first = log_posteriors.iter().position(|&value| value == largest);
        let squares = log_posteriors.iter().map(|value| (2.0 * value).exp()).sum();
        let log_posterior = log_posteriors[class];
        let (posterior, is_hit) = (log_posterior.exp(), first == Some(class));
        self.record(weight, Outcome { posterior, log_posterior, is_hit, squares });
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
