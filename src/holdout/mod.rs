//! How well models do on rows that they have not seen: each row under the model of all others, and held-out rows under
//! whole grids of regularized models. Nothing is fitted anew: moments without the rows are enough.

mod columns;
mod coordinates;
mod downdate;
mod family;
mod folds;
mod grid;
mod left_out_pair;
mod loo;
mod mixed_covariances;
mod refit;
mod smoothing;
mod tally;

pub use columns::{ColumnFamily, ColumnSums, leave_one_out_columns};
pub use family::Family;
pub use folds::cross_validate;
pub use loo::{leave_one_out, tally_left_out};
pub use tally::Tally;

use crate::kernel::{Double, Lanes};
use crate::score::TILE_ROWS;

const LANES: usize = <Double as Lanes<f64>>::COUNT;
