//! Singular values, largest first, through the eigenvalues of Gram matrices.

use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2, ArrayViewMut1, Axis, s};

use super::eigen::{Eigen, MAX_SWEEPS, Turn, fix_signs, symmetric_eigen};

/// Rows or columns, whichever are fewer, up to which rotations are fast.
const MAX_ROTATED: usize = 100;

/// Singular values of a matrix, and the right singular vectors of those above rounding; none if they do not converge.
///
/// They come from the smaller Gram matrix, in which values far below the largest drown: where there are such, they come
/// from rotations of the rows, or, as these take long for large matrices, from the Gram matrix of what the vectors found so
/// far leave over. (nalgebra's SVD errs on rank-deficient matrices.)
pub fn right_singular(matrix: ArrayView2<'_, f64>) -> Option<Eigen> {
    let found = largest_singular(matrix)?;
    let Some(smallest) = found.vectors.nrows().checked_sub(1).map(|last| found.values[last]) else {
        return Some(found);
    };
    // Vectors of the Gram matrix err by so much that this is what they leave over.
    let left_over = rounding(matrix) * found.values[0] * (found.values[0] / smallest);
    if length(remainder(matrix, found.vectors.view()).iter()) <= left_over {
        return Some(found);
    }
    match matrix.nrows().min(matrix.ncols()) <= MAX_ROTATED {
        true => Some(singular_by_rotations(matrix)),
        false => go_on_with_remainders(matrix, found),
    }
}

/// Looks again and again for singular values of what the vectors found so far leave over, until that is rounding.
fn go_on_with_remainders(matrix: ArrayView2<'_, f64>, mut found: Eigen) -> Option<Eigen> {
    let bound = rounding(matrix) * found.values[0];
    let all = found.values.len();
    loop {
        let rest = remainder(matrix, found.vectors.view());
        let known = found.vectors.nrows();
        if known == all || length(rest.iter()) <= bound {
            return Some(found);
        }
        let next = largest_singular(rest.view())?;
        let resolved = next.values.iter().take(next.vectors.nrows().min(all - known));
        let new = resolved.filter(|&&value| value > bound).count();
        if new == 0 {
            return Some(found);
        }
        let smallest = found.values[known - 1];
        let values = next.values.iter().map(|value| value.min(smallest)).take(all - known);
        found.values.splice(known.., values);
        let mut vectors = remainder(next.vectors.slice(s![..new, ..]), found.vectors.view());
        vectors.outer_iter_mut().for_each(|mut vector| vector /= length(vector.iter()));
        found.vectors.append(Axis(0), vectors.view()).expect("vectors of one length");
        // They are orthogonal to half of the digits; Newton's step makes them so to all.
        let vectors = &found.vectors;
        found.vectors = vectors * 1.5 - vectors.dot(&vectors.t()).dot(vectors) * 0.5;
        fix_signs(&mut found.vectors);
    }
}

/// What is left of rows beside orthogonal vectors.
fn remainder(rows: ArrayView2<'_, f64>, vectors: ArrayView2<'_, f64>) -> Array2<f64> {
    &rows - &rows.dot(&vectors.t()).dot(&vectors)
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

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

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

    /// The same of matrices too large to rotate. Hartley's matrix is orthogonal: cos + sin of 2π i j / n, over √n.
    #[test]
    fn neither_do_those_of_large_matrices() {
        let hartley = |n: usize| {
            Array2::from_shape_fn((n, n), |(i, j)| {
                let angle = std::f64::consts::TAU * ((i * j) % n) as f64 / n as f64;
                (angle.cos() + angle.sin()) / (n as f64).sqrt()
            })
        };
        let (n, d) = (MAX_ROTATED + 7, MAX_ROTATED + 20);
        let falling: fn(usize) -> f64 = |i| 10.0_f64.powf(-(i as f64) / 10.0);
        let of_two_sizes: fn(usize) -> f64 =
            |i| if i < 15 { 1e6 / (i + 1) as f64 } else { 2.0 - i as f64 / 200.0 };
        for (case, value) in [("falling", falling), ("of two sizes", of_two_sizes)] {
            let exact: Vec<f64> = (0..n).map(|i| if i + 1 < n { value(i) } else { 0.0 }).collect();
            let scaled = &hartley(n) * &Array2::from_shape_fn((1, n), |(_, j)| exact[j]);
            let wide = scaled.dot(&hartley(d).slice(s![..n, ..]));
            for matrix in [wide.view(), wide.t()] {
                let singular = right_singular(matrix).unwrap();
                assert_eq!((singular.values.len(), singular.vectors.nrows()), (n, n - 1), "{case}");
                for (got, value) in singular.values.iter().zip(&exact[..n - 1]) {
                    let error = 1e-14 * exact[0] + 1e-7 * value;
                    assert!((got - value).abs() <= error, "{case}: {got:e}, {value:e}");
                }
                assert!(singular.values.is_sorted_by(|a, b| a >= b), "{case}");
                let gram = singular.vectors.dot(&singular.vectors.t()) - Array2::<f64>::eye(n - 1);
                assert!(gram.iter().all(|gap| gap.abs() < 1e-13), "{case}");
                let rest = remainder(matrix, singular.vectors.view());
                assert!(length(rest.iter()) <= 1e-13 * exact[0], "{case}");
            }
        }
    }
}
