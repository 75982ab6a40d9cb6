//! A x + c for groups of rows: linear scores and projections.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};
use super::tiles::Tiles;

/// An affine map, packed.
#[derive(Debug, Clone)]
pub(crate) struct Affine<T> {
    tiles: Tiles<T>,
    constant: Vec<T>,
}

impl<T: Lane> Affine<T> {
    pub(crate) fn new(matrix: ArrayView2<'_, f64>, constant: &[f64]) -> Self {
        Self {
            tiles: Tiles::new(matrix, Level::current()),
            constant: constant.iter().map(|&c| T::rounded(c)).collect(),
        }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.constant.len()
    }

    /// For each group of rows `out[i] = constant[i] + matrix[i] · x`, lane by lane, one group after another.
    pub(crate) fn apply(&self, x: &[T::Lanes], features: usize, out: &mut [T::Lanes]) {
        if self.outputs() > 0 {
            dispatch(self.tiles.level, Apply { affine: self, x, features, out });
        }
    }
}

struct Apply<'a, T: Lane> {
    affine: &'a Affine<T>,
    x: &'a [T::Lanes],
    features: usize,
    out: &'a mut [T::Lanes],
}

impl<T: Lane> Kernel for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self) {
        let Affine { tiles, constant } = self.affine;
        let groups = self.x.chunks_exact(self.features).zip(self.out.chunks_exact_mut(constant.len()));
        for (x, out) in groups {
            tiles.multiply::<I>(x, |first, products| {
                let out = out[first..].iter_mut().zip(&constant[first..]);
                for ((out, &constant), product) in out.zip(products) {
                    *out = product.add_scaled::<I>(T::one(), T::Lanes::splat(constant));
                }
            });
        }
    }
}
