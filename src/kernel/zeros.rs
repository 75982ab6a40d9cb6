//! Columns without any entry but 0.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use crate::float::Element;

/// Keeps those of some columns that are 0 in all rows.
pub(crate) fn retain_zeros<E: Element>(view: &ArrayView2<'_, E>, columns: &mut Vec<usize>) {
    if view.strides()[1] == 1 {
        let mut found = vec![0; view.ncols()];
        dispatch(Level::current(), Bits { view, found: &mut found });
        return columns.retain(|&column| found[column] == 0);
    }
    columns.retain(|&column| view.column(column).iter().all(|entry| bits(*entry) == 0));
}

/// The bits of an entry but its sign; none for 0.
#[inline(always)]
fn bits<E: Element>(entry: E) -> u64 {
    entry.as_f64().to_bits() << 1
}

/// Finds all bits of each column.
struct Bits<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    found: &'a mut [u64],
}

impl<E: Element> Kernel for Bits<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        for row in self.view.rows() {
            let row = row.to_slice().unwrap_or_default();
            self.found.iter_mut().zip(row).for_each(|(found, &entry)| *found |= bits(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn only_columns_of_zeros_are_kept() {
        let x = array![[0.0, -0.0, 0.0, f64::NAN], [0.0, 0.0, 5e-324, 0.0]];
        let turned = x.t().as_standard_layout().into_owned();
        for view in [x.view(), turned.t()] {
            let mut columns = vec![0, 1, 2, 3];
            retain_zeros(&view, &mut columns);
            assert_eq!(columns, [0, 1]);
        }
    }
}
