//! What screens are made of besides products: single precision, and who is left.

use std::cmp::Ordering;

use ndarray::Array2;
use proptest::prelude::*;

use super::{MAX_COLUMNS, MAX_ROWS, any_number, one_by_one, to_lanes};
use crate::kernel::instance::Level;
use crate::kernel::{Lane, Lanes, Single, narrow, survivors};
use crate::oracle::{Noise, Precision, in_both_precisions};

fn narrowed_rows_are_the_same_rows_rounded<T: Precision>() {
    proptest!(|(n in 1..=MAX_ROWS, columns in 1..=MAX_COLUMNS, seed: u64)| {
        let mut noise = Noise(seed);
        let x = Array2::from_shape_simple_fn((n, columns), || any_number::<T>(&mut noise));
        let lanes = to_lanes::<T>(&x);
        for (level, narrowed) in Level::each(|| {
            let mut narrowed = vec![Single::splat(0.0); n.div_ceil(Single::COUNT) * columns];
            narrow::<T>(&lanes, columns, &mut narrowed);
            narrowed
        }) {
            let rounded = x.mapv(|x| f64::from(x as f32));
            prop_assert_eq!(one_by_one::<f32>(&narrowed, n, columns), rounded, "{:?}", level);
        }
    });
}

in_both_precisions!(narrowed_rows_are_the_same_rows_rounded);

#[test]
fn survivors_are_all_but_those_under_the_mark() {
    proptest!(|(groups in 1_usize..=9, stride in 1_usize..=4, first in 0_usize..100, seed: u64)| {
        let mut noise = Noise(seed);
        let mut lanes = |count: usize| -> Vec<<f32 as Lane>::Lanes> {
            (0..count).map(|_| Single::from_fn(|_| [f32::NAN, -1.0, 0.0, 1.0][noise.below(4)])).collect()
        };
        let (bounds, min_bounds) = (lanes(groups * stride), lanes(groups));
        let is_left = |&row: &usize| {
            let (group, lane) = (row / Single::COUNT, row % Single::COUNT);
            bounds[group * stride][lane].partial_cmp(&min_bounds[group][lane]) != Some(Ordering::Less)
        };
        let expected: Vec<usize> =
            (0..groups * Single::COUNT).filter(is_left).map(|row| first + row).collect();
        for (level, got) in Level::each(|| {
            let mut places = vec![0; groups * Single::COUNT];
            let found = survivors(&bounds, stride, &min_bounds, first, &mut places);
            places[..found].to_vec()
        }) {
            prop_assert_eq!(&got, &expected, "{:?}", level);
        }
    });
}
