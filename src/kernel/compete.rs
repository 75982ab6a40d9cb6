//! Classes that compete for a group of rows: whoever falls behind for good is measured no further.
//!
//! ‖W x − b‖² is a sum of squares, one for each row of W, and the first rows cost the least. Partial sums only grow, even
//! when they are rounded, so a class whose bound lies under the best score so far is out: exactly, not likely.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};
use super::quadratic::{Squares, Whitened};

/// What the classes score: (top_k − ‖W_k x − b_k‖² / 2) + term_k.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contest<'a, T> {
    pub(crate) classes: &'a [Whitened<T>],
    pub(crate) tops: &'a [T],
    pub(crate) terms: &'a [T],
    /// How far a class must fall behind.
    pub(crate) margin: T,
}

impl<T: Lane> Contest<'_, T> {
    /// Scores of some groups of rows under one class, to every `classes`-th of `scores`: [group][class].
    pub(crate) fn lead(&self, class: usize, x: &[T::Lanes], scores: &mut [T::Lanes]) {
        let classes = self.classes.len();
        self.classes[class].norms(x, &mut scores[class..], classes);
        for score in scores[class..].iter_mut().step_by(classes) {
            *score = self.score(class, *score);
        }
    }

    /// Scores of one group of rows under the other classes, the second of `ahead` before the rest, against that of the
    /// first, which leads; −∞ for classes that fell behind in every lane. Returns the number of entries that were met.
    pub(crate) fn follow(&self, ahead: [usize; 2], x: &[T::Lanes], scores: &mut [T::Lanes]) -> usize {
        dispatch(Level::current(), Follow { contest: self, ahead, x, scores })
    }

    #[inline(always)]
    fn score(&self, class: usize, norm: T::Lanes) -> T::Lanes {
        norm.halved_below(self.tops[class]).less(-self.terms[class])
    }
}

struct Follow<'a, T: Lane> {
    contest: &'a Contest<'a, T>,
    ahead: [usize; 2],
    x: &'a [T::Lanes],
    scores: &'a mut [T::Lanes],
}

impl<T: Lane> Kernel for Follow<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Instance>(mut self) -> usize {
        let mut met = 0;
        let [leader, second] = self.ahead;
        let mut least = self.scores[leader].less(self.contest.margin);
        let rest = (0..self.scores.len()).filter(|&class| class != second);
        for class in std::iter::once(second).chain(rest).filter(|&class| class != leader) {
            met += self.measure::<I>(class, least);
            let behind = self.scores[class].less(self.contest.margin);
            least = T::Lanes::from_fn(|lane| {
                let (behind, least) = (behind.entries()[lane], least.entries()[lane]);
                if behind > least { behind } else { least }
            });
        }
        met
    }
}

impl<T: Lane> Follow<'_, T> {
    #[inline(always)]
    fn measure<I: Instance>(&mut self, class: usize, least: T::Lanes) -> usize {
        let Whitened { tiles, offset } = &self.contest.classes[class];
        // The norm grows in the place of the score.
        let slot = &mut self.scores[class..=class];
        slot[0] = T::Lanes::splat(T::zero());
        let mut met = 0;
        for tile in &tiles.tiles {
            tiles.meet_tile::<I, T, 1>(tile, 0, [self.x], &mut Squares { offset, norms: slot, stride: 1 });
            met += tile.size();
            let bound = self.contest.score(class, slot[0]);
            let behind = |lane: usize| bound.entries()[lane] < least.entries()[lane];
            if (0..T::Lanes::COUNT).fold(true, |all, lane| all & behind(lane)) {
                slot[0] = T::Lanes::splat(T::neg_infinity());
                return met;
            }
        }
        slot[0] = self.contest.score(class, slot[0]);
        met
    }
}
