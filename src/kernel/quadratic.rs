//! ‖W x − b‖² for groups of rows: the squared Mahalanobis distance under one full covariance.

use ndarray::ArrayView2;

use super::{LANES, Tiles};
use crate::float::Real;

/// A whitening matrix with its offset, packed.
#[derive(Debug, Clone)]
pub(crate) struct Whitened<T> {
    tiles: Tiles<T>,
    offset: Vec<T>,
}

impl<T: Real> Whitened<T> {
    pub(crate) fn new(whitening: ArrayView2<'_, f64>, offset: &[f64]) -> Self {
        Self { tiles: Tiles::new(whitening), offset: offset.iter().map(|&b| T::rounded(b)).collect() }
    }

    /// The squared norm, lane by lane.
    pub(crate) fn norm(&self, x: &[[T; LANES]]) -> [T; LANES] {
        let mut norm = [T::zero(); LANES];
        self.tiles.multiply(x, |first, products| {
            for (product, &offset) in products.iter().zip(&self.offset[first..]) {
                for (norm, &product) in norm.iter_mut().zip(product) {
                    let residual = product - offset;
                    *norm = *norm + residual * residual;
                }
            }
        });
        norm
    }
}
