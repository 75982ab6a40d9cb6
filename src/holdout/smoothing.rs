//! What smoothing adds to the variances of independent columns, with all rows and without one.

use ndarray::Array1;

use super::LANES;
use super::downdate::MIN_LEFT;
use crate::error::Result;
use crate::kernel::Double;
use crate::moments::{Moments, Structure};

/// What is added to variances: a share of the largest of all rows, which a row less may change.
pub(super) struct Smoothing {
    share: f64,
    weight: f64,
    /// The mean of all rows about the center.
    mean: Array1<f64>,
    squares: Array1<f64>,
}

impl Smoothing {
    pub(super) fn of(moments: &Moments, share: f64, center: &[f64]) -> Result<Self> {
        let total = moments.to(Structure::Diag)?.total()?;
        let mean = total.means_in_parts().about(center).row(0).to_owned();
        Ok(Self { share, weight: total.total_weight(), mean, squares: total.scatter_diagonal(0) })
    }

    pub(super) fn of_all(&self) -> f64 {
        self.share * self.squares.iter().copied().fold(0.0, f64::max) / self.weight
    }

    /// What a row less takes from it, for a group of rows about the center; NaN where too few digits are left.
    pub(super) fn change_without(&self, x: &[Double]) -> Double {
        let rest = self.weight - 1.0;
        let mut largest = [0.0_f64; LANES];
        for ((x, &mean), &squares) in x.iter().zip(&self.mean).zip(&self.squares) {
            for lane in 0..LANES {
                let apart = x[lane] - mean;
                let left = squares - apart * apart * self.weight / rest;
                let sound = left >= MIN_LEFT * squares && !largest[lane].is_nan();
                largest[lane] = if sound { largest[lane].max(left) } else { f64::NAN };
            }
        }
        largest.map(|largest| self.share * largest / rest - self.of_all())
    }
}
