//! Sums and cross products of a small panel of rows.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::prefetch::RowsAhead;
use super::stripes::{STRIPE, tile};

/// Columns that lie side by side in a panel.
pub(crate) const PANEL_COLUMNS: usize = STRIPE;

/// A dimension rounded up to whole stripes.
pub(crate) fn padded(features: usize) -> usize {
    features.next_multiple_of(PANEL_COLUMNS)
}

/// One more than needed: with a power of two, the entries of a row would fall on top of each other in the cache.
fn stride(capacity: usize) -> usize {
    capacity + 1
}

/// Up to `capacity` rows in stripes of `PANEL_COLUMNS` columns: `slots[j / 8 * stride + row][j % 8]`, padding columns 0.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(super) slots: Vec<[f64; PANEL_COLUMNS]>,
    features: usize,
    pub(crate) capacity: usize,
    pub(crate) filled: usize,
}

impl Panel {
    pub(crate) fn new(features: usize, capacity: usize) -> Self {
        let slots = vec![[0.0; PANEL_COLUMNS]; features.div_ceil(PANEL_COLUMNS) * stride(capacity)];
        Self { slots, features, capacity, filled: 0 }
    }

    /// Slots from one stripe to the next.
    pub(super) fn stride(&self) -> usize {
        stride(self.capacity)
    }

    fn stripes(&self) -> impl Iterator<Item = &[[f64; PANEL_COLUMNS]]> {
        self.slots.chunks_exact(self.stride()).map(|stripe| &stripe[..self.filled])
    }

    /// Multiplies rows `first..` by the roots of their weights, so that cross products come out weighted, and adds
    /// Σ w x to `sum`.
    pub(crate) fn weigh_and_sum(&mut self, first: usize, root_weights: Option<&[f64]>, sum: &mut [f64]) {
        let level = Level::current();
        let rows = first..self.filled;
        let stripes = self.slots.chunks_exact_mut(stride(self.capacity));
        for (stripe, sum) in stripes.zip(sum.chunks_mut(PANEL_COLUMNS)) {
            let rows = &mut stripe[rows.clone()];
            let total = match root_weights {
                None => dispatch(level, Sum { rows }),
                Some(roots) => dispatch(level, WeightedSum { rows, roots }),
            };
            add(sum, &total);
        }
    }

    pub(super) fn n_stripes(&self) -> usize {
        self.features.div_ceil(PANEL_COLUMNS)
    }

    /// Adds the cross products of all rows to the lower triangle of a padded square matrix; what is above it may be written
    /// to. The rows that come next are fetched meanwhile.
    pub(crate) fn add_cross_products(&self, cross: &mut [f64], ahead: RowsAhead<'_>) {
        self.add_cross_products_from(0, cross, ahead);
    }

    /// The same without the rows of the matrix that belong to stripes before the first.
    pub(super) fn add_cross_products_from(&self, first: usize, cross: &mut [f64], ahead: RowsAhead<'_>) {
        let stripes: Vec<_> = self.stripes().collect();
        let (features, lines) = (self.features, ahead.lines());
        let all = stripes.len() * (stripes.len() + 1) / 2 * PANEL_COLUMNS * PANEL_COLUMNS;
        dispatch(
            Level::current(),
            CrossProducts { stripes: &stripes, first, features, cross, ahead, lines, all },
        );
    }
}

pub(super) fn add(sums: &mut [f64], terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

struct Sum<'a> {
    rows: &'a [[f64; PANEL_COLUMNS]],
}

impl Kernel for Sum<'_> {
    type Output = [f64; PANEL_COLUMNS];

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Self::Output {
        // Several sums: no row waits for the one before.
        let (fours, rest) = self.rows.as_chunks::<4>();
        let mut sums = [[0.0; PANEL_COLUMNS]; 4];
        for four in fours {
            for (sum, row) in sums.iter_mut().zip(four) {
                *sum = sum.add_scaled::<I>(1.0, *row);
            }
        }
        let [a, b, c, d] = sums;
        let total = a.add_scaled::<I>(1.0, b).add_scaled::<I>(1.0, c.add_scaled::<I>(1.0, d));
        rest.iter().fold(total, |total, row| total.add_scaled::<I>(1.0, *row))
    }
}

struct WeightedSum<'a> {
    rows: &'a mut [[f64; PANEL_COLUMNS]],
    roots: &'a [f64],
}

