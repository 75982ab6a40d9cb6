//! Symmetric matrices of which the lower triangle is computed.

use ndarray::ArrayViewMut2;

/// Copies the lower triangle to the upper one.
pub(super) fn mirror(mut matrix: ArrayViewMut2<'_, f64>) {
    /// Squares of this size stay in the cache while they are written to the other way round.
    const EDGE: usize = 32;
    let d = matrix.nrows();
    let starts = || (0..d).step_by(EDGE);
    for (first, left) in starts()
        .flat_map(|first| starts().take_while(move |&left| left <= first).map(move |left| (first, left)))
    {
        for i in first..(first + EDGE).min(d) {
            for j in left..(left + EDGE).min(i) {
                matrix[(j, i)] = matrix[(i, j)];
            }
        }
    }
}
