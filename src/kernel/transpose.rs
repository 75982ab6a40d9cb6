//! A few columns of as many rows as there are lanes, turned: what lay along rows comes to lie across them.
//!
//! The one place where the compiler must be told which instructions to use, to the end: left alone, it moves entry by entry.

use super::instance::Instance;
use crate::float::Real;

/// Columns that are turned together.
pub(super) const EDGE: usize = 4;

/// Lanes that can be made of rows.
pub(crate) trait FromRows<T>: Sized {
    /// Writes `EDGE` columns of as many rows as there are lanes, less `shift`, given these entries of each row.
    fn write_rows<I: Instance>(
        machine: I,
        row: impl Fn(usize) -> [T; EDGE],
        shift: &[T; EDGE],
        columns: &mut [Self; EDGE],
    );
}

impl FromRows<f64> for [f64; 8] {
    #[inline(always)]
    fn write_rows<I: Instance>(
        _: I,
        row: impl Fn(usize) -> [f64; EDGE],
        shift: &[f64; EDGE],
        columns: &mut [Self; EDGE],
    ) {
        #[cfg(target_arch = "x86_64")]
        if I::AVX {
            #[expect(unsafe_code, reason = "instructions of this architecture")]
            // SAFETY: whoever holds the token of this instance runs on a machine that has AVX, and AVX-512 where it says so.
            return unsafe {
                match I::AVX512 {
                    true => x86::eight_by_avx512(row, shift, columns),
                    false => x86::eight_by_avx(row, shift, columns),
                }
            };
        }
        one_by_one(row, shift, columns);
    }
}

impl FromRows<f32> for [f32; 16] {
    #[inline(always)]
    fn write_rows<I: Instance>(
        _: I,
        row: impl Fn(usize) -> [f32; EDGE],
        shift: &[f32; EDGE],
        columns: &mut [Self; EDGE],
    ) {
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "instructions of this architecture")]
        // SAFETY: as above.
        unsafe {
            match (I::AVX512, I::AVX) {
                (true, _) => x86::sixteen_by_avx512(row, shift, columns),
                (false, true) => x86::sixteen_by_avx(row, shift, columns),
                (false, false) => x86::sixteen_by_sse(row, shift, columns),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        one_by_one(row, shift, columns);
    }
}

#[inline(always)]
fn one_by_one<T: Real, const N: usize>(
    row: impl Fn(usize) -> [T; EDGE],
    shift: &[T; EDGE],
    columns: &mut [[T; N]; EDGE],
) {
    let rows: [[T; EDGE]; N] = std::array::from_fn(row);
    for (j, column) in columns.iter_mut().enumerate() {
        *column = std::array::from_fn(|lane| rows[lane][j] - shift[j]);
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "instructions of this architecture, on arrays of their size")]
mod x86 {
    use std::arch::x86_64::*;
    use std::mem::transmute;

    use super::EDGE;

    /// # Safety
    /// The machine must have AVX-512.
    #[inline(always)]
    pub(super) unsafe fn eight_by_avx512(
        row: impl Fn(usize) -> [f64; EDGE],
        shift: &[f64; EDGE],
        columns: &mut [[f64; 8]; EDGE],
    ) {
        // SAFETY: as the caller says; eight doubles are one register.
        unsafe {
            let (a, b) = (pair_of_four(row(0), row(2)), pair_of_four(row(1), row(3)));
            let (c, d) = (pair_of_four(row(4), row(6)), pair_of_four(row(5), row(7)));
            let (ab_even, ab_odd) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (cd_even, cd_odd) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            let turned = [
                _mm512_shuffle_f64x2::<0x88>(ab_even, cd_even),
                _mm512_shuffle_f64x2::<0x88>(ab_odd, cd_odd),
                _mm512_shuffle_f64x2::<0xdd>(ab_even, cd_even),
                _mm512_shuffle_f64x2::<0xdd>(ab_odd, cd_odd),
            ];
            for j in 0..EDGE {
                _mm512_storeu_pd(columns[j].as_mut_ptr(), _mm512_sub_pd(turned[j], _mm512_set1_pd(shift[j])));
            }
        }
    }

