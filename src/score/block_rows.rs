//! The rows of a block, kept while they are read in order, for their entries lie far apart.

use std::ops::Range;

use crate::kernel::{Lane, repack, unpack};

/// The rows of a block about the center, one after another. Where columns lie in one piece, picking rows from all of them
/// reads a line for every entry; so each entry is read there once, while the rows stand in order.
pub(super) struct BlockRows<T> {
    first_row: usize,
    rows: Vec<T>,
    zeros: Vec<T>,
    indices: Vec<usize>,
}

impl<T: Lane> BlockRows<T> {
    pub(super) fn new(rows: Range<usize>, features: usize) -> Self {
        let zeros = |count| vec![T::zero(); count];
        Self {
            first_row: rows.start,
            rows: zeros(rows.len() * features),
            zeros: zeros(features),
            indices: vec![],
        }
    }

    /// Takes packed rows, the first of which is `start`.
    pub(super) fn keep(&mut self, start: usize, packed: &[T::Lanes]) {
        let features = self.zeros.len();
        unpack::<T>(packed, features, &mut self.rows[(start - self.first_row) * features..]);
    }

    pub(super) fn pack(&mut self, rows: &[usize], tile: &mut [T::Lanes]) {
        self.indices.clear();
        self.indices.extend(rows.iter().map(|row| row - self.first_row));
        repack::<T>(&self.rows, &self.indices, &self.zeros, tile);
    }
}
