//! Rows of any element type and memory order, shifted, into a panel for sums.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::scatter::{PANEL_COLUMNS, Panel};
use crate::float::Element;

/// Appends the rows `indices`, less `shift`, to a panel.
pub(crate) fn gather<E: Element>(
    view: &ArrayView2<'_, E>,
    indices: &[usize],
    shift: &[f64],
    panel: &mut Panel,
) {
    dispatch(Level::current(), Gather { view, indices, shift, panel });
    panel.filled += indices.len();
}

struct Gather<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    indices: &'a [usize],
    shift: &'a [f64],
    panel: &'a mut Panel,
}

impl<E: Element> Kernel for Gather<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        match self.view.strides()[1] {
            1 => self.row_by_row(),
            _ => self.column_by_column(),
        }
    }
}

impl<E: Element> Gather<'_, '_, E> {
    /// Each row lies in one piece.
    #[inline(always)]
    fn row_by_row(self) {
        let (stride, filled) = (self.panel.stride(), self.panel.filled);
        let (shifts, last_shifts) = self.shift.as_chunks::<PANEL_COLUMNS>();
        for (slot, &index) in (filled..).zip(self.indices) {
            let row = self.view.row(index).to_slice().unwrap_or_default();
            let (stripes, last) = row.as_chunks::<PANEL_COLUMNS>();
            let mut slots = self.panel.slots[slot..].iter_mut().step_by(stride);
            for ((stripe, shift), slot) in stripes.iter().zip(shifts).zip(&mut slots) {
                *slot = std::array::from_fn(|c| stripe[c].as_f64() - shift[c]);
            }
            for slot in slots {
                for ((slot, entry), shift) in slot.iter_mut().zip(last).zip(last_shifts) {
                    *slot = entry.as_f64() - shift;
                }
            }
        }
    }

    /// Each column lies in one piece, or nothing does.
    #[inline(always)]
    fn column_by_column(self) {
        let (stride, filled) = (self.panel.stride(), self.panel.filled);
        for (j, (shift, column)) in self.shift.iter().zip(self.view.columns()).enumerate() {
            let stripe = &mut self.panel.slots[j / PANEL_COLUMNS * stride..][filled..];
            for (slot, &index) in stripe.iter_mut().zip(self.indices) {
                slot[j % PANEL_COLUMNS] = column[index].as_f64() - shift;
            }
        }
    }
}
