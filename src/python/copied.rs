//! Copies of numpy's arrays, which outlive them.

use ndarray::{Array, ArrayView, Dimension};

/// A copy. Strides of an array without entries may be any, and are not taken over.
pub(super) fn copied<D: Dimension>(array: ArrayView<'_, f64, D>) -> Array<f64, D> {
    match array.is_empty() {
        true => Array::zeros(array.raw_dim()),
        false => array.to_owned(),
    }
}
