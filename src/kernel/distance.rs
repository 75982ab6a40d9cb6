//! Σ_j (s_j (x_j − μ_j))² for groups of rows: squared distances under diagonal covariances.
//!
//! Means come in two parts, so that rows near a mean far from zero keep the digits of their difference.

use ndarray::Array2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, two_parts};
use super::tiles::{Entry, Sink, Tiles};

/// The mean, in two parts, and the scale of each class and column.
#[derive(Debug, Clone)]
pub(crate) struct Distances<T> {
    tiles: Tiles<Column<T>>,
    classes: usize,
    features: usize,
}

#[derive(Debug, Clone, Copy)]
struct Column<T> {
    mean: [T; 2],
    scale: T,
}

impl<T: Lane> Entry<T> for Column<T> {
    #[inline(always)]
    fn accumulate<I: Instance>(self, sum: T::Lanes, x: T::Lanes) -> T::Lanes {
        sum.add_square::<I>(x.minus(self.mean[0]).minus(self.mean[1]).scaled(self.scale))
    }
}

impl<T: Lane> Distances<T> {
    /// Means are `shift` + `offset`; all three are class × column.
    pub(crate) fn new(shift: &Array2<f64>, offset: &Array2<f64>, scales: &Array2<f64>) -> Self {
        let (classes, features) = shift.dim();
        let column = |k: usize, j: usize| Column {
            mean: two_parts(shift[(k, j)], offset[(k, j)]),
            scale: T::rounded(scales[(k, j)]),
        };
        Self { tiles: Tiles::new(classes, |_| features, column, Level::current()), classes, features }
    }

    /// The squared distances to all classes for each group of rows, lane by lane: [group][class].
    pub(crate) fn to_all(&self, x: &[T::Lanes], distances: &mut [T::Lanes]) {
        dispatch(self.tiles.level, ToAll { to: self, x, distances });
    }
}

struct ToAll<'a, T: Lane> {
    to: &'a Distances<T>,
    x: &'a [T::Lanes],
    distances: &'a mut [T::Lanes],
}

impl<T: Lane> Kernel for ToAll<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let sink = &mut Store { distances: self.distances, classes: self.to.classes };
        self.to.tiles.accumulate::<I, T>(self.x, self.to.features, sink);
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
