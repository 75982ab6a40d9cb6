//! The class of the largest score for groups of rows.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};

/// Writes for each row the index of the largest of `scores` ([group][class]) + `terms`, the first of equal ones.
pub(crate) fn first_largest<T: Lane>(scores: &[T::Lanes], terms: &[T], labels: &mut [u32]) {
    dispatch(Level::current(), FirstLargest { scores, terms, labels });
}

struct FirstLargest<'a, T: Lane> {
    scores: &'a [T::Lanes],
    terms: &'a [T],
    labels: &'a mut [u32],
}

impl<T: Lane> Kernel for FirstLargest<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self) {
        let groups = self.scores.chunks_exact(self.terms.len());
        for (scores, labels) in groups.zip(self.labels.chunks_mut(T::Lanes::COUNT)) {
            let mut largest = T::Lanes::splat(T::neg_infinity());
            // Indices are kept in the type of the scores, which holds them exactly, so that both move together.
            let mut index = T::Lanes::splat(T::zero());
            for (class, (score, &term)) in scores.iter().zip(self.terms).enumerate() {
                let score = score.less(-term);
                let class = T::rounded(class as f64);
                let larger = |lane: usize| score.entries()[lane] > largest.entries()[lane];
                index = T::Lanes::from_fn(|lane| if larger(lane) { class } else { index.entries()[lane] });
                largest = T::Lanes::from_fn(|lane| {
                    if larger(lane) { score.entries()[lane] } else { largest.entries()[lane] }
                });
            }
            for (label, &index) in labels.iter_mut().zip(index.entries()) {
                *label = Into::<f64>::into(index) as u32;
            }
        }
    }
}
