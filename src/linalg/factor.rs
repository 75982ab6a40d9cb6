//! Cholesky factor and its inverse together, by recursion on 2 × 2 blocks:
//!
//! A = [A₁ ·; C A₂],  L = [L₁ 0; C W₁ᵀ L₂],  W = L⁻¹ = [W₁ 0; −W₂ L₂₁ W₁ W₂],  L₂ L₂ᵀ = A₂ − L₂₁ L₂₁ᵀ.
//!
//! All but small blocks is products, of which only what is not 0 is computed.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::invert::invert;
use super::singular::triangle;
use crate::kernel::{Extent, SMALL, Stripes, add_product, factor_small};

/// A lower triangular factor and its inverse.
#[derive(Debug, Clone)]
pub struct Factor {
    /// L with A = L Lᵀ.
    pub lower: Array2<f64>,
    /// L⁻¹.
    pub inverse: Array2<f64>,
}

impl Factor {
    /// log det A = 2 Σ ln L_ii.
    pub fn log_det(&self) -> f64 {
        self.lower.diag().iter().map(|pivot| 2.0 * pivot.ln()).sum()
    }
}

/// Factors a symmetric matrix, of which the lower triangle is read; none if it is not positive definite.
pub fn factor(matrix: ArrayView2<'_, f64>) -> Option<Factor> {
    factor_owned(matrix.as_standard_layout().into_owned())
}

/// The factor of RᵀR for at least as many rows as columns, by their QR decomposition: it squares nothing, and so keeps what
/// small rows have beside large ones. None if the rows do not span all columns.
pub fn factor_of_rows(rows: ArrayView2<'_, f64>) -> Option<Factor> {
    let mut lower = triangle(rows).reversed_axes().as_standard_layout().into_owned();
    for mut column in lower
        .columns_mut()
        .into_iter()
        .enumerate()
        .filter_map(|(j, column)| (column[j] < 0.0).then_some(column))
    {
        column.mapv_inplace(|entry| -entry);
    }
    let inverse = invert(lower.view())?;
    Some(Factor { lower, inverse })
}

/// The same of a matrix that is not needed any more.
pub(super) fn factor_owned(mut lower: Array2<f64>) -> Option<Factor> {
    let mut inverse = Array2::zeros(lower.raw_dim());
    if !factor_block(lower.view_mut(), inverse.view_mut()) {
        return None;
    }
    for (i, mut row) in lower.outer_iter_mut().enumerate() {
        row.slice_mut(s![i + 1..]).fill(0.0);
    }
    Some(Factor { lower, inverse })
}

/// Replaces the lower triangle of a matrix by its factor, and the one of `inverse` by the inverse of that.
fn factor_block(matrix: ArrayViewMut2<'_, f64>, inverse: ArrayViewMut2<'_, f64>) -> bool {
    let d = matrix.nrows();
    if d <= SMALL {
        return factor_small(matrix, inverse);
    }
    let half = (d / 2).next_multiple_of(SMALL).min(d - 1);
    let [mut first, mut below, mut second] = quadrants(matrix, half);
    let [mut first_inverse, inverse_below, mut second_inverse] = quadrants(inverse, half);
    if !factor_block(first.view_mut(), first_inverse.view_mut()) {
        return false;
    }
    let old = Stripes::of(below.view());
    below.fill(0.0);
    add_product(below.view_mut(), 0, &old, &Stripes::of(first_inverse.view()), Extent::ToColumn, 1.0);
    let new = Stripes::of(below.view());
    add_product(second.view_mut(), 0, &new, &new, Extent::Lower, -1.0);
    if !factor_block(second.view_mut(), second_inverse.view_mut()) {
        return false;
    }
    let mut between = Array2::zeros(below.raw_dim());
    add_product(between.view_mut(), 0, &new, &Stripes::of(first_inverse.t()), Extent::FromColumn, 1.0);
    let (second_inverse, between) = (Stripes::of(second_inverse.view()), Stripes::of(between.t()));
    add_product(inverse_below, 0, &second_inverse, &between, Extent::ToRow, -1.0);
    true
}

/// The two squares on the diagonal, and what lies below the first of them.
fn quadrants(matrix: ArrayViewMut2<'_, f64>, half: usize) -> [ArrayViewMut2<'_, f64>; 3] {
    let (above, below) = matrix.split_at(Axis(0), half);
    let (first, _) = above.split_at(Axis(1), half);
    let (below, second) = below.split_at(Axis(1), half);
    [first, below, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Kac-Murdock-Szegő matrix ρ^|i−j|, whose Cholesky factor and inverse are known in closed form.
    fn kms(d: usize, rho: f64) -> Array2<f64> {
        Array2::from_shape_fn((d, d), |(i, j)| rho.powi(i.abs_diff(j) as i32))
    }

    #[test]
    fn the_factor_has_its_closed_form_at_every_size() {
        let rho: f64 = 0.6;
        for d in [1, 2, 63, 64, 65, 129, 300] {
            let factor = factor(kms(d, rho).view()).unwrap();
            for ((i, j), &value) in factor.lower.indexed_iter() {
                let exact = match (i, j) {
                    _ if j > i => 0.0,
                    (i, 0) => rho.powi(i as i32),
                    (i, j) => (1.0 - rho * rho).sqrt() * rho.powi((i - j) as i32),
                };
                assert!((value - exact).abs() < 1e-14, "L[{i}, {j}] of {d}");
            }
            for ((i, j), &value) in factor.inverse.indexed_iter() {
                let scale = (1.0 - rho * rho).sqrt();
                let exact = match (i, j) {
                    (0, 0) => 1.0,
                    _ if i == j => 1.0 / scale,
                    _ if i == j + 1 => -rho / scale,
                    _ => 0.0,
                };
                assert!((value - exact).abs() < 1e-13, "W[{i}, {j}] of {d}");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        for d in [2, 100] {
            let mut matrix = kms(d, 0.5);
            matrix[(d - 1, d - 1)] = 0.0;
            assert!(factor(matrix.view()).is_none());
        }
    }
}
