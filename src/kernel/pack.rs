//! Rows of any element type and memory order, shifted, into lanes: side by side for scoring.

use std::ops::Range;

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, MOST_LANES};
use crate::float::Element;

/// Packs rows in groups of as many as there are lanes: entry (r, j), less `shift[j]`, goes to lane `r % lanes` of
/// `tile[r / lanes * d + j]`; lanes without a row are 0. False if an entry is not finite (or maybe, if the difference
/// is not).
pub(crate) fn pack<E: Element, T: Lane>(
    view: &ArrayView2<'_, E>,
    range: Range<usize>,
    shift: &[T],
    tile: &mut [T::Lanes],
) -> bool {
    dispatch(Level::current(), Pack { view, range, shift, tile })
}

struct Pack<'a, 'v, E, T: Lane> {
    view: &'a ArrayView2<'v, E>,
    range: Range<usize>,
    shift: &'a [T],
    tile: &'a mut [T::Lanes],
}

impl<E: Element, T: Lane> Kernel for Pack<'_, '_, E, T> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self) -> bool {
        let strides = self.view.strides();
        if strides[1] == 1 { self.rows_in_one_piece::<I>() } else { self.column_by_column::<I>() }
    }
}

impl<E: Element, T: Lane> Pack<'_, '_, E, T> {
    /// Each row lies in one piece.
    #[inline(always)]
    fn rows_in_one_piece<I: Instance>(self) -> bool {
        let lanes = T::Lanes::COUNT;
        let mut zeros = T::Lanes::splat(T::zero());
        let groups = self.tile.chunks_exact_mut(self.shift.len());
        for (start, group) in self.range.clone().step_by(lanes).zip(groups) {
            let mut rows: [&[E]; MOST_LANES] = [&[]; MOST_LANES];
            let present = lanes.min(self.range.end - start);
            for (slot, index) in rows.iter_mut().zip(start..start + present) {
                *slot = self.view.row(index).to_slice().unwrap_or_default();
            }
            for (j, (slot, &shift)) in group.iter_mut().zip(self.shift).enumerate() {
                let read = |lane: usize| rows[lane].get(j).map_or(shift, |&entry| T::read(entry));
                *slot = T::Lanes::from_fn(read).less(shift);
                zeros = zeros.add_scaled::<I>(T::zero(), *slot);
            }
        }
        all_zero::<T>(&zeros)
    }

    /// Each column lies in one piece, or nothing does.
    #[inline(always)]
    fn column_by_column<I: Instance>(self) -> bool {
        let (lanes, d) = (T::Lanes::COUNT, self.shift.len());
        let mut zeros = T::Lanes::splat(T::zero());
        for (j, &shift) in self.shift.iter().enumerate() {
            let column = self.view.column(j);
            let piece = column.as_slice();
            for (g, start) in self.range.clone().step_by(lanes).enumerate() {
                let whole = piece.and_then(|piece| piece.get(start..start + lanes));
                let entry = |index: usize| match index < self.range.end {
                    true => T::read(column[index]),
                    false => shift,
                };
                let values = match whole {
                    Some(piece) if start + lanes <= self.range.end => {
                        T::Lanes::from_fn(|lane| T::read(piece[lane]))
                    }
                    _ => T::Lanes::from_fn(|lane| entry(start + lane)),
                };
                let slot = &mut self.tile[g * d + j];
                *slot = values.less(shift);
                zeros = zeros.add_scaled::<I>(T::zero(), *slot);
            }
        }
        all_zero::<T>(&zeros)
    }
}

/// Zero times anything is zero unless it is infinite or NaN.
#[inline(always)]
fn all_zero<T: Lane>(zeros: &T::Lanes) -> bool {
    zeros.entries().iter().all(|&zero| zero == T::zero())
}
