//! Labels written as the names of their classes, so that no array of codes must exist besides.

use std::ops::Range;

use super::writer::write_largest;
use crate::kernel::{Evidence, Lane};

/// For each row the name of its class: a word of 1, 2, 4 or 8 bytes, whatever it stands for.
///
/// ```
/// use gauda::core::{Answers, Model, Moments, Named, Names, Parallel, Rows, Rules, Structure, covariance, score};
/// use ndarray::array;
///
/// let x = array![[0.0], [1.0], [4.0], [5.0]];
/// let (rows, parallel) = (Rows::from(x.view()), Parallel::default());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Full, parallel)?;
/// let covariances = covariance::of_classes(&moments, false)?;
/// let model = Model::quadratic(&moments, covariances.view(), &moments.priors()?, 1e-4, parallel)?;
/// let mut names = [0_u8; 4];
/// let answers = Answers::<f64>::default().name(Names::One(Named { classes: b"ab", rows: &mut names }));
/// score(&model, &rows, &Rules::default(), answers, parallel)?;
/// assert_eq!(&names, b"aabb");
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug)]
#[expect(missing_docs, reason = "the variants are named after the sizes of words")]
pub enum Names<'a> {
    One(Named<'a, u8>),
    Two(Named<'a, u16>),
    Four(Named<'a, u32>),
    Eight(Named<'a, u64>),
}

/// The names of the classes, and where those of the rows go.
///
/// There is an example at [`Names`].
#[derive(Debug)]
pub struct Named<'a, W> {
    /// The name of each class.
    pub classes: &'a [W],
    /// The name of each row's class, n.
    pub rows: &'a mut [W],
}

/// Runs the same expression whatever the size of the words.
macro_rules! with_named {
    ($names:expr, $named:ident => $body:expr) => {
        match $names {
            Names::One($named) => $body,
            Names::Two($named) => $body,
            Names::Four($named) => $body,
            Names::Eight($named) => $body,
        }
    };
}

impl Names<'_> {
    /// Numbers of classes and rows.
    pub(crate) fn lengths(&self) -> (usize, usize) {
        with_named!(self, named => (named.classes.len(), named.rows.len()))
    }

    /// The same arrays, for a while.
    pub(super) fn reborrow(&mut self) -> Names<'_> {
        match self {
            Self::One(named) => Names::One(named.reborrow()),
            Self::Two(named) => Names::Two(named.reborrow()),
            Self::Four(named) => Names::Four(named.reborrow()),
            Self::Eight(named) => Names::Eight(named.reborrow()),
        }
    }

    /// Names the classes of the largest scores of some rows that follow each other.
    pub(super) fn put_largest<T: Lane>(&mut self, rows: Range<usize>, evidence: &[Evidence<T::Lanes>]) {
        with_named!(self, named => {
            write_largest::<T, _>(&mut named.rows[rows], evidence, |class| named.classes[class]);
        });
    }

    /// Names the classes of some rows.
    pub(crate) fn put(&mut self, classes: impl Iterator<Item = (usize, usize)>) {
        with_named!(self, named => classes.for_each(|(row, class)| named.rows[row] = named.classes[class]));
    }
}

impl<'a> Names<'a> {
    /// Cuts off the first `rows` rows.
    pub(crate) fn take(&mut self, rows: usize) -> Option<Self> {
        Some(match self {
            Self::One(named) => Self::One(named.take(rows)?),
            Self::Two(named) => Self::Two(named.take(rows)?),
            Self::Four(named) => Self::Four(named.take(rows)?),
            Self::Eight(named) => Self::Eight(named.take(rows)?),
        })
    }
}

impl<'a, W> Named<'a, W> {
    fn reborrow(&mut self) -> Named<'_, W> {
        Named { classes: self.classes, rows: &mut *self.rows }
    }

    fn take(&mut self, rows: usize) -> Option<Self> {
        Some(Self { classes: self.classes, rows: self.rows.split_off_mut(..rows)? })
    }
}
