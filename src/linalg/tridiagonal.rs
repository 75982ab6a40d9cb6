//! Symmetric matrices in coordinates in which they are tridiagonal, by Householder's reflections. With any multiple of the
//! identity added they stay so: for whole families of matrices that does what eigenvectors do, and takes a fraction of the time.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use crate::kernel::{Eight, LowerRows};

/// Reflections that are applied together.
const TOGETHER: usize = 32;

/// The square of what is left of a row whose largest entry was about 1, below which it is nothing.
const NOTHING: f64 = 1e-290;

/// Q A Qᵀ with one entry beside each on the diagonal.
#[derive(Debug)]
pub struct Tridiagonal {
    /// Q: coordinates as rows.
    pub axes: Array2<f64>,
    /// The entries on the diagonal.
    pub diagonal: Vec<f64>,
    /// Those below it.
    pub below: Vec<f64>,
}

/// The coordinates in which a symmetric matrix, of which the lower triangle is read, is tridiagonal.
pub fn tridiagonal(matrix: ArrayView2<'_, f64>) -> Tridiagonal {
    let size = matrix.nrows();
    // A power of two, which rounds nothing.
    let largest = matrix.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    let unit = if largest.is_normal() { largest.log2().floor().exp2() } else { 1.0 };
    let mut rows = LowerRows::of(matrix, unit.recip());
    let mut found = Tridiagonal {
        axes: Array2::eye(size),
        diagonal: vec![0.0; size],
        below: vec![0.0; size.saturating_sub(1)],
    };
    let mut reflections = vec![];
    let [mut v, mut w, mut x, mut product] =
        std::array::from_fn(|_| vec![Eight::default(); size.div_ceil(Eight::default().len())]);
    // The last row is reflected to the entry beside the diagonal, then the one before it, and so on.
    for last in (1..size).rev() {
        let (v_last, w_last) = (v.as_flattened()[last], w.as_flattened()[last]);
        let changes = v.as_flattened().iter().zip(w.as_flattened());
        let row: Vec<f64> =
            rows.row(last).iter().zip(changes).map(|(a, (v, w))| a - v_last * w - w_last * v).collect();
        found.diagonal[last] = row[last];
        let reflection = Reflection::of(&row[..last], &mut found.below[last - 1]);
        x.as_flattened_mut()[last..].fill(0.0);
        x.as_flattened_mut()[..last].copy_from_slice(&reflection.vector);
        rows.sweep(last, [&v, &w, &x], &mut product);
        std::mem::swap(&mut v, &mut x);
        // w = τ A v − (τ² vᵀA v / 2) v.
        let along: f64 =
            product.as_flattened()[..last].iter().zip(&reflection.vector).map(|(p, v)| p * v).sum();
        let share = 0.5 * reflection.scale * along;
        w.as_flattened_mut()[last..].fill(0.0);
        for ((w, product), v) in
            w.as_flattened_mut().iter_mut().zip(product.as_flattened()).zip(&reflection.vector)
        {
            *w = reflection.scale * (product - share * v);
        }
        reflections.push(reflection);
    }
    if size > 0 {
        found.diagonal[0] = rows.row(0)[0] - 2.0 * v.as_flattened()[0] * w.as_flattened()[0];
    }
    for block in reflections.chunks(TOGETHER).rev() {
        reflect(block, found.axes.view_mut());
    }
    found.diagonal.iter_mut().chain(&mut found.below).for_each(|entry| *entry *= unit);
    found
}

/// I − τ v vᵀ, of as many coordinates as v has.
struct Reflection {
    vector: Vec<f64>,
    scale: f64,
}

