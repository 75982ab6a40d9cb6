//! Projection of rows on axes.

use numpy::PyReadwriteArray2;
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::rows::Table;
use super::run::run;

/// Writes (X − center) · axes into `out`, of float32 or float64.
#[pyfunction]
#[pyo3(signature = (axes, center, X, out, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn project<'py>(
    py: Python<'py>,
    axes: Readable2<'py, f64>,
    center: Readable1<'py, f64>,
    X: Table<'py>,
    out: &Bound<'py, PyAny>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (axes, center, rows) = (axes.as_array(), center.as_slice()?, X.rows());
    if let Ok(mut out) = out.extract::<PyReadwriteArray2<'py, f32>>() {
        let out = out.as_slice_mut()?;
        return run(py, n_threads, |parallel| crate::core::project(axes, center, &rows, out, parallel));
    }
    let mut out = out.extract::<PyReadwriteArray2<'py, f64>>()?;
    let out = out.as_slice_mut()?;
    run(py, n_threads, |parallel| crate::core::project(axes, center, &rows, out, parallel))
}
