//! Which rows hold values that stand for no data.

use std::ops::Range;

use ndarray::{ArrayView2, s};

use super::Rows;
use crate::float::Element;

impl Rows<'_> {
    /// Marks those of some rows in which an entry is what stands for no data in its column.
    pub(crate) fn mark(&self, range: Range<usize>, no_data: &[f64], marks: &mut [bool]) {
        with_view!(self, view => mark(view.slice(s![range, ..]), no_data, marks));
    }
}

fn mark<E: Element>(rows: ArrayView2<'_, E>, no_data: &[f64], marks: &mut [bool]) {
    let values: Vec<Option<E>> = no_data.iter().map(|&value| E::nearest(value)).collect();
    let all: Option<Vec<E>> = values.iter().copied().collect();
    if let (Some(values), true) = (all, rows.strides()[1] == 1) {
        for (row, mark) in rows.outer_iter().zip(marks) {
            let entries = row.to_slice().unwrap_or_default().iter().zip(&values);
            *mark |= entries.fold(false, |any, (entry, value)| any | entry.is_same(*value));
        }
        return;
    }
    for (column, value) in rows.columns().into_iter().zip(values) {
        if let Some(value) = value {
            column.iter().zip(&mut *marks).for_each(|(entry, mark)| *mark |= entry.is_same(value));
        }
    }
}
