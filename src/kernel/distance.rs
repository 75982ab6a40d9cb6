//! Σ_j (s_j (x_j − μ_j))² for groups of rows: squared distances under diagonal covariances.
//!
//! Means come in two parts, so that rows near a mean far from zero keep the digits of their difference.

use ndarray::Array2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, two_parts};

/// The mean, in two parts, and the scale of each column, class by class.
#[derive(Debug, Clone)]
pub(crate) struct Distances<T> {
    level: Level,
    columns: Vec<([T; 2], T)>,
    features: usize,
}

impl<T: Lane> Distances<T> {
    /// Means are `shift` + `offset`; all three are class × column.
    pub(crate) fn new(shift: &Array2<f64>, offset: &Array2<f64>, scales: &Array2<f64>) -> Self {
        let columns = shift.iter().zip(offset).zip(scales);
        let columns =
            columns.map(|((&shift, &offset), &scale)| (two_parts(shift, offset), T::rounded(scale)));
        Self { level: Level::current(), columns: columns.collect(), features: shift.ncols() }
    }

    /// The squared distances to one class for each group of rows, lane by lane, to every `stride`-th of `distances`.
    pub(crate) fn to(&self, class: usize, x: &[T::Lanes], distances: &mut [T::Lanes], stride: usize) {
        let columns = &self.columns[class * self.features..][..self.features];
        dispatch(self.level, To { columns, x, distances, stride });
    }
}

struct To<'a, T: Lane> {
    columns: &'a [([T; 2], T)],
    x: &'a [T::Lanes],
    distances: &'a mut [T::Lanes],
    stride: usize,
}

impl<T: Lane> Kernel for To<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self) {
        let mut x = self.x;
        for distance in self.distances.iter_mut().step_by(self.stride) {
            let mut sum = T::Lanes::splat(T::zero());
            let (now, rest) = x.split_at(self.columns.len());
            x = rest;
            for (x, &([mean, rest], scale)) in now.iter().zip(self.columns) {
                sum = sum.add_square::<I>(x.less(mean).less(rest).scaled(scale));
            }
            *distance = sum;
        }
    }
}
