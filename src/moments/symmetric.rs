//! Symmetric matrices of which the lower triangle is computed.

use ndarray::ArrayViewMut2;

/// Copies the lower triangle to the upper one.
pub(super) fn mirror(mut matrix: ArrayViewMut2<'_, f64>) {
    /// Squares of this size stay in the cache while they are written to the other way round.
    const EDGE: usize = 32;
    let d = matrix.nrows();
    let Some(entries) = matrix.as_slice_mut() else {
        // One that was given in another order.
        (0..d).for_each(|i| (0..i).for_each(|j| matrix[(j, i)] = matrix[(i, j)]));
        return;
    };
    let starts = || (0..d).step_by(EDGE);
    for (first, left) in starts()
        .flat_map(|first| starts().take_while(move |&left| left <= first).map(move |left| (first, left)))
    {
        for i in first..(first + EDGE).min(d) {
            let (above, row) = entries.split_at_mut(i * d);
            let pairs = above[left * d..].chunks_exact_mut(d).zip(&row[left..i]).take(EDGE);
            pairs.for_each(|(above, &entry)| above[i] = entry);
        }
    }
}
