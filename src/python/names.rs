//! numpy arrays of labels of any kind as words of their size.

use numpy::npyffi::flags::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::score::{Named, Names};

/// The names of the classes, and where the names of the rows go: flat arrays of one dtype.
pub(super) type NameArrays<'py> = (Bound<'py, PyUntypedArray>, Bound<'py, PyUntypedArray>);

/// Hands both arrays to `work` as words.
pub(super) fn with_names<R>(
    (classes, mut rows): NameArrays<'_>,
    work: impl FnOnce(Names<'_>) -> PyResult<R>,
) -> PyResult<R> {
    check(&classes, NPY_ARRAY_C_CONTIGUOUS)?;
    check(&rows, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE)?;
    if !classes.dtype().is_equiv_to(&rows.dtype()) {
        return Err(PyTypeError::new_err("expected names of one dtype"));
    }
    match classes.dtype().itemsize() {
        1 => work(Names::One(Named { classes: &words(&classes), rows: words_mut(&mut rows)? })),
        2 => work(Names::Two(Named { classes: &words(&classes), rows: words_mut(&mut rows)? })),
        4 => work(Names::Four(Named { classes: &words(&classes), rows: words_mut(&mut rows)? })),
        8 => work(Names::Eight(Named { classes: &words(&classes), rows: words_mut(&mut rows)? })),
        size => Err(PyTypeError::new_err(format!("expected names of 1, 2, 4 or 8 bytes, got {size}"))),
    }
}

/// In one piece, and no references to Python objects.
#[expect(unsafe_code, reason = "reading the flags of an array")]
fn check(array: &Bound<'_, PyUntypedArray>, flags: i32) -> PyResult<()> {
    // SAFETY: the pointer of a living array.
    let has = unsafe { (*array.as_array_ptr()).fields.flags };
    match has & flags == flags && !array.dtype().has_object() {
        true => Ok(()),
        false => Err(PyTypeError::new_err("expected arrays of plain values in one piece")),
    }
}

/// A copy of the items.
#[expect(unsafe_code, reason = "reading an array whatever its dtype")]
fn words<W: Copy>(array: &Bound<'_, PyUntypedArray>) -> Vec<W> {
    // SAFETY: the pointer of a living array that lies in one piece; its items have the size of W, and any bits are one.
    let first: *const W = unsafe { (*array.as_array_ptr()).fields.data }.cast();
    // SAFETY: as above; items need not be aligned.
    (0..array.len()).map(|item| unsafe { first.add(item).read_unaligned() }).collect()
}

/// The items, to be written.
#[expect(unsafe_code, reason = "writing an array whatever its dtype")]
fn words_mut<'a, W>(array: &'a mut Bound<'_, PyUntypedArray>) -> PyResult<&'a mut [W]> {
    // SAFETY: the pointer of a living array.
    let first: *mut W = unsafe { (*array.as_array_ptr()).fields.data }.cast();
    if !first.is_aligned() {
        return Err(PyTypeError::new_err("expected an aligned array"));
    }
    // SAFETY: it is writable, lies in one piece, its items have the size of W, and any bits are one. The estimators
    // make it for this call and hand it to nobody else; this module is private.
    Ok(unsafe { std::slice::from_raw_parts_mut(first, array.len()) })
}
