//! What the observed columns of a pattern say of the missing ones, under one covariance.

use ndarray::{Array2, ArrayView2, Axis};

use crate::linalg::factor;
use crate::rows::Pattern;

/// With W Σ_oo Wᵀ = I and V = W Σ_om, the missing columns given z = W (x_o − μ_o) have mean μ_m + Vᵀ z and covariance
/// Σ_mm − VᵀV.
#[derive(Debug, Clone)]
pub(crate) struct Regression {
    /// W, lower triangular.
    pub(crate) whitening: Array2<f64>,
    /// log det Σ_oo.
    pub(crate) log_det: f64,
    /// V.
    pub(crate) slopes: Array2<f64>,
    /// Σ_mm − VᵀV.
    pub(crate) residual: Array2<f64>,
}

impl Regression {
    /// None if Σ_oo has no inverse.
    pub(crate) fn new(covariance: ArrayView2<'_, f64>, pattern: &Pattern) -> Option<Self> {
        let Pattern { observed, missing } = pattern;
        let residual = part(covariance, missing, missing);
        if observed.is_empty() {
            let none = |width| Array2::zeros((0, width));
            return Some(Self { whitening: none(0), log_det: 0.0, slopes: none(missing.len()), residual });
        }
        let factor = factor(part(covariance, observed, observed).view())?;
        let slopes = factor.inverse.dot(&part(covariance, observed, missing));
        let residual = residual - slopes.t().dot(&slopes);
        let log_det = factor.log_det();
        Some(Self { whitening: factor.inverse, log_det, slopes, residual })
    }
}

/// Some rows and columns of a matrix.
pub(crate) fn part(matrix: ArrayView2<'_, f64>, rows: &[usize], columns: &[usize]) -> Array2<f64> {
    matrix.select(Axis(0), rows).select(Axis(1), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn two_columns_have_the_textbook_regression() {
        // slope ρ σ₂ / σ₁ = 1.5, residual variance σ₂² (1 − ρ²) = 27 / 4
        let covariance = array![[4.0, 6.0], [6.0, 15.75]];
        let pattern = Pattern { observed: vec![0], missing: vec![1] };
        let regression = Regression::new(covariance.view(), &pattern).unwrap();
        assert_eq!(regression.slopes.t().dot(&regression.whitening), array![[1.5]]);
        assert_eq!(regression.residual, array![[6.75]]);
        assert!((regression.log_det - 4.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn nothing_observed_leaves_the_covariance() {
        let covariance = array![[4.0, 1.0], [1.0, 9.0]];
        let pattern = Pattern { observed: vec![], missing: vec![0, 1] };
        let regression = Regression::new(covariance.view(), &pattern).unwrap();
        assert_eq!(regression.residual, covariance);
        assert_eq!(regression.log_det, 0.0);
    }

    #[test]
    fn a_singular_observed_part_has_none() {
        let covariance = array![[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let pattern = Pattern { observed: vec![0, 1], missing: vec![2] };
        assert!(Regression::new(covariance.view(), &pattern).is_none());
    }
}
