//! Single columns of rows, read as levels or as numbers; and rows read as present or absent.

use std::ops::Range;

use ndarray::{ArrayView1, ArrayViewMut1, Axis, Zip, s};

use super::{COPIED_ROWS, Rows};
use crate::float::Element;
use crate::kernel::{Counted, Presence, add_presence, read_shares};

impl<'a> Rows<'a> {
    /// Each column as rows of one entry.
    ///
    /// ```
    /// let x = ndarray::array![[1, 2], [3, 4], [5, 6]];
    /// let columns = gauda::Rows::from(&x).columns();
    /// assert_eq!((columns.len(), columns[1].n_features()), (2, 1));
    /// ```
    pub fn columns(&self) -> Vec<Rows<'a>> {
        with_view!(self, view => {
            let column = |j| (*view).slice_move(s![.., j..j + 1]).into();
            (0..view.ncols()).map(column).collect()
        })
    }
}

impl Rows<'_> {
    /// Reads some rows of the first column as levels.
    pub(crate) fn read_levels(&self, range: Range<usize>, levels: &mut [u32]) {
        with_view!(self, view => read(view.column(0).slice(s![range]), levels, Element::level));
    }

    /// Reads some rows of the first column as numbers.
    pub(crate) fn read_numbers(&self, range: Range<usize>, numbers: &mut [f64]) {
        with_view!(self, view => read(view.column(0).slice(s![range]), numbers, Element::as_f64));
    }

    /// Reads some rows of the first column as how much is present; tells whether all entries were fit to be read.
    pub(crate) fn read_shares(&self, range: Range<usize>, presence: Presence, shares: &mut [f64]) -> bool {
        with_view!(self, view => {
            let entries = view.column(0).slice_move(s![range]);
            match entries.as_slice() {
                Some(entries) => read_shares(entries, presence, shares),
                None => read_shares(&entries.to_vec(), presence, shares),
            }
        })
    }

    /// One entry.
    pub(crate) fn entry(&self, row: usize, column: usize) -> f64 {
        with_view!(self, view => view[(row, column)].as_f64())
    }

    /// Adds what is present or absent in each row to the counts of its class, [class][column]; tells whether all entries
    /// were fit to be counted.
    pub(crate) fn add_presence(
        &self,
        range: Range<usize>,
        counted: Counted,
        labels: &[u32],
        weights: Option<&[f64]>,
        counts: &mut [f64],
    ) -> bool {
        with_view!(self, view => {
            let block = view.slice(s![range, ..]);
            if block.strides()[1] == 1 {
                return add_presence(&block, counted, labels, weights, counts);
            }
            let mut fit = true;
            for (part, copied) in block.axis_chunks_iter(Axis(0), COPIED_ROWS).enumerate() {
                let rows = part * COPIED_ROWS..part * COPIED_ROWS + copied.nrows();
                let weights = weights.map(|weights| &weights[rows.clone()]);
                fit &= add_presence(&copied.as_standard_layout().view(), counted, &labels[rows], weights, counts);
            }
            fit
        })
    }
}

fn read<E: Element, R>(entries: ArrayView1<'_, E>, out: &mut [R], as_read: impl Fn(E) -> R) {
    match entries.as_slice() {
        Some(entries) => out.iter_mut().zip(entries).for_each(|(out, &entry)| *out = as_read(entry)),
        // Steps of a fixed length, which an iterator over entries would not know.
        None => {
            Zip::from(ArrayViewMut1::from(out)).and(entries).for_each(|out, &entry| *out = as_read(entry))
        }
    }
}