    #[inline(always)]
    unsafe fn pair_of_four(low: [f64; 4], high: [f64; 4]) -> __m512d {
        // SAFETY: called where there is AVX-512.
        unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(four_doubles(low)), four_doubles(high)) }
    }

    /// # Safety
    /// The machine must have AVX.
    #[inline(always)]
    pub(super) unsafe fn eight_by_avx(
        row: impl Fn(usize) -> [f64; EDGE],
        shift: &[f64; EDGE],
        columns: &mut [[f64; 8]; EDGE],
    ) {
        // SAFETY: as the caller says; four doubles are one register.
        unsafe {
            for half in 0..2 {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| row(4 * half + i));
                let (ac, ac_high) =
                    (pair_of_two(a[0], a[1], c[0], c[1]), pair_of_two(a[2], a[3], c[2], c[3]));
                let (bd, bd_high) =
                    (pair_of_two(b[0], b[1], d[0], d[1]), pair_of_two(b[2], b[3], d[2], d[3]));
                let turned = [
                    _mm256_unpacklo_pd(ac, bd),
                    _mm256_unpackhi_pd(ac, bd),
                    _mm256_unpacklo_pd(ac_high, bd_high),
                    _mm256_unpackhi_pd(ac_high, bd_high),
                ];
                for j in 0..EDGE {
                    let to = columns[j][4 * half..][..4].as_mut_ptr();
                    _mm256_storeu_pd(to, _mm256_sub_pd(turned[j], _mm256_set1_pd(shift[j])));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn pair_of_two(a: f64, b: f64, c: f64, d: f64) -> __m256d {
        four_doubles([a, b, c, d])
    }

    #[inline(always)]
    fn four_doubles(entries: [f64; 4]) -> __m256d {
        // SAFETY: four doubles are one register.
        unsafe { transmute::<[f64; 4], __m256d>(entries) }
    }

    #[inline(always)]
    fn four(entries: [f32; 4]) -> __m128 {
        // SAFETY: four floats are one register.
        unsafe { transmute::<[f32; 4], __m128>(entries) }
    }

    /// # Safety
    /// The machine must have AVX-512.
    #[inline(always)]
    pub(super) unsafe fn sixteen_by_avx512(
        row: impl Fn(usize) -> [f32; EDGE],
        shift: &[f32; EDGE],
        columns: &mut [[f32; 16]; EDGE],
    ) {
        // SAFETY: as the caller says; sixteen floats are one register.
        unsafe {
            let a = quad_of_four(row(0), row(4), row(8), row(12));
            let b = quad_of_four(row(1), row(5), row(9), row(13));
            let c = quad_of_four(row(2), row(6), row(10), row(14));
            let d = quad_of_four(row(3), row(7), row(11), row(15));
            let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let turned = [
                _mm512_shuffle_ps::<0x44>(ab_low, cd_low),
                _mm512_shuffle_ps::<0xee>(ab_low, cd_low),
                _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
                _mm512_shuffle_ps::<0xee>(ab_high, cd_high),
            ];
            for j in 0..EDGE {
                _mm512_storeu_ps(columns[j].as_mut_ptr(), _mm512_sub_ps(turned[j], _mm512_set1_ps(shift[j])));
            }
        }
    }

    #[inline(always)]
    unsafe fn quad_of_four(a: [f32; 4], b: [f32; 4], c: [f32; 4], d: [f32; 4]) -> __m512 {
        // SAFETY: called where there is AVX-512.
        unsafe {
            let low = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(four(a)), four(b));
            _mm512_insertf32x4::<3>(_mm512_insertf32x4::<2>(low, four(c)), four(d))
        }
    }

    /// # Safety
    /// The machine must have AVX.
    #[inline(always)]
    pub(super) unsafe fn sixteen_by_avx(
        row: impl Fn(usize) -> [f32; EDGE],
        shift: &[f32; EDGE],
        columns: &mut [[f32; 16]; EDGE],
    ) {
        // SAFETY: as the caller says; eight floats are one register.
        unsafe {
            for half in 0..2 {
                let a = pair_of_singles(row(8 * half), row(8 * half + 4));
                let b = pair_of_singles(row(8 * half + 1), row(8 * half + 5));
                let c = pair_of_singles(row(8 * half + 2), row(8 * half + 6));
                let d = pair_of_singles(row(8 * half + 3), row(8 * half + 7));
                let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                let turned = [
                    _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
                    _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
                    _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
                    _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
                ];
                for j in 0..EDGE {
                    let to = columns[j][8 * half..][..8].as_mut_ptr();
                    _mm256_storeu_ps(to, _mm256_sub_ps(turned[j], _mm256_set1_ps(shift[j])));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn pair_of_singles(low: [f32; 4], high: [f32; 4]) -> __m256 {
        // SAFETY: called where there is AVX.
        unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(four(low)), four(high)) }
    }

    #[inline(always)]
    pub(super) fn sixteen_by_sse(
        row: impl Fn(usize) -> [f32; EDGE],
        shift: &[f32; EDGE],
        columns: &mut [[f32; 16]; EDGE],
    ) {
        for quad in 0..4 {
            // SAFETY: every x86-64 has SSE; four floats are one register.
            unsafe {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| transmute::<[f32; 4], __m128>(row(4 * quad + i)));
                let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
                let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
                let turned = [
                    _mm_movelh_ps(ab_low, cd_low),
                    _mm_movehl_ps(cd_low, ab_low),
                    _mm_movelh_ps(ab_high, cd_high),
                    _mm_movehl_ps(cd_high, ab_high),
                ];
                for j in 0..EDGE {
                    let to = columns[j][4 * quad..][..4].as_mut_ptr();
                    _mm_storeu_ps(to, _mm_sub_ps(turned[j], _mm_set1_ps(shift[j])));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::{Kernel, Level, dispatch};
    use super::*;

    struct Turn<T, const N: usize>([[T; EDGE]; N], [T; EDGE]);

    impl<T: Real, const N: usize> Kernel for Turn<T, N>
    where
        [T; N]: FromRows<T>,
    {
        type Output = [[T; N]; EDGE];

        #[inline(always)]
        fn run<I: Instance>(self, machine: I) -> [[T; N]; EDGE] {
            let mut columns = [[T::zero(); N]; EDGE];
            FromRows::write_rows(machine, |row| self.0[row], &self.1, &mut columns);
            columns
        }
    }

    fn check<T: Real + std::fmt::Debug, const N: usize>()
    where
        [T; N]: FromRows<T>,
    {
        let entry = |i: usize, j: usize| T::rounded((10 * i + j) as f64);
        let shift = std::array::from_fn(|j| T::rounded(j as f64 + 0.5));
        let columns = std::array::from_fn(|j| std::array::from_fn(|i| entry(i, j) - shift[j]));
        for level in Level::available() {
            let rows = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
            assert_eq!(dispatch(level, Turn::<T, N>(rows, shift)), columns);
        }
    }

    #[test]
    fn every_instance_swaps_rows_and_columns() {
        check::<f64, 8>();
        check::<f32, 16>();
    }
}
