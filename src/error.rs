//! Every way in which the core can fail, as one typed value. Classes, rows and columns are indices counted from 0;
//! whoever knows their names may put them into a message of its own.

mod input;
mod rank;
mod scores;
mod shape;

use thiserror::Error;

use crate::linalg::Deficiency;

pub use input::InputError;
pub use rank::RankError;
pub use scores::ScoresError;
pub use shape::ShapeError;

/// Shorthand for results of the core.
///
/// ```
/// fn posterior(x: f64) -> gauda::Result<f64> {
///     let model = gauda::Lda::params().fit(&ndarray::array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
///     Ok(model.predict_proba(&ndarray::array![[x]])?[[0, 1]])
/// }
/// assert!((posterior(0.0)? - 0.5).abs() < 1e-12);
/// # Ok::<(), gauda::Error>(())
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, by what mends it: other values, other sizes, more rows or regularization, other questions.
///
/// ```
/// use gauda::{Error, InputError, Qda, RankError};
/// use ndarray::array;
///
/// let y = [0, 0, 1, 1];
/// match Qda::params().fit(&array![[1.0], [f64::NAN], [5.0], [7.0]], &y) {
///     Err(Error::Input(InputError::NonFinite { row, column, .. })) => assert_eq!((row, column), (1, 0)),
///     other => panic!("{other:?}"),
/// }
/// let same = Qda::params().fit(&array![[1.0], [1.0], [5.0], [7.0]], &y);
/// assert!(matches!(same, Err(Error::Rank(RankError::Singular { rank: 0, .. }))));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A value in the data or a parameter could not be what it is given as.
    #[error(transparent)]
    Input(#[from] InputError),

    /// Inputs that belong together differ in size or structure.
    #[error(transparent)]
    Shape(#[from] ShapeError),

    /// A covariance has no inverse, or needs more rows.
    #[error(transparent)]
    Rank(#[from] RankError),

    /// Rows cannot be scored so.
    #[error(transparent)]
    Scores(#[from] ScoresError),

    /// The caller asked for an end.
    #[error("interrupted")]
    Cancelled,

    /// Moments or counts do not fit into memory.
    #[error(
        "moments or counts need {bytes} bytes, more than the system gives; use fewer columns, or a simpler covariance"
    )]
    Memory {
        /// What would be needed.
        bytes: usize,
    },
}

impl Error {
    /// An error about the one column of a table, which has this place among others.
    pub(crate) fn in_column(self, place: usize) -> Self {
        match self {
            Self::Input(InputError::Removal { what, .. }) => {
                InputError::Removal { what, column: Some(place) }.into()
            }
            other => other.map_column(|_| place),
        }
    }

    pub(crate) fn singular(what: Owner, weight: f64, features: usize, deficiency: Deficiency) -> Self {
        let Deficiency { rank, constant, dependent } = deficiency;
        RankError::Singular { what, weight, features, rank, constant, dependent }.into()
    }

    /// The same error about the column of another table.
    pub(crate) fn map_column(mut self, map: impl Fn(usize) -> usize) -> Self {
        if let Self::Input(
            InputError::NonFinite { column, .. }
            | InputError::Overflow { column, .. }
            | InputError::Underflow { column, .. }
            | InputError::NoLevel { column, .. }
            | InputError::UnknownLevel { column, .. },
        ) = &mut self
        {
            *column = map(*column);
        }
        self
    }
}

/// Whom a covariance belongs to.
///
/// ```
/// use gauda::{Error, InputError, Moments, Owner, Structure};
/// use ndarray::array;
///
/// let x = array![[1e200], [-1e200]];
/// let error = Moments::from_rows(&x, &[7, 7], Structure::Full).unwrap_err();
/// assert_eq!(error, Error::Input(InputError::Overflow { what: Owner::Class(0), column: 0 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// One class.
    Class(usize),
    /// All classes together.
    Pooled,
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Class(class) => write!(f, "class {class}"),
            Self::Pooled => write!(f, "all classes"),
        }
    }
}

/// Checks that two sizes agree.
pub(crate) fn same_size(what: &'static str, given: usize, expected: usize) -> Result<()> {
    if given == expected { Ok(()) } else { Err(ShapeError::Size { what, given, expected }.into()) }
}

/// Checks a number; `fits` is false for NaN.
pub(crate) fn check_number(
    what: &'static str,
    expected: &'static str,
    value: f64,
    fits: impl Fn(f64) -> bool,
) -> Result<()> {
    if fits(value) { Ok(()) } else { Err(InputError::Argument { what, expected, value }.into()) }
}

/// Checks a share of something.
pub(crate) fn check_share(what: &'static str, share: f64) -> Result<()> {
    check_number(what, "from 0 to 1", share, |share| (0.0..=1.0).contains(&share))
}

/// Checks a tolerance, which may be infinite.
pub(crate) fn check_tolerance(tol: f64) -> Result<()> {
    check_number("tol", "at least 0", tol, |tol| tol >= 0.0)
}

/// Checks that there is something.
pub(crate) fn not_empty(what: &'static str, given: usize) -> Result<()> {
    same_size(what, given, given.max(1))
}
