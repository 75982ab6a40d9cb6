//! Rows of any element type and memory order, shifted, into a panel for sums.

use ndarray::{ArrayView1, ArrayView2};

use super::instance::{Instance, Kernel, Level, dispatch};
use super::prefetch::prefetch_row;
use super::scatter::{PANEL_COLUMNS, Panel};
use crate::float::Element;

/// Appends the first `count` rows of `order`, less `shift`, to a panel. Those behind them will follow soon.
pub(crate) fn gather<E: Element>(
    view: &ArrayView2<'_, E>,
    order: &[usize],
    count: usize,
    shift: &[f64],
    panel: &mut Panel,
) {
    dispatch(Level::current(), Gather { view, order, count, shift, panel });
    panel.filled += count;
}

/// Bytes between a row that is read and one that is asked for, which may lie anywhere; and rows, at least and at most.
const AHEAD: usize = 2048;
const FEWEST_AHEAD: usize = 2;
const MOST_AHEAD: usize = 32;

struct Gather<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    order: &'a [usize],
    count: usize,
    shift: &'a [f64],
    panel: &'a mut Panel,
}

impl<E: Element> Kernel for Gather<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let [down, across] = [self.view.strides()[0].unsigned_abs(), self.view.strides()[1].unsigned_abs()];
        match self.view.strides()[1] {
            1 => self.rows_in_one_piece(),
            _ if across < down => self.row_by_row(),
            _ => self.column_by_column(),
        }
    }
}

impl<E: Element> Gather<'_, '_, E> {
    /// Each row lies in one piece.
    #[inline(always)]
    fn rows_in_one_piece(self) {
        let (stride, filled, d) = (self.panel.stride(), self.panel.filled, self.shift.len());
        for place in 0..self.count {
            self.prefetch_after(place);
            let row = &self.view.row(self.order[place]).to_slice().unwrap_or_default()[..d];
            put_row(row, self.shift, &mut self.panel.slots[filled + place..], stride);
        }
    }

    /// The entries of a row lie apart, but nearer than rows.
    #[inline(always)]
    fn row_by_row(self) {
        let (stride, filled) = (self.panel.stride(), self.panel.filled);
        for place in 0..self.count {
            self.prefetch_after(place);
            let row = self.view.row(self.order[place]);
            put_strided(row, self.shift, &mut self.panel.slots[filled + place..], stride);
        }
    }

    /// Asks for a row that will be read soon.
    #[inline(always)]
    fn prefetch_after(&self, place: usize) {
        let bytes = size_of::<E>() * self.shift.len();
        let ahead = (AHEAD / bytes.max(1)).clamp(FEWEST_AHEAD, MOST_AHEAD);
        if let Some(&later) = self.order.get(place + ahead) {
            prefetch_row(self.view, later);
        }
    }

    /// Each column lies in one piece, or nothing does.
    #[inline(always)]
    fn column_by_column(self) {
        let (stride, filled) = (self.panel.stride(), self.panel.filled);
        for (j, (shift, column)) in self.shift.iter().zip(self.view.columns()).enumerate() {
            let stripe = &mut self.panel.slots[j / PANEL_COLUMNS * stride..][filled..];
            for (slot, &index) in stripe.iter_mut().zip(&self.order[..self.count]) {
                slot[j % PANEL_COLUMNS] = column[index].as_f64() - shift;
            }
        }
    }
}

/// Writes a row that lies in one piece, a stripe in every `stride`-th slot.
#[inline(always)]
fn put_row<E: Element>(row: &[E], shift: &[f64], slots: &mut [[f64; PANEL_COLUMNS]], stride: usize) {
    let (stripes, last) = row.as_chunks::<PANEL_COLUMNS>();
    let (shifts, last_shifts) = shift.as_chunks::<PANEL_COLUMNS>();
    let mut slots = slots.iter_mut().step_by(stride);
    for ((stripe, shift), slot) in stripes.iter().zip(shifts).zip(&mut slots) {
        *slot = std::array::from_fn(|c| stripe[c].as_f64() - shift[c]);
    }
    if let Some(slot) = slots.next() {
        put_last(slot, last, last_shifts);
    }
}

/// Writes the columns of a stripe that is not full, by as few instructions as there are for so many.
#[inline(always)]
fn put_last<E: Element>(slot: &mut [f64; PANEL_COLUMNS], last: &[E], shift: &[f64]) {
    match last.len() {
        0 => {}
        1 => put::<E, 1>(slot, last, shift),
        2 => put::<E, 2>(slot, last, shift),
        3 => put::<E, 3>(slot, last, shift),
        4 => put::<E, 4>(slot, last, shift),
        5 => put::<E, 5>(slot, last, shift),
        6 => put::<E, 6>(slot, last, shift),
        _ => put::<E, 7>(slot, last, shift),
    }
}

#[inline(always)]
fn put<E: Element, const N: usize>(slot: &mut [f64; PANEL_COLUMNS], last: &[E], shift: &[f64]) {
    if let (Some(last), Some(shift)) = (last.first_chunk::<N>(), shift.first_chunk::<N>()) {
        let entries: [f64; N] = std::array::from_fn(|c| last[c].as_f64() - shift[c]);
        slot[..N].copy_from_slice(&entries);
    }
}

/// The same of a row whose entries lie apart.
#[inline(always)]
fn put_strided<E: Element>(
    row: ArrayView1<'_, E>,
    shift: &[f64],
    slots: &mut [[f64; PANEL_COLUMNS]],
    stride: usize,
) {
    let mut entries = row.iter().zip(shift);
    for slot in slots.iter_mut().step_by(stride) {
        for (slot, (entry, shift)) in slot.iter_mut().zip(&mut entries) {
            *slot = entry.as_f64() - shift;
        }
    }
}
