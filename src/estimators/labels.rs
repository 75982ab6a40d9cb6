//! Labels as users have them: integers, text, booleans, or types of their own.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

use ndarray::{ArrayBase, Data, Ix1};

use crate::error::Result;
use crate::labels::{self, Column};
use crate::parallel::Parallel;

/// Something that names a class.
///
/// Integers, `bool`, `char`, `String` and `&str` do. So can a type of yours, in three lines; classes are in its order.
///
/// ```
/// use gauda::{GaussianNb, Label};
/// use ndarray::array;
///
/// #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
/// enum Animal {
///     Cat,
///     Dog,
/// }
///
/// impl Label for Animal {
///     type Class = Self;
///     fn class(&self) -> Self {
///         *self
///     }
/// }
///
/// let weights = array![[4.1], [3.8], [21.0], [30.5]];
/// let model = GaussianNb::params().fit(&weights, &[Animal::Cat, Animal::Cat, Animal::Dog, Animal::Dog])?;
/// assert_eq!(model.predict(&array![[4.5]])?, [Animal::Cat]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name a class",
    note = "use integers, `bool`, `char` or text, or implement `gauda::Label` for your own type"
)]
pub trait Label: Ord + Hash + Sync + Sized {
    /// What a model keeps of it: the type itself, but `String` for `&str`.
    type Class: Clone + Debug + Ord + Send + Sync + 'static;

    /// What a model keeps of this label.
    fn class(&self) -> Self::Class;

    /// The distinct classes in order, and for each row the place of its class among them.
    #[doc(hidden)]
    fn encode(labels: &[Self], parallel: Parallel<'_>) -> Result<(Vec<Self::Class>, Vec<u32>)> {
        let mut codes = vec![0; labels.len()];
        let classes = labels::encode(&References(labels), &mut codes, parallel)?;
        Ok((classes.into_iter().map(|Reference(label)| label.class()).collect(), codes))
    }
}

macro_rules! integer_labels {
    ($($integer:ty),*) => {$(
        impl Label for $integer {
            type Class = Self;

            fn class(&self) -> Self {
                *self
            }

            fn encode(labels: &[Self], parallel: Parallel<'_>) -> Result<(Vec<Self>, Vec<u32>)> {
                let mut codes = vec![0; labels.len()];
                let classes = labels::encode(&labels, &mut codes, parallel)?;
                Ok((classes, codes))
            }
        }
    )*};
}
integer_labels!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Label for bool {
    type Class = Self;

    fn class(&self) -> Self {
        *self
    }
}

impl Label for char {
    type Class = Self;

    fn class(&self) -> Self {
        *self
    }
}

impl Label for usize {
    type Class = Self;

    fn class(&self) -> Self {
        *self
    }
}

impl Label for String {
    type Class = Self;

    fn class(&self) -> Self {
        self.clone()
    }
}

impl Label for &str {
    type Class = String;

    fn class(&self) -> String {
        (*self).to_owned()
    }
}

/// One label for each row: a slice, an array, a vector, or a one-dimensional array of ndarray.
///
/// ```
/// use gauda::Labels;
/// use ndarray::array;
///
/// assert_eq!(vec!["a", "b"].labels().len(), 2);
/// assert_eq!(*array![3, 1, 4].labels(), [3, 1, 4]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no labels",
    note = "give a slice, a vector or a one-dimensional array of integers, `bool` or text"
)]
pub trait Labels {
    /// The type of the labels.
    type Label: Label + Clone;

    /// The labels in the order of the rows.
    fn labels(&self) -> Cow<'_, [Self::Label]>;
}

/// What a model keeps of labels: `String` for `[&str]`, otherwise the labels' own type.
///
/// ```
/// use gauda::{ClassOf, Fitted, Labels, Lda};
/// use ndarray::{Array2, array};
///
/// fn fit<Y: Labels + ?Sized>(x: &Array2<f64>, y: &Y) -> gauda::Result<Fitted<ClassOf<Y>>> {
///     Lda::params().fit(x, y)
/// }
/// assert_eq!(fit(&array![[0.0], [1.0], [5.0], [7.0]], &["a", "a", "b", "b"])?.classes(), ["a", "b"]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub type ClassOf<Y> = <<Y as Labels>::Label as Label>::Class;

impl<L: Label + Clone> Labels for [L] {
    type Label = L;

    fn labels(&self) -> Cow<'_, [L]> {
        Cow::Borrowed(self)
    }
}

impl<L: Label + Clone, const N: usize> Labels for [L; N] {
    type Label = L;

    fn labels(&self) -> Cow<'_, [L]> {
        Cow::Borrowed(self)
    }
}

impl<L: Label + Clone> Labels for Vec<L> {
    type Label = L;

    fn labels(&self) -> Cow<'_, [L]> {
        Cow::Borrowed(self)
    }
}

impl<L: Label + Clone, S: Data<Elem = L>> Labels for ArrayBase<S, Ix1> {
    type Label = L;

    fn labels(&self) -> Cow<'_, [L]> {
        match self.as_slice() {
            Some(labels) => Cow::Borrowed(labels),
            None => Cow::Owned(self.to_vec()),
        }
    }
}

/// Labels that are compared where they are.
struct References<'a, L>(&'a [L]);

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Reference<'a, L>(&'a L);

impl<L> Clone for Reference<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Reference<'_, L> {}

impl<L: Label> labels::Label for Reference<'_, L> {
    fn steps_above(self, _base: Self) -> usize {
        usize::MAX
    }
}

impl<'a, L: Label> Column for References<'a, L> {
    type Label = Reference<'a, L>;

    fn n_rows(&self) -> usize {
        self.0.len()
    }

    fn labels(&self, rows: Range<usize>) -> impl Iterator<Item = Reference<'a, L>> + Clone {
        self.0[rows].iter().map(Reference)
    }
}
