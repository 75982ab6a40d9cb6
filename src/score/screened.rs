//! Only the winners are asked for: classes that cannot win are not measured.
//!
//! Rows go in blocks. Bounds on the scores of all classes come first, cheaply; then the class of the largest bound is
//! measured, for each row; then every class for those rows whose bound reaches what was measured. What comes out is the
//! same, bit for bit; only the work differs.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::TILE_ROWS;
use super::answers::Answers;
use super::block::Block;
use super::block_rows::BlockRows;
use super::bounds::{Bounds, GROUPS};
use super::gaussian::{Gaussian, GaussianWorker};
use super::pass::Pass;
use super::respond::Response;
use super::scorer::{Need, Refuse, Scorer, Worker};
use crate::error::{Error, Result, ScoresError};
use crate::kernel::{Lane, Lanes, Single, Whitened, Worst, survivors};
use crate::model::{Metric, Pack, Screen, n_directions};
use crate::parallel::Job;
use crate::rows::sort_by_code;

/// Bounds of a block, and rows: as many as stay in cache, and enough for every class to have some.
const BLOCK_BOUNDS: usize = 1 << 16;
const BLOCK_ROWS: [usize; 2] = [512, 4096];

/// Fewer rows than this, or than so many per column, are not worth a screen.
const MIN_ROWS: usize = 1024;
const MIN_PER_COLUMN: usize = 64;

/// Every so many tasks it is tried anew whether screening pays; one group of so many tells.
const TRIAL_TASKS: usize = 64;
const TRIAL_GROUPS: usize = 8;

/// What a group of rows costs, in cycles, roughly, to tell which way is the cheaper one; fitted to what
/// `benches/compare.py --only labels` shows.
#[derive(Debug, Clone, Copy)]
struct Cost {
    lanes: f64,
    classes: f64,
    features: f64,
    directions: f64,
    /// Entries of all classes.
    all: f64,
}

impl Cost {
    fn in_order(&self) -> f64 {
        1.15 * self.all + self.lanes * self.features + 60.0
    }

    /// If each row is measured for so many classes besides the first.
    fn screened(&self, others: f64) -> f64 {
        // Bounds take single precision.
        let share = self.lanes / Single::COUNT as f64;
        let screen = (self.directions + 1.5 * self.lanes) * self.features;
        let bounds = share * self.classes * (0.6 * self.directions * (self.directions + 4.0) + 65.0);
        let class = 1.15 * self.all / self.classes + (1.15 * self.features + 10.0) * self.lanes;
        screen + bounds + (1.0 + others) * class
    }

    fn screening_pays(&self, others: f64) -> bool {
        self.screened(others) < 0.95 * self.in_order()
    }
}

/// Whether the last trial paid.
#[derive(Debug, Default)]
pub(super) struct Trial(AtomicBool);

impl Trial {
    pub(super) fn is_worth_trying(&self, task: usize) -> bool {
        task.is_multiple_of(TRIAL_TASKS) || self.0.load(Ordering::Relaxed)
    }
}

/// What it takes to screen classes.
pub(super) struct Screening<'a, T> {
    classes: &'a [Whitened<T>],
    screen: &'a Screen<T>,
    /// How far a class must fall behind.
    margin: T,
    cost: Cost,
}

/// Entries of a block whose rows are kept, unless so many are fewer than the fewest rows of a block have.
const MAX_KEPT: usize = 1 << 19;

/// Memory for the rows of one tile, and for those of the block.
struct Scratch<T: Lane> {
    x: Vec<T::Lanes>,
    norms: Vec<T::Lanes>,
    kept: Option<BlockRows<T>>,
}

