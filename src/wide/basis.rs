//! Orthonormal bases of few rows, from their Gram matrix.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use crate::error::{Error, Owner, RankError, Result};
use crate::linalg::{Factor, factor, symmetric_eigen};
use crate::moments::Means;

/// Rows whose Gram matrix is one product.
const BLOCK: usize = 64;

/// How much of the digits of a Gram matrix its inverse may cost.
const LOST: f64 = 1e-10;

/// What is left of a difference of means that lies in the span already, in parts of it.
const IN_SPAN: f64 = 1e-11;

/// F Fᵀ, the lower blocks computed and mirrored.
pub(super) fn gram(rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let r = rows.nrows();
    let mut gram = Array2::zeros((r, r));
    for start in (0..r).step_by(BLOCK) {
        let end = (start + BLOCK).min(r);
        let block = rows.slice(s![start..end, ..]).dot(&rows.slice(s![..end, ..]).t());
        gram.slice_mut(s![start..end, ..end]).assign(&block);
        gram.slice_mut(s![..start, start..end]).assign(&block.slice(s![.., ..start]).t());
    }
    // Both triangles of the blocks on the diagonal must be the same to the bit.
    for i in 0..r {
        for j in i + 1..(i / BLOCK + 1) * BLOCK {
            if j < r {
                gram[(i, j)] = gram[(j, i)];
            }
        }
    }
    gram
}

/// Fᵀ F, symmetric to the bit.
pub(super) fn gram_of_columns(rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut product = rows.t().dot(&rows);
    for i in 0..product.nrows() {
        for j in 0..i {
            product[(j, i)] = product[(i, j)];
        }
    }
    product
}

/// A Gram matrix with its factor and inverse.
pub(super) struct Inverted {
    pub(super) factor: Factor,
    pub(super) inverse: Array2<f64>,
    /// No eigenvalue is smaller.
    pub(super) least: f64,
}

/// The inverse of a Gram matrix, if it has ten digits.
pub(super) fn invert(gram: &Array2<f64>) -> Option<Inverted> {
    if gram.is_empty() {
        let factor = Factor { lower: gram.clone(), inverse: gram.clone() };
        return Some(Inverted { factor, inverse: gram.clone(), least: f64::INFINITY });
    }
    let factor = factor(gram.view())?;
    let inverse = factor.inverse.t().dot(&factor.inverse);
    let norm = |matrix: &Array2<f64>| {
        matrix.outer_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
    };
    let most = norm(&inverse);
    (f64::EPSILON * norm(gram) * most < LOST).then(|| Inverted { factor, inverse, least: most.recip() })
}

/// Eigenvalues above rounding and above `bound`, largest first, and their vectors as rows.
pub(super) fn spectrum(gram: &Array2<f64>, bound: f64) -> Result<(Array1<f64>, Array2<f64>)> {
    let eigen = symmetric_eigen(gram.view()).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let bound = bound.max(16.0 * gram.nrows() as f64 * f64::EPSILON * largest);
    let kept = eigen.values.iter().filter(|&&value| value > bound).count();
    Ok((eigen.values[..kept].iter().copied().collect(), eigen.vectors.slice(s![..kept, ..]).to_owned()))
}

/// Orthonormal rows Q that span those of F, and F's coordinates T: F = T Q.
pub(super) fn orthonormal(rows: ArrayView2<'_, f64>) -> Result<(Array2<f64>, Array2<f64>)> {
    let gram = gram(rows);
    if let Some(Inverted { factor, .. }) = invert(&gram) {
        return Ok((lower_times(&factor.inverse, rows), factor.lower));
    }
    let (values, vectors) = spectrum(&gram, 0.0)?;
    let basis = orthonormal_of(rows, &values, &vectors)?;
    let coordinates = rows.dot(&basis.t());
    Ok((basis, coordinates))
}

/// Orthonormal rows along eigenvectors of a Gram matrix: a second Gram matrix makes good what the first has lost.
pub(super) fn orthonormal_of(
    rows: ArrayView2<'_, f64>,
    values: &Array1<f64>,
    vectors: &Array2<f64>,
) -> Result<Array2<f64>> {
    let basis = vectors.dot(&rows) / values.mapv(f64::sqrt).insert_axis(Axis(1));
    let inverted = invert(&gram(basis.view())).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
    Ok(lower_times(&inverted.factor.inverse, basis.view()))
}

