//! Covariances of wide data as a diagonal plus few rows, in the directions of the rows and of the differences of means.

use ndarray::{Array1, Array2, Axis, concatenate};

use super::basis::{gram_of_coordinates, refine, spanning};
use super::model::Space;
use crate::error::{Error, InputError, Owner, RankError, Result, same_size};
use crate::linalg::{Deficiency, Factor, factor, factor_of_rows};
use crate::moments::Means;

/// Where variances are so many times the level, they are not squared, and the basis is refined: it would lose its digits.
pub(super) const SQUARED: f64 = 1e5;

/// A common covariance diag(δ) + RᵀR.
pub(super) struct DiagonalPlusRows {
    pub(super) rows: Array2<f64>,
    pub(super) diagonal: Diagonal,
}

pub(super) enum Diagonal {
    Level(f64),
    Columns(Array1<f64>),
}

/// A covariance diag(δ) + RᵀR in few directions: those of R and of the differences of means.
pub(super) struct Common {
    pub(super) space: Space,
    pub(super) whitening: Array2<f64>,
    pub(super) level: f64,
    pub(super) log_det: f64,
}

impl Common {
    pub(super) fn of(
        means: &Means,
        covariance: DiagonalPlusRows,
        center: &[f64],
        owner: Owner,
    ) -> Result<Self> {
        let DiagonalPlusRows { mut rows, diagonal } = covariance;
        let d = center.len();
        same_size("columns of the rows", rows.ncols(), d)?;
        let (scale, level, log_scale) = match diagonal {
            Diagonal::Level(level) => (None, level, 0.0),
            Diagonal::Columns(variances) => {
                let scale = units_of(&variances, means, owner)?;
                rows /= &scale.view().insert_axis(Axis(0));
                let log_scale = variances.mapv(f64::ln).sum();
                let whole = scale.iter().all(|unit| unit.is_finite());
                (Some(scale), 1.0, if whole { log_scale } else { f64::NAN })
            }
        };
        let (mut basis, mut coordinates) = spanning(rows.view(), means, scale.as_ref());
        drop(rows);
        if longest_square(&coordinates) > SQUARED * level {
            (basis, coordinates) =
                refine(&basis, &coordinates).ok_or(Error::Rank(RankError::NoConvergence(owner)))?;
        }
        let p = basis.nrows();
        let factor = factor_with_level(gram_of_coordinates(&coordinates), || coordinates, level, owner)?;
        let mut about = means.about(center);
        if let Some(scale) = &scale {
            about /= &scale.view().insert_axis(Axis(0));
        }
        let means = about.dot(&basis.t());
        Ok(Self {
            log_det: factor.log_det() + (d - p) as f64 * level.ln() + log_scale,
            whitening: factor.inverse,
            level,
            space: Space { scale, basis, means },
        })
    }
}

/// The factor of TᵀT + level I, from the products and, where these would hide the level, from the rows of T.
pub(super) fn factor_with_level(
    mut along: Array2<f64>,
    rows: impl FnOnce() -> Array2<f64>,
    level: f64,
    owner: Owner,
) -> Result<Factor> {
    if along.diag().iter().any(|&variance| variance > SQUARED * level) {
        let level = Array2::from_diag_elem(along.nrows(), level.sqrt());
        let rows = concatenate![Axis(0), rows(), level];
        return factor_of_rows(rows.view()).ok_or(Error::Rank(RankError::NoConvergence(owner)));
    }
    along.diag_mut().map_inplace(|variance| *variance += level);
    factor_of(&along, owner)
}

/// Standard deviations as the units of columns. A common covariance leaves out columns without variance, whose unit is
/// infinite; of a class there is none then.
fn units_of(variances: &Array1<f64>, means: &Means, owner: Owner) -> Result<Array1<f64>> {
    crate::moments::check_resolved(variances, owner)?;
    if let Some(column) = variances.iter().position(|variance| !variance.is_finite()) {
        return Err(Error::Input(InputError::Overflow { what: owner, column }));
    }
    let smallest = smallest_sizes(means);
    let is_constant = |j: &usize| match owner {
        Owner::Pooled => variances[*j].sqrt() <= f64::EPSILON * smallest[*j],
        Owner::Class(_) => variances[*j] == 0.0,
    };
    let d = variances.len();
    let constant: Vec<usize> = (0..d).filter(is_constant).collect();
    if constant.len() == d || (owner != Owner::Pooled && !constant.is_empty()) {
        let deficiency = Deficiency { rank: d - constant.len(), constant, dependent: vec![] };
        return Err(Error::singular(owner, f64::NAN, d, deficiency));
    }
    let mut units = variances.mapv(f64::sqrt);
    constant.into_iter().for_each(|j| units[j] = f64::INFINITY);
    Ok(units)
}

/// The size of the smallest class mean in each column.
pub(super) fn smallest_sizes(means: &Means) -> Array1<f64> {
    let sizes = means.sum().mapv_into(f64::abs);
    sizes.map_axis(Axis(0), |sizes| sizes.fold(f64::INFINITY, |least, &size| least.min(size)))
}

/// The largest square of the length of a row.
pub(super) fn longest_square(rows: &Array2<f64>) -> f64 {
    rows.outer_iter().map(|row| row.dot(&row)).fold(0.0, f64::max)
}

/// The factor of a covariance along few directions, of which there may be none.
fn factor_of(along: &Array2<f64>, owner: Owner) -> Result<Factor> {
    if along.is_empty() {
        return Ok(Factor { lower: along.clone(), inverse: along.clone() });
    }
    factor(along.view()).ok_or(Error::Rank(RankError::NoConvergence(owner)))
}
