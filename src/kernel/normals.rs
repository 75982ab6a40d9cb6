//! Standard normal numbers, as many side by side as there are lanes of doubles.
//!
//! Each lane has a generator of its own (xoshiro256++; Blackman and Vigna, 2021), and two numbers of each make two normal ones
//! (Box and Muller, 1958): none is rejected, so that lanes stay in step.

use std::f64::consts::FRAC_PI_4;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::multiply_add;
use super::log::LnOnePlus;

const LANES: usize = 8;

/// Normal numbers that are made at once.
const BATCH: usize = 2 * LANES;

type Words = [u64; LANES];

/// An endless row of normal numbers.
#[derive(Debug, Clone)]
pub(crate) struct Normals {
    words: [Words; 4],
}

impl Normals {
    /// The generators begin with words that someone else drew.
    pub(crate) fn new(mut word: impl FnMut() -> u64) -> Self {
        Self { words: std::array::from_fn(|_| std::array::from_fn(|_| word())) }
    }

    /// Draws as many as there is room for.
    pub(crate) fn fill(&mut self, out: &mut [f64]) {
        dispatch(Level::current(), Fill { words: &mut self.words, out });
    }
}

struct Fill<'a> {
    words: &'a mut [Words; 4],
    out: &'a mut [f64],
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let mut words = *self.words;
        let (batches, rest) = self.out.as_chunks_mut::<BATCH>();
        for batch in batches {
            batch.as_chunks_mut().0.copy_from_slice(&draw::<I>(&mut words));
        }
        if !rest.is_empty() {
            rest.copy_from_slice(&draw::<I>(&mut words).as_flattened()[..rest.len()]);
        }
        *self.words = words;
    }
}

/// The next number of each generator.
#[inline(always)]
fn next([a, b, c, d]: &mut [Words; 4]) -> Words {
    let drawn = std::array::from_fn(|i| a[i].wrapping_add(d[i]).rotate_left(23).wrapping_add(a[i]));
    let shifted = b.map(|word| word << 17);
    *c = xor(*c, *a);
    *d = xor(*d, *b);
    *b = xor(*b, *c);
    *a = xor(*a, *d);
    *c = xor(*c, shifted);
    *d = d.map(|word| word.rotate_left(45));
    drawn
}

