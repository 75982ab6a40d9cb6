//! How often each level of each column occurs in each class, in one pass over the rows.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};

use super::labeled::Labeled;
use super::refusal::for_each_column;
use super::{check_columns, rows_per_task};
use crate::error::{Error, InputError, Result};
use crate::memory::room_for;
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// Bytes of a block of rows of doubles, all columns of which are read before the next block.
const BLOCK_BYTES: usize = 1 << 18;

/// Counts that all columns together may have: 2 GiB. A system may promise more than it has, and end the process when it
/// is asked to keep its word.
const MAX_COUNTS: usize = 1 << 28;

/// What a level that is missing is read as.
pub(super) const NONE: u32 = u32::MAX;

/// Sums of weights.
///
/// There is an example at [`count_levels`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LevelCounts {
    /// Weight of each class.
    pub classes: Vec<f64>,
    /// For each column the weight of each class and level, up to the last level that occurs.
    pub columns: Vec<Array2<f64>>,
}

/// Counts levels in columns of one entry per row. Where entries may be missing, NaN is not counted.
///
/// # Errors
/// Entries that are not levels, or so high that their counts would take too much memory, as do more classes than there is memory
/// for; columns, labels or weights that do not fit.
///
/// ```
/// use gauda::core::discrete::{Labeled, count_levels};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let x = array![[0_u8, 2], [1, 2], [1, 0]];
/// let labeled = Labeled { labels: &[0, 0, 1], classes: 2, weights: None };
/// let counts = count_levels(&Rows::from(x.view()).columns(), labeled, false, Parallel::default())?;
/// assert_eq!(counts.columns[1], array![[0.0, 0.0, 2.0], [1.0, 0.0, 0.0]]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn count_levels(
    columns: &[Rows<'_>],
    labeled: Labeled<'_>,
    may_miss: bool,
    parallel: Parallel<'_>,
) -> Result<LevelCounts> {
    let rows = labeled.labels.len();
    check_columns(columns, rows)?;
    labeled.check(rows)?;
    room_for(Some(labeled.classes))?;
    let pass = Pass { columns, labeled, may_miss };
    let task_rows = rows_per_task(columns.len()).max(labeled.classes.saturating_mul(16));
    let tasks = (rows / task_rows).max(1);
    let count = |task: usize, job: &Job<'_>| pass.count(task_range(task, tasks, rows, 1), job);
    let tables = parallel.fold_in_order(tasks, count, Tables::join)?.expect("there is a task");
    let as_counts = |table: &Vec<f64>| {
        let levels = table.len() / labeled.classes.max(1);
        let by_level = ArrayView2::from_shape((levels, labeled.classes), table).expect("whole levels");
        by_level.t().as_standard_layout().into_owned()
    };
    Ok(LevelCounts { columns: tables.columns.iter().map(as_counts).collect(), classes: tables.classes })
}

/// The counts of some rows: of each class, and of each column [level][class], which can grow.
struct Tables {
    classes: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl Tables {
    /// Makes room for more levels of a column, which as yet do not occur.
    fn grow(&mut self, column: usize, length: usize, too_many: impl FnOnce() -> Error) -> Result<()> {
        let before = self.columns[column].len();
        if length <= before {
            return Ok(());
        }
        let all = self.columns.iter().map(Vec::len).sum::<usize>();
        if (all - before).saturating_add(length) > MAX_COUNTS {
            return Err(too_many());
        }
        let table = &mut self.columns[column];
        let missing = Error::Memory { bytes: length * size_of::<f64>() };
        table.try_reserve_exact(length - before).map_err(|_| missing)?;
        table.resize(length, 0.0);
        Ok(())
    }

    fn join(&mut self, other: Self) {
        add(&mut self.classes, &other.classes);
        for (column, mut other) in self.columns.iter_mut().zip(other.columns) {
            if column.len() < other.len() {
                // Sums do not depend on the order of two terms.
                std::mem::swap(column, &mut other);
            }
            add(column, &other);
        }
    }
}

fn add(sums: &mut [f64], others: &[f64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

struct Pass<'a, 'r> {
    columns: &'a [Rows<'r>],
    labeled: Labeled<'a>,
    may_miss: bool,
}

impl Pass<'_, '_> {
    fn count(&self, range: Range<usize>, job: &Job<'_>) -> Result<Tables> {
        let block_rows = (BLOCK_BYTES / (size_of::<f64>() * self.columns.len().max(1))).clamp(64, 2048);
        let mut tables =
            Tables { classes: vec![0.0; self.labeled.classes], columns: vec![vec![]; self.columns.len()] };
        let mut levels = vec![0; block_rows];
        for start in range.clone().step_by(block_rows) {
            job.check()?;
            let block = start..(start + block_rows).min(range.end);
            let levels = &mut levels[..block.len()];
            for row in block.clone() {
                tables.classes[self.labeled.labels[row] as usize] += self.labeled.weight(row);
            }
            for_each_column(self.columns.len(), |column| {
                self.columns[column].read_levels(block.clone(), levels);
                self.count_column(column, block.clone(), levels, &mut tables)
            })?;
        }
        Ok(tables)
    }

    fn count_column(
        &self,
        column: usize,
        block: Range<usize>,
        levels: &[u32],
        tables: &mut Tables,
    ) -> Result<()> {
        let classes = self.labeled.classes;
        let labels = &self.labeled.labels[block.clone()];
        let highest = levels.iter().fold(0, |highest, &level| highest.max(level));
        let known = if highest == NONE {
            let rows = block.clone().zip(levels).filter(|(_, level)| **level == NONE);
            rows.map(|(row, _)| row).try_for_each(|row| self.refuse(row, column))?;
            levels.iter().copied().filter(|&level| level != NONE).max()
        } else {
            Some(highest)
        };
        if let Some(highest) = known {
            tables.grow(column, classes.saturating_mul(highest as usize + 1), || {
                let row = block.start + levels.iter().position(|&level| level == highest).unwrap_or_default();
                Error::Input(InputError::NoLevel { row, column, value: f64::from(highest) })
            })?;
        }
        let table = &mut tables.columns[column];
        let cells = labels.iter().zip(levels).map(|(&label, &level)| (level, label as usize));
        match self.labeled.weights {
            None if highest != NONE => {
                cells.for_each(|(level, class)| table[level as usize * classes + class] += 1.0);
            }
            _ => {
                for ((level, class), row) in cells.zip(block).filter(|((level, _), _)| *level != NONE) {
                    table[level as usize * classes + class] += self.labeled.weight(row);
                }
            }
        }
        Ok(())
    }

    /// An entry that is not a level may at most be missing.
    fn refuse(&self, row: usize, column: usize) -> Result<()> {
        no_level(&self.columns[column], self.may_miss, row, column)
    }
}

/// The error for an entry that is not a level, unless it is missing and may be.
pub(super) fn no_level(entries: &Rows<'_>, may_miss: bool, row: usize, column: usize) -> Result<()> {
    let value = entries.entry(row, 0);
    match value.is_nan() {
        true if may_miss => Ok(()),
        true => Err(Error::Input(InputError::NonFinite { row, column, value })),
        false if value.is_infinite() => Err(Error::Input(InputError::NonFinite { row, column, value })),
        false => Err(Error::Input(InputError::NoLevel { row, column, value })),
    }
}
