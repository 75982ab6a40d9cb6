//! A borrowed table of rows of any element type and memory order. It is read for sums and for scores; NaN and infinities
//! show in these, and are looked for only then, so that no other pass over the data is needed.

mod gaps;
mod order;
mod pattern_cache;

use std::ops::Range;

use ndarray::{ArrayView2, Axis, s};

use crate::error::{Error, InputError, Result};
use crate::float::{Element, Flag};
use crate::kernel::{
    Ahead, COLUMNS, ClassSums, InOrder, LONG, Lane, Panel, RowsAhead, add_columns, add_squares, ahead, flags,
    gather, has_gaps, pack, prefetch, retain_zeros,
};

pub use arrays::Entry;
pub(crate) use gaps::{Gaps, Pattern};
pub(crate) use order::{sort_by_code, sort_with_ends};
pub(crate) use pattern_cache::PatternCache;

/// Long rows that are copied together where their entries lie apart.
const COPIED_ROWS: usize = 128;

/// Rows × columns of one of the element types, in C, Fortran or any strided order.
///
/// ```
/// use gauda::core::Rows;
/// use ndarray::array;
///
/// let pixels = array![[12_u16, 800], [15, 790]];
/// let rows = Rows::from(pixels.view());
/// assert_eq!((rows.n_rows(), rows.n_features()), (2, 2));
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the variants are named after their element types")]
#[non_exhaustive]
pub enum Rows<'a> {
    F64(ArrayView2<'a, f64>),
    F32(ArrayView2<'a, f32>),
    I8(ArrayView2<'a, i8>),
    I16(ArrayView2<'a, i16>),
    I32(ArrayView2<'a, i32>),
    I64(ArrayView2<'a, i64>),
    U8(ArrayView2<'a, u8>),
    U16(ArrayView2<'a, u16>),
    U32(ArrayView2<'a, u32>),
    U64(ArrayView2<'a, u64>),
    Bool(ArrayView2<'a, Flag>),
}

/// Runs the same expression on the view, whatever its element type.
macro_rules! with_view {
    ($rows:expr, $view:ident => $body:expr) => {
        match $rows {
            Rows::F64($view) => $body,
            Rows::F32($view) => $body,
            Rows::I8($view) => $body,
            Rows::I16($view) => $body,
            Rows::I32($view) => $body,
            Rows::I64($view) => $body,
            Rows::U8($view) => $body,
            Rows::U16($view) => $body,
            Rows::U32($view) => $body,
            Rows::U64($view) => $body,
            Rows::Bool($view) => $body,
        }
    };
}

macro_rules! rows_from_views {
    ($($element:ty => $variant:ident),*) => {$(
        impl<'a> From<ArrayView2<'a, $element>> for Rows<'a> {
            fn from(view: ArrayView2<'a, $element>) -> Self { Self::$variant(view) }
        }
    )*};
}
rows_from_views!(f64 => F64, f32 => F32, i8 => I8, i16 => I16, i32 => I32, i64 => I64,
                 u8 => U8, u16 => U16, u32 => U32, u64 => U64, Flag => Bool);

impl<'a> From<ArrayView2<'a, bool>> for Rows<'a> {
    fn from(view: ArrayView2<'a, bool>) -> Self {
        Self::Bool(flags(view))
    }
}

impl Rows<'_> {
    /// Number of rows.
    ///
    /// ```
    /// assert_eq!(gauda::Rows::from(&ndarray::array![[1, 2], [3, 4], [5, 6]]).n_rows(), 3);
    /// ```
    pub fn n_rows(&self) -> usize {
        with_view!(self, view => view.nrows())
    }

    /// Number of columns.
    ///
    /// ```
    /// assert_eq!(gauda::Rows::from(&ndarray::array![[1, 2], [3, 4], [5, 6]]).n_features(), 2);
    /// ```
    pub fn n_features(&self) -> usize {
        with_view!(self, view => view.ncols())
    }

    /// Whether single precision holds every entry, so that scores are computed in it.
    ///
    /// ```
    /// assert!(gauda::Rows::from(&ndarray::array![[1_u8]]).is_single());
    /// assert!(!gauda::Rows::from(&ndarray::array![[1.0]]).is_single());
    /// ```
    pub fn is_single(&self) -> bool {
        matches!(self, Self::F32(_) | Self::I8(_) | Self::I16(_) | Self::U8(_) | Self::U16(_))
    }

    /// Whether entries are doubles.
    pub(crate) fn is_double(&self) -> bool {
        matches!(self, Self::F64(_))
    }

    /// Appends the first `count` rows of `order`, less `shift`, to a panel of sums; those behind them will follow soon.
    pub(crate) fn gather(&self, order: &[usize], count: usize, shift: &[f64], panel: &mut Panel) {
        with_view!(self, view => gather(view, order, count, shift, panel));
    }

    /// The memory of rows that will be gathered, in their order.
    pub(crate) fn rows_ahead<'o>(&self, order: &'o [usize]) -> RowsAhead<'o> {
        with_view!(self, view => RowsAhead::new(view, order))
    }

    /// Whether the entries of a column lie nearer to each other than those of a row.
    pub(crate) fn lie_in_columns(&self) -> bool {
        with_view!(self, view => view.strides()[0].unsigned_abs() < view.strides()[1].unsigned_abs())
    }

    /// Adds rows and their squares to the sums of their classes.
    pub(crate) fn add_squares(
        &self,
        range: Range<usize>,
        labels: &[u32],
        weights: Option<&[f64]>,
        mut sums: ClassSums<'_>,
    ) {
        with_view!(self, view => {
            let block = view.slice(s![range, ..]);
            if block.strides()[1] == 1 || block.ncols() < LONG {
                return add_squares(&block, labels, weights, sums);
            }
            for (part, copied) in block.axis_chunks_iter(Axis(0), COPIED_ROWS).enumerate() {
                let rows = part * COPIED_ROWS..part * COPIED_ROWS + copied.nrows();
                let weights = weights.map(|weights| &weights[rows.clone()]);
                add_squares(&copied.as_standard_layout().view(), &labels[rows], weights, sums.reborrow());
            }
        });
    }

    /// The same column by column, of rows in the order of their classes.
    pub(crate) fn add_column_squares(
        &self,
        range: Range<usize>,
        rows: InOrder<'_>,
        weights: Option<&[f64]>,
        mut sums: ClassSums<'_>,
    ) {
        with_view!(self, view => {
            let block = view.slice(s![range, ..]);
            let copies: Vec<_> = match block.strides()[0] {
                1 => vec![],
                _ => block.columns().into_iter().map(|column| column.to_vec()).collect(),
            };
            let columns: Vec<&[_]> = match copies.is_empty() {
                true => block.columns().into_iter().map(|column| column.to_slice().unwrap_or_default()).collect(),
                false => copies.iter().map(|column| &column[..]).collect(),
            };
            for (group, now) in columns.chunks(COLUMNS).enumerate() {
                let next = columns.chunks(COLUMNS).nth(group + 1).unwrap_or_default();
                add_columns(now, next, group * COLUMNS, rows, weights, sums.reborrow());
            }
        });
    }

    /// Packs rows, less `shift`, for scoring.
    pub(crate) fn pack<T: Lane>(&self, indices: &[usize], shift: &[T], tile: &mut [T::Lanes]) {
        with_view!(self, view => pack(view, indices, shift, tile));
    }

    /// The same, of some columns; `shift` is of these.
    pub(crate) fn pack_columns<T: Lane>(
        &self,
        indices: &[usize],
        columns: Range<usize>,
        shift: &[T],
        tile: &mut [T::Lanes],
    ) {
        with_view!(self, view => match columns.len() == view.ncols() {
            true => pack(view, indices, shift, tile),
            false => pack(&view.slice(s![.., columns]), indices, shift, tile),
        });
    }

    /// Whether columns lie in one piece, and rows do not.
    pub(crate) fn has_long_columns(&self) -> bool {
        with_view!(self, view => view.strides()[0] == 1 && view.strides()[1] > 1)
    }

    /// The memory of these rows, if it is worth asking for.
    pub(crate) fn ahead(&self, range: Range<usize>) -> Ahead {
        with_view!(self, view => ahead(view, range))
    }

    /// Says that these rows will be packed soon.
    pub(crate) fn prefetch(&self, range: Range<usize>) {
        with_view!(self, view => prefetch(view, range));
    }

    /// Which of these rows lack entries, and which.
    ///
    /// # Errors
    /// An infinite entry.
    pub(crate) fn gaps(&self, rows: impl Iterator<Item = usize>) -> Result<Gaps> {
        let mut gaps = self.no_gaps();
        self.find_gaps(rows, &mut gaps)?;
        Ok(gaps)
    }

    /// As if no row lacked anything.
    pub(crate) fn no_gaps(&self) -> Gaps {
        Gaps::new(self.n_features())
    }

    /// Adds those of these rows that lack entries to others.
    ///
    /// # Errors
    /// An infinite entry.
    pub(crate) fn find_gaps(&self, rows: impl Iterator<Item = usize>, gaps: &mut Gaps) -> Result<()> {
        with_view!(self, view => gaps.find(view, rows))
    }

    /// Whether some of these rows lack entries, or have some that are infinite.
    pub(crate) fn has_gaps(&self, range: Range<usize>) -> bool {
        with_view!(self, view => has_gaps(view, range))
    }

    /// Some entries of a row.
    pub(crate) fn read(&self, row: usize, columns: &[usize], entries: &mut [f64]) {
        with_view!(self, view => {
            entries.iter_mut().zip(columns).for_each(|(entry, &column)| *entry = view[(row, column)].as_f64());
        });
    }

    /// All entries of a row.
    pub(crate) fn read_row(&self, row: usize, entries: &mut [f64]) {
        with_view!(self, view => {
            let read = view.row(row);
            match read.as_slice() {
                Some(read) => entries.iter_mut().zip(read).for_each(|(entry, read)| *entry = read.as_f64()),
                None => entries.iter_mut().zip(read).for_each(|(entry, read)| *entry = read.as_f64()),
            }
        });
    }

    /// Keeps those of some columns that are 0 in these rows, too.
    pub(crate) fn retain_zeros(&self, range: Range<usize>, columns: &mut Vec<usize>) {
        with_view!(self, view => retain_zeros(&view.slice(s![range, ..]), columns));
    }

    /// Names the first entry in these rows that is not finite.
    pub(crate) fn check_finite(&self, range: Range<usize>) -> Result<()> {
        with_view!(self, view => refuse(view, range, |entry| !entry.is_finite()))
    }

    /// Names the first entry in these rows that is infinite; NaN may be.
    pub(crate) fn check_not_infinite(&self, range: Range<usize>) -> Result<()> {
        with_view!(self, view => refuse(view, range, |entry| entry.as_f64().is_infinite()))
    }
}

fn refuse<E: Element>(
    view: &ArrayView2<'_, E>,
    range: Range<usize>,
    is_unfit: impl Fn(&E) -> bool,
) -> Result<()> {
    for row in range {
        if let Some(column) = view.row(row).iter().position(&is_unfit) {
            let value = view[(row, column)].as_f64();
            return Err(Error::Input(InputError::NonFinite { row, column, value }));
        }
    }
    Ok(())
}

mod arrays;
mod columns;
mod no_data;
#[cfg(test)]
mod tests;
