//! Rows with gaps: what is missing is integrated out, pattern by pattern, or makes all answers missing too.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::Array2;

use super::TILE_ROWS;
use super::answers::Answers;
use super::gaussian::GaussianWorker;
use super::pass::{Answered, Pass};
use super::respond::Response;
use super::rules::Ruling;
use super::scorer::{Need, Scorer, Worker};
use crate::chi_square::ChiSquareTail;
use crate::error::Result;
use crate::float::Real;
use crate::kernel::Lane;
use crate::model::{Model, Packed, Parts, Purposes, Shape};
use crate::moments::Means;
use crate::parallel::Job;
use crate::rows::PatternCache;
use crate::rows::{Gaps, Pattern};

/// What becomes of rows in which NaN stands for a missing value.
///
/// ```
/// use gauda::{GaussianNb, Missing};
/// use ndarray::array;
///
/// let x = array![[1.0, 6.0], [2.0, 5.0], [7.0, 1.0], [8.0, 0.0]];
/// let model = GaussianNb::params().missing(Missing::Marginalize).fit(&x, &[0, 0, 1, 1])?;
/// assert_eq!(model.predict(&array![[f64::NAN, 4.0], [7.5, f64::NAN]])?, [0, 1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Missing {
    /// They are refused.
    #[default]
    Raise,
    /// Their missing values are integrated out. A row without any value has its priors for posteriors and log-density 0.
    Marginalize,
    /// Their answers are NaN, their labels K as if they were rejected.
    Propagate,
}

/// What scoring rows of one pattern takes.
#[derive(Debug)]
pub(super) struct Marginal<T> {
    pub(super) packed: Packed<T>,
    /// The columns that are observed; none if nothing is.
    pub(super) columns: Vec<usize>,
    /// Subtracted from whole rows.
    pub(super) center: Vec<T>,
    pub(super) tail: ChiSquareTail,
}

impl<T: Lane> Marginal<T> {
    fn new(model: &Model, mask: &[u64], need: Need) -> Result<Self> {
        let purposes = Purposes { distances: need.distances, decision: need.decision };
        let columns = Pattern::of(mask, model.n_features()).observed;
        let mut center = vec![T::zero(); model.n_features()];
        let mut packed = match columns.is_empty() {
            true => Packed::new(&nothing(model.n_classes()), purposes),
            false => Packed::marginal(model, &columns, purposes)?,
        };
        if columns.is_empty() {
            packed.log_unit = T::zero();
        }
        columns.iter().zip(&packed.center).for_each(|(&column, &value)| center[column] = value);
        Ok(Self { packed, tail: ChiSquareTail::new(columns.len()), columns, center })
    }
}

/// A column that is 0 in all rows and means: it stands in for none.
fn nothing(classes: usize) -> Parts {
    let zeros = || Array2::zeros((classes, 1));
    Parts {
        center: vec![0.0],
        means: Means { shift: zeros(), offset: zeros() },
        shape: Shape::Diag(Array2::ones((classes, 1))),
    }
}

/// Where more than one row of so many lacks something, complete rows are looked for before they are scored.
const MANY_GAPS: usize = 5;

/// Patterns that share the memory of a tile.
const PATTERNS: usize = 32;

/// Rows whose patterns are sorted out together.
pub(super) const SORTED_ROWS: usize = 2048;

/// What the tasks of one call know of gaps.
pub(super) struct Marginals<T> {
    made: PatternCache<Marginal<T>>,
    /// Whether there were many in the last block.
    many: AtomicBool,
}

impl<T> Marginals<T> {
    pub(super) fn new(model: &Model) -> Self {
        let size = model.n_classes().saturating_mul(model.n_features().saturating_pow(2));
        Self { made: PatternCache::new(size), many: AtomicBool::new(false) }
    }
}

impl<T: Lane> Pass<'_, '_, T> {
    /// Answers for rows of which some may lack something: these come last, block by block.
    pub(super) fn answer_gapped(
        &self,
        marginals: &Marginals<T>,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let Self { scorer, ruling, answered, .. } = self;
        let (classes, decisions) = (ruling.n_classes, ruling.n_decisions);
        let need = Need::of(answers, ruling);
        let (mut worker, mut response) = (scorer.worker(), Response::new(ruling, need));
        for start in range.clone().step_by(SORTED_ROWS) {
            let block = start..(start + SORTED_ROWS).min(range.end);
            let gaps = match marginals.many.load(Ordering::Relaxed) {
                true => self.answer_complete(block.clone(), range.start, answers, job)?,
                false => {
                    for start in block.clone().step_by(TILE_ROWS) {
                        job.check()?;
                        let rows = start..(start + TILE_ROWS).min(block.end);
                        response.hold(rows.clone(), range.start);
                        worker.fill(rows, need, ruling, &mut response.raw)?;
                        response.answer(worker.form(ruling), &worker, answers)?;
                    }
                    worker.take_gaps()
                }
            };
            // Only the time depends on it.
            marginals.many.store(gaps.rows.len() > block.len() / MANY_GAPS, Ordering::Relaxed);
            match (scorer.missing, answered) {
                (Missing::Propagate, _) => {
                    gaps.rows.iter().for_each(|row| answers.leave_out(row - range.start, classes, decisions));
                }
                (_, Answered::Complete) => {}
                _ => self.answer_patterns(marginals, &gaps, range.start, answers, job)?,
            }
        }
        Ok(())
    }

