//! Moments together with more rows, as when a model learns them one by one, or some at a time.

use ndarray::{Array1, Array2, Array3};

use super::check::check_labels;
use super::observed::{Gaps, Observed};
use super::{Means, Moments, Structure};
use crate::error::{Result, same_size};
use crate::parallel::Parallel;
use crate::rows::Rows;

impl Moments {
    /// The largest variance of any column, all rows taken as one class; 0 without any.
    ///
    /// # Errors
    /// Those of [`Moments::total`].
    pub(crate) fn largest_variance(&self) -> Result<f64> {
        let total = self.total()?;
        let (squares, weight) = (total.scatter_diagonal(0), |j| total.column_weight(0, j));
        let seen = |&j: &usize| weight(j) > 0.0;
        Ok((0..self.n_features()).filter(seen).map(|j| squares[j] / weight(j)).fold(0.0, f64::max))
    }

    /// The moments of columns that may each be of another type, NaN left out of the sums of its column: diagonal ones.
    /// Columns have weights of their own only if some entry of positive weight is missing.
    ///
    /// # Errors
    /// Those of [`Moments::from_observed`]; labels and weights must have been checked.
    pub(crate) fn from_columns(
        columns: &[Rows<'_>],
        labels: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        let observed = Observed::of_columns(columns, labels, n_classes, weights, parallel)?;
        let complete = observed
            .seen
            .outer_iter()
            .zip(&observed.weights)
            .all(|(seen, weight)| seen.iter().all(|s| s == weight));
        Ok(observed.into_moments(if complete { Gaps::Refused } else { Gaps::LeftOut }))
    }

    /// The moments together with those of rows of weight 1 each: the same as summed up by themselves and merged, to the bit.
    /// NaN is refused, or left out if there may be gaps.
    ///
    /// # Errors
    /// Those of [`Moments::from_rows`] and [`Moments::merge`].
    pub(crate) fn join_rows(
        &self,
        rows: &Rows<'_>,
        labels: &[u32],
        may_miss: bool,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        if rows.n_rows() == 1 && self.seen.is_none() && self.fourth.is_none() {
            check_labels(labels, 1, self.n_classes())?;
            let mut entries = vec![0.0; self.n_features()];
            rows.read_row(0, &mut entries);
            if !(may_miss && entries.iter().any(|entry| entry.is_nan())) {
                rows.check_finite(0..1)?;
                return self.join_row(entries, labels[0] as usize);
            }
        }
        let batch = match may_miss {
            true => Self::from_observed(rows, labels, self.n_classes(), None, parallel),
            false => Self::from_rows(rows, labels, self.n_classes(), None, self.structure, parallel),
        };
        self.merge(&batch?)
    }

    /// A row is its own mean, and has no scatter.
    fn join_row(&self, row: Vec<f64>, class: usize) -> Result<Self> {
        let d = row.len();
        let height = if self.structure == Structure::Diag { 1 } else { d };
        let alone = Self {
            structure: self.structure,
            rows: vec![1],
            weights: Array1::ones(1),
            means: Means {
                shift: Array2::from_shape_vec((1, d), row).expect("one row"),
                offset: Array2::zeros((1, d)),
            },
            scatter: Array3::zeros((1, height, d)),
            past: Array2::zeros((1, d)),
            seen: None,
            fourth: None,
        };
        let mut joined = self.clone();
        joined.join_classes([(0, class)].into_iter(), &alone);
        joined.check_overflow()?;
        Ok(joined)
    }
}
