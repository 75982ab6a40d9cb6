//! Σ_j (s_j (x_j − μ_j))² for groups of rows: squared distances under diagonal covariances.
//!
//! Means come in two parts, so that rows near a mean far from zero keep the digits of their difference. For whitened rows, whose
//! own rounding is no less, one part and no scale will do.

use ndarray::Array2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, two_parts};
use super::prefetch::Ahead;
use super::tiles::{Entry, Sink, Tiles};

/// The mean, in two parts, and the scale of each class and column.
pub(crate) type Distances<T> = DistancesBy<Column<T>>;

/// What is known of each class and column, packed.
#[derive(Debug, Clone)]
pub(crate) struct DistancesBy<E> {
    tiles: Tiles<E>,
    pub(super) classes: usize,
    pub(super) features: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<T> {
    mean: [T; 2],
    scale: T,
}

impl<T: Lane> Entry<T> for Column<T> {
    #[inline(always)]
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes {
        sum.add_square::<I>(x.minus(self.mean[0]).minus(self.mean[1]).scaled(self.scale))
    }
}

/// The scale, and the mean in its units: one multiply-add, where means are not far from zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near<T> {
    scale: T,
    /// −s μ.
    constant: T,
}

impl<T: Lane> Entry<T> for Near<T> {
    #[inline(always)]
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes {
        sum.add_square::<I>(T::Lanes::splat(self.constant).add_scaled::<I>(self.scale, x))
    }
}

/// The mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<T>(T);

impl<T: Lane> Entry<T> for Plain<T> {
    #[inline(always)]
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes {
        sum.add_square::<I>(x.minus(self.0))
    }
}

impl<T: Lane> Distances<T> {
    /// Means are `shift` + `offset`; all three are class × column.
    pub(crate) fn new(shift: &Array2<f64>, offset: &Array2<f64>, scales: &Array2<f64>) -> Self {
        let column = |k: usize, j: usize| Column {
            mean: two_parts(shift[(k, j)], offset[(k, j)]),
            scale: T::rounded(scales[(k, j)]),
        };
        Self::of(shift.dim(), column)
    }
}

impl<T: Lane> DistancesBy<Near<T>> {
    /// Means and scales are class × column.
    pub(super) fn near(means: &Array2<f64>, scales: &Array2<f64>) -> Self {
        Self::of(means.dim(), |k, j| {
            let scale = T::rounded(scales[(k, j)]);
            Near { scale, constant: T::rounded(-Into::<f64>::into(scale) * means[(k, j)]) }
        })
    }
}

impl<T: Lane> DistancesBy<Plain<T>> {
    /// Means are class × column.
    pub(super) fn plain(means: &Array2<f64>) -> Self {
        Self::of(means.dim(), |k, j| Plain(T::rounded(means[(k, j)])))
    }
}

impl<E: Copy> DistancesBy<E> {
    fn of((classes, features): (usize, usize), entry: impl Fn(usize, usize) -> E) -> Self {
        let level = Level::current();
        let tiles = Tiles::new(classes, |_| features, entry, (level, level.tiles().0));
        Self { tiles, classes, features }
    }

    /// The squared distances to all classes for each group of rows, lane by lane: [group][class].
    pub(crate) fn to_all<T: Lane>(&self, x: &[T::Lanes], distances: &mut [T::Lanes])
    where
        E: Entry<T>,
    {
        self.to_all_while::<T>(x, &mut Ahead::nothing(), distances);
    }

    /// The same, while the rows that come next are fetched.
    pub(crate) fn to_all_while<T: Lane>(&self, x: &[T::Lanes], ahead: &mut Ahead, distances: &mut [T::Lanes])
    where
        E: Entry<T>,
    {
        dispatch(self.tiles.level, ToAll::<T, E> { to: self, x, ahead, distances });
    }
}

struct ToAll<'a, T: Lane, E> {
    to: &'a DistancesBy<E>,
    x: &'a [T::Lanes],
    ahead: &'a mut Ahead,
    distances: &'a mut [T::Lanes],
}

impl<T: Lane, E: Entry<T>> Kernel for ToAll<'_, T, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let sink = &mut Store { distances: self.distances, classes: self.to.classes };
        self.to.tiles.accumulate::<I, T, 2>(self.x, 0..self.to.features, self.ahead, sink);
    }
}

struct Store<'a, L> {
    distances: &'a mut [L],
    classes: usize,
}

impl<T: Lane> Sink<T> for Store<'_, T::Lanes> {
    #[inline(always)]
    fn take<I: Instance, const R: usize>(&mut self, group: usize, first_class: usize, sums: [T::Lanes; R]) {
        self.distances[group * self.classes + first_class..][..R].copy_from_slice(&sums);
    }
}
