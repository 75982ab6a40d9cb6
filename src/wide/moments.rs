//! Moments whose scatters are kept as factors.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, s};

use super::basis::gram_of_columns;
use crate::error::{Error, InputError, Owner, Result, check_number, not_empty, same_size};
use crate::memory::room_for_matrices;
use crate::moments::{Means, Moments, Structure, rounded_up};

/// Columns from which on a scatter is worth keeping as a factor.
const MIN_COLUMNS: usize = 100;

/// Weight, mean and a factor of the scatter of each class, or of all classes together: S = FᵀF, where F has as many rows as
/// the scatter has rank. For fewer rows than half the columns they take less memory than scatters, and all that follows
/// from them less time.
///
/// ```
/// use gauda::core::{Parallel, Rows, Structure, WideMoments};
/// use ndarray::Array2;
///
/// let x = Array2::from_shape_fn((6, 1000), |(i, j)| ((3 * i + 1) * (j + 1) % 17) as f64);
/// let rows = Rows::from(x.view());
/// let moments = WideMoments::from_rows(&rows, &[0, 0, 0, 1, 1, 1], 2, None, Structure::Full)?;
/// assert_eq!(moments.factor().dim(), (4, 1000));
/// let dense = moments.to_dense()?;
/// assert!((dense.scatter()[[0, 2, 2]] - moments.squares()[[0, 2]]).abs() < 1e-12);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WideMoments {
    pub(super) structure: Structure,
    pub(super) rows: Vec<u64>,
    pub(super) weights: Array1<f64>,
    pub(super) means: Means,
    pub(super) factor: Array2<f64>,
    /// Where the rows of each scatter begin in the factor, and where the last ends.
    pub(super) bounds: Vec<usize>,
}

impl WideMoments {
    /// Whether so many rows in so many columns are kept as a factor.
    pub fn is_for(rows: usize, columns: usize) -> bool {
        columns >= MIN_COLUMNS && rows <= columns / 2
    }

    /// Moments with these numbers; `bounds` tells where the rows of each scatter begin in the factor, and where the last ends.
    ///
    /// # Errors
    /// A diagonal structure, arrays whose sizes do not fit together, or numbers that no rows have.
    pub fn new(
        structure: Structure,
        rows: Vec<u64>,
        weights: Array1<f64>,
        means: Means,
        factor: Array2<f64>,
        bounds: Vec<usize>,
    ) -> Result<Self> {
        means.check()?;
        let (classes, d) = means.shift.dim();
        let scatters = match structure {
            Structure::Full => classes,
            Structure::Tied => 1,
            Structure::Diag => {
                return Err(Error::Shape(crate::error::ShapeError::Incompatible("structures")));
            }
        };
        same_size("number of row counts", rows.len(), classes)?;
        same_size("number of weights", weights.len(), classes)?;
        same_size("columns of the factor", factor.ncols(), d)?;
        same_size("number of bounds", bounds.len(), scatters + 1)?;
        same_size("first bound", bounds[0], 0)?;
        same_size("last bound", bounds[scatters], factor.nrows())?;
        not_empty("order of bounds", usize::from(bounds.is_sorted()))?;
        for &weight in &weights {
            check_number("the weight of a class", "finite and at least 0", weight, |w| {
                w.is_finite() && w >= 0.0
            })?;
        }
        let finite = f64::is_finite;
        means.sum().iter().try_for_each(|&mean| check_number("a mean", "finite", mean, finite))?;
        factor.iter().try_for_each(|&entry| check_number("an entry of a factor", "finite", entry, finite))?;
        let moments = Self { structure, rows, weights, means, factor, bounds };
        moments.check_overflow()?;
        Ok(moments)
    }

    /// Full or tied.
    pub fn structure(&self) -> Structure {
        self.structure
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.weights.len()
    }

    /// Number of columns.
    pub fn n_features(&self) -> usize {
        self.means.shift.ncols()
    }

    /// Rows of positive weight in each class.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// Sum of the weights of each class.
    pub fn weights(&self) -> &Array1<f64> {
        &self.weights
    }

