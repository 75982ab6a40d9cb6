//! Parts of a model, checked before anything is made of them: they may come from anywhere.

use ndarray::{Array2, Axis};

use super::{Parts, Shape};
use crate::error::{Result, check_number, not_empty, same_size};
use crate::linalg::Whitening;

/// How much the logarithm of a determinant may differ from that of its factors, for each of them.
const ROUNDING: f64 = 1e-9;

impl Parts {
    /// An error unless these are parameters of some model.
    pub(super) fn check(&self) -> Result<()> {
        self.means.check()?;
        let (classes, features) = self.means.shift.dim();
        not_empty("number of classes", classes)?;
        same_size("length of the center", self.center.len(), features)?;
        all_finite("an entry of the center", &self.center)?;
        all_finite("a mean", &self.means.sum())?;
        self.shape.check(classes, features)
    }
}

impl Shape {
    fn check(&self, classes: usize, features: usize) -> Result<()> {
        match self {
            Self::Full(whitenings) => {
                same_size("number of covariances", whitenings.len(), classes)?;
                for whitening in whitenings {
                    same_size("rows of a whitening matrix", whitening.matrix.nrows(), features)?;
                    whitening.check(features)?;
                    whitening.check_triangular()?;
                }
                Ok(())
            }
            Self::Tied { whitening, whitened_means, .. } => {
                whitening.check(features)?;
                let rank = whitening.matrix.nrows();
                same_size("number of whitened means", whitened_means.nrows(), classes)?;
                same_size("length of whitened means", whitened_means.ncols(), rank)?;
                all_finite("a whitened mean", whitened_means)
            }
            Self::Diag(deviations) => {
                same_size("rows of deviations", deviations.nrows(), classes)?;
                same_size("columns of deviations", deviations.ncols(), features)?;
                let positive = |deviation: f64| deviation > 0.0 && is_regular(deviation);
                deviations.iter().try_for_each(|&s| {
                    check_number("a standard deviation", "positive and finite", s, positive)
                })
            }
        }
    }
}

impl Whitening {
    /// An error unless this whitens some covariance of so many columns.
    fn check(&self, features: usize) -> Result<()> {
        let (rank, columns) = self.matrix.dim();
        not_empty("rows of a whitening matrix", rank)?;
        same_size("rows of a whitening matrix", rank, rank.min(features))?;
        same_size("columns of a whitening matrix", columns, features)?;
        all_finite("an entry of a whitening matrix", &self.matrix)?;
        check_vectors("the largest entry in a row of a whitening matrix", &self.matrix, Axis(0))?;
        if rank < features {
            return Ok(());
        }
        check_vectors("the largest entry in a column of a whitening matrix", &self.matrix, Axis(1))?;
        check_number("the log-determinant of a covariance", "finite", self.log_det, f64::is_finite)?;
        match self.is_triangular() {
            true => self.check_pivots(),
            false => Ok(()),
        }
    }

    /// Whether all entries above the diagonal are 0; a loop without a way out runs on several at once.
    fn is_triangular(&self) -> bool {
        let mut rows = self.matrix.outer_iter().enumerate();
        rows.all(|(i, row)| row.iter().skip(i + 1).fold(true, |zero, &entry| zero & (entry == 0.0)))
    }

    /// An error unless a square matrix is lower triangular.
    fn check_triangular(&self) -> Result<()> {
        if self.is_triangular() {
            return Ok(());
        }
        let above = self.matrix.indexed_iter().filter(|((i, j), _)| j > i);
        above.map(|(_, &entry)| entry).try_for_each(|entry| {
            check_number("an entry above the diagonal of a whitening matrix", "0", entry, |entry| {
                entry == 0.0
            })
        })
    }

    /// An error unless a triangular matrix has an inverse, and the determinant that goes with it.
    fn check_pivots(&self) -> Result<()> {
        let pivots = self.matrix.diag();
        pivots.iter().try_for_each(|&pivot| {
            check_number("a pivot of a whitening matrix", "finite and not 0", pivot, is_regular)
        })?;
        let logarithms = pivots.mapv(|pivot| pivot.abs().ln());
        let tolerated: f64 = logarithms.iter().map(|logarithm| ROUNDING * (1.0 + logarithm.abs())).sum();
        let expected = "that of the whitening matrix";
        check_number("the log-determinant of a covariance", expected, self.log_det, |log_det| {
            (log_det + 2.0 * logarithms.sum()).abs() <= tolerated
        })
    }
}

/// Whether a number and its inverse have all their digits.
fn is_regular(number: f64) -> bool {
    number.is_normal() && number.recip().is_normal()
}

fn all_finite<'a>(
    what: &'static str,
    numbers: impl IntoIterator<Item = &'a f64, IntoIter: Clone>,
) -> Result<()> {
    let mut numbers = numbers.into_iter();
    if numbers.clone().fold(true, |finite, number| finite & number.is_finite()) {
        return Ok(());
    }
    numbers.try_for_each(|&number| check_number(what, "finite", number, f64::is_finite))
}

/// An error if a row (axis 0) or a column (axis 1) is 0.
fn check_vectors(what: &'static str, matrix: &Array2<f64>, axis: Axis) -> Result<()> {
    if matrix.is_square() && matrix.diag().iter().all(|&pivot| pivot != 0.0) {
        return Ok(());
    }
    matrix.axis_iter(axis).try_for_each(|vector| {
        let largest = vector.fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        check_number(what, "larger than 0", largest, |largest| largest > 0.0)
    })
}
