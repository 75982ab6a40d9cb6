//! Moments of samples joined, removed and forgotten, by Chan's formula: with weights n_a, n_b and δ = μ_b − μ_a
//!
//! n = n_a ± n_b,  μ = μ_a ± (n_b / n) δ,  S = S_a ± S_b ± (n_a n_b / n) δ δᵀ.

use ndarray::{Array1, ArrayView1, ArrayView2, ArrayViewMut2, Axis};

use super::{Moments, Structure};
use crate::error::{Error, Owner, Result};
use crate::linalg::{factor, standardise};

/// What rounding may leave of a scatter that was removed whole, in parts of the scatter before.
const ROUNDING: f64 = 1e-10;

/// Whether rows come or go.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Join,
    Remove,
}

impl Change {
    fn sign(self) -> f64 {
        match self {
            Self::Join => 1.0,
            Self::Remove => -1.0,
        }
    }
}

impl Moments {
    /// The moments of both samples together; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns, or are so far apart that squares overflow.
    ///
    /// ```
    /// use gauda::{Moments, Parallel, Rows, Structure};
    /// use ndarray::{Array2, array};
    ///
    /// let moments = |x: Array2<f64>| {
    ///     let labels = vec![0; x.nrows()];
    ///     Moments::from_rows(&Rows::from(x.view()), &labels, 1, None, Structure::Diag, Parallel::default())
    /// };
    /// let (monday, tuesday) = (moments(array![[1.0], [3.0]])?, moments(array![[8.0]])?);
    /// let both = monday.merge(&tuesday)?;
    /// assert_eq!(both.means(), array![[4.0]]);
    /// assert_eq!(both.subtract(&tuesday)?.means(), monday.means());
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn merge(&self, other: &Self) -> Result<Self> {
        self.combine(other, Change::Join)
    }

    /// The moments of what is left when a part of the sample is removed; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns, or the second is not part of the first: a class would be left
    /// with less than nothing, or with a scatter that no rows can have.
    pub fn subtract(&self, part: &Self) -> Result<Self> {
        self.check_counts(part)?;
        let mut rest = self.combine(part, Change::Remove)?;
        self.check_scatter(&mut rest)?;
        Ok(rest)
    }

