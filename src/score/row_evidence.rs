//! Bayes' rule for one row at a time, where rows do not come in tiles.

/// Of one row: the largest score, its class (the first of equal ones), and what the others add to it:
/// Σ_k exp s_k = exp(largest) (1 + others).
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowEvidence {
    largest: f64,
    class: usize,
    others: f64,
}

impl RowEvidence {
    /// None if a score is NaN, or the largest is not finite.
    pub(crate) fn of(scores: &[f64]) -> Option<Self> {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !largest.is_finite() || scores.iter().any(|score| score.is_nan()) {
            return None;
        }
        let class = scores.iter().position(|&score| score == largest)?;
        let others = scores.iter().enumerate().filter(|(other, _)| *other != class);
        Some(Self { largest, class, others: others.map(|(_, score)| (score - largest).exp()).sum() })
    }

    /// Turns scores into log-posteriors.
    pub(crate) fn to_log_posteriors(self, scores: &mut [f64]) {
        let log_total = self.largest + self.others.ln_1p();
        scores.iter_mut().for_each(|score| *score -= log_total);
        // Near certainty this is ln(1 − others), whose digits a difference would lose.
        scores[self.class] = -self.others.ln_1p();
    }

    /// Turns scores into posteriors.
    pub(crate) fn to_posteriors(self, scores: &mut [f64]) {
        let total = 1.0 + self.others;
        scores.iter_mut().for_each(|score| *score = (*score - self.largest).exp() / total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_doubts_survive_in_logarithms() {
        let mut scores = [1e6, 1e6 - 70.0];
        RowEvidence::of(&scores).unwrap().to_log_posteriors(&mut scores);
        assert!((scores[0] / -(-70.0_f64).exp() - 1.0).abs() < 1e-13);
        assert_eq!(scores[1], -70.0);
    }

    #[test]
    fn posteriors_are_shares_of_the_exponentials() {
        let mut scores = [2.0_f64.ln(), f64::NEG_INFINITY, 5.0_f64.ln(), 1.0_f64.ln()];
        RowEvidence::of(&scores).unwrap().to_posteriors(&mut scores);
        let expected = [0.25, 0.0, 0.625, 0.125];
        assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{scores:?}");
    }

    #[test]
    fn rows_without_a_finite_score_have_none() {
        for scores in [[f64::NAN, 0.0], [f64::NEG_INFINITY; 2], [f64::INFINITY, 0.0]] {
            assert!(RowEvidence::of(&scores).is_none());
        }
    }
}
