//! Booleans seen as the bytes that they are.

use ndarray::ArrayView2;

use crate::float::Flag;

/// The same booleans as flags.
#[expect(unsafe_code, reason = "another type for the same bytes")]
pub(crate) fn flags(view: ArrayView2<'_, bool>) -> ArrayView2<'_, Flag> {
    // SAFETY: a boolean is a byte, a flag is any byte, and the bytes are borrowed for as long as before.
    unsafe { view.raw_view().cast::<Flag>().deref_into_view() }
}
