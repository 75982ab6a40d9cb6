//! exp of what is not positive, without a branch, so that lanes compute it side by side. (Crates that do so fix the
//! instruction set when they are compiled.)

use super::instance::Instance;
use super::lanes::multiply_add;

/// A type with such an exponential.
pub(crate) trait ExpBelowZero: Copy {
    /// Below this, exp rounds to 0.
    const LOWEST: Self;
    /// exp(self) for self ≤ 0, to about one unit in the last place; 0 for NaN.
    fn exp_below_zero<I: Instance>(self) -> Self;
}

/// exp x = 2ⁿ exp r with n = round(x / ln 2); |r| ≤ ln 2 / 2, where Taylor's polynomial is exact to rounding. Adding
/// 1.5 · 2^(mantissa bits) rounds to whole numbers and leaves them in the low bits; 2ⁿ is multiplied in two halves, because
/// alone it may be too small for a normal number.
macro_rules! exp_below_zero {
    ($float:ty, $lowest:literal, $ln_2:expr, $taylor:expr) => {
        impl ExpBelowZero for $float {
            const LOWEST: Self = $lowest;

            #[inline(always)]
            fn exp_below_zero<I: Instance>(self) -> Self {
                const MANTISSA: u32 = <$float>::MANTISSA_DIGITS - 1;
                const WHOLE: $float = 1.5 * (1_u64 << MANTISSA) as $float;
                const ONE: $float = 1.0;
                let power_of_2 = |n: $float| {
                    let n = (n + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits());
                    <$float>::from_bits(ONE.to_bits().wrapping_add(n << MANTISSA))
                };
                // Lanes that round to 0 compute exp 0 instead: products that underflow cost hundreds of cycles.
                let in_range = self > Self::LOWEST;
                let x = if in_range { self } else { 0.0 };
                let n = multiply_add::<I, $float>(x, std::f64::consts::LOG2_E as $float, WHOLE) - WHOLE;
                let [ln_2_high, ln_2_low] = $ln_2;
                let r = multiply_add::<I, $float>(-n, ln_2_low, multiply_add::<I, $float>(-n, ln_2_high, x));
                let taylor = $taylor.into_iter().reduce(|sum, term| multiply_add::<I, $float>(sum, r, term));
                let half = (n * 0.5 + WHOLE) - WHOLE;
                let exp = taylor.unwrap_or_default() * power_of_2(half) * power_of_2(n - half);
                if in_range { exp } else { 0.0 }
            }
        }
    };
}

/// 1 / 13!, …, 1 / 1!, 1 / 0!.
const TAYLOR: [f64; 14] = {
    let mut terms = [1.0; 14];
    let mut factorial = 1.0;
    let mut k = 1;
    while k < terms.len() {
        factorial *= k as f64;
        terms[terms.len() - 1 - k] = 1.0 / factorial;
        k += 1;
    }
    terms
};

/// The last terms, as many as single precision can tell.
const TAYLOR_SINGLE: [f32; 8] = {
    let mut terms = [0.0; 8];
    let mut k = 0;
    while k < terms.len() {
        terms[k] = TAYLOR[TAYLOR.len() - terms.len() + k] as f32;
        k += 1;
    }
    terms
};

// ln 2 in two parts; n times the first is exact.
exp_below_zero!(f64, -746.0, [f64::from_bits(0x3fe6_2e42_fee0_0000), 1.908_214_929_270_587_7e-10], TAYLOR);
exp_below_zero!(f32, -104.0, [0.693_359_4, -2.121_944_4e-4], TAYLOR_SINGLE);

#[cfg(test)]
mod tests {
    use super::super::instance::{Kernel, Level, dispatch};
    use super::*;
    use proptest::prelude::*;

    struct Exp<T>(T);

    impl<T: ExpBelowZero> Kernel for Exp<T> {
        type Output = T;

        #[inline(always)]
        fn run<I: Instance>(self, _: I) -> T {
            self.0.exp_below_zero::<I>()
        }
    }

    proptest! {
        #[test]
        fn every_instance_agrees_with_the_standard_library(x in -750.0..=0.0_f64) {
            for level in Level::available() {
                let (ours, exact) = (dispatch(level, Exp(x)), x.exp());
                prop_assert!((ours - exact).abs() <= 2.0 * f64::EPSILON * exact + f64::from_bits(1), "{ours} {exact}");
                let (ours, exact) = (dispatch(level, Exp((x / 7.0) as f32)), f64::from((x / 7.0) as f32).exp() as f32);
                prop_assert!((ours - exact).abs() <= 2.0 * f32::EPSILON * exact + f32::from_bits(1), "{ours} {exact}");
            }
        }
    }

    #[test]
    fn the_ends_are_exact() {
        for level in Level::available() {
            assert_eq!(dispatch(level, Exp(0.0_f64)), 1.0);
            assert_eq!(dispatch(level, Exp(0.0_f32)), 1.0);
            for nothing in [f64::NEG_INFINITY, f64::NAN, -745.2] {
                assert_eq!(dispatch(level, Exp(nothing)), 0.0);
            }
            assert_eq!(dispatch(level, Exp(f32::NEG_INFINITY)), 0.0);
        }
    }
}
