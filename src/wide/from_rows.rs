//! From few rows to a factor of their scatter.
//!
//! With z_i = √w_i (x_i − m) and a = √(w / Σw) the rows have aᵀZ = 0. The reflection that takes a to the unit vector of a
//! pivot row empties that row and leaves F_i = z_i + a_i / (1 − a_p) z_p: one row fewer, and the same scatter. The lightest
//! row is the pivot, so that 1 − a_p is not small.

use ndarray::{Array1, Array2, ArrayViewMut1, ArrayViewMut2, Zip, s};

use super::WideMoments;
use crate::error::{Error, Result, ShapeError, not_empty};
use crate::memory::room_for;
use crate::moments::{Means, Structure, check_labels, check_room, check_weights};
use crate::rows::Rows;

/// Columns that are centered together.
const BLOCK_COLUMNS: usize = 512;

impl WideMoments {
    /// The moments of rows with labels `0..n_classes`, each row counted once or with its weight.
    ///
    /// # Errors
    /// As [`crate::core::Moments::from_rows`]; a diagonal structure.
    pub fn from_rows(
        rows: &Rows<'_>,
        labels: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        structure: Structure,
    ) -> Result<Self> {
        if structure == Structure::Diag {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        check_labels(labels, rows.n_rows(), n_classes)?;
        check_weights(weights, rows.n_rows())?;
        let d = rows.n_features();
        not_empty("number of columns", d)?;
        check_room(n_classes, d)?;
        room_for(rows.n_rows().checked_mul(d))?;
        let mut members = vec![vec![]; n_classes];
        for (row, &label) in labels.iter().enumerate() {
            if weights.is_none_or(|weights| weights[row] > 0.0) {
                members[label as usize].push(row);
            }
        }
        // Rows without weight must be finite as well.
        if members.iter().map(Vec::len).sum::<usize>() < labels.len() {
            rows.check_finite(0..rows.n_rows())?;
        }
        let mut sums =
            Self::nothing(structure, n_classes, d, members.iter().map(|m| m.len().saturating_sub(1)));
        let mut first = 0;
        for (class, members) in members.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
            let weights = match weights {
                Some(weights) => members.iter().map(|&row| weights[row]).collect(),
                None => Array1::ones(members.len()),
            };
            sums.rows[class] = members.len() as u64;
            sums.weights[class] = weights.sum();
            let last = first + members.len() - 1;
            let factor = sums.factor.slice_mut(s![first..last, ..]);
            let mut z = read(rows, members);
            let shift = sums.means.shift.row_mut(class);
            center_and_reflect(z.view_mut(), &weights, (shift, sums.means.offset.row_mut(class)), factor);
            first = last;
        }
        // What is not finite makes its sums so.
        let finite = |table: &Array2<f64>| table.iter().all(|entry| entry.is_finite());
        if !(finite(&sums.means.shift) && finite(&sums.means.offset) && finite(&sums.factor)) {
            rows.check_finite(0..rows.n_rows())?;
        }
        sums.check_overflow()?;
        Ok(sums)
    }

    /// Moments without weight, with room for the rows of the factors of the classes.
    pub(super) fn nothing(
        structure: Structure,
        n_classes: usize,
        d: usize,
        sizes: impl Iterator<Item = usize>,
    ) -> Self {
        let mut bounds = vec![0];
        for size in sizes {
            bounds.push(bounds.last().copied().unwrap_or(0) + size);
        }
        let rows = bounds[bounds.len() - 1];
        if structure == Structure::Tied {
            bounds = vec![0, rows];
        }
        let none = || Array2::zeros((n_classes, d));
        Self {
            structure,
            rows: vec![0; n_classes],
            weights: Array1::zeros(n_classes),
            means: Means { shift: none(), offset: none() },
            factor: Array2::zeros((rows, d)),
            bounds,
        }
    }
}

/// Some rows as doubles.
fn read(rows: &Rows<'_>, members: &[usize]) -> Array2<f64> {
    let mut z = Array2::zeros((members.len(), rows.n_features()));
    for (mut z, &row) in z.outer_iter_mut().zip(members) {
        rows.read_row(row, z.as_slice_mut().expect("rows of a C-ordered array"));
    }
    z
}

/// The weighted mean of rows in two parts, and the rows about it, times the roots of their weights and reflected. Columns
/// go block by block, which stay in cache.
fn center_and_reflect(
    mut z: ArrayViewMut2<'_, f64>,
    weights: &Array1<f64>,
    (mut shift, mut offset): (ArrayViewMut1<'_, f64>, ArrayViewMut1<'_, f64>),
    mut factor: ArrayViewMut2<'_, f64>,
) {
    let (n, d) = z.dim();
    let total = weights.sum();
    let shares = weights / total;
    let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
    let lightest =
        |lightest: usize, row: usize| if weights[row] < weights[lightest] { row } else { lightest };
    let pivot = (0..n).fold(0, lightest);
    let others: Vec<usize> = (0..n).filter(|&row| row != pivot).collect();
    let steps: Vec<f64> =
        others.iter().map(|&row| shares[row].sqrt() / (1.0 - shares[pivot].sqrt())).collect();
    for start in (0..d).step_by(BLOCK_COLUMNS) {
        let block = start..(start + BLOCK_COLUMNS).min(d);
        let mut z = z.slice_mut(s![.., block.clone()]);
        // About the first row, so that a constant column has its own value for a mean; then about that mean, whose rounding
        // the second part makes good.
        let first = z.row(0).to_owned();
        let mut mean = first.clone();
        for (row, &share) in z.outer_iter().zip(&shares) {
            Zip::from(&mut mean)
                .and(&row)
                .and(&first)
                .for_each(|mean, x, first| *mean += share * (x - first));
        }
        mean.zip_mut_with(&first, |mean, first| *mean = if mean.is_finite() { *mean } else { *first });
        let mut rest = Array1::zeros(block.len());
        for (mut row, &share) in z.outer_iter_mut().zip(&shares) {
            row -= &mean;
            rest.scaled_add(share, &row);
        }
        for (mut row, &root) in z.outer_iter_mut().zip(&roots) {
            Zip::from(&mut row).and(&rest).for_each(|x, rest| *x = (*x - rest) * root);
        }
        for ((mut factor, &row), &step) in factor.outer_iter_mut().zip(&others).zip(&steps) {
            let (row, pivot) = (z.row(row), z.row(pivot));
            let factor = factor.slice_mut(s![block.clone()]);
            Zip::from(factor).and(&row).and(&pivot).for_each(|f, x, pivot| *f = x + step * pivot);
        }
        shift.slice_mut(s![block.clone()]).assign(&mean);
        offset.slice_mut(s![block]).assign(&rest);
    }
}
