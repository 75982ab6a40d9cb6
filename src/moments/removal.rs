//! What may be removed from moments: less than there is, and nothing that leaves a scatter which no rows have.

use std::ops::Range;

use ndarray::{Array1, ArrayView2, Axis};

use super::algebra::ROUNDING;
use super::{Moments, Structure};
use crate::error::{Error, Owner, Result};
use crate::linalg::{factor, standardise};

/// What one removal after another may leave of a scatter that should be 0, in parts of what it was before the last.
const DRIFT: f64 = 1e-6;

impl Moments {
    /// An error unless every class has at least the rows and the weight that are to go; a class that goes whole must lie
    /// where ours does.
    pub(super) fn check_counts(&self, part: &Self) -> Result<()> {
        let squares = self.largest_squares();
        for class in 0..self.n_classes() {
            let (weight, part_weight) = (self.weights[class], part.weights[class]);
            let rest = weight - part_weight;
            let whole = rest.abs() <= ROUNDING * weight;
            let few = self.rows[class] < part.rows[class] || (whole && self.rows[class] > part.rows[class]);
            if few || (!whole && rest < 0.0) || (whole && !self.lies_as(class, part, &squares)) {
                return Err(Error::NotPart { what: Owner::Class(class) });
            }
        }
        Ok(())
    }

    /// Whether both means of a class agree, up to the rounding of values of their size and spread.
    fn lies_as(&self, class: usize, part: &Self, squares: &Array1<f64>) -> bool {
        let apart = self.means.apart(class, &part.means, class);
        let (mean, weight) = (&self.means.shift.row(class), self.weights[class]);
        let rounding = (mean * mean * weight + squares) * ROUNDING;
        let tolerated = (self.scatter_diagonal(class) + rounding) * ROUNDING;
        (&apart * &apart * weight).iter().zip(&tolerated).all(|(apart, tolerated)| apart <= tolerated)
    }

    /// For each column the largest sum of squares in any class.
    fn largest_squares(&self) -> Array1<f64> {
        let mut largest = Array1::<f64>::zeros(self.n_features());
        for class in 0..self.n_classes() {
            largest.zip_mut_with(&self.scatter_diagonal(class), |most, square| *most = most.max(*square));
        }
        largest
    }

    /// An error unless each scatter of the rest is that of some rows, up to rounding, which is mended.
    pub(super) fn check_scatter(&self, rest: &mut Self) -> Result<()> {
        let squares = self.largest_squares().mapv(one_if_none);
        for matrix in 0..self.scatter.len_of(Axis(0)) {
            let left = rest.scatter_diagonal(matrix);
            let rounded = left.iter().zip(&squares).all(|(left, square)| left.abs() <= DRIFT * square);
            if rest.cannot_vary(matrix) && (rounded || self.has_single_rows(matrix)) {
                rest.scatter.index_axis_mut(Axis(0), matrix).fill(0.0);
            } else if !rest.is_empty(matrix) && self.may_leave(rest, matrix) {
                rest.scatter_diagonal_mut(matrix).mapv_inplace(|square| square.max(0.0));
            } else {
                let tied = self.structure == Structure::Tied;
                return Err(Error::NotPart { what: if tied { Owner::Pooled } else { Owner::Class(matrix) } });
            }
        }
        rest.clear_classes_without_weight();
        Ok(())
    }

    /// Whether a scatter is that of classes without rows, or of one. Where the one weighs more or less than a row, rows of
    /// which only half was removed may be left.
    fn cannot_vary(&self, matrix: usize) -> bool {
        let single = |class: usize| self.rows[class] == 1 && self.weights[class] == 1.0;
        self.sharing(matrix).all(|class| self.weights[class] == 0.0 || single(class))
    }

    fn has_single_rows(&self, matrix: usize) -> bool {
        self.sharing(matrix).all(|class| self.weights[class] == 0.0 || self.rows[class] == 1)
    }

    fn is_empty(&self, matrix: usize) -> bool {
        self.sharing(matrix).all(|class| self.weights[class] == 0.0)
    }

    /// The classes that have a scatter.
    fn sharing(&self, matrix: usize) -> Range<usize> {
        match self.structure {
            Structure::Tied => 0..self.n_classes(),
            Structure::Full | Structure::Diag => matrix..matrix + 1,
        }
    }

    /// Whether a scatter of the rest is positive semidefinite, up to the rounding of what it was before.
    fn may_leave(&self, rest: &Self, matrix: usize) -> bool {
        let before = self.scatter_diagonal(matrix).mapv(one_if_none);
        match self.structure {
            Structure::Diag => rest
                .scatter_diagonal(matrix)
                .iter()
                .zip(&before)
                .all(|(left, before)| *left >= -DRIFT * before),
            Structure::Full | Structure::Tied => {
                is_scatter(rest.scatter.index_axis(Axis(0), matrix), &before)
            }
        }
    }
}

fn one_if_none(square: f64) -> f64 {
    if square > 0.0 { square } else { 1.0 }
}

/// Whether a symmetric matrix is positive semidefinite up to rounding of matrices with this diagonal.
fn is_scatter(matrix: ArrayView2<'_, f64>, diagonal: &Array1<f64>) -> bool {
    let mut standardised = standardise(matrix, &diagonal.mapv(f64::sqrt));
    standardised.diag_mut().mapv_inplace(|square| square + DRIFT);
    factor(standardised.view()).is_some()
}