impl Kernel for WeightedSum<'_> {
    type Output = [f64; PANEL_COLUMNS];

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Self::Output {
        self.rows.iter_mut().zip(self.roots).fold([0.0; PANEL_COLUMNS], |total, (row, &root)| {
            *row = row.map(|x| x * root);
            total.add_scaled::<I>(root, *row)
        })
    }
}

pub(super) struct CrossProducts<'a> {
    pub(super) stripes: &'a [&'a [[f64; PANEL_COLUMNS]]],
    pub(super) first: usize,
    features: usize,
    pub(super) cross: &'a mut [f64],
    ahead: RowsAhead<'a>,
    /// Lines that are asked for while so many entries are computed.
    lines: usize,
    all: usize,
}

impl Kernel for CrossProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) {
        for stripe in self.first..self.stripes.len() {
            let columns = (self.features - stripe * PANEL_COLUMNS).min(PANEL_COLUMNS);
            #[cfg(target_arch = "x86_64")]
            if I::AVX && !I::AVX512 {
                self.by_halves::<I>(stripe, columns);
                continue;
            }
            let together = I::SCATTER_TILE.min(columns.next_power_of_two());
            for first in (0..columns).step_by(together) {
                match together {
                    8 => self.by_all_before::<I, 8>(stripe, first),
                    4 => self.by_all_before::<I, 4>(stripe, first),
                    2 => self.by_all_before::<I, 2>(stripe, first),
                    _ => self.by_all_before::<I, 1>(stripe, first),
                }
            }
        }
    }
}

impl CrossProducts<'_> {
    /// Asks for as many lines as are due with so many entries of the matrix.
    #[inline(always)]
    pub(super) fn fetch_with(&mut self, entries: usize) {
        if self.lines > 0 {
            self.ahead.fetch((self.lines * entries).div_ceil(self.all));
        }
    }

    /// R columns of a stripe by the columns of all stripes up to it, two stripes at a time where they find room.
    #[inline(always)]
    fn by_all_before<I: Instance, const R: usize>(&mut self, stripe: usize, first: usize) {
        let pairs = if I::ROOMY { stripe.div_ceil(2) } else { 0 };
        for pair in 0..pairs {
            self.add::<I, R, 2>(stripe, first, pair * 2);
        }
        for other in pairs * 2..=stripe {
            self.add::<I, R, 1>(stripe, first, other);
        }
    }

    #[inline(always)]
    fn add<I: Instance, const R: usize, const S: usize>(
        &mut self,
        stripe: usize,
        first: usize,
        other: usize,
    ) {
        self.fetch_with(R * S * PANEL_COLUMNS);
        let left = self.stripes[stripe];
        let tiles = tile::<I, R, S>(left, first, std::array::from_fn(|s| self.stripes[other + s]));
        let width = self.stripes.len() * PANEL_COLUMNS;
        for (other, tile) in (other..).zip(tiles) {
            for (column, sums) in ((stripe - self.first) * PANEL_COLUMNS + first..).zip(tile) {
                add(&mut self.cross[column * width + other * PANEL_COLUMNS..][..PANEL_COLUMNS], &sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gather;
    use ndarray::Array2;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_panel_agrees_with_plain_loops(
            d in 1_usize..40, n in 1_usize..12, seed in prop::collection::vec(-9_i32..9, 480),
            weights in prop::collection::vec(0_i32..4, 12),
        ) {
            let row = |r: usize, j: usize| f64::from(seed[r * d + j]);
            let roots: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
            let rows = Array2::from_shape_fn((n, d), |(r, j)| row(r, j));
            let order: Vec<usize> = (0..n).collect();
            for (level, (sum, cross)) in Level::each(|| {
                let mut panel = Panel::new(d, 12);
                gather(&rows.view(), &order, n, &vec![0.0; d], &mut panel);
                let mut sum = vec![0.0; d];
                panel.weigh_and_sum(0, Some(&roots), &mut sum);
                let mut cross = vec![0.0; padded(d) * padded(d)];
                panel.add_cross_products(&mut cross, RowsAhead::new(&rows.view(), &order));
                (sum, cross)
            }) {
                for i in 0..d {
                    // small integers: every sum is exact
                    let moment = |j: usize| (0..n).map(|r| roots[r] * roots[r] * row(r, i) * row(r, j)).sum::<f64>();
                    let first = (0..n).map(|r| roots[r] * roots[r] * row(r, i)).sum::<f64>();
                    prop_assert_eq!(sum[i], first, "{:?}, {}", level, i);
                    for j in 0..=i {
                        prop_assert_eq!(cross[i * padded(d) + j], moment(j), "{:?}, ({}, {})", level, i, j);
                    }
                }
            }
        }
    }
}
