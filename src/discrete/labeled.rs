//! The classes of rows, and what each row counts.

use crate::error::Result;
use crate::moments::{check_labels, check_weights};

/// For each row its class and its weight.
///
/// ```
/// use gauda::core::discrete::{Labeled, count_levels};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let x = array![[0_u8], [0], [1]];
/// let labeled = Labeled { labels: &[0, 1, 1], classes: 2, weights: Some(&[1.0, 2.0, 0.5]) };
/// let counts = count_levels(&Rows::from(x.view()).columns(), labeled, false, Parallel::default())?;
/// assert_eq!(counts.columns, [array![[1.0, 0.0], [2.0, 0.5]]]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Labeled<'a> {
    /// The class of each row.
    pub labels: &'a [u32],
    /// Number of classes.
    pub classes: usize,
    /// The weight of each row; without any, each counts 1.
    pub weights: Option<&'a [f64]>,
}

impl Labeled<'_> {
    /// Refuses labels or weights that do not fit the rows.
    pub(crate) fn check(&self, rows: usize) -> Result<()> {
        check_labels(self.labels, rows, self.classes)?;
        check_weights(self.weights, rows)
    }

    /// The weight of a row.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }
}
