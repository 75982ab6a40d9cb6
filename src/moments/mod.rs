//! Moments: the sufficient statistics of labeled rows. Every model is a cheap function of them.

mod accumulate;
mod algebra;
pub(crate) mod check;
mod columns;
mod count;
mod fourth;
#[cfg(feature = "python")]
mod joining;
mod means;
mod observed;
mod quartic;
mod regroup;
mod removal;
mod shift;
mod source;
mod symmetric;
#[cfg(test)]
mod tests;
mod tiny;
mod unit;

use ndarray::{Array1, Array2, Array3, Axis};

use crate::error::{Error, InputError, Owner, Result, check_number, not_empty, same_size};

pub(crate) use check::{check_labels, check_log_priors, check_priors, check_room, check_weights};
#[cfg(any(feature = "files", feature = "python"))]
pub(crate) use fourth::FourthOrder;
pub use means::Means;
pub(crate) use observed::{Gaps, Observed};
pub(crate) use quartic::quartics_about;
pub(crate) use removal::MAX_REMOVED;
pub(crate) use source::Source;
pub(crate) use tiny::{SMALLEST_VARIANCE, check_resolved, rounded_up, variance};
pub(crate) use unit::UnitWeights;

/// What is known of second moments.
///
/// ```
/// use gauda::{Moments, Structure};
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]];
/// let scatter = |structure| Ok::<_, gauda::Error>(Moments::from_rows(&x, &[0, 0, 1], structure)?.scatter().dim());
/// assert_eq!(scatter(Structure::Full)?, (2, 2, 2));
/// assert_eq!(scatter(Structure::Tied)?, (1, 2, 2));
/// assert_eq!(scatter(Structure::Diag)?, (2, 1, 2));
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Structure {
    /// One scatter matrix per class: K × d × d.
    Full,
    /// One scatter matrix, within classes, for all: 1 × d × d.
    Tied,
    /// The diagonals only: K × 1 × d.
    Diag,
}

/// Weight, mean and scatter of each class.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure};
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]];
/// let moments = Moments::from_rows(
///     &Rows::from(x.view()), &[0, 0, 1], 2, None, Structure::Full, Parallel::default(),
/// )?;
/// assert_eq!(moments.means(), array![[1.0, 2.0], [5.0, 5.0]]);
/// assert_eq!(moments.scatter()[[0, 0, 1]], 2.0);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Moments {
    structure: Structure,
    rows: Vec<u64>,
    weights: Array1<f64>,
    means: Means,
    scatter: Array3<f64>,
    /// For each matrix and column the sum of squares that others were removed from: rounding of that is left.
    past: Array2<f64>,
    /// Of diagonal moments of rows with gaps the weight of the rows in which a column is observed, class × column.
    seen: Option<Array2<f64>>,
    /// Moments of third and fourth order, if they were summed up.
    fourth: Option<fourth::FourthOrder>,
}

impl PartialEq for Moments {
    /// Whether the numbers are the same, however they came about.
    fn eq(&self, other: &Self) -> bool {
        self.structure == other.structure
            && self.rows == other.rows
            && self.weights == other.weights
            && self.means == other.means
            && self.scatter == other.scatter
            && self.seen == other.seen
            && self.fourth == other.fourth
    }
}

impl Moments {
    /// Moments with these numbers.
    ///
    /// # Errors
    /// Arrays whose sizes do not fit together, and numbers that no rows have: weights or sums of squares that are negative,
    /// anything that is not finite.
    pub fn new(
        structure: Structure,
        rows: Vec<u64>,
        weights: Array1<f64>,
        means: Means,
        scatter: Array3<f64>,
    ) -> Result<Self> {
        means.check()?;
        let (classes, d) = means.shift.dim();
        let expected = match structure {
            Structure::Full => (classes, d, d),
            Structure::Tied => (1, d, d),
            Structure::Diag => (classes, 1, d),
        };
        same_size("number of row counts", rows.len(), classes)?;
        same_size("number of weights", weights.len(), classes)?;
        same_size("matrices of the scatter", scatter.dim().0, expected.0)?;
        same_size("rows of the scatter", scatter.dim().1, expected.1)?;
        same_size("columns of the scatter", scatter.dim().2, expected.2)?;
        let scatter = match scatter.is_standard_layout() {
            true => scatter,
            false => scatter.as_standard_layout().into_owned(),
        };
        let past = Array2::zeros((expected.0, d));
        let moments = Self { structure, rows, weights, means, scatter, past, seen: None, fourth: None };
        moments.check_numbers()?;
        Ok(moments)
    }

    /// The same moments as the rest of larger ones, whose sums of squares are given for each matrix and column.
    #[cfg(any(feature = "files", feature = "python"))]
    pub(crate) fn with_past(self, past: Array2<f64>) -> Result<Self> {
        same_size("rows of past squares", past.nrows(), self.past.nrows())?;
        same_size("columns of past squares", past.ncols(), self.past.ncols())?;
        past.iter().try_for_each(|&square| {
            check_number("a past sum of squares", "at least 0", square, |square| square >= 0.0)
        })?;
        Ok(Self { past, ..self })
    }

