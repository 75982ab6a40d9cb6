//! A x + c for groups of rows: linear scores and projections.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};
use super::tiles::{Sink, Tiles};

/// An affine map, packed.
#[derive(Debug, Clone)]
pub(crate) struct Affine<T> {
    tiles: Tiles<T>,
    constant: Vec<T>,
}

impl<T: Lane> Affine<T> {
    pub(crate) fn new(matrix: ArrayView2<'_, f64>, constant: &[f64]) -> Self {
        let entry = |row: usize, column: usize| T::rounded(matrix[(row, column)]);
        Self {
            // At full width, so that NaN shows in the scores even where the matrix is 0.
            tiles: Tiles::new(matrix.nrows(), |_| matrix.ncols(), entry, Level::current()),
            constant: constant.iter().map(|&c| T::rounded(c)).collect(),
        }
    }

    /// A product with a matrix whose rows end in zeros, which cost nothing; what they are multiplied by must be finite.
    pub(crate) fn triangular(matrix: ArrayView2<'_, f64>) -> Self {
        Self { tiles: Tiles::of(matrix), constant: vec![T::zero(); matrix.nrows()] }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.constant.len()
    }

    /// For each group of rows `out[i] = constant[i] + matrix[i] · x`, lane by lane, one group after another.
    pub(crate) fn apply(&self, x: &[T::Lanes], features: usize, out: &mut [T::Lanes]) {
        dispatch(self.tiles.level, Apply { affine: self, x, features, out });
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
    fn run<I: Instance>(self, _: I) {
        let Affine { tiles, constant } = self.affine;
        tiles.accumulate::<I, T>(self.x, self.features, &mut Constants { constant, out: self.out });
    }
}

/// Adds the constants.
struct Constants<'a, T: Lane> {
    constant: &'a [T],
    out: &'a mut [T::Lanes],
}

impl<T: Lane> Sink<T> for Constants<'_, T> {
    #[inline(always)]
    fn take<I: Instance, const R: usize>(&mut self, group: usize, first_row: usize, sums: [T::Lanes; R]) {
        let out = &mut self.out[group * self.constant.len() + first_row..][..R];
        let constant = &self.constant[first_row..][..R];
        for i in 0..R {
            out[i] = sums[i].add_scaled::<I>(T::one(), T::Lanes::splat(constant[i]));
        }
    }
}
