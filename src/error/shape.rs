//! Sizes and structures that do not go together.

use thiserror::Error;

/// Inputs that belong together but differ in size or structure.
///
/// ```
/// use gauda::{Error, Qda, ShapeError};
/// use ndarray::array;
///
/// let error = Qda::params().fit(&array![[1.0], [2.0]], &[0, 1, 1]).unwrap_err();
/// assert!(matches!(error, Error::Shape(ShapeError::Size { given: 3, expected: 2, .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Two inputs that belong together differ in size.
    #[error("{what}: expected {expected}, got {given}")]
    Size {
        /// What was counted.
        what: &'static str,
        /// The size given.
        given: usize,
        /// The size needed.
        expected: usize,
    },

    /// Two moments that do not go together.
    #[error("moments do not go together: {0} differ")]
    Incompatible(&'static str),
}