    /// Sum of all weights.
    pub fn total_weight(&self) -> f64 {
        self.weights.sum()
    }

    /// The class means, in two parts.
    pub fn means_in_parts(&self) -> &Means {
        &self.means
    }

    /// All factors, one below another.
    pub fn factor(&self) -> &Array2<f64> {
        &self.factor
    }

    /// Where the factor of each scatter begins, and where the last ends.
    pub fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// Number of scatters: one for each class, or one for all.
    pub(super) fn n_scatters(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The factor of a scatter.
    pub(super) fn factor_of(&self, scatter: usize) -> ArrayView2<'_, f64> {
        self.factor.slice(s![self.bounds[scatter]..self.bounds[scatter + 1], ..])
    }

    /// Sums of squares about the class means: K × d, or 1 × d of all classes together.
    pub fn squares(&self) -> Array2<f64> {
        let mut squares = Array2::zeros((self.n_scatters(), self.n_features()));
        for (scatter, mut squares) in squares.outer_iter_mut().enumerate() {
            let mut varies = vec![false; self.n_features()];
            for row in self.factor_of(scatter).outer_iter() {
                for ((square, varies), &entry) in squares.iter_mut().zip(&mut varies).zip(row) {
                    *square += entry * entry;
                    *varies |= entry != 0.0;
                }
            }
            squares.iter_mut().zip(varies).for_each(|(square, varies)| *square = rounded_up(*square, varies));
        }
        squares
    }

    /// Priors in proportion to the weights.
    ///
    /// # Errors
    /// Moments without weight.
    pub fn priors(&self) -> Result<Vec<f64>> {
        match self.total_weight() {
            0.0 => Err(Error::Input(InputError::NoWeight)),
            total => Ok((&self.weights / total).to_vec()),
        }
    }

    /// An error if a class has no weight, or there is no class.
    pub(super) fn check_no_class_empty(&self) -> Result<()> {
        not_empty("number of classes", self.n_classes())?;
        match self.weights.iter().position(|&weight| weight == 0.0) {
            Some(class) => Err(Error::Input(InputError::EmptyClass { class })),
            None => Ok(()),
        }
    }

    /// An error if a sum of squares or of weights overflowed.
    pub(super) fn check_overflow(&self) -> Result<()> {
        for (scatter, squares) in self.squares().outer_iter().enumerate() {
            let owner = match self.structure {
                Structure::Tied => Owner::Pooled,
                Structure::Full | Structure::Diag => Owner::Class(scatter),
            };
            if let Some(column) = squares.iter().position(|square| !square.is_finite()) {
                return Err(Error::Input(InputError::Overflow { what: owner, column }));
            }
        }
        check_number("the sum of all weights", "finite", self.total_weight(), f64::is_finite)
    }

    /// The same moments with scatters of d × d.
    ///
    /// # Errors
    /// More than there is memory for.
    pub fn to_dense(&self) -> Result<Moments> {
        let d = self.n_features();
        room_for_matrices(d, 2 * self.n_scatters().max(1))?;
        let mut scatter = Array3::zeros((self.n_scatters(), d, d));
        let squares = self.squares();
        for (place, mut scatter) in scatter.outer_iter_mut().enumerate() {
            scatter.assign(&gram_of_columns(self.factor_of(place)));
            scatter.diag_mut().assign(&squares.row(place));
        }
        Moments::new(self.structure, self.rows.clone(), self.weights.clone(), self.means.clone(), scatter)
    }

    /// The diagonals alone.
    ///
    /// # Errors
    /// Moments of all classes together, which do not hold those of each.
    pub fn to_diagonal(&self) -> Result<Moments> {
        if self.structure == Structure::Tied && self.n_classes() > 1 {
            return Err(Error::Shape(crate::error::ShapeError::Incompatible("structures")));
        }
        let squares = self.squares().insert_axis(Axis(1));
        Moments::new(Structure::Diag, self.rows.clone(), self.weights.clone(), self.means.clone(), squares)
    }
}
