//! Inverses of whitening matrices. Those of triangular ones by recursion on 2 × 2 blocks,
//!
//! [A 0; C B]⁻¹ = [A⁻¹ 0; −B⁻¹ C A⁻¹ B⁻¹],
//!
//! small blocks and all other matrices by nalgebra.

use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2, s};

/// Largest triangular block that nalgebra inverts in one go.
const BASE: usize = 64;

/// The inverse of a square matrix; none if it is singular.
pub fn invert(matrix: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let lower = matrix.indexed_iter().all(|((i, j), &entry)| j <= i || entry == 0.0);
    if lower { invert_lower(matrix) } else { to_nalgebra(matrix).try_inverse().map(|inverse| copy(&inverse)) }
}

fn invert_lower(matrix: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let d = matrix.nrows();
    if d <= BASE {
        let inverse = to_nalgebra(matrix).solve_lower_triangular(&DMatrix::identity(d, d))?;
        return Some(copy(&inverse));
    }
    let half = (d / 2).next_multiple_of(BASE).min(d - 1);
    let first = invert_lower(matrix.slice(s![..half, ..half]))?;
    let second = invert_lower(matrix.slice(s![half.., half..]))?;
    let below = -second.dot(&matrix.slice(s![half.., ..half])).dot(&first);
    let mut whole = Array2::zeros((d, d));
    whole.slice_mut(s![..half, ..half]).assign(&first);
    whole.slice_mut(s![half.., ..half]).assign(&below);
    whole.slice_mut(s![half.., half..]).assign(&second);
    Some(whole)
}

fn to_nalgebra(matrix: ArrayView2<'_, f64>) -> DMatrix<f64> {
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)])
}

fn copy(matrix: &DMatrix<f64>) -> Array2<f64> {
    Array2::from_shape_fn(matrix.shape(), |(i, j)| matrix[(i, j)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// 1 on the diagonal and −ρ below it, whose inverse has ρ^(i−j) there.
    fn bidiagonal(d: usize, rho: f64) -> Array2<f64> {
        Array2::from_shape_fn((d, d), |(i, j)| match (i, j) {
            _ if i == j => 1.0,
            _ if i == j + 1 => -rho,
            _ => 0.0,
        })
    }

    #[test]
    fn triangular_inverses_have_their_closed_form_at_every_size() {
        for d in [1, 2, 64, 65, 129, 300] {
            let inverse = invert(bidiagonal(d, 0.5).view()).unwrap();
            for ((i, j), &value) in inverse.indexed_iter() {
                let exact = if j > i { 0.0 } else { 0.5_f64.powi((i - j) as i32) };
                assert!((value - exact).abs() < 1e-15, "[{i}, {j}] of {d}");
            }
        }
    }

    #[test]
    fn other_matrices_are_inverted_too() {
        assert_eq!(invert(array![[0.0, 2.0], [4.0, 0.0]].view()), Some(array![[0.0, 0.25], [0.5, 0.0]]));
    }

    #[test]
    fn a_singular_matrix_has_no_inverse() {
        for matrix in [array![[1.0, 0.0], [1.0, 0.0]], array![[1.0, 2.0], [2.0, 4.0]]] {
            assert!(invert(matrix.view()).is_none());
        }
    }
}
