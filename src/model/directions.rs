//! The few directions in which classes with a covariance each differ most.

use ndarray::{Array1, Array2};

use super::{Parts, Shape};
use crate::linalg::{Factor, factor};

/// A quarter of the columns and a few, and no more than these.
const MAX_DIRECTIONS: usize = 24;

/// Steps of the power method. Any directions will do; better ones tell more.
const STEPS: usize = 8;

/// Number of directions.
pub(crate) fn n_directions(features: usize) -> usize {
    (features / 4 + 2).min(MAX_DIRECTIONS).min(features)
}

/// Σ_k π_k Σ_k of a model with one covariance per class, from their whitening matrices: Σ = W⁻¹ W⁻ᵀ.
pub(super) fn average_covariance(parts: &Parts, log_prior: &[f64]) -> Option<Array2<f64>> {
    let Shape::Full(whitenings) = &parts.shape else {
        return None;
    };
    let d = parts.center.len();
    let mut average = Array2::zeros((d, d));
    for (whitening, log_prior) in whitenings.iter().zip(log_prior) {
        let Factor { inverse, .. } = factor(whitening.matrix.t().dot(&whitening.matrix).view())?;
        average.scaled_add(log_prior.exp(), &inverse.t().dot(&inverse));
    }
    Some(average)
}

/// Directions as rows, the average covariance white along them: nearly the leading ones of
/// Σ_k π_k (μ_k μ_kᵀ + ½ Σ_k⁻¹) in coordinates in which it is the identity.
pub(super) fn directions(parts: &Parts, log_prior: &[f64], average: &Array2<f64>) -> Option<Array2<f64>> {
    let Shape::Full(whitenings) = &parts.shape else {
        return None;
    };
    let Factor { lower, inverse } = factor(average.view())?;
    let d = average.nrows();
    let priors: Array1<f64> = log_prior.iter().map(|log_prior| log_prior.exp()).collect();
    let means = parts.means.about(&parts.center).dot(&inverse.t());
    let mut weighted = means.clone();
    weighted.outer_iter_mut().zip(&priors).for_each(|(mut mean, &prior)| mean *= prior);
    let mut precision = Array2::<f64>::zeros((d, d));
    for (whitening, &prior) in whitenings.iter().zip(&priors) {
        precision.scaled_add(prior, &whitening.matrix.t().dot(&whitening.matrix));
    }
    // The average of inverses is at least the inverse of the average, here 1: what it is more tells covariances apart.
    let unlike = (lower.t().dot(&precision).dot(&lower) - Array2::<f64>::eye(d)) * 0.5;
    let differences = means.t().dot(&weighted) + unlike;
    let mut found =
        Array2::from_shape_fn((n_directions(d), d), |(i, j)| ((1 + i) as f64 * (1 + j) as f64).sin());
    for _ in 0..STEPS {
        found = found.dot(&differences);
        make_orthonormal(&mut found);
    }
    Some(found.dot(&inverse))
}

/// Modified Gram–Schmidt, row by row.
fn make_orthonormal(rows: &mut Array2<f64>) {
    for i in 0..rows.nrows() {
        let (done, mut rest) = rows.view_mut().split_at(ndarray::Axis(0), i);
        let mut row = rest.row_mut(0);
        for done in done.outer_iter() {
            let along = done.dot(&row);
            row.scaled_add(-along, &done);
        }
        let length = row.dot(&row).sqrt();
        row /= length.max(f64::MIN_POSITIVE);
    }
}
