//! The inner loops, one file each. They see packed slices only, and know nothing of classes, priors or labels.

mod affine;
mod distance;
mod quadratic;
mod scatter;

pub(crate) use affine::Affine;
pub(crate) use distance::Distances;
pub(crate) use quadratic::Whitened;
pub(crate) use scatter::{PANEL_COLUMNS, Panel, padded};

/// Rows that are scored side by side.
pub(crate) const LANES: usize = 8;

/// Rows of a matrix that meet a group of lanes at once.
const TILE: usize = 4;

/// The rows of a matrix in groups of `TILE`, each group column by column, so that a kernel reads it front to back.
///
/// Rows of a lower triangular matrix stop at their diagonal.
#[derive(Debug, Clone)]
struct Tiles<T> {
    entries: Vec<[T; TILE]>,
    /// Number of columns of each group.
    lengths: Vec<usize>,
}

impl<T: crate::float::Real> Tiles<T> {
    fn new(matrix: ndarray::ArrayView2<'_, f64>) -> Self {
        let (rows, columns) = matrix.dim();
        let mut tiles = Self { entries: vec![], lengths: vec![] };
        for first in (0..rows).step_by(TILE) {
            let entry = |r: usize, j: usize| match first + r < rows {
                true => T::rounded(matrix[(first + r, j)]),
                false => T::zero(),
            };
            let last = (0..columns).rev().find(|&j| (0..TILE).any(|r| entry(r, j) != T::zero()));
            let length = last.map_or(0, |j| j + 1);
            tiles.lengths.push(length);
            tiles.entries.extend((0..length).map(|j| std::array::from_fn(|r| entry(r, j))));
        }
        tiles
    }

    /// Calls `done(first row, products)` for each group of rows times the lanes of `x`.
    #[inline(always)]
    fn multiply(&self, x: &[[T; LANES]], mut done: impl FnMut(usize, &[[T; LANES]; TILE])) {
        let mut entries = &self.entries[..];
        for (group, &length) in self.lengths.iter().enumerate() {
            let (now, rest) = entries.split_at(length);
            entries = rest;
            let mut products = [[T::zero(); LANES]; TILE];
            for (column, x) in now.iter().zip(x) {
                for (product, &entry) in products.iter_mut().zip(column) {
                    for (product, &x) in product.iter_mut().zip(x) {
                        *product = *product + entry * x;
                    }
                }
            }
            done(group * TILE, &products);
        }
    }
}
