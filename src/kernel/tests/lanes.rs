//! Numbers in two parts, and rows about a mean in two parts.

use ndarray::Array2;
use proptest::prelude::*;

use super::{MAX_COLUMNS, MAX_ROWS, any_number, one_by_one, same_bits, to_lanes};
use crate::kernel::instance::Level;
use crate::kernel::{Lanes, recenter, rounded_center, two_parts};
use crate::oracle::{Noise, Precision, in_both_precisions};

/// Compared in multiples of 2⁻⁵², of which all the numbers here are.
fn two_parts_hold_the_digits_of_two_numbers<T: Precision>() {
    let multiples = |x: f64| (x * 2.0_f64.powi(52)) as i128;
    let max = 1_i64 << 52;
    proptest!(|(whole in -max..max, zeros in 0_u32..52, fraction in -max..max)| {
        let (a, b) = ((whole >> zeros) as f64, fraction as f64 / max as f64);
        let exact = multiples(a) + multiples(b);
        let [sum, rest] = two_parts::<T>(a, b).map(Into::<f64>::into);
        let epsilon: f64 = T::epsilon().into();
        let error = (multiples(sum) + multiples(rest) - exact) as f64;
        // each part rounds by half an epsilon, or a little more where a double was rounded before
        let tolerance = epsilon.powi(2) / 2.0 * (exact as f64).abs();
        prop_assert!(error.abs() <= tolerance, "{sum} + {rest}: {error} off");
    });
}

fn what_rounding_a_center_takes_is_kept<T: Precision>() {
    proptest!(|(center in prop::collection::vec(-1e6..1e6, 1..20))| {
        let (rounded, taken) = rounded_center::<T>(&center);
        for ((&exact, &rounded), &taken) in center.iter().zip(&rounded).zip(&taken) {
            prop_assert_eq!(rounded, T::rounded(exact));
            prop_assert_eq!(rounded.into() + taken, exact);
        }
    });
}

fn rows_lose_both_parts_of_the_mean_in_turn<T: Precision>() {
    proptest!(|(n in 1..=MAX_ROWS, d in 1..=MAX_COLUMNS, seed: u64)| {
        let mut noise = Noise(seed);
        let mut number = || any_number::<T>(&mut noise);
        let rows = Array2::from_shape_simple_fn((n, d), &mut number);
        let mean: Vec<[T; 2]> = (0..d).map(|_| [T::rounded(number()), T::rounded(number())]).collect();
        let expected = Array2::from_shape_fn((n, d), |(row, j)| {
            (T::rounded(rows[(row, j)]) - mean[j][0] - mean[j][1]).into()
        });
        let x = to_lanes::<T>(&rows);
        let about_mean = || {
            let mut out = vec![T::Lanes::splat(T::nan()); x.len()];
            recenter(&x, &mean, &mut out);
            one_by_one::<T>(&out, n, d)
        };
        for (level, got) in Level::each(about_mean) {
            prop_assert!(same_bits(&got, &expected), "{level:?}: {got}, not {expected}");
        }
    });
}

in_both_precisions!(
    two_parts_hold_the_digits_of_two_numbers,
    what_rounding_a_center_takes_is_kept,
    rows_lose_both_parts_of_the_mean_in_turn,
);
