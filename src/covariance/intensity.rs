//! How far covariances should move toward a multiple of the identity, as the data suggest: Ledoit and Wolf's intensity (J.
//! Multivariate Analysis 88, 2004) and the oracle-approximating one (Chen, Wiesel, Eldar, Hero, IEEE Trans. Signal Processing
//! 58, 2010).
//!
//! Both hold for B = Σ_i w_i z_i z_iᵀ, where z_i is a row about its class mean and Σ_i w_i = 1. The estimated error of B is
//! then Σ_i w_i² ‖z_i z_iᵀ − B‖², and 1 / Σ_i w_i² rows of equal weight would give as small a one.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{Mixing, need};
use crate::error::Result;
use crate::moments::{Moments, Structure, quartics_about};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Ledoit and Wolf's intensity for each class's mixed covariance. The rows must be those behind the moments.
///
/// # Errors
/// As [`super::regularized`] and [`Moments::from_rows`].
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
/// use covariance::{Mixing, Pooling, ledoit_wolf_intensities};
///
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
///
/// let intensities = ledoit_wolf_intensities(&moments, mixing, &rows, &labels, None, Parallel::default())?;
/// assert!(intensities.iter().all(|intensity| (0.0..=1.0).contains(intensity)));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn ledoit_wolf_intensities(
    moments: &Moments,
    mixing: Mixing,
    rows: &Rows<'_>,
    labels: &[u32],
    weights: Option<&[f64]>,
    parallel: Parallel<'_>,
) -> Result<Vec<f64>> {
    let means = moments.means_in_parts();
    intensities_by(moments, mixing, |units| quartics_about(means, units, rows, labels, weights, parallel))
}

/// The same from moments of fourth order, without the rows.
///
/// # Errors
/// As [`super::regularized`]; moments without those of fourth order.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use covariance::{Mixing, Pooling, ledoit_wolf_intensities_of_moments};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels, parallel) = (Rows::from(&x), [0, 0, 0, 1, 1, 1], Parallel::default());
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, parallel)?;
/// let moments = moments.to_fourth_order(&rows, &labels, None, parallel)?;
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
/// let intensities = ledoit_wolf_intensities_of_moments(&moments, mixing)?;
/// assert!(intensities.iter().all(|intensity| (0.0..=1.0).contains(intensity)));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn ledoit_wolf_intensities_of_moments(moments: &Moments, mixing: Mixing) -> Result<Vec<f64>> {
    intensities_by(moments, mixing, |units| moments.quartics(units))
}

/// Intensities that follow from Σ w ‖z‖⁴ of each class.
fn intensities_by(
    moments: &Moments,
    mixing: Mixing,
    quartics: impl FnOnce(&Array2<f64>) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    need(moments, Structure::Full)?;
    moments.check_no_class_empty()?;
    let quartics = quartics(&Array2::ones((moments.n_classes(), moments.n_features())))?;
    for_each_class(moments, mixing, |mixed, row_weights| {
        let squares = sum_of_products(mixed, mixed);
        let errors = moments.scatter().outer_iter().enumerate().map(|(class, scatter)| {
            let error =
                quartics[class] - 2.0 * sum_of_products(mixed, scatter) + moments.weights()[class] * squares;
            row_weights[class].powi(2) * error
        });
        wolf_intensity(errors.sum(), squares, mixed.diag().sum(), mixed.nrows())
    })
}

/// Ledoit and Wolf's intensity from the estimated error of a covariance, the sum of its squared entries and its trace.
pub(crate) fn wolf_intensity(error: f64, squares: f64, trace: f64, columns: usize) -> f64 {
    let distance = squares - trace.powi(2) / columns as f64;
    let error = error.min(distance);
    if error > 0.0 { error / distance } else { 0.0 }
}

/// The oracle-approximating intensity for each class's mixed covariance.
///
/// # Errors
/// As [`super::regularized`].
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
/// use covariance::{Mixing, Pooling, oracle_intensities};
///
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
///
/// let intensities = oracle_intensities(&moments, mixing)?;
/// assert!(intensities.iter().all(|intensity| (0.0..=1.0).contains(intensity)));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn oracle_intensities(moments: &Moments, mixing: Mixing) -> Result<Vec<f64>> {
    for_each_class(moments, mixing, |mixed, row_weights| {
        let n = 1.0 / (row_weights * row_weights * moments.weights()).sum();
        oracle_intensity(n, sum_of_products(mixed, mixed), mixed.diag().sum(), mixed.nrows())
    })
}

