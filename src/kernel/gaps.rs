//! Which entries of rows are NaN, as bits.

use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2};

use super::instance::{Instance, Kernel, Level, dispatch};
use crate::float::Element;

/// Columns that a word stands for.
pub(crate) const WORD: usize = 64;

/// Appends those rows among some that hold NaN to `rows`, and for each a word of bits for every 64 columns to `masks`. Ends
/// with the first row that holds an infinity.
pub(crate) fn find_gaps<E: Element>(
    view: &ArrayView2<'_, E>,
    among: impl Iterator<Item = usize>,
    rows: &mut Vec<usize>,
    masks: &mut Vec<u64>,
) -> Option<usize> {
    dispatch(Level::current(), FindGaps { view, among, rows, masks })
}

/// Whether some entry of these rows is not finite.
pub(crate) fn has_gaps<E: Element>(view: &ArrayView2<'_, E>, range: Range<usize>) -> bool {
    dispatch(Level::current(), HasGaps { view, range })
}

struct HasGaps<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    range: Range<usize>,
}

impl<E: Element> Kernel for HasGaps<'_, '_, E> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) -> bool {
        let mut copied = vec![];
        self.range.any(|row| !all_finite(in_one_piece(self.view.row(row), &mut copied)))
    }
}

#[inline(always)]
fn all_finite<E: Element>(entries: &[E]) -> bool {
    entries.iter().fold(true, |all, entry| all & entry.is_finite())
}

struct FindGaps<'a, 'v, E, N> {
    view: &'a ArrayView2<'v, E>,
    among: N,
    rows: &'a mut Vec<usize>,
    masks: &'a mut Vec<u64>,
}

impl<E: Element, N: Iterator<Item = usize>> Kernel for FindGaps<'_, '_, E, N> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Option<usize> {
        let mut copied = vec![];
        for row in self.among {
            let entries = in_one_piece(self.view.row(row), &mut copied);
            let start = self.masks.len();
            self.masks.extend(entries.chunks(WORD).map(mask));
            if self.masks[start..].iter().all(|mask| *mask == 0) {
                self.masks.truncate(start);
                continue;
            }
            self.rows.push(row);
            if entries.iter().fold(false, |any, entry| any | entry.as_f64().is_infinite()) {
                return Some(row);
            }
        }
        None
    }
}

#[inline(always)]
fn in_one_piece<'a, E: Element>(row: ArrayView1<'a, E>, copied: &'a mut Vec<E>) -> &'a [E] {
    match row.to_slice() {
        Some(entries) => entries,
        None => {
            copied.clear();
            copied.extend(row.iter().copied());
            copied
        }
    }
}

/// A bit for each of up to 64 entries that is not finite.
#[inline(always)]
fn mask<E: Element>(entries: &[E]) -> u64 {
    let bits = entries.iter().enumerate();
    bits.fold(0, |mask, (bit, entry)| mask | u64::from(!entry.is_finite()) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, s};

    #[test]
    fn bits_stand_for_columns_on_every_instruction_set_and_in_every_layout() {
        for d in [1, 7, 8, 64, 65, 130] {
            let missing = |row: usize, column: usize| row % 2 == 1 && (row * column) % 5 == 3 % d;
            let x =
                Array2::from_shape_fn((20, 2 * d), |(i, j)| if missing(i, j / 2) { f64::NAN } else { 1.0 });
            let every_other = x.slice(s![.., ..;2]);
            let copied = every_other.to_owned();
            for view in [every_other, copied.view(), copied.t().to_owned().t()] {
                for (_, (rows, masks)) in Level::each(|| {
                    let (mut rows, mut masks) = (vec![], vec![]);
                    assert_eq!(find_gaps(&view, 0..20, &mut rows, &mut masks), None);
                    (rows, masks)
                }) {
                    let words = d.div_ceil(WORD);
                    for row in 0..20 {
                        let place = rows.iter().position(|&found| found == row);
                        for column in 0..d {
                            let bit = place.is_some_and(|place| {
                                masks[place * words + column / WORD] >> (column % WORD) & 1 == 1
                            });
                            assert_eq!(bit, missing(row, column), "{row}, {column} of {d}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_row_with_an_infinity_is_told() {
        let mut x = Array2::<f32>::zeros((9, 70));
        (x[(2, 3)], x[(5, 69)], x[(6, 0)]) = (f32::NAN, f32::NEG_INFINITY, f32::INFINITY);
        let (mut rows, mut masks) = (vec![], vec![]);
        assert_eq!(find_gaps(&x.view(), 1..9, &mut rows, &mut masks), Some(5));
    }
}
