//! Eigenvalues of symmetric matrices, largest first.

use nalgebra::{DMatrix, SymmetricEigen};
use ndarray::{Array2, ArrayView2, ArrayViewMut1, Axis, s};

/// Iterations per dimension after which nalgebra gives up.
const MAX_ITERATIONS: usize = 1000;

/// Sweeps over all pairs of rows; a handful is enough.
pub(super) const MAX_SWEEPS: usize = 60;

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
    let (values, vectors) = by_iterations(matrix).or_else(|| by_rotations(matrix))?;
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order.reverse();
    let mut vectors = vectors.select(Axis(0), &order);
    fix_signs(&mut vectors);
    Some(Eigen { values: order.iter().map(|&i| values[i]).collect(), vectors })
}

/// Eigenvalues in any order, and their vectors as rows, by nalgebra; none if they do not converge, or to NaN, as they may
/// where entries are so much smaller than others that their squares vanish.
fn by_iterations(matrix: ArrayView2<'_, f64>) -> Option<(Vec<f64>, Array2<f64>)> {
    let d = matrix.nrows();
    let matrix = DMatrix::from_fn(d, d, |i, j| matrix[(i, j)]);
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, MAX_ITERATIONS * d)?;
    let (values, vectors) = (eigen.eigenvalues, eigen.eigenvectors);
    let finite = values.iter().chain(&vectors).all(|entry| entry.is_finite());
    finite
        .then(|| (values.iter().copied().collect(), Array2::from_shape_fn((d, d), |(i, j)| vectors[(j, i)])))
}

/// The same by Jacobi's rotations, which cost more and cannot fail on finite entries.
fn by_rotations(matrix: ArrayView2<'_, f64>) -> Option<(Vec<f64>, Array2<f64>)> {
    let d = matrix.nrows();
    let largest = matrix.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    if !matrix.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let (mut matrix, mut vectors) = (matrix.to_owned(), Array2::eye(d));
    for _ in 0..MAX_SWEEPS {
        let mut diagonal = true;
        for (p, q) in (0..d).flat_map(|q| (0..q).map(move |p| (p, q))) {
            let both = matrix[(p, q)];
            if both.abs() <= 1e-3 * f64::EPSILON * largest {
                continue;
            }
            diagonal = false;
            let turn = Turn::between(matrix[(p, p)], matrix[(q, q)], both);
            let (first, second) = matrix.multi_slice_mut((s![p, ..], s![q, ..]));
            turn.apply(first, second);
            let (first, second) = matrix.multi_slice_mut((s![.., p], s![.., q]));
            turn.apply(first, second);
            // What rounding leaves there would be turned for ever.
            (matrix[(p, q)], matrix[(q, p)]) = (0.0, 0.0);
            let (first, second) = vectors.multi_slice_mut((s![p, ..], s![q, ..]));
            turn.apply(first, second);
        }
        if diagonal {
            return Some((matrix.diag().to_vec(), vectors));
        }
    }
    None
}

/// A rotation in the plane of two rows.
pub(super) struct Turn {
    cosine: f64,
    sine: f64,
}

impl Turn {
    /// That which makes [[a, both], [both, b]] diagonal.
    pub(super) fn between(a: f64, b: f64, both: f64) -> Self {
        let ratio = (b - a) / (2.0 * both);
        let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
        let cosine = tangent.hypot(1.0).recip();
        Self { cosine, sine: cosine * tangent }
    }

    pub(super) fn apply(&self, mut first: ArrayViewMut1<'_, f64>, mut second: ArrayViewMut1<'_, f64>) {
        let Self { cosine, sine } = self;
        for (first, second) in first.iter_mut().zip(second.iter_mut()) {
            (*first, *second) = (cosine * *first - sine * *second, sine * *first + cosine * *second);
        }
    }
}

/// Turns each vector so that its largest entry is positive.
pub(super) fn fix_signs(vectors: &mut Array2<f64>) {
    for mut vector in vectors.outer_iter_mut() {
        let largest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        if largest.is_some_and(|largest| largest < 0.0) {
            vector.mapv_inplace(|x| -x);
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn rotations_converge_on_matrices_of_ones() {
        for d in 1..=40 {
            let (values, vectors) = by_rotations(Array2::ones((d, d)).view()).unwrap();
            let largest = values.iter().copied().fold(0.0, f64::max);
            assert!((largest - d as f64).abs() < 1e-13 * d as f64, "{largest} of {d}");
            assert!((values.iter().sum::<f64>() - d as f64).abs() < 1e-12, "{d}");
            let products = vectors.dot(&vectors.t()) - Array2::<f64>::eye(d);
            assert!(products.iter().all(|entry| entry.abs() < 1e-12), "{d}");
        }
    }

    #[test]
    fn eigenvalues_come_largest_first() {
        let eigen = symmetric_eigen(array![[2.0, 1.0], [1.0, 2.0]].view()).unwrap();
        let half = 0.5_f64.sqrt();
        assert!((eigen.values[0] - 3.0).abs() < 1e-15 && (eigen.values[1] - 1.0).abs() < 1e-15);
        assert!((&eigen.vectors.row(0) - &array![half, half]).iter().all(|gap| gap.abs() < 1e-15));
    }

    /// Rows that vary in some columns, and by rounding in the others.
    #[test]
    fn entries_far_below_others_do_not_keep_eigenvalues_from_converging() {
        for seed in 0..40_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
            let mut uniform = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
            let rows = Array2::from_shape_fn((19, 59), |(_, j)| {
                uniform()
                    * if j < 13 {
                        10.0
                    } else if j < 40 {
                        1e-15
                    } else {
                        1e-160
                    }
            });
            let matrix = rows.t().dot(&rows);
            let eigen = symmetric_eigen(matrix.view()).unwrap();
            let rebuilt = eigen
                .vectors
                .t()
                .dot(&(&eigen.vectors * &Array2::from_shape_fn((59, 1), |(i, _)| eigen.values[i])));
            let largest = eigen.values[0];
            assert!((&rebuilt - &matrix).iter().all(|gap| gap.abs() < 1e-13 * largest), "{seed}");
        }
    }

    #[test]
    fn rotations_find_what_iterations_find() {
        let rows = Array2::from_shape_fn((9, 7), |(i, j)| ((i * 5 + j * 3) % 11) as f64 - 5.0);
        let matrix = rows.t().dot(&rows);
        let (values, vectors) = by_rotations(matrix.view()).unwrap();
        let scaled = &vectors * &Array2::from_shape_fn((7, 1), |(i, _)| values[i]);
        assert!((vectors.t().dot(&scaled) - &matrix).iter().all(|gap| gap.abs() < 1e-12));
        assert!((vectors.dot(&vectors.t()) - Array2::<f64>::eye(7)).iter().all(|gap| gap.abs() < 1e-14));
        assert!(by_rotations(array![[f64::NAN]].view()).is_none());
    }
}
