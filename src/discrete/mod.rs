//! Naive Bayes on discrete and mixed columns: counts of levels, and models that look probabilities up.
//!
//! A column of levels holds 0, 1, 2, …; a column of presence holds whatever lies above a threshold or not; a column of
//! amounts says how often something occurs; a column of numbers has a normal density in each class.

mod affine_model;
mod affine_worker;
mod column_worker;
mod columns;
mod draws;
mod labeled;
mod levels;
mod numbers;
mod presence;
mod presence_sums;
mod refusal;
mod sparse;
#[cfg(test)]
mod tests;

pub use affine_model::AffineModel;
pub use columns::{ColumnModel, Feature};
pub use labeled::Labeled;
pub use levels::{LevelCounts, count_levels};
#[cfg(feature = "python")]
pub(crate) use numbers::moments_of_numbers;
pub use numbers::{NumberSums, sum_numbers};
pub(crate) use presence::{PresenceCounts, weigh_presence, weigh_sparse_presence};
pub use presence::{count_amounts, count_presence, count_sparse_amounts, count_sparse_presence};
pub use sparse::Sparse;

use crate::error::{Result, check_number, same_size};
use crate::kernel::{Double, Lanes};
use crate::rows::Rows;

/// Rows of a task over columns of so many entries: enough to be worth a thread, whatever the number of threads.
fn rows_per_task(row_work: usize) -> usize {
    const TASK_WORK: usize = 1 << 19;
    (TASK_WORK / row_work.max(1)).clamp(1 << 8, 1 << 16)
}

/// Multiply-adds in the time that one entry takes to be looked up.
const LOOKUP_WORK: usize = 8;

/// Rows that are scored together: as many as stay in cache with the scores of so many classes.
fn tile_rows(classes: usize) -> usize {
    (4096 / classes).clamp(64, 256).next_multiple_of(Double::COUNT)
}

/// Refuses columns that have not one entry for each row.
fn check_columns(columns: &[Rows<'_>], rows: usize) -> Result<()> {
    columns.iter().try_for_each(|column| {
        same_size("number of rows", column.n_rows(), rows)?;
        same_size("entries of a column for each row", column.n_features(), 1)
    })
}

/// Refuses what is not a logarithm of a probability, up to rounding.
fn check_log(log: f64) -> Result<()> {
    const ROUNDING: f64 = 1e-9;
    check_number("a log-probability", "at most 0", log, |log| log <= ROUNDING)
}
