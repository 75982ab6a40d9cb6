//! Typicalities of rows.

use numpy::PyReadwriteArray2;
use pyo3::prelude::*;

use super::model::Model;
use super::run::run;

/// Turns squared distances, of float32 or float64, into typicalities.
#[pyfunction]
#[pyo3(signature = (model, distances, n_threads=None))]
pub(super) fn typicality<'py>(
    py: Python<'py>,
    model: &Model,
    distances: &Bound<'py, PyAny>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    if let Ok(mut distances) = distances.extract::<PyReadwriteArray2<'py, f32>>() {
        let distances = distances.as_slice_mut()?;
        return run(py, n_threads, |parallel| crate::typicality(&model.0, distances, parallel));
    }
    let mut distances = distances.extract::<PyReadwriteArray2<'py, f64>>()?;
    let distances = distances.as_slice_mut()?;
    run(py, n_threads, |parallel| crate::typicality(&model.0, distances, parallel))
}
