//! Covariances in coordinates in which they are diagonal or tridiagonal, whatever their share of the target.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::family::Family;
use crate::covariance::Target;
use crate::error::Owner;
use crate::kernel::Affine;
use crate::linalg::{self, Tridiagonal, resolvable, spectral_whitening, standard_deviations, tridiagonal};

/// The smallest variance in parts of the largest, for orthogonal coordinates to have digits of both.
const SMALLEST: f64 = 1e-6;

/// A covariance B by coordinates in which (1 − γ) B + γ T(B) is (1 − γ) M + γ t I with a tridiagonal M.
#[derive(Debug)]
pub(super) struct Coordinates {
    /// Coordinates as rows; none if they are the columns.
    pub(super) axes: Option<Array2<f64>>,
    pub(super) map: Option<Affine<f64>>,
    /// The diagonal of M.
    pub(super) diagonal: Vec<f64>,
    /// What is below it; empty if there is nothing.
    below: Vec<f64>,
    /// t.
    pub(super) anchor: f64,
    /// log det of the covariance whose coordinates have all variance 1.
    pub(super) log_scale: f64,
    /// Number of directions beyond these coordinates, in which there is the target alone.
    pub(super) beyond: usize,
    /// The smallest variance in parts of the largest that surely has its digits and is not singular.
    smallest: f64,
}

impl Coordinates {
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
        let (diagonal, below) = (vec![1.0; rank], vec![]);
        (rank > 0)
            .then(|| Self::along(Tridiagonal { axes: whitening.matrix, diagonal, below }, 0.0, log_scale))
    }

    /// For every γ > 0; with the target's own diagonal a common covariance leaves out columns without variance.
    pub(super) fn turned(mixed: ArrayView2<'_, f64>, family: &Family<'_>, what: Owner) -> Self {
        if family.target == Target::Diagonal {
            return Self { smallest: smallest(family), ..Self::standardized(mixed, what) };
        }
        let turned = Self::along(tridiagonal(mixed), family.anchor(mixed), 0.0);
        Self { beyond: family.n_beyond(mixed.nrows()), smallest: smallest(family), ..turned }
    }

    /// By correlations, of which a diagonal target has none.
    fn standardized(mixed: ArrayView2<'_, f64>, what: Owner) -> Self {
        let d = mixed.nrows();
        let varying: Vec<usize> = (0..d).filter(|&j| what != Owner::Pooled || mixed[(j, j)] > 0.0).collect();
        let part = mixed.select(Axis(0), &varying).select(Axis(1), &varying);
        let scales = part.diag().mapv(f64::sqrt);
        let units = scales.mapv(|scale| if scale > 0.0 { scale } else { 1.0 });
        let found = tridiagonal(linalg::standardize(part.view(), &units).view());
        let mut axes = Array2::zeros((varying.len(), d));
        for (&j, (column, &scale)) in varying.iter().zip(found.axes.columns().into_iter().zip(&scales)) {
            axes.column_mut(j).assign(&(&column / scale));
        }
        Self::along(Tridiagonal { axes, ..found }, 1.0, 2.0 * scales.mapv(f64::ln).sum())
    }

    /// Independent columns.
    pub(super) fn of_columns(variances: &Array1<f64>) -> Self {
        let (diagonal, below) = (variances.to_vec(), vec![]);
        Self {
            axes: None,
            map: None,
            diagonal,
            below,
            anchor: 0.0,
            log_scale: 0.0,
            beyond: 0,
            smallest: SMALLEST,
        }
    }

    /// For γ = 1 and a target that is the same in all directions: the columns serve as coordinates.
    pub(super) fn in_columns(variances: &Array1<f64>, family: &Family<'_>) -> Self {
        let anchor = match family.target {
            Target::Identity => 1.0,
            _ => variances.sum() / variances.len() as f64,
        };
        Self { anchor, ..Self::of_columns(variances) }
    }

    fn along(found: Tridiagonal, anchor: f64, log_scale: f64) -> Self {
        let Tridiagonal { axes, diagonal, below } = found;
        let map = Affine::new(axes.view(), &vec![0.0; axes.nrows()]);
        Self {
            axes: Some(axes),
            map: Some(map),
            diagonal,
            below,
            anchor,
            log_scale,
            beyond: 0,
            smallest: SMALLEST,
        }
    }

    /// Coordinates of a point.
    pub(super) fn project(&self, point: Array1<f64>) -> Array1<f64> {
        self.axes.as_ref().map_or(point.clone(), |axes| axes.dot(&point))
    }

    /// The covariance's share of γ in these coordinates, if it is one.
    pub(super) fn at(&self, gamma: f64) -> Option<Level> {
        let rest = 1.0 - gamma;
        let diagonal: Vec<f64> =
            self.diagonal.iter().map(|entry| rest * entry + gamma * self.anchor).collect();
        let below: Vec<f64> = self.below.iter().map(|entry| rest * entry).collect();
        let pivots = pivots(&diagonal, &below, 0.0);
        let mut log_det = self.log_scale + pivots.iter().map(|pivot| pivot.ln()).sum::<f64>();
        if self.beyond > 0 {
            log_det += self.beyond as f64 * (gamma * self.anchor).ln();
        }
        let inverses: Vec<f64> = pivots.iter().map(|pivot| pivot.recip()).collect();
        let finite = log_det.is_finite() && inverses.iter().all(|inverse| inverse.is_finite());
        let sound = self.axes.is_none() || gamma == 1.0 || is_sound(&diagonal, &below, self.smallest);
        // Beside far larger variances those of the target alone may seem negative.
        let hidden = !sound && gamma * self.anchor > 0.0 && diagonal.iter().all(|entry| entry.is_finite());
        let regular = finite || hidden;
        regular.then(|| {
            let couplings = match below.is_empty() {
                true => vec![],
                false => {
                    std::iter::once(0.0).chain(below.iter().zip(&inverses).map(|(b, i)| b * i)).collect()
                }
            };
            Level { gamma, diagonal, below, couplings, inverses, log_det, sound }
        })
    }
}

