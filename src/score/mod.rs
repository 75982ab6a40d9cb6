//! What can be asked of rows, and the one pass that answers.

mod answers;
mod best;
mod block;
mod bounds;
mod few;
mod label_shift;
mod marginal;
mod names;
mod pass;
mod project;
mod respond;
mod rules;
mod screened;
mod tail;
#[cfg(test)]
mod tests;
mod tile;

pub use answers::Answers;
pub use best::Best;
pub use label_shift::{Adapted, adapt_priors};
pub use marginal::Missing;
pub use names::{Named, Names};
pub use pass::score;
pub use project::project;
pub use rules::{Priors, Rules};

/// Rows that go through the pass together; their packed form stays in cache while the classes pass by.
const TILE_ROWS: usize = 64;

/// Multiply-adds of a task: enough to be worth a thread, and few tasks for many rows.
const TASK_WORK: usize = 1 << 22;

/// Rows of a task, whole tiles, given the multiply-adds that one row costs.
fn rows_per_task(row_work: usize) -> usize {
    (TASK_WORK / row_work.max(1)).clamp(TILE_ROWS, 1 << 16).next_multiple_of(TILE_ROWS)
}
