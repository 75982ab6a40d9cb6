//! How often something is present in each column, or occurs at all, class by class, in one pass over dense or sparse
//! rows.

use std::ops::Range;

use ndarray::Array2;

use super::labeled::Labeled;
use super::rows_per_task;
use super::sparse::Sparse;
use crate::error::{Error, InputError, Result, not_empty};
use crate::kernel::Presence;
use crate::memory::room_for;
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// Rows between two looks at the caller's watch, and at whether all entries are fit to be counted.
const BLOCK_ROWS: usize = 256;

/// Weights of the classes, and of what is present in each class and column.
type Counts = (Vec<f64>, Array2<f64>);

/// The threshold, if any, in terms of the kernels.
///
/// # Errors
/// NaN.
pub(super) fn presence(threshold: Option<f64>) -> Result<Presence> {
    match threshold {
        None => Ok(Presence::Share),
        Some(value) if value.is_nan() => Err(Error::Input(InputError::PresenceThreshold { value })),
        Some(value) => Ok(Presence::Above(value)),
    }
}

/// Refuses a threshold below 0 for sparse rows: all that is not given would be present.
pub(super) fn check_sparse(presence: Presence) -> Result<()> {
    match presence {
        Presence::Above(value) if value < 0.0 => Err(Error::Input(InputError::PresenceThreshold { value })),
        Presence::Above(_) | Presence::Share | Presence::Amount => Ok(()),
    }
}

/// Counts entries above a threshold; without one, entries from 0 to 1 count as what they are. Returns the weight of each
/// class, and of what is present in it column by column.
///
/// # Errors
/// Entries that are not finite, or without a threshold not from 0 to 1; a threshold that is NaN; labels or weights that do
/// not fit; more columns than there is memory for.
///
/// ```
/// use gauda::core::discrete::{Labeled, count_presence};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let x = array![[true, false], [true, true], [false, true]];
/// let labeled = Labeled { labels: &[0, 0, 1], classes: 2, weights: None };
/// let (classes, counts) = count_presence(&Rows::from(x.view()), Some(0.0), labeled, Parallel::default())?;
/// assert_eq!((classes, counts), (vec![2.0, 1.0], array![[2.0, 1.0], [0.0, 1.0]]));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn count_presence(
    rows: &Rows<'_>,
    threshold: Option<f64>,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<Counts> {
    count_dense(rows, presence(threshold)?, labeled, parallel)
}

/// Adds up entries, which say how often something occurs. Returns the weight of each class, and the sums of its rows
/// column by column.
///
/// # Errors
/// Entries that are not finite or negative; labels or weights that do not fit; more columns than there is memory for.
///
/// ```
/// use gauda::core::discrete::{Labeled, count_amounts};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let x = array![[3, 0], [1, 2], [0, 5]];
/// let labeled = Labeled { labels: &[0, 0, 1], classes: 2, weights: None };
/// let (classes, counts) = count_amounts(&Rows::from(x.view()), labeled, Parallel::default())?;
/// assert_eq!((classes, counts), (vec![2.0, 1.0], array![[4.0, 2.0], [0.0, 5.0]]));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn count_amounts(rows: &Rows<'_>, labeled: Labeled<'_>, parallel: Parallel<'_>) -> Result<Counts> {
    count_dense(rows, Presence::Amount, labeled, parallel)
}

fn count_dense(
    rows: &Rows<'_>,
    presence: Presence,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<Counts> {
    not_empty("number of columns", rows.n_features())?;
    let add = |block: Range<usize>, counts: &mut [f64], _: &mut Vec<f64>| {
        let (labels, weights) = (&labeled.labels[block.clone()], labeled.weights);
        let weights = weights.map(|weights| &weights[block.clone()]);
        match rows.add_presence(block.clone(), presence, labels, weights, counts) {
            true => Ok(()),
            false => Err(first_invalid_entry(rows, presence, block, true)),
        }
    };
    count((rows.n_rows(), rows.n_features()), rows.n_features(), labeled, parallel, add)
}

/// The same of rows most of whose entries are 0, and are left out.
///
/// # Errors
/// As for dense rows; a threshold below 0, a column that a row gives twice.
///
/// ```
/// use gauda::core::discrete::{Labeled, Sparse, count_sparse_presence};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let entries = array![[3_i32], [1]];
/// let rows = Sparse::new(Rows::from(entries.view()), &[1, 0], &[0, 1, 1, 2], 2)?;
/// let labeled = Labeled { labels: &[0, 0, 1], classes: 2, weights: None };
/// let (_, counts) = count_sparse_presence(&rows, Some(0.0), labeled, Parallel::default())?;
/// assert_eq!(counts, array![[0.0, 1.0], [1.0, 0.0]]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn count_sparse_presence(
    rows: &Sparse<'_>,
    threshold: Option<f64>,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<Counts> {
    let presence = presence(threshold)?;
    check_sparse(presence)?;
    count_sparse(rows, presence, labeled, parallel)
}

/// Adds up the entries of rows most of which are 0, and are left out.
///
/// # Errors
/// As for dense rows; a column that a row gives twice.
///
/// ```
/// use gauda::core::discrete::{Labeled, Sparse, count_sparse_amounts};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let entries = array![[3_i32], [1]];
/// let rows = Sparse::new(Rows::from(entries.view()), &[1, 0], &[0, 1, 1, 2], 2)?;
/// let labeled = Labeled { labels: &[0, 0, 1], classes: 2, weights: None };
/// let (_, counts) = count_sparse_amounts(&rows, labeled, Parallel::default())?;
/// assert_eq!(counts, array![[0.0, 3.0], [1.0, 0.0]]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn count_sparse_amounts(
    rows: &Sparse<'_>,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<Counts> {
    count_sparse(rows, Presence::Amount, labeled, parallel)
}

