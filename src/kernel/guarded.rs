//! Squared distances by forms that take half of the operations, and directly where these would lose digits.
//!
//! Under a common covariance ‖z − b‖² is ‖z‖² − 2 (b·z − ½ ‖b‖²), of which the linear part is known already where scores were
//! asked for; and with a variance for each column s (x − μ) is s x − b, where b = s μ. Both err by a few units, and by some
//! dozens at most, unless the distance is small beside the squares of b, and of z if they are added. So each row is judged by its smallest
//! distance: what a row is told does not depend on those beside it.

use ndarray::{Array1, Array2, Axis};

use super::distance::{Column, DistancesBy, Near, Plain};
use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};
use super::prefetch::Ahead;
use super::tiles::Entry;

/// The squares may be so many times as large as the smallest distance. Products err by some units of twice the squares, so by
/// 64 such units of the distance at most; deviations s x − b by the root of that.
const MAX_LOSS: f64 = 32.0;

/// From so many classes on, linear functions save more time than it takes to judge what they give.
const MIN_CLASSES: usize = 32;

/// By so many standard deviations at most a row's distance to its own class falls below the mean, all but always.
const SPREAD: f64 = 3.0;

/// Sums of squares that do not wait for each other.
const CHAINS: usize = 4;

/// Distances of whitened rows to whitened means.
#[derive(Debug)]
pub(crate) struct TiedDistances<T> {
    direct: DistancesBy<Plain<T>>,
    /// The largest ‖b‖², where linear functions keep the digits of most distances.
    max_square: Option<T>,
}

impl<T: Lane> TiedDistances<T> {
    /// Whitened means are class × column.
    pub(crate) fn new(means: &Array2<f64>) -> Self {
        let squares = squares(means);
        let usual = means.ncols() as f64 + squares.mean().unwrap_or_default();
        let pays = means.nrows() >= MIN_CLASSES;
        Self {
            direct: DistancesBy::plain(means),
            max_square: max_square(&squares, usual, means.ncols()).filter(|_| pays),
        }
    }

    /// Whether distances are made of the linear functions b·z − ½ ‖b‖².
    pub(crate) fn are_of_linear(&self) -> bool {
        self.max_square.is_some()
    }

    /// The squared distances to all classes for each group of whitened rows, lane by lane: [group][class]. They stand where
    /// the linear functions were, if they are made of these.
    pub(crate) fn to_all(&self, z: &[T::Lanes], distances: &mut [T::Lanes]) {
        let (direct, Some(max_square)) = (&self.direct, self.max_square) else {
            return self.direct.to_all::<T>(z, distances);
        };
        dispatch(Level::current(), Guard::<_, _, true> { direct, max_square, x: z, distances });
    }
}

/// Distances with a variance for each class and column.
#[derive(Debug)]
pub(crate) struct DiagDistances<T> {
    direct: DistancesBy<Column<T>>,
    /// The short form, and the largest ‖b‖², where it keeps the digits of most distances.
    near: Option<(DistancesBy<Near<T>>, T)>,
}

impl<T: Lane> DiagDistances<T> {
    /// Means are `shift` + `offset`; all three are class × column.
    pub(crate) fn new(shift: &Array2<f64>, offset: &Array2<f64>, scales: &Array2<f64>) -> Self {
        let means = shift + offset;
        let max_square = max_square(&squares(&(&means * scales)), 0.0, means.ncols());
        Self {
            direct: DistancesBy::new(shift, offset, scales),
            near: max_square.map(|max_square| (DistancesBy::near(&means, scales), max_square)),
        }
    }

    #[cfg(test)]
    pub(super) fn has_short_form(&self) -> bool {
        self.near.is_some()
    }

    /// The squared distances to all classes for each group of rows, lane by lane: [group][class].
    pub(crate) fn to_all(&self, x: &[T::Lanes], distances: &mut [T::Lanes]) {
        self.to_all_while(x, &mut Ahead::nothing(), distances);
    }

