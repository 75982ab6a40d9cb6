//! Weight, mean and sum of squares of each class and column by itself, of all entries or of those that are not NaN: the
//! one pass behind diagonal moments, naive Bayes with gaps, and columns of numbers among others.
//!
//! Each class is shifted by a provisional mean, sums and sums of squares are taken in f64, and corrected once at the end.
//! All tasks share the shifts, so that their partial sums simply add up.

use std::ops::Range;

use ndarray::{Array1, Array2, Axis, Zip};

use super::accumulate::n_tasks;
use super::check::{check_labels, check_room, check_weights};
use super::count::count;
use super::shift::{Provisional, about_means, look_for_variation, nearer, provisional};
use super::source::Sorted;
use super::tiny::{is_lost, rounded_up};
use super::unit::UnitWeights;
use super::{Means, Moments, Source, Structure};
use crate::error::{Error, InputError, Owner, Result, not_empty};
use crate::kernel::ClassSums;
use crate::memory::room_for;
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// Rows that are summed up together before they join the others: sums of like size round less.
const FEW_ROWS: usize = 128;

/// Rows of each class among these, on average, at least.
const FEWEST_ROWS: usize = 16;

/// Rows between two looks at the caller's watch, and at whether all sums are finite.
const BLOCK_ROWS: usize = 1024;

/// Entries that are worth waking up threads.
const MIN_ENTRIES: usize = 1 << 19;

/// What is known of each class and column by itself.
#[derive(Debug)]
pub(crate) struct Observed {
    /// Rows of positive weight of each class, and their weight.
    pub(crate) rows: Vec<u64>,
    pub(crate) weights: Array1<f64>,
    /// Weight of the rows in which a column is observed, class × column.
    pub(crate) seen: Array2<f64>,
    /// Means; 0 without weight.
    pub(crate) means: Means,
    /// Sums of squares about the means.
    pub(crate) scatter: Array2<f64>,
}

/// Columns that a class is near 0 in, and constant to all appearances: their squares may be too small for a double.
fn near_zero(means: &Array2<f64>, varies: &Array2<bool>, source: Source<'_, '_>) -> Vec<usize> {
    let doubtful =
        |&j: &usize| (0..means.nrows()).any(|class| means[(class, j)] == 0.0 && !varies[(class, j)]);
    match source.is_double() {
        true => (0..means.ncols()).filter(doubtful).collect(),
        false => vec![],
    }
}

/// What becomes of NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gaps {
    Refused,
    LeftOut,
}

impl Observed {
    /// Sums up rows with labels `0..n_classes`.
    ///
    /// # Errors
    /// Entries that are not finite (NaN may be left out), a label out of range, a bad weight, values whose squares overflow,
    /// inputs of different lengths.
    pub(crate) fn of(
        rows: &Rows<'_>,
        labels: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        gaps: Gaps,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        check_labels(labels, rows.n_rows(), n_classes)?;
        check_weights(weights, rows.n_rows())?;
        not_empty("number of columns", rows.n_features())?;
        check_room(n_classes, rows.n_features())?;
        let unit = UnitWeights::of_classes(weights, labels, n_classes);
        Self::in_units(Source::Table(rows), labels, &unit, gaps, parallel)
    }

