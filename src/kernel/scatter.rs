//! Sums, squares and cross products of a small panel of rows.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;

/// Columns that lie side by side in a panel.
pub(crate) const PANEL_COLUMNS: usize = 8;

/// A dimension rounded up to whole stripes.
pub(crate) fn padded(features: usize) -> usize {
    features.next_multiple_of(PANEL_COLUMNS)
}

/// Up to `capacity` rows in stripes of `PANEL_COLUMNS` columns: `entries[j / 8][row][j % 8]`, padding columns 0.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) entries: Vec<f64>,
    pub(crate) capacity: usize,
    pub(crate) filled: usize,
}

impl Panel {
    pub(crate) fn new(features: usize, capacity: usize) -> Self {
        Self { entries: vec![0.0; padded(features) * capacity], capacity, filled: 0 }
    }

    fn stripes(&self) -> impl Iterator<Item = &[[f64; PANEL_COLUMNS]]> {
        let stripes = self.entries.chunks_exact(self.capacity * PANEL_COLUMNS);
        stripes.map(|stripe| &stripe.as_chunks().0[..self.filled])
    }

    /// Multiplies rows `first..` by the roots of their weights, so that cross products come out weighted, and adds
    /// Σ w x to `sum`.
    pub(crate) fn weigh_and_sum(&mut self, first: usize, root_weights: Option<&[f64]>, sum: &mut [f64]) {
        let level = Level::current();
        let rows = first..self.filled;
        let stripes = self.entries.chunks_exact_mut(self.capacity * PANEL_COLUMNS);
        for (stripe, sum) in stripes.zip(sum.chunks_mut(PANEL_COLUMNS)) {
            let rows = &mut stripe.as_chunks_mut().0[rows.clone()];
            let total = match root_weights {
                None => dispatch(level, Sum { rows }),
                Some(roots) => dispatch(level, WeightedSum { rows, roots }),
            };
            add(sum, &total);
        }
    }

    /// Adds the squares of all rows to `squares`.
    pub(crate) fn add_squares(&self, squares: &mut [f64]) {
        for (rows, squares) in self.stripes().zip(squares.chunks_mut(PANEL_COLUMNS)) {
            add(squares, &dispatch(Level::current(), SumOfSquares { rows }));
        }
    }

    /// Adds the cross products of all rows to the lower triangle (whole stripes) of a padded square matrix.
    pub(crate) fn add_cross_products(&self, cross: &mut [f64]) {
        let stripes: Vec<_> = self.stripes().collect();
        dispatch(Level::current(), CrossProducts { stripes: &stripes, cross });
    }
}

fn add(sums: &mut [f64], terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

struct Sum<'a> {
    rows: &'a [[f64; PANEL_COLUMNS]],
}

impl Kernel for Sum<'_> {
    type Output = [f64; PANEL_COLUMNS];

    #[inline(always)]
    fn run<I: Instance>(self) -> Self::Output {
        self.rows.iter().fold([0.0; PANEL_COLUMNS], |total, row| total.add_scaled::<I>(1.0, *row))
    }
}

struct WeightedSum<'a> {
    rows: &'a mut [[f64; PANEL_COLUMNS]],
    roots: &'a [f64],
}

impl Kernel for WeightedSum<'_> {
    type Output = [f64; PANEL_COLUMNS];

    #[inline(always)]
    fn run<I: Instance>(self) -> Self::Output {
        self.rows.iter_mut().zip(self.roots).fold([0.0; PANEL_COLUMNS], |total, (row, &root)| {
            *row = row.map(|x| x * root);
            total.add_scaled::<I>(root, *row)
        })
    }
}

struct SumOfSquares<'a> {
    rows: &'a [[f64; PANEL_COLUMNS]],
}

impl Kernel for SumOfSquares<'_> {
    type Output = [f64; PANEL_COLUMNS];

    #[inline(always)]
    fn run<I: Instance>(self) -> Self::Output {
        self.rows.iter().fold([0.0; PANEL_COLUMNS], |total, row| total.add_square::<I>(*row))
    }
}

struct CrossProducts<'a> {
    stripes: &'a [&'a [[f64; PANEL_COLUMNS]]],
    cross: &'a mut [f64],
}

impl Kernel for CrossProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self) {
        match I::SCATTER_TILE {
            8 => self.by::<I, 8>(),
            4 => self.by::<I, 4>(),
            2 => self.by::<I, 2>(),
            _ => unreachable!("the sizes of tiles that instances have"),
        }
    }
}

impl CrossProducts<'_> {
    /// Tiles of R columns of one stripe by all columns of another.
    #[inline(always)]
    fn by<I: Instance, const R: usize>(self) {
        let width = self.stripes.len() * PANEL_COLUMNS;
        for (i, left) in self.stripes.iter().enumerate() {
            for first in (0..PANEL_COLUMNS).step_by(R) {
                for (j, right) in self.stripes[..=i].iter().enumerate() {
                    let tile = cross_products::<I, R>(left, right, first);
                    for (r, tile) in tile.iter().enumerate() {
                        let at = (i * PANEL_COLUMNS + first + r) * width + j * PANEL_COLUMNS;
                        add(&mut self.cross[at..at + PANEL_COLUMNS], tile);
                    }
                }
            }
        }
    }
}

/// Σ over rows of left[first..first + R] ⊗ right.
#[inline(always)]
fn cross_products<I: Instance, const R: usize>(
    left: &[[f64; PANEL_COLUMNS]],
    right: &[[f64; PANEL_COLUMNS]],
    first: usize,
) -> [[f64; PANEL_COLUMNS]; R] {
    let mut tile = [[0.0; PANEL_COLUMNS]; R];
    for (left, right) in left.iter().zip(right) {
        for (tile, &a) in tile.iter_mut().zip(&left[first..first + R]) {
            *tile = tile.add_scaled::<I>(a, *right);
        }
    }
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_panel_agrees_with_plain_loops(
            d in 1_usize..20, n in 1_usize..12, seed in prop::collection::vec(-9_i32..9, 240),
            weights in prop::collection::vec(0_i32..4, 12),
        ) {
            let row = |r: usize, j: usize| f64::from(seed[r * d + j]);
            let roots: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
            let mut panel = Panel::new(d, 12);
            for r in 0..n {
                for j in 0..d {
                    panel.entries[(j / 8 * 12 + r) * 8 + j % 8] = row(r, j);
                }
            }
            panel.filled = n;
            let mut sum = vec![0.0; d];
            panel.weigh_and_sum(0, Some(&roots), &mut sum);
            let mut squares = vec![0.0; d];
            panel.add_squares(&mut squares);
            let mut cross = vec![0.0; padded(d) * padded(d)];
            panel.add_cross_products(&mut cross);
            for i in 0..d {
                // small integers: every sum is exact
                let moment = |j: usize| (0..n).map(|r| roots[r] * roots[r] * row(r, i) * row(r, j)).sum::<f64>();
                prop_assert_eq!(sum[i], (0..n).map(|r| roots[r] * roots[r] * row(r, i)).sum::<f64>());
                prop_assert_eq!(squares[i], moment(i));
                for j in 0..=i {
                    prop_assert_eq!(cross[i * padded(d) + j], moment(j));
                }
            }
        }
    }
}
