//! What may be removed from moments: less than there is, nothing that leaves a scatter which no rows have, and not so much
//! that rounding hides what stays.

use std::ops::Range;

use ndarray::{Array1, ArrayView2, Axis};

use super::algebra::ROUNDING;
use super::{Moments, Structure};
use crate::error::{Error, InputError, Owner, Result};
use crate::linalg::{factor, standardize};

/// What one removal after another may leave of a scatter that should be 0, in parts of what it was before the last.
const DRIFT: f64 = 1e-6;

/// How many times more than what stays may there have been before: what stays keeps seven digits.
pub(crate) const MAX_REMOVED: f64 = 1e8;

/// What rounding leaves of the squares of a column that is constant in what stays, in parts of what they were.
const NOTHING: f64 = 16.0 * f64::EPSILON;

/// The standard deviation that rounding may hide in a column, in parts of its mean.
const HIDDEN: f64 = 1e-6;

/// Units that the values of a column may be multiples of: whole numbers, decimals, binary fractions.
const UNITS: [f64; 5] = [1.0, 0.1, 0.01, 0.001, 1.0 / 1024.0];

/// What rounding may make of a difference of equal values, in parts of them.
const ROUNDED_VALUE: f64 = 8.0 * f64::EPSILON;

impl Moments {
    /// An error unless every class has at least the rows and the weight that are to go; a class that goes whole must lie
    /// where ours does.
    pub(super) fn check_counts(&self, part: &Self, max_removed: f64) -> Result<()> {
        let squares = self.largest_squares();
        for class in 0..self.n_classes() {
            let (weight, part_weight) = (self.weights[class], part.weights[class]);
            let rest = weight - part_weight;
            let whole = rest.abs() <= ROUNDING * weight;
            let few = self.rows[class] < part.rows[class] || (whole && self.rows[class] > part.rows[class]);
            if few
                || (!whole && rest < 0.0)
                || (whole && !self.has_gaps_or(part) && !self.lies_as(class, part, &squares))
            {
                return Err(Error::Input(InputError::NotPart { what: Owner::Class(class) }));
            }
            if !whole && rest * max_removed < weight {
                return Err(Error::Input(InputError::Removal { what: Owner::Class(class), column: None }));
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
            largest.zip_mut_with(&self.scatter_diagonal(class), |largest, square| {
                *largest = largest.max(*square)
            });
        }
        largest
    }

    /// An error unless each scatter of the rest is that of some rows, up to rounding, which is mended, and what there was
    /// before is at max_removed so many times what stays.
    pub(super) fn check_scatter(&self, rest: &mut Self, part: &Self, max_removed: f64) -> Result<()> {
        let squares = self.largest_squares().mapv(one_if_none);
        for matrix in 0..self.scatter.len_of(Axis(0)) {
            rest.clear_rounding(matrix);
            let left = rest.scatter_diagonal(matrix);
            let rounded = left.iter().zip(&squares).all(|(left, square)| left.abs() <= DRIFT * square);
            if rest.cannot_vary(matrix) && (rounded || self.has_single_rows(matrix)) {
                rest.scatter.index_axis_mut(Axis(0), matrix).fill(0.0);
            } else if !rest.is_empty(matrix) && self.may_leave(rest, matrix) {
                self.check_digits(rest, part, matrix, max_removed)?;
            } else {
                return Err(Error::Input(InputError::NotPart { what: self.owner(matrix) }));
            }
        }
        rest.clear_classes_without_weight();
        self.check_means(rest, part, max_removed)
    }

    /// Keeps in mind the squares that something was removed from.
    pub(super) fn remember(&mut self, whole: &Self, part: &Self) {
        for matrix in 0..self.scatter.len_of(Axis(0)) {
            if self.sharing(matrix).any(|class| part.weights[class] > 0.0) {
                let squares = whole.scatter_diagonal(matrix);
                self.past.row_mut(matrix).zip_mut_with(&squares, |past, square| *past = past.hypot(*square));
            }
        }
    }

    /// An error if rounding hides the squares that stay in some column, unless the column is constant then.
    fn check_digits(&self, rest: &mut Self, part: &Self, matrix: usize, max_removed: f64) -> Result<()> {
        let (was, is) = (rest.past.row(matrix).to_owned(), rest.scatter_diagonal(matrix));
        let single = rest.has_single_rows(matrix);
        for column in (0..self.n_features()).filter(|&j| is[j] * max_removed < was[j]) {
            let rounding = NOTHING * was[column];
            let mean = HIDDEN * rest.min_mean(matrix, column);
            let negligible = rounding <= rest.weight_sharing(matrix) * mean * mean;
            let is_nothing = is[column].abs() <= rounding;
            let unit = self.unit(part, matrix, column).filter(|unit| 4.0 * rounding <= unit * unit);
            if !(single || is_nothing && (negligible || unit.is_some())) {
                return Err(Error::Input(InputError::Removal {
                    what: self.owner(matrix),
                    column: Some(column),
                }));
            }
            rest.make_constant(matrix, column);
            rest.clear_means_below(matrix, column, unit.unwrap_or(0.0) / 2.0);
        }
        Ok(())
    }

    /// Makes means 0 whose sums are rounding beside the unit of their column.
    fn clear_means_below(&mut self, matrix: usize, column: usize, bound: f64) {
        for class in self.sharing(matrix) {
            let mean = self.means.shift[(class, column)] + self.means.offset[(class, column)];
            if (self.weights[class] * mean).abs() < bound {
                (self.means.shift[(class, column)], self.means.offset[(class, column)]) = (0.0, 0.0);
            }
        }
    }

    /// What all values of a column are multiples of, to all appearances: the sums of all rows and of those removed are. Rows of
    /// such a column that are not all equal have a sum of squares of half the unit's at least.
    fn unit(&self, part: &Self, matrix: usize, column: usize) -> Option<f64> {
        let counts_rows = |moments: &Self, class: usize| moments.weights[class] == moments.rows[class] as f64;
        let is_multiple = |moments: &Self, class: usize, unit: f64| {
            let means = &moments.means;
            let sum = moments.weights[class] * (means.shift[(class, column)] + means.offset[(class, column)]);
            let spread = (moments.weights[class] * moments.scatter_diagonal(matrix)[column].max(0.0)).sqrt();
            let rounding = ROUNDED_VALUE * (sum.abs() + spread);
            counts_rows(moments, class)
                && (sum - (sum / unit).round() * unit).abs() <= rounding
                && rounding < unit / 64.0
        };
        UNITS.into_iter().find(|&unit| {
            self.sharing(matrix).all(|class| is_multiple(self, class, unit) && is_multiple(part, class, unit))
        })
    }

    /// An error if rounding hides where a class lies in some column: its mean has moved by too many times the size of its
    /// values, or the spread of others.
    fn check_means(&self, rest: &Self, part: &Self, max_removed: f64) -> Result<()> {
        let (means, widest) = (rest.means.sum(), rest.widest());
        let stays = |class: &usize| 0.0 < rest.weights[*class] && rest.weights[*class] < self.weights[*class];
        for class in (0..self.n_classes()).filter(stays) {
            let moved = self.means.apart(class, &rest.means, class);
            let size = |j: usize| match widest[j] > 0.0 {
                true => widest[j].max(means[(class, j)].abs()),
                false => means.column(j).iter().fold(0.0, |size: f64, mean| size.max(mean.abs())),
            };
            let matrix = if self.structure == Structure::Tied { 0 } else { class };
            let is_hidden =
                |j: &usize| moved[*j].abs() > max_removed * size(*j) && self.unit(part, matrix, *j).is_none();
            if let Some(column) = (0..self.n_features()).find(is_hidden) {
                return Err(Error::Input(InputError::Removal {
                    what: Owner::Class(class),
                    column: Some(column),
                }));
            }
        }
        Ok(())
    }

    /// The largest standard deviation of each column in any class.
    fn widest(&self) -> Array1<f64> {
        let mut widest = Array1::<f64>::zeros(self.n_features());
        for matrix in 0..self.scatter.len_of(Axis(0)) {
            let weight = one_if_none(self.weight_sharing(matrix));
            let squares = self.scatter_diagonal(matrix);
            widest.zip_mut_with(&squares, |largest, square| {
                *largest = largest.max((square / weight).max(0.0).sqrt())
            });
        }
        widest
    }

    /// The weight of the classes that share a scatter.
    fn weight_sharing(&self, matrix: usize) -> f64 {
        self.sharing(matrix).map(|class| self.weights[class]).sum()
    }

    /// Makes columns constant that vary by no more than the rounding of their values.
    fn clear_rounding(&mut self, matrix: usize) {
        let (squares, weight) = (self.scatter_diagonal(matrix), self.weight_sharing(matrix));
        for (column, square) in squares.iter().enumerate() {
            let rounding = ROUNDED_VALUE * self.min_mean(matrix, column);
            if square.abs() <= weight * rounding * rounding {
                self.make_constant(matrix, column);
            }
        }
    }

    /// The smallest size of a mean among the classes that share a scatter.
    fn min_mean(&self, matrix: usize, column: usize) -> f64 {
        let classes = self.sharing(matrix).filter(|&class| self.weights[class] > 0.0);
        let means =
            classes.map(|class| self.means.shift[(class, column)] + self.means.offset[(class, column)]);
        means.fold(f64::INFINITY, |smallest, mean| smallest.min(mean.abs()))
    }

    /// Removes the products of a column with any, which are rounding.
    fn make_constant(&mut self, matrix: usize, column: usize) {
        let mut scatter = self.scatter.index_axis_mut(Axis(0), matrix);
        scatter.column_mut(column).fill(0.0);
        if self.structure != Structure::Diag {
            scatter.row_mut(column).fill(0.0);
        }
    }

    fn owner(&self, matrix: usize) -> Owner {
        match self.structure {
            Structure::Tied => Owner::Pooled,
            Structure::Full | Structure::Diag => Owner::Class(matrix),
        }
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
    pub(super) fn sharing(&self, matrix: usize) -> Range<usize> {
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
    let mut standardized = standardize(matrix, &diagonal.mapv(f64::sqrt));
    standardized.diag_mut().mapv_inplace(|square| square + DRIFT);
    factor(standardized.view()).is_some()
}
