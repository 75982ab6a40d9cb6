//! Classes and rows drawn from models.

use numpy::{PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;

use super::arrays::Readable1;
use super::discrete::ColumnModel;
use super::model::Model;
use super::run::run;

/// Fills `classes` with classes drawn from the priors.
#[pyfunction]
#[pyo3(signature = (log_prior, classes, seed, n_threads=None))]
pub(super) fn sample_classes(
    py: Python<'_>,
    log_prior: Vec<f64>,
    mut classes: PyReadwriteArray1<'_, u32>,
    seed: u64,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let classes = classes.as_slice_mut()?;
    run(py, n_threads, |parallel| crate::sample::sample_by_priors(&log_prior, classes, seed, parallel))
}

/// Fills `out` with a row of each of the given classes.
#[pyfunction]
#[pyo3(signature = (model, classes, out, seed, n_threads=None))]
pub(super) fn sample_rows(
    py: Python<'_>,
    model: &Model,
    classes: Readable1<'_, u32>,
    mut out: PyReadwriteArray2<'_, f64>,
    seed: u64,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (classes, out) = (classes.as_slice()?, out.as_slice_mut()?);
    run(py, n_threads, |parallel| match model.wide() {
        Some(wide) => wide.sample_rows(classes, out, seed, parallel),
        None => crate::core::sample_rows(model.dense()?, classes, out, seed, parallel),
    })
}

/// Fills `out` with rows of the classes: indices of levels, and numbers.
#[pyfunction]
#[pyo3(signature = (model, classes, out, seed, n_threads=None))]
pub(super) fn sample_columns(
    py: Python<'_>,
    model: &ColumnModel,
    classes: Readable1<'_, u32>,
    mut out: PyReadwriteArray2<'_, f64>,
    seed: u64,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (classes, out) = (classes.as_slice()?, out.as_slice_mut()?);
    run(py, n_threads, |parallel| model.0.sample_rows(classes, out, seed, parallel))
}