impl Reflection {
    /// That which leaves of a row its last entry only, which is written to `left`.
    fn of(row: &[f64], left: &mut f64) -> Self {
        let (&last, others) = row.split_last().expect("a row beside the diagonal");
        let square: f64 = others.iter().map(|entry| entry * entry).sum();
        if square < NOTHING {
            *left = last;
            return Self { vector: vec![0.0; row.len()], scale: 0.0 };
        }
        *left = -(last * last + square).sqrt().copysign(last);
        let pivot = last - *left;
        let mut vector: Vec<f64> = row.iter().map(|entry| entry / pivot).collect();
        vector[row.len() - 1] = 1.0;
        Self { vector, scale: -pivot / *left }
    }
}

/// Rows Q := Q (H₁ ⋯ H_b)ᵀ = Q − ((Q V) Tᵀ) Vᵀ, where what follows the coordinates of H₁ is that of the identity
/// (Schreiber and Van Loan, SIAM J. Scientific and Statistical Computing 10, 1989).
fn reflect(block: &[Reflection], axes: ArrayViewMut2<'_, f64>) {
    let size = block[0].vector.len();
    let mut vectors = Array2::zeros((block.len(), size));
    for (mut row, reflection) in vectors.outer_iter_mut().zip(block) {
        row.iter_mut().zip(&reflection.vector).for_each(|(to, &entry)| *to = entry);
    }
    let products = vectors.dot(&vectors.t());
    let mut triangle = Array2::zeros((block.len(), block.len()));
    for (j, reflection) in block.iter().enumerate() {
        let column = triangle.slice(s![..j, ..j]).dot(&products.slice(s![..j, j])) * -reflection.scale;
        triangle.slice_mut(s![..j, j]).assign(&column);
        triangle[(j, j)] = reflection.scale;
    }
    let mut axes = axes.slice_move(s![..size, ..size]);
    let along = axes.dot(&vectors.t()).dot(&triangle.t());
    general_mat_mul(-1.0, &along, &vectors, 1.0, &mut axes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_rebuilds(matrix: &Array2<f64>) {
        let d = matrix.nrows();
        let found = tridiagonal(matrix.view());
        let mut inner = Array2::zeros((d, d));
        for i in 0..d {
            inner[(i, i)] = found.diagonal[i];
            if i > 0 {
                inner[(i, i - 1)] = found.below[i - 1];
                inner[(i - 1, i)] = found.below[i - 1];
            }
        }
        let largest = matrix.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let bound = 1e-15 * (d as f64).max(4.0);
        let products = found.axes.dot(&found.axes.t()) - Array2::<f64>::eye(d);
        assert!(products.iter().all(|entry| entry.abs() <= bound), "{d}: not orthonormal");
        let rebuilt = found.axes.t().dot(&inner).dot(&found.axes);
        assert!((rebuilt - matrix).iter().all(|gap| gap.abs() <= bound * largest), "{d}: another matrix");
    }

    /// A symmetric matrix that no formula of a few terms gives.
    fn sample(d: usize) -> Array2<f64> {
        let rows = Array2::from_shape_fn((d + 3, d), |(i, j)| ((i * i + 3 * j * i + j) as f64 * 0.37).sin());
        rows.t().dot(&rows)
    }

    #[test]
    fn matrices_are_those_of_their_coordinates_at_every_size() {
        for d in (0..40).chain([63, 64, 65, 100, 129, 200]) {
            assert_rebuilds(&sample(d));
        }
    }

    #[test]
    fn units_cost_no_digits() {
        for power in [-1000, -400, 400, 1000] {
            let matrix = sample(19) * 2.0_f64.powi(power);
            assert_rebuilds(&matrix);
        }
    }

    #[test]
    fn matrices_that_are_tridiagonal_or_lack_rank_are_taken_as_they_are() {
        assert_rebuilds(&Array2::zeros((9, 9)));
        assert_rebuilds(&Array2::eye(9));
        assert_rebuilds(&Array2::ones((33, 33)));
        let rows = Array2::from_shape_fn((4, 50), |(i, j)| {
            ((i * 5 + j * 3) % 11) as f64 * 1e-160_f64.powi((j % 2) as i32)
        });
        assert_rebuilds(&rows.t().dot(&rows));
    }
}
