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

/// What is left of a vector that lies in the span already, in parts of it.
const IN_SPAN: f64 = 1e-11;

/// What a row may have beyond others, in parts of it, to count as one of their sums.
const NEARLY_THE_SAME: f64 = 1e-8;

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
    mirror(&mut product);
    product
}

/// Makes what is above the diagonal the same as what is below it.
fn mirror(product: &mut Array2<f64>) {
    for i in 0..product.nrows() {
        for j in 0..i {
            product[(j, i)] = product[(i, j)];
        }
    }
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
    mirror(&mut product);
    product
}

/// The inverse of a Gram matrix.
pub(super) struct Inverted {
    pub(super) inverse: Array2<f64>,
    /// No eigenvalue of the matrix is smaller.
    pub(super) least: f64,
}

/// The inverse of a Gram matrix, if it has ten digits.
pub(super) fn invert(gram: &Array2<f64>) -> Option<Inverted> {
    if gram.is_empty() {
        return Some(Inverted { inverse: gram.clone(), least: f64::INFINITY });
    }
    let factor = factor(gram.view())?;
    let inverse = factor.inverse.t().dot(&factor.inverse);
    let most = largest_sum(&inverse);
    (f64::EPSILON * largest_sum(gram) * most < LOST).then(|| Inverted { inverse, least: most.recip() })
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
) -> (Array2<f64>, Array2<f64>) {
    let differences = shortest_differences(means, scale);
    if let Some(found) = spanning_at_once(rows, differences.view()) {
        return found;
    }
    let (basis, coordinates) = orthonormal(rows);
    extend(basis, differences, coordinates, IN_SPAN)
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
    let (refined, lower) = orthonormalize(basis)?;
    Some((refined, coordinates.dot(&lower)))
}

/// Orthonormal rows Q in place of a basis B that is so to some digits, and B = L Q.
fn orthonormalize(basis: &Array2<f64>) -> Option<(Array2<f64>, Array2<f64>)> {
    let factor = factor_within(&gram(basis.view()), LOST)?;
    let mut refined = Array2::zeros(basis.raw_dim());
    lower_times_into(factor.inverse.view(), basis.view(), refined.view_mut());
    Some((refined, factor.lower))
}

/// Orthonormal rows Q that span those of F, and F's coordinates T.
fn orthonormal(rows: ArrayView2<'_, f64>) -> (Array2<f64>, Array2<f64>) {
    UnitGram::of(rows).basis(rows).unwrap_or_else(|| in_turn(rows, IN_SPAN))
}

/// The same to all digits of each row, also where rows are nearly the same, or much shorter than those before them.
pub(super) fn one_by_one(rows: ArrayView2<'_, f64>) -> (Array2<f64>, Array2<f64>) {
    let found = UnitGram::of(rows).basis(rows);
    found
        .and_then(|(basis, coordinates)| refine(&basis, &coordinates))
        .unwrap_or_else(|| in_turn(rows, NEARLY_THE_SAME))
}

/// The same by Gram–Schmidt, each row twice, where it has more than these parts of it beyond those before it.
fn in_turn(rows: ArrayView2<'_, f64>, in_span: f64) -> (Array2<f64>, Array2<f64>) {
    let nothing = Array2::zeros((0, rows.ncols()));
    let (basis, _) = extend(nothing, rows.to_owned(), Array2::zeros((0, 0)), in_span);
    let coordinates = rows.dot(&basis.t());
    (basis, coordinates)
}

/// Products of rows that were given lengths of 1 to 2.
struct UnitGram {
    gram: Array2<f64>,
    lengths: Array1<f64>,
}

impl UnitGram {
    fn of(rows: ArrayView2<'_, f64>) -> Self {
        let mut gram = gram(rows);
        let lengths = to_unit_lengths(&mut gram);
        Self { gram, lengths }
    }

    /// A basis and coordinates of the rows, if they are far from depending on each other.
    fn basis(&self, rows: ArrayView2<'_, f64>) -> Option<(Array2<f64>, Array2<f64>)> {
        let factor = factor_within(&self.gram, LOST)?;
        let lower = factor.inverse / self.lengths.view().insert_axis(Axis(0));
        let mut basis = Array2::zeros(rows.raw_dim());
        lower_times_into(lower.view(), rows, basis.view_mut());
        Some((basis, factor.lower * self.lengths.view().insert_axis(Axis(1))))
    }
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
    let (orthonormal, _) =
        orthonormalize(&basis).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
    Ok(orthonormal)
}

/// An orthonormal basis of the differences of means, the shortest first: so classes far away cost no digits of those that
/// are near.
pub(super) fn basis_of_means(means: &Means) -> Array2<f64> {
    let nothing = Array2::zeros((0, means.shift.ncols()));
    extend(nothing, shortest_differences(means, None), Array2::zeros((0, 0)), IN_SPAN).0
}

/// Appends what vectors add to a basis, one after another, if that is more than these parts of them. Coordinates of rows
/// become longer by zeros.
fn extend(
    basis: Array2<f64>,
    vectors: Array2<f64>,
    coordinates: Array2<f64>,
    in_span: f64,
) -> (Array2<f64>, Array2<f64>) {
    let (before, d) = basis.dim();
    let mut whole = Array2::zeros((before + vectors.nrows(), d));
    whole.slice_mut(s![..before, ..]).assign(&basis);
    drop(basis);
    let mut size = before;
    for vector in vectors.outer_iter() {
        let direction = beyond(whole.slice(s![..size, ..]), vector.to_owned(), in_span);
        if let Some(direction) = direction.filter(|_| size < d) {
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
        && let Some(direction) = beyond(basis.view(), vector, IN_SPAN)
    {
        basis.push_row(direction.view()).expect("as wide");
    }
    basis
}

/// The unit vector of what a vector has beyond orthonormal rows; none if that is not more than these parts of it.
fn beyond(known: ArrayView2<'_, f64>, vector: Array1<f64>, in_span: f64) -> Option<Array1<f64>> {
    let length = vector.dot(&vector).sqrt();
    let mut rest = vector;
    for _ in 0..2 {
        let along = known.dot(&rest);
        rest -= &along.dot(&known);
    }
    let left = rest.dot(&rest).sqrt();
    (left > in_span * length).then(|| rest / left)
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
