//! Regularized covariances, and the models made of common ones.

use numpy::{IntoPyArray, PyArray2, PyArray3, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::copied::copied;
use super::held_moments::dense;
use super::model::Model;
use super::moments::Moments;
use super::rows::Table;
use super::run::{run, run_algebra, run_quick};
use crate::covariance::{self, Mixing, Pooling, Target};
use crate::model::LinearFit;

/// How covariances of classes are mixed with the pooled one: the share of the latter, 'covariance' or 'scatter', and
/// whether divisors are unbiased.
#[derive(FromPyObject)]
pub(super) struct MixingArguments(f64, String, bool);

impl MixingArguments {
    pub(super) fn mixing(&self) -> PyResult<Mixing> {
        let Self(alpha, pooling, unbiased) = self;
        let pooling = match pooling.as_str() {
            "covariance" => Pooling::Covariance,
            "scatter" => Pooling::Scatter,
            _ => return Err(PyValueError::new_err(format!("no pooling is called {pooling:?}"))),
        };
        Ok(Mixing { alpha: *alpha, pooling, unbiased: *unbiased })
    }
}

pub(super) fn target_from(name: &str) -> PyResult<Target> {
    match name {
        "spherical" => Ok(Target::Spherical),
        "diagonal" => Ok(Target::Diagonal),
        "identity" => Ok(Target::Identity),
        _ => Err(PyValueError::new_err(format!("no target is called {name:?}"))),
    }
}

/// One covariance per class, each moved toward a target by its own gamma.
#[pyfunction]
pub(super) fn regularized_covariances<'py>(
    py: Python<'py>,
    moments: &Moments,
    mixing: MixingArguments,
    target: &str,
    gammas: Vec<f64>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let (mixing, target) = (mixing.mixing()?, target_from(target)?);
    let covariances = run_quick(py, || covariance::regularized(moments.dense()?, mixing, target, &gammas))?;
    Ok(covariances.into_pyarray(py))
}

/// The diagonals of mixed covariances, K × d, from diagonal moments.
#[pyfunction]
pub(super) fn mixed_variances<'py>(
    py: Python<'py>,
    moments: &Moments,
    mixing: MixingArguments,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mixing = mixing.mixing()?;
    Ok(run_quick(py, || covariance::mixed_variances(moments.dense()?, mixing))?.into_pyarray(py))
}

/// Ledoit and Wolf's intensity for each class; the rows must be those of the moments.
#[pyfunction]
#[pyo3(signature = (moments, mixing, X, codes, weights=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn ledoit_wolf_intensities(
    py: Python<'_>,
    moments: &Moments,
    mixing: MixingArguments,
    X: Table<'_>,
    codes: Readable1<'_, u32>,
    weights: Option<Readable1<'_, f64>>,
    n_threads: Option<usize>,
) -> PyResult<Vec<f64>> {
    let (mixing, rows, codes) = (mixing.mixing()?, X.rows(), codes.as_slice()?);
    let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
    run(py, n_threads, |parallel| match moments.wide() {
        Some(wide) => wide.ledoit_wolf_intensities(mixing, &rows, codes, weights, parallel),
        None => {
            covariance::ledoit_wolf_intensities(moments.dense()?, mixing, &rows, codes, weights, parallel)
        }
    })
}

/// The same from moments of fourth order.
#[pyfunction]
pub(super) fn ledoit_wolf_intensities_of_moments(
    py: Python<'_>,
    moments: &Moments,
    mixing: MixingArguments,
) -> PyResult<Vec<f64>> {
    let mixing = mixing.mixing()?;
    run_quick(py, || covariance::ledoit_wolf_intensities_of_moments(moments.dense()?, mixing))
}

/// The oracle-approximating intensity for each class.
#[pyfunction]
pub(super) fn oracle_intensities(
    py: Python<'_>,
    moments: &Moments,
    mixing: MixingArguments,
) -> PyResult<Vec<f64>> {
    let mixing = mixing.mixing()?;
    run_quick(py, || match moments.wide() {
        Some(wide) => wide.oracle_intensities(mixing),
        None => covariance::oracle_intensities(moments.dense()?, mixing),
    })
}

/// The model with a given common covariance; directions without variance are dropped.
#[pyfunction]
pub(super) fn linear_of_covariance(
    py: Python<'_>,
    moments: &Moments,
    covariance: Readable2<'_, f64>,
    priors: Vec<f64>,
    tol: f64,
) -> PyResult<Model> {
    let (moments, covariance) = (dense(py, moments)?, copied(covariance.as_array()));
    run_algebra(py, moments.n_features(), move || {
        let fit = LinearFit::of_covariance_without_axes(&moments, covariance.view(), &priors, tol)?;
        Ok(Model::from(fit.model))
    })
}
