//! Provisional means: where each class lies, roughly, from its first rows.

use ndarray::Array2;

use crate::kernel::Panel;
use crate::rows::Rows;

/// Rows that give a class its provisional mean, at most.
const SHIFT_ROWS: usize = 64;

/// The mean of the first rows of each class, taken about its very first row: exact where a column is constant.
pub(super) fn provisional_means(
    rows: &Rows<'_>,
    labels: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Array2<f64> {
    let d = rows.n_features();
    let most = (16 * 1024 / n_classes.max(1)).clamp(4, SHIFT_ROWS);
    let mut shift = Array2::zeros((n_classes, d));
    let mut panel = Panel::new(d, most);
    for (class, first) in first_rows(labels, n_classes, weights, most).iter().enumerate() {
        let Some(&very_first) = first.first() else {
            continue;
        };
        let mut shift = shift.row_mut(class);
        let shift = shift.as_slice_mut().expect("rows of a C-ordered array");
        rows.gather(&[very_first], &vec![0.0; d], &mut panel);
        panel.weigh_and_sum(0, None, shift);
        panel.filled = 0;
        rows.gather(first, shift, &mut panel);
        let mut apart = vec![0.0; d];
        panel.weigh_and_sum(0, None, &mut apart);
        panel.filled = 0;
        for (shift, apart) in shift.iter_mut().zip(apart) {
            *shift += apart / first.len() as f64;
        }
    }
    shift
}

/// Up to `most` first rows of positive weight of every class.
fn first_rows(labels: &[u32], n_classes: usize, weights: Option<&[f64]>, most: usize) -> Vec<Vec<usize>> {
    let mut first = vec![vec![]; n_classes];
    let mut unfilled = n_classes;
    for (row, &label) in labels.iter().enumerate() {
        let rows = &mut first[label as usize];
        if rows.len() == most || weights.is_some_and(|weights| weights[row] == 0.0) {
            continue;
        }
        rows.push(row);
        if rows.len() == most {
            unfilled -= 1;
            if unfilled == 0 {
                break;
            }
        }
    }
    first
}
