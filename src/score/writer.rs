//! The only code that knows where in the answers a row of a tile belongs.

use std::ops::Range;

use crate::kernel::{Evidence, Lane, Lanes};

/// The rows of a tile, and which row comes first in the answers.
#[derive(Default)]
pub(super) struct Writer {
    /// Places of the rows, counted from `start`.
    places: Vec<usize>,
    /// Whether they are 0, 1, 2, …
    in_order: bool,
    start: usize,
    first_row: usize,
}

impl Writer {
    /// Turns to rows that follow each other.
    pub(super) fn hold(&mut self, rows: Range<usize>, first_row: usize) {
        if !self.in_order || self.places.len() != rows.len() {
            self.places.clear();
            self.places.extend(0..rows.len());
        }
        (self.in_order, self.start, self.first_row) = (true, rows.start - first_row, first_row);
    }

    /// Turns to any rows.
    pub(super) fn hold_picked(&mut self, rows: &[usize], first_row: usize) {
        self.places.clear();
        self.places.extend(rows.iter().map(|row| row - first_row));
        (self.in_order, self.start, self.first_row) = (false, 0, first_row);
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The index of one of them.
    pub(super) fn row(&self, row: usize) -> usize {
        self.places[row] + self.start + self.first_row
    }

    /// Their indices.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// The place of each row in the answers.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.places.iter().map(|place| place + self.start)
    }

    /// The places of rows that follow each other.
    pub(super) fn in_order(&self) -> Option<Range<usize>> {
        self.in_order.then(|| self.start..self.start + self.len())
    }

    /// For each row its place, and what has the largest score.
    pub(super) fn largest<T: Lane>(
        &self,
        evidence: &[Evidence<T::Lanes>],
    ) -> impl Iterator<Item = (usize, usize)> + Clone {
        let groups = self.places.chunks(T::Lanes::COUNT).zip(evidence);
        let rows = groups.flat_map(|(places, evidence)| places.iter().zip(evidence.class.entries()));
        rows.map(|(place, &class)| (place + self.start, as_index(class)))
    }

    /// Writes lanes ([group][column]) row by row.
    pub(super) fn write_lanes<T: Lane>(&self, out: &mut [T], width: usize, lanes: &[T::Lanes]) {
        for (places, group) in self.places.chunks(T::Lanes::COUNT).zip(lanes.chunks_exact(width)) {
            for (lane, place) in places.iter().enumerate() {
                let out = &mut out[(place + self.start) * width..][..width];
                out.iter_mut().zip(group).for_each(|(out, column)| *out = column.entries()[lane]);
            }
        }
    }

    /// Writes `width` values per row: what `value` says of a column and the row of the tile.
    pub(super) fn write<T>(&self, out: &mut [T], width: usize, value: impl Fn(usize, usize) -> T) {
        for (row, place) in self.places().enumerate() {
            let out = &mut out[place * width..][..width];
            out.iter_mut().enumerate().for_each(|(column, out)| *out = value(column, row));
        }
    }
}

/// Writes what `name` says of the classes of the largest scores, of rows that follow each other.
pub(super) fn write_largest<T: Lane, N>(
    out: &mut [N],
    evidence: &[Evidence<T::Lanes>],
    name: impl Fn(usize) -> N,
) {
    for (out, evidence) in out.chunks_mut(T::Lanes::COUNT).zip(evidence) {
        out.iter_mut().zip(evidence.class.entries()).for_each(|(out, &class)| *out = name(as_index(class)));
    }
}

/// A class, which is kept in the type of the scores.
#[inline]
fn as_index<T: Lane>(class: T) -> usize {
    Into::<f64>::into(class) as i32 as usize
}

/// The value of one row among [group][output].
pub(super) fn at<T: Lane>(values: &[T::Lanes], outputs: usize, output: usize, row: usize) -> T {
    values[row / T::Lanes::COUNT * outputs + output].entries()[row % T::Lanes::COUNT]
}