    /// The moments with every weight multiplied by a factor: rows of long ago count less.
    ///
    /// # Errors
    /// A factor that is negative or not finite, or so large that sums overflow.
    pub fn scale(&self, factor: f64) -> Result<Self> {
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(Error::Factor { value: factor });
        }
        let mut scaled = self.clone();
        scaled.weights *= factor;
        scaled.scatter *= factor;
        for class in 0..self.n_classes() {
            if scaled.weights[class] == 0.0 {
                scaled.empty(class);
            }
        }
        scaled.check_overflow()?;
        Ok(scaled)
    }

    fn combine(&self, other: &Self, change: Change) -> Result<Self> {
        if self.structure != other.structure {
            return Err(Error::Incompatible("structures"));
        }
        if self.n_classes() != other.n_classes() {
            return Err(Error::Incompatible("numbers of classes"));
        }
        if self.n_features() != other.n_features() {
            return Err(Error::Incompatible("numbers of columns"));
        }
        let mut combined = self.clone();
        if self.structure == Structure::Tied {
            combined.scatter.scaled_add(change.sign(), &other.scatter);
        }
        for class in 0..self.n_classes() {
            combined.change_class(class, other, class, change);
        }
        combined.check_overflow()?;
        Ok(combined)
    }

    /// Joins one class of `other` to a class of `self`, except for a tied scatter within classes, which simply adds up.
    pub(super) fn join_class(&mut self, into: usize, other: &Self, from: usize) {
        self.change_class(into, other, from, Change::Join);
    }

    fn change_class(&mut self, into: usize, other: &Self, from: usize, change: Change) {
        let (ours, theirs) = (self.weights[into], change.sign() * other.weights[from]);
        if theirs == 0.0 {
            return;
        }
        self.rows[into] = match change {
            Change::Join => self.rows[into] + other.rows[from],
            Change::Remove => self.rows[into] - other.rows[from],
        };
        let weight = ours + theirs;
        if weight.abs() <= ROUNDING * ours {
            return self.empty_class(into, other, from);
        }
        let apart = self.means.apart(into, &other.means, from);
        // The heavier mean moves, by the lesser share of what is between them: so little that little is rounded.
        if theirs > ours {
            self.means.assign(into, &other.means, from);
            if ours > 0.0 {
                self.means.move_by(into, -ours / weight, &apart);
            }
        } else {
            self.means.move_by(into, theirs / weight, &apart);
        }
        self.weights[into] = weight;
        let between = apart * (ours * (theirs / weight)).abs().sqrt();
        let sign = change.sign();
        match self.structure {
            Structure::Tied => add(self.scatter.index_axis_mut(Axis(0), 0), None, between.view(), sign),
            Structure::Full => {
                let within = other.scatter.index_axis(Axis(0), from);
                add(self.scatter.index_axis_mut(Axis(0), into), Some(within), between.view(), sign);
            }
            Structure::Diag => {
                let mut scatter = self.scatter.slice_mut(ndarray::s![into, 0, ..]);
                scatter.scaled_add(sign, &other.scatter.slice(ndarray::s![from, 0, ..]));
                scatter.scaled_add(sign, &between.mapv(|x| x * x));
            }
        }
    }

    /// Takes away the whole of a class: only rounding is left of its scatter.
    fn empty_class(&mut self, class: usize, other: &Self, from: usize) {
        if self.structure != Structure::Tied {
            let mut scatter = self.scatter.index_axis_mut(Axis(0), class);
            scatter -= &other.scatter.index_axis(Axis(0), from);
        }
        self.weights[class] = 0.0;
    }

    /// An error unless every class has at least the rows and the weight that are to go; a class that goes whole must lie
    /// where ours does.
    fn check_counts(&self, part: &Self) -> Result<()> {
        for class in 0..self.n_classes() {
            let (weight, part_weight) = (self.weights[class], part.weights[class]);
            let rest = weight - part_weight;
            let whole = rest.abs() <= ROUNDING * weight;
            let few = self.rows[class] < part.rows[class] || (whole && self.rows[class] > part.rows[class]);
            if few || (!whole && rest < 0.0) || (whole && !self.lies_as(class, part)) {
                return Err(Error::NotPart { what: Owner::Class(class) });
            }
        }
        Ok(())
    }

    /// Whether both means of a class agree, up to the rounding of values of their size and spread.
    fn lies_as(&self, class: usize, part: &Self) -> bool {
        let apart = self.means.apart(class, &part.means, class);
        let matrix = if self.structure == Structure::Tied { 0 } else { class };
        let spread = self.scatter_diagonal(matrix);
        let means = self.means.shift.row(class);
        let weight = self.weights[class];
        apart.iter().zip(&spread).zip(means).all(|((apart, spread), mean)| {
            apart * apart * weight <= ROUNDING * (spread + ROUNDING * mean * mean * weight)
        })
    }

    /// An error unless the scatter of the rest is that of some rows, up to rounding, which is mended.
    fn check_scatter(&self, rest: &mut Self) -> Result<()> {
        for matrix in 0..self.scatter.len_of(Axis(0)) {
            let tied = self.structure == Structure::Tied;
            let gone = if tied { rest.total_weight() == 0.0 } else { rest.weights[matrix] == 0.0 };
            let left = rest.scatter.index_axis(Axis(0), matrix);
            let scale = self.scatter_diagonal(matrix).mapv(|square| if square > 0.0 { square } else { 1.0 });
            let possible = match (gone, self.structure) {
                (true, Structure::Diag) => {
                    left.row(0).iter().zip(&scale).all(|(x, s)| x.abs() <= ROUNDING * s)
                }
                (true, _) => left.diag().iter().zip(&scale).all(|(x, s)| x.abs() <= ROUNDING * s),
                (false, Structure::Diag) => left.row(0).iter().zip(&scale).all(|(x, s)| *x >= -ROUNDING * s),
                (false, _) => is_scatter(left, &scale),
            };
            if !possible {
                let what = if tied { Owner::Pooled } else { Owner::Class(matrix) };
                return Err(Error::NotPart { what });
            }
            let mut left = rest.scatter.index_axis_mut(Axis(0), matrix);
            match (gone, self.structure) {
                (true, _) => left.fill(0.0),
                (false, Structure::Diag) => left.mapv_inplace(|square| square.max(0.0)),
                (false, _) => left.diag_mut().mapv_inplace(|square| square.max(0.0)),
            }
        }
        for class in 0..rest.n_classes() {
            if rest.weights[class] == 0.0 {
                rest.empty(class);
            }
        }
        Ok(())
    }

    /// Leaves nothing of a class but its place.
    fn empty(&mut self, class: usize) {
        self.rows[class] = 0;
        self.weights[class] = 0.0;
        self.means.shift.row_mut(class).fill(0.0);
        self.means.offset.row_mut(class).fill(0.0);
        if self.structure != Structure::Tied {
            self.scatter.index_axis_mut(Axis(0), class).fill(0.0);
        }
    }
}

/// scatter ± (within + between betweenᵀ), which stays symmetric to the bit.
fn add(
    mut scatter: ArrayViewMut2<'_, f64>,
    within: Option<ArrayView2<'_, f64>>,
    between: ArrayView1<'_, f64>,
    sign: f64,
) {
    for (i, (mut row, &x)) in scatter.outer_iter_mut().zip(between).enumerate() {
        if let Some(within) = &within {
            row.scaled_add(sign, &within.row(i));
        }
        row.scaled_add(sign * x, &between);
    }
}

/// Whether a symmetric matrix is positive semidefinite up to rounding of matrices with this diagonal.
fn is_scatter(matrix: ArrayView2<'_, f64>, diagonal: &Array1<f64>) -> bool {
    let mut standardised = standardise(matrix, &diagonal.mapv(f64::sqrt));
    standardised.diag_mut().mapv_inplace(|square| square + ROUNDING);
    factor(standardised.view()).is_some()
}
