//! New rows, drawn from a model in two steps: classes from the priors, rows from the Gaussians of their classes.
//!
//! Rows are drawn block by block, each from a stream of its own of a counter-based generator, so that a seed gives the
//! same rows whatever the number of threads.

mod classes;
mod rows;
mod streams;
#[cfg(test)]
mod tests;
mod wide;

pub(crate) use classes::sample_by_priors;
pub use classes::sample_classes;
pub use rows::sample_rows;
pub(crate) use streams::{Purpose, Stream, pick, stream};
