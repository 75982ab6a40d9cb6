//! How typical rows are of a class: the probability that a row of the class lies farther from its mean.

use std::f64::consts::PI;

/// Halves of squared distances below which neither exp(−h) nor the sums leave the range of a double.
const MODERATE: f64 = 700.0;

/// The tail beyond is 0, and its terms would overflow.
const FAR: f64 = 1e100;

/// Sums are brought down whenever they exceed this.
const LARGE: f64 = 1e200;

/// Degrees from which on few of the terms matter, and are added from the largest on.
const MANY: usize = 64;

/// The upper tail of a χ² distribution.
///
/// With f = 0 for an even and ½ for an odd number of degrees, and h = x / 2, it is
/// e^(−h) Σ_i h^(i+f) / Γ(i+f+1) over 0 ≤ i + f < degrees / 2, and for an odd number erfc(√h) besides (Abramowitz and
/// Stegun, 26.4.4 and 26.4.5): no term is negative, so that no digits are lost.
#[derive(Debug, Clone)]
pub(crate) struct ChiSquareTail {
    degrees: usize,
    odd: bool,
    /// 1 / (i + f) for i ≥ 1, the last first; none for a single degree or none, which have no sum.
    ratios: Option<Vec<f64>>,
}

impl ChiSquareTail {
    pub(crate) fn new(degrees: usize) -> Self {
        let odd = degrees % 2 == 1;
        let fraction = if odd { 0.5 } else { 0.0 };
        let ratio = |i: usize| (i as f64 + fraction).recip();
        let ratios = (degrees > 1 && degrees < MANY).then(|| (1..degrees / 2).rev().map(ratio).collect());
        Self { degrees, odd, ratios }
    }

    /// The probability of a value above `x`.
    pub(crate) fn above(&self, x: f64) -> f64 {
        let half = (0.5 * x).min(FAR);
        if self.degrees == 0 {
            return 1.0; // without degrees of freedom nothing can be farther away
        }
        if self.degrees >= MANY {
            return above_many(0.5 * self.degrees as f64, half);
        }
        let sum = self.ratios.as_ref().map_or(0.0, |ratios| match half < MODERATE {
            true => self.first_term(half) * (-half).exp() * horner(ratios, half),
            false => self.first_term(half) * (ln_horner(ratios, half) - half).exp(),
        });
        let rest = if self.odd { libm::erfc(half.sqrt()) } else { 0.0 };
        (sum + rest).min(1.0)
    }

    /// h^f / Γ(f + 1).
    fn first_term(&self, half: f64) -> f64 {
        if self.odd { 2.0 * (half / PI).sqrt() } else { 1.0 }
    }
}

/// The tail for a = degrees / 2 that is not small: of values above a the terms from the last one down,
/// h^(a−1) e^(−h) / Γ(a) (1 + (a−1) / h (1 + (a−2) / h (…))), else 1 less the terms that follow,
/// h^a e^(−h) / Γ(a+1) (1 + h / (a+1) (1 + h / (a+2) (…))). Either way they only shrink. Below the first of the former lies
/// what erfc is for a half of an odd number, and matters as little.
fn above_many(a: f64, half: f64) -> f64 {
    match half < a {
        true => 1.0 - poisson(a, half) * sum_products(|i| half / (a + i)),
        false => poisson(a, half) * (a / half) * sum_products(|i| (a - i).max(0.0) / half),
    }
}

/// h^a e^(−h) / Γ(a + 1), by Stirling's series, and so that little cancels where h is near a (Loader, 2000).
fn poisson(a: f64, half: f64) -> f64 {
    let u = (half - a) / a;
    let square = (a * a).recip();
    let stirling = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - square / 1680.0) * square) * square) / a;
    (-a * (u - u.ln_1p()) - stirling).exp() / (2.0 * PI * a).sqrt()
}

/// 1 + r₁ + r₁r₂ + r₁r₂r₃ + …, until nothing is added; ratios shrink, from no more than 1.
fn sum_products(ratio: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut product, mut i) = (1.0, 1.0, 0.0);
    loop {
        // Four at once, so that they need not wait for each other.
        let [first, second, third, fourth] = [1.0, 2.0, 3.0, 4.0].map(|place| ratio(i + place));
        let (two, last_two) = (first * second, third * fourth);
        let added = product * ((first + two) + two * (third + last_two));
        sum += added;
        product *= two * last_two;
        i += 4.0;
        if added <= f64::EPSILON * 0.25 * sum {
            return sum;
        }
    }
}

/// 1 + r₁h (1 + r₂h (1 + …)).
fn horner(ratios: &[f64], half: f64) -> f64 {
    ratios.iter().fold(1.0, |sum, ratio| 1.0 + sum * (ratio * half))
}

/// The logarithm of the same, where it may overflow.
fn ln_horner(ratios: &[f64], half: f64) -> f64 {
    let (mut sum, mut one, mut taken) = (1.0, 1.0, 0.0);
    for ratio in ratios {
        sum = one + sum * (ratio * half);
        if sum > LARGE {
            (sum, one, taken) = (sum / LARGE, one / LARGE, taken + LARGE.ln());
        }
    }
    sum.ln() + taken
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Degrees, value and tail, from 50-digit arithmetic.
    const EXACT: [(usize, f64, f64); 18] = [
        (1, 0.5, 0.4795001221869535),
        (1, 40.0, 2.539628589470865e-10),
        (2, 3.0, 0.22313016014842982),
        (3, 0.01, 0.9997348349413444),
        (3, 12.5, 0.005852662593326733),
        (4, 700.0, 3.4852862290890077e-150),
        (7, 1.25, 0.9897297281569234),
        (10, 9.5, 0.4853975577785967),
        (10, 60.0, 3.624300952061488e-9),
        (50, 1390.0, 3.940069871026306e-258),
        (51, 40.0, 0.8668774420240073),
        (200, 1500.0, 1.0036428290614339e-197),
        (784, 784.0, 0.4932833626918668),
        (785, 1600.0, 4.912346933402165e-58),
        (1001, 1001.0, 0.4940558252393927),
        (2000, 1401.0, 1.0),
        (2001, 2300.0, 3.0916110476902875e-6),
        (5000, 5100.0, 0.15863934861940396),
    ];

    #[test]
    fn tails_are_those_of_50_digit_arithmetic() {
        for (degrees, x, exact) in EXACT {
            let tail = ChiSquareTail::new(degrees).above(x);
            assert!((tail / exact - 1.0).abs() < 2e-12, "{degrees} degrees above {x}: {tail:e}");
        }
    }

    #[test]
    fn the_two_ways_agree_where_they_meet() {
        // P(X_{d+2} > x) − P(X_d > x) is one term, whichever way the tails are found
        for (degrees, x) in [(MANY - 2, 50.0), (MANY - 2, 62.0), (MANY - 1, 63.0), (MANY - 1, 150.0)] {
            let [less, more] = [degrees, degrees + 2].map(|degrees| ChiSquareTail::new(degrees).above(x));
            let term = poisson(0.5 * degrees as f64, 0.5 * x);
            assert!(((more - less) / term - 1.0).abs() < 1e-12, "{degrees} {x}: {less} {more} {term}");
        }
    }

    #[test]
    fn nothing_lies_below_zero_or_above_infinity() {
        for degrees in [1, 2, 3, 4, 9, 10, 1001, 2000] {
            let tail = ChiSquareTail::new(degrees);
            assert_eq!((tail.above(0.0), tail.above(1e300)), (1.0, 0.0));
        }
    }
}
