//! numpy arrays as rows: any native element type, any strides, no copy unless they are not aligned.

use numpy::{Element, PyArrayDescr};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::arrays::Readable2;
use crate::float::Flag;
use crate::rows::Rows;

// SAFETY: numpy's booleans are bytes, and any byte is a flag.
#[expect(unsafe_code, reason = "numpy cannot know the type")]
unsafe impl Element for Flag {
    const IS_COPY: bool = true;

    fn get_dtype(py: Python<'_>) -> Bound<'_, PyArrayDescr> {
        bool::get_dtype(py)
    }

    fn clone_ref(&self, _py: Python<'_>) -> Self {
        *self
    }
}

/// A two-dimensional array of one of the element types, borrowed for reading.
pub(super) enum Table<'py> {
    F64(Readable2<'py, f64>),
    F32(Readable2<'py, f32>),
    I8(Readable2<'py, i8>),
    I16(Readable2<'py, i16>),
    I32(Readable2<'py, i32>),
    I64(Readable2<'py, i64>),
    U8(Readable2<'py, u8>),
    U16(Readable2<'py, u16>),
    U32(Readable2<'py, u32>),
    U64(Readable2<'py, u64>),
    Bool(Readable2<'py, Flag>),
}

impl Table<'_> {
    pub(super) fn rows(&self) -> Rows<'_> {
        match self {
            Self::F64(array) => array.as_array().into(),
            Self::F32(array) => array.as_array().into(),
            Self::I8(array) => array.as_array().into(),
            Self::I16(array) => array.as_array().into(),
            Self::I32(array) => array.as_array().into(),
            Self::I64(array) => array.as_array().into(),
            Self::U8(array) => array.as_array().into(),
            Self::U16(array) => array.as_array().into(),
            Self::U32(array) => array.as_array().into(),
            Self::U64(array) => array.as_array().into(),
            Self::Bool(array) => array.as_array().into(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Table<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        macro_rules! first_fitting {
            ($($variant:ident),*) => {
                $(if let Ok(array) = object.extract() { return Ok(Self::$variant(array)); })*
            };
        }
        first_fitting!(F64, F32, U16, U8, I16, I32, I64, I8, U32, U64, Bool);
        let kind = object.get_type();
        Err(PyTypeError::new_err(format!("expected a 2-D array of numbers or booleans, got {kind}")))
    }
}
