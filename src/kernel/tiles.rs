//! Matrices laid out for products with lanes, and the loop that makes these.

use std::ops::Range;

use ndarray::ArrayView2;

use super::instance::{Instance, Level};
use super::lanes::{Lane, Lanes};
use super::prefetch::Ahead;

/// An entry of a matrix, and what it adds to a sum, given the lanes of its column.
pub(crate) trait Entry<T: Lane>: Copy {
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes;
}

/// The entry of a product of matrices.
impl<T: Lane> Entry<T> for T {
    #[inline(always)]
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes {
        sum.add_scaled::<I>(self, x)
    }
}

/// Takes the sums of a few rows of a matrix with one group of lanes.
pub(super) trait Sink<T: Lane> {
    /// What the sums begin with.
    #[inline(always)]
    fn begin<const R: usize>(&self, _group: usize, _first_row: usize) -> [T::Lanes; R] {
        [T::Lanes::splat(T::zero()); R]
    }

    fn take<I: Instance, const R: usize>(&mut self, group: usize, first_row: usize, sums: [T::Lanes; R]);
}

/// The rows of a matrix, a few at a time: these lie column by column, so that a kernel reads front to back.
#[derive(Debug, Clone)]
pub(super) struct Tiles<E> {
    /// The instruction set whose kernels read this layout.
    pub(super) level: Level,
    pub(super) tiles: Vec<Tile>,
    entries: Vec<E>,
}

/// A few rows of a matrix, up to the last column that matters to one of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    first_row: usize,
    rows: usize,
    columns: usize,
    /// Where the entries begin.
    start: usize,
}

impl Tile {
    /// Entries that each group of lanes is multiplied by.
    pub(super) fn size(&self) -> usize {
        self.rows * self.columns
    }
}

impl<T: Lane> Tiles<T> {
    /// Lays out a matrix. Zeros at the end of its rows cost nothing.
    pub(super) fn of(matrix: ArrayView2<'_, f64>) -> Self {
        let entry = |row: usize, column: usize| T::rounded(matrix[(row, column)]);
        let matters = |row: usize, column: &usize| matrix[(row, *column)] != 0.0;
        let width =
            |row: usize| (0..matrix.ncols()).rfind(|column| matters(row, column)).map_or(0, |last| last + 1);
        let level = Level::current();
        Self::new(matrix.nrows(), width, entry, (level, level.tiles().0))
    }
}

impl<E: Copy> Tiles<E> {
    /// Lays out `entry(row, column)`. Row `i` matters up to column `width(i)`: a triangular matrix costs half.
    pub(super) fn new(
        rows: usize,
        width: impl Fn(usize) -> usize,
        entry: impl Fn(usize, usize) -> E,
        (level, height): (Level, usize),
    ) -> Self {
        let mut laid = Self { level, tiles: vec![], entries: vec![] };
        for first_row in (0..rows).step_by(height) {
            let now = first_row..(first_row + height).min(rows);
            let columns = now.clone().map(&width).max().unwrap_or(0);
            laid.tiles.push(Tile { first_row, rows: now.len(), columns, start: laid.entries.len() });
            for column in 0..columns {
                laid.entries.extend(now.clone().map(|row| entry(row, column)));
            }
        }
        laid
    }

    /// Meets some columns of every row with as many lanes of each group of `x`; meanwhile what comes next is fetched.
    #[inline(always)]
    pub(super) fn accumulate<I: Instance, T: Lane, const G: usize>(
        &self,
        x: &[T::Lanes],
        columns: Range<usize>,
        ahead: &mut Ahead,
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        let groups = x.len() / columns.len();
        let together = if I::ROOMY { groups / G * G } else { 0 };
        for first in (0..together).step_by(G) {
            self.accumulate_groups::<I, T, G>(first, x, columns.clone(), ahead, sink);
        }
        for first in together..groups {
            self.accumulate_groups::<I, T, 1>(first, x, columns.clone(), ahead, sink);
        }
    }

