//! Covariances in coordinates in which they are diagonal, whatever their share of the target.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::family::Family;
use crate::covariance::Target;
use crate::error::{Error, Owner, RankError, Result};
use crate::kernel::Affine;
use crate::linalg::{self, resolvable, spectral_whitening, standard_deviations, symmetric_eigen};

/// How many times the smallest variance the largest may be, for eigenvalues to have digits of both.
const WIDEST: f64 = 1e6;

/// A covariance B by coordinates in which (1 − γ) B + γ T(B) is diagonal with entries (1 − γ) λ_i + γ t.
#[derive(Debug)]
pub(super) struct Spectrum {
    /// Coordinates as rows; none if they are the columns.
    pub(super) axes: Option<Array2<f64>>,
    pub(super) map: Option<Affine<f64>>,
    /// λ.
    pub(super) values: Vec<f64>,
    /// t.
    pub(super) anchor: f64,
    /// log det of the covariance whose coordinates have all variance 1.
    pub(super) log_scale: f64,
    /// Number of directions beyond these coordinates, in which there is the target alone.
    pub(super) beyond: usize,
}

impl Spectrum {
    /// For γ = 0 only: coordinates that make the covariance the identity. Without a `common` covariance directions are not
    /// dropped: the answer is none if the covariance is singular.
    pub(super) fn white(
        covariance: ArrayView2<'_, f64>,
        magnitudes: &[f64],
        tol: f64,
        common: bool,
    ) -> Option<Self> {
        let deviations = standard_deviations(covariance, magnitudes);
        let tol = tol.max(resolvable(covariance.nrows()));
        let whitening = linalg::whiten(covariance, &deviations, tol);
        let whitening = match common {
            true => whitening.or_else(|| spectral_whitening(covariance, &deviations, tol))?,
            false => whitening?,
        };
        let rank = whitening.matrix.nrows();
        // Where directions are dropped, all classes lack the same.
        let log_scale = if whitening.log_det.is_nan() { 0.0 } else { whitening.log_det };
        (rank > 0).then(|| Self::along(whitening.matrix, vec![1.0; rank], 0.0, log_scale))
    }

    /// For every γ > 0; with the target's own diagonal a common covariance leaves out columns without variance.
    pub(super) fn turned(mixed: ArrayView2<'_, f64>, family: &Family<'_>, what: Owner) -> Result<Self> {
        if family.target == Target::Diagonal {
            return Self::standardized(mixed, what);
        }
        let (vectors, values) = decompose(mixed, what)?;
        let turned = Self::along(vectors, values, family.anchor(mixed), 0.0);
        Ok(Self { beyond: family.n_beyond(mixed.nrows()), ..turned })
    }

    /// By correlations, of which a diagonal target has none.
    fn standardized(mixed: ArrayView2<'_, f64>, what: Owner) -> Result<Self> {
        let d = mixed.nrows();
        let varying: Vec<usize> = (0..d).filter(|&j| what != Owner::Pooled || mixed[(j, j)] > 0.0).collect();
        let part = mixed.select(Axis(0), &varying).select(Axis(1), &varying);
        let scales = part.diag().mapv(f64::sqrt);
        let units = scales.mapv(|scale| if scale > 0.0 { scale } else { 1.0 });
        let (vectors, values) = decompose(linalg::standardize(part.view(), &units).view(), what)?;
        let mut axes = Array2::zeros((varying.len(), d));
        for (&j, (vector, &scale)) in varying.iter().zip(vectors.columns().into_iter().zip(&scales)) {
            axes.column_mut(j).assign(&(&vector / scale));
        }
        Ok(Self::along(axes, values, 1.0, 2.0 * scales.mapv(f64::ln).sum()))
    }

    /// Independent columns.
    pub(super) fn of_columns(variances: &Array1<f64>) -> Self {
        Self { axes: None, map: None, values: variances.to_vec(), anchor: 0.0, log_scale: 0.0, beyond: 0 }
    }

    /// For γ = 1 and a target that is the same in all directions: the columns serve as coordinates.
    pub(super) fn in_columns(variances: &Array1<f64>, family: &Family<'_>) -> Self {
        let anchor = match family.target {
            Target::Identity => 1.0,
            _ => variances.sum() / variances.len() as f64,
        };
        Self { anchor, ..Self::of_columns(variances) }
    }

    fn along(axes: Array2<f64>, values: Vec<f64>, anchor: f64, log_scale: f64) -> Self {
        let map = Affine::new(axes.view(), &vec![0.0; axes.nrows()]);
        Self { axes: Some(axes), map: Some(map), values, anchor, log_scale, beyond: 0 }
    }

    /// Coordinates of a point.
    pub(super) fn project(&self, point: Array1<f64>) -> Array1<f64> {
        self.axes.as_ref().map_or(point.clone(), |axes| axes.dot(&point))
    }

    /// The covariance's share of γ in these coordinates, if it is one.
    pub(super) fn at(&self, gamma: f64) -> Option<Level> {
        let values: Vec<f64> =
            self.values.iter().map(|value| (1.0 - gamma) * value + gamma * self.anchor).collect();
        let mut log_det = self.log_scale + values.iter().map(|value| value.ln()).sum::<f64>();
        if self.beyond > 0 {
            log_det += self.beyond as f64 * (gamma * self.anchor).ln();
        }
        let inverses: Vec<f64> = values.iter().map(|value| value.recip()).collect();
        let regular = log_det.is_finite() && inverses.iter().all(|inverse| inverse.is_finite());
        let largest = self.values.iter().copied().fold(0.0, f64::max);
        let sound =
            self.axes.is_none() || gamma == 1.0 || values.iter().all(|value| value * WIDEST > largest);
        regular.then_some(Level { gamma, values, inverses, log_det, sound })
    }
}

/// Eigenvectors as rows, and eigenvalues.
fn decompose(matrix: ArrayView2<'_, f64>, what: Owner) -> Result<(Array2<f64>, Vec<f64>)> {
    let eigen = symmetric_eigen(matrix).ok_or(Error::Rank(RankError::NoConvergence(what)))?;
    Ok((eigen.vectors, eigen.values.iter().map(|value| value.max(0.0)).collect()))
}

/// A regularized covariance for one γ: variances along coordinates.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) gamma: f64,
    pub(super) values: Vec<f64>,
    pub(super) inverses: Vec<f64>,
    pub(super) log_det: f64,
    /// Whether eigenvalues that are smaller than others have kept their digits.
    pub(super) sound: bool,
}
