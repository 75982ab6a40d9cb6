//! Eigenvalues of symmetric matrices, and singular values through them, largest first.

use nalgebra::{DMatrix, SymmetricEigen};
use ndarray::{Array2, ArrayView2, Axis};

/// Iterations per dimension after which nalgebra gives up.
const MOST_ITERATIONS: usize = 1000;

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
    if d == 0 {
        return Some(Eigen { values: vec![], vectors: Array2::zeros((0, 0)) });
    }
    let matrix = DMatrix::from_fn(d, d, |i, j| matrix[(i, j)]);
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, MOST_ITERATIONS * d)?;
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    order.reverse();
    let mut vectors = Array2::from_shape_fn((d, d), |(i, j)| eigen.eigenvectors[(j, order[i])]);
    fix_signs(&mut vectors);
    Some(Eigen { values: order.iter().map(|&i| eigen.eigenvalues[i]).collect(), vectors })
}

/// Singular values of a matrix, and the right singular vectors of those above rounding; none if they do not converge.
///
/// They come from the smaller Gram matrix: values below 1e-8 of the largest are lost, which whoever drops small
/// directions does not miss. (nalgebra's SVD errs on rank-deficient matrices.)
pub fn right_singular(matrix: ArrayView2<'_, f64>) -> Option<Eigen> {
    let wide = matrix.nrows() < matrix.ncols();
    let gram = if wide { matrix.dot(&matrix.t()) } else { matrix.t().dot(&matrix) };
    let eigen = symmetric_eigen(gram.view())?;
    let values: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0).sqrt()).collect();
    let bound = values.first().map_or(0.0, |largest| f64::EPSILON.sqrt() * largest);
    let rank = values.iter().filter(|&&value| value > bound).count();
    let mut vectors = eigen.vectors.slice(ndarray::s![..rank, ..]).to_owned();
    if wide {
        // vᵢ = Mᵀ uᵢ / σᵢ
        vectors = vectors.dot(&matrix);
        for (mut vector, value) in vectors.axis_iter_mut(Axis(0)).zip(&values) {
            vector /= *value;
        }
        fix_signs(&mut vectors);
    }
    Some(Eigen { values, vectors })
}

/// Turns each vector so that its largest entry is positive.
fn fix_signs(vectors: &mut Array2<f64>) {
    for mut vector in vectors.outer_iter_mut() {
        let largest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        if largest.is_some_and(|largest| largest < 0.0) {
            vector.mapv_inplace(|x| -x);
        }
    }
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
        let tall = array![[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]];
        let wide = array![[3.0, 0.0, 4.0], [0.0, 0.0, 0.0]];
        for (matrix, value, vector) in
            [(tall, 125.0_f64.sqrt(), array![0.6, 0.8]), (wide, 5.0, array![0.6, 0.0, 0.8])]
        {
            let singular = right_singular(matrix.view()).unwrap();
            assert_eq!(singular.vectors.nrows(), 1);
            assert!((singular.values[0] - value).abs() < 1e-14 && singular.values[1] < 1e-7);
            assert!((&singular.vectors.row(0) - &vector).iter().all(|gap| gap.abs() < 1e-15));
        }
    }
}
