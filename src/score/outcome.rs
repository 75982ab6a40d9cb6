//! How well the posteriors of rows agree with the classes that they are known to have.

use super::respond::Response;
use super::scorer::{Form, Refuse};
use super::scores::Wanted;
use crate::error::Result;
use crate::kernel::{Double, Lanes};

/// Of one row of a known class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    /// The posterior of its class, and the logarithm of it.
    pub(crate) posterior: f64,
    pub(crate) log_posterior: f64,
    /// Whether no other class has a larger one, or the same and a smaller code.
    pub(crate) is_hit: bool,
    /// The sum of the squares of all posteriors.
    pub(crate) squares: f64,
}

impl Response<'_, '_, f64> {
    /// Gives the outcome of each row that was measured, whose labels stand at the rows' indices.
    pub(crate) fn give_outcomes(
        &mut self,
        form: Form<'_, f64>,
        rows: &dyn Refuse,
        labels: &[u32],
        mut give: impl FnMut(usize, Outcome),
    ) -> Result<()> {
        self.rate(form, rows, true)?;
        self.check_scores(rows, false)?;
        self.posteriors.normalize(&mut self.scores, Wanted { shares: true, log_sums: true, scores: true });
        let (classes, lanes) = (self.classes, Double::COUNT);
        for (group, shares) in self.posteriors.shares.chunks_exact(classes).enumerate() {
            let scores = &self.scores.values[group * classes..][..classes];
            let evidence = &self.scores.evidence[group];
            let squares = shares.iter().fold([0.0; Double::COUNT], |sums: Double, shares| {
                std::array::from_fn(|lane| sums[lane] + shares[lane] * shares[lane])
            });
            for (lane, place) in (group * lanes..self.writer.len()).take(lanes).enumerate() {
                let row = self.writer.row(place);
                let class = labels[row] as usize;
                let below = scores[class][lane] - evidence.largest[lane];
                let outcome = Outcome {
                    posterior: shares[class][lane],
                    log_posterior: below - self.posteriors.log_sum_of(place),
                    is_hit: evidence.class[lane] == f64::from(labels[row]),
                    squares: squares[lane],
                };
                give(row, outcome);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Need, Ruling};
    use super::*;
    use crate::error::{Error, ScoresError};

    /// The outcomes of rows with these scores.
    fn outcomes(scores: &[[f64; 2]], labels: &[u32]) -> Result<Vec<Outcome>> {
        let log_prior = [0.0; 2];
        let ruling = Ruling::of_log_prior(&log_prior);
        let mut response = Response::new(&ruling, Need::POSTERIORS);
        response.hold(0..scores.len(), 0);
        response.raw.resize_linear(scores.len(), 2);
        scores.iter().enumerate().for_each(|(row, scores)| response.raw.set_linear(row, scores));
        let too_far = |row: usize| Error::Scores(ScoresError::TooFar { row });
        let mut found = vec![];
        response.give_outcomes(Form::of_log_likelihoods(&[]), &too_far, labels, |row, outcome| {
            assert_eq!(row, found.len());
            found.push(outcome);
        })?;
        Ok(found)
    }

    #[test]
    fn tiny_doubts_survive_in_logarithms() {
        let found = outcomes(&[[1e6, 1e6 - 70.0]; 11], &[[0; 10].as_slice(), &[1]].concat()).unwrap();
        assert_eq!(found.len(), 11);
        assert!((found[9].log_posterior / -(-70.0_f64).exp() - 1.0).abs() < 1e-13);
        assert_eq!(found[10].log_posterior, -70.0);
    }

    #[test]
    fn posteriors_are_shares_of_the_exponentials() {
        let found = outcomes(&[[2.0_f64.ln(), 6.0_f64.ln()], [5.0, 5.0], [5.0, 5.0]], &[0, 0, 1]).unwrap();
        let near = |value: f64, expected: f64| (value - expected).abs() < 1e-15;
        assert!(near(found[0].posterior, 0.25) && near(found[0].squares, 0.625), "{:?}", found[0]);
        // of equal posteriors the first class has the label
        assert_eq!(found.iter().map(|outcome| outcome.is_hit).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_row_without_a_finite_score_is_refused() {
        for lost in [[f64::NEG_INFINITY; 2], [f64::INFINITY, 0.0]] {
            let mut scores = [[0.0; 2]; 11];
            scores[9] = lost;
            assert_eq!(outcomes(&scores, &[0; 11]).unwrap_err(), ScoresError::TooFar { row: 9 }.into());
        }
    }
}
