//! Matrices in stripes of eight rows, side by side, and their products: what sums of rows and factorizations have in common.

use std::ops::Range;

use ndarray::{ArrayView2, ArrayViewMut2, Axis};

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::transpose::{EDGE, FromRows};

/// Rows that lie side by side in a stripe.
pub(crate) const STRIPE: usize = 8;

/// An entry of each row of a stripe.
pub(super) type Slot = [f64; STRIPE];

/// Entries of each stripe that are multiplied in one go, so that a pair of stripes stays in the nearest cache.
const DEPTH: usize = 256;

/// Stripes on the left that stay in the cache behind it meanwhile.
const TOGETHER: usize = 32;

/// Σ over the slots of R entries on the left, from `first` on, by S stripes.
#[inline(always)]
pub(super) fn tile<I: Instance, const R: usize, const S: usize>(
    left: &[Slot],
    first: usize,
    right: [&[Slot]; S],
) -> [[Slot; R]; S] {
    let right = right.map(|right| &right[..left.len()]);
    let mut tiles = [[[0.0; STRIPE]; R]; S];
    for (slot, left) in left.iter().enumerate() {
        let left: &[f64; R] = left[first..].first_chunk().expect("entries of one stripe");
        for (tile, right) in tiles.iter_mut().zip(right) {
            for (tile, &a) in tile.iter_mut().zip(left) {
                *tile = tile.add_scaled::<I>(a, right[slot]);
            }
        }
    }
    tiles
}

/// A matrix in stripes of rows: entry (i, k) is `slots[i / 8 * depth + k][i % 8]`, and rows that fill up the last stripe are 0.
#[derive(Debug)]
pub(crate) struct Stripes {
    slots: Vec<Slot>,
    depth: usize,
}

impl Stripes {
    /// The rows of a matrix; its columns are those of the matrix turned.
    pub(crate) fn of(matrix: ArrayView2<'_, f64>) -> Self {
        let (rows, depth) = matrix.dim();
        let mut slots = vec![[0.0; STRIPE]; rows.div_ceil(STRIPE) * depth];
        dispatch(Level::current(), Turn { matrix, slots: &mut slots });
        Self { slots, depth }
    }

    fn stripe(&self, stripe: usize) -> &[Slot] {
        &self.slots[stripe * self.depth..][..self.depth]
    }
}

struct Turn<'a> {
    matrix: ArrayView2<'a, f64>,
    slots: &'a mut [Slot],
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, machine: I) {
        let depth = self.matrix.ncols().max(1);
        let stripes = self.slots.chunks_exact_mut(depth);
        for (stripe, rows) in stripes.zip(self.matrix.axis_chunks_iter(Axis(0), STRIPE)) {
            let whole = rows.nrows() == STRIPE;
            match rows.strides()[1] {
                1 if whole => turn(machine, &rows, stripe),
                _ => {
                    for (slot, column) in stripe.iter_mut().zip(rows.columns()) {
                        slot.iter_mut().zip(column).for_each(|(slot, &entry)| *slot = entry);
                    }
                }
            }
        }
    }
}

/// Eight rows in one piece each, a few columns at a time.
#[inline(always)]
fn turn<I: Instance>(machine: I, rows: &ArrayView2<'_, f64>, stripe: &mut [Slot]) {
    let rows: [&[f64]; STRIPE] =
        std::array::from_fn(|r| &rows.row(r).to_slice().unwrap_or_default()[..stripe.len()]);
    let whole = stripe.len() / EDGE * EDGE;
    for (strip, slots) in stripe.as_chunks_mut::<EDGE>().0.iter_mut().enumerate() {
        let entries = |row: usize| -> [f64; EDGE] { std::array::from_fn(|j| rows[row][strip * EDGE + j]) };
        Slot::write_rows(machine, entries, &[0.0; EDGE], slots);
    }
    for (k, slot) in stripe.iter_mut().enumerate().skip(whole) {
        *slot = rows.map(|row| row[k]);
    }
}

/// Which entries of a product A Bᵀ matter, and which terms of their sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The lower triangle of the product.
    Lower,
    /// Terms up to the row of B, which is lower triangular.
    ToColumn,
    /// Terms from the row of B on, which is upper triangular.
    FromColumn,
    /// Terms up to the row of A, which is lower triangular.
    ToRow,
}

impl Extent {
    /// Terms of the products of a stripe of A with some stripes of B.
    fn terms(self, row: usize, columns: Range<usize>, depth: usize) -> Range<usize> {
        let whole = |stripes: usize| (stripes * STRIPE).min(depth);
        match self {
            Self::Lower if columns.start > row => 0..0,
            Self::Lower => 0..depth,
            Self::ToColumn => 0..whole(columns.end),
            Self::FromColumn => whole(columns.start)..depth,
            Self::ToRow => 0..whole(row + 1),
        }
    }
}

/// Adds A Bᵀ times `sign` to rows `first_row..` of a product, as many as `out` has; `first_row` begins a stripe.
pub(crate) fn add_product(
    out: ArrayViewMut2<'_, f64>,
    first_row: usize,
    a: &Stripes,
    b: &Stripes,
    extent: Extent,
    sign: f64,
) {
    dispatch(Level::current(), AddProduct { out, first: first_row / STRIPE, a, b, extent, sign });
}

