//! A linear guess at the class of a row: as if all classes had their average covariance.

use ndarray::{Array1, Array2};

use super::{Parts, Shape};
use crate::kernel::{Affine, Lane};
use crate::linalg::{Factor, factor};

/// Σ_k π_k Σ_k of a model with one covariance per class, from their whitening matrices: Σ = W⁻¹ W⁻ᵀ.
pub(super) fn average_covariance(parts: &Parts) -> Option<Array2<f64>> {
    let Shape::Full(whitenings) = &parts.shape else {
        return None;
    };
    let d = parts.center.len();
    let mut average = Array2::zeros((d, d));
    for (whitening, log_prior) in whitenings.iter().zip(&parts.log_prior) {
        let Factor { inverse, .. } = factor(whitening.matrix.t().dot(&whitening.matrix).view())?;
        average.scaled_add(log_prior.exp(), &inverse.t().dot(&inverse));
    }
    Some(average)
}

/// Linear scores of rows less the centre.
pub(super) fn guess<T: Lane>(parts: &Parts, average: &Array2<f64>) -> Option<Affine<T>> {
    let means = parts.means.about(&parts.center);
    let Factor { inverse, .. } = factor(average.view())?;
    let whitened = means.dot(&inverse.t());
    let constants: Array1<f64> = whitened.outer_iter().map(|mean| -0.5 * mean.dot(&mean)).collect();
    // A class that cannot be is no good guess; −∞ would look as if rows were not finite.
    let log_prior = parts.log_prior.iter().map(|log_prior| log_prior.max(-1e30)).collect::<Array1<f64>>();
    let constants = constants + log_prior;
    Some(Affine::new(whitened.dot(&inverse).view(), &constants.to_vec()))
}
