//! Regularized covariances, and the models made of common ones.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray3, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::copied::copied;
use super::model::LinearFit;
use super::moments::Moments;
use super::rows::Table;
use super::run::{run, run_algebra, run_quick};
use crate::covariance::{self, Mixing, Pooling, Target};

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
    let covariances = run_quick(py, || covariance::regularized(&moments.0, mixing, target, &gammas))?;
    Ok(covariances.into_pyarray(py))
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
    run(py, n_threads, |parallel| {
        covariance::ledoit_wolf_intensities(&moments.0, mixing, &rows, codes, weights, parallel)
    })
}

/// The oracle-approximating intensity for each class.
#[pyfunction]
pub(super) fn oracle_intensities(
    py: Python<'_>,
    moments: &Moments,
    mixing: MixingArguments,
) -> PyResult<Vec<f64>> {
    let mixing = mixing.mixing()?;
    run_quick(py, || covariance::oracle_intensities(&moments.0, mixing))
}

/// The model with a given common covariance; directions without variance are dropped.
#[pyfunction]
pub(super) fn linear_of_covariance(
    py: Python<'_>,
    moments: &Moments,
    covariance: Readable2<'_, f64>,
    priors: Vec<f64>,
    tol: f64,
) -> PyResult<LinearFit> {
    let (moments, covariance) = (Arc::clone(&moments.0), copied(covariance.as_array()));
    let fit = run_algebra(py, moments.n_features(), move || {
        crate::core::LinearFit::of_covariance(&moments, covariance.view(), &priors, tol)
    })?;
    LinearFit::new(py, fit)
}
