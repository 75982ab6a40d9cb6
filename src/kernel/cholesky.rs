//! The Cholesky factor of one small matrix, and its inverse, row by row: both rows take the same multiples of the rows above.

use ndarray::{ArrayView2, ArrayViewMut2};

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::stripes::{STRIPE, Slot};

/// Largest matrix for which this is the fastest way.
pub(crate) const SMALL: usize = 64;

/// Factors a symmetric matrix, of which the lower triangle is read and becomes the factor; the inverse of that is written to
/// the lower triangle of `inverse`. False if the matrix is not positive definite.
pub(crate) fn factor_small(mut matrix: ArrayViewMut2<'_, f64>, mut inverse: ArrayViewMut2<'_, f64>) -> bool {
    let d = matrix.nrows();
    let mut rows = Rows::of(matrix.view());
    if !dispatch(Level::current(), Factor { rows: &mut rows }) {
        return false;
    }
    for i in 0..d {
        let upper = rows.upper(i);
        (i..d).for_each(|j| matrix[(j, i)] = upper[j / STRIPE][j % STRIPE]);
        let row = rows.inverse(i).as_flattened();
        inverse.row_mut(i).iter_mut().zip(&row[..=i]).for_each(|(entry, &found)| *entry = found);
    }
    true
}

/// For each row that of the inverse, then that of the upper factor, each in slots of a fixed size.
struct Rows {
    slots: Vec<Slot>,
    size: usize,
    width: usize,
}

impl Rows {
    fn of(matrix: ArrayView2<'_, f64>) -> Self {
        let size = matrix.nrows();
        let width = size.div_ceil(STRIPE);
        let mut slots = vec![[0.0; STRIPE]; 2 * width * size];
        for (j, row) in matrix.outer_iter().enumerate() {
            let places = slots[width + j / STRIPE..].iter_mut().step_by(2 * width);
            places.zip(row.iter().take(j + 1)).for_each(|(slot, &entry)| slot[j % STRIPE] = entry);
        }
        Self { slots, size, width }
    }

    fn inverse(&self, row: usize) -> &[Slot] {
        &self.slots[2 * self.width * row..][..self.width]
    }

    fn upper(&self, row: usize) -> &[Slot] {
        &self.slots[2 * self.width * row + self.width..][..self.width]
    }
}

struct Factor<'a> {
    rows: &'a mut Rows,
}

impl Kernel for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> bool {
        let Rows { slots, size, width } = self.rows;
        for i in 0..*size {
            let (slot, lane) = (i / STRIPE, i % STRIPE);
            let (above, now) = slots.split_at_mut(2 * *width * i);
            now[slot][lane] = 1.0;
            let above = Above { slots: above, row: 2 * *width, multiples: *width + slot, lane };
            above.subtract::<I>(*width + slot..2 * *width, now);
            let pivot = now[*width + slot][lane];
            let root = pivot.sqrt();
            // What is not a number is not normal, either.
            if !(root.is_normal() && pivot > 0.0) {
                return false;
            }
            above.subtract::<I>(0..slot + 1, now);
            let scale = root.recip();
            now[..=slot].iter_mut().for_each(|entries| *entries = entries.scaled(scale));
            now[*width + slot..2 * *width].iter_mut().for_each(|entries| *entries = entries.scaled(scale));
            now[*width + slot][lane] = root;
        }
        true
    }
}

/// The rows above one, and where in them the multiples are that are taken from it.
struct Above<'a> {
    slots: &'a [Slot],
    row: usize,
    multiples: usize,
    lane: usize,
}

impl Above<'_> {
    /// Subtracts them in some slots.
    #[inline(always)]
    fn subtract<I: Instance>(&self, slots: std::ops::Range<usize>, now: &mut [Slot]) {
        let mut first = slots.start;
        if I::ROOMY {
            while first + 4 <= slots.end {
                self.subtract_from::<I, 4>(first, now);
                first += 4;
            }
        }
        while first + 2 <= slots.end {
            self.subtract_from::<I, 2>(first, now);
            first += 2;
        }
        if first < slots.end {
            self.subtract_from::<I, 1>(first, now);
        }
    }

    #[inline(always)]
    fn subtract_from<I: Instance, const N: usize>(&self, first: usize, now: &mut [Slot]) {
        let now: &mut [Slot; N] = now[first..].first_chunk_mut().expect("slots of a row");
        // Two sums: each product need not wait for the one before.
        let mut sums = [*now, [[0.0; STRIPE]; N]];
        let mut pairs = self.slots.chunks_exact(2 * self.row);
        for pair in &mut pairs {
            let (one, other) = pair.split_at(self.row);
            self.subtract_row::<I, N>(one, first, &mut sums[0]);
            self.subtract_row::<I, N>(other, first, &mut sums[1]);
        }
        let last = pairs.remainder();
        if !last.is_empty() {
            self.subtract_row::<I, N>(last, first, &mut sums[0]);
        }
        let [one, other] = sums;
        for ((now, one), other) in now.iter_mut().zip(one).zip(other) {
            *now = one.add_scaled::<I>(1.0, other);
        }
    }

    #[inline(always)]
    fn subtract_row<I: Instance, const N: usize>(&self, row: &[Slot], first: usize, sums: &mut [Slot; N]) {
        let multiple = -row[self.multiples][self.lane];
        let row: &[Slot; N] = row[first..].first_chunk().expect("slots of a row");
        for (sum, &entries) in sums.iter_mut().zip(row) {
            *sum = sum.add_scaled::<I>(multiple, entries);
        }
    }
}
