//! Distances and determinants under a covariance that lost a row, in coordinates in which it was diagonal
//! or tridiagonal.
//!
//! Without a row with residual v about its class mean a covariance E loses κ v vᵀ, and (Sherman, Morrison; the matrix
//! determinant lemma)
//!
//! uᵀ (E − κ v vᵀ)⁻¹ u = uᵀE⁻¹u + κ (uᵀE⁻¹v)² / (1 − κ vᵀE⁻¹v),  det (E − κ v vᵀ) = det E · (1 − κ vᵀE⁻¹v).

use super::LANES;
use super::coordinates::Level;
use crate::kernel::{Double, TwoForms};

/// What must be left of a variance that a row is taken from: below it, too few digits are.
pub(super) const MIN_LEFT: f64 = 1e-3;

/// Ratios are multiplied up so many at a time before a logarithm is taken.
const TOGETHER: usize = 32;

/// uᵀE⁻¹u, uᵀE⁻¹v and vᵀE⁻¹v of each row, and by how much log det E is larger than it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forms {
    pub(super) uu: Double,
    pub(super) uv: Double,
    pub(super) vv: Double,
    pub(super) log_ratio: Double,
}

impl Forms {
    const ZERO: Self = Self { uu: [0.0; LANES], uv: [0.0; LANES], vv: [0.0; LANES], log_ratio: [0.0; LANES] };

    /// E is the same for all rows. `z` holds their coordinates, of which u and v differ by points.
    pub(super) fn fixed(z: &[Double], points @ [u, v]: [&[f64]; 2], level: &Level) -> Self {
        if !level.couplings.is_empty() {
            let [uu, uv, vv] = TwoForms { z, points }.under(&level.couplings, &level.inverses);
            return Self { uu, uv, vv, ..Self::ZERO };
        }
        let mut forms = Self::ZERO;
        for (((z, &u), &v), &inverse) in z.iter().zip(u).zip(v).zip(&level.inverses) {
            for (lane, z) in z.iter().enumerate() {
                let (u, v) = (z - u, z - v);
                forms.uu[lane] += u * u * inverse;
                forms.uv[lane] += u * v * inverse;
                forms.vv[lane] += v * v * inverse;
            }
        }
        forms
    }

    /// From each variance of E, which are `least` at least, a row's `loss` is taken.
    pub(super) fn lowered(
        z: &[Double],
        points @ [u, v]: [&[f64]; 2],
        level: &Level,
        least: f64,
        loss: &Double,
    ) -> Self {
        if level.below.is_empty() {
            return Self::with_variances(z, u, v, &level.diagonal, |value, _, lane| value - loss[lane]);
        }
        let ([uu, uv, vv], log_ratio) =
            TwoForms { z, points }.under_lowered(&level.diagonal, &level.below, &level.inverses, loss);
        // A variance that has lost its digits must show.
        let is_sound = |lane: usize| least - loss[lane] > MIN_LEFT * least;
        let log_ratio = std::array::from_fn(|lane| if is_sound(lane) { log_ratio[lane] } else { f64::NAN });
        Self { uu, uv, vv, log_ratio }
    }

    /// Independent columns: each loses its own share of the row, and gains the same.
    pub(super) fn of_columns(
        z: &[Double],
        u: &[f64],
        v: &[f64],
        values: &[f64],
        (kappa, gain): (f64, &Double),
    ) -> Self {
        Self::with_variances(z, u, v, values, |value, v, lane| value - kappa * v * v + gain[lane])
    }

    fn with_variances(
        z: &[Double],
        u: &[f64],
        v: &[f64],
        values: &[f64],
        changed: impl Fn(f64, f64, usize) -> f64,
    ) -> Self {
        let mut forms = Self::ZERO;
        let mut ratios = [1.0; LANES];
        let coordinates = z.iter().zip(u).zip(v).zip(values).enumerate();
        for (i, (((z, &u), &v), &value)) in coordinates {
            for (lane, z) in z.iter().enumerate() {
                let (u, v) = (z - u, z - v);
                let variance = changed(value, v, lane);
                forms.uu[lane] += u * u / variance;
                forms.uv[lane] += u * v / variance;
                forms.vv[lane] += v * v / variance;
                // A variance that has lost its digits must show.
                ratios[lane] *= if variance > MIN_LEFT * value { variance / value } else { f64::NAN };
            }
            if i % TOGETHER == TOGETHER - 1 {
                forms.take(&mut ratios);
            }
        }
        forms.take(&mut ratios);
        forms
    }

    fn take(&mut self, ratios: &mut Double) {
        for (sum, ratio) in self.log_ratio.iter_mut().zip(ratios) {
            *sum += ratio.ln();
            *ratio = 1.0;
        }
    }
}

/// ‖v‖² of each row.
pub(super) fn squared_norms(z: &[Double], v: &[f64]) -> Double {
    z.iter().zip(v).fold([0.0; LANES], |mut sum, (z, &v)| {
        sum.iter_mut().zip(z).for_each(|(sum, z)| *sum += (z - v) * (z - v));
        sum
    })
}
