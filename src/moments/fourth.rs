//! Moments of third and fourth order, from which Ledoit and Wolf's intensity follows without the rows. About the mean μ of a
//! class of weight W, with z = (x − μ) / u in units u of the columns,
//!
//! T_ij = Σ w z_i² z_j / W,  Q_ij = Σ w z_i² z_j² / W.
//!
//! About a mean that lies at −δ of them they are, with C = Σ w z zᵀ / W,
//!
//! T_ij + 2 δ_i C_ij + δ_j C_ii + δ_i² δ_j  and
//! Q_ij + 2 δ_j T_ij + 2 δ_i T_ji + δ_j² C_ii + δ_i² C_jj + 4 δ_i δ_j C_ij + δ_i² δ_j²,
//!
//! which joins samples, and removes them. The units are powers of two next to the standard deviations, so fourth powers
//! neither overflow nor underflow whatever the units of the data and of the weights.

mod sums;

use ndarray::{Array2, Array3, Axis};

use super::unit::{exponent, times_two_to};
use super::{Moments, Structure};
use crate::error::{Error, InputError, Owner, Result, ShapeError};
#[cfg(any(feature = "files", feature = "python"))]
use crate::error::{check_number, same_size};
use crate::memory::room_for;

/// Third and fourth moments of each class.
#[derive(Debug, Clone)]
pub(crate) struct FourthOrder {
    /// Units of the columns, class × column: powers of two.
    pub(crate) units: Array2<f64>,
    /// T, class × column × column.
    pub(crate) third: Array3<f64>,
    /// Q, class × column × column.
    pub(crate) fourth: Array3<f64>,
    /// For each class and column the fourth root of the largest Σ w (x − μ)⁴ that others were removed from: rounding of
    /// that is left.
    pub(crate) past: Array2<f64>,
}

impl PartialEq for FourthOrder {
    /// Whether the numbers are the same, however they came about.
    fn eq(&self, other: &Self) -> bool {
        self.units == other.units && self.third == other.third && self.fourth == other.fourth
    }
}

/// A class of some moments, and whether its rows come (1) or go (−1).
type Part<'a> = (f64, &'a Moments, usize);

impl FourthOrder {
    /// Zeros for so many classes and columns.
    ///
    /// # Errors
    /// More than there is memory for.
    fn new(classes: usize, d: usize) -> Result<Self> {
        room_for(classes.checked_mul(2 * d + 2).and_then(|each| each.checked_mul(d)))?;
        Ok(Self {
            units: Array2::ones((classes, d)),
            third: Array3::zeros((classes, d, d)),
            fourth: Array3::zeros((classes, d, d)),
            past: Array2::zeros((classes, d)),
        })
    }

    pub(super) fn select(&self, columns: &[usize]) -> Self {
        let table = |table: &Array2<f64>| table.select(Axis(1), columns);
        let matrices = |matrices: &Array3<f64>| matrices.select(Axis(2), columns).select(Axis(1), columns);
        Self {
            units: table(&self.units),
            third: matrices(&self.third),
            fourth: matrices(&self.fourth),
            past: table(&self.past),
        }
    }

    pub(super) fn scale(&mut self, factor: f64) {
        self.past *= factor.sqrt().sqrt();
    }

    /// Leaves nothing of a class.
    pub(super) fn clear(&mut self, class: usize) {
        self.units.row_mut(class).fill(1.0);
        self.past.row_mut(class).fill(0.0);
        self.third.index_axis_mut(Axis(0), class).fill(0.0);
        self.fourth.index_axis_mut(Axis(0), class).fill(0.0);
    }

    /// The fourth root of Σ w (x − μ)⁴ in a column of a class of so much weight.
    fn root(&self, class: usize, column: usize, weight: f64) -> f64 {
        let fourth = (weight.sqrt().sqrt(), self.fourth[(class, column, column)].max(0.0).sqrt().sqrt());
        fourth.0 * fourth.1 * self.units[(class, column)]
    }

