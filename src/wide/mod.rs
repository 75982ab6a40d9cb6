//! Wide data: many more columns than rows. A scatter of few rows is kept as a factor of as many rows, S = FᵀF, models are
//! made in the few directions that rows and means span, and the complement adds one number for each row and class. Nothing
//! of d × d exists.

mod algebra;
mod basis;
mod common;
mod from_rows;
mod intensity;
mod linear;
mod model;
mod moments;
mod packed;
mod quadratic;
mod removal;
mod score;
mod span;
#[cfg(test)]
mod tests;

pub use intensity::Standardized;
pub use linear::WideLinearFit;
pub use model::{Space, WideModel, WideParts};
pub use moments::WideMoments;
pub use span::SpanModel;
