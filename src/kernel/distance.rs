//! Σ_j (s_j (x_j − μ_j))² for groups of rows: squared distances under diagonal covariances.

use ndarray::ArrayView2;

use super::LANES;
use crate::float::Real;

/// The centre and the scale of each column, class by class.
#[derive(Debug, Clone)]
pub(crate) struct Distances<T> {
    /// Pairs (μ_j, s_j).
    columns: Vec<[T; 2]>,
    features: usize,
}

impl<T: Real> Distances<T> {
    pub(crate) fn new(means: ArrayView2<'_, f64>, scales: ArrayView2<'_, f64>) -> Self {
        let columns = means.iter().zip(scales).map(|(&mean, &scale)| [mean, scale].map(T::rounded));
        Self { columns: columns.collect(), features: means.ncols() }
    }

    /// The squared distance to one class, lane by lane.
    pub(crate) fn to(&self, class: usize, x: &[[T; LANES]]) -> [T; LANES] {
        let columns = &self.columns[class * self.features..][..self.features];
        let mut distance = [T::zero(); LANES];
        for (x, &[mean, scale]) in x.iter().zip(columns) {
            for (distance, &x) in distance.iter_mut().zip(x) {
                let residual = (x - mean) * scale;
                *distance = *distance + residual * residual;
            }
        }
        distance
    }
}
