//! How often something is present in each column, or occurs at all, class by class, in one pass over dense or sparse
//! rows.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, Axis};

use super::labeled::Labeled;
use super::presence_sums::{Sums, Tables, count};
use super::sparse::Sparse;
use crate::error::{Error, InputError, Result, not_empty};
use crate::kernel::{Counted, Presence, exact_sum};
use crate::parallel::{Job, Parallel};
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
    Ok(count_dense(rows, presence(threshold)?, labeled, false, parallel)?.counts())
}

/// What is present in each class and column, and what is not.
#[derive(Debug, Clone, PartialEq)]
pub struct PresenceCounts {
    /// Weights of the classes.
    pub(crate) classes: Vec<f64>,
    /// Weights of what is present, class × column.
    pub(crate) present: Array2<f64>,
    /// Weights of what is not, likewise: summed up by itself, as no difference of sums would tell light rows beside heavy ones.
    /// Nothing where rows count alike, whose differences are exact.
    pub(crate) absent: Option<Array2<f64>>,
}

impl PresenceCounts {
    /// Weights of what is not present, class × column.
    pub(crate) fn absent(&self) -> Array2<f64> {
        self.absent.clone().unwrap_or_else(|| {
            let totals = ArrayView1::from(&self.classes).insert_axis(Axis(1));
            (&totals - &self.present).mapv(|absent| absent.max(0.0))
        })
    }
}

/// The same as [`count_presence`], and of rows with weights what is absent, too.
///
/// # Errors
/// Those of [`count_presence`].
pub(crate) fn weigh_presence(
    rows: &Rows<'_>,
    threshold: Option<f64>,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<PresenceCounts> {
    let sums = count_dense(rows, presence(threshold)?, labeled, labeled.weights.is_some(), parallel)?;
    let absent = labeled.weights.map(|_| sums.further);
    Ok(PresenceCounts { classes: sums.classes, present: sums.counts, absent })
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
    Ok(count_dense(rows, Presence::Amount, labeled, false, parallel)?.counts())
}

fn count_dense(
    rows: &Rows<'_>,
    presence: Presence,
    labeled: Labeled<'_>,
    and_absent: bool,
    parallel: Parallel<'_>,
) -> Result<Sums> {
    not_empty("number of columns", rows.n_features())?;
    let part = |range: Range<usize>, sums: &mut Sums, job: &Job<'_>| {
        let Sums { counts, further, .. } = sums;
        let counts = counts.as_slice_mut().expect("a C-ordered array");
        let absent = further.as_slice_mut().expect("a C-ordered array");
        for block in blocks(range) {
            job.check()?;
            let labels = &labeled.labels[block.clone()];
            let weights = labeled.weights.map(|weights| &weights[block.clone()]);
            if !rows.add_presence(block.clone(), Counted::Present(presence), labels, weights, counts) {
                return Err(first_invalid_entry(rows, presence, block, true));
            }
            if and_absent {
                rows.add_presence(block, Counted::Absent(presence), labels, weights, absent);
            }
        }
        Ok(())
    };
    let tables = if and_absent { Tables::Two } else { Tables::One };
    count((rows.n_rows(), rows.n_features()), rows.n_features(), labeled, tables, parallel, part)
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
    Ok(count_sparse(rows, presence, labeled, Tables::One, parallel)?.counts())
}

/// The same, and of rows with weights what is absent, too: what is left of the weight of the class, both with all digits that
/// rounding takes off.
///
/// # Errors
/// Those of [`count_sparse_presence`].
pub(crate) fn weigh_sparse_presence(
    rows: &Sparse<'_>,
    threshold: Option<f64>,
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<PresenceCounts> {
    let presence = presence(threshold)?;
    check_sparse(presence)?;
    let tables = if labeled.weights.is_some() { Tables::Exact } else { Tables::One };
    let Sums { classes, classes_lost, counts, further } =
        count_sparse(rows, presence, labeled, tables, parallel)?;
    let absent = labeled.weights.map(|_| {
        let mut absent = further;
        for (class, mut lost) in absent.outer_iter_mut().enumerate() {
            lost.zip_mut_with(&counts.row(class), |lost, &present| {
                let (apart, left) = exact_sum(classes[class], -present);
                *lost = (apart + (left + (classes_lost[class] - *lost))).max(0.0);
            });
        }
        absent
    });
    Ok(PresenceCounts { classes, present: counts, absent })
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
    Ok(count_sparse(rows, Presence::Amount, labeled, Tables::One, parallel)?.counts())
}

fn count_sparse(
    rows: &Sparse<'_>,
    presence: Presence,
    labeled: Labeled<'_>,
    tables: Tables,
    parallel: Parallel<'_>,
) -> Result<Sums> {
    let row_work = rows.n_entries() / rows.n_rows().max(1);
    let part = |range: Range<usize>, sums: &mut Sums, job: &Job<'_>| {
        let d = rows.n_features();
        let Sums { counts, further, .. } = sums;
        let counts = counts.as_slice_mut().expect("a C-ordered array");
        let lost = further.as_slice_mut().expect("a C-ordered array");
        let mut shares = vec![];
        for block in blocks(range) {
            job.check()?;
            let read = rows.read(block.clone(), presence, &mut shares)?;
            for (row, (columns, shares)) in block.zip(read.rows()) {
                let (first, weight) = (labeled.labels[row] as usize * d, labeled.weight(row));
                let counts = &mut counts[first..][..d];
                let entries = columns.iter().zip(shares);
                if lost.is_empty() {
                    entries.for_each(|(&column, share)| counts[column as usize] += share * weight);
                    continue;
                }
                let lost = &mut lost[first..][..d];
                for (&column, share) in entries {
                    let (added, count) = (share * weight, &mut counts[column as usize]);
                    let (sum, left) = exact_sum(*count, added);
                    *count = sum;
                    lost[column as usize] += left + share.mul_add(weight, -added);
                }
            }
        }
        Ok(())
    };
    count((rows.n_rows(), rows.n_features()), row_work, labeled, tables, parallel, part)
}

/// Blocks of a range of rows.
fn blocks(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(BLOCK_ROWS).map(move |start| start..(start + BLOCK_ROWS).min(range.end))
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
