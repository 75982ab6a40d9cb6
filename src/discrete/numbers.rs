//! Sums of columns of numbers, class by class, of the entries that are there: NaN is left out.

use ndarray::Array2;

use super::check_columns;
use super::labeled::Labeled;
use crate::error::{Error, InputError, Result};
use crate::moments::{Gaps, Observed, Source, UnitWeights, check_room};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Of each class and column: the weight of the entries that are there, their mean, and the sum of squares about it.
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
    let Labeled { labels, classes, weights } = labeled;
    labeled.check(labels.len())?;
    check_columns(columns, labels.len())?;
    check_room(classes, columns.len())?;
    let unit = UnitWeights::of_classes(weights, labels, classes);
    if columns.is_empty() {
        let none = || Array2::zeros((classes, 0));
        return Ok(NumberSums { weights: none(), means: none(), scatter: none() });
    }
    let sums = Observed::in_units(Source::Columns(columns), labels, &unit, Gaps::LeftOut, parallel);
    let sums = sums.map_err(|error| match error {
        Error::Input(InputError::NonFinite { .. }) => first_infinite(columns).unwrap_or(error),
        other => other,
    })?;
    Ok(NumberSums { means: sums.means.sum(), weights: sums.seen, scatter: sums.scatter })
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
