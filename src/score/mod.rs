//! What can be asked of rows, and the one pass that answers.

mod answers;
mod best;
mod block;
mod block_rows;
mod bounds;
mod few;
mod gaussian;
mod marginal;
mod measure;
mod names;
mod no_data;
mod outcome;
mod panels;
mod pass;
mod respond;
mod rules;
mod scorer;
mod scores;
mod screened;
mod setters;
#[cfg(test)]
mod tests;
mod writer;

pub use answers::Answers;
pub use best::Best;
pub use marginal::Missing;
pub use names::{Named, Names};
pub(crate) use outcome::Outcome;
pub(crate) use pass::{Answered, answer, check_no_data, score, score_some};
pub(crate) use respond::Response;
pub(crate) use rules::Ruling;
pub use rules::{Priors, Rules};
pub(crate) use scorer::{Basis, Form, ModelPrior, Need, Raw, Refuse, Scorer, Worker};

/// Rows that go through the pass together; their packed form stays in cache while the classes pass by.
pub(crate) const TILE_ROWS: usize = 64;

/// Multiply-adds of a task: enough to be worth a thread, and few tasks for many rows.
const TASK_WORK: usize = 1 << 22;

/// Rows of a task, whole tiles, given the multiply-adds that one row costs.
pub(crate) fn rows_per_task(row_work: usize, tile_rows: usize) -> usize {
    (TASK_WORK / row_work.max(1)).clamp(tile_rows, 1 << 16).next_multiple_of(tile_rows)
}
