//! Class means in two parts: far from zero, one double would lose digits of the spread.

use ndarray::{Array2, ArrayView2};

use crate::error::{Result, not_empty, same_size};

/// Means of each class and column: shift + offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// The first part, K × d.
    pub shift: Array2<f64>,
    /// The rest, K × d.
    pub offset: Array2<f64>,
}

impl Means {
    /// The means, rounded to doubles.
    pub fn rounded(&self) -> Array2<f64> {
        &self.shift + &self.offset
    }

    /// The means less a common centre, without the digits that rounding them first would cost.
    pub(crate) fn about(&self, center: &[f64]) -> Array2<f64> {
        let center = ArrayView2::from_shape((1, center.len()), center).expect("one row");
        &self.shift - &center + &self.offset
    }

    /// Checks that both parts have the same size, and some.
    pub(crate) fn check(&self) -> Result<()> {
        let (classes, features) = self.shift.dim();
        not_empty("number of classes", classes)?;
        not_empty("number of columns", features)?;
        same_size("rows of the offsets", self.offset.nrows(), classes)?;
        same_size("columns of the offsets", self.offset.ncols(), features)
    }
}
