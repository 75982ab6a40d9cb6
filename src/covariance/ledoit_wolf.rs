//! Ledoit and Wolf's shrinkage (J. Multivariate Analysis 88, 2004) on standardized data, class by class.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};

use super::{of_classes, shrunk};
use crate::error::{Owner, Result};
use crate::moments::{Moments, check_resolved, quartics_about, rounded_up};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// The maximum-likelihood covariance of each class, shrunk on the correlation scale toward a multiple of the
/// identity by the intensity that the data suggest. The rows must be those behind the moments.
///
/// # Errors
/// As [`of_classes`] and [`Moments::from_rows`]; variances so small that products of deviations underflow.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
/// let shrunk = covariance::ledoit_wolf(&moments, &rows, &labels, None, Parallel::default())?;
/// let largest_likelihood = covariance::of_classes(&moments, false)?;
/// assert!(shrunk[[0, 0, 1]].abs() < largest_likelihood[[0, 0, 1]].abs());
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn ledoit_wolf(
    moments: &Moments,
    rows: &Rows<'_>,
    labels: &[u32],
    weights: Option<&[f64]>,
    parallel: Parallel<'_>,
) -> Result<Array3<f64>> {
    let means = moments.means_in_parts();
    shrunk_by(moments, |scales| quartics_about(means, scales, rows, labels, weights, parallel))
}

/// The same from moments of fourth order, without the rows.
///
/// # Errors
/// As [`of_classes`]; moments without those of fourth order, or variances so small that products of deviations underflow.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels, parallel) = (Rows::from(&x), [0, 0, 0, 1, 1, 1], Parallel::default());
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, parallel)?;
/// let moments = moments.to_fourth_order(&rows, &labels, None, parallel)?;
/// let (without, with) =
///     (covariance::ledoit_wolf_of_moments(&moments)?, covariance::ledoit_wolf(&moments, &rows, &labels, None, parallel)?);
/// assert!((without - with).iter().all(|gap| gap.abs() < 1e-12));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn ledoit_wolf_of_moments(moments: &Moments) -> Result<Array3<f64>> {
    shrunk_by(moments, |scales| moments.quartics(scales))
}

/// Covariances shrunk by intensities that follow from Σ w ‖z‖⁴ of each class, in scales that are given.
fn shrunk_by(
    moments: &Moments,
    quartics: impl FnOnce(&Array2<f64>) -> Result<Vec<f64>>,
) -> Result<Array3<f64>> {
    moments.check_no_class_empty()?;
    let mut covariances = of_classes(moments, false)?;
    let means = moments.means();
    let mut scales = Array2::zeros(means.raw_dim());
    for (class, covariance) in covariances.outer_iter().enumerate() {
        check_resolved(covariance.diag(), Owner::Class(class))?;
        let weight = moments.weights()[class];
        let deviations = covariance.diag().into_iter().zip(means.row(class));
        scales
            .row_mut(class)
            .assign(&deviations.map(|(&v, &mean)| lw_scale(v, mean, weight)).collect::<Array1<_>>());
    }
    let quartics = quartics(&scales.mapv(f64::recip))?;
    for (class, mut covariance) in covariances.outer_iter_mut().enumerate() {
        let scale = scales.row(class);
        let outer = &scale.view().insert_axis(Axis(1)) * &scale.view().insert_axis(Axis(0));
        let standardized = &covariance / &outer;
        let intensity = intensity(standardized.view(), quartics[class], moments.weights()[class]);
        let before = covariance.diag().to_owned();
        covariance.assign(&(shrunk(standardized.view(), intensity) * outer));
        covariance
            .diag_mut()
            .zip_mut_with(&before, |after, &before| *after = rounded_up(*after, before > 0.0));
    }
    Ok(covariances)
}

/// A standard deviation, or 1 where the variance is within the error bound of computing it (Chan, Golub, LeVeque 1983).
pub(crate) fn lw_scale(variance: f64, mean: f64, n: f64) -> f64 {
    let bound = n * f64::EPSILON * variance + (n * mean * f64::EPSILON).powi(2);
    if variance > bound { variance.sqrt() } else { 1.0 }
}

fn intensity(covariance: ArrayView2<'_, f64>, quartic: f64, n: f64) -> f64 {
    if covariance.nrows() == 1 {
        return 0.0;
    }
    let squares: f64 = covariance.iter().map(|entry| entry * entry).sum();
    let d = covariance.nrows();
    intensity_of((d, squares, covariance.diag().sum() / d as f64), quartic, n)
}

/// β / δ with β the estimated error of the covariance and δ its distance from the scaled identity, of its number of columns,
/// the sum of its squared entries and its mean diagonal.
pub(crate) fn intensity_of(
    (columns, squares, mean_variance): (usize, f64, f64),
    quartic: f64,
    n: f64,
) -> f64 {
    let d = columns as f64;
    let beta = (quartic / n - squares) / (d * n);
    let delta = squares / d - mean_variance * mean_variance;
    let beta = beta.min(delta);
    if beta == 0.0 { 0.0 } else { beta / delta }
}

#[cfg(test)]
mod tests;
