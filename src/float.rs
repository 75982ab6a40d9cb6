//! The two types that are computed in, and the element types that are read in place.

use num_traits::Float;

/// Keeps others from adding types that the kernels do not know.
mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// A type of scores: `f64`, or `f32` for rows that hold no more than its precision.
///
/// It is sealed: these two are all there are.
///
/// There is an example at [`adapt_priors`](crate::core::adapt_priors).
pub trait Real: Sealed + Float + Into<f64> + Default + Send + Sync + 'static {
    /// Reads one element.
    fn read<E: Element>(element: E) -> Self;
    /// Rounds a double.
    fn rounded(value: f64) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn read<E: Element>(element: E) -> Self {
        element.as_f64()
    }
    #[inline(always)]
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Real for f32 {
    #[inline(always)]
    fn read<E: Element>(element: E) -> Self {
        element.as_f32()
    }
    #[inline(always)]
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

/// A type of entries of the data.
///
/// It is sealed: floats and integers of up to 64 bits, and [`Flag`].
///
/// There is an example at [`Rows`](crate::core::Rows).
pub trait Element: Sealed + Copy + Send + Sync + 'static {
    /// The entry as a double.
    fn as_f64(self) -> f64;
    /// The entry in single precision.
    fn as_f32(self) -> f32;
    /// False for NaN and infinities.
    #[inline(always)]
    fn is_finite(self) -> bool {
        true
    }
    /// The entry as a level 0, 1, 2, …; the largest number if it is none.
    fn level(self) -> u32;
    /// The entry that a number stands for: a float is rounded, and an integer is none that it is not equal to.
    fn nearest(value: f64) -> Option<Self>;
    /// Whether both are equal, or NaN.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! integer_elements {
    ($($integer:ty),*) => {$(
        impl Sealed for $integer {}
        impl Element for $integer {
            #[inline(always)]
            fn as_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn as_f32(self) -> f32 { self as f32 }
            #[inline(always)]
            fn level(self) -> u32 { u32::try_from(self).unwrap_or(u32::MAX) }
            #[inline(always)]
            fn nearest(value: f64) -> Option<Self> {
                let integer = value as Self;
                (integer as f64 == value).then_some(integer)
            }
            #[inline(always)]
            fn is_same(self, other: Self) -> bool { self == other }
        }
    )*};
}
integer_elements!(i8, i16, i32, i64, u8, u16, u32, u64);

/// A boolean as others write it: a byte, false if it is 0 and true otherwise. (A `bool` must be 0 or 1.)
///
/// ```
/// use gauda::core::{Element, Flag};
///
/// assert_eq!([0, 1, 255].map(|byte| Flag(byte).as_f64()), [0.0, 1.0, 1.0]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[repr(transparent)]
pub struct Flag(pub u8);

impl Sealed for Flag {}

impl Element for Flag {
    #[inline(always)]
    fn as_f64(self) -> f64 {
        f64::from(u8::from(self.0 != 0))
    }
    #[inline(always)]
    fn as_f32(self) -> f32 {
        f32::from(u8::from(self.0 != 0))
    }
    #[inline(always)]
    fn level(self) -> u32 {
        u32::from(self.0 != 0)
    }
    #[inline(always)]
    fn nearest(value: f64) -> Option<Self> {
        (value == 0.0 || value == 1.0).then_some(Self(u8::from(value == 1.0)))
    }
    #[inline(always)]
    fn is_same(self, other: Self) -> bool {
        (self.0 != 0) == (other.0 != 0)
    }
}

impl Sealed for f32 {}

impl Element for f32 {
    #[inline(always)]
    fn as_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn as_f32(self) -> f32 {
        self
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    #[inline(always)]
    fn level(self) -> u32 {
        let level = self as u32;
        if level as f32 == self { level } else { u32::MAX }
    }
    #[inline(always)]
    fn nearest(value: f64) -> Option<Self> {
        Some(value as f32)
    }
    #[inline(always)]
    fn is_same(self, other: Self) -> bool {
        self == other || (self.is_nan() && other.is_nan())
    }
}

impl Sealed for f64 {}

impl Element for f64 {
    #[inline(always)]
    fn as_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn as_f32(self) -> f32 {
        self as f32
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    #[inline(always)]
    fn level(self) -> u32 {
        let level = self as u32;
        if level as f64 == self { level } else { u32::MAX }
    }
    #[inline(always)]
    fn nearest(value: f64) -> Option<Self> {
        Some(value)
    }
    #[inline(always)]
    fn is_same(self, other: Self) -> bool {
        self == other || (self.is_nan() && other.is_nan())
    }
}