/// Appends what differences of class means add to a basis, the shortest first: so classes far away cost no digits of those
/// that are near. Coordinates of rows become longer by zeros.
pub(super) fn extend_by_means(
    basis: Array2<f64>,
    means: &Means,
    scale: Option<&Array1<f64>>,
    coordinates: Array2<f64>,
) -> (Array2<f64>, Array2<f64>) {
    let (before, d) = basis.dim();
    let differences = shortest_differences(means, scale);
    let mut whole = Array2::zeros((before + differences.len(), d));
    whole.slice_mut(s![..before, ..]).assign(&basis);
    drop(basis);
    let mut size = before;
    for difference in differences {
        if let Some(direction) = beyond(whole.slice(s![..size, ..]), difference).filter(|_| size < d) {
            whole.row_mut(size).assign(&direction);
            size += 1;
        }
    }
    let zeros = Array2::zeros((coordinates.nrows(), size - before));
    let coordinates = concatenate(Axis(1), &[coordinates.view(), zeros.view()]).expect("as many rows");
    whole.slice_collapse(s![..size, ..]);
    (whole, coordinates)
}

/// Appends what a vector adds to a basis, if it is anything.
pub(super) fn with_direction(mut basis: Array2<f64>, vector: Array1<f64>) -> Array2<f64> {
    if basis.nrows() < basis.ncols()
        && let Some(direction) = beyond(basis.view(), vector)
    {
        basis.push_row(direction.view()).expect("as wide");
    }
    basis
}

/// The unit vector of what a vector has beyond orthonormal rows; none if that is rounding.
fn beyond(known: ArrayView2<'_, f64>, vector: Array1<f64>) -> Option<Array1<f64>> {
    let length = vector.dot(&vector).sqrt();
    let mut rest = vector;
    for _ in 0..2 {
        let along = known.dot(&rest);
        rest -= &along.dot(&known);
    }
    let left = rest.dot(&rest).sqrt();
    (left > IN_SPAN * length).then(|| rest / left)
}

/// L F for a lower triangular L, whose zeros are not multiplied.
pub(super) fn lower_times(lower: &Array2<f64>, rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let r = rows.nrows();
    let mut product = Array2::zeros(rows.raw_dim());
    for start in (0..r).step_by(BLOCK) {
        let end = (start + BLOCK).min(r);
        let block = lower.slice(s![start..end, ..end]).dot(&rows.slice(s![..end, ..]));
        product.slice_mut(s![start..end, ..]).assign(&block);
    }
    product
}

/// Differences of means along a shortest tree (Prim), the shortest first.
fn shortest_differences(means: &Means, scale: Option<&Array1<f64>>) -> Vec<Array1<f64>> {
    let classes = means.shift.nrows();
    let difference = |a: usize, b: usize| {
        let apart: Array1<f64> =
            (&means.shift.row(b) - &means.shift.row(a)) + (&means.offset.row(b) - &means.offset.row(a));
        scale.map_or(apart.clone(), |scale| apart / scale)
    };
    let square = |apart: ArrayView1<'_, f64>| apart.dot(&apart);
    let mut nearest: Vec<(f64, usize)> =
        (0..classes).map(|class| (square(difference(0, class).view()), 0)).collect();
    let mut open: Vec<usize> = (1..classes).collect();
    let mut edges = vec![];
    while !open.is_empty() {
        let place = (0..open.len()).min_by(|&a, &b| nearest[open[a]].0.total_cmp(&nearest[open[b]].0));
        let class = open.remove(place.expect("some are open"));
        edges.push((nearest[class].0, nearest[class].1, class));
        for &other in &open {
            let length = square(difference(class, other).view());
            if length < nearest[other].0 {
                nearest[other] = (length, class);
            }
        }
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    edges.into_iter().filter(|edge| edge.0 > 0.0).map(|(_, a, b)| difference(a, b)).collect()
}
