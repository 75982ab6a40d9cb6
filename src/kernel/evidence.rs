//! Bayes' rule for groups of rows: the class of the largest score, and the scores as shares of their sum.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};

/// Of one group of rows: the largest score, its class (the first of equal ones), and what the others add to it:
/// Σ_k exp s_k = exp(largest) (1 + others).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<L> {
    pub(crate) largest: L,
    /// In the type of the scores, which holds it exactly.
    pub(crate) class: L,
    pub(crate) others: L,
}

/// How scores come from what was measured: (top_k − q / 2) + term_k of distances q, s + term_k of linear scores s.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a, T: Lane> {
    pub(crate) tops: Option<&'a [T]>,
    pub(crate) added: Added<'a, T>,
}

/// What is added to the scores.
#[derive(Clone, Copy)]
pub(crate) enum Added<'a, T: Lane> {
    /// The same for all rows, one for each class.
    Common(&'a [T]),
    /// For each row its own: [group][class].
    PerLane(&'a [T::Lanes]),
    /// Nothing.
    Nothing,
}

/// The worst of some values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worst {
    Finite,
    Infinite,
    NotANumber,
}

/// Writes the scores of each group ([group][class]) and their largest; scores that are not numbers do not count. `others`
/// stays 0. Tells the worst of what was measured.
pub(crate) fn rate<T: Lane>(
    measured: &[T::Lanes],
    terms: Terms<'_, T>,
    scores: &mut [T::Lanes],
    evidence: &mut [Evidence<T::Lanes>],
) -> Worst {
    dispatch(Level::current(), Rate { measured, terms, scores, evidence })
}

/// Replaces every score by exp(score − largest), and adds them up.
pub(crate) fn exponentials<T: Lane>(scores: &mut [T::Lanes], evidence: &mut [Evidence<T::Lanes>]) {
    dispatch(Level::current(), Exponentials::<T> { scores, evidence });
}

/// Divides the exponentials of each group by their sum.
pub(crate) fn divide<T: Lane>(exponentials: &mut [T::Lanes], evidence: &[Evidence<T::Lanes>]) {
    dispatch(Level::current(), Divide::<T> { exponentials, evidence });
}

/// Whether nothing is infinite or NaN.
pub(crate) fn all_finite<T: Lane>(values: &[T::Lanes]) -> bool {
    dispatch(Level::current(), AllFinite::<T>(values))
}

struct AllFinite<'a, T: Lane>(&'a [T::Lanes]);

impl<T: Lane> Kernel for AllFinite<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> bool {
        let zero = T::Lanes::splat(T::zero());
        all_zero::<T>(self.0.iter().fold(zero, |zeros, values| zeros.add_scaled::<I>(T::zero(), *values)))
    }
}

/// Zero times anything is zero unless it is infinite or NaN.
#[inline(always)]
fn all_zero<T: Lane>(zeros: T::Lanes) -> bool {
    zeros.entries().iter().all(|&zero| zero == T::zero())
}

struct Rate<'a, T: Lane> {
    measured: &'a [T::Lanes],
    terms: Terms<'a, T>,
    scores: &'a mut [T::Lanes],
    evidence: &'a mut [Evidence<T::Lanes>],
}

impl<T: Lane> Kernel for Rate<'_, T> {
    type Output = Worst;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Worst {
        let classes = (self.measured.len() / self.evidence.len().max(1)).max(1);
        // What is added is known outside the loop, so that there is no branch inside.
        match self.terms.added {
            Added::Common(terms) => {
                let terms = &terms[..classes];
                self.rate::<I>(classes, |_, class, score| score.plus(terms[class]))
            }
            Added::PerLane(terms) => self.rate::<I>(classes, |first, class, score| {
                score.add_scaled::<I>(T::one(), terms[first + class])
            }),
            Added::Nothing => self.rate::<I>(classes, |_, _, score| score),
        }
    }
}

impl<T: Lane> Rate<'_, T> {
    /// `add` is given the number of the group's first score, the class, and the score.
    #[inline(always)]
    fn rate<I: Instance>(self, classes: usize, add: impl Fn(usize, usize, T::Lanes) -> T::Lanes) -> Worst {
        let tops = self.terms.tops;
        let mut zeros = T::Lanes::splat(T::zero());
        let groups = self.measured.chunks_exact(classes).zip(self.scores.chunks_exact_mut(classes));
        for (group, ((measured, scores), evidence)) in groups.zip(self.evidence).enumerate() {
            let mut best = Evidence::<T::Lanes>::none::<T>();
            for class in 0..classes {
                let value = measured[class];
                zeros = zeros.add_scaled::<I>(T::zero(), value);
                let score = tops.map_or(value, |tops| value.top_minus_half(tops[class]));
                let score = add(group * classes, class, score);
                scores[class] = score;
                best.update::<T>(class, score);
            }
            *evidence = best;
        }
        let is_lost = |values: &T::Lanes| values.entries().iter().any(|value| value.is_nan());
        match all_zero::<T>(zeros) {
            true => Worst::Finite,
            false if self.measured.iter().any(is_lost) => Worst::NotANumber,
            false => Worst::Infinite,
        }
    }
}