impl<'a, T: Pack> Pass<'a, '_, T> {
    /// None if it cannot be done for these answers, or cannot pay.
    pub(super) fn screening(&self, answers: &Answers<'_, T>) -> Option<Screening<'a, T>> {
        let Gaussian { rows, model, packed, .. } = self.scorer;
        let Metric::Full(classes) = &packed.metric else {
            return None;
        };
        let (n, d) = (rows.n_rows(), model.n_features());
        let few = n < MIN_ROWS.max(MIN_PER_COLUMN * d);
        if few || !answers.want_winners_only() || !self.ruling.allows_screening() {
            return None;
        }
        let cost = Cost {
            lanes: T::Lanes::COUNT as f64,
            classes: classes.len() as f64,
            features: d as f64,
            directions: n_directions(d) as f64,
            all: classes.iter().map(Whitened::size).sum::<usize>() as f64,
        };
        if !cost.screening_pays(0.0) {
            return None;
        }
        // A posterior is 0 once its exponential rounds to 0.
        let margin = if self.want_scores(answers) { -T::LOWEST } else { T::zero() };
        Some(Screening { classes, screen: model.screen()?, margin, cost })
    }

    /// Whether posteriors matter, and not only which is the largest.
    fn want_scores(&self, answers: &Answers<'_, T>) -> bool {
        answers.want_shares() || self.ruling.needs_posterior()
    }

    /// Rows of a task.
    pub(super) fn screened_rows(&self) -> usize {
        let [min, max] = BLOCK_ROWS;
        let Gaussian { rows, model, .. } = self.scorer;
        let max = match rows.lie_in_columns() {
            true => (MAX_KEPT / model.n_features()).clamp(min, max),
            false => max,
        };
        (BLOCK_BOUNDS / model.n_classes()).clamp(min, max).min(rows.n_rows() / 16)
    }

    pub(super) fn answer_screened(
        &self,
        screening: &Screening<'_, T>,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let Screening { classes, screen, margin, cost } = screening;
        let mut worker = self.scorer.worker();
        let mut block = Block::new(range.start, range.len(), classes.len(), self.want_scores(answers));
        let Gaussian { rows, model, .. } = self.scorer;
        let kept = rows.lie_in_columns().then(|| BlockRows::new(range.clone(), model.n_features()));
        let mut scratch = Scratch { x: vec![], norms: vec![], kept };
        let keep = |start: usize, packed: &[T::Lanes]| {
            if let Some(kept) = &mut scratch.kept {
                kept.keep(start, packed);
            }
        };
        let (guesses, slacks) = self.bounds(screen, range.clone(), &mut block, &mut worker, keep, job)?;
        let mut order = vec![];
        sort_by_code(range.start, &guesses, classes.len(), &mut order);
        let guess = |row: usize| guesses[row - range.start] as usize;
        for rows in order.chunk_by(|&a, &b| guess(a) == guess(b)) {
            let class = guess(rows[0]);
            self.measure(&classes[class], class, rows, &mut scratch, job, |row, score| {
                let mark = screen.mark(score - *margin, slacks[row - range.start]);
                block.lead(row, class, score, mark);
            })?;
        }
        let pays = cost.screening_pays(block.survivors_per_row(TRIAL_GROUPS));
        self.trial.0.store(pays, Ordering::Relaxed);
        if !pays {
            return self.answer_in_order(range, answers, job);
        }
        let mut places = vec![0; block.min_bounds.len() * Single::COUNT];
        for (class, whitened) in classes.iter().enumerate() {
            let bounds = &block.bounds[class..];
            let found = survivors(bounds, classes.len(), &block.min_bounds, range.start, &mut places);
            let rows = &places[..found];
            self.measure(whitened, class, rows, &mut scratch, job, |row, score| {
                block.record(row, class, score);
            })?;
        }
        self.answer_block(&block, range, &worker, answers)
    }

    /// Fills in the bounds; for each row the class of the largest, and how far rounding may lift a score over its bound. The
    /// packed rows of each tile are shown to `keep`, with the index of the first.
    pub(super) fn bounds(
        &self,
        screen: &Screen<T>,
        range: Range<usize>,
        block: &mut Block<T>,
        worker: &mut GaussianWorker<'_, '_, T>,
        mut keep: impl FnMut(usize, &[T::Lanes]),
        job: &Job<'_>,
    ) -> Result<(Vec<u32>, Vec<f32>)> {
        let Gaussian { rows, packed, .. } = self.scorer;
        let mut written = Bounds::new(screen);
        let (mut guesses, mut slacks) = (Vec::with_capacity(range.len()), Vec::with_capacity(range.len()));
        let starts = range.clone().step_by(TILE_ROWS);
        for (start, bounds) in starts.zip(block.bounds.chunks_mut(GROUPS * block.classes)) {
            job.check()?;
            let end = (start + TILE_ROWS).min(range.end);
            worker.pack(start..end);
            rows.prefetch(end..(end + TILE_ROWS).min(range.end));
            if written.write(worker.packed_rows(), packed.center.len(), bounds) != Worst::Finite {
                worker.check_entries(&mut (start..end))?;
            }
            keep(start, worker.packed_rows());
            guesses.extend(written.guesses().take(end - start));
            slacks.extend(written.slacks().take(end - start));
        }
        Ok((guesses, slacks))
    }

    /// The scores of some rows under one class.
    fn measure(
        &self,
        whitened: &Whitened<T>,
        class: usize,
        rows: &[usize],
        scratch: &mut Scratch<T>,
        job: &Job<'_>,
        mut take: impl FnMut(usize, T),
    ) -> Result<()> {
        let packed = self.scorer.packed;
        let (top, term) = (packed.log_volume[class], self.scorer.prior.logs[class]);
        let (features, zero) = (packed.center.len(), T::Lanes::splat(T::zero()));
        for rows in rows.chunks(TILE_ROWS) {
            job.check()?;
            let groups = rows.len().div_ceil(T::Lanes::COUNT);
            scratch.x.resize(groups * features, zero);
            scratch.norms.resize(groups, zero);
            match &mut scratch.kept {
                Some(kept) => kept.pack(rows, &mut scratch.x),
                None => self.scorer.rows.pack(rows, &packed.center, &mut scratch.x),
            }
            whitened.norms(&scratch.x, &mut scratch.norms, 1);
            for (rows, norm) in rows.chunks(T::Lanes::COUNT).zip(&scratch.norms) {
                let scores = norm.top_minus_half(top).plus(term);
                rows.iter().zip(scores.entries()).for_each(|(&row, &score)| take(row, score));
            }
        }
        Ok(())
    }

    fn answer_block(
        &self,
        block: &Block<T>,
        range: Range<usize>,
        worker: &GaussianWorker<'_, '_, T>,
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        if let Some(row) = block.first_nan_row {
            return Err(Error::Scores(ScoresError::TooFar { row }));
        }
        let mut response = Response::new(self.ruling, Need::of(answers, self.ruling));
        let groups = TILE_ROWS / T::Lanes::COUNT;
        let mut scores = block.scores.chunks(groups * block.classes);
        for (start, evidence) in range.clone().step_by(TILE_ROWS).zip(block.evidence.chunks(groups)) {
            response.hold(start..(start + TILE_ROWS).min(range.end), range.start);
            let scores = scores.next().unwrap_or_default();
            response.answer_known(evidence, scores, worker.form(self.ruling), worker, answers)?;
        }
        Ok(())
    }
}
