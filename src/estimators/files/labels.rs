//! Names of classes as numpy keeps them: integers, booleans, and text as code points of one width.

use safetensors::tensor::Dtype;
use serde_json::{Value, json};

use super::container::{Content, Tensor};
use super::error::{Fault, Outcome};

mod sealed {
    pub trait Sealed {}
}

/// A label that files can hold: integers of up to 64 bits, `bool`, `char` and `String`.
///
/// It is sealed. Classes of a type of yours can be given other names first, with
/// [`Fitted::map_classes`](crate::Fitted::map_classes). Integers are read from any type of integers, and from floats that are
/// whole numbers, as far as they fit.
///
/// ```
/// use gauda::{Fitted, GaussianNb};
/// use ndarray::array;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.gauda");
/// GaussianNb::params().fit(&array![[0.0], [1.0], [8.0], [9.0]], &[3_i64, 3, 5, 5])?.save(&path)?;
/// assert_eq!(Fitted::<u8>::load(&path)?.classes(), [3, 5]);
/// assert!(Fitted::<String>::load(&path).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FileLabel: sealed::Sealed + Clone + Ord {
    #[doc(hidden)]
    fn to_names(labels: &[Self]) -> Names;

    #[doc(hidden)]
    fn from_names(names: Names) -> Option<Vec<Self>>;

    /// The label in terms of JSON, by which parameters may name it.
    #[doc(hidden)]
    fn to_json(&self) -> Value;
}

/// Labels, whatever their type.
#[doc(hidden)]
#[derive(Debug)]
pub enum Names {
    Whole(&'static str, Vec<i128>),
    Text(Vec<String>),
}

macro_rules! integer_labels {
    ($($integer:ty => $dtype:ident),*) => {$(
        impl sealed::Sealed for $integer {}
        impl FileLabel for $integer {
            fn to_names(labels: &[Self]) -> Names {
                Names::Whole(stringify!($dtype), labels.iter().map(|&label| label as i128).collect())
            }

            fn from_names(names: Names) -> Option<Vec<Self>> {
                match names {
                    Names::Whole(_, labels) => {
                        labels.into_iter().map(|label| Self::try_from(label).ok()).collect()
                    }
                    Names::Text(_) => None,
                }
            }

            fn to_json(&self) -> Value {
                json!(self)
            }
        }
    )*};
}
integer_labels!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, usize => U64);

impl sealed::Sealed for bool {}
impl FileLabel for bool {
    fn to_names(labels: &[Self]) -> Names {
        Names::Whole("BOOL", labels.iter().map(|&label| i128::from(label)).collect())
    }

    fn from_names(names: Names) -> Option<Vec<Self>> {
        match names {
            Names::Whole("BOOL", labels) => Some(labels.into_iter().map(|label| label != 0).collect()),
            Names::Whole(..) | Names::Text(_) => None,
        }
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl sealed::Sealed for String {}
impl FileLabel for String {
    fn to_names(labels: &[Self]) -> Names {
        Names::Text(labels.to_vec())
    }

    fn from_names(names: Names) -> Option<Vec<Self>> {
        match names {
            Names::Text(labels) => Some(labels),
            Names::Whole(..) => None,
        }
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl sealed::Sealed for char {}
impl FileLabel for char {
    fn to_names(labels: &[Self]) -> Names {
        Names::Text(labels.iter().map(char::to_string).collect())
    }

    fn from_names(names: Names) -> Option<Vec<Self>> {
        let Names::Text(labels) = names else {
            return None;
        };
        let only = |label: String| {
            let mut characters = label.chars();
            characters.next().filter(|_| characters.next().is_none())
        };
        labels.into_iter().map(only).collect()
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

impl Content {
    pub(super) fn put_labels<L: FileLabel>(&mut self, name: &str, labels: &[L]) -> Outcome<()> {
        let tensor = match L::to_names(labels) {
            Names::Whole(dtype, labels) => {
                Tensor::of_integers(dtype_named(dtype), vec![labels.len()], labels.into_iter())
            }
            Names::Text(labels) => {
                let (width, tensor) = code_points(&labels)?;
                self.views.insert(name.to_owned(), json!(format!("<U{width}")));
                tensor
            }
        };
        self.tensors.insert(name.to_owned(), tensor);
        Ok(())
    }

    pub(super) fn take_labels<L: FileLabel>(&self, name: &str) -> Outcome<Vec<L>> {
        let names = match (self.objects.get(name), self.views.get(name)) {
            (Some(object), _) => object_texts(object).map(Names::Text),
            (None, None) => {
                let tensor = self.tensor(name)?;
                let dtype = if tensor.dtype == Dtype::BOOL { "BOOL" } else { "" };
                tensor.integers().map(|labels| Names::Whole(dtype, labels))
            }
            (None, Some(view)) if view.as_str().is_some_and(|view| view.contains('U')) => {
                Some(Names::Text(texts(self.tensor(name)?)?))
            }
            (None, Some(_)) => None,
        };
        let labels = names.and_then(L::from_names).ok_or_else(|| {
            let asked = std::any::type_name::<L>();
            Fault::Unsupported(format!(
                "its classes cannot be read as {asked}; load it with labels of another type"
            ))
        })?;
        match labels.is_sorted_by(|a, b| a < b) {
            true => Ok(labels),
            false => Err(Fault::Damaged("its classes are not in order".to_owned())),
        }
    }
}

/// The type of tensors with this name.
fn dtype_named(name: &str) -> Dtype {
    match name {
        "I8" => Dtype::I8,
        "I16" => Dtype::I16,
        "I32" => Dtype::I32,
        "U8" => Dtype::U8,
        "U16" => Dtype::U16,
        "U32" => Dtype::U32,
        "U64" => Dtype::U64,
        "BOOL" => Dtype::BOOL,
        _ => Dtype::I64,
    }
}

/// Text as code points, padded with zeros to the longest.
fn code_points(labels: &[String]) -> Outcome<(usize, Tensor)> {
    if labels.iter().any(|label| label.ends_with('\0')) {
        return Err(Fault::Unsupported(
            "text that ends in a zero cannot be saved; use other labels".to_owned(),
        ));
    }
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max(1);
    let padded = |label: &String| {
        let points: Vec<i128> = label.chars().map(|point| i128::from(u32::from(point))).collect();
        points.into_iter().chain(std::iter::repeat(0)).take(width).collect::<Vec<_>>()
    };
    let points = labels.iter().flat_map(padded);
    Ok((width, Tensor::of_integers(Dtype::U32, vec![labels.len(), width], points)))
}

fn texts(tensor: &Tensor) -> Outcome<Vec<String>> {
    let damaged = || Fault::Damaged("it has text that is not Unicode".to_owned());
    let points = tensor.integers().filter(|_| tensor.dtype == Dtype::U32).ok_or_else(damaged)?;
    let width = *tensor.shape.last().filter(|&&width| width > 0).ok_or_else(damaged)?;
    let text = |points: &[i128]| {
        let end = points.iter().rposition(|&point| point != 0).map_or(0, |last| last + 1);
        let point = |&point: &i128| u32::try_from(point).ok().and_then(char::from_u32);
        points[..end].iter().map(point).collect::<Option<String>>().ok_or_else(damaged)
    };
    points.chunks(width).map(text).collect()
}

/// The texts of an array of Python's values, if all are.
pub(super) fn object_texts(object: &Value) -> Option<Vec<String>> {
    let values = object.get("values")?.as_array()?;
    let text = |value: &Value| value.as_str().or_else(|| value.get("value")?.as_str()).map(str::to_owned);
    values.iter().map(text).collect()
}