    /// Answers for those of some rows that lack something; answers for the others stay as they are.
    pub(super) fn answer_lacking(
        &self,
        marginals: &Marginals<T>,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        for start in range.clone().step_by(SORTED_ROWS) {
            let gaps = self.scorer.rows.gaps(start..(start + SORTED_ROWS).min(range.end))?;
            self.answer_patterns(marginals, &gaps, range.start, answers, job)?;
        }
        Ok(())
    }

    /// Answers for complete rows, which are looked for first, and tells what the others lack.
    fn answer_complete(
        &self,
        block: Range<usize>,
        first_row: usize,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<Gaps> {
        let Self { scorer, ruling, .. } = self;
        let gaps = scorer.rows.gaps(block.clone())?;
        let mut lacking = gaps.rows.iter().peekable();
        let complete: Vec<usize> = block.filter(|row| lacking.next_if_eq(&row).is_none()).collect();
        let need = Need::of(answers, ruling);
        let (mut worker, mut response) = (scorer.worker(), Response::new(ruling, need));
        answer_picked((&mut worker, need, ruling), &mut response, (&complete, first_row), answers, job)?;
        Ok(gaps)
    }

    /// Answers for rows by their masks, with the memory of one tile for some patterns at a time.
    fn answer_patterns(
        &self,
        marginals: &Marginals<T>,
        gaps: &Gaps,
        first_row: usize,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let Self { scorer, ruling, .. } = self;
        let need = Need::of(answers, ruling);
        for patterns in gaps.by_mask().chunks(PATTERNS) {
            let marginals = patterns
                .iter()
                .map(|(mask, _)| marginals.made.get(mask, || Marginal::new(scorer.model, mask, need)));
            let marginals: Vec<Arc<Marginal<T>>> = marginals.collect::<Result<_>>()?;
            let (mut worker, mut response) = (scorer.worker(), Response::new(ruling, need));
            for (marginal, (_, rows)) in marginals.iter().zip(patterns) {
                worker.turn_to(marginal);
                answer_picked((&mut worker, need, ruling), &mut response, (rows, first_row), answers, job)?;
            }
        }
        Ok(())
    }
}

/// Answers for any rows; the answers begin with that of row `first_row`.
fn answer_picked<T: Lane>(
    (worker, need, ruling): (&mut GaussianWorker<'_, '_, T>, Need, &Ruling<'_, T>),
    response: &mut Response<'_, '_, T>,
    (rows, first_row): (&[usize], usize),
    answers: &mut Answers<'_, T>,
    job: &Job<'_>,
) -> Result<()> {
    for rows in rows.chunks(TILE_ROWS) {
        job.check()?;
        response.hold_picked(rows, first_row);
        worker.fill_picked(rows, need, ruling, &mut response.raw);
        response.answer(worker.form(ruling), &*worker, answers)?;
    }
    Ok(())
}

impl<T: Real> Answers<'_, T> {
    /// Leaves out the answers for a row.
    pub(crate) fn leave_out(&mut self, place: usize, classes: usize, decisions: usize) {
        let Self { posterior, log_posterior, joint, log_density, mahalanobis, typicality, .. } = self;
        let scores = [
            (posterior, classes),
            (log_posterior, classes),
            (joint, classes),
            (log_density, 1),
            (mahalanobis, classes),
            (typicality, classes),
            (&mut self.min_mahalanobis, 1),
            (&mut self.label_typicality, 1),
            (&mut self.cost, decisions),
            (&mut self.decision, super::answers::decision_width(classes)),
        ];
        for (array, width) in scores {
            if let Some(array) = array {
                array[place * width..][..width].fill(T::nan());
            }
        }
        if let Some(label) = &mut self.label {
            label[place] = classes as u32;
        }
        if let Some(name) = &mut self.name {
            name.put(std::iter::once((place, classes)));
        }
        if let Some(best) = &mut self.best {
            best.classes[place * best.count..][..best.count].fill(classes as u32);
            best.posterior[place * best.count..][..best.count].fill(T::nan());
        }
    }
}
