//! Only the winners are asked for: classes that fall behind are given up.
//!
//! A class is given up when all rows of a group agree, so rows of a block are sorted first by a cheap guess at their class,
//! and the guessed class is measured first. What comes out is the same, bit for bit; only the work differs.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::TILE_ROWS;
use super::answers::Answers;
use super::pass::Pass;
use super::tile::Tile;
use crate::error::Result;
use crate::kernel::{Affine, Contest, Lanes, Whitened};
use crate::labels::sort_by_code;
use crate::model::{Metric, Pack};
use crate::parallel::Job;

/// Rows that are sorted together, at the least, and for each class: enough for groups of one kind.
const SORTED_ROWS: usize = 2048;
const SORTED_PER_CLASS: usize = 32;

/// Fewer rows than this, or than so many per column, are not worth a guess.
const FEWEST_ROWS: usize = 1024;
const FEWEST_PER_COLUMN: usize = 16;

/// Every so many tasks it is tried anew whether sorting pays, on one tile of so many.
const TRIAL_TASKS: usize = 64;
const TRIAL_TILES: usize = 8;

/// What a group of rows costs, in cycles, roughly, to tell which order is the cheaper one; fitted to what
/// `benches/compare.py --only labels` shows.
#[derive(Debug, Clone, Copy)]
struct Cost {
    classes: f64,
    features: f64,
    /// Entries of all classes.
    all: f64,
}

impl Cost {
    fn in_order(&self) -> f64 {
        1.15 * self.all + 8.0 * self.features + 60.0
    }

    /// A guess, a sort, two packings, the leader, and `met` entries of the others.
    fn sorted(&self, met: f64) -> f64 {
        let guess = 1.2 * self.classes * self.features + 16.0 * self.features + 400.0;
        guess + 1.15 * self.all / self.classes + 40.0 * self.classes + 1.25 * met
    }

    fn sorting_pays(&self, met: f64) -> bool {
        self.sorted(met) < 0.95 * self.in_order()
    }
}

/// Whether the last trial paid.
#[derive(Debug, Default)]
pub(super) struct Gain(AtomicBool);

impl Gain {
    pub(super) fn is_worth_trying(&self, task: usize) -> bool {
        task.is_multiple_of(TRIAL_TASKS) || self.0.load(Ordering::Relaxed)
    }
}

/// What it takes to answer rows in the order of their guessed classes.
pub(super) struct Sorting<'a, T> {
    contest: Contest<'a, T>,
    guess: &'a Affine<T>,
    cost: Cost,
}

impl<'a, T: Pack> Pass<'a, '_, T> {
    /// None if it cannot be done for these answers, or cannot pay.
    pub(super) fn sorting(&self, answers: &Answers<'_, T>) -> Option<Sorting<'a, T>> {
        let Metric::Full(classes) = &self.packed.metric else {
            return None;
        };
        let sum = |size: fn(&Whitened<T>) -> usize| classes.iter().map(size).sum::<usize>() as f64;
        let d = self.model.n_features();
        let cost = Cost { classes: classes.len() as f64, features: d as f64, all: sum(Whitened::size) };
        let many = self.rows.n_rows() >= FEWEST_ROWS.max(FEWEST_PER_COLUMN * d);
        if !(many && answers.want_winners_only() && cost.sorting_pays(sum(Whitened::first_size))) {
            return None;
        }
        let contest = Contest {
            classes,
            tops: &self.packed.log_volume,
            terms: &self.packed.log_prior,
            // A posterior is 0 once its exponential rounds to 0.
            margin: if answers.posterior.is_some() { -T::LOWEST } else { T::zero() },
        };
        Some(Sorting { contest, guess: self.model.guess()?, cost })
    }

    /// Rows of a task.
    pub(super) fn sorted_rows(&self) -> usize {
        SORTED_ROWS.max(SORTED_PER_CLASS * self.model.n_classes()).min(self.rows.n_rows() / 16)
    }

    pub(super) fn answer_sorted(
        &self,
        sorting: &Sorting<'_, T>,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let Sorting { contest, guess, cost } = sorting;
        let classes = contest.classes;
        let mut tile = Tile::new(self.rows, self.packed, classes.len());
        let guesses = self.guesses(range.clone(), guess, &mut tile, job)?;
        let mut order = vec![];
        sort_by_code(range.start, &guesses, classes.len(), &mut order);
        let tiles: Vec<&[usize]> = order.chunks(TILE_ROWS).collect();
        let (trial, rest): (Vec<_>, Vec<_>) =
            tiles.into_iter().enumerate().partition(|(place, _)| place.is_multiple_of(TRIAL_TILES));
        let guess_at = |row: usize| guesses[row - range.start] as usize;
        let (mut met, mut groups) = (0, 0);
        for (_, indices) in trial {
            job.check()?;
            tile.pack(indices.iter().copied(), range.start);
            met += tile.compete(contest, guess_at, answers)?;
            groups += indices.len().div_ceil(T::Lanes::COUNT);
        }
        let pays = cost.sorting_pays(met as f64 / groups as f64);
        self.gain.0.store(pays, Ordering::Relaxed);
        for (_, indices) in rest {
            job.check()?;
            tile.pack(indices.iter().copied(), range.start);
            match pays {
                true => _ = tile.compete(contest, guess_at, answers)?,
                false => tile.answer(answers)?,
            }
        }
        Ok(())
    }

    /// A class for each row.
    fn guesses(
        &self,
        range: Range<usize>,
        guess: &Affine<T>,
        tile: &mut Tile<'_, '_, T>,
        job: &Job<'_>,
    ) -> Result<Vec<u32>> {
        let mut guesses = Vec::with_capacity(range.len());
        for start in range.clone().step_by(TILE_ROWS) {
            job.check()?;
            tile.pack(start..(start + TILE_ROWS).min(range.end), range.start);
            tile.guess(guess)?;
            guesses.extend(tile.classes().map(|(_, class)| class as u32));
        }
        Ok(guesses)
    }
}
