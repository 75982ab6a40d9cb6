//! Classes that compete for a group of rows: whoever falls behind for good is measured no further.
//!
//! ‖W x − b‖² is a sum of squares, one for each row of W, and the first rows cost the least. Partial sums only grow, even
//! when they are rounded, so a class whose bound lies under the best score so far is out: exactly, not likely.

use super::instance::{Instance, Kernel, dispatch};
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

    /// Scores of one or two groups of rows under the other classes, the second of `ahead` before the rest, against that of
    /// the first, which leads; −∞ for classes that fell behind in every lane. Returns the number of entries that were met.
    pub(crate) fn follow(&self, ahead: [usize; 2], x: &[T::Lanes], scores: &mut [T::Lanes]) -> usize {
        dispatch(self.classes[ahead[0]].tiles.level, Follow { contest: self, ahead, x, scores })
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
    fn run<I: Instance>(self) -> usize {
        let Follow { contest, ahead, x, scores } = self;
        let classes = contest.classes.len();
        let features = x.len() / (scores.len() / classes);
        let (x, one_more) = x.split_at(features);
        if one_more.is_empty() {
            follow::<I, T, 1>(contest, ahead, [x], scores)
        } else if I::ROOMY {
            follow::<I, T, 2>(contest, ahead, [x, one_more], scores)
        } else {
            let (first, second) = scores.split_at_mut(classes);
            follow::<I, T, 1>(contest, ahead, [x], first)
                + follow::<I, T, 1>(contest, ahead, [one_more], second)
        }
    }
}

#[inline(always)]
fn follow<I: Instance, T: Lane, const G: usize>(
    contest: &Contest<'_, T>,
    [leader, second]: [usize; 2],
    x: [&[T::Lanes]; G],
    scores: &mut [T::Lanes],
) -> usize {
    let classes = contest.classes.len();
    let mut met = 0;
    let mut least: [T::Lanes; G] =
        std::array::from_fn(|group| scores[group * classes + leader].less(contest.margin));
    let rest = (0..classes).filter(|&class| class != second);
    for class in std::iter::once(second).chain(rest).filter(|&class| class != leader) {
        met += measure::<I, T, G>(contest, class, x, &least, scores);
        for (group, least) in least.iter_mut().enumerate() {
            let behind = scores[group * classes + class].less(contest.margin);
            *least = T::Lanes::from_fn(|lane| {
                let (behind, least) = (behind.entries()[lane], least.entries()[lane]);
                if behind > least { behind } else { least }
            });
        }
    }
    met
}

/// The score of one class, as far as it matters.
#[inline(always)]
fn measure<I: Instance, T: Lane, const G: usize>(
    contest: &Contest<'_, T>,
    class: usize,
    x: [&[T::Lanes]; G],
    least: &[T::Lanes; G],
    scores: &mut [T::Lanes],
) -> usize {
    let Whitened { tiles, offset } = &contest.classes[class];
    let stride = contest.classes.len();
    // The norms grow in the place of the scores.
    let slots = &mut scores[class..];
    (0..G).for_each(|group| slots[group * stride] = T::Lanes::splat(T::zero()));
    let mut met = 0;
    for tile in &tiles.tiles {
        tiles.meet_tile::<I, T, G>(tile, 0, x, &mut Squares { offset, norms: slots, stride });
        met += G * tile.size();
        let is_behind = |group: usize| {
            let bound = contest.score(class, slots[group * stride]);
            let behind = |lane: usize| bound.entries()[lane] < least[group].entries()[lane];
            (0..T::Lanes::COUNT).fold(true, |all, lane| all & behind(lane))
        };
        if (0..G).fold(true, |all, group| all & is_behind(group)) {
            (0..G).for_each(|group| slots[group * stride] = T::Lanes::splat(T::neg_infinity()));
            return met;
        }
    }
    (0..G).for_each(|group| slots[group * stride] = contest.score(class, slots[group * stride]));
    met
}