struct AddProduct<'a> {
    out: ArrayViewMut2<'a, f64>,
    first: usize,
    a: &'a Stripes,
    b: &'a Stripes,
    extent: Extent,
    sign: f64,
}

impl Kernel for AddProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) {
        let stripes = self.out.nrows().div_ceil(STRIPE);
        let columns = self.out.ncols().div_ceil(STRIPE);
        let step = if I::ROOMY { 2 } else { 1 };
        for start in (0..self.a.depth).step_by(DEPTH) {
            for block in (0..stripes).step_by(TOGETHER) {
                for column in (0..columns).step_by(step) {
                    for row in block..(block + TOGETHER).min(stripes) {
                        let together = column..(column + step).min(columns);
                        let terms = self.extent.terms(self.first + row, together.clone(), self.a.depth);
                        let terms = terms.start.max(start)..terms.end.min(start + DEPTH);
                        if terms.is_empty() {
                            continue;
                        }
                        match together.len() {
                            2 if I::ROOMY => self.add_stripe::<I, 2>(row, column, terms),
                            _ => self.add_stripe::<I, 1>(row, column, terms),
                        }
                    }
                }
            }
        }
    }
}

impl AddProduct<'_> {
    /// A stripe of A by S stripes of B.
    #[inline(always)]
    fn add_stripe<I: Instance, const S: usize>(&mut self, row: usize, column: usize, terms: Range<usize>) {
        match I::SCATTER_TILE {
            8 => self.add_tile::<I, 8, S>(row, 0, column, terms),
            4 => {
                self.add_tile::<I, 4, S>(row, 0, column, terms.clone());
                self.add_tile::<I, 4, S>(row, 4, column, terms);
            }
            _ => {
                for first in (0..STRIPE).step_by(2) {
                    self.add_tile::<I, 2, S>(row, first, column, terms.clone());
                }
            }
        }
    }

    #[inline(always)]
    fn add_tile<I: Instance, const R: usize, const S: usize>(
        &mut self,
        row: usize,
        first: usize,
        column: usize,
        terms: Range<usize>,
    ) {
        let left = &self.a.stripe(self.first + row)[terms.clone()];
        let right = std::array::from_fn(|s| &self.b.stripe(column + s)[terms.clone()]);
        let tiles = tile::<I, R, S>(left, first, right);
        let rows = row * STRIPE + first..((row + 1) * STRIPE).min(self.out.nrows());
        for (r, row) in rows.take(R).enumerate() {
            let mut row = self.out.row_mut(row);
            let row = &mut row.as_slice_mut().expect("rows in one piece")[column * STRIPE..];
            for (out, tile) in row.chunks_mut(STRIPE).zip(&tiles) {
                out.iter_mut().zip(tile[r]).for_each(|(out, sum)| *out += self.sign * sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// Smaller under Miri, which takes minutes for these.
    const MAX_SIDE: usize = if cfg!(miri) { 18 } else { 40 };
    const MAX_DEPTH: usize = if cfg!(miri) { 20 } else { 300 };

    proptest! {
        #[test]
        fn products_agree_with_plain_loops(
            rows in 1..MAX_SIDE, columns in 1..MAX_SIDE, depth in 1..MAX_DEPTH, seed in 0_i32..1000,
        ) {
            // small integers: every sum is exact
            let entry = |i: usize, k: usize, of: i32| f64::from((i as i32 * 7 + k as i32 * 13 + seed * of) % 17 - 8);
            let cases = [
                (Extent::Lower, columns.min(rows), depth),
                (Extent::ToColumn, columns, columns),
                (Extent::FromColumn, columns, columns),
                (Extent::ToRow, columns, rows),
            ];
            for (extent, columns, depth) in cases {
                let a = Array2::from_shape_fn((rows, depth), |(i, k)| match extent {
                    Extent::ToRow if k > i => 0.0,
                    _ => entry(i, k, 1),
                });
                let b = Array2::from_shape_fn((columns, depth), |(j, k)| match extent {
                    Extent::ToColumn if k > j => 0.0,
                    Extent::FromColumn if k < j => 0.0,
                    _ => entry(j, k, 3),
                });
                let expected = a.dot(&b.t());
                for (level, product) in Level::each(|| {
                    let mut product = Array2::zeros((rows, columns));
                    let turned = b.t().as_standard_layout().into_owned();
                    let (a, b) = (Stripes::of(a.view()), Stripes::of(turned.t()));
                    for (part, out) in product.axis_chunks_iter_mut(Axis(0), 16).enumerate() {
                        add_product(out, part * 16, &a, &b, extent, -1.0);
                    }
                    product
                }) {
                    for ((i, j), &sum) in product.indexed_iter() {
                        let matters = extent != Extent::Lower || j <= i;
                        prop_assert!(!matters || sum == -expected[(i, j)], "{level:?}, {extent:?}, ({i}, {j})");
                    }
                }
            }
        }
    }
}
