//! Arrays as tensors and back.

use ndarray::{Array, Array1, ArrayBase, Data, Dimension, IntoDimension};
use safetensors::tensor::Dtype;

use super::container::{Content, Tensor};
use super::error::{Fault, Outcome};

impl<S: Data<Elem = f64>, D: Dimension> From<&ArrayBase<S, D>> for Tensor {
    fn from(array: &ArrayBase<S, D>) -> Self {
        let bytes = array.iter().flat_map(|number| number.to_le_bytes()).collect();
        Self { dtype: Dtype::F64, shape: array.shape().to_vec(), bytes }
    }
}

impl Tensor {
    pub(super) fn of_integers(dtype: Dtype, shape: Vec<usize>, integers: impl Iterator<Item = i128>) -> Self {
        let size = dtype.bitsize() / 8;
        let bytes = integers.flat_map(|integer| integer.to_le_bytes().into_iter().take(size)).collect();
        Self { dtype, shape, bytes }
    }

    /// The entries as integers, if they are such.
    pub(super) fn integers(&self) -> Option<Vec<i128>> {
        let signed = match self.dtype {
            Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => true,
            Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 | Dtype::BOOL => false,
            Dtype::F32 | Dtype::F64 => return self.floats()?.into_iter().map(whole).collect(),
            _ => return None,
        };
        let integer = |bytes: &[u8]| {
            let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
            let mut wide = [if negative { 0xff } else { 0 }; 16];
            wide[..bytes.len()].copy_from_slice(bytes);
            i128::from_le_bytes(wide)
        };
        Some(self.bytes.chunks_exact(self.dtype.bitsize() / 8).map(integer).collect())
    }

    fn floats(&self) -> Option<Vec<f64>> {
        match self.dtype {
            Dtype::F64 => {
                let chunks = self.bytes.as_chunks::<8>().0;
                Some(chunks.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
            }
            Dtype::F32 => {
                let chunks = self.bytes.as_chunks::<4>().0;
                Some(chunks.iter().map(|bytes| f32::from_le_bytes(*bytes).into()).collect())
            }
            _ => None,
        }
    }
}

/// A float that is an integer.
fn whole(number: f64) -> Option<i128> {
    let integer = number as i128;
    (integer as f64 == number).then_some(integer)
}

impl Content {
    pub(super) fn tensor(&self, name: &str) -> Outcome<&Tensor> {
        self.tensors.get(name).ok_or_else(|| Fault::Damaged(format!("it has no {name}")))
    }

    /// An array of doubles.
    pub(super) fn floats<D: Dimension>(&self, name: &str) -> Outcome<Array<f64, D>> {
        let tensor = self.tensor(name)?;
        let wrong =
            || Fault::Damaged(format!("{name} is not an array of {} axes of floats", D::NDIM.unwrap_or(0)));
        let numbers = (tensor.dtype == Dtype::F64).then(|| tensor.floats()).flatten().ok_or_else(wrong)?;
        let flat = Array1::from(numbers);
        let flat =
            flat.into_shape_with_order(tensor.shape.as_slice().into_dimension()).map_err(|_| wrong())?;
        flat.into_dimensionality().map_err(|_| wrong())
    }

    /// The same if it is there.
    pub(super) fn floats_if_any<D: Dimension>(&self, name: &str) -> Outcome<Option<Array<f64, D>>> {
        self.tensors.contains_key(name).then(|| self.floats(name)).transpose()
    }

    /// A list of numbers that count something.
    pub(super) fn counts(&self, name: &str) -> Outcome<Vec<u64>> {
        let integers = self.tensor(name)?.integers();
        let counts = integers.and_then(|integers| {
            integers.into_iter().map(|integer| u64::try_from(integer).ok()).collect::<Option<Vec<u64>>>()
        });
        counts.ok_or_else(|| Fault::Damaged(format!("{name} does not count anything")))
    }
}