    fn check(&self) -> Result<()> {
        for (class, units) in self.units.outer_iter().enumerate() {
            let finite = |column: usize| {
                let row = |matrices: &Array3<f64>| matrices.index_axis(Axis(0), class).row(column).to_owned();
                row(&self.third).iter().chain(&row(&self.fourth)).all(|entry| entry.is_finite())
            };
            if let Some(column) = (0..units.len()).find(|&column| !finite(column)) {
                return Err(Error::Input(InputError::Overflow { what: Owner::Class(class), column }));
            }
        }
        Ok(())
    }
}

impl Moments {
    /// Whether third and fourth moments are known.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert!(!moments.has_fourth_order());
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn has_fourth_order(&self) -> bool {
        self.fourth.is_some()
    }

    #[cfg(any(feature = "files", feature = "python"))]
    pub(crate) fn fourth(&self) -> Option<&FourthOrder> {
        self.fourth.as_ref()
    }

    /// The same moments with third and fourth ones that are given.
    #[cfg(any(feature = "files", feature = "python"))]
    pub(crate) fn with_fourth(self, fourth: FourthOrder) -> Result<Self> {
        self.check_full()?;
        let (classes, d) = (self.n_classes(), self.n_features());
        for table in [&fourth.units, &fourth.past] {
            same_size("rows of units", table.nrows(), classes)?;
            same_size("columns of units", table.ncols(), d)?;
        }
        for matrices in [&fourth.third, &fourth.fourth] {
            same_size("matrices of higher moments", matrices.dim().0, classes)?;
            same_size("rows of higher moments", matrices.dim().1, d)?;
            same_size("columns of higher moments", matrices.dim().2, d)?;
        }
        let positive = |unit: f64| unit.is_finite() && unit > 0.0;
        let not_negative = |root: f64| root.is_finite() && root >= 0.0;
        fourth.units.iter().try_for_each(|&unit| check_number("a unit", "positive", unit, positive))?;
        fourth
            .past
            .iter()
            .try_for_each(|&root| check_number("a past root", "at least 0", root, not_negative))?;
        fourth.check()?;
        Ok(Self { fourth: Some(fourth), ..self })
    }

    fn check_full(&self) -> Result<()> {
        match self.structure {
            Structure::Full => Ok(()),
            Structure::Tied | Structure::Diag => Err(Error::Shape(ShapeError::Incompatible("structures"))),
        }
    }

    /// For each class Σ w ‖z‖⁴, where z is a row less its class mean, column j times `scales[(class, j)]`.
    ///
    /// # Errors
    /// Moments without those of fourth order.
    pub(crate) fn quartics(&self, scales: &Array2<f64>) -> Result<Vec<f64>> {
        let fourth = self.fourth.as_ref().ok_or(Error::Input(InputError::Unsupported(
            "moments must be of fourth order for Ledoit and Wolf's intensity; make them so from the rows",
        )))?;
        let of_class = |class: usize| {
            let squares = (&scales.row(class) * &fourth.units.row(class)).mapv(|scale| scale * scale);
            self.weights[class] * squares.dot(&fourth.fourth.index_axis(Axis(0), class).dot(&squares))
        };
        Ok((0..self.n_classes()).map(of_class).collect())
    }

