//! Lanes in single precision, for what need not be exact: twice as many rows at once.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};

/// Lanes of single precision.
pub(crate) type Single = <f32 as Lane>::Lanes;

/// Lanes of double precision.
pub(crate) type Double = <f64 as Lane>::Lanes;

/// Rounds the entries of groups of `columns` each: as many rows as there are now stand in fewer groups. Lanes without a row
/// repeat others.
pub(crate) fn narrow<T: Lane>(from: &[T::Lanes], columns: usize, to: &mut [Single]) {
    dispatch(Level::current(), Narrow::<T> { from, columns, to });
}

struct Narrow<'a, T: Lane> {
    from: &'a [T::Lanes],
    columns: usize,
    to: &'a mut [Single],
}

impl<T: Lane> Kernel for Narrow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let together = Single::COUNT / T::Lanes::COUNT * self.columns;
        for (from, to) in self.from.chunks(together).zip(self.to.chunks_exact_mut(self.columns)) {
            let (first, rest) = from.split_at(self.columns);
            let second = if rest.is_empty() { first } else { rest };
            for ((to, first), second) in to.iter_mut().zip(first).zip(second) {
                for (half, from) in to.chunks_exact_mut(T::Lanes::COUNT).zip([first, second]) {
                    for (to, &from) in half.iter_mut().zip(from.entries()) {
                        *to = Into::<f64>::into(from) as f32;
                    }
                }
            }
        }
    }
}
