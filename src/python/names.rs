//! Labels of any kind as words of their size, in which numpy shows them.

use numpy::{PyArrayDescrMethods, PyReadwriteArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::arrays::Readable1;
use crate::score::{Named, Names};

/// The names of the classes, and where the names of the rows go.
pub(super) enum NameArrays<'py> {
    One(Readable1<'py, u8>, PyReadwriteArray1<'py, u8>),
    Two(Readable1<'py, u16>, PyReadwriteArray1<'py, u16>),
    Four(Readable1<'py, u32>, PyReadwriteArray1<'py, u32>),
    Eight(Readable1<'py, u64>, PyReadwriteArray1<'py, u64>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for NameArrays<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let (classes, rows): (Bound<'py, PyUntypedArray>, Bound<'py, PyUntypedArray>) = object.extract()?;
        Ok(match classes.dtype().itemsize() {
            1 => Self::One(classes.extract()?, rows.extract()?),
            2 => Self::Two(classes.extract()?, rows.extract()?),
            4 => Self::Four(classes.extract()?, rows.extract()?),
            8 => Self::Eight(classes.extract()?, rows.extract()?),
            size => {
                return Err(PyTypeError::new_err(format!(
                    "expected names of 1, 2, 4 or 8 bytes, got {size}"
                )));
            }
        })
    }
}

/// Hands both arrays to `work`.
pub(super) fn with_names<R>(
    arrays: NameArrays<'_>,
    work: impl FnOnce(Names<'_>) -> PyResult<R>,
) -> PyResult<R> {
    macro_rules! named {
        ($size:ident, $classes:ident, $rows:ident) => {
            work(Names::$size(Named { classes: $classes.as_slice()?, rows: $rows.as_slice_mut()? }))
        };
    }
    match arrays {
        NameArrays::One(classes, mut rows) => named!(One, classes, rows),
        NameArrays::Two(classes, mut rows) => named!(Two, classes, rows),
        NameArrays::Four(classes, mut rows) => named!(Four, classes, rows),
        NameArrays::Eight(classes, mut rows) => named!(Eight, classes, rows),
    }
}
