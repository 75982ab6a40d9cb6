//! Available cases: weight, mean and sum of squares of what is observed of each class and column.

use ndarray::{Array1, Array2, Axis, Zip};

use super::groups::Sample;
use crate::error::{Error, Owner, Result};
use crate::moments::{Means, Moments, Structure};
use crate::parallel::{Job, Parallel, task_range};

/// Rows of a task, at least, and tasks, at most.
const FEWEST_ROWS: usize = 1 << 13;
const MOST_TASKS: usize = 32;

/// Rows between two looks at the caller's watch.
const CHECKED_ROWS: usize = 1024;

/// What is known of each class and column by itself.
pub(super) struct Available {
    /// Rows of positive weight of each class, and their weight.
    pub(super) rows: Vec<u64>,
    pub(super) weights: Array1<f64>,
    /// Weight of the rows in which a column is observed, class × column.
    pub(super) seen: Array2<f64>,
    pub(super) means: Means,
    /// Sums of squares about the means.
    pub(super) squares: Array2<f64>,
}

/// Sums about shifts, class × column.
struct Sums {
    seen: Array2<f64>,
    first: Array2<f64>,
    second: Array2<f64>,
}

impl Available {
    /// Two passes: about any observed value for the means, then about the means.
    ///
    /// # Errors
    /// A column that is never observed in a class, or whose squares overflow.
    pub(super) fn of(sample: &Sample<'_, '_>, parallel: Parallel<'_>) -> Result<Self> {
        let (rows, weights) = sample.counts();
        let about = |shift: &Array2<f64>| -> Result<(Sums, Array2<f64>)> {
            let sums = sums(sample, shift, parallel)?;
            check_seen(&sums.seen, &weights)?;
            let divisors = sums.seen.mapv(|seen| if seen > 0.0 { seen } else { 1.0 });
            let offset = &sums.first / &divisors;
            Ok((sums, offset))
        };
        let first = sample.first_values();
        let shift = &first + &about(&first)?.1;
        let (Sums { seen, first, second }, offset) = about(&shift)?;
        let squares = (second - first * &offset).mapv(|square| square.max(0.0));
        let available = Self { rows, weights, seen, means: Means { shift, offset }, squares };
        available.check_overflow()?;
        Ok(available)
    }

    fn check_overflow(&self) -> Result<()> {
        let finite = |(class, column)| {
            let sum: f64 = self.squares[(class, column)] + self.means.shift[(class, column)];
            sum.is_finite()
        };
        match ndarray::indices_of(&self.squares).into_iter().find(|&place| !finite(place)) {
            Some((class, column)) => Err(Error::Overflow { what: Owner::Class(class), column }),
            None => Ok(()),
        }
    }

    /// Diagonal moments whose means and variances are those of the available cases: sums of squares are scaled to the
    /// weight of the class, or to n − 1 if the variances are to be `unbiased`.
    ///
    /// # Errors
    /// A column observed too seldom for an unbiased variance.
    pub(super) fn moments(self, unbiased: bool) -> Result<Moments> {
        let less = if unbiased { 1.0 } else { 0.0 };
        let mut scatter = self.squares;
        for (class, mut scatter) in scatter.outer_iter_mut().enumerate() {
            let weight = self.weights[class];
            for (square, &seen) in scatter.iter_mut().zip(self.seen.row(class)) {
                if seen < weight {
                    if seen <= less {
                        return Err(Error::Divisor { what: Owner::Class(class), weight: seen, needed: less });
                    }
                    *square *= (weight - less) / (seen - less);
                }
            }
        }
        let moments =
            Moments::new(Structure::Diag, self.rows, self.weights, self.means, scatter.insert_axis(Axis(1)))?;
        moments.check_overflow()?;
        Ok(moments)
    }

    /// The variances of each class's columns, or of all classes together.
    pub(super) fn variances(&self, structure: Structure) -> Array2<f64> {
        let ratio = |squares: &Array2<f64>, seen: &Array2<f64>| {
            Zip::from(squares)
                .and(seen)
                .map_collect(|square, &seen| if seen > 0.0 { square / seen } else { 1.0 })
        };
        let together = |table: &Array2<f64>| table.sum_axis(Axis(0)).insert_axis(Axis(0));
        match structure {
            Structure::Tied => ratio(&together(&self.squares), &together(&self.seen)),
            Structure::Full | Structure::Diag => ratio(&self.squares, &self.seen),
        }
    }
}

/// An error if a class with rows shows nothing of a column.
fn check_seen(seen: &Array2<f64>, weights: &Array1<f64>) -> Result<()> {
    let never = |&((class, _), seen): &((usize, usize), &f64)| weights[class] > 0.0 && *seen == 0.0;
    match seen.indexed_iter().find(never) {
        Some(((class, column), _)) => Err(Error::NeverObserved { class, column }),
        None => Ok(()),
    }
}

fn sums(sample: &Sample<'_, '_>, shift: &Array2<f64>, parallel: Parallel<'_>) -> Result<Sums> {
    let n = sample.labels.len();
    let tasks = n.div_ceil(FEWEST_ROWS).clamp(1, MOST_TASKS);
    let partials =
        parallel.map(tasks, |task, job| partial_sums(sample, shift, task_range(task, tasks, n, 1), job))?;
    Ok(partials.into_iter().reduce(Sums::add).expect("at least one task"))
}

fn partial_sums(
    sample: &Sample<'_, '_>,
    shift: &Array2<f64>,
    rows: std::ops::Range<usize>,
    job: &Job<'_>,
) -> Result<Sums> {
    let zeros = || Array2::zeros(shift.raw_dim());
    let mut sums = Sums { seen: zeros(), first: zeros(), second: zeros() };
    let columns: Vec<usize> = (0..shift.ncols()).collect();
    let mut entries = vec![0.0; columns.len()];
    for row in rows {
        if row % CHECKED_ROWS == 0 {
            job.check()?;
        }
        let (class, weight) = sample.class_and_weight(row);
        if weight > 0.0 {
            sample.rows.read(row, &columns, &mut entries);
            sums.add_row(class, weight, &entries, shift);
        }
    }
    Ok(sums)
}

impl Sums {
    fn add_row(&mut self, class: usize, weight: f64, entries: &[f64], shift: &Array2<f64>) {
        Zip::from(self.seen.row_mut(class))
            .and(self.first.row_mut(class))
            .and(self.second.row_mut(class))
            .and(entries)
            .and(shift.row(class))
            .for_each(|seen, first, second, entry, shift| {
                let (weight, x) = if entry.is_nan() { (0.0, 0.0) } else { (weight, entry - shift) };
                *seen += weight;
                *first += weight * x;
                *second += weight * x * x;
            });
    }

    fn add(mut self, other: Self) -> Self {
        self.seen += &other.seen;
        self.first += &other.first;
        self.second += &other.second;
        self
    }
}
