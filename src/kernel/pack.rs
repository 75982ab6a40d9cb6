//! Rows of any element type and memory order, shifted, into lanes: side by side for scoring.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, MAX_LANES};
use super::prefetch::fetch_later;
use super::transpose::{EDGE, FromRows};
use crate::float::Element;

/// Packs rows in groups of as many as there are lanes: entry (indices[r], j), less `shift[j]`, goes to lane `r % lanes` of
/// `tile[r / lanes * d + j]`; lanes without a row repeat the last one.
pub(crate) fn pack<E: Element, T: Lane>(
    view: &ArrayView2<'_, E>,
    indices: &[usize],
    shift: &[T],
    tile: &mut [T::Lanes],
) {
    dispatch(Level::current(), Pack { view, indices, shift, tile })
}

struct Pack<'a, 'v, E, T: Lane> {
    view: &'a ArrayView2<'v, E>,
    indices: &'a [usize],
    shift: &'a [T],
    tile: &'a mut [T::Lanes],
}

impl<E: Element, T: Lane> Kernel for Pack<'_, '_, E, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, machine: I) {
        let [down, across] = [self.view.strides()[0].unsigned_abs(), self.view.strides()[1].unsigned_abs()];
        if self.view.strides()[0] == 1 && across > 1 && self.indices.is_sorted_by(|a, b| a + 1 == *b) {
            return columns_in_one_piece(self.view, self.indices, self.shift, self.tile);
        }
        let groups = self.indices.chunks(T::Lanes::COUNT).zip(self.tile.chunks_exact_mut(self.shift.len()));
        for (indices, group) in groups {
            let indices = std::array::from_fn(|lane| indices[lane.min(indices.len() - 1)]);
            match self.view.strides()[1] {
                _ if self.shift.len() < EDGE => column_by_column(self.view, &indices, self.shift, group),
                1 => rows_in_one_piece(machine, self.view, &indices, self.shift, group),
                _ if across < down => row_by_row(machine, self.view, &indices, self.shift, group),
                _ => column_by_column(self.view, &indices, self.shift, group),
            }
        }
    }
}

/// Each row lies in one piece.
#[inline(always)]
fn rows_in_one_piece<E: Element, T: Lane, I: Instance>(
    machine: I,
    view: &ArrayView2<'_, E>,
    indices: &[usize; MAX_LANES],
    shift: &[T],
    group: &mut [T::Lanes],
) {
    let rows = indices.map(|index| &view.row(index).to_slice().unwrap_or_default()[..shift.len()]);
    if let Some(first) = rows[0].first() {
        fetch_later(first, T::Lanes::COUNT * shift.len());
    }
    turn(machine, shift, group, |row, first| {
        let entries = &rows[row][first..first + EDGE];
        std::array::from_fn(|j| T::read(entries[j]))
    });
}

/// The entries of a row lie apart, but nearer than rows: they are read along the rows.
#[inline(always)]
fn row_by_row<E: Element, T: Lane, I: Instance>(
    machine: I,
    view: &ArrayView2<'_, E>,
    indices: &[usize; MAX_LANES],
    shift: &[T],
    group: &mut [T::Lanes],
) {
    assert!(shift.len() <= view.ncols(), "columns of these rows");
    let across = view.strides()[1];
    let rows = indices.map(|index| view.row(index).as_ptr());
    turn(machine, shift, group, |row, first| {
        std::array::from_fn(|j| {
            #[expect(unsafe_code, reason = "an entry that is known to be there")]
            // SAFETY: `turn` asks for columns that `shift` has, and so does each row, whose entries lie so far apart.
            T::read(unsafe { *rows[row].offset((first + j) as isize * across) })
        })
    });
}

/// Reads a few columns of each row at a time; the last ones maybe twice, so that there are always as many.
#[inline(always)]
pub(super) fn turn<T: Lane, I: Instance>(
    machine: I,
    shift: &[T],
    group: &mut [T::Lanes],
    entries: impl Fn(usize, usize) -> [T; EDGE],
) {
    let last = shift.len() - EDGE;
    for first in (0..last).step_by(EDGE).chain([last]) {
        let shift = shift[first..].first_chunk();
        if let (Some(shift), Some(columns)) = (shift, group[first..].first_chunk_mut()) {
            T::Lanes::write_rows(machine, |row| entries(row, first), shift, columns);
        }
    }
}

/// Each column lies in one piece, as do the rows that are asked for: each is visited once.
#[inline(always)]
fn columns_in_one_piece<E: Element, T: Lane>(
    view: &ArrayView2<'_, E>,
    indices: &[usize],
    shift: &[T],
    tile: &mut [T::Lanes],
) {
    let (Some(&first), d) = (indices.first(), shift.len()) else { return };
    for (j, (column, &shift)) in view.columns().into_iter().zip(shift).enumerate() {
        let piece = &column.to_slice().unwrap_or_default()[first..][..indices.len()];
        let (whole, rest) = piece.split_at(piece.len() / T::Lanes::COUNT * T::Lanes::COUNT);
        for (group, entries) in whole.chunks_exact(T::Lanes::COUNT).enumerate() {
            tile[group * d + j] = T::Lanes::from_fn(|lane| T::read(entries[lane]) - shift);
        }
        if let Some(last) = rest.len().checked_sub(1) {
            let group = whole.len() / T::Lanes::COUNT;
            tile[group * d + j] = T::Lanes::from_fn(|lane| T::read(rest[lane.min(last)]) - shift);
        }
    }
}

/// Nothing lies in one piece, or the rows that are asked for lie apart.
#[inline(always)]
fn column_by_column<E: Element, T: Lane>(
    view: &ArrayView2<'_, E>,
    indices: &[usize; MAX_LANES],
    shift: &[T],
    group: &mut [T::Lanes],
) {
    for ((slot, &shift), column) in group.iter_mut().zip(shift).zip(view.columns()) {
        *slot = T::Lanes::from_fn(|lane| T::read(column[indices[lane]]) - shift);
    }
}