#[inline(always)]
fn xor(a: Words, b: Words) -> Words {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// A number from 1 up to 2, by the upper 52 bits.
#[inline(always)]
fn from_one_to_two(word: u64) -> f64 {
    f64::from_bits(1.0_f64.to_bits() | (word >> 12))
}

/// r cos and r sin of an angle, where r² = −2 ln u. The angle is at most a half of a right one, to either side; whether the
/// cosine changes its sign, and both their places, two bits say that are left.
#[inline(always)]
fn draw<I: Instance>(words: &mut [Words; 4]) -> [[f64; LANES]; 2] {
    let (lengths, angles) = (next(words), next(words));
    // u = 2 − …, which is never 0, and exact.
    let lengths = lengths.map(|word| -2.0 * (2.0 - from_one_to_two(word)).ln_and::<I>(0.0)).map(f64::sqrt);
    let radians = angles.map(|word| (from_one_to_two(word) - 1.5) * (2.0 * FRAC_PI_4));
    let squares = radians.map(|angle| angle * angle);
    let series = |terms: [f64; 8]| {
        let sum = |square| terms.into_iter().reduce(|sum, term| multiply_add::<I, f64>(sum, square, term));
        squares.map(|square| sum(square).unwrap_or_default())
    };
    let (sin, cos) = (series(SIN), series(COS));
    let x: [f64; LANES] = std::array::from_fn(|lane| {
        let cos = multiply_add::<I, f64>(cos[lane], squares[lane], 1.0);
        f64::from_bits((lengths[lane] * cos).to_bits() ^ (angles[lane] << 63))
    });
    let y: [f64; LANES] = std::array::from_fn(|lane| lengths[lane] * (radians[lane] * sin[lane]));
    let swap = |lane: usize| angles[lane] & 2 == 0;
    [
        std::array::from_fn(|lane| if swap(lane) { y[lane] } else { x[lane] }),
        std::array::from_fn(|lane| if swap(lane) { x[lane] } else { y[lane] }),
    ]
}

/// Terms of the series of sin x / x, the last first, and of cos x but for the 1.
const SIN: [f64; 8] = reciprocals_of_factorials(1);
const COS: [f64; 8] = reciprocals_of_factorials(2);

/// ± 1 / (2k + least)!, the last first; −1 / 2! and 1 / 1! come last.
const fn reciprocals_of_factorials(least: usize) -> [f64; 8] {
    let mut terms = [0.0; 8];
    let mut k = 0;
    while k < terms.len() {
        let mut factorial = 1.0;
        let mut i = 2;
        while i <= 2 * k + least {
            factorial *= i as f64;
            i += 1;
        }
        let negative = (2 * k + least) / 2 % 2 == 1;
        terms[terms.len() - 1 - k] = if negative { -1.0 / factorial } else { 1.0 / factorial };
        k += 1;
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Noise;

    const COUNT: usize = 1 << 20;

    fn drawn(seed: u64, count: usize) -> Vec<f64> {
        let (mut noise, mut normals) = (Noise(seed), vec![f64::NAN; count]);
        Normals::new(|| noise.next()).fill(&mut normals);
        normals
    }

    #[test]
    #[cfg_attr(miri, ignore = "a million numbers")]
    fn their_distribution_is_the_normal_one() {
        for (level, mut normals) in Level::each(|| drawn(7, COUNT)) {
            normals.sort_unstable_by(f64::total_cmp);
            let n = COUNT as f64;
            let share = |z: f64| 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
            let gaps =
                normals.iter().enumerate().map(|(rank, &z)| (share(z) - (rank as f64 + 0.5) / n).abs());
            let largest = gaps.fold(0.0, f64::max) * n.sqrt();
            assert!(largest < 1.63, "{level:?}: {largest}"); // Kolmogorov's 1 %
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "a million numbers")]
    fn those_that_come_from_the_same_words_do_not_depend_on_each_other() {
        for (level, normals) in Level::each(|| drawn(11, COUNT)) {
            // neighbors, pairs that were made together, and one lane's numbers in a row; themselves and their squares
            for apart in [1, LANES, BATCH] {
                let moved = normals.iter().zip(&normals[apart..]);
                let plain: f64 = moved.clone().map(|(a, b)| a * b).sum();
                let squares: f64 = moved.map(|(a, b)| (a * a - 1.0) * (b * b - 1.0)).sum();
                let root = (COUNT as f64).sqrt();
                assert!(
                    plain.abs() < 4.0 * root && squares.abs() < 8.0 * root,
                    "{level:?}, {apart}: {plain} {squares}"
                );
            }
        }
    }

    #[test]
    fn instances_agree_but_for_rounding() {
        let all = Level::each(|| drawn(3, 1001));
        for (level, normals) in &all {
            let same = normals.iter().zip(&all[0].1).all(|(a, b)| (a - b).abs() <= 1e-14 * b.abs().max(1.0));
            assert!(same, "{level:?}");
        }
    }

    #[test]
    fn the_longest_and_the_shortest_are_finite() {
        // words that begin with 1s make u smallest, those that begin with 0s make it 1
        assert_eq!((2.0 - from_one_to_two(u64::MAX), from_one_to_two(0)), (f64::EPSILON, 1.0));
        for words in [0, u64::MAX] {
            for (level, normals) in Level::each(|| draw_of(words)) {
                assert!(normals.iter().all(|z| z.is_finite() && z.abs() < 8.5), "{level:?}: {normals:?}");
            }
        }
    }

    /// What is made of generators whose first number is given.
    fn draw_of(first: u64) -> Vec<f64> {
        // a + d = 0 and a = the number, so that the sum that is turned vanishes
        let mut state = [first, 1, 2, first.wrapping_neg()].into_iter().flat_map(|word| [word; LANES]);
        let mut normals = vec![f64::NAN; BATCH];
        Normals::new(|| state.next().unwrap_or_default()).fill(&mut normals);
        normals
    }
}