impl<L> Evidence<L> {
    pub(crate) fn none<T: Lane<Lanes = L>>() -> Self
    where
        L: Lanes<T>,
    {
        let zero = L::splat(T::zero());
        Self { largest: L::splat(T::neg_infinity()), class: zero, others: zero }
    }

    #[inline(always)]
    fn update<T: Lane<Lanes = L>>(&mut self, class: usize, score: L)
    where
        L: Lanes<T>,
    {
        let (class, largest, best) = (T::rounded(class as f64), self.largest, self.class);
        let larger = |lane: usize| score.entries()[lane] > largest.entries()[lane];
        self.class = L::from_fn(|lane| if larger(lane) { class } else { best.entries()[lane] });
        self.largest =
            L::from_fn(|lane| if larger(lane) { score.entries()[lane] } else { largest.entries()[lane] });
    }
}

struct Exponentials<'a, T: Lane> {
    scores: &'a mut [T::Lanes],
    evidence: &'a mut [Evidence<T::Lanes>],
}

impl<T: Lane> Kernel for Exponentials<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let classes = self.scores.len() / self.evidence.len();
        for (scores, evidence) in self.scores.chunks_exact_mut(classes).zip(self.evidence) {
            let Evidence { largest, class: best, mut others } = *evidence;
            for (class, score) in scores.iter_mut().enumerate() {
                let class = T::rounded(class as f64);
                let below = |lane: usize| score.entries()[lane] - largest.entries()[lane];
                let exp = T::Lanes::from_fn(|lane| below(lane).exp_below_zero::<I>());
                // The largest is left out: its 1 would swallow what small ones add.
                others = T::Lanes::from_fn(|lane| {
                    let another = if best.entries()[lane] == class { T::zero() } else { exp.entries()[lane] };
                    others.entries()[lane] + another
                });
                *score = exp;
            }
            evidence.others = others;
        }
    }
}

struct Divide<'a, T: Lane> {
    exponentials: &'a mut [T::Lanes],
    evidence: &'a [Evidence<T::Lanes>],
}

impl<T: Lane> Kernel for Divide<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let classes = self.exponentials.len() / self.evidence.len();
        for (exponentials, evidence) in self.exponentials.chunks_exact_mut(classes).zip(self.evidence) {
            let sum = T::Lanes::from_fn(|lane| T::one() + evidence.others.entries()[lane]);
            for exp in exponentials {
                *exp = T::Lanes::from_fn(|lane| exp.entries()[lane] / sum.entries()[lane]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The evidence of one row, and its exponentials.
    fn of_row(scores: &[f64]) -> (Evidence<[f64; 8]>, Vec<f64>) {
        let measured: Vec<_> = scores.iter().map(|&score| [score; 8]).collect();
        let mut lanes = measured.clone();
        let mut evidence = [Evidence::none::<f64>()];
        let terms = Terms { tops: None, added: Added::Nothing };
        rate::<f64>(&measured, terms, &mut lanes, &mut evidence);
        exponentials::<f64>(&mut lanes, &mut evidence);
        (evidence[0], lanes.iter().map(|lanes| lanes[5]).collect())
    }

    #[test]
    fn tiny_doubts_survive() {
        // 1 − 1e-30 rounds to 1, but its logarithm is not 0
        let (evidence, _) = of_row(&[0.0, 1e-30_f64.ln()]);
        assert!((evidence.others[5] / 1e-30 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn of_equal_scores_the_first_is_the_largest() {
        let (evidence, exponentials) = of_row(&[-2e6, -1e6, -1e6]);
        assert_eq!((evidence.class[5], evidence.largest[5], evidence.others[5]), (1.0, -1e6, 1.0));
        assert_eq!(exponentials, [0.0, 1.0, 1.0]);
    }

    #[test]
    fn impossible_classes_are_no_evidence() {
        let (evidence, exponentials) = of_row(&[f64::NEG_INFINITY, -3.0, f64::NAN]);
        assert_eq!((evidence.class[5], evidence.largest[5], evidence.others[5]), (1.0, -3.0, 0.0));
        assert_eq!(exponentials, [0.0, 1.0, 0.0]);
        assert_eq!(of_row(&[f64::NEG_INFINITY; 2]).0.largest[5], f64::NEG_INFINITY);
    }
}
