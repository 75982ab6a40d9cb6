//! How far covariances are moved toward a multiple of the identity.

use ndarray::{Array2, Array3, Axis};

use crate::covariance::shrink;
use crate::error::{Error, InputError, Result, check_share};
use crate::moments::Moments;

/// How far [`Qda`](crate::Qda) and [`Lda`](crate::Lda) move covariances toward the multiple of the identity with the same
/// trace.
///
/// ```
/// use gauda::{Lda, Shrinkage};
/// use ndarray::array;
///
/// // fewer rows in a class than columns
/// let x = array![
///     [0.0, 1.0, 2.0, 5.0], [1.0, 0.0, 2.5, 3.0], [0.5, 2.0, 1.0, 4.0],
///     [8.0, 9.0, 1.0, 4.0], [9.0, 9.5, 2.0, 4.5], [7.0, 9.0, 1.5, 5.0],
/// ];
/// let y = ["a", "a", "a", "b", "b", "b"];
/// let model = Lda::params().shrinkage(Shrinkage::LedoitWolf).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Shrinkage {
    /// By this share, from 0 to 1; 0 leaves them as they are.
    Fixed(f64),
    /// By Ledoit and Wolf's intensity on the standardized data of each class.
    LedoitWolf,
}

impl Default for Shrinkage {
    /// None.
    fn default() -> Self {
        Self::Fixed(0.0)
    }
}

impl From<f64> for Shrinkage {
    fn from(share: f64) -> Self {
        Self::Fixed(share)
    }
}

impl Shrinkage {
    pub(super) fn check(self) -> Result<()> {
        check_share("shrinkage", self.share())
    }

    /// An error if moments do not tell how far.
    pub(super) fn check_moments(self, moments: &Moments) -> Result<()> {
        if self == Self::LedoitWolf { check_fourth_order(moments) } else { Ok(()) }
    }

    /// The share, as far as it is known beforehand.
    fn share(self) -> f64 {
        match self {
            Self::Fixed(share) => share,
            Self::LedoitWolf => 0.0,
        }
    }

    /// Whether it moves covariances by a share that is known beforehand.
    pub(super) fn is_given(self) -> bool {
        self.share() > 0.0
    }

    /// A covariance moved by a share that is known beforehand.
    pub(super) fn shrink(self, covariance: Array2<f64>) -> Result<Array2<f64>> {
        if self.share() == 0.0 { Ok(covariance) } else { shrink(covariance.view(), self.share()) }
    }
}

/// An error if moments do not tell Ledoit and Wolf's intensity.
pub(super) fn check_fourth_order(moments: &Moments) -> Result<()> {
    match moments.has_fourth_order() {
        true => Ok(()),
        false => Err(Error::Input(InputError::Unsupported(
            "shrinkage by Ledoit and Wolf's intensity must have rows, or moments of fourth order; give a number, or make the \
             moments with to_fourth_order",
        ))),
    }
}

/// Covariances moved by a share that is known beforehand.
pub(super) fn shrink_all(mut covariances: Array3<f64>, shrinkage: Shrinkage) -> Result<Array3<f64>> {
    for mut covariance in covariances.axis_iter_mut(Axis(0)) {
        let moved = shrinkage.shrink(covariance.to_owned())?;
        covariance.assign(&moved);
    }
    Ok(covariances)
}
