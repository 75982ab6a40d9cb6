//! Orthonormal bases of few rows, from their Gram matrix.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, concatenate, s};

use crate::error::{Error, Owner, RankError, Result};
use crate::linalg::{Factor, factor, symmetric_eigen};
use crate::moments::Means;

/// Rows whose Gram matrix is one product.
const BLOCK: usize = 64;

/// How much of the digits of a Gram matrix its inverse may cost.
const LOST: f64 = 1e-10;

/// The same where differences of means are among the vectors, which are else made orthogonal to all digits.
const LOST_AT_ONCE: f64 = 1e-12;

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

/// Tᵀ T, symmetric to the bit; rows that begin a block of columns with zeros only are not multiplied.
pub(super) fn gram_of_coordinates(coordinates: &Array2<f64>) -> Array2<f64> {
    let (rows, columns) = coordinates.dim();
    let mut product = Array2::zeros((columns, columns));
    for start in (0..columns).step_by(BLOCK) {
        let end = (start + BLOCK).min(columns);
        let is_zero = |row: &usize| coordinates.slice(s![*row, start..end]).iter().all(|&entry| entry == 0.0);
        let first = (0..rows).take_while(is_zero).count();
        let block = coordinates.slice(s![first.., start..end]);
        let block = block.t().dot(&coordinates.slice(s![first.., ..end]));
        product.slice_mut(s![start..end, ..end]).assign(&block);
    }
    for i in 0..columns {
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
    let most = largest_sum(&inverse);
    (f64::EPSILON * largest_sum(gram) * most < LOST).then(|| Inverted {
        factor,
        inverse,
        least: most.recip(),
    })
}

/// The largest sum of the sizes of the entries of a row.
fn largest_sum(matrix: &Array2<f64>) -> f64 {
    matrix.outer_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// Eigenvalues above rounding and above `bound`, largest first, and their vectors as rows.
pub(super) fn spectrum(gram: &Array2<f64>, bound: f64) -> Result<(Array1<f64>, Array2<f64>)> {
    let eigen = symmetric_eigen(gram.view()).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let bound = bound.max(16.0 * gram.nrows() as f64 * f64::EPSILON * largest);
    let kept = eigen.values.iter().filter(|&&value| value > bound).count();
    Ok((eigen.values[..kept].iter().copied().collect(), eigen.vectors.slice(s![..kept, ..]).to_owned()))
}

/// Orthonormal rows Q that span those of F and the differences of class means, and F's coordinates T: F = T Q.
///
/// Products are those of vectors of about the same length: else short ones would lose their digits to long ones.
pub(super) fn spanning(
    rows: ArrayView2<'_, f64>,
    means: &Means,
    scale: Option<&Array1<f64>>,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let differences = shortest_differences(means, scale);
    if let Some(found) = spanning_at_once(rows, differences.view()) {
        return Ok(found);
    }
    let (basis, coordinates) = orthonormal(rows)?;
    Ok(extend(basis, differences, coordinates))
}

/// The same from the products of all, if nothing comes near to depending on what comes before it.
fn spanning_at_once(
    rows: ArrayView2<'_, f64>,
    differences: ArrayView2<'_, f64>,
) -> Option<(Array2<f64>, Array2<f64>)> {
    let ((r, d), m) = (rows.dim(), differences.nrows());
    if r == 0 || r + m > d {
        return None;
    }
    let mut products = Array2::zeros((r + m, r + m));
    let across = differences.dot(&rows.t());
    products.slice_mut(s![..r, ..r]).assign(&gram(rows));
    products.slice_mut(s![..r, r..]).assign(&across.t());
    products.slice_mut(s![r.., ..r]).assign(&across);
    products.slice_mut(s![r.., r..]).assign(&gram(differences));
    let lengths = to_unit_lengths(&mut products);
    let factor = factor_within(&products, LOST_AT_ONCE)?;
    let lower = factor.inverse / lengths.view().insert_axis(Axis(0));
    let mut basis = Array2::zeros((r + m, d));
    lower_times_into(lower.slice(s![..r, ..r]), rows, basis.slice_mut(s![..r, ..]));
    let last = lower.slice(s![r.., ..r]).dot(&rows) + lower.slice(s![r.., r..]).dot(&differences);
    basis.slice_mut(s![r.., ..]).assign(&last);
    let coordinates = factor.lower * lengths.insert_axis(Axis(1));
    Some((basis, coordinates.slice_move(s![..r, ..])))
}

/// Makes a basis Q, which is orthonormal to some digits, so to all of them; the coordinates of F = T Q follow.
pub(super) fn refine(basis: &Array2<f64>, coordinates: &Array2<f64>) -> Option<(Array2<f64>, Array2<f64>)> {
    let factor = factor(gram(basis.view()).view())?;
    let mut refined = Array2::zeros(basis.raw_dim());
    lower_times_into(factor.inverse.view(), basis.view(), refined.view_mut());
    Some((refined, coordinates.dot(&factor.lower)))
}

/// Orthonormal rows Q that span those of F, and F's coordinates T.
fn orthonormal(rows: ArrayView2<'_, f64>) -> Result<(Array2<f64>, Array2<f64>)> {
    let mut gram = gram(rows);
    let lengths = to_unit_lengths(&mut gram);
    let along_rows = lengths.view().insert_axis(Axis(0));
    if let Some(factor) = factor_within(&gram, LOST) {
        let mut basis = Array2::zeros(rows.raw_dim());
        lower_times_into((factor.inverse / along_rows).view(), rows, basis.view_mut());
        return Ok((basis, factor.lower * lengths.insert_axis(Axis(1))));
    }
    let (values, vectors) = spectrum(&gram, 0.0)?;
    let basis = orthonormal_of(rows, &values, &(vectors / along_rows))?;
    let coordinates = rows.dot(&basis.t());
    Ok((basis, coordinates))
}

/// Makes products those of vectors of length 1 to 2; returns what they are divided by: powers of two, which round nothing.
fn to_unit_lengths(gram: &mut Array2<f64>) -> Array1<f64> {
    let length = |&square: &f64| if square > 0.0 { square.sqrt().log2().floor().exp2() } else { 1.0 };
    let lengths = gram.diag().map(length);
    *gram /= &lengths.view().insert_axis(Axis(0));
    *gram /= &lengths.view().insert_axis(Axis(1));
    lengths
}

/// The factor of a Gram matrix, if its inverse costs no more than these digits.
fn factor_within(gram: &Array2<f64>, lost: f64) -> Option<Factor> {
    if gram.is_empty() {
        return Some(Factor { lower: gram.clone(), inverse: gram.clone() });
    }
    let factor = factor(gram.view())?;
    // The trace of the inverse, which no eigenvalue of it exceeds.
    let most: f64 = factor.inverse.iter().map(|entry| entry * entry).sum();
    (f64::EPSILON * largest_sum(gram) * most < lost).then_some(factor)
}

/// Orthonormal rows along eigenvectors of a Gram matrix: a second Gram matrix makes good what the first has lost.
pub(super) fn orthonormal_of(
    rows: ArrayView2<'_, f64>,
    values: &Array1<f64>,
    vectors: &Array2<f64>,
) -> Result<Array2<f64>> {
    let basis = vectors.dot(&rows) / values.mapv(f64::sqrt).insert_axis(Axis(1));
    let inverted = invert(&gram(basis.view())).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
    let mut orthonormal = Array2::zeros(basis.raw_dim());
    lower_times_into(inverted.factor.inverse.view(), basis.view(), orthonormal.view_mut());
    Ok(orthonormal)
}

/// An orthonormal basis of the differences of means, the shortest first: so classes far away cost no digits of those that
/// are near.
pub(super) fn basis_of_means(means: &Means) -> Array2<f64> {
    let nothing = Array2::zeros((0, means.shift.ncols()));
    extend(nothing, shortest_differences(means, None), Array2::zeros((0, 0))).0
}

/// Appends what vectors add to a basis, one after another. Coordinates of rows become longer by zeros.
fn extend(basis: Array2<f64>, vectors: Array2<f64>, coordinates: Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let (before, d) = basis.dim();
    let mut whole = Array2::zeros((before + vectors.nrows(), d));
    whole.slice_mut(s![..before, ..]).assign(&basis);
    drop(basis);
    let mut size = before;
    for vector in vectors.outer_iter() {
        if let Some(direction) = beyond(whole.slice(s![..size, ..]), vector.to_owned()).filter(|_| size < d) {
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
fn lower_times_into(
    lower: ArrayView2<'_, f64>,
    rows: ArrayView2<'_, f64>,
    mut product: ArrayViewMut2<'_, f64>,
) {
    let r = rows.nrows();
    for start in (0..r).step_by(BLOCK) {
        let end = (start + BLOCK).min(r);
        let lower = lower.slice(s![start..end, ..end]);
        general_mat_mul(
            1.0,
            &lower,
            &rows.slice(s![..end, ..]),
            0.0,
            &mut product.slice_mut(s![start..end, ..]),
        );
    }
}

/// Differences of means along a shortest tree (Prim), the shortest first.
fn shortest_differences(means: &Means, scale: Option<&Array1<f64>>) -> Array2<f64> {
    let (classes, d) = means.shift.dim();
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
    edges.retain(|edge| edge.0 > 0.0);
    let mut differences = Array2::zeros((edges.len(), d));
    for (mut row, (_, a, b)) in differences.outer_iter_mut().zip(edges) {
        row.assign(&difference(a, b));
    }
    differences
}
