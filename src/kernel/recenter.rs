//! x − μ for groups of rows, with μ in two parts.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};

/// Writes each group of rows less the mean to `out`.
pub(crate) fn recenter<T: Lane>(x: &[T::Lanes], mean: &[[T; 2]], out: &mut [T::Lanes]) {
    dispatch(Level::current(), Recenter { x, mean, out });
}

struct Recenter<'a, T: Lane> {
    x: &'a [T::Lanes],
    mean: &'a [[T; 2]],
    out: &'a mut [T::Lanes],
}

impl<T: Lane> Kernel for Recenter<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let features = self.mean.len();
        for (x, out) in self.x.chunks_exact(features).zip(self.out.chunks_exact_mut(features)) {
            for ((x, out), &[mean, rest]) in x.iter().zip(out).zip(self.mean) {
                *out = x.minus(mean).minus(rest);
            }
        }
    }
}
