//! What the pass needs of a model that is bound to rows. The loop over tiles is generic over it; all that follows from
//! what was measured depends on the precision only.

use std::ops::Range;

use super::TILE_ROWS;
use super::answers::Answers;
use super::rules::Ruling;
use crate::chi_square::ChiSquareTail;
use crate::error::{Error, Result, ScoresError};
use crate::kernel::{Lane, Lanes};
use crate::rows::Rows;

/// A model bound to rows.
pub(crate) trait Scorer<T: Lane>: Sync {
    /// What measures the rows of one task.
    type Worker<'a>: Worker<T>
    where
        Self: 'a;

    /// Whether rows have distances to the classes; without them there are no typicalities, and no decisions.
    const HAS_DISTANCES: bool;

    fn n_rows(&self) -> usize;

    /// The priors of the model.
    fn prior(&self) -> ModelPrior<'_, T>;

    /// Multiply-adds that a row costs.
    fn row_work(&self) -> usize;

    /// Number of directions in which rows of a class vary, if they have distances and typicalities.
    fn degrees(&self) -> Option<usize> {
        None
    }

    /// Rows that are measured together; their memory should stay in cache.
    fn tile_rows(&self) -> usize {
        TILE_ROWS
    }

    fn worker(&self) -> Self::Worker<'_>;

    /// Marks those of some rows in which an entry is what stands for no data in its column.
    /// Sparse rows have none.
    fn mark_no_data(&self, _rows: Range<usize>, _no_data: &[f64], _marks: &mut [bool]) {}
}

/// The priors of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelPrior<'a, T> {
    /// Their logarithms.
    pub(crate) logs: &'a [T],
    /// log Σ_k π_k, which densities are divided by.
    pub(crate) log_total: T,
}

/// Measures the rows of one task, tile by tile. Rows stand in groups of as many as there are lanes.
pub(crate) trait Worker<T: Lane>: Refuse {
    /// Measures up to `tile_rows` rows.
    ///
    /// # Errors
    /// Entries that cannot be read.
    fn fill(
        &mut self,
        rows: Range<usize>,
        need: Need,
        ruling: &Ruling<'_, T>,
        raw: &mut Raw<T>,
    ) -> Result<()>;

    /// What the measures of the last rows stand for.
    fn form<'a>(&'a self, ruling: &'a Ruling<'_, T>) -> Form<'a, T>;

    /// Those of the last rows whose answers are left out; what was measured of them is finite.
    fn left_out(&self) -> &[usize] {
        &[]
    }
}

/// Why rows have no finite scores.
pub(crate) trait Refuse {
    /// Names the first entry of these rows that is not finite.
    fn check_entries(&self, rows: &mut dyn Iterator<Item = usize>) -> Result<()>;

    /// Why no class has a finite score for a row, under these log-priors.
    fn refuse(&self, row: usize, log_prior: &dyn Fn(usize) -> f64) -> Error;
}

/// Rows without gaps, whose scores overflow only if they are absurdly far away.
impl Refuse for Rows<'_> {
    fn check_entries(&self, rows: &mut dyn Iterator<Item = usize>) -> Result<()> {
        for row in rows {
            self.check_finite(row..row + 1)?;
        }
        Ok(())
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        self.check_finite(row..row + 1).err().unwrap_or(Error::Scores(ScoresError::TooFar { row }))
    }
}

/// Rows whose entries were checked before.
impl<F: Fn(usize) -> Error> Refuse for F {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(())
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        self(row)
    }
}

/// What is to be measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    /// Scores of the classes, up to a term common to them.
    pub(crate) scores: bool,
    /// Distances, or whatever densities follow from.
    pub(crate) distances: bool,
    /// Reported decisions.
    pub(crate) decision: bool,
}

impl Need {
    /// Posteriors of scores that were found without a worker.
    pub(crate) const POSTERIORS: Self = Self { scores: true, distances: false, decision: false };

