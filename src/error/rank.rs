//! Covariances that have no inverse.

use thiserror::Error;

use super::Owner;

/// Too few rows or too little variation for a covariance that has an inverse.
///
/// ```
/// use gauda::{Error, Qda};
/// use ndarray::array;
///
/// // the columns of class 0 are the same
/// let x = array![[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [1.0, 2.0], [2.0, 1.0], [3.0, 5.0]];
/// let error = Qda::params().fit(&x, &[0, 0, 0, 1, 1, 1]).unwrap_err();
/// assert!(matches!(error, Error::Rank(_)), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RankError {
    /// A divisor such as n − 1 is not positive.
    #[error(
        "{what} has total weight {weight}, which an unbiased covariance must exceed {needed}; \
         use the maximum-likelihood divisor or more rows"
    )]
    Divisor {
        /// Whose divisor it is.
        what: Owner,
        /// Sum of the weights.
        weight: f64,
        /// What the sum must exceed.
        needed: f64,
    },

    /// A covariance matrix has no inverse.
    #[error(
        "the covariance matrix of {what} is not full rank: {}, {features} columns, rank {rank}; {}; \
         regularize it, use a common covariance, or drop columns",
        rows(*weight), describe(constant, dependent)
    )]
    Singular {
        /// Whose covariance it is.
        what: Owner,
        /// Rows (sum of weights) behind the covariance.
        weight: f64,
        /// Number of columns.
        features: usize,
        /// Rank on the correlation scale.
        rank: usize,
        /// Columns without variance.
        constant: Vec<usize>,
        /// Columns that take part in a linear dependence.
        dependent: Vec<usize>,
    },

    /// A naive model has columns without variance.
    #[error(
        "columns {columns:?} have no variance in class {class} of {}; drop them or smooth the variances", rows(*weight)
    )]
    ZeroVariance {
        /// The class.
        class: usize,
        /// Its rows (sum of weights).
        weight: f64,
        /// The columns.
        columns: Vec<usize>,
    },

    /// Without one of its rows a model would be singular.
    #[error(
        "without row {row} the covariance of {what} is not full rank; regularize it, or give it more rows or fewer columns"
    )]
    LeftOut {
        /// The row.
        row: usize,
        /// Whose covariance it is.
        what: Owner,
    },

    /// EM comes to a covariance without an inverse, before its first iteration or after some.
    #[error(
        "EM cannot go on after {iteration} iterations: the covariance of {what} is singular, {}; \
         drop columns, give more rows, or take columns as independent",
        describe(constant, dependent)
    )]
    Degenerate {
        /// Whose covariance it is.
        what: Owner,
        /// Iterations before.
        iteration: usize,
        /// Columns without variance.
        constant: Vec<usize>,
        /// Columns that take part in a linear dependence.
        dependent: Vec<usize>,
    },

    /// The covariance of some columns, those that rows of a pattern show, has no inverse.
    #[error("the covariance of {what} in columns {columns:?} is singular; drop columns or regularize it")]
    SingularPart {
        /// Whose covariance it is.
        what: Owner,
        /// The columns.
        columns: Vec<usize>,
    },

    /// An iterative factorization did not converge.
    #[error("the eigenvalues of {0} did not converge; rescale the data")]
    NoConvergence(Owner),
}

/// A sum of weights: of rows, where it could be their number.
fn rows(weight: f64) -> String {
    match weight {
        1.0 => "1 row".to_owned(),
        _ if weight.fract() == 0.0 => format!("{weight} rows"),
        _ => format!("weight {weight}"),
    }
}

fn describe(constant: &[usize], dependent: &[usize]) -> String {
    match (constant, dependent) {
        ([], columns) => format!("columns {columns:?} are linearly dependent"),
        (columns, []) => format!("columns {columns:?} are constant"),
        _ => format!("columns {constant:?} are constant, {dependent:?} linearly dependent"),
    }
}
