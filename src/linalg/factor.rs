//! Cholesky factor and its inverse together, by recursion on 2 × 2 blocks:
//!
//! A = [A₁ ·; C A₂],  L = [L₁ 0; C W₁ᵀ L₂],  W = L⁻¹ = [W₁ 0; −W₂ L₂₁ W₁ W₂],  L₂ L₂ᵀ = A₂ − L₂₁ L₂₁ᵀ.
//!
//! Small blocks go to nalgebra; all the rest is matrix products.

use nalgebra::{Cholesky, DMatrix};
use ndarray::{Array2, ArrayView2, s};

/// Largest block that nalgebra factors in one go.
const BASE: usize = 64;

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
    let d = matrix.nrows();
    if d <= BASE {
        return factor_small(matrix);
    }
    let half = (d / 2).next_multiple_of(BASE).min(d - 1);
    let first = factor(matrix.slice(s![..half, ..half]))?;
    let below = matrix.slice(s![half.., ..half]).dot(&first.inverse.t());
    let schur = &matrix.slice(s![half.., half..]) - &below.dot(&below.t());
    let second = factor(schur.view())?;
    let inverse_below = -second.inverse.dot(&below).dot(&first.inverse);
    Some(Factor {
        lower: assemble(&first.lower, &below, &second.lower),
        inverse: assemble(&first.inverse, &inverse_below, &second.inverse),
    })
}

fn factor_small(matrix: ArrayView2<'_, f64>) -> Option<Factor> {
    let d = matrix.nrows();
    let lower = Cholesky::new(DMatrix::from_fn(d, d, |i, j| matrix[(i, j)]))?.unpack();
    if !(0..d).all(|i| lower[(i, i)].is_normal()) {
        return None;
    }
    let inverse = lower.solve_lower_triangular(&DMatrix::identity(d, d))?;
    let copy = |from: &DMatrix<f64>| Array2::from_shape_fn((d, d), |(i, j)| from[(i, j)]);
    Some(Factor { inverse: copy(&inverse), lower: copy(&lower) })
}

fn assemble(first: &Array2<f64>, below: &Array2<f64>, second: &Array2<f64>) -> Array2<f64> {
    let (half, d) = (first.nrows(), first.nrows() + second.nrows());
    let mut whole = Array2::zeros((d, d));
    whole.slice_mut(s![..half, ..half]).assign(first);
    whole.slice_mut(s![half.., ..half]).assign(below);
    whole.slice_mut(s![half.., half..]).assign(second);
    whole
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