/// The oracle-approximating intensity from the number of rows, the sum of squared entries of a covariance and its trace.
pub(crate) fn oracle_intensity(n: f64, squares: f64, trace: f64, columns: usize) -> f64 {
    let d = columns as f64;
    let mean_square = squares / (d * d);
    let squared_mean = (trace / d).powi(2);
    let bound = (n + 1.0) * (mean_square - squared_mean / d);
    if bound > 0.0 { ((mean_square + squared_mean) / bound).min(1.0) } else { 1.0 }
}

/// The intensity of each class from its mixed covariance and the weight that a row of each class has in it.
fn for_each_class(
    moments: &Moments,
    mixing: Mixing,
    intensity: impl Fn(ArrayView2<'_, f64>, &Array1<f64>) -> f64,
) -> Result<Vec<f64>> {
    let mixing = Mixing { unbiased: false, ..mixing };
    let mixed = mixing.mixed_covariances(moments)?;
    let of_class = |(class, mixed): (usize, ArrayView2<'_, f64>)| {
        if mixed.nrows() == 1 {
            return Ok(0.0);
        }
        let shares = mixing.shares(moments.weights(), class)?;
        let mut row_weights = Array1::from_elem(moments.n_classes(), shares.pooled);
        row_weights[class] += shares.own;
        Ok(intensity(mixed, &row_weights))
    };
    mixed.axis_iter(Axis(0)).enumerate().map(of_class).collect()
}

fn sum_of_products(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::covariance::Pooling;
    use crate::oracle::{Sample, two_passes};

    /// min(Σ_i w_i² ‖z_i z_iᵀ − B‖², ‖B − μI‖²) / ‖B − μI‖², row by row.
    fn by_the_definition(sample: &Sample, alpha: f64, class: usize) -> f64 {
        let moments = two_passes(sample);
        let (d, n) = (sample.x.ncols(), sample.labels.len() as f64);
        let weight = |row: usize| {
            let own = if sample.labels[row] as usize == class { 1.0 - alpha } else { 0.0 };
            own / moments[class].weight + alpha / n
        };
        let outer = |row: usize| {
            let mean = Array1::from(moments[sample.labels[row] as usize].mean.clone());
            let z = &sample.x.row(row) - &mean;
            &z.view().insert_axis(Axis(1)) * &z.view().insert_axis(Axis(0))
        };
        let rows = 0..sample.labels.len();
        let mixed =
            rows.clone().fold(Array2::<f64>::zeros((d, d)), |sum, row| sum + outer(row) * weight(row));
        let square = |a: Array2<f64>| a.iter().map(|entry| entry * entry).sum::<f64>();
        let error: f64 = rows.map(|row| weight(row).powi(2) * square(outer(row) - &mixed)).sum();
        let distance = square(&mixed - &(Array2::<f64>::eye(d) * (mixed.diag().sum() / d as f64)));
        (error / distance).min(1.0)
    }

    #[test]
    fn ledoit_and_wolfs_intensity_is_the_error_over_the_distance() {
        let sample = Sample::new(90, 4, 3);
        let moments = sample.moments(Structure::Full).unwrap();
        for alpha in [0.0, 0.4, 1.0] {
            let mixing = Mixing { alpha, pooling: Pooling::Covariance, unbiased: false };
            let rows = Rows::from(sample.x.view());
            let found =
                ledoit_wolf_intensities(&moments, mixing, &rows, &sample.labels, None, Parallel::default());
            for (class, found) in found.unwrap().into_iter().enumerate() {
                let exact = by_the_definition(&sample, alpha, class);
                assert!((found - exact).abs() < 1e-11, "alpha {alpha}, class {class}: {found}, {exact}");
            }
        }
    }

    #[test]
    fn one_column_is_not_shrunk() {
        let moments = Sample::new(30, 1, 2).moments(Structure::Full).unwrap();
        let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
        assert_eq!(oracle_intensities(&moments, mixing).unwrap(), [0.0, 0.0]);
    }
}