    /// Meets groups `first..` with every row. For each line of memory that they are packed in another one is fetched.
    #[inline(always)]
    fn accumulate_groups<I: Instance, T: Lane, const G: usize>(
        &self,
        first: usize,
        x: &[T::Lanes],
        columns: Range<usize>,
        ahead: &mut Ahead,
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        let width = columns.len();
        let part = Part {
            first_group: first,
            x: std::array::from_fn::<&[T::Lanes], G, _>(|g| &x[(first + g) * width..][..width]),
            columns,
        };
        for (place, tile) in self.tiles.iter().enumerate() {
            // Lines are asked for with each column of the first tiles.
            match lines(place, self.tiles.len(), G * ahead.lines()) {
                0 => self.accumulate_tile::<I, T, G, 0>(tile, &part, ahead, sink),
                1 => self.accumulate_tile::<I, T, G, 1>(tile, &part, ahead, sink),
                2 => self.accumulate_tile::<I, T, G, 2>(tile, &part, ahead, sink),
                _ => self.accumulate_tile::<I, T, G, 4>(tile, &part, ahead, sink),
            }
        }
    }

    /// Meets a part of the lanes with the rows of one tile.
    #[inline(always)]
    fn accumulate_tile<I: Instance, T: Lane, const G: usize, const LINES: usize>(
        &self,
        tile: &Tile,
        part: &Part<'_, T, G>,
        ahead: &mut Ahead,
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        match tile.rows {
            1 => self.accumulate_rows::<I, T, G, 1, LINES>(tile, part, ahead, sink),
            2 if I::TALL_TILE >= 2 => self.accumulate_rows::<I, T, G, 2, LINES>(tile, part, ahead, sink),
            3 if I::TALL_TILE >= 3 => self.accumulate_rows::<I, T, G, 3, LINES>(tile, part, ahead, sink),
            4 if I::TALL_TILE >= 4 => self.accumulate_rows::<I, T, G, 4, LINES>(tile, part, ahead, sink),
            5 if I::TALL_TILE >= 5 => self.accumulate_rows::<I, T, G, 5, LINES>(tile, part, ahead, sink),
            6 if I::TALL_TILE >= 6 => self.accumulate_rows::<I, T, G, 6, LINES>(tile, part, ahead, sink),
            _ => unreachable!("tiles were laid out for this instance"),
        }
    }

    #[inline(always)]
    fn accumulate_rows<I: Instance, T: Lane, const G: usize, const R: usize, const LINES: usize>(
        &self,
        tile: &Tile,
        part: &Part<'_, T, G>,
        ahead: &mut Ahead,
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        let entries = self.entries[tile.start..][..tile.size()].as_chunks::<R>().0;
        let entries = &entries[part.columns.start.min(tile.columns)..part.columns.end.min(tile.columns)];
        let x = part.x.map(|x| &x[..entries.len()]);
        let mut sums: [[T::Lanes; R]; G] =
            std::array::from_fn(|g| sink.begin::<R>(part.first_group + g, tile.first_row));
        let mut next = *ahead;
        for (column, entries) in entries.iter().enumerate() {
            next.fetch::<LINES>();
            for (sums, x) in sums.iter_mut().zip(x) {
                for (sum, entry) in sums.iter_mut().zip(entries) {
                    *sum = entry.accumulate::<I>(*sum, x[column]);
                }
            }
        }
        *ahead = next;
        for (group, sums) in (part.first_group..).zip(sums) {
            sink.take::<I, R>(group, tile.first_row, sums);
        }
    }
}

/// Some groups of lanes, and which columns of a matrix they are met with.
struct Part<'a, T: Lane, const G: usize> {
    first_group: usize,
    x: [&'a [T::Lanes]; G],
    columns: Range<usize>,
}

/// Lines to ask for with each column of a tile, so that all tiles together ask for so many.
#[inline(always)]
fn lines(place: usize, tiles: usize, all: usize) -> usize {
    let each = all.div_ceil(tiles).next_power_of_two();
    if place * each < all { each } else { 0 }
}
