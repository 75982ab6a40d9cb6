//! Matrices laid out for multiplication with lanes.

use ndarray::ArrayView2;

use super::instance::{Instance, Level};
use super::lanes::{Lane, Lanes};

/// The rows of a matrix in groups, each group column by column, so that a kernel reads it front to back.
///
/// Rows of a lower triangular matrix stop at their diagonal.
#[derive(Debug, Clone)]
pub(super) struct Tiles<T> {
    /// The instruction set whose kernels read this layout.
    pub(super) level: Level,
    entries: Vec<T>,
    /// Number of columns of each group.
    lengths: Vec<usize>,
}

impl<T: Lane> Tiles<T> {
    pub(super) fn new(matrix: ArrayView2<'_, f64>, level: Level) -> Self {
        let (rows, columns) = matrix.dim();
        let mut tiles = Self { level, entries: vec![], lengths: vec![] };
        for first in (0..rows).step_by(level.tile()) {
            let entry = |r: usize, j: usize| match first + r < rows {
                true => T::rounded(matrix[(first + r, j)]),
                false => T::zero(),
            };
            let occupied = |j: &usize| (0..level.tile()).any(|r| entry(r, *j) != T::zero());
            let length = (0..columns).rev().find(occupied).map_or(0, |j| j + 1);
            tiles.lengths.push(length);
            for j in 0..length {
                tiles.entries.extend((0..level.tile()).map(|r| entry(r, j)));
            }
        }
        tiles
    }

    /// Calls `done(first row, products)` for each group of rows times the lanes of `x`.
    #[inline(always)]
    pub(super) fn multiply<I: Instance>(&self, x: &[T::Lanes], done: impl FnMut(usize, &[T::Lanes])) {
        match I::TILE {
            6 => self.multiply_by::<I, 6>(x, done),
            5 => self.multiply_by::<I, 5>(x, done),
            2 => self.multiply_by::<I, 2>(x, done),
            _ => unreachable!("the sizes of tiles that instances have"),
        }
    }

    #[inline(always)]
    fn multiply_by<I: Instance, const R: usize>(
        &self,
        x: &[T::Lanes],
        mut done: impl FnMut(usize, &[T::Lanes]),
    ) {
        let mut entries = self.entries.as_chunks::<R>().0;
        for (group, &length) in self.lengths.iter().enumerate() {
            let (now, rest) = entries.split_at(length);
            entries = rest;
            let mut products = [T::Lanes::splat(T::zero()); R];
            for (column, x) in now.iter().zip(x) {
                for (product, &entry) in products.iter_mut().zip(column) {
                    *product = product.add_scaled::<I>(entry, *x);
                }
            }
            done(group * R, &products);
        }
    }
}
