//! Rows of any element type and memory order, shifted, into a panel for sums.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::scatter::{PANEL_COLUMNS, Panel};
use crate::float::Element;

/// Appends the rows `indices`, less `shift`, to a panel. False if an entry is not finite (or maybe, if the difference
/// is not).
pub(crate) fn gather<E: Element>(
    view: &ArrayView2<'_, E>,
    indices: &[usize],
    shift: &[f64],
    panel: &mut Panel,
) -> bool {
    let finite = dispatch(Level::current(), Gather { view, indices, shift, panel });
    panel.filled += indices.len();
    finite
}

struct Gather<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    indices: &'a [usize],
    shift: &'a [f64],
    panel: &'a mut Panel,
}

impl<E: Element> Kernel for Gather<'_, '_, E> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self) -> bool {
        if self.view.strides()[1] == 1 { self.rows_in_one_piece::<I>() } else { self.column_by_column() }
    }
}

impl<E: Element> Gather<'_, '_, E> {
    /// Each row lies in one piece.
    #[inline(always)]
    fn rows_in_one_piece<I: Instance>(self) -> bool {
        let Panel { entries, capacity, filled } = self.panel;
        let slots = entries.as_chunks_mut::<PANEL_COLUMNS>().0;
        let (shifts, last_shifts) = self.shift.as_chunks::<PANEL_COLUMNS>();
        let mut zeros = [0.0; PANEL_COLUMNS];
        for (r, &index) in (*filled..).zip(self.indices) {
            let row = self.view.row(index).to_slice().unwrap_or_default();
            let (stripes, last) = row.as_chunks::<PANEL_COLUMNS>();
            for (s, (stripe, shift)) in stripes.iter().zip(shifts).enumerate() {
                let values: [f64; PANEL_COLUMNS] = std::array::from_fn(|c| stripe[c].as_f64() - shift[c]);
                slots[s * *capacity + r] = values;
                zeros = zeros.add_scaled::<I>(0.0, values);
            }
            for (c, (entry, shift)) in last.iter().zip(last_shifts).enumerate() {
                let value = entry.as_f64() - shift;
                slots[stripes.len() * *capacity + r][c] = value;
                zeros[c] += 0.0 * value;
            }
        }
        // Zero times anything is zero unless it is infinite or NaN.
        zeros == [0.0; PANEL_COLUMNS]
    }

    /// Each column lies in one piece, or nothing does.
    #[inline(always)]
    fn column_by_column(self) -> bool {
        let Panel { entries, capacity, filled } = self.panel;
        let slots = entries.as_chunks_mut::<PANEL_COLUMNS>().0;
        let mut zeros = 0.0;
        for (j, shift) in self.shift.iter().enumerate() {
            let column = self.view.column(j);
            let stripe = &mut slots[j / PANEL_COLUMNS * *capacity..][*filled..];
            for (slot, &index) in stripe.iter_mut().zip(self.indices) {
                let value = column[index].as_f64() - shift;
                slot[j % PANEL_COLUMNS] = value;
                zeros += 0.0 * value;
            }
        }
        zeros == 0.0
    }
}
