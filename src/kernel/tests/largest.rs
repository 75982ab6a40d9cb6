//! The class of the largest score.

use ndarray::Array2;
use proptest::prelude::*;

use super::{MAX_COLUMNS, MAX_ROWS, one_by_one, to_lanes};
use crate::kernel::instance::Level;
use crate::kernel::{Added, Evidence, Terms, rate};
use crate::oracle::{Noise, Precision, in_both_precisions};

/// The labels on each instruction set.
fn labels<T: Precision>(scores: &Array2<f64>, terms: &[f64]) -> Vec<(Level, Vec<u32>)> {
    let lanes = to_lanes::<T>(scores);
    let terms: Vec<T> = terms.iter().map(|&term| T::rounded(term)).collect();
    Level::each(|| {
        let mut totals = lanes.clone();
        let mut evidence = vec![Evidence::none::<T>(); lanes.len() / terms.len()];
        rate::<T>(&lanes, Terms { tops: None, added: Added::Common(&terms) }, &mut totals, &mut evidence);
        let classes: Vec<T::Lanes> = evidence.iter().map(|evidence| evidence.class).collect();
        one_by_one::<T>(&classes, scores.nrows(), 1).iter().map(|&class| class as u32).collect()
    })
}

/// Few different scores, so that many are equal, and some that are impossible.
fn the_first_of_the_largest_wins<T: Precision>() {
    proptest!(|(n in 1..=MAX_ROWS, classes in 1..=MAX_COLUMNS, seed: u64)| {
        let mut noise = Noise(seed);
        let mut score = || [f64::NEG_INFINITY, -2.0, 0.0, 0.5, 3.0][noise.below(5)];
        let scores = Array2::from_shape_simple_fn((n, classes), &mut score);
        let terms: Vec<f64> = (0..classes).map(|_| score()).collect();
        let expected: Vec<u32> = scores.outer_iter().map(|scores| {
            let total = |class: usize| scores[class] + terms[class];
            let largest = (0..classes).map(total).fold(f64::NEG_INFINITY, f64::max);
            (0..classes).position(|class| total(class) == largest).unwrap() as u32
        }).collect();
        for (level, got) in labels::<T>(&scores, &terms) {
            prop_assert_eq!(&got, &expected, "{:?}", level);
        }
    });
}

fn the_first_class_wins_where_none_is_possible<T: Precision>() {
    for (_, got) in labels::<T>(&Array2::from_elem((70, 3), f64::NEG_INFINITY), &[1.0, 2.0, 3.0]) {
        assert_eq!(got, [0; 70]);
    }
}

/// Indices are carried in the type of the scores.
fn many_classes_are_told_apart<T: Precision>() {
    let shape = (MAX_ROWS, 72 * MAX_ROWS);
    let scores = Array2::from_shape_fn(shape, |(row, class)| f64::from(u8::from(class == 71 * row)));
    let expected: Vec<u32> = (0..MAX_ROWS as u32).map(|row| 71 * row).collect();
    for (_, got) in labels::<T>(&scores, &[0.0; 72 * MAX_ROWS]) {
        assert_eq!(got, expected);
    }
}

in_both_precisions!(
    the_first_of_the_largest_wins,
    the_first_class_wins_where_none_is_possible,
    many_classes_are_told_apart,
);
