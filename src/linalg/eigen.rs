//! Eigenvalues of symmetric matrices and thin singular value decompositions, largest first.

use nalgebra::{DMatrix, SVD, SymmetricEigen};
use ndarray::{Array2, ArrayView2};

/// Iterations after which nalgebra gives up.
const MOST_ITERATIONS: usize = 10_000;

/// Values, largest first, and the unit vector of each as a row.
#[derive(Debug, Clone)]
pub struct Eigen {
    /// Eigenvalues or singular values.
    pub values: Vec<f64>,
    /// Row i belongs to value i; its largest entry is positive.
    pub vectors: Array2<f64>,
}

/// Eigenvalues and eigenvectors of a symmetric matrix; none if they do not converge.
pub fn symmetric_eigen(matrix: ArrayView2<'_, f64>) -> Option<Eigen> {
    let d = matrix.nrows();
    let matrix = DMatrix::from_fn(d, d, |i, j| matrix[(i, j)]);
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, MOST_ITERATIONS)?;
    Some(sorted(eigen.eigenvalues.as_slice(), |i, j| eigen.eigenvectors[(j, i)], d))
}

/// Singular values and right singular vectors of a matrix; none if they do not converge.
pub fn right_singular(matrix: ArrayView2<'_, f64>) -> Option<Eigen> {
    let (rows, columns) = matrix.dim();
    if rows == 0 || columns == 0 {
        return Some(sorted(&[], |_, _| 0.0, columns));
    }
    let matrix = DMatrix::from_fn(rows, columns, |i, j| matrix[(i, j)]);
    let svd = SVD::try_new(matrix, false, true, f64::EPSILON, MOST_ITERATIONS)?;
    let vectors = svd.v_t?;
    Some(sorted(svd.singular_values.as_slice(), |i, j| vectors[(i, j)], columns))
}

fn sorted(values: &[f64], entry: impl Fn(usize, usize) -> f64, columns: usize) -> Eigen {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let mut vectors = Array2::from_shape_fn((order.len(), columns), |(i, j)| entry(order[i], j));
    for mut vector in vectors.outer_iter_mut() {
        let largest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        if largest.is_some_and(|largest| largest < 0.0) {
            vector.mapv_inplace(|x| -x);
        }
    }
    Eigen { values: order.iter().map(|&i| values[i]).collect(), vectors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn eigenvalues_come_largest_first() {
        let eigen = symmetric_eigen(array![[2.0, 1.0], [1.0, 2.0]].view()).unwrap();
        let half = 0.5_f64.sqrt();
        assert!((eigen.values[0] - 3.0).abs() < 1e-15 && (eigen.values[1] - 1.0).abs() < 1e-15);
        assert!((&eigen.vectors.row(0) - &array![half, half]).iter().all(|gap| gap.abs() < 1e-15));
    }

    #[test]
    fn singular_vectors_span_the_rows() {
        let singular = right_singular(array![[3.0, 0.0, 4.0], [0.0, 0.0, 0.0]].view()).unwrap();
        assert!((singular.values[0] - 5.0).abs() < 1e-15 && singular.values[1].abs() < 1e-15);
        assert!((&singular.vectors.row(0) - &array![0.6, 0.0, 0.8]).iter().all(|gap| gap.abs() < 1e-15));
    }
}