    /// For each matrix and column the sum of squares that others were removed from; nothing if none were.
    #[cfg(any(feature = "files", feature = "python"))]
    pub(crate) fn past(&self) -> Option<&Array2<f64>> {
        Some(&self.past).filter(|past| past.iter().any(|&square| square > 0.0))
    }

    /// An error if no rows can have these numbers.
    fn check_numbers(&self) -> Result<()> {
        let finite = f64::is_finite;
        for &weight in &self.weights {
            check_number("the weight of a class", "finite and at least 0", weight, |w| {
                w.is_finite() && w >= 0.0
            })?;
        }
        self.means().iter().try_for_each(|&mean| check_number("a mean", "finite", mean, finite))?;
        for class in 0..self.scatter.len_of(Axis(0)) {
            for &square in &self.scatter_diagonal(class) {
                check_number("a sum of squares", "at least 0", square, |square| square >= 0.0)?;
            }
        }
        self.check_overflow()?;
        self.scatter
            .iter()
            .try_for_each(|&product| check_number("a sum of products", "finite", product, finite))
    }

    /// What is known of second moments.
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

    /// Sum of the weights of each class; without weights, its rows.
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

    /// The class means, rounded to doubles.
    pub fn means(&self) -> Array2<f64> {
        self.means.sum()
    }

    /// The mean over classes with these weights (which need not sum to 1).
    pub(crate) fn mean_of_means(&self, weights: &[f64]) -> Vec<f64> {
        self.means.mean(weights)
    }

    /// Sums of squares and products about the class means, shaped as the structure says.
    pub fn scatter(&self) -> &Array3<f64> {
        &self.scatter
    }

    /// Priors in proportion to the weights.
    ///
    /// # Errors
    /// Moments without weight.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.priors()?, [0.5, 0.5]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn priors(&self) -> Result<Vec<f64>> {
        match self.total_weight() {
            0.0 => Err(Error::Input(InputError::NoWeight)),
            total => Ok((&self.weights / total).to_vec()),
        }
    }

    /// An error if a class has no weight, or there is no class.
    pub fn check_no_class_empty(&self) -> Result<()> {
        not_empty("number of classes", self.n_classes())?;
        match self.weights.iter().position(|&weight| weight == 0.0) {
            Some(class) => Err(Error::Input(InputError::EmptyClass { class })),
            None => Ok(()),
        }
    }

    /// The diagonal of the scatter: of class k, or of all classes together for a tied structure.
    pub(crate) fn scatter_diagonal(&self, class: usize) -> Array1<f64> {
        match self.structure {
            Structure::Full => self.scatter.index_axis(Axis(0), class).diag().to_owned(),
            Structure::Tied => self.scatter.index_axis(Axis(0), 0).diag().to_owned(),
            Structure::Diag => self.scatter.slice(ndarray::s![class, 0, ..]).to_owned(),
        }
    }

    /// Of which matrix of the scatter a class is part.
    pub(super) fn matrix_of(&self, class: usize) -> usize {
        if self.structure == Structure::Tied { 0 } else { class }
    }

    /// The diagonal of each matrix of the scatter.
    pub(super) fn diagonals(&self) -> Vec<Array1<f64>> {
        (0..self.scatter.len_of(Axis(0))).map(|matrix| self.scatter_diagonal(matrix)).collect()
    }

    /// The diagonals of the scatters: K × d, or 1 × d for a tied structure.
    #[cfg(feature = "python")]
    pub(crate) fn squares(&self) -> Array2<f64> {
        let matrices = self.scatter.len_of(Axis(0));
        let mut squares = Array2::zeros((matrices, self.n_features()));
        for (matrix, mut row) in squares.outer_iter_mut().enumerate() {
            row.assign(&self.scatter_diagonal(matrix));
        }
        squares
    }

    /// An error if a sum of squares or of weights overflowed, or squares underflowed with weights so small that no variance
    /// would show it. Means are looked at too: where they overflow, a scatter may be 0.
    pub(crate) fn check_overflow(&self) -> Result<()> {
        let (diagonals, total) = (self.diagonals(), self.total_weight());
        for class in 0..self.n_classes() {
            let diagonal = &diagonals[self.matrix_of(class)];
            let means = self.means.offset.row(class);
            let column = (0..self.n_features()).find(|&j| {
                let weight = self.column_weight(class, j);
                !(diagonal[j].is_finite() && (means[j] * means[j] * weight).is_finite())
            });
            let what = match self.structure {
                Structure::Tied => Owner::Pooled,
                Structure::Full | Structure::Diag => Owner::Class(class),
            };
            if let Some(column) = column {
                return Err(Error::Input(InputError::Overflow { what, column }));
            }
            let weight = |j| match self.structure {
                Structure::Tied => total,
                Structure::Full | Structure::Diag => self.column_weight(class, j),
            };
            if let Some(column) = (0..self.n_features()).find(|&j| tiny::is_lost(diagonal[j], weight(j))) {
                return Err(Error::Input(InputError::Underflow { what, column }));
            }
        }
        check_number("the sum of all weights", "finite", self.total_weight(), f64::is_finite)
    }
}
