//! ‖W x − b‖² for groups of rows: the squared Mahalanobis distance under one full covariance.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, dispatch};
use super::lanes::{Lane, Lanes};
use super::prefetch::Ahead;
use super::tiles::{Sink, Tile, Tiles};

/// A whitening matrix with its offset, packed.
#[derive(Debug, Clone)]
pub(crate) struct Whitened<T> {
    tiles: Tiles<T>,
    offset: Vec<T>,
}

impl<T: Lane> Whitened<T> {
    pub(crate) fn new(whitening: ArrayView2<'_, f64>, offset: &[f64]) -> Self {
        Self { tiles: Tiles::of(whitening), offset: offset.iter().map(|&b| T::rounded(b)).collect() }
    }

    /// The squared norm for each group of rows, lane by lane, to every `stride`-th of `norms`.
    pub(crate) fn norms(&self, x: &[T::Lanes], norms: &mut [T::Lanes], stride: usize) {
        dispatch(self.tiles.level, Norms { whitened: self, x, norms, stride });
    }

    /// Number of entries that a row is multiplied by.
    pub(crate) fn size(&self) -> usize {
        self.tiles.tiles.iter().map(Tile::size).sum()
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
    fn run<I: Instance>(self, _: I) {
        let Whitened { tiles, offset } = self.whitened;
        for norm in self.norms.iter_mut().step_by(self.stride) {
            *norm = T::Lanes::splat(T::zero());
        }
        let sink = &mut Squares { offset, norms: self.norms, stride: self.stride };
        tiles.accumulate::<I, T, 4>(self.x, 0..offset.len(), &mut Ahead::nothing(), sink);
    }
}

/// Adds up the squares of products less their offsets, in the order of the rows.
struct Squares<'a, T: Lane> {
    offset: &'a [T],
    norms: &'a mut [T::Lanes],
    stride: usize,
}

impl<T: Lane> Sink<T> for Squares<'_, T> {
    #[inline(always)]
    fn take<I: Instance, const R: usize>(&mut self, group: usize, first_row: usize, sums: [T::Lanes; R]) {
        let norm = &mut self.norms[group * self.stride];
        let offset = &self.offset[first_row..][..R];
        let mut total = *norm;
        for i in 0..R {
            total = total.add_square::<I>(sums[i].minus(offset[i]));
        }
        *norm = total;
    }
}
