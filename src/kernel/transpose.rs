//! Squares of entries turned: what lay along rows comes to lie across them.
//!
//! The one place where the compiler must be told which instructions to use: left alone, it moves entry by entry.

use super::instance::Instance;

/// Rows and columns of a square.
pub(super) const EDGE: usize = 4;

pub(super) type Square<T> = [[T; EDGE]; EDGE];

/// A type whose squares can be turned.
pub(crate) trait Transpose: Copy {
    fn transposed<I: Instance>(machine: I, square: Square<Self>) -> Square<Self>;
}

impl Transpose for f64 {
    #[inline(always)]
    fn transposed<I: Instance>(_: I, square: Square<f64>) -> Square<f64> {
        #[cfg(target_arch = "x86_64")]
        if I::AVX {
            #[expect(unsafe_code, reason = "instructions of this architecture")]
            // SAFETY: whoever holds the token of this instance runs on a machine that has AVX.
            return unsafe { x86::transposed_f64(square) };
        }
        one_by_one(square)
    }
}

impl Transpose for f32 {
    #[inline(always)]
    fn transposed<I: Instance>(_: I, square: Square<f32>) -> Square<f32> {
        #[cfg(target_arch = "x86_64")]
        return x86::transposed_f32(square);
        #[cfg(not(target_arch = "x86_64"))]
        one_by_one(square)
    }
}

#[inline(always)]
fn one_by_one<T: Copy>(square: Square<T>) -> Square<T> {
    std::array::from_fn(|column| std::array::from_fn(|row| square[row][column]))
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "instructions of this architecture, on arrays of their size")]
mod x86 {
    use std::arch::x86_64::*;
    use std::mem::transmute;

    use super::Square;

    /// # Safety
    /// The machine must have AVX.
    #[inline(always)]
    pub(super) unsafe fn transposed_f64(square: Square<f64>) -> Square<f64> {
        // SAFETY: as the caller says; four doubles are one register.
        unsafe {
            let [a, b, c, d] = transmute::<Square<f64>, [__m256d; 4]>(square);
            let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            transmute::<[__m256d; 4], Square<f64>>([
                _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
                _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
                _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
                _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
            ])
        }
    }

    #[inline(always)]
    pub(super) fn transposed_f32(square: Square<f32>) -> Square<f32> {
        // SAFETY: every x86-64 has SSE; four floats are one register.
        unsafe {
            let [a, b, c, d] = transmute::<Square<f32>, [__m128; 4]>(square);
            let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
            transmute::<[__m128; 4], Square<f32>>([
                _mm_movelh_ps(ab_low, cd_low),
                _mm_movehl_ps(cd_low, ab_low),
                _mm_movelh_ps(ab_high, cd_high),
                _mm_movehl_ps(cd_high, ab_high),
            ])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::{Kernel, Level, dispatch};
    use super::*;

    struct Turn<T>(Square<T>);

    impl<T: Transpose> Kernel for Turn<T> {
        type Output = Square<T>;

        #[inline(always)]
        fn run<I: Instance>(self, machine: I) -> Square<T> {
            T::transposed(machine, self.0)
        }
    }

    #[test]
    fn every_instance_swaps_rows_and_columns() {
        for level in Level::available() {
            let square: Square<f64> = std::array::from_fn(|i| std::array::from_fn(|j| (10 * i + j) as f64));
            assert_eq!(dispatch(level, Turn(square)), one_by_one(square));
            let square = square.map(|row| row.map(|entry| entry as f32));
            assert_eq!(dispatch(level, Turn(square)), one_by_one(square));
        }
    }
}
