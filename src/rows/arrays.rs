//! Arrays of any owner as rows: `&x` is enough, whatever its element type.

use ndarray::{ArrayBase, ArrayView2, Data, Ix2};

use super::Rows;
use crate::float::Flag;

mod sealed {
    pub trait Sealed {}
}

/// A type of entries that arrays of rows may have: floats and integers of up to 64 bits, `bool`, and [`Flag`].
///
/// It is sealed: the kernels know these types and no others.
///
/// ```
/// use gauda::Rows;
/// use ndarray::{Array2, array};
///
/// let pixels: Array2<u8> = array![[12, 255], [0, 7]];
/// assert_eq!(Rows::from(&pixels).n_features(), 2);
/// ```
pub trait Entry: sealed::Sealed + Sized {
    /// The view as rows.
    #[doc(hidden)]
    fn rows(view: ArrayView2<'_, Self>) -> Rows<'_>;
}

macro_rules! entries {
    ($($entry:ty),*) => {$(
        impl sealed::Sealed for $entry {}
        impl Entry for $entry {
            fn rows(view: ArrayView2<'_, Self>) -> Rows<'_> { view.into() }
        }
    )*};
}
entries!(f64, f32, i8, i16, i32, i64, u8, u16, u32, u64, Flag, bool);

impl<'a, S: Data<Elem: Entry>> From<&'a ArrayBase<S, Ix2>> for Rows<'a> {
    fn from(array: &'a ArrayBase<S, Ix2>) -> Self {
        S::Elem::rows(array.view())
    }
}

/// The same rows, borrowed for as long as the reference.
impl<'a> From<&'a Rows<'_>> for Rows<'a> {
    fn from(rows: &'a Rows<'_>) -> Self {
        with_view!(rows, view => view.reborrow().into())
    }
}
