//! Rows with gaps: what is missing is integrated out, pattern by pattern, or makes all answers missing too.

use std::ops::Range;
use std::sync::Arc;

use ndarray::Array2;

use super::TILE_ROWS;
use super::answers::Answers;
use super::pass::Pass;
use super::respond::Response;
use super::scorer::{Need, Scorer, Worker};
use super::tail::ChiSquareTail;
use crate::error::Result;
use crate::float::Real;
use crate::kernel::Lane;
use crate::missing::Cache;
use crate::model::{Model, Packed, Parts, Shape};
use crate::moments::Means;
use crate::parallel::Job;
use crate::rows::Pattern;

/// What becomes of rows in which NaN stands for a missing value.
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
    fn new(model: &Model, mask: &[u64]) -> Result<Self> {
        let columns = Pattern::of(mask, model.n_features()).observed;
        let mut center = vec![T::zero(); model.n_features()];
        let mut packed = match columns.is_empty() {
            true => Packed::new(&nothing(&model.parts().log_prior)),
            false => Packed::marginal(model, &columns)?,
        };
        if columns.is_empty() {
            packed.log_unit = T::zero();
        }
        columns.iter().zip(&packed.center).for_each(|(&column, &value)| center[column] = value);
        Ok(Self { packed, tail: ChiSquareTail::new(columns.len()), columns, center })
    }
}

/// A column that is 0 in all rows and means: it stands in for none.
fn nothing(log_prior: &[f64]) -> Parts {
    let zeros = || Array2::zeros((log_prior.len(), 1));
    Parts {
        center: vec![0.0],
        means: Means { shift: zeros(), offset: zeros() },
        log_prior: log_prior.to_vec(),
        shape: Shape::Diag(Array2::ones((log_prior.len(), 1))),
    }
}

/// Patterns that share the memory of a tile.
const PATTERNS: usize = 32;

/// Rows whose patterns are sorted out together.
pub(super) const SORTED_ROWS: usize = 2048;

/// What was made for the patterns of one call.
pub(super) fn cache<T>(model: &Model) -> Cache<Marginal<T>> {
    Cache::new(model.n_classes().saturating_mul(model.n_features().saturating_pow(2)))
}

impl<T: Lane> Pass<'_, '_, T> {
    /// Answers for some rows, in their order but for those that lack something, which come pattern by pattern.
    pub(super) fn answer_marginalized(
        &self,
        marginals: &Cache<Marginal<T>>,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let Self { scorer, ruling, .. } = self;
        let need = Need::of(answers, ruling);
        let (mut worker, mut response) = (scorer.worker(), Response::new(ruling, need));
        for block in range.clone().step_by(SORTED_ROWS) {
            let block = block..(block + SORTED_ROWS).min(range.end);
            let mut lacking = vec![];
            for start in block.clone().step_by(TILE_ROWS) {
                job.check()?;
                let rows = start..(start + TILE_ROWS).min(block.end);
                response.hold(rows.clone(), range.start);
                worker.fill(rows, need, ruling, &mut response.raw)?;
                lacking.extend_from_slice(worker.left_out());
                response.answer(worker.form(ruling), &worker, answers)?;
            }
            let gaps = scorer.rows.gaps(lacking.into_iter())?;
            for patterns in gaps.by_mask().chunks(PATTERNS) {
                self.answer_patterns(marginals, patterns, range.start, answers, job)?;
            }
        }
        Ok(())
    }

    /// Answers for rows by their masks, with the memory of one tile.
    fn answer_patterns(
        &self,
        marginals: &Cache<Marginal<T>>,
        patterns: &[(&[u64], Vec<usize>)],
        first_row: usize,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let Self { scorer, ruling, .. } = self;
        let marginals =
            patterns.iter().map(|(mask, _)| marginals.get(mask, || Marginal::new(scorer.model, mask)));
        let marginals: Vec<Arc<Marginal<T>>> = marginals.collect::<Result<_>>()?;
        let need = Need::of(answers, ruling);
        let (mut worker, mut response) = (scorer.worker(), Response::new(ruling, need));
        for (marginal, (_, rows)) in marginals.iter().zip(patterns) {
            worker.turn_to(marginal);
            for rows in rows.chunks(TILE_ROWS) {
                job.check()?;
                response.hold_picked(rows, first_row);
                worker.fill_picked(rows, need, ruling, &mut response.raw);
                response.answer(worker.form(ruling), &worker, answers)?;
            }
        }
        Ok(())
    }
}

impl<T: Real> Answers<'_, T> {
    /// Leaves out the answers for a row.
    pub(super) fn leave_out(&mut self, place: usize, classes: usize, decisions: usize) {
        let Self { posterior, log_posterior, joint, log_density, mahalanobis, typicality, .. } = self;
        let scores = [
            (posterior, classes),
            (log_posterior, classes),
            (joint, classes),
            (log_density, 1),
            (mahalanobis, classes),
            (typicality, classes),
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
