//! Rows beside their squares: the cross products of such rows are sums of products of third and fourth order.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::prefetch::RowsAhead;
use super::scatter::{PANEL_COLUMNS, Panel, padded};

impl Panel {
    /// Room for rows of so many columns beside their squares, which begin with the column `padded(features)`.
    pub(crate) fn of_powers(features: usize, capacity: usize) -> Self {
        Self::new(2 * padded(features), capacity)
    }

    /// Takes over rows z = (x − offset) · scale beside their squares, each row times the root of its weight.
    pub(crate) fn take_powers(&mut self, rows: &Self, offset: &[f64], scale: &[f64], roots: &[f64]) {
        self.filled = rows.filled;
        let stride = self.stride();
        let (first, second) = self.slots.split_at_mut(rows.slots.len());
        let powers = first.chunks_exact_mut(stride).zip(second.chunks_exact_mut(stride));
        let columns = offset.chunks(PANEL_COLUMNS).zip(scale.chunks(PANEL_COLUMNS));
        for ((row, (first, second)), (offset, scale)) in
            rows.slots.chunks_exact(stride).zip(powers).zip(columns)
        {
            let (offset, scale) = (stripe_of(offset), stripe_of(scale));
            let rows = &row[..roots.len()];
            dispatch(Level::current(), Powers { rows, first, second, offset, scale, roots });
        }
    }

    /// Adds the cross products of the squares with the rows, and with the squares: a matrix of `padded(features)` rows and
    /// twice as many columns, of whose right half the lower triangle is written, and maybe more.
    pub(crate) fn add_powers(&self, cross: &mut [f64]) {
        self.add_cross_products_from(self.n_stripes() / 2, cross, RowsAhead::nothing());
    }
}

/// Numbers of the columns of a stripe; 0 beyond the last column.
fn stripe_of(columns: &[f64]) -> [f64; PANEL_COLUMNS] {
    std::array::from_fn(|column| columns.get(column).copied().unwrap_or(0.0))
}

struct Powers<'a> {
    rows: &'a [[f64; PANEL_COLUMNS]],
    first: &'a mut [[f64; PANEL_COLUMNS]],
    second: &'a mut [[f64; PANEL_COLUMNS]],
    offset: [f64; PANEL_COLUMNS],
    scale: [f64; PANEL_COLUMNS],
    roots: &'a [f64],
}

impl Kernel for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let powers = self.first.iter_mut().zip(self.second);
        for ((row, &root), (first, second)) in self.rows.iter().zip(self.roots).zip(powers) {
            for column in 0..PANEL_COLUMNS {
                let z = (row[column] - self.offset[column]) * self.scale[column];
                // In this order: the root of a tiny weight keeps the square of a large value finite.
                first[column] = root * z;
                second[column] = root * z * z;
            }
        }
    }
}
