//! One full covariance per class.

use ndarray::{Array2, ArrayView3};

use super::{Model, Parts, Shape, center_and_log_prior, singular};
use crate::covariance::check_covariance;
use crate::error::{Owner, Result, check_tolerance, same_size};
use crate::linalg::{self, Whitening, resolvable, standard_deviations};
use crate::moments::{Moments, check_resolved};
use crate::parallel::Parallel;

/// Columns that make a factorization worth a thread.
const WORTH_A_THREAD: usize = 32;

impl Model {
    /// The model with the means of `moments` and the given covariances, K × d × d.
    ///
    /// # Errors
    /// Bad priors, a matrix that is not a covariance, variances too small for a double, or a covariance that is singular: an
    /// eigenvalue on the correlation scale is at most `tol`².
    ///
    /// ```
    /// use gauda::core::{Model, Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[-2.0], [-1.0], [1.0], [3.0]];
    /// let rows = Rows::from(x.view());
    /// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Full, Parallel::default())?;
    /// let covariances = covariance::of_classes(&moments, false)?;
    /// let model = Model::quadratic(&moments, covariances.view(), &moments.priors()?, 1e-4, Parallel::default())?;
    /// assert_eq!((model.n_classes(), model.n_features()), (2, 1));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn quadratic(
        moments: &Moments,
        covariances: ArrayView3<'_, f64>,
        priors: &[f64],
        tol: f64,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        let (classes, d) = (moments.n_classes(), moments.n_features());
        let (given, rows, columns) = covariances.dim();
        same_size("number of covariances", given, classes)?;
        same_size("rows of a covariance", rows, d)?;
        same_size("columns of a covariance", columns, d)?;
        check_tolerance(tol)?;
        moments.check_no_class_empty()?;
        let (center, log_prior) = center_and_log_prior(moments, priors)?;
        let means = moments.means_in_parts().clone();
        let magnitudes = moments.means();
        let tol = tol.max(resolvable(d));
        let whiten = |class: usize| -> Result<Whitening> {
            let covariance = covariances.index_axis(ndarray::Axis(0), class);
            check_covariance(covariance, Owner::Class(class))?;
            check_resolved(covariance.diag(), Owner::Class(class))?;
            let deviations = standard_deviations(covariance, &magnitudes.row(class).to_vec());
            linalg::whiten(covariance, &deviations, tol)
                .ok_or_else(|| singular(moments, Owner::Class(class), covariance, &deviations, tol))
        };
        // Small matrices are factored before a thread would have woken up.
        let whitenings = match d < WORTH_A_THREAD {
            true => (0..classes).map(whiten).collect::<Result<_>>()?,
            false => parallel.map(classes, |class, _| whiten(class))?,
        };
        let mut average = Array2::zeros((d, d));
        for (covariance, log_prior) in covariances.outer_iter().zip(&log_prior) {
            average.scaled_add(log_prior.exp(), &covariance);
        }
        let model = Self::from_parts(Parts { shape: Shape::Full(whitenings), center, means }, log_prior)?;
        model.shared.average_covariance.get_or_init(|| Some(average));
        Ok(model)
    }
}