    /// The same, while the rows that come next are fetched.
    pub(crate) fn to_all_while(&self, x: &[T::Lanes], ahead: &mut Ahead, distances: &mut [T::Lanes]) {
        let direct = &self.direct;
        let Some((near, max_square)) = &self.near else {
            return direct.to_all_while::<T>(x, ahead, distances);
        };
        near.to_all_while::<T>(x, ahead, distances);
        dispatch(Level::current(), Guard::<_, _, false> { direct, max_square: *max_square, x, distances });
    }
}

/// ‖b‖² of each class.
fn squares(means: &Array2<f64>) -> Array1<f64> {
    (means * means).sum_axis(Axis(1))
}

/// The largest square, unless many rows would have to be measured directly all the same. The usual ‖z‖² counts where it is
/// added.
fn max_square<T: Lane>(squares: &Array1<f64>, usual: f64, features: usize) -> Option<T> {
    let features = features as f64;
    let least = features - SPREAD * (2.0 * features).sqrt();
    let max = squares.fold(0.0, |max: f64, &square| max.max(square));
    (usual + max <= MAX_LOSS * least).then(|| T::rounded(max))
}

/// Measures rows directly that have lost too many digits; infinite distances stay, and are refused later. What is given are the
/// distances, or the linear functions, of which they are made first.
struct Guard<'a, T: Lane, E, const LINEAR: bool> {
    direct: &'a DistancesBy<E>,
    max_square: T,
    x: &'a [T::Lanes],
    distances: &'a mut [T::Lanes],
}

impl<T: Lane, E: Entry<T>, const LINEAR: bool> Kernel for Guard<'_, T, E, LINEAR> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let (classes, zero) = (self.direct.classes, T::Lanes::splat(T::zero()));
        let groups = self.x.chunks_exact(self.direct.features).zip(self.distances.chunks_exact_mut(classes));
        let mut measured = vec![];
        for (x, distances) in groups {
            let mut square = zero;
            if LINEAR {
                square = sum_squares::<I, T>(x);
                let minus_two = T::rounded(-2.0);
                distances.iter_mut().for_each(|value| *value = square.add_scaled::<I>(minus_two, *value));
            }
            let kept = keeps_digits::<T>(distances, square.plus(self.max_square));
            if kept.entries().iter().all(|&kept| kept == T::one()) {
                continue;
            }
            measured.resize(classes, zero);
            self.direct.to_all::<T>(x, &mut measured);
            for (distance, &direct) in distances.iter_mut().zip(&measured) {
                *distance = T::Lanes::from_fn(|lane| match kept.entries()[lane] == T::one() {
                    true => distance.entries()[lane],
                    false => direct.entries()[lane],
                });
            }
        }
    }
}

/// 1 for rows whose smallest distance is not too small beside these squares, 0 for others.
#[inline(always)]
fn keeps_digits<T: Lane>(distances: &[T::Lanes], squares: T::Lanes) -> T::Lanes {
    let mut least = T::Lanes::splat(T::infinity());
    for distance in distances {
        let previous = least;
        least = T::Lanes::from_fn(|lane| {
            let (distance, previous) = (distance.entries()[lane], previous.entries()[lane]);
            if distance < previous { distance } else { previous }
        });
    }
    let max_loss = T::rounded(MAX_LOSS);
    T::Lanes::from_fn(|lane| {
        let keeps = squares.entries()[lane] <= max_loss * least.entries()[lane];
        if keeps { T::one() } else { T::zero() }
    })
}

#[inline(always)]
fn sum_squares<I: Instance, T: Lane>(z: &[T::Lanes]) -> T::Lanes {
    let zero = T::Lanes::splat(T::zero());
    let (quads, rest) = z.as_chunks::<CHAINS>();
    let mut sums = [zero; CHAINS];
    for quad in quads {
        for (sum, z) in sums.iter_mut().zip(quad) {
            *sum = sum.add_square::<I>(*z);
        }
    }
    let all = sums.into_iter().fold(zero, |all, sum| all.add_scaled::<I>(T::one(), sum));
    rest.iter().fold(all, |all, z| all.add_square::<I>(*z))
}