    pub(crate) fn of<T: Lane>(answers: &Answers<'_, T>, ruling: &Ruling<'_, T>) -> Self {
        Self {
            // Priors of rows are checked where scores are made of them.
            scores: answers.want_posterior() || answers.log_density.is_some() || ruling.has_row_priors(),
            distances: answers.want_density() || answers.want_distances() || ruling.tail.is_some(),
            decision: answers.decision.is_some(),
        }
    }
}

/// What was measured of a tile of rows.
pub(crate) struct Raw<T: Lane> {
    /// Squared distances: [group][class].
    pub(crate) distances: Vec<T::Lanes>,
    /// Log-likelihoods, maybe up to a term common to the classes: [group][class].
    pub(crate) linear: Vec<T::Lanes>,
    /// Reported decisions: [group][decision].
    pub(crate) decision: Vec<T::Lanes>,
}

impl<T: Lane> Default for Raw<T> {
    fn default() -> Self {
        Self { distances: vec![], linear: vec![], decision: vec![] }
    }
}

impl<T: Lane> Raw<T> {
    /// Makes room for the log-likelihoods of so many rows.
    pub(crate) fn resize_linear(&mut self, rows: usize, classes: usize) {
        self.linear.resize(rows.div_ceil(T::Lanes::COUNT) * classes, T::Lanes::splat(T::zero()));
    }

    /// Takes the log-likelihoods of one row.
    pub(crate) fn set_linear(&mut self, row: usize, scores: &[T]) {
        let group = &mut self.linear[row / T::Lanes::COUNT * scores.len()..];
        let entries = group.iter_mut().zip(scores);
        entries.for_each(|(lanes, &score)| lanes.set(row % T::Lanes::COUNT, score));
    }

    /// Those of the first rows that have a log-likelihood that is not a number.
    pub(crate) fn rows_with_nan(&self, rows: usize, classes: usize) -> Vec<usize> {
        let is_nan = |row: usize| {
            let group = &self.linear[row / T::Lanes::COUNT * classes..][..classes];
            group.iter().any(|lanes| lanes.entries()[row % T::Lanes::COUNT].is_nan())
        };
        (0..rows).filter(|&row| is_nan(row)).collect()
    }
}

/// What scores are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// Distances.
    Distances,
    /// Linear functions; densities are made of distances.
    Linear,
    /// Log-likelihoods, densities too.
    LogLikelihoods,
}

/// How scores and densities follow from what was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'a, T> {
    pub(crate) basis: Basis,
    /// −½ log det Σ_k, where there are distances.
    pub(crate) log_volume: &'a [T],
    /// −(d / 2) log 2π.
    pub(crate) log_unit: T,
    /// The model's own priors, which decisions are reported under.
    pub(crate) log_prior: &'a [T],
    /// Decisions that were measured of each row.
    pub(crate) n_decisions: usize,
    /// Turns distances into typicalities, if that is needed.
    pub(crate) tail: Option<&'a ChiSquareTail>,
    /// Whether a class may be infinitely far away where it needs no exact score.
    pub(crate) may_be_out: bool,
    /// Whether all values of these rows are missing.
    pub(crate) observes_nothing: bool,
}

impl<'a, T: Lane> Form<'a, T> {
    /// Scores are made of log-likelihoods, and rows have no distances.
    pub(crate) fn of_log_likelihoods(log_prior: &'a [T]) -> Self {
        Self { basis: Basis::LogLikelihoods, ..Self::of_distances(&[], log_prior) }
    }

    /// Scores are made of distances; a class may be infinitely far away.
    pub(crate) fn of_distances(log_volume: &'a [T], log_prior: &'a [T]) -> Self {
        Self {
            basis: Basis::Distances,
            log_volume,
            log_unit: T::zero(),
            log_prior,
            n_decisions: 0,
            tail: None,
            may_be_out: true,
            observes_nothing: false,
        }
    }
}