fn count_sparse(
    rows: &Sparse<'_>,
    presence: Presence,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<Counts> {
    let d = rows.n_features();
    let row_work = rows.n_entries() / rows.n_rows().max(1);
    count((rows.n_rows(), d), row_work, labeled, parallel, |block, counts, shares| {
        let read = rows.read(block.clone(), presence, shares)?;
        for (row, (columns, shares)) in block.zip(read.rows()) {
            let (counts, weight) =
                (&mut counts[labeled.labels[row] as usize * d..][..d], labeled.weight(row));
            let entries = columns.iter().zip(shares);
            entries.for_each(|(&column, share)| counts[column as usize] += share * weight);
        }
        Ok(())
    })
}

/// Counts block by block, in parallel; `add` is given memory for what it reads.
fn count(
    (rows, columns): (usize, usize),
    row_work: usize,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
    add: impl Fn(Range<usize>, &mut [f64], &mut Vec<f64>) -> Result<()> + Sync,
) -> Result<Counts> {
    labeled.check(rows)?;
    room_for(labeled.classes.checked_mul(columns.max(1)))?;
    // The tables of tasks should cost little beside their rows.
    let table_work = labeled.classes.saturating_mul(columns).saturating_mul(4);
    let task_rows = rows_per_task(row_work).max(table_work / row_work.max(1));
    let tasks = (rows / task_rows).max(1);
    let part = |task: usize, job: &Job<'_>| {
        let range = task_range(task, tasks, rows, 1);
        let mut classes = vec![0.0; labeled.classes];
        let (mut counts, mut read) = (Array2::zeros((labeled.classes, columns)), vec![]);
        let table = counts.as_slice_mut().expect("a C-ordered array");
        for start in range.clone().step_by(BLOCK_ROWS) {
            job.check()?;
            let block = start..(start + BLOCK_ROWS).min(range.end);
            for row in block.clone() {
                classes[labeled.labels[row] as usize] += labeled.weight(row);
            }
            add(block, table, &mut read)?;
        }
        Ok((classes, counts))
    };
    let counts =
        parallel.fold_in_order(tasks, part, |(classes, counts), (other_classes, other_counts)| {
            classes.iter_mut().zip(other_classes).for_each(|(sum, other)| *sum += other);
            *counts += &other_counts;
        })?;
    Ok(counts.expect("there is a task"))
}

/// Names the first entry in these rows that is not fit to be counted; NaN only if it is not either.
pub(super) fn first_invalid_entry(
    rows: &Rows<'_>,
    presence: Presence,
    block: Range<usize>,
    nan_too: bool,
) -> Error {
    let places = block.flat_map(|row| (0..rows.n_features()).map(move |column| (row, column)));
    let entries = places.map(|(row, column)| (row, column, rows.entry(row, column)));
    let mut invalid =
        entries.filter(|&(_, _, value)| !presence.is_valid(value) && (nan_too || !value.is_nan()));
    let (row, column, value) = invalid.next().expect("an entry that was not fit");
    invalid_entry(presence, row, column, value)
}

pub(super) fn invalid_entry(presence: Presence, row: usize, column: usize, value: f64) -> Error {
    Error::Input(match (value.is_finite(), presence) {
        (false, _) => InputError::NonFinite { row, column, value },
        (true, Presence::Amount) => InputError::Negative { row, column, value },
        (true, _) => InputError::NoShare { row, column, value },
    })
}
