//! Sums of columns of numbers, class by class, of the entries that are there: NaN is left out.

use ndarray::Array2;

use super::check_columns;
use super::labeled::Labeled;
#[cfg(feature = "python")]
use crate::error::not_empty;
use crate::error::{Error, InputError, Result};
#[cfg(feature = "python")]
use crate::moments::Moments;
use crate::moments::{Observed, check_room};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Of each class and column: the weight of the entries that are there, their mean, and the sum of squares about it.
///
/// There is an example at [`sum_numbers`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NumberSums {
    /// Weights.
    pub weights: Array2<f64>,
    /// Means; 0 without weight.
    pub means: Array2<f64>,
    /// Sums of squares about the means.
    pub scatter: Array2<f64>,
}

/// Sums up columns of one entry per row, NaN left out.
///
/// # Errors
/// Infinite entries, squares that overflow, labels or weights that do not fit.
///
/// ```
/// use gauda::core::discrete::{Labeled, sum_numbers};
/// use gauda::core::{Parallel, Rows};
/// use ndarray::array;
///
/// let x = array![[1.0], [f64::NAN], [5.0]];
/// let labeled = Labeled { labels: &[0, 0, 0], classes: 1, weights: None };
/// let sums = sum_numbers(&Rows::from(x.view()).columns(), labeled, Parallel::default())?;
/// assert_eq!((sums.weights[(0, 0)], sums.means[(0, 0)], sums.scatter[(0, 0)]), (2.0, 3.0, 8.0));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn sum_numbers(columns: &[Rows<'_>], labeled: Labeled<'_>, parallel: Parallel<'_>) -> Result<NumberSums> {
    check_sums(columns, labeled)?;
    if columns.is_empty() {
        let none = || Array2::zeros((labeled.classes, 0));
        return Ok(NumberSums { weights: none(), means: none(), scatter: none() });
    }
    let Labeled { labels, classes, weights } = labeled;
    let sums = Observed::of_columns(columns, labels, classes, weights, parallel);
    let sums = sums.map_err(|error| name_first(error, columns))?;
    Ok(NumberSums { means: sums.means.sum(), weights: sums.seen, scatter: sums.scatter })
}

/// The same as diagonal moments, of at least one column; their means have two parts each.
#[cfg(feature = "python")]
pub(crate) fn moments_of_numbers(
    columns: &[Rows<'_>],
    labeled: Labeled<'_>,
    parallel: Parallel<'_>,
) -> Result<Moments> {
    check_sums(columns, labeled)?;
    not_empty("number of columns", columns.len())?;
    let Labeled { labels, classes, weights } = labeled;
    Moments::from_columns(columns, labels, classes, weights, parallel)
        .map_err(|error| name_first(error, columns))
}

fn check_sums(columns: &[Rows<'_>], labeled: Labeled<'_>) -> Result<()> {
    labeled.check(labeled.labels.len())?;
    check_columns(columns, labeled.labels.len())?;
    check_room(labeled.classes, columns.len())
}

/// What is not finite is named by its first row, not by its first column.
fn name_first(error: Error, columns: &[Rows<'_>]) -> Error {
    match error {
        Error::Input(InputError::NonFinite { .. }) => first_infinite(columns).unwrap_or(error),
        other => other,
    }
}

/// The error about the first row that has an infinite entry in any column.
fn first_infinite(columns: &[Rows<'_>]) -> Option<Error> {
    let refused = columns.iter().enumerate().filter_map(|(place, column)| {
        column.check_not_infinite(0..column.n_rows()).err().map(|error| error.in_column(place))
    });
    refused.min_by_key(|error| match error {
        Error::Input(InputError::NonFinite { row, .. }) => *row,
        _ => usize::MAX,
    })
}
