//! The only code that knows where in the answers a row of a tile belongs.

use crate::kernel::{Evidence, Lane, Lanes};

/// The rows of a tile, and which row comes first in the answers.
#[derive(Default)]
pub(super) struct Writer {
    rows: Vec<usize>,
    first_row: usize,
}

impl Writer {
    /// Turns to other rows.
    pub(super) fn hold(&mut self, rows: impl Iterator<Item = usize>, first_row: usize) {
        self.rows.clear();
        self.rows.extend(rows);
        self.first_row = first_row;
    }

    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The place of each row in the answers.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|row| row - self.first_row)
    }

    /// For each row its place, and what has the largest score.
    pub(super) fn largest<T: Lane>(
        &self,
        evidence: &[Evidence<T::Lanes>],
    ) -> impl Iterator<Item = (usize, usize)> + Clone {
        let groups = self.rows.chunks(T::Lanes::COUNT).zip(evidence);
        let rows = groups.flat_map(|(rows, evidence)| rows.iter().zip(evidence.class.entries()));
        rows.map(|(row, &class)| (row - self.first_row, Into::<f64>::into(class) as usize))
    }

    /// Writes lanes ([group][column]) row by row.
    pub(super) fn write_lanes<T: Lane>(&self, out: &mut [T], width: usize, lanes: &[T::Lanes]) {
        for (rows, group) in self.rows.chunks(T::Lanes::COUNT).zip(lanes.chunks_exact(width)) {
            for (lane, &row) in rows.iter().enumerate() {
                let out = &mut out[(row - self.first_row) * width..][..width];
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

/// The value of one row among [group][output].
pub(super) fn at<T: Lane>(values: &[T::Lanes], outputs: usize, output: usize, row: usize) -> T {
    values[row / T::Lanes::COUNT * outputs + output].entries()[row % T::Lanes::COUNT]
}
