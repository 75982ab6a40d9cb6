//! A x + c for groups of rows: linear scores and projections.

use ndarray::ArrayView2;

use super::{LANES, Tiles};
use crate::float::Real;

/// An affine map, packed.
#[derive(Debug, Clone)]
pub(crate) struct Affine<T> {
    tiles: Tiles<T>,
    constant: Vec<T>,
}

impl<T: Real> Affine<T> {
    pub(crate) fn new(matrix: ArrayView2<'_, f64>, constant: &[f64]) -> Self {
        Self { tiles: Tiles::new(matrix), constant: constant.iter().map(|&c| T::rounded(c)).collect() }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.constant.len()
    }

    /// `out[i] = constant[i] + matrix[i] · x`, lane by lane.
    pub(crate) fn apply(&self, x: &[[T; LANES]], out: &mut [[T; LANES]]) {
        self.tiles.multiply(x, |first, products| {
            let out = out[first..].iter_mut().zip(&self.constant[first..]);
            for ((out, &constant), product) in out.zip(products) {
                *out = product.map(|product| product + constant);
            }
        });
    }
}
