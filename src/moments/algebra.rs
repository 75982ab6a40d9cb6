//! Moments of samples joined, removed and forgotten, by Chan's formula: with weights n_a, n_b and δ = μ_b − μ_a
//!
//! n = n_a ± n_b,  μ = μ_a ± (n_b / n) δ,  S = S_a ± S_b ± (n_a n_b / n) δ δᵀ.

use ndarray::{Array1, ArrayView1, ArrayView2, ArrayViewMut2, Axis};

use super::removal::MAX_REMOVED;
use super::{Moments, Structure};
use crate::error::{Error, InputError, Result, ShapeError};

/// What rounding may leave of a scatter that was removed whole, in parts of the scatter before.
pub(super) const ROUNDING: f64 = 1e-10;

/// Rows of a tied scatter that all classes change before they change others.
const CACHED_ROWS: usize = 16;

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
        for class in 0..self.n_classes() {
            let weighs = scaled.weights[class] > 0.0;
            let varies = self.scatter_diagonal(class).mapv(|square| square > 0.0 && weighs);
            scaled.round_up(class, varies.into_iter());
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
            combined.past.zip_mut_with(&other.past, |past, other| *past = past.hypot(*other));
        }
        let between: Vec<Between> = (0..self.n_classes())
            .filter_map(|class| combined.change_class(class, other, class, change))
            .collect();
        combined.add_between(&between, change);
        combined.check_overflow()?;
        Ok(combined)
    }

    /// Joins one class of `other` to a class of `self`, except for a tied scatter within classes, which simply adds up.
    pub(super) fn join_class(&mut self, into: usize, other: &Self, from: usize) {
        let between = self.change_class(into, other, from, Change::Join);
        self.add_between(between.as_slice(), Change::Join);
    }

    /// Changes a class by another; returns what a tied scatter is still to change by.
    fn change_class(&mut self, into: usize, other: &Self, from: usize, change: Change) -> Option<Between> {
        let (ours, theirs) = (self.weights[into], change.sign() * other.weights[from]);
        if theirs == 0.0 {
            return None;
        }
        self.rows[into] = match change {
            Change::Join => self.rows[into].saturating_add(other.rows[from]),
            Change::Remove => self.rows[into] - other.rows[from],
        };
        if self.structure != Structure::Tied {
            let from = other.past.row(from);
            self.past.row_mut(into).zip_mut_with(&from, |past, other| *past = past.hypot(*other));
        }
        let weight = ours + theirs;
        if weight.abs() <= ROUNDING * ours {
            self.empty_class(into, other, from);
            return None;
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
        let varies: Vec<bool> = apart.iter().map(|&apart| apart != 0.0 && ours > 0.0).collect();
        let share = (ours * (theirs / weight)).abs();
        let sign = change.sign();
        if self.structure == Structure::Diag {
            let mut scatter = self.scatter.slice_mut(ndarray::s![into, 0, ..]);
            scatter.scaled_add(sign, &other.scatter.slice(ndarray::s![from, 0, ..]));
            scatter.scaled_add(sign, &apart.mapv(|x| x * share * x));
        }
        let between = apart * share.sqrt();
        match self.structure {
            Structure::Tied => return Some(Between { class: into, vector: between, varies }),
            Structure::Full => {
                let within = other.scatter.index_axis(Axis(0), from);
                add(self.scatter.index_axis_mut(Axis(0), into), within, between.view(), sign);
            }
            Structure::Diag => {} // done: squares need no root
        }
        if change == Change::Join {
            self.round_up(into, varies.into_iter());
        }
        None
    }

    /// Adds to a tied scatter what lies between means, or takes it away. All classes change some rows of the scatter before
    /// they change the next ones: these rows stay in cache.
    fn add_between(&mut self, found: &[Between], change: Change) {
        if found.is_empty() {
            return;
        }
        let mut scatter = self.scatter.index_axis_mut(Axis(0), 0);
        for (block, mut rows) in scatter.axis_chunks_iter_mut(Axis(0), CACHED_ROWS).enumerate() {
            for Between { vector, .. } in found {
                let here = vector.slice(ndarray::s![block * CACHED_ROWS..]);
                for (mut row, &x) in rows.outer_iter_mut().zip(here) {
                    row.scaled_add(change.sign() * x, vector);
                }
            }
        }
        if change == Change::Join {
            found.iter().for_each(|between| self.round_up(between.class, between.varies.iter().copied()));
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

/// How far two parts of a class lie apart, as their tied scatter changes by its product with itself.
struct Between {
    class: usize,
    vector: Array1<f64>,
    /// Columns in which the parts differ.
    varies: Vec<bool>,
}

/// scatter ± (within + between betweenᵀ), which stays symmetric to the bit.
fn add(
    mut scatter: ArrayViewMut2<'_, f64>,
    within: ArrayView2<'_, f64>,
    between: ArrayView1<'_, f64>,
    sign: f64,
) {
    for (i, (mut row, &x)) in scatter.outer_iter_mut().zip(between).enumerate() {
        row.scaled_add(sign, &within.row(i));
        row.scaled_add(sign * x, &between);
    }
}
