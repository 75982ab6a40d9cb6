//! ‖W x − b‖² for groups of rows: the squared Mahalanobis distance under one full covariance.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};
use super::tiles::Tiles;

/// A whitening matrix with its offset, packed.
#[derive(Debug, Clone)]
pub(crate) struct Whitened<T> {
    tiles: Tiles<T>,
    offset: Vec<T>,
}

impl<T: Lane> Whitened<T> {
    pub(crate) fn new(whitening: ArrayView2<'_, f64>, offset: &[f64]) -> Self {
        Self {
            tiles: Tiles::new(whitening, Level::current()),
            offset: offset.iter().map(|&b| T::rounded(b)).collect(),
        }
    }

    /// The squared norm for each group of rows, lane by lane, to every `stride`-th of `norms`.
    pub(crate) fn norms(&self, x: &[T::Lanes], norms: &mut [T::Lanes], stride: usize) {
        dispatch(self.tiles.level, Norms { whitened: self, x, norms, stride });
    }
}

struct Norms<'a, T: Lane> {
    whitened: &'a Whitened<T>,
    x: &'a [T::Lanes],
    norms: &'a mut [T::Lanes],
    stride: usize,
}

impl<T: Lane> Kernel for Norms<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self) {
        let Whitened { tiles, offset } = self.whitened;
        for (x, norm) in self.x.chunks_exact(offset.len()).zip(self.norms.iter_mut().step_by(self.stride)) {
            let mut sum = T::Lanes::splat(T::zero());
            tiles.multiply::<I>(x, |first, products| {
                for (product, &offset) in products.iter().zip(&offset[first..]) {
                    sum = sum.add_square::<I>(product.less(offset));
                }
            });
            *norm = sum;
        }
    }
}
