//! Columns of labels: integers, floats that hold integers, and text of one width.

use std::hash::Hash;
use std::ops::Range;

use crate::float::Element;

/// Something that names a class.
///
/// There is an example at [`encode`](super::encode).
pub trait Label: Copy + Ord + Hash + Send + Sync {
    /// The number of steps from `base` up to this label; a huge number if it lies below, or if there are no steps to count.
    fn steps_above(self, base: Self) -> usize;
}

macro_rules! integer_labels {
    ($($integer:ty),*) => {$(
        impl Label for $integer {
            #[inline(always)]
            fn steps_above(self, base: Self) -> usize {
                usize::try_from((self as u64).wrapping_sub(base as u64)).unwrap_or(usize::MAX)
            }
        }
    )*};
}
integer_labels!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Label for &[u32] {
    #[inline(always)]
    fn steps_above(self, _base: Self) -> usize {
        usize::MAX
    }
}

/// One label per row.
///
/// There is an example at [`encode`](super::encode).
pub trait Column: Sync {
    /// The type of the labels.
    type Label: Label;
    /// Number of rows.
    fn n_rows(&self) -> usize;
    /// The labels of some rows.
    fn labels(&self, rows: Range<usize>) -> impl Iterator<Item = Self::Label> + Clone;
}

impl<L: Label> Column for &[L] {
    type Label = L;

    fn n_rows(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn labels(&self, rows: Range<usize>) -> impl Iterator<Item = L> + Clone {
        self[rows].iter().copied()
    }
}

/// Floats as integers.
///
/// ```
/// use gauda::core::{Parallel, labels};
///
/// let (column, mut codes) = ([2.0, -1.0, 0.5], [0; 3]);
/// let whole = labels::Whole(&column);
/// let classes = labels::encode(&whole, &mut codes, Parallel::default())?;
/// assert_eq!(classes, [labels::Whole::<f64>::NOT, -1, 2]); // 0.5 is not an integer
/// assert_eq!(codes, [2, 1, 0]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a, T>(pub &'a [T]);

/// 1.5 · 2⁵². A sum with it has no place for a fraction, and its bits count in steps of one.
const NO_FRACTION: f64 = 6_755_399_441_055_744.0;

/// 2⁵¹: the magnitudes for which that holds.
const LIMIT: f64 = NO_FRACTION / 3.0;

impl<T> Whole<'_, T> {
    /// Stands for whatever is not an integer, or one of 2⁵¹ or more.
    ///
    /// There is an example at [`Whole`].
    pub const NOT: i64 = i64::MIN;
}

impl<T: Element> Column for Whole<'_, T> {
    type Label = i64;

    fn n_rows(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn labels(&self, rows: Range<usize>) -> impl Iterator<Item = i64> + Clone {
        self.0[rows].iter().map(|&label| {
            let label = label.as_f64();
            let sum = label + NO_FRACTION;
            let whole = (sum - NO_FRACTION == label) & (label.abs() < LIMIT);
            if whole { sum.to_bits() as i64 - NO_FRACTION.to_bits() as i64 } else { Self::NOT }
        })
    }
}

/// Text as code points, padded with zeros to one width; its order is that of the code points.
///
/// ```
/// use gauda::core::{Parallel, labels};
///
/// let points: Vec<u32> = "b\0abb\0".chars().map(u32::from).collect();
/// let (text, mut codes) = (labels::Text { points: &points, width: 2 }, [0; 3]);
/// let classes = labels::encode(&text, &mut codes, Parallel::default())?;
/// assert_eq!(classes.len(), 2); // "ab" and "b"
/// assert_eq!(codes, [1, 0, 1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The code points of one row after another.
    pub points: &'a [u32],
    /// The number of code points of a row.
    pub width: usize,
}

impl<'a> Column for Text<'a> {
    type Label = &'a [u32];

    fn n_rows(&self) -> usize {
        self.points.len().checked_div(self.width).unwrap_or(0)
    }

    #[inline(always)]
    fn labels(&self, rows: Range<usize>) -> impl Iterator<Item = &'a [u32]> + Clone {
        self.points[rows.start * self.width..rows.end * self.width].chunks_exact(self.width)
    }
}
