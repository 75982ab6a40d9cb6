//! Columns of levels and of numbers on their way to scores.

use std::ops::Range;

use super::columns::{ColumnModel, Kind};
use super::levels::{NONE, no_level};
use super::refusal::for_each_column;
use super::{LOOKUP_WORK, tile_rows};
use crate::error::{Error, InputError, Result, ScoresError};
use crate::kernel::{Double, Lanes, Quad, add_levels, add_normal, transpose_to_lanes};
use crate::rows::Rows;
use crate::score::{Form, Missing, ModelPrior, Need, Raw, Refuse, Ruling, Scorer, Worker};

/// The model bound to rows.
pub(super) struct ColumnScores<'a, 'r> {
    pub(super) model: &'a ColumnModel,
    pub(super) columns: &'a [Rows<'r>],
    pub(super) rows: usize,
    pub(super) missing: Missing,
}

impl<'r> Scorer<f64> for ColumnScores<'_, 'r> {
    type Worker<'a>
        = ColumnWorker<'a, 'r>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = false;

    fn n_rows(&self) -> usize {
        self.rows
    }

    fn prior(&self) -> ModelPrior<'_, f64> {
        ModelPrior { logs: &self.model.log_prior, log_total: 0.0 }
    }

    fn row_work(&self) -> usize {
        LOOKUP_WORK * self.columns.len() * self.model.log_prior.len().div_ceil(4)
    }

    fn tile_rows(&self) -> usize {
        tile_rows(self.model.log_prior.len())
    }

    fn worker(&self) -> ColumnWorker<'_, 'r> {
        ColumnWorker {
            model: self.model,
            columns: self.columns,
            missing: self.missing,
            scratch: Scratch::default(),
            left_out: vec![],
        }
    }

    fn mark_no_data(&self, rows: Range<usize>, no_data: &[f64], marks: &mut [bool]) {
        for (column, value) in self.columns.iter().zip(no_data.chunks(1)) {
            column.mark(rows.clone(), value, marks);
        }
    }
}

/// What measures the rows of one task.
pub(super) struct ColumnWorker<'a, 'r> {
    model: &'a ColumnModel,
    columns: &'a [Rows<'r>],
    missing: Missing,
    scratch: Scratch,
    left_out: Vec<usize>,
}

/// Memory for a tile: one column, and scores row by row.
#[derive(Default)]
struct Scratch {
    levels: Vec<u32>,
    numbers: Vec<f64>,
    scores: Vec<Quad>,
}

impl Worker<f64> for ColumnWorker<'_, '_> {
    fn fill(&mut self, rows: Range<usize>, _: Need, _: &Ruling<'_, f64>, raw: &mut Raw<f64>) -> Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut left_out = std::mem::take(&mut self.left_out);
        left_out.clear();
        let added = self.add_up(rows.clone(), &mut scratch, &mut left_out, true);
        let (classes, width) = (self.model.log_prior.len(), self.width());
        for row in &left_out {
            scratch.scores[(row - rows.start) * width..][..width].fill([0.0; 4]);
        }
        raw.linear.resize(rows.len().div_ceil(Double::COUNT) * classes, [0.0; 8]);
        transpose_to_lanes(&scratch.scores, classes, &mut raw.linear);
        (self.scratch, self.left_out) = (scratch, left_out);
        added
    }

    fn form<'b>(&'b self, _: &'b Ruling<'_, f64>) -> Form<'b, f64> {
        Form::of_log_likelihoods(&self.model.log_prior)
    }

    fn left_out(&self) -> &[usize] {
        &self.left_out
    }
}

impl Refuse for ColumnWorker<'_, '_> {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(()) // they were checked when they were read
    }

    /// A row that is possible by its levels has numbers so far out that their squares overflow.
    fn refuse(&self, row: usize, log_prior: &dyn Fn(usize) -> f64) -> Error {
        let mut scratch = Scratch::default();
        if self.add_up(row..row + 1, &mut scratch, &mut vec![], false).is_err() {
            return Error::Scores(ScoresError::Impossible { row });
        }
        let scores = scratch.scores.as_flattened()[..self.model.log_prior.len()].iter().enumerate();
        match scores.into_iter().any(|(class, score)| score + log_prior(class) > f64::NEG_INFINITY) {
            true => Error::Scores(ScoresError::TooFar { row }),
            false => Error::Scores(ScoresError::Impossible { row }),
        }
    }
}

impl ColumnWorker<'_, '_> {
    /// Writes log p(x | k) row by row, of all columns or of those with levels only.
    fn add_up(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        left_out: &mut Vec<usize>,
        numbers_too: bool,
    ) -> Result<()> {
        let Scratch { levels, numbers, scores } = scratch;
        let (width, n) = (self.width(), rows.len());
        levels.resize(n, 0);
        numbers.resize(n, 0.0);
        scores.clear();
        scores.resize(n * width, [0.0; 4]);
        for_each_column(self.model.features.len(), |column| {
            match &self.model.features[column].0 {
                Kind::Levels { levels: known, table, .. } => {
                    self.columns[column].read_levels(rows.clone(), levels);
                    if levels.iter().fold(0, |highest, &level| highest.max(level)) as usize >= *known {
                        self.ignore(column, *known, rows.start, levels, left_out)?;
                    }
                    add_levels(levels, table, width, scores);
                }
                Kind::Normal { .. } if !numbers_too => {}
                Kind::Normal { parameters: [means, halves, tops], .. } => {
                    self.columns[column].read_numbers(rows.clone(), numbers);
                    self.check_numbers(column, rows.start, numbers, left_out)?;
                    add_normal(numbers, [means, halves, tops], scores);
                }
            }
            Ok(())
        })
    }

    fn width(&self) -> usize {
        self.model.log_prior.len().div_ceil(4)
    }

    /// Turns levels that say nothing into the one after the last; refuses them if they must be known.
    fn ignore(
        &self,
        column: usize,
        known: usize,
        first_row: usize,
        levels: &mut [u32],
        left_out: &mut Vec<usize>,
    ) -> Result<()> {
        for (row, level) in (first_row..).zip(levels).filter(|(_, level)| **level as usize >= known) {
            if *level == NONE {
                no_level(&self.columns[column], self.missing != Missing::Raise, row, column)?;
                left_out.extend((self.missing == Missing::Propagate).then_some(row));
            } else if !self.model.ignores_unknown {
                return Err(Error::Input(InputError::UnknownLevel {
                    row,
                    column,
                    level: *level,
                    levels: known,
                }));
            }
            *level = known as u32;
        }
        Ok(())
    }

    /// Numbers must not be infinite, and be there unless they may be missing.
    fn check_numbers(
        &self,
        column: usize,
        first_row: usize,
        numbers: &[f64],
        left_out: &mut Vec<usize>,
    ) -> Result<()> {
        let fine = |x: &f64| x.is_finite() || (self.missing != Missing::Raise && x.is_nan());
        if let Some(place) = numbers.iter().position(|x| !fine(x)) {
            return Err(Error::Input(InputError::NonFinite {
                row: first_row + place,
                column,
                value: numbers[place],
            }));
        }
        if self.missing == Missing::Propagate {
            left_out.extend((first_row..).zip(numbers).filter(|(_, x)| x.is_nan()).map(|(row, _)| row));
        }
        Ok(())
    }
}
