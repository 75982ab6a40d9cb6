//! Rows that leave too few digits when they are taken out: the model without one is made anew.

use ndarray::Array2;

use super::loo::Pass;
use crate::error::{Error, Owner, RankError, Result, ScoresError};
use crate::moments::Moments;
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::{Answers, Rules, score};

/// How many times what stays a row's squares may be, to be subtracted.
const MAX_REMOVED: f64 = 1e4;

impl Pass<'_, '_> {
    /// Scores of a row under the model of the rows that it leaves, made anew.
    pub(super) fn refit(&self, place: usize, row: usize) -> Result<Vec<f64>> {
        self.rows.check_finite(row..row + 1)?;
        let (gamma, left, x) = (self.gammas[place], self.without(row)?, self.entries(row));
        if self.family.columns.is_some() && !self.family.is_common_at(gamma) {
            let what = Owner::Class(self.labels[row] as usize);
            let found = self.family.log_joint_beyond(&left, gamma, x.row(0))?;
            return found.ok_or(Error::Rank(RankError::LeftOut { row, what }));
        }
        let model = self.family.model(&left, gamma).map_err(|error| match error {
            Error::Rank(RankError::Singular { what, .. }) => Error::Rank(RankError::LeftOut { row, what }),
            Error::Rank(RankError::ZeroVariance { class, .. }) => {
                Error::Rank(RankError::LeftOut { row, what: Owner::Class(class) })
            }
            other => other,
        })?;
        let mut log_posteriors = vec![0.0; self.moments.n_classes()];
        let answers = Answers { log_posterior: Some(&mut log_posteriors), ..Answers::default() };
        let alone = Parallel::default().alone();
        score(&model, &Rows::from(x.view()), &Rules::default(), answers, alone).map_err(
            |error| match error {
                Error::Scores(ScoresError::TooFar { .. }) => Error::Scores(ScoresError::TooFar { row }),
                other => other,
            },
        )?;
        Ok(log_posteriors)
    }

    fn entries(&self, row: usize) -> Array2<f64> {
        let d = self.moments.n_features();
        let mut x = Array2::zeros((1, d));
        self.rows.read(row, &(0..d).collect::<Vec<_>>(), x.as_slice_mut().unwrap_or_default());
        x
    }

    /// The moments without a row: what it takes must leave digits enough, or the others are summed up anew.
    fn without(&self, row: usize) -> Result<Moments> {
        let (classes, structure, alone) =
            (self.moments.n_classes(), self.moments.structure(), Parallel::default().alone());
        let x = self.entries(row);
        let one = Moments::from_rows(
            &Rows::from(x.view()),
            &self.labels[row..=row],
            classes,
            None,
            structure,
            alone,
        )?;
        let left = self.moments.subtract_at_most(&one, MAX_REMOVED);
        let mut counts = vec![0; classes];
        self.labels.iter().for_each(|&label| counts[label as usize] += 1);
        if left.is_ok() || self.moments.rows() != counts {
            return left;
        }
        let mut weights = vec![1.0; self.labels.len()];
        weights[row] = 0.0;
        Moments::from_rows(self.rows, self.labels, classes, Some(&weights), structure, alone)
    }
}