/// As on the correlation scale, where models judge by `tol`, unless rows were turned to other axes.
fn smallest(family: &Family<'_>) -> f64 {
    if family.columns.is_some() { SMALLEST } else { SMALLEST.max(family.tol * family.tol) }
}

/// The pivots of a tridiagonal matrix less a multiple of the identity: as many are negative as eigenvalues are below that.
fn pivots(diagonal: &[f64], below: &[f64], less: f64) -> Vec<f64> {
    let mut pivots: Vec<f64> = diagonal.iter().map(|entry| entry - less).collect();
    for (i, &below) in below.iter().enumerate() {
        pivots[i + 1] -= below / pivots[i] * below;
    }
    pivots
}

/// Whether no eigenvalue is so much smaller than others that it may have lost its digits.
fn is_sound(diagonal: &[f64], below: &[f64], smallest: f64) -> bool {
    let beside = |i: usize| below.get(i).map_or(0.0, |entry| entry.abs());
    let sum = |i: usize| diagonal[i] + beside(i) + if i > 0 { beside(i - 1) } else { 0.0 };
    let largest = (0..diagonal.len()).map(sum).fold(0.0, f64::max);
    pivots(diagonal, below, largest * smallest).iter().all(|&pivot| pivot > 0.0)
}

/// A regularized covariance for one γ as a tridiagonal matrix L D Lᵀ, or a diagonal one.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) gamma: f64,
    pub(super) diagonal: Vec<f64>,
    pub(super) below: Vec<f64>,
    /// What is below the diagonal of L, after a 0; empty if there is nothing.
    pub(super) couplings: Vec<f64>,
    /// D⁻¹.
    pub(super) inverses: Vec<f64>,
    pub(super) log_det: f64,
    /// Whether variances that are smaller than others have kept their digits.
    pub(super) sound: bool,
}
