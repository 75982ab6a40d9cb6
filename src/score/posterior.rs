//! Bayes' rule for one row, in logarithms.

use crate::float::Real;

/// The largest score and what the others add to it: Σ_k exp s_k = exp(largest) (1 + others).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<T> {
    largest: T,
    others: T,
}

/// Index of the largest score, the first of equal ones; none unless it is finite.
fn first_largest<T: Real>(scores: &[T]) -> Option<usize> {
    let mut best = 0;
    for (k, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = k;
        }
    }
    scores.get(best)?.is_finite().then_some(best)
}

impl<T: Real> Evidence<T> {
    /// None unless some score is finite.
    pub(crate) fn new(scores: &[T]) -> Option<Self> {
        let best = first_largest(scores)?;
        let largest = scores[best];
        let rest = scores[..best].iter().chain(&scores[best + 1..]);
        Some(Self { largest, others: rest.fold(T::zero(), |sum, &score| sum + (score - largest).exp()) })
    }

    pub(crate) fn log_posterior(&self, score: T) -> T {
        (score - self.largest) - self.others.ln_one_plus()
    }

    pub(crate) fn posterior(&self, score: T) -> T {
        (score - self.largest).exp() / (T::one() + self.others)
    }

    pub(crate) fn log_sum(&self) -> T {
        self.largest + self.others.ln_one_plus()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_doubts_survive() {
        // 1 − 1e-30 rounds to 1, but its logarithm is not 0
        let evidence = Evidence::new(&[0.0, 1e-30_f64.ln()]).unwrap();
        assert!((evidence.log_posterior(0.0) / -1e-30 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn scores_far_below_zero_do_not_underflow() {
        let evidence = Evidence::new(&[-1e6_f64, -1e6]).unwrap();
        assert_eq!(evidence.posterior(-1e6), 0.5);
        assert_eq!(first_largest(&[-1e6_f64, -1e6]), Some(0));
        assert!((evidence.log_sum() - (2.0_f64.ln() - 1e6)).abs() < 1e-9);
    }

    #[test]
    fn impossible_classes_are_no_evidence() {
        assert!(Evidence::new(&[f64::NEG_INFINITY; 2]).is_none());
        let evidence = Evidence::new(&[f64::NEG_INFINITY, -3.0]).unwrap();
        assert_eq!(evidence.posterior(f64::NEG_INFINITY), 0.0);
    }
}
