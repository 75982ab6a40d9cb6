//! Sums of squares that are too small for a double. That of a column that varies is positive, however small: below the
//! normal doubles it is rounded up to the smallest of them, so that such a column differs from a constant one. Models
//! refuse to be made of variances that small.

use crate::error::{Error, InputError, Owner, Result};

/// The smallest variance with all digits, and with an inverse that is far from overflow: 2^−1000.
pub(crate) const SMALLEST_VARIANCE: f64 = f64::from_bits((1023 - 1000) << 52);

/// The smallest weight with which a sum of squares that was rounded up still shows a variance below the smallest: 2^−20.
const SMALLEST_WEIGHT: f64 = f64::from_bits((1023 - 20) << 52);

/// A sum of squares, rounded up if the values vary.
pub(crate) fn rounded_up(square: f64, varies: bool) -> f64 {
    if varies && square < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { square }
}

/// Whether a sum of squares was rounded up, and its weight is so small that no variance would show it.
pub(super) fn is_lost(square: f64, weight: f64) -> bool {
    let rounded_up = square > 0.0 && square <= f64::MIN_POSITIVE;
    rounded_up && weight > 0.0 && weight < SMALLEST_WEIGHT
}

/// square / divisor, positive if the square is.
pub(crate) fn variance(square: f64, divisor: f64) -> f64 {
    rounded_up(square / divisor, square > 0.0 && square / divisor == 0.0)
}

/// Refuses variances that are positive, but too small.
///
/// # Errors
/// [`InputError::Underflow`] for the first such column.
pub(crate) fn check_resolved<'a>(variances: impl IntoIterator<Item = &'a f64>, what: Owner) -> Result<()> {
    let tiny = |variance: &f64| *variance > 0.0 && *variance < SMALLEST_VARIANCE;
    match variances.into_iter().position(tiny) {
        Some(column) => Err(Error::Input(InputError::Underflow { what, column })),
        None => Ok(()),
    }
}
