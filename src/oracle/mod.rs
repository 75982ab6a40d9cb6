//! What the tests compare with: samples, memory layouts, and the textbook's formulas in plain loops. Slow, obvious,
//! and without a line of the core's arithmetic.

mod ask;
mod sample;
mod textbook;

use std::fmt::Debug;

pub(crate) use ask::{Asked, Kind, Question, ask, between};
pub(crate) use sample::{Noise, Sample, in_every_layout};
pub(crate) use textbook::{ClassMoments, Textbook, two_passes};

use crate::model::Pack;
use crate::scalar::Scalar;

/// The two types that scores are computed in.
pub(crate) trait Precision: Pack + Scalar + Debug {}
impl Precision for f32 {}
impl Precision for f64 {}

/// Runs tests that are written once, `fn name<T: Precision>()`, in single and in double precision.
macro_rules! in_both_precisions {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[test]
            fn single() { super::$test::<f32>() }
            #[test]
            fn double() { super::$test::<f64>() }
        }
    )+};
}
pub(crate) use in_both_precisions;

/// Whether a score is right to 256 units of its precision, absolute below 1 and relative above: the samples' covariances
/// have condition numbers around 30.
pub(crate) fn close<T: Precision>(got: T, expected: f64) -> bool {
    let unit: f64 = T::epsilon().into();
    (got.into() - expected).abs() <= 256.0 * unit * (1.0 + expected.abs())
}
