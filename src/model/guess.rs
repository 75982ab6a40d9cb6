//! A linear guess at the class of a row: as if all classes had the average precision matrix.

use ndarray::{Array1, Array2};

use super::Parts;
use crate::kernel::{Affine, Lane};
use crate::linalg::Whitening;

/// Linear scores under P = Σ_k π_k W_kᵀ W_k, for rows less the centre.
pub(super) fn guess<T: Lane>(parts: &Parts, whitenings: &[Whitening]) -> Affine<T> {
    let means = parts.means.about(&parts.center);
    let weighted = || whitenings.iter().zip(parts.log_prior.iter().map(|log_prior| log_prior.exp()));
    let (classes, d) = means.dim();
    let slopes = if classes < d {
        let image = |sum: Array2<f64>, (Whitening { matrix, .. }, prior): (&Whitening, f64)| {
            sum + matrix.t().dot(&matrix.dot(&means.t())) * prior
        };
        weighted().fold(Array2::zeros((d, classes)), image).reversed_axes()
    } else {
        let precision = |sum: Array2<f64>, (Whitening { matrix, .. }, prior): (&Whitening, f64)| {
            sum + matrix.t().dot(matrix) * prior
        };
        means.dot(&weighted().fold(Array2::zeros((d, d)), precision))
    };
    let constants: Array1<f64> =
        slopes.outer_iter().zip(means.outer_iter()).map(|(slope, mean)| -0.5 * slope.dot(&mean)).collect();
    Affine::new(slopes.view(), &(constants + &Array1::from(parts.log_prior.clone())).to_vec())
}
