//! Matrices laid out for products with lanes, and the loop that makes these.

use ndarray::ArrayView2;

use super::instance::{Instance, Level};
use super::lanes::{Lane, Lanes};

/// An entry of a matrix, and what it adds to a sum, given the lanes of its column.
pub(super) trait Entry<T: Lane>: Copy {
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes;
}

/// The entry of a product of matrices.
impl<T: Lane> Entry<T> for T {
    #[inline(always)]
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes {
        sum.add_scaled::<I>(self, x)
    }
}

/// Groups of lanes multiplied by a tile together where registers are many: the start and end of a loop are paid once.
const GROUPS: usize = 4;

/// Takes the finished sums of a few rows of a matrix with one group of lanes.
pub(super) trait Sink<T: Lane> {
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
        Self::new(matrix.nrows(), width, entry, Level::current())
    }
}

impl<E: Copy> Tiles<E> {
    /// Lays out `entry(row, column)`. Row `i` matters up to column `width(i)`: a triangular matrix costs half.
    pub(super) fn new(
        rows: usize,
        width: impl Fn(usize) -> usize,
        entry: impl Fn(usize, usize) -> E,
        level: Level,
    ) -> Self {
        let mut laid = Self { level, tiles: vec![], entries: vec![] };
        for first_row in (0..rows).step_by(level.tile()) {
            let now = first_row..(first_row + level.tile()).min(rows);
            let columns = now.clone().map(&width).max().unwrap_or(0);
            laid.tiles.push(Tile { first_row, rows: now.len(), columns, start: laid.entries.len() });
            for column in 0..columns {
                laid.entries.extend(now.clone().map(|row| entry(row, column)));
            }
        }
        laid
    }

    /// Meets every group of `columns` lanes of `x` with every row.
    #[inline(always)]
    pub(super) fn accumulate<I: Instance, T: Lane>(
        &self,
        x: &[T::Lanes],
        columns: usize,
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        let groups = x.len() / columns;
        let group = |group: usize| &x[group * columns..][..columns];
        let together = if I::ROOMY { groups / GROUPS * GROUPS } else { 0 };
        for first in (0..together).step_by(GROUPS) {
            for tile in &self.tiles {
                self.accumulate_tile::<I, T, GROUPS>(
                    tile,
                    first,
                    std::array::from_fn(|g| group(first + g)),
                    sink,
                );
            }
        }
        for first in together..groups {
            for tile in &self.tiles {
                self.accumulate_tile::<I, T, 1>(tile, first, [group(first)], sink);
            }
        }
    }

    /// Meets groups `first_group..` with the rows of one tile.
    #[inline(always)]
    pub(super) fn accumulate_tile<I: Instance, T: Lane, const G: usize>(
        &self,
        tile: &Tile,
        first_group: usize,
        x: [&[T::Lanes]; G],
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        match tile.rows {
            1 => self.accumulate_rows::<I, T, G, 1>(tile, first_group, x, sink),
            2 if I::TILE >= 2 => self.accumulate_rows::<I, T, G, 2>(tile, first_group, x, sink),
            3 if I::TILE >= 3 => self.accumulate_rows::<I, T, G, 3>(tile, first_group, x, sink),
            4 if I::TILE >= 4 => self.accumulate_rows::<I, T, G, 4>(tile, first_group, x, sink),
            5 if I::TILE >= 5 => self.accumulate_rows::<I, T, G, 5>(tile, first_group, x, sink),
            _ => unreachable!("tiles were laid out for this instance"),
        }
    }

    #[inline(always)]
    fn accumulate_rows<I: Instance, T: Lane, const G: usize, const R: usize>(
        &self,
        tile: &Tile,
        first_group: usize,
        x: [&[T::Lanes]; G],
        sink: &mut impl Sink<T>,
    ) where
        E: Entry<T>,
    {
        let entries = &self.entries[tile.start..][..tile.size()].as_chunks::<R>().0;
        let x = x.map(|x| &x[..entries.len()]);
        let mut sums = [[T::Lanes::splat(T::zero()); R]; G];
        for (column, entries) in entries.iter().enumerate() {
            for (sums, x) in sums.iter_mut().zip(x) {
                for (sum, entry) in sums.iter_mut().zip(entries) {
                    *sum = entry.accumulate::<I>(*sum, x[column]);
                }
            }
        }
        for (group, sums) in (first_group..).zip(sums) {
            sink.take::<I, R>(group, tile.first_row, sums);
        }
    }
}
