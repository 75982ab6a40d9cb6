//! Sums, squares and cross products of a small panel of rows.

/// Columns that lie side by side in a panel.
pub(crate) const PANEL_COLUMNS: usize = 8;

/// Columns of the first factor that meet `PANEL_COLUMNS` of the second at once.
const HALF: usize = PANEL_COLUMNS / 2;

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

    /// Adds rows `first..` to `sum`, and if there are weights multiplies them by their roots, so that cross products
    /// come out weighted: Σ w x and √w x.
    pub(crate) fn sum(&mut self, first: usize, root_weights: Option<&[f64]>, sum: &mut [f64]) {
        let filled = self.filled;
        let stripes = self.entries.chunks_exact_mut(self.capacity * PANEL_COLUMNS);
        for (stripe, sum) in stripes.zip(sum.chunks_mut(PANEL_COLUMNS)) {
            let rows = &mut stripe.as_chunks_mut().0[first..filled];
            let mut total = [0.0; PANEL_COLUMNS];
            match root_weights {
                None => {
                    for row in rows.iter() {
                        add(&mut total, row, 1.0);
                    }
                }
                Some(roots) => {
                    for (row, &root) in rows.iter_mut().zip(roots) {
                        *row = row.map(|x| x * root);
                        add(&mut total, row, root);
                    }
                }
            }
            for (sum, total) in sum.iter_mut().zip(total) {
                *sum += total;
            }
        }
    }

    /// Adds the squares of all rows to `squares`.
    pub(crate) fn add_squares(&self, squares: &mut [f64]) {
        for (stripe, squares) in self.stripes().zip(squares.chunks_mut(PANEL_COLUMNS)) {
            let mut total = [0.0; PANEL_COLUMNS];
            for row in stripe {
                for (total, &x) in total.iter_mut().zip(row) {
                    *total += x * x;
                }
            }
            for (square, total) in squares.iter_mut().zip(total) {
                *square += total;
            }
        }
    }

    /// Adds the cross products of all rows to the lower triangle (whole stripes) of a padded square matrix.
    pub(crate) fn add_cross_products(&self, cross: &mut [f64]) {
        let stripes: Vec<_> = self.stripes().collect();
        let width = stripes.len() * PANEL_COLUMNS;
        for (i, left) in stripes.iter().enumerate() {
            for half in 0..PANEL_COLUMNS / HALF {
                for (j, right) in stripes[..=i].iter().enumerate() {
                    let tile = cross_products(left, right, half * HALF);
                    for (r, tile) in tile.iter().enumerate() {
                        let at = (i * PANEL_COLUMNS + half * HALF + r) * width + j * PANEL_COLUMNS;
                        let slots = &mut cross[at..at + PANEL_COLUMNS];
                        slots.iter_mut().zip(tile).for_each(|(slot, product)| *slot += product);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn add(total: &mut [f64; PANEL_COLUMNS], row: &[f64; PANEL_COLUMNS], weight: f64) {
    for (total, &x) in total.iter_mut().zip(row) {
        *total += weight * x;
    }
}

/// Σ over rows of left[first..first + HALF] ⊗ right.
#[inline(always)]
fn cross_products(
    left: &[[f64; PANEL_COLUMNS]],
    right: &[[f64; PANEL_COLUMNS]],
    first: usize,
) -> [[f64; PANEL_COLUMNS]; HALF] {
    let mut tile = [[0.0; PANEL_COLUMNS]; HALF];
    for (left, right) in left.iter().zip(right) {
        for (tile, &a) in tile.iter_mut().zip(&left[first..first + HALF]) {
            for (slot, &b) in tile.iter_mut().zip(right) {
                *slot += a * b;
            }
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
            panel.sum(0, Some(&roots), &mut sum);
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
