//! Cross products of stripes by halves, for registers of 32 bytes: tiles of two are too small for sums not to wait for each
//! other, and of whole stripes there is only room for two.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::Range;

use super::instance::Instance;
use super::scatter::{CrossProducts, PANEL_COLUMNS, add};
use super::stripes::Slot;

/// Columns of half a stripe.
const HALF: usize = PANEL_COLUMNS / 2;

/// An entry of each column of half a stripe.
type Half = [f64; HALF];

impl CrossProducts<'_> {
    /// The columns of a stripe, half of them at a time, by all halves of stripes up to them, three at a time: that takes all
    /// registers. Both halves meet the same ones in turn, which stay in the nearest cache.
    #[inline(always)]
    pub(super) fn by_halves<I: Instance>(&mut self, stripe: usize, columns: usize) {
        let halves = columns.div_ceil(HALF);
        for piece in 0.. {
            for half in 0..halves {
                let others = piece_of(2 * stripe + half + 1, piece);
                match (columns - half * HALF).min(HALF) {
                    _ if others.is_empty() && half + 1 == halves => return,
                    _ if others.is_empty() => {}
                    1 => self.by_some_halves::<I, 1>(stripe, half * HALF, others),
                    2 => self.by_some_halves::<I, 2>(stripe, half * HALF, others),
                    _ => self.by_some_halves::<I, 4>(stripe, half * HALF, others),
                }
            }
        }
    }

    #[inline(always)]
    fn by_some_halves<I: Instance, const R: usize>(
        &mut self,
        stripe: usize,
        first: usize,
        others: Range<usize>,
    ) {
        match (others.start % 2, others.len()) {
            (0, 1) => self.add_halves::<I, R, 1, 0>(stripe, first, others.start),
            (0, 2) => self.add_halves::<I, R, 2, 0>(stripe, first, others.start),
            (0, _) => self.add_halves::<I, R, 3, 0>(stripe, first, others.start),
            (_, 1) => self.add_halves::<I, R, 1, 1>(stripe, first, others.start),
            (_, 2) => self.add_halves::<I, R, 2, 1>(stripe, first, others.start),
            (_, _) => self.add_halves::<I, R, 3, 1>(stripe, first, others.start),
        }
    }

    #[inline(always)]
    fn add_halves<I: Instance, const R: usize, const S: usize, const FROM: usize>(
        &mut self,
        stripe: usize,
        first: usize,
        other: usize,
    ) {
        self.fetch_with(R * S * HALF);
        let left = self.stripes[stripe];
        let right: [_; S] = std::array::from_fn(|s| self.stripes[(other + s) / 2]);
        assert!(I::AVX && I::FUSED, "a machine with AVX2 and FMA");
        assert!(
            first + R <= PANEL_COLUMNS && right.iter().all(|right| right.len() == left.len()),
            "rows of one panel"
        );
        #[expect(unsafe_code, reason = "instructions of this architecture")]
        // SAFETY: the machine has them; all stripes have as many slots, and these so many entries.
        let tiles = unsafe { tile_of_halves::<R, S, FROM>(left, first, right) };
        let width = self.stripes.len() * PANEL_COLUMNS;
        for (column, sums) in ((stripe - self.first) * PANEL_COLUMNS + first..).zip(tiles) {
            add(&mut self.cross[column * width + other * HALF..][..S * HALF], sums.as_flattened());
        }
    }
}

/// So many halves of stripes in pieces of three or two: one left over would leave registers idle.
#[inline(always)]
fn piece_of(halves: usize, piece: usize) -> Range<usize> {
    let of_three = if halves % 3 == 1 { halves / 3 - usize::from(halves > 1) } else { halves / 3 };
    match piece.checked_sub(of_three) {
        None => 3 * piece..3 * piece + 3,
        Some(later) => (3 * of_three + 2 * later).min(halves)..(3 * of_three + 2 * later + 2).min(halves),
    }
}

/// # Safety
/// The machine must have AVX2 with FMA, all stripes on the right as many slots as that on the left, and these `first + R`
/// entries.
#[target_feature(enable = "avx2,fma")]
#[expect(unsafe_code, reason = "instructions of this architecture, on slots that are there")]
unsafe fn tile_of_halves<const R: usize, const S: usize, const FROM: usize>(
    left: &[Slot],
    first: usize,
    right: [&[Slot]; S],
) -> [[Half; S]; R] {
    // SAFETY: as the caller says; four doubles are one register.
    unsafe {
        let mut tiles = [[_mm256_setzero_pd(); S]; R];
        for slot in 0..left.len() {
            let mut halves = [_mm256_setzero_pd(); S];
            for (s, half) in halves.iter_mut().enumerate() {
                *half = _mm256_loadu_pd(right[s].as_ptr().add(slot).cast::<f64>().add((FROM + s) % 2 * HALF));
            }
            let entries = left.as_ptr().add(slot).cast::<f64>().add(first);
            for (r, sums) in tiles.iter_mut().enumerate() {
                add_scaled(sums, entries.add(r), &halves);
            }
        }
        tiles.map(|halves| halves.map(|half| transmute::<__m256d, Half>(half)))
    }
}

/// Adds an entry times each of some registers to as many sums. Of three it is one piece: the compiler would ask for the
/// next entry before it is done with this one, and keep a sum in memory for want of a register.
///
/// # Safety
/// There must be an entry.
#[target_feature(enable = "avx2,fma")]
#[expect(unsafe_code, reason = "instructions of this architecture, on slots that are there")]
unsafe fn add_scaled<const S: usize>(sums: &mut [__m256d; S], entry: *const f64, halves: &[__m256d; S]) {
    // SAFETY: the caller says that there is an entry, and that is all that is read.
    unsafe {
        if let ([a, b, c], [x, y, z]) = (&mut sums[..], &halves[..]) {
            asm!(
                "vbroadcastsd {scale}, [{entry}]",
                "vfmadd231pd {a}, {scale}, {x}",
                "vfmadd231pd {b}, {scale}, {y}",
                "vfmadd231pd {c}, {scale}, {z}",
                entry = in(reg) entry,
                scale = out(ymm_reg) _,
                a = inout(ymm_reg) *a,
                b = inout(ymm_reg) *b,
                c = inout(ymm_reg) *c,
                x = in(ymm_reg) *x,
                y = in(ymm_reg) *y,
                z = in(ymm_reg) *z,
                options(pure, readonly, nostack, preserves_flags),
            );
            return;
        }
        let scale = _mm256_broadcast_sd(&*entry);
        for (sum, half) in sums.iter_mut().zip(halves) {
            *sum = _mm256_fmadd_pd(scale, *half, *sum);
        }
    }
}
