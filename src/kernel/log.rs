//! ln(1 + x) without a branch, so that lanes compute it side by side.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes, multiply_add};

/// A type with such a logarithm.
pub(crate) trait LnOnePlus: Copy {
    /// ln(1 + self) for finite self whose sum with 1 is positive and no less than ε, to about two units in the last place. In
    /// single precision of the rounded sum, so that log-posteriors agree with posteriors that round to 1.
    fn ln_one_plus<I: Instance>(self) -> Self;
    /// (ln self) + small, where self is no less than ε.
    fn ln_and<I: Instance>(self, small: Self) -> Self;
}

/// ln u = e ln 2 + ln m with u = 2^e m and √½ ≤ m < √2; ln m = 2 artanh s with s = (m − 1) / (m + 1), |s| < 0.172, where
/// the series is exact to rounding. The integer arithmetic subtracts √½, so that the exponent is rounded to that range.
macro_rules! ln_one_plus {
    ($float:ty, $bits:ty, $ln_2:expr, $series:expr, $lost:expr) => {
        impl LnOnePlus for $float {
            #[inline(always)]
            fn ln_one_plus<I: Instance>(self) -> Self {
                let u: $float = 1.0 + self;
                let lost: fn($float, $float) -> $float = $lost;
                u.ln_and::<I>(lost(self, u))
            }

            #[inline(always)]
            fn ln_and<I: Instance>(self, small: Self) -> Self {
                const MANTISSA: u32 = <$float>::MANTISSA_DIGITS - 1;
                const ROOT: $bits = (std::f64::consts::FRAC_1_SQRT_2 as $float).to_bits();
                // Whole numbers below 2^MANTISSA, as they stand in the low bits of this.
                const WHOLE: $float = (1_u64 << MANTISSA) as $float;
                // Added to exponents, so that none is negative.
                const BIAS: $bits = 64;
                let one: $float = 1.0;
                let bits = self.to_bits().wrapping_add(BIAS << MANTISSA);
                let exponent = bits.wrapping_sub(ROOT) >> MANTISSA;
                let m = <$float>::from_bits(bits.wrapping_sub(exponent << MANTISSA));
                let e = <$float>::from_bits(WHOLE.to_bits() | exponent) - (WHOLE + BIAS as $float);
                let s = (m - one) / (m + one);
                let square = s * s;
                let series =
                    $series.into_iter().reduce(|sum, term| multiply_add::<I, $float>(sum, square, term));
                let double = s + s;
                let ln_m = multiply_add::<I, $float>(double * square, series.unwrap_or_default(), double);
                let [ln_2_high, ln_2_low] = $ln_2;
                let low = multiply_add::<I, $float>(e, ln_2_low, ln_m) + small;
                multiply_add::<I, $float>(e, ln_2_high, low)
            }
        }
    };
}

/// 1/25, …, 1/5, 1/3.
const SERIES: [f64; 12] = {
    let mut terms = [0.0; 12];
    let mut k = 0;
    while k < terms.len() {
        terms[k] = 1.0 / (25 - 2 * k) as f64;
        k += 1;
    }
    terms
};

/// The last terms, as many as single precision can tell.
const SERIES_SINGLE: [f32; 4] = [1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0];

// What rounding took from 1 + x comes back in double precision.
ln_one_plus!(
    f64,
    u64,
    [f64::from_bits(0x3fe6_2e42_fee0_0000), 1.908_214_929_270_587_7e-10],
    SERIES,
    |x, u| (x - (u - 1.0)) / u
);
ln_one_plus!(f32, u32, [0.693_359_4, -2.121_944_4e-4], SERIES_SINGLE, |_, _| 0.0);

/// Replaces every value x ≥ 0 by ln(1 + x).
pub(crate) fn logarithms<T: Lane>(values: &mut [T::Lanes]) {
    dispatch(Level::current(), Logarithms::<T>(values));
}

struct Logarithms<'a, T: Lane>(&'a mut [T::Lanes]);

impl<T: Lane> Kernel for Logarithms<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        for values in self.0 {
            *values = T::Lanes::from_fn(|lane| values.entries()[lane].ln_one_plus::<I>());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Log<T>(T);

    impl<T: LnOnePlus> Kernel for Log<T> {
        type Output = T;

        #[inline(always)]
        fn run<I: Instance>(self, _: I) -> T {
            self.0.ln_one_plus::<I>()
        }
    }

    proptest! {
        #[test]
        fn every_instance_agrees_with_the_standard_library(power in -320.0..6.0_f64, near in 0.0..4.0_f64) {
            for x in [10.0_f64.powf(power), near] {
                for level in Level::available() {
                    let (ours, exact) = (dispatch(level, Log(x)), x.ln_1p());
                    prop_assert!((ours - exact).abs() <= 2.0 * f64::EPSILON * exact, "{x}: {ours} {exact}");
                    let single = x as f32;
                    let (ours, exact) = (dispatch(level, Log(single)), f64::from(1.0 + single).ln() as f32);
                    prop_assert!((ours - exact).abs() <= 2.0 * f32::EPSILON * exact, "{x}: {ours} {exact}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn sums_below_1_have_logarithms_too(power in -15.6..0.0_f64) {
            let x = 10.0_f64.powf(power) - 1.0;
            for level in Level::available() {
                let (ours, exact) = (dispatch(level, Log(x)), x.ln_1p());
                prop_assert!((ours - exact).abs() <= -2.0 * f64::EPSILON * exact, "{x}: {ours} {exact}");
            }
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        for level in Level::available() {
            assert_eq!(dispatch(level, Log(0.0_f64)), 0.0);
            assert_eq!(dispatch(level, Log(0.0_f32)), 0.0);
        }
    }
}
