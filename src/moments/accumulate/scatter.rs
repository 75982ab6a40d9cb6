//! Sums of products to scatter.

use ndarray::ArrayViewMut2;

use crate::kernel::padded;
use crate::moments::observed::not_negative;

/// Padded cross products about a shift to the scatter about the mean.
pub(super) fn about_mean(
    second: &[f64],
    mut scatter: ArrayViewMut2<'_, f64>,
    correction: impl Fn(usize, usize) -> f64,
) {
    /// Squares of this size stay in the cache while they are written to the other way round.
    const EDGE: usize = 32;
    let d = scatter.nrows();
    for (i, (mut row, second)) in
        scatter.outer_iter_mut().zip(second.chunks_exact(padded(d).max(1))).enumerate()
    {
        for (j, (entry, second)) in row.iter_mut().zip(second).take(i + 1).enumerate() {
            *entry = second - correction(i, j);
        }
        row[i] = not_negative(row[i]);
    }
    let starts = || (0..d).step_by(EDGE);
    for (first, left) in starts()
        .flat_map(|first| starts().take_while(move |&left| left <= first).map(move |left| (first, left)))
    {
        for i in first..(first + EDGE).min(d) {
            for j in left..(left + EDGE).min(i) {
                scatter[(j, i)] = scatter[(i, j)];
            }
        }
    }
}
