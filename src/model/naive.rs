//! Independent columns within each class.

use ndarray::ArrayView2;

use super::{Model, Parts, Shape, center_and_log_prior};
use crate::error::{Error, InputError, Owner, RankError, Result, check_number, same_size};
use crate::moments::{Moments, SMALLEST_VARIANCE, check_resolved};

impl Model {
    /// The model with the means of `moments` and the given variances, K × d.
    ///
    /// # Errors
    /// Bad priors, variances that are negative or not finite, or a class of positive prior with a column without variance.
    ///
    /// ```
    /// use gauda::core::{Model, Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Diag, Parallel::default())?;
    /// let variances = covariance::variances(&moments, false)?;
    /// let model = Model::naive(&moments, variances.view(), &[0.5, 0.5])?;
    /// assert_eq!(model.n_features(), 2);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn naive(moments: &Moments, variances: ArrayView2<'_, f64>, priors: &[f64]) -> Result<Self> {
        same_size("rows of variances", variances.nrows(), moments.n_classes())?;
        same_size("columns of variances", variances.ncols(), moments.n_features())?;
        for ((class, column), &variance) in variances.indexed_iter() {
            if variance == f64::INFINITY {
                return Err(Error::Input(InputError::Overflow { what: Owner::Class(class), column }));
            }
            check_number("a variance", "at least 0", variance, |variance| variance >= 0.0)?;
        }
        let (center, log_prior) = center_and_log_prior(moments, priors)?;
        let means = moments.means_in_parts().clone();
        let smallest = SMALLEST_VARIANCE.sqrt();
        let mut deviations = variances.mapv(f64::sqrt);
        for (class, mut deviations) in deviations.outer_iter_mut().enumerate() {
            let positive = |deviation: &f64| *deviation >= smallest && deviation.recip().is_normal();
            let columns: Vec<usize> =
                deviations.iter().enumerate().filter(|(_, s)| !positive(s)).map(|(j, _)| j).collect();
            if columns.is_empty() {
                continue;
            }
            if priors[class] > 0.0 {
                check_resolved(variances.row(class), Owner::Class(class))?;
                return Err(Error::Rank(RankError::ZeroVariance {
                    class,
                    weight: moments.weights()[class],
                    columns,
                }));
            }
            // A class of prior 0 is never chosen; its distances must only be finite.
            columns.iter().for_each(|&j| deviations[j] = 1.0);
        }
        Self::from_parts(Parts { shape: Shape::Diag(deviations), center, means }, log_prior)
    }
}
