//! numpy arrays borrowed for reading, however they lie in memory.

use std::ops::Deref;

use ndarray::{Dimension, Ix1, Ix2, Ix3, IxDyn};
use numpy::{Element, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// An array whose items lie at multiples of their size, as references to them must: the one given, or else a copy of it.
pub(super) struct Readable<'py, T: Element, D: Dimension>(PyReadonlyArray<'py, T, D>);

pub(super) type Readable1<'py, T> = Readable<'py, T, Ix1>;
pub(super) type Readable2<'py, T> = Readable<'py, T, Ix2>;
pub(super) type Readable3<'py, T> = Readable<'py, T, Ix3>;
pub(super) type ReadableDyn<'py, T> = Readable<'py, T, IxDyn>;

impl<'a, 'py, T: Element + 'a, D: Dimension + 'a> FromPyObject<'a, 'py> for Readable<'py, T, D> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: PyReadonlyArray<'py, T, D> = object.extract()?;
        match array.is_aligned() {
            true => Ok(Self(array)),
            false => Ok(Self(array.call_method0("copy")?.extract()?)),
        }
    }
}

impl<'py, T: Element, D: Dimension> Deref for Readable<'py, T, D> {
    type Target = PyReadonlyArray<'py, T, D>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
