//! A x + c for groups of rows: linear scores and projections.

use std::ops::Range;

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};
use super::prefetch::Ahead;
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
        let (level, rows) = (Level::current(), matrix.nrows());
        // Tiles of about the same height: low ones take as long as high ones.
        let height = rows.div_ceil(rows.div_ceil(level.tiles().1).max(1)).max(1);
        Self {
            // At full width, so that NaN shows in the scores even where the matrix is 0.
            tiles: Tiles::new(rows, |_| matrix.ncols(), entry, (level, height)),
            constant: constant.iter().map(|&c| T::rounded(c)).collect(),
        }
    }

    /// A product with a matrix whose rows end in zeros, which cost nothing; what they are multiplied by must be finite.
    pub(crate) fn triangular(matrix: ArrayView2<'_, f64>) -> Self {
        Self { tiles: Tiles::of(matrix), constant: vec![T::zero(); matrix.nrows()] }
    }

    /// The same, unless NaN in some column would not show in any product then.
    pub(crate) fn whitening(matrix: ArrayView2<'_, f64>) -> Self {
        match matrix.columns().into_iter().next_back().is_some_and(|last| last.iter().any(|&w| w != 0.0)) {
            true => Self::triangular(matrix),
            false => Self::new(matrix, &vec![0.0; matrix.nrows()]),
        }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.constant.len()
    }

    /// For each group of rows `out[i] = constant[i] + matrix[i] · x`, lane by lane, one group after another.
    pub(crate) fn apply(&self, x: &[T::Lanes], features: usize, out: &mut [T::Lanes]) {
        self.apply_columns(x, 0..features, features, &mut Ahead::nothing(), out);
    }

    /// The same, of `features` columns some that follow those that `out` is of already, which need not fit into any cache
    /// together. The rows that come next are fetched meanwhile.
    pub(crate) fn apply_columns(
        &self,
        x: &[T::Lanes],
        columns: Range<usize>,
        features: usize,
        ahead: &mut Ahead,
        out: &mut [T::Lanes],
    ) {
        let (level, last) = (self.tiles.level, columns.end == features);
        match columns.start {
            0 => dispatch(
                level,
                Apply {
                    affine: self,
                    x,
                    columns,
                    ahead,
                    out: Sums::<_, true> { constant: &self.constant, last, out },
                },
            ),
            _ => dispatch(
                level,
                Apply {
                    affine: self,
                    x,
                    columns,
                    ahead,
                    out: Sums::<_, false> { constant: &self.constant, last, out },
                },
            ),
        }
    }
}

struct Apply<'a, T: Lane, const FIRST: bool> {
    affine: &'a Affine<T>,
    x: &'a [T::Lanes],
    columns: Range<usize>,
    ahead: &'a mut Ahead,
    out: Sums<'a, T, FIRST>,
}

impl<T: Lane, const FIRST: bool> Kernel for Apply<'_, T, FIRST> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) {
        self.affine.tiles.accumulate::<I, T, 2>(self.x, self.columns, self.ahead, &mut self.out);
    }
}

/// Keeps the sums, and adds the constants to those of the last columns. Those of the first ones begin with 0.
struct Sums<'a, T: Lane, const FIRST: bool> {
    constant: &'a [T],
    last: bool,
    out: &'a mut [T::Lanes],
}

impl<T: Lane, const FIRST: bool> Sink<T> for Sums<'_, T, FIRST> {
    #[inline(always)]
    fn begin<const R: usize>(&self, group: usize, first_row: usize) -> [T::Lanes; R] {
        if FIRST {
            return [T::Lanes::splat(T::zero()); R];
        }
        let out = &self.out[group * self.constant.len() + first_row..][..R];
        std::array::from_fn(|i| out[i])
    }

    #[inline(always)]
    fn take<I: Instance, const R: usize>(&mut self, group: usize, first_row: usize, sums: [T::Lanes; R]) {
        let out = &mut self.out[group * self.constant.len() + first_row..][..R];
        let constant = &self.constant[first_row..][..R];
        for i in 0..R {
            out[i] = if self.last { sums[i].plus(constant[i]) } else { sums[i] };
        }
    }
}