    /// The same of columns that may each be of another type, NaN left out; labels and weights were checked.
    ///
    /// # Errors
    /// Those of `in_units`.
    pub(crate) fn of_columns(
        columns: &[Rows<'_>],
        labels: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        let unit = UnitWeights::of_classes(weights, labels, n_classes);
        Self::in_units(Source::Columns(columns), labels, &unit, Gaps::LeftOut, parallel)
    }

    /// The same of labels and weights that were checked.
    ///
    /// # Errors
    /// Entries that are not finite (NaN may be left out), values whose squares overflow.
    pub(crate) fn in_units(
        source: Source<'_, '_>,
        labels: &[u32],
        unit: &UnitWeights<'_>,
        gaps: Gaps,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        let (n_classes, weights) = (unit.n_classes(), unit.as_deref());
        let Provisional { means, mut varies } = provisional(source, labels, n_classes, weights);
        let doubtful = near_zero(&means, &varies, source);
        let (mut observed, zeros) = about_means(
            means,
            |shift| Pass { source, labels, weights, gaps, shift, doubtful: &doubtful }.run(parallel),
            |(sums, _): &(Self, _)| sums.nearer_shift(),
        )?;
        let Self { means, seen, scatter, .. } = &observed;
        look_for_variation(source, labels, weights, &mut varies, &means.shift, |class, j| {
            seen[(class, j)] > 0.0
                && scatter[(class, j)] < f64::MIN_POSITIVE
                && means.offset[(class, j)] == 0.0
                && zeros.binary_search(&j).is_err()
        });
        observed.round_up(&varies);
        observed.restore(unit)
    }

    fn nearer_shift(&self) -> Option<Array2<f64>> {
        nearer(&self.means, |class, j| self.seen[(class, j)], |class, j| self.scatter[(class, j)])
    }

    /// Keeps squares of what varies positive, in any unit of the weights.
    fn round_up(&mut self, varies: &Array2<bool>) {
        Zip::from(&mut self.scatter).and(varies).and(&self.means.offset).for_each(
            |square, &varies, &offset| {
                *square = rounded_up(*square, varies || offset != 0.0);
            },
        );
    }

    /// In the weights' own unit.
    fn restore(mut self, unit: &UnitWeights<'_>) -> Result<Self> {
        for class in 0..self.weights.len() {
            self.weights[class] = unit.restore(self.weights[class], class);
            self.seen.row_mut(class).map_inplace(|seen| *seen = unit.restore(*seen, class));
            self.scatter.row_mut(class).map_inplace(|square| {
                *square = rounded_up(unit.restore(*square, class), *square > 0.0);
            });
        }
        self.check_overflow()?;
        Ok(self)
    }

    fn check_overflow(&self) -> Result<()> {
        let finite = |&(class, j): &(usize, usize)| {
            let offset = self.means.offset[(class, j)];
            self.scatter[(class, j)].is_finite() && (offset * offset * self.seen[(class, j)]).is_finite()
        };
        if let Some((class, column)) =
            ndarray::indices_of(&self.scatter).into_iter().find(|place| !finite(place))
        {
            return Err(Error::Input(InputError::Overflow { what: Owner::Class(class), column }));
        }
        let lost = |&(place, &square): &((usize, usize), &f64)| is_lost(square, self.seen[place]);
        match self.scatter.indexed_iter().find(lost) {
            Some(((class, column), _)) => {
                Err(Error::Input(InputError::Underflow { what: Owner::Class(class), column }))
            }
            None => Ok(()),
        }
    }

    /// Diagonal moments, of columns with weights of their own where some entries were left out.
    pub(crate) fn into_moments(self, gaps: Gaps) -> Moments {
        let Self { rows, weights, means, scatter, seen } = self;
        let past = Array2::zeros(scatter.raw_dim());
        let scatter = scatter.insert_axis(Axis(1));
        let seen = (gaps == Gaps::LeftOut).then_some(seen);
        Moments { structure: Structure::Diag, rows, weights, means, scatter, past, seen, fourth: None }
    }
}

/// Everything a task needs.
struct Pass<'a, 'r> {
    source: Source<'a, 'r>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    gaps: Gaps,
    shift: Array2<f64>,
    /// Columns that may be 0 everywhere.
    doubtful: &'a [usize],
}

/// Sums about the shifts, class × column; `seen` is empty where nothing is left out.
struct Sums {
    rows: Vec<u64>,
    weights: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    seen: Vec<f64>,
    /// Those of the doubtful columns that are 0 so far.
    zeros: Vec<usize>,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.zeros.retain(|column| other.zeros.binary_search(column).is_ok());
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a += b);
        self.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a += b);
        self.add_entries(&other);
    }

    fn add_entries(&mut self, other: &Self) {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.first, &other.first);
        add(&mut self.second, &other.second);
        add(&mut self.seen, &other.seen);
    }

    fn clear_entries(&mut self) {
        self.first.fill(0.0);
        self.second.fill(0.0);
        self.seen.fill(0.0);
    }
}

