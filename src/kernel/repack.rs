//! Packed rows laid one after another, and packed again in any order: where the entries of a row lie far apart, rows are
//! brought together once.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, MAX_LANES};
use super::pack::turn;
use super::transpose::{EDGE, FromRows};

/// Writes packed rows of `features` entries one after another, as many as there is room for.
pub(crate) fn unpack<T: Lane>(tile: &[T::Lanes], features: usize, rows: &mut [T]) {
    dispatch(Level::current(), Unpack { tile, features, rows });
}

/// Packs some of these rows as `pack` does; `zeros` are as many as a row has entries.
pub(crate) fn repack<T: Lane>(rows: &[T], indices: &[usize], zeros: &[T], tile: &mut [T::Lanes]) {
    dispatch(Level::current(), Repack { rows, indices, zeros, tile });
}

struct Unpack<'a, T: Lane> {
    tile: &'a [T::Lanes],
    features: usize,
    rows: &'a mut [T],
}

impl<T: Lane> Kernel for Unpack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, machine: I) {
        let (d, lanes) = (self.features, T::Lanes::COUNT);
        let groups = self.tile.chunks_exact(d).zip(self.rows.chunks_mut(lanes * d));
        for (group, rows) in groups {
            if d < lanes || rows.len() < lanes * d {
                one_by_one::<T>(group, rows);
                continue;
            }
            // The last columns maybe twice, so that there are always as many.
            let last = d - lanes;
            for first in (0..last).step_by(lanes).chain([last]) {
                write_columns::<T, I>(machine, &group[first..first + lanes], first, rows, d);
            }
        }
    }
}

/// Writes as many columns as there are lanes, a few rows at a time.
#[inline(always)]
fn write_columns<T: Lane, I: Instance>(
    machine: I,
    columns: &[T::Lanes],
    first: usize,
    rows: &mut [T],
    d: usize,
) {
    let lanes = T::Lanes::COUNT;
    let mut turned = [T::Lanes::splat(T::zero()); EDGE];
    for (place, rows) in rows.chunks_exact_mut(EDGE * d).enumerate() {
        let entries = |column: usize| {
            let few = &columns[column].entries()[EDGE * place..][..EDGE];
            std::array::from_fn(|row| few[row])
        };
        T::Lanes::write_rows(machine, entries, &[T::zero(); EDGE], &mut turned);
        for (row, turned) in rows.chunks_exact_mut(d).zip(&turned) {
            row[first..first + lanes].copy_from_slice(turned.entries());
        }
    }
}

/// The same of a few columns or rows.
#[inline(always)]
fn one_by_one<T: Lane>(group: &[T::Lanes], rows: &mut [T]) {
    for (lane, row) in rows.chunks_exact_mut(group.len()).enumerate() {
        row.iter_mut().zip(group).for_each(|(entry, lanes)| *entry = lanes.entries()[lane]);
    }
}

struct Repack<'a, T: Lane> {
    rows: &'a [T],
    indices: &'a [usize],
    zeros: &'a [T],
    tile: &'a mut [T::Lanes],
}

impl<T: Lane> Kernel for Repack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, machine: I) {
        let d = self.zeros.len();
        let groups = self.indices.chunks(T::Lanes::COUNT).zip(self.tile.chunks_exact_mut(d));
        for (indices, group) in groups {
            let rows: [&[T]; MAX_LANES] =
                std::array::from_fn(|lane| &self.rows[indices[lane.min(indices.len() - 1)] * d..][..d]);
            if d < EDGE {
                for (j, slot) in group.iter_mut().enumerate() {
                    *slot = T::Lanes::from_fn(|lane| rows[lane][j]);
                }
                continue;
            }
            turn(machine, self.zeros, group, |row, first| {
                let entries = &rows[row][first..first + EDGE];
                std::array::from_fn(|j| entries[j])
            });
        }
    }
}
