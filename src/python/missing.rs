//! Rows with missing values, and their gaps filled in.

use numpy::{PyReadonlyArray1, PyReadwriteArray2, PyReadwriteArray3, PyReadwriteArrayDyn};
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::discrete::{ColumnModel, Columns};
use super::model::Model;
use super::rows::Table;
use super::run::run;

/// Fills gaps of X in `values`, a C-ordered copy of it, with what is expected, and `deviations` with the standard deviations.
#[pyfunction]
#[pyo3(signature = (model, X, values, deviations=None, classes=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn impute<'py>(
    py: Python<'py>,
    model: &Model,
    X: Table<'py>,
    values: &Bound<'py, PyAny>,
    deviations: Option<&Bound<'py, PyAny>>,
    classes: Option<Readable1<'py, u32>>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (rows, classes) = (X.rows(), classes.as_deref().map(PyReadonlyArray1::as_slice).transpose()?);
    macro_rules! filled_in {
        ($real:ty) => {{
            let mut values = values.extract::<PyReadwriteArray2<'py, $real>>()?;
            let mut deviations =
                deviations.map(|array| array.extract::<PyReadwriteArray2<'py, $real>>()).transpose()?;
            let values = values.as_slice_mut()?;
            let deviations = deviations.as_mut().map(PyReadwriteArray2::as_slice_mut).transpose()?;
            run(py, n_threads, |parallel| {
                crate::missing::impute(model.dense()?, &rows, classes, values, deviations, parallel)
            })
        }};
    }
    let single = values.extract::<Readable2<'py, f32>>().is_ok();
    if single { filled_in!(f32) } else { filled_in!(f64) }
}

/// Fills gaps of X in each of the copies that `values` holds with draws.
#[pyfunction]
#[pyo3(signature = (model, X, values, seed, classes=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn impute_draws<'py>(
    py: Python<'py>,
    model: &Model,
    X: Table<'py>,
    values: &Bound<'py, PyAny>,
    seed: u64,
    classes: Option<Readable1<'py, u32>>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (rows, classes) = (X.rows(), classes.as_deref().map(PyReadonlyArray1::as_slice).transpose()?);
    let copies = values.len()?;
    macro_rules! drawn_in {
        ($values:expr) => {{
            let mut values = $values;
            let values = values.as_slice_mut()?;
            run(py, n_threads, |parallel| {
                crate::missing::impute_draws(model.dense()?, &rows, classes, values, copies, seed, parallel)
            })
        }};
    }
    if let Ok(values) = values.extract::<PyReadwriteArrayDyn<'py, f32>>() {
        return drawn_in!(values);
    }
    drawn_in!(values.extract::<PyReadwriteArrayDyn<'py, f64>>()?)
}

/// Writes what is expected of entries that are NaN, given posteriors; and standard deviations of numbers.
#[pyfunction]
#[pyo3(signature = (model, X, posteriors, values, deviations=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn impute_columns<'py>(
    py: Python<'py>,
    model: &ColumnModel,
    X: Columns<'py>,
    posteriors: Readable2<'py, f64>,
    mut values: PyReadwriteArray2<'py, f64>,
    mut deviations: Option<PyReadwriteArray2<'py, f64>>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (columns, posteriors, values) = (X.columns(), posteriors.as_slice()?, values.as_slice_mut()?);
    let deviations = deviations.as_mut().map(PyReadwriteArray2::as_slice_mut).transpose()?;
    run(py, n_threads, |parallel| model.0.impute(&columns, posteriors, values, deviations, parallel))
}

/// Draws entries that are NaN, given posteriors, for several copies of the rows.
#[pyfunction]
#[pyo3(signature = (model, X, posteriors, values, seed, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn impute_column_draws<'py>(
    py: Python<'py>,
    model: &ColumnModel,
    X: Columns<'py>,
    posteriors: Readable2<'py, f64>,
    mut values: PyReadwriteArray3<'py, f64>,
    seed: u64,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (columns, posteriors, copies) = (X.columns(), posteriors.as_slice()?, values.as_array().dim().0);
    let values = values.as_slice_mut()?;
    run(py, n_threads, |parallel| model.0.impute_draws(&columns, posteriors, values, copies, seed, parallel))
}