    /// Units of the columns of each class: the powers of two next to their standard deviations, 1 where a column is constant.
    fn units(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.n_classes(), self.n_features()), |(class, column)| {
            let square = self.scatter[(class, column, column)];
            match square > 0.0 && self.weights[class] > 0.0 {
                true => times_two_to(1.0, (exponent(square) - exponent(self.weights[class])) / 2),
                false => 1.0,
            }
        })
    }

    /// The inverse units of the columns of a class; 0 where a column is constant.
    fn inverse_units(&self, class: usize, units: &Array2<f64>) -> Vec<f64> {
        let squares = self.scatter_diagonal(class);
        let inverse = |(&unit, &square): (&f64, &f64)| if square > 0.0 { 1.0 / unit } else { 0.0 };
        units.row(class).iter().zip(&squares).map(inverse).collect()
    }

    /// Gives moments of samples that were joined, or removed, their third and fourth ones, which all parts have.
    ///
    /// # Errors
    /// Sums that overflow, or more than there is memory for.
    pub(super) fn combine_fourth<'a>(&mut self, parts: impl Fn(usize) -> Vec<Part<'a>>) -> Result<()> {
        let mut found = FourthOrder::new(self.n_classes(), self.n_features())?;
        found.units = self.units();
        for class in (0..self.n_classes()).filter(|&class| self.weights[class] > 0.0) {
            let inverse = self.inverse_units(class, &found.units);
            for part in parts(class) {
                self.add_part(&mut found, class, &inverse, part);
            }
        }
        found.check()?;
        self.fourth = Some(found);
        Ok(())
    }

    fn add_part(&self, found: &mut FourthOrder, class: usize, inverse: &[f64], (sign, part, from): Part<'_>) {
        let Some(theirs) = part.fourth.as_ref().filter(|_| part.weights[from] > 0.0) else { return };
        let share = sign * (part.weights[from] / self.weights[class]);
        let apart = self.means.apart(class, &part.means, from);
        let apart: Vec<f64> = apart.iter().zip(inverse).map(|(apart, inverse)| apart * inverse).collect();
        // Units of a constant column are of no account.
        let their_inverse = part.inverse_units(from, &theirs.units);
        let ratio = |(&inverse, &their_inverse): (&f64, &f64)| {
            if their_inverse > 0.0 { inverse / their_inverse } else { 0.0 }
        };
        let ratio: Vec<f64> = inverse.iter().zip(&their_inverse).map(ratio).collect();
        let weight = part.weights[from];
        let scatter = part.scatter.index_axis(Axis(0), from);
        let (third, fourth) =
            (theirs.third.index_axis(Axis(0), from), theirs.fourth.index_axis(Axis(0), from));
        let mut our_third = found.third.index_axis_mut(Axis(0), class);
        let mut our_fourth = found.fourth.index_axis_mut(Axis(0), class);
        let covariance = |i: usize, j: usize| scatter[(i, j)] * inverse[i] / weight * inverse[j];
        let variances: Vec<f64> = (0..apart.len()).map(|i| covariance(i, i)).collect();
        for i in 0..apart.len() {
            // A share times a square is never large, even where the share is tiny: so it comes first.
            let (own, moved) = (share * ratio[i] * ratio[i], share * apart[i] * apart[i]);
            for j in 0..apart.len() {
                our_third[(i, j)] += own * ratio[j] * third[(i, j)]
                    + share * (2.0 * apart[i] * covariance(i, j) + apart[j] * variances[i])
                    + moved * apart[j];
            }
            for j in 0..=i {
                let (c, t, u) = (covariance(i, j), third[(i, j)], third[(j, i)]);
                our_fourth[(i, j)] += own * ratio[j] * (ratio[j] * fourth[(i, j)] + 2.0 * apart[j] * t)
                    + 2.0 * share * apart[i] * ratio[i] * ratio[j] * ratio[j] * u
                    + share * apart[j] * (apart[j] * variances[i] + 4.0 * apart[i] * c)
                    + moved * (variances[j] + apart[j] * apart[j]);
                our_fourth[(j, i)] = our_fourth[(i, j)];
            }
        }
        let past = theirs.past.row(from);
        found.past.row_mut(class).zip_mut_with(&past, |past, other| *past = past.max(*other));
    }

    /// Keeps in mind the fourth powers that something was removed from.
    ///
    /// # Errors
    /// There were more than `max_removed` times those that stay: rounding hides them.
    pub(super) fn check_fourth(&mut self, whole: &Self, part: &Self, max_removed: f64) -> Result<()> {
        let (Some(rest), Some(before)) = (&mut self.fourth, &whole.fourth) else { return Ok(()) };
        for class in (0..self.weights.len()).filter(|&class| part.weights[class] > 0.0) {
            let weight = self.weights[class];
            for column in 0..rest.past.ncols() {
                let was = rest.past[(class, column)].max(before.root(class, column, whole.weights[class]));
                let is = rest.root(class, column, weight);
                let varies = weight > 0.0 && self.scatter[(class, column, column)] > 0.0;
                if varies && (was / is).powi(4) > max_removed {
                    return Err(Error::Input(InputError::Removal {
                        what: Owner::Class(class),
                        column: Some(column),
                    }));
                }
                rest.past[(class, column)] = if varies { was } else { 0.0 };
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
