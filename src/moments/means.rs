//! Class means in two parts: far from zero, one double would lose digits of the spread.

use ndarray::{Array1, Array2, ArrayView2};

use crate::error::{Result, not_empty, same_size};

/// Means of each class and column: shift + offset.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure};
/// use ndarray::array;
///
/// // 2⁵³ has no neighbor at a distance of 1 among doubles, but the mean of these rows keeps its ½
/// let far = 2.0_f64.powi(53);
/// let x = array![[far], [far], [far], [far + 2.0]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0; 4], 1, None, Structure::Full, Parallel::default())?;
/// let means = moments.means_in_parts();
/// assert_eq!((means.shift[(0, 0)] - far) + means.offset[(0, 0)], 0.5);
/// assert_eq!(means.rounded()?[(0, 0)], far);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// The first part, K × d.
    pub shift: Array2<f64>,
    /// The rest, K × d.
    pub offset: Array2<f64>,
}

impl Means {
    /// The means, rounded to doubles.
    ///
    /// # Errors
    /// Parts of different sizes.
    ///
    /// There is an example at [`Means`].
    pub fn rounded(&self) -> Result<Array2<f64>> {
        self.check()?;
        Ok(self.sum())
    }

    /// The same of parts that were checked.
    pub(crate) fn sum(&self) -> Array2<f64> {
        &self.shift + &self.offset
    }

    /// The means less a common center, without the digits that rounding them first would cost.
    pub(crate) fn about(&self, center: &[f64]) -> Array2<f64> {
        let center = ArrayView2::from_shape((1, center.len()), center).expect("one row");
        &self.shift - &center + &self.offset
    }

    /// Their mean with these weights (which need not sum to 1).
    pub(crate) fn mean(&self, weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let base = self.shift.row(0).to_vec();
        let apart = self.about(&base);
        let weights = weights.iter().map(|weight| weight / total).collect::<Array1<_>>();
        base.iter().zip(weights.dot(&apart)).map(|(base, apart)| base + apart).collect()
    }

    /// How far the mean of one of their classes is from one of ours.
    pub(crate) fn apart(&self, ours: usize, others: &Self, theirs: usize) -> Array1<f64> {
        &others.shift.row(theirs) - &self.shift.row(ours) + others.offset.row(theirs) - self.offset.row(ours)
    }

    /// Makes the mean of one of our classes that of one of theirs.
    pub(crate) fn assign(&mut self, ours: usize, others: &Self, theirs: usize) {
        self.shift.row_mut(ours).assign(&others.shift.row(theirs));
        self.offset.row_mut(ours).assign(&others.offset.row(theirs));
    }

    /// Makes the mean of a class 0.
    pub(crate) fn clear(&mut self, class: usize) {
        self.shift.row_mut(class).fill(0.0);
        self.offset.row_mut(class).fill(0.0);
    }

    /// Adds a multiple of `apart` to a mean. Its first part becomes the nearest double, so that the rest stays small
    /// (Knuth's exact sum).
    pub(crate) fn move_by(&mut self, class: usize, share: f64, apart: &Array1<f64>) {
        let parts = self.shift.row_mut(class).into_iter().zip(self.offset.row_mut(class));
        for ((shift, offset), apart) in parts.zip(apart) {
            let moved = *offset + share * apart;
            let sum = *shift + moved;
            let added = sum - *shift;
            *offset = (*shift - (sum - added)) + (moved - added);
            *shift = sum;
        }
    }

    /// Checks that both parts have the same size, and columns.
    pub(crate) fn check(&self) -> Result<()> {
        let (classes, features) = self.shift.dim();
        not_empty("number of columns", features)?;
        same_size("rows of the offsets", self.offset.nrows(), classes)?;
        same_size("columns of the offsets", self.offset.ncols(), features)
    }
}
