//! Eigenvalues of symmetric matrices, and singular values through them, largest first.

use nalgebra::{DMatrix, SymmetricEigen};
use ndarray::{Array2, ArrayView2, ArrayViewMut1, Axis, s};

/// Iterations per dimension after which nalgebra gives up.
const MAX_ITERATIONS: usize = 1000;

/// Sweeps over all pairs of rows; a handful is enough.
const MAX_SWEEPS: usize = 60;

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
struct Turn {
    cosine: f64,
    sine: f64,
}

impl Turn {
    /// That which makes [[a, both], [both, b]] diagonal.
    fn between(a: f64, b: f64, both: f64) -> Self {
        let ratio = (b - a) / (2.0 * both);
        let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
        let cosine = tangent.hypot(1.0).recip();
        Self { cosine, sine: cosine * tangent }
    }

    fn apply(&self, mut first: ArrayViewMut1<'_, f64>, mut second: ArrayViewMut1<'_, f64>) {
        let Self { cosine, sine } = self;
        for (first, second) in first.iter_mut().zip(second.iter_mut()) {
            (*first, *second) = (cosine * *first - sine * *second, sine * *first + cosine * *second);
        }
    }
}

/// Singular values of a matrix, and the right singular vectors of those above rounding; none if they do not converge.
///
/// They come from the smaller Gram matrix, in which values far below the largest drown: where there are such, they come
/// from rotations of the rows. (nalgebra's SVD errs on rank-deficient matrices.)
pub fn right_singular(matrix: ArrayView2<'_, f64>) -> Option<Eigen> {
    let found = largest_singular(matrix)?;
    let Some(smallest) = found.vectors.nrows().checked_sub(1).map(|last| found.values[last]) else {
        return Some(found);
    };
    let rest = &matrix - &matrix.dot(&found.vectors.t()).dot(&found.vectors);
    // Vectors of the Gram matrix err by so much that this is what they leave over.
    let left_over = rounding(matrix) * found.values[0] * (found.values[0] / smallest);
    if length(rest.iter()) <= left_over { Some(found) } else { Some(singular_by_rotations(matrix)) }
}

/// More than the singular values of a matrix err, in units of the largest.
fn rounding(matrix: ArrayView2<'_, f64>) -> f64 {
    8.0 * f64::EPSILON * matrix.nrows().max(matrix.ncols()) as f64
}

fn length<'a>(entries: impl Iterator<Item = &'a f64>) -> f64 {
    entries.map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// Jacobi's way: rotate pairs of rows until all are orthogonal. Small values keep their digits.
fn singular_by_rotations(matrix: ArrayView2<'_, f64>) -> Eigen {
    let mut rows = if matrix.nrows() > matrix.ncols() { triangle(matrix) } else { matrix.to_owned() };
    for _ in 0..MAX_SWEEPS {
        let mut orthogonal = true;
        for (p, q) in (0..rows.nrows()).flat_map(|q| (0..q).map(move |p| (p, q))) {
            let (first, second) = rows.multi_slice_mut((s![p, ..], s![q, ..]));
            orthogonal &= !rotate(first, second);
        }
        if orthogonal {
            break;
        }
    }
    let lengths: Vec<f64> = rows.outer_iter().map(|row| length(row.iter())).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
    let values: Vec<f64> = order.iter().map(|&row| lengths[row]).collect();
    let bound = values.first().map_or(0.0, |largest| rounding(matrix) * largest);
    let rank = values.iter().filter(|&&value| value > bound).count();
    let mut vectors = rows.select(Axis(0), &order[..rank]);
    vectors.outer_iter_mut().zip(&values).for_each(|(mut vector, &value)| vector /= value);
    fix_signs(&mut vectors);
    Eigen { values, vectors }
}

/// Makes two rows orthogonal; tells whether they were not.
fn rotate(first: ArrayViewMut1<'_, f64>, second: ArrayViewMut1<'_, f64>) -> bool {
    let (a, b, both) = (first.dot(&first), second.dot(&second), first.dot(&second));
    if both.abs() <= f64::EPSILON * (a * b).sqrt() {
        return false;
    }
    Turn::between(a, b, both).apply(first, second);
    true
}

/// The triangle R of the QR decomposition, which has the same right singular vectors.
pub(super) fn triangle(matrix: ArrayView2<'_, f64>) -> Array2<f64> {
    let (rows, columns) = matrix.dim();
    let triangle = DMatrix::from_fn(rows, columns, |i, j| matrix[(i, j)]).qr().r();
    Array2::from_shape_fn((columns, columns), |(i, j)| triangle[(i, j)])
}

/// All singular values, and the right singular vectors of those that are not too small beside the largest.
fn largest_singular(matrix: ArrayView2<'_, f64>) -> Option<Eigen> {
    let wide = matrix.nrows() < matrix.ncols();
    let gram = if wide { matrix.dot(&matrix.t()) } else { matrix.t().dot(&matrix) };
    let eigen = symmetric_eigen(gram.view())?;
    let values: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0).sqrt()).collect();
    let bound = values.first().map_or(0.0, |largest| f64::EPSILON.powf(0.25) * largest);
    let rank = values.iter().filter(|&&value| value > bound).count();
    let mut vectors = eigen.vectors.slice(s![..rank, ..]).to_owned();
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

    /// U diag(σ) V with known rotations; values of any size beside each other.
    #[test]
    fn small_singular_values_do_not_drown_in_large_ones() {
        let turn = array![[1.0, 2.0, 2.0], [2.0, 1.0, -2.0], [2.0, -2.0, 1.0]] / 3.0;
        for small in [1e-3, 1e-6, 1e-9, 1e-12] {
            let scaled = &turn * &array![[1.0], [small], [0.0]];
            let tall = turn.t().dot(&scaled);
            let wide = tall.slice(s![..2, ..]);
            for (matrix, values) in [(tall.view(), Some([1.0, small])), (wide, None)] {
                let singular = right_singular(matrix).unwrap();
                assert_eq!(singular.vectors.nrows(), 2, "{small:e}");
                if let Some(values) = values {
                    let apart = |(got, exact): (&f64, f64)| (got / exact - 1.0).abs();
                    assert!(
                        singular.values.iter().zip(values).map(apart).all(|apart| apart < 1e-3),
                        "{small:e}"
                    );
                }
                let plane = singular.vectors.dot(&turn.t());
                assert!(
                    plane.column(2).iter().all(|gap| gap.abs() < 1e-9 + 1e-15 / small),
                    "{small:e}: {plane}"
                );
                let gram = singular.vectors.dot(&singular.vectors.t()) - Array2::<f64>::eye(2);
                assert!(gram.iter().all(|gap| gap.abs() < 1e-8), "{small:e}");
            }
        }
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