impl Pass<'_, '_> {
    /// What is observed, and which columns are 0 in all rows.
    fn run(self, parallel: Parallel<'_>) -> Result<(Observed, Vec<usize>)> {
        let (n, size) = (self.labels.len(), self.shift.len());
        let tasks = n_tasks(n, self.shift.nrows(), size.saturating_mul(2));
        // Each task that runs has sums of a few rows besides its own.
        room_for(size.checked_mul(3 * (2 * tasks + 1)))?;
        let few = n.saturating_mul(self.shift.ncols()) < MIN_ENTRIES;
        let parallel = if few { parallel.alone() } else { parallel };
        let sum = |index, job: &Job<'_>| self.sum_up(task_range(index, tasks, n, 1), job);
        let sums = parallel.fold_in_order(tasks, sum, Sums::add)?.unwrap_or_else(|| self.no_sums());
        Ok(self.finish(sums))
    }

    fn no_sums(&self) -> Sums {
        let (classes, size) = (self.shift.nrows(), self.shift.len());
        let seen = if self.gaps == Gaps::LeftOut { size } else { 0 };
        Sums {
            rows: vec![0; classes],
            weights: vec![0.0; classes],
            first: vec![0.0; size],
            second: vec![0.0; size],
            seen: vec![0.0; seen],
            zeros: self.doubtful.to_vec(),
        }
    }

    /// Sums over a range of rows, block by block.
    fn sum_up(&self, range: Range<usize>, job: &Job<'_>) -> Result<Sums> {
        let (mut sums, mut apart) = (self.no_sums(), self.no_sums());
        let classes = self.shift.nrows();
        let mut sorted = Sorted::new(classes);
        let few_rows = FEW_ROWS.max(FEWEST_ROWS * classes);
        let rows = BLOCK_ROWS.max(few_rows);
        for start in range.clone().step_by(rows) {
            job.check()?;
            let block = start..(start + rows).min(range.end);
            count(block.clone(), self.labels, self.weights, &mut sums.rows, &mut sums.weights);
            for start in block.clone().step_by(few_rows) {
                let few = start..(start + few_rows).min(block.end);
                self.add_squares(few, &mut apart, &mut sorted);
                sums.add_entries(&apart);
                apart.clear_entries();
            }
            if !sums.zeros.is_empty() {
                self.source.retain_zeros(block.clone(), &mut sums.zeros);
            }
            // What is not finite makes its sum so.
            if !sums.first.iter().all(|sum| sum.is_finite()) {
                self.source.check(block, self.gaps == Gaps::LeftOut)?;
            }
        }
        Ok(sums)
    }

    fn add_squares(&self, block: Range<usize>, sums: &mut Sums, sorted: &mut Sorted) {
        let classes = ClassSums {
            shift: self.shift.as_slice().expect("a C-ordered array"),
            first: &mut sums.first,
            second: &mut sums.second,
            seen: &mut sums.seen,
        };
        let weights = self.weights.map(|weights| &weights[block.clone()]);
        self.source.add_squares(block.clone(), &self.labels[block], weights, classes, sorted);
    }

    /// Sums about the shifts to moments about the means.
    fn finish(self, sums: Sums) -> (Observed, Vec<usize>) {
        let shape = self.shift.raw_dim();
        let table = |sums: Vec<f64>| Array2::from_shape_vec(shape, sums).expect("class × column");
        let weights = Array1::from(sums.weights);
        let (first, second) = (table(sums.first), table(sums.second));
        let seen = match self.gaps {
            Gaps::LeftOut => table(sums.seen),
            Gaps::Refused => {
                weights.view().insert_axis(Axis(1)).broadcast(shape).expect("columns").to_owned()
            }
        };
        let offset = Zip::from(&first)
            .and(&seen)
            .map_collect(|first, &seen| if seen > 0.0 { first / seen } else { 0.0 });
        let scatter = Zip::from(&second)
            .and(&first)
            .and(&offset)
            .map_collect(|second, first, offset| not_negative(second - first * offset));
        // The mean of what has no weight is 0.
        let shift = Zip::from(&self.shift)
            .and(&seen)
            .map_collect(|&shift, &seen| if seen > 0.0 { shift } else { 0.0 });
        let means = Means { shift, offset };
        (Observed { rows: sums.rows, weights, seen, means, scatter }, sums.zeros)
    }
}

/// Rounding may leave less than 0 of a sum of squares; what is not a number stays so.
pub(super) fn not_negative(sum: f64) -> f64 {
    if sum < 0.0 { 0.0 } else { sum }
}
