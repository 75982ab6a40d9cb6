//! Labels to codes.

use num_traits::AsPrimitive;
use numpy::{Element, IntoPyArray, PyReadwriteArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::run::run;
use crate::labels::{Column, Label, Text, Whole, encode};

/// An array of classes, or None if the labels have no codes.
type Classes<'py> = PyResult<Option<Bound<'py, PyAny>>>;

/// Writes the place of each label among the sorted distinct labels into `codes`, and returns those in one row.
///
/// Labels are integers, floats, or rows of code points. Floats that do not hold integers have no codes: the answer is None.
#[pyfunction]
#[pyo3(signature = (labels, codes, n_threads=None))]
pub(super) fn encode_labels<'py>(
    labels: &Bound<'py, PyAny>,
    mut codes: PyReadwriteArray1<'py, u32>,
    n_threads: Option<usize>,
) -> Classes<'py> {
    let encoder = Encoder { py: labels.py(), codes: codes.as_slice_mut()?, n_threads };
    macro_rules! first_fitting {
        ($($method:ident: $($number:ty),*;)*) => {
            $($(if let Ok(labels) = labels.extract::<Readable1<'py, $number>>() {
                return encoder.$method(labels.as_slice()?);
            })*)*
        };
    }
    first_fitting! {
        integers: i64, i32, u8, i8, i16, u16, u32, u64;
        floats: f64, f32;
    }
    if let Ok(labels) = labels.extract::<Readable2<'py, u32>>() {
        return encoder.text(Text { points: labels.as_slice()?, width: labels.shape()[1] });
    }
    Err(PyTypeError::new_err("expected integers, floats or rows of code points"))
}

/// Writes codes from labels of any kind.
struct Encoder<'a, 'py> {
    py: Python<'py>,
    codes: &'a mut [u32],
    n_threads: Option<usize>,
}

impl<'py> Encoder<'_, 'py> {
    fn encode<C: Column>(self, column: &C) -> PyResult<Vec<C::Label>> {
        run(self.py, self.n_threads, |parallel| encode(column, self.codes, parallel))
    }

    fn integers<L: Label + Element>(self, labels: &[L]) -> Classes<'py> {
        let py = self.py;
        Ok(Some(self.encode(&labels)?.into_pyarray(py).into_any()))
    }

    fn floats<T: crate::core::Element + Element>(self, labels: &[T]) -> Classes<'py>
    where
        i64: AsPrimitive<T>,
    {
        let py = self.py;
        let classes = self.encode(&Whole(labels))?;
        if classes.first() == Some(&Whole::<T>::NOT) {
            return Ok(None);
        }
        let classes: Vec<T> = classes.into_iter().map(i64::as_).collect();
        Ok(Some(classes.into_pyarray(py).into_any()))
    }

    fn text(self, labels: Text<'_>) -> Classes<'py> {
        let py = self.py;
        Ok(Some(self.encode(&labels)?.concat().into_pyarray(py).into_any()))
    }
}
