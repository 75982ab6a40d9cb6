//! Rows that cannot be scored.

use thiserror::Error;

/// A score that a model does not have, or that a double cannot hold.
///
/// ```
/// use gauda::{BernoulliNb, Error};
/// use ndarray::array;
///
/// // without smoothing a row with both words could be of no class
/// let x = array![[true, false], [false, true]];
/// let model = BernoulliNb::params().alpha(0.0).fit(&x, &["left", "right"])?;
/// let error = model.predict(&array![[true, true]]).unwrap_err();
/// assert!(matches!(error, Error::Scores(_)), "{error}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ScoresError {
    /// The model lives on a proper subspace, so that rows have no density.
    #[error(
        "the common covariance has rank {rank} in {features} dimensions, so no density exists; regularize it"
    )]
    NoDensity {
        /// Rank of the common covariance.
        rank: usize,
        /// Number of columns.
        features: usize,
    },

    /// The model has no distances, because it has columns that are not normal.
    #[error(
        "{what} are not defined for models of discrete or mixed columns, whose classes have no distances; ask for \
         posteriors, joint probabilities or expected costs"
    )]
    NoDistance {
        /// What was asked for.
        what: &'static str,
    },

    /// A score of a row overflows.
    #[error("row {row} is so far from the classes that its scores overflow; check its units, or use f64")]
    TooFar {
        /// The row.
        row: usize,
    },

    /// A column varies so little that single precision cannot hold its scale.
    #[error(
        "the values in column {column} are too small for single precision; multiply the column, or use f64"
    )]
    TooFine {
        /// The column.
        column: usize,
    },

    /// No class can have made a row.
    #[error("row {row} has probability 0 in every class; smooth the probabilities")]
    Impossible {
        /// The row.
        row: usize,
    },
}
