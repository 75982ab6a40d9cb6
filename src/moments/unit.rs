//! Weights in units of their own: powers of two, so that no digit changes. Sums of weights, and of squares times weights,
//! then neither overflow nor underflow because of the weights, and multiples of weights by a power of two give the same
//! bits.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Sums of weights with which products and squares of usual data neither overflow nor underflow.
const ORDINARY: RangeInclusive<f64> = 1e-60..=1e60;

/// Weights divided by a power of two for each class, so that the largest of a class lies between 1 and 2.
#[derive(Debug)]
pub(crate) struct UnitWeights<'a> {
    weights: Option<Cow<'a, [f64]>>,
    exponents: Vec<i32>,
}

impl<'a> UnitWeights<'a> {
    /// Weights in a unit for each class.
    pub(crate) fn of_classes(weights: Option<&'a [f64]>, labels: &[u32], n_classes: usize) -> Self {
        let mut largest = vec![0.0_f64; n_classes];
        for (&weight, &label) in weights.unwrap_or_default().iter().zip(labels) {
            let largest = &mut largest[label as usize];
            *largest = largest.max(weight);
        }
        Self::new(weights, labels, largest.into_iter().map(exponent).collect())
    }

    /// Weights in one unit for all classes.
    pub(crate) fn common(weights: Option<&'a [f64]>, labels: &[u32], n_classes: usize) -> Self {
        let largest =
            weights.unwrap_or_default().iter().fold(0.0_f64, |largest, &weight| largest.max(weight));
        Self::new(weights, labels, vec![exponent(largest); n_classes])
    }

    fn new(weights: Option<&'a [f64]>, labels: &[u32], exponents: Vec<i32>) -> Self {
        let in_units = |weights: &'a [f64]| match exponents.iter().all(|&exponent| exponent == 0) {
            true => Cow::Borrowed(weights),
            false => {
                let pairs = weights.iter().zip(labels);
                pairs.map(|(&weight, &label)| times_two_to(weight, -exponents[label as usize])).collect()
            }
        };
        Self { weights: weights.map(in_units), exponents }
    }

    /// One unit for all classes, without weights: their own, unless sums of this size call for another.
    pub(crate) fn of_size(size: f64, n_classes: usize) -> UnitWeights<'static> {
        let usual = ORDINARY.contains(&size) || size == 0.0;
        UnitWeights { weights: None, exponents: vec![if usual { 0 } else { exponent(size) }; n_classes] }
    }

    /// Other weights in the same units.
    pub(crate) fn of<'b>(&self, weights: Option<&'b [f64]>, labels: &[u32]) -> UnitWeights<'b> {
        match weights {
            None if self.exponents.iter().any(|&exponent| exponent != 0) => {
                let ones: Vec<f64> =
                    labels.iter().map(|&label| times_two_to(1.0, -self.exponents[label as usize])).collect();
                UnitWeights { weights: Some(Cow::Owned(ones)), exponents: self.exponents.clone() }
            }
            weights => UnitWeights::new(weights, labels, self.exponents.clone()),
        }
    }

    /// The units, without the weights.
    pub(crate) fn alone(&self) -> UnitWeights<'static> {
        UnitWeights { weights: None, exponents: self.exponents.clone() }
    }

    /// Whether the unit of a class is 1.
    pub(crate) fn is_plain(&self, class: usize) -> bool {
        self.exponents.get(class).is_none_or(|&exponent| exponent == 0)
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.exponents.len()
    }

    pub(crate) fn as_deref(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// A sum of weights of a class in its unit.
    pub(crate) fn convert(&self, sum: f64, class: usize) -> f64 {
        times_two_to(sum, -self.exponents[class])
    }

    /// A sum of weights of a class as it is without the unit; without classes there is nothing to restore.
    pub(crate) fn restore(&self, sum: f64, class: usize) -> f64 {
        times_two_to(sum, self.exponents.get(class).copied().unwrap_or(0))
    }
}

/// e with 2^e ≤ x < 2^(e + 1); 0 for x = 0.
pub(super) fn exponent(x: f64) -> i32 {
    const BELOW_NORMAL: i32 = 64;
    match x {
        0.0 => 0,
        _ if x < f64::MIN_POSITIVE => exponent(times_two_to(x, BELOW_NORMAL)) - BELOW_NORMAL,
        _ => (x.to_bits() >> 52 & 0x7ff) as i32 - 1023,
    }
}

/// x · 2^e for |e| up to 1100, rounded once at most; in steps, since no double holds all such powers.
pub(super) fn times_two_to(x: f64, e: i32) -> f64 {
    let third = e / 3;
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    match e {
        0 => x,
        _ => x * power(third) * power(third) * power(e - 2 * third),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_largest_weight_of_a_class_lies_between_1_and_2(
            weights in prop::collection::vec((0.0_f64..1e3, -1070_i32..1000), 1..20), classes in 1_u32..4,
        ) {
            let weights: Vec<f64> = weights.into_iter().map(|(weight, e)| times_two_to(weight, e)).collect();
            let labels: Vec<u32> = (0..weights.len() as u32).map(|row| row % classes).collect();
            let unit = UnitWeights::of_classes(Some(&weights), &labels, classes as usize);
            for class in 0..classes {
                let of_class = |weights: &[f64]| {
                    weights.iter().zip(&labels).filter(|(_, label)| **label == class).fold(0.0_f64, |a, (w, _)| a.max(*w))
                };
                let (before, after) = (of_class(&weights), of_class(unit.as_deref().unwrap()));
                prop_assert!(before == 0.0 || (1.0..2.0).contains(&after), "{before} became {after}");
                prop_assert_eq!(unit.restore(after, class as usize), before);
            }
        }
    }

    #[test]
    fn powers_of_two_are_exact_and_subnormal_results_rounded_once() {
        let smallest = f64::from_bits(1);
        assert_eq!((exponent(smallest), exponent(1.0), exponent(f64::MAX)), (-1074, 0, 1023));
        assert_eq!(times_two_to(smallest, 1074), 1.0);
        assert_eq!(times_two_to(1.0, -1074), smallest);
        // halfway between two subnormals and a little more, which must not be rounded to halfway first
        let above_half = 1.5 + f64::EPSILON;
        assert_eq!(times_two_to(above_half, -1074), 2.0 * smallest);
        assert_eq!(times_two_to(f64::MAX, -1023).to_bits(), times_two_to(1.0, 0).to_bits() + (1 << 52) - 1);
    }
}
