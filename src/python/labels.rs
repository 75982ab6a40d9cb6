//! Integer labels to codes.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::run::run;
use crate::labels::encode;

/// The sorted distinct labels of an integer array, and the code of each row.
#[pyfunction]
#[pyo3(signature = (labels, n_threads=None))]
pub(super) fn encode_labels<'py>(
    py: Python<'py>,
    labels: &Bound<'py, PyAny>,
    n_threads: Option<usize>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    macro_rules! first_fitting {
        ($($integer:ty),*) => {
            $(if let Ok(labels) = labels.extract::<PyReadonlyArray1<'py, $integer>>() {
                let slice = labels.as_slice()?;
                let encoded = run(py, n_threads, |parallel| encode(slice, parallel))?;
                let classes = encoded.classes.into_pyarray(py).into_any();
                return Ok((classes, encoded.codes.into_pyarray(py).into_any()));
            })*
        };
    }
    first_fitting!(i64, i32, u8, i8, i16, u16, u32, u64);
    Err(PyTypeError::new_err("expected a 1-D array of integers"))
}
