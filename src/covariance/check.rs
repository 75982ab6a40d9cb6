//! Matrices that could be covariances.

use ndarray::{ArrayView2, s};

use crate::error::{Error, InputError, Owner, Result, check_number, not_empty, same_size};
use crate::linalg::{standardize, symmetric_eigen};

/// How far a matrix may be from symmetric, in units of its columns: rounding is, anything else is another matrix.
const ASYMMETRY: f64 = 1e-6;

/// The smallest eigenvalue on the correlation scale that rounding, also of rows that were removed, may leave.
const NEGATIVE: f64 = -1e-5;

/// An error unless a matrix is square, and its entries are numbers.
pub(super) fn check_square(matrix: ArrayView2<'_, f64>) -> Result<()> {
    not_empty("rows of the covariance", matrix.nrows())?;
    same_size("columns of the covariance", matrix.ncols(), matrix.nrows())?;
    if is_finite(matrix) {
        return Ok(());
    }
    let finite = |&entry: &f64| check_number("an entry of a covariance", "finite", entry, f64::is_finite);
    matrix.iter().try_for_each(finite)
}

/// An error if an entry is infinite.
pub(super) fn check_overflow(matrix: ArrayView2<'_, f64>, what: Owner) -> Result<()> {
    if is_finite(matrix) {
        return Ok(());
    }
    match matrix.indexed_iter().find(|(_, entry)| entry.is_infinite()) {
        Some(((_, column), _)) => Err(Error::Input(InputError::Overflow { what, column })),
        None => Ok(()),
    }
}

/// Whether all entries are finite; a loop without a way out runs on several at once.
fn is_finite(matrix: ArrayView2<'_, f64>) -> bool {
    matrix.outer_iter().all(|row| row.fold(true, |finite, entry| finite & entry.is_finite()))
}

/// Whether a square matrix is its own mirror image, to the bit.
fn is_symmetric(matrix: ArrayView2<'_, f64>) -> bool {
    // Squares of it stay in the cache while they are read the other way round.
    const EDGE: usize = 32;
    let starts = || (0..matrix.nrows()).step_by(EDGE);
    let end = |start: usize| (start + EDGE).min(matrix.nrows());
    let square = |i: usize, j: usize| matrix.slice_move(s![i..end(i), j..end(j)]);
    starts().all(|i| starts().take_while(|&j| j <= i).all(|j| square(i, j) == square(j, i).t()))
}

/// An error unless a square matrix could be the covariance of someone: finite, symmetric, no variance negative.
pub(crate) fn check_covariance(matrix: ArrayView2<'_, f64>, what: Owner) -> Result<()> {
    check_overflow(matrix, what)?;
    check_square(matrix)?;
    let symmetric = is_symmetric(matrix);
    for (i, row) in matrix.outer_iter().enumerate() {
        check_number("a variance", "at least 0", row[i], |variance| variance >= 0.0)?;
        if symmetric {
            continue;
        }
        for (j, &entry) in row.iter().enumerate().take(i) {
            let unit = matrix[(i, i)].sqrt() * matrix[(j, j)].sqrt();
            let apart = entry - matrix[(j, i)];
            check_number(
                "the difference of two entries of a covariance that are mirrored",
                "0",
                apart,
                |apart| apart.abs() <= ASYMMETRY * unit.max(entry.abs()),
            )?;
        }
    }
    Ok(())
}

/// An error if a covariance has an eigenvalue that is negative beyond rounding: no rows have such.
pub(crate) fn check_semidefinite(covariance: ArrayView2<'_, f64>) -> Result<()> {
    let scales = covariance.diag().mapv(|variance| if variance > 0.0 { variance.sqrt() } else { 1.0 });
    let Some(eigen) = symmetric_eigen(standardize(covariance, &scales).view()) else {
        return Ok(()); // which is told elsewhere
    };
    let smallest = eigen.values.iter().copied().fold(f64::INFINITY, f64::min);
    check_number(
        "the smallest eigenvalue of a covariance, on the correlation scale,",
        "at least 0",
        smallest,
        |smallest| smallest >= NEGATIVE,
    )
}
