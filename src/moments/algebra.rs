//! Moments of samples joined, removed and forgotten, by Chan's formula: with weights n_a, n_b and δ = μ_b − μ_a
//!
//! n = n_a ± n_b,  μ = μ_a ± (n_b / n) δ,  S = S_a ± S_b ± (n_a n_b / n) δ δᵀ.

use ndarray::{Array1, ArrayView1, ArrayView2, ArrayViewMut2, Axis, Zip};

use super::removal::MAX_REMOVED;
use super::symmetric::mirror;
use super::{Moments, Structure};
use crate::error::{Error, InputError, Result, ShapeError};
use crate::kernel::{Extent, Stripes, add_product};

/// What rounding may leave of a scatter that was removed whole, in parts of the scatter before.
pub(super) const ROUNDING: f64 = 1e-10;

/// Classes that change a tied scatter together.
const TOGETHER: usize = 1024;

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
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
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
        let mut both = self.combine(other, Change::Join)?;
        if self.fourth.is_some() && other.fourth.is_some() {
            both.combine_fourth(|class| vec![(1.0, self, class), (1.0, other, class)])?;
        }
        Ok(both)
    }

    /// The moments of what is left when a part of the sample is removed; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns, or the second is not part of the first: a class would be left
    /// with less than nothing, or with a scatter that no rows can have. Or so much is removed that rounding hides what
    /// stays: a sum of squares would be left with less than 1e-8 of what it was, here or in earlier removals, unless the
    /// column is constant then: up to the rounding of what it was, which must be far below its mean, or below the unit that
    /// its values are multiples of (1, 0.1, 0.01, 0.001 or 2⁻¹⁰).
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// let first = Moments::from_rows(&rows, &labels, 2, Some(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.subtract(&first)?.means().row(0).to_vec(), [1.5, 3.0]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn subtract(&self, part: &Self) -> Result<Self> {
        self.subtract_at_most(part, MAX_REMOVED)
    }

    /// The same, unless there was before more than so many times what stays.
    pub(crate) fn subtract_at_most(&self, part: &Self, max_removed: f64) -> Result<Self> {
        self.check_alike(part)?;
        self.check_counts(part, max_removed)?;
        if self.has_gaps_or(part) {
            return self.subtract_columns(part, max_removed);
        }
        let mut rest = self.combine(part, Change::Remove)?;
        rest.remember(self, part);
        self.check_scatter(&mut rest, part, max_removed)?;
        if self.fourth.is_some() && part.fourth.is_some() {
            rest.combine_fourth(|class| vec![(1.0, self, class), (-1.0, part, class)])?;
            rest.check_fourth(self, part, max_removed)?;
        }
        Ok(rest)
    }

    /// The moments with every weight multiplied by a factor: rows of long ago count less.
    ///
    /// # Errors
    /// A factor that is negative or not finite, so large that sums overflow, or so small that they underflow.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.scale(0.5)?.total_weight(), 3.0);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn scale(&self, factor: f64) -> Result<Self> {
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(Error::Input(InputError::Factor { value: factor }));
        }
        if self.seen.is_some() {
            return self.scale_columns(factor);
        }
        let mut scaled = self.clone();
        scaled.weights *= factor;
        scaled.scatter *= factor;
        scaled.past *= factor;
        scaled.fourth.iter_mut().for_each(|fourth| fourth.scale(factor));
        for (matrix, diagonal) in self.diagonals().into_iter().enumerate() {
            let weighs = scaled.sharing(matrix).any(|class| scaled.weights[class] > 0.0);
            scaled.round_up(matrix, diagonal.into_iter().map(|square| square > 0.0 && weighs));
        }
        scaled.clear_classes_without_weight();
        scaled.check_overflow()?;
        Ok(scaled)
    }

    /// An error if the two do not go together.
    fn check_alike(&self, other: &Self) -> Result<()> {
        if self.structure != other.structure {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        if self.n_classes() != other.n_classes() {
            return Err(Error::Shape(ShapeError::Incompatible("numbers of classes")));
        }
        if self.n_features() != other.n_features() {
            return Err(Error::Shape(ShapeError::Incompatible("numbers of columns")));
        }
        Ok(())
    }

    fn combine(&self, other: &Self, change: Change) -> Result<Self> {
        self.check_alike(other)?;
        if self.has_gaps_or(other) {
            return self.merge_columns(other);
        }
        let mut combined = Self { fourth: None, ..self.clone() };
        if self.structure == Structure::Tied {
            combined.scatter.scaled_add(change.sign(), &other.scatter);
            combined.past.zip_mut_with(&other.past, join_past);
        }
        combined.change_classes((0..self.n_classes()).map(|class| (class, class)), other, change);
        combined.check_overflow()?;
        Ok(combined)
    }

    /// Joins classes of `other` to classes of `self`, each given as (from, into), except for a tied scatter within classes,
    /// which simply adds up.
    pub(super) fn join_classes(&mut self, pairs: impl Iterator<Item = (usize, usize)>, other: &Self) {
        self.change_classes(pairs, other, Change::Join);
    }

    fn change_classes(&mut self, pairs: impl Iterator<Item = (usize, usize)>, other: &Self, change: Change) {
        let mut between = Between::new(self.n_features(), change);
        for (from, into) in pairs {
            self.change_class(into, other, from, &mut between);
            if between.is_full() {
                between.add_products(self.scatter.index_axis_mut(Axis(0), 0));
            }
        }
        if self.structure == Structure::Tied {
            between.add_products(self.scatter.index_axis_mut(Axis(0), 0));
            if change == Change::Join {
                self.round_up(0, between.varies.into_iter());
            }
        }
    }

    /// Changes a class by another; what a tied scatter is still to change by is noted.
    fn change_class(&mut self, into: usize, other: &Self, from: usize, between: &mut Between) {
        let change = between.change;
        let (ours, theirs) = (self.weights[into], change.sign() * other.weights[from]);
        if theirs == 0.0 {
            return;
        }
        self.rows[into] = match change {
            Change::Join => self.rows[into].saturating_add(other.rows[from]),
            Change::Remove => self.rows[into] - other.rows[from],
        };
        if self.structure != Structure::Tied {
            let from = other.past.row(from);
            self.past.row_mut(into).zip_mut_with(&from, join_past);
        }
        let weight = ours + theirs;
        if weight.abs() <= ROUNDING * ours {
            self.empty_class(into, other, from);
            return;
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
        let share = (ours * (theirs / weight)).abs();
        match self.structure {
            Structure::Tied if ours > 0.0 => between.note(&apart, share.sqrt()),
            Structure::Tied => {}
            Structure::Full | Structure::Diag => {
                self.change_scatter(into, other, from, (change, share), &apart);
                if change == Change::Join {
                    self.round_up(into, apart.iter().map(|&apart| apart != 0.0 && ours > 0.0));
                }
            }
        }
    }

    /// Changes the scatter of a class by that of another, and by what is between their means: δ, and a share of δ δᵀ.
    fn change_scatter(
        &mut self,
        into: usize,
        other: &Self,
        from: usize,
        (change, share): (Change, f64),
        apart: &Array1<f64>,
    ) {
        let sign = change.sign();
        let (mut scatter, within) =
            (self.scatter.index_axis_mut(Axis(0), into), other.scatter.index_axis(Axis(0), from));
        match self.structure {
            Structure::Diag => {
                let mut squares = scatter.row_mut(0);
                squares.scaled_add(sign, &within.row(0));
                squares.scaled_add(sign, &apart.mapv(|x| x * share * x));
            }
            Structure::Full | Structure::Tied => {
                add(scatter, within, (apart * share.sqrt()).view(), sign);
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

    /// Leaves nothing of classes without weight but their places.
    pub(super) fn clear_classes_without_weight(&mut self) {
        for class in 0..self.n_classes() {
            if self.weights[class] == 0.0 {
                self.rows[class] = 0;
                self.means.clear(class);
                self.fourth.iter_mut().for_each(|fourth| fourth.clear(class));
                if self.structure != Structure::Tied {
                    self.past.row_mut(class).fill(0.0);
                    self.scatter.index_axis_mut(Axis(0), class).fill(0.0);
                }
            }
        }
    }
}

/// How far the parts of some classes lie apart, by whose products with themselves a tied scatter changes.
struct Between {
    change: Change,
    /// One after another.
    vectors: Vec<f64>,
    /// Columns in which parts differ, in these classes or in earlier ones.
    varies: Vec<bool>,
}

impl Between {
    fn new(features: usize, change: Change) -> Self {
        Self { change, vectors: vec![], varies: vec![false; features] }
    }

    fn is_full(&self) -> bool {
        self.vectors.len() >= TOGETHER * self.varies.len()
    }

    fn note(&mut self, apart: &Array1<f64>, root: f64) {
        self.vectors.extend(apart.iter().map(|apart| apart * root));
        self.varies.iter_mut().zip(apart).for_each(|(varies, &apart)| *varies |= apart != 0.0);
    }

    /// Adds all that was noted to a scatter, which stays symmetric to the bit, or takes it away.
    fn add_products(&mut self, mut scatter: ArrayViewMut2<'_, f64>) {
        let (d, sign) = (self.varies.len(), self.change.sign());
        let vectors =
            ArrayView2::from_shape((self.vectors.len() / d, d), &self.vectors).expect("whole vectors");
        match vectors.nrows() {
            0 => {}
            1 => {
                for (mut row, &x) in scatter.outer_iter_mut().zip(&self.vectors) {
                    row.scaled_add(sign * x, &vectors.row(0));
                }
            }
            _ => {
                let columns = Stripes::of(vectors.t());
                add_product(scatter.view_mut(), 0, &columns, &columns, Extent::Lower, sign);
                mirror(scatter);
            }
        }
        self.vectors.clear();
    }
}

/// Joins the pasts of two samples, which as a rule have none.
fn join_past(past: &mut f64, other: &f64) {
    if *other != 0.0 {
        *past = past.hypot(*other);
    }
}

/// scatter ± (within + between betweenᵀ), which stays symmetric to the bit.
fn add(
    mut scatter: ArrayViewMut2<'_, f64>,
    within: ArrayView2<'_, f64>,
    between: ArrayView1<'_, f64>,
    sign: f64,
) {
    for ((row, within), &x) in scatter.outer_iter_mut().zip(within.outer_iter()).zip(between) {
        Zip::from(row).and(within).and(between).for_each(|entry, within, between| {
            *entry = *entry + sign * within + sign * x * between;
        });
    }
}
