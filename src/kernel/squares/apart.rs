//! Short rows whose entries lie apart, added as they lie. (Long ones are the faster for being copied first.)

use std::marker::PhantomData;

use ndarray::ArrayView2;

use super::super::instance::{Instance, Kernel};
use super::{ClassSums, Kind, PIECE};
use crate::float::Element;

pub(super) struct AddApart<'a, 'v, E, K> {
    pub(super) view: &'a ArrayView2<'v, E>,
    pub(super) labels: &'a [u32],
    pub(super) weights: Option<&'a [f64]>,
    pub(super) sums: ClassSums<'a>,
    pub(super) kind: PhantomData<K>,
}

impl<E: Element, K: Kind> Kernel for AddApart<'_, '_, E, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        match self.view.strides()[1] {
            2 => self.add::<I>(2), // a constant, which loops are compiled for
            across => self.add::<I>(across),
        }
    }
}

impl<E: Element, K: Kind> AddApart<'_, '_, E, K> {
    /// Adds rows whose entries lie `across` apart.
    #[inline(always)]
    fn add<I: Instance>(mut self, across: isize) {
        let d = self.view.ncols();
        for (row, &label) in self.labels.iter().enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            let class = label as usize * d..(label as usize + 1) * d;
            let (row, mut sums) = (Row::new(self.view, row, across), self.sums.part(class));
            let mut at = 0;
            while at + PIECE <= d {
                row.add_piece::<I, K, PIECE>(at, weight, &mut sums);
                at += PIECE;
            }
            if at + 4 <= d {
                row.add_piece::<I, K, 4>(at, weight, &mut sums);
                at += 4;
            }
            if at + 2 <= d {
                row.add_piece::<I, K, 2>(at, weight, &mut sums);
                at += 2;
            }
            if at < d {
                row.add_piece::<I, K, 1>(at, weight, &mut sums);
            }
        }
    }
}

/// A row of as many entries as there are sums.
struct Row<E> {
    first: *const E,
    across: isize,
}

impl<E: Element> Row<E> {
    #[inline(always)]
    fn new(view: &ArrayView2<'_, E>, row: usize, across: isize) -> Self {
        Self { first: view.row(row).as_ptr(), across }
    }

    /// An entry, read by itself: with AVX-512 the compiler would gather several, and the machine would not see what comes
    /// next.
    #[inline(always)]
    fn entry(&self, at: usize) -> f64 {
        #[expect(unsafe_code, reason = "an entry that is known to be there")]
        // SAFETY: a row has as many entries, so far apart, as a class has sums, and none beyond these is asked for.
        let entry = unsafe { self.first.offset(at as isize * self.across).read_volatile() };
        entry.as_f64()
    }

    #[inline(always)]
    fn add_piece<I: Instance, K: Kind, const W: usize>(
        &self,
        at: usize,
        weight: f64,
        sums: &mut ClassSums<'_>,
    ) {
        sums.piece::<K, W>(at).add::<I, K>(std::array::from_fn(|c| self.entry(at + c)), weight);
    }
}
