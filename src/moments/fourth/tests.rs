//! Third and fourth moments against sums over the rows, joined and removed.

use ndarray::{Array2, Axis, s};
use proptest::prelude::*;

use crate::core::{Moments, Parallel, Rows, Structure};
use crate::oracle::Sample;

fn of(x: &Array2<f64>, labels: &[u32], classes: usize, weights: Option<&[f64]>) -> Moments {
    let (rows, parallel) = (Rows::from(x), Parallel::new(Some(1)));
    let moments = Moments::from_rows(&rows, labels, classes, weights, Structure::Full, parallel).unwrap();
    moments.to_fourth_order(&rows, labels, weights, parallel).unwrap()
}

fn of_range(sample: &Sample, range: std::ops::Range<usize>) -> Moments {
    let x = sample.x.slice(s![range.clone(), ..]).to_owned();
    let weights = sample.weights.as_ref().map(|weights| &weights[range.clone()]);
    of(&x, &sample.labels[range], sample.classes, weights)
}

/// Σ w z_i² z_j and Σ w z_i² z_j² about the mean of a class, row by row.
fn by_the_definition(sample: &Sample, class: usize, i: usize, j: usize) -> (f64, f64) {
    let rows = || (0..sample.labels.len()).filter(|&row| sample.labels[row] as usize == class);
    let weight = |row: usize| sample.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let total: f64 = rows().map(weight).sum();
    let mean = |j: usize| rows().map(|row| weight(row) * sample.x[(row, j)]).sum::<f64>() / total;
    let (a, b) = (mean(i), mean(j));
    rows().fold((0.0, 0.0), |(third, fourth), row| {
        let (y, z) = (sample.x[(row, i)] - a, sample.x[(row, j)] - b);
        (third + weight(row) * y * y * z, fourth + weight(row) * y * y * z * z)
    })
}

fn assert_exact(found: &Moments, sample: &Sample, tolerance: f64) {
    let fourth = found.fourth.as_ref().unwrap();
    for class in (0..sample.classes).filter(|&class| found.weights[class] > 0.0) {
        let weight = found.weights[class];
        for (i, j) in (0..sample.x.ncols()).flat_map(|i| (0..sample.x.ncols()).map(move |j| (i, j))) {
            let (third, exact) = by_the_definition(sample, class, i, j);
            let (a, b) = (fourth.units[(class, i)], fourth.units[(class, j)]);
            let scale = a * a * b * weight;
            assert!(
                (fourth.third[(class, i, j)] - third / scale).abs() < tolerance,
                "third of {class}, {i}, {j}"
            );
            let gap = fourth.fourth[(class, i, j)] - exact / (scale * b);
            assert!(gap.abs() < tolerance, "fourth of {class}, {i}, {j}");
        }
    }
}

proptest! {
    #[test]
    fn parts_join_to_the_sums_of_all_rows_and_leave_again(
        n in 20_usize..300, d in 1_usize..12, classes in 1_usize..4, cut in 0.0..1.0, weighted: bool, seed: u64,
    ) {
        let sample = Sample::by_chance(n, d, classes, weighted, seed);
        let whole = of_range(&sample, 0..n);
        assert_exact(&whole, &sample, 1e-11);
        let cut = (cut * n as f64) as usize;
        let (first, second) = (of_range(&sample, 0..cut), of_range(&sample, cut..n));
        let joined = first.merge(&second).unwrap();
        assert_exact(&joined, &sample, 1e-11);
        if let Ok(rest) = joined.subtract(&second) {
            let sample = Sample {
                x: sample.x.slice(s![..cut, ..]).to_owned(),
                labels: sample.labels[..cut].to_vec(),
                weights: sample.weights.as_ref().map(|weights| weights[..cut].to_vec()),
                ..sample
            };
            assert_exact(&rest, &sample, 1e-6);
        }
    }

    #[test]
    fn all_rows_as_one_class_are_those_of_one_class(n in 20_usize..200, d in 1_usize..6, seed: u64) {
        let sample = Sample::by_chance(n, d, 3, true, seed);
        let one = Sample { labels: vec![0; n], classes: 1, ..sample.clone() };
        assert_exact(&of_range(&sample, 0..n).total().unwrap(), &one, 1e-10);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let sample = Sample::new(30_000, 7, 3);
    let rows = Rows::from(&sample.x);
    let with = |threads| {
        let parallel = Parallel::new(Some(threads));
        let moments = sample.moments(Structure::Full).unwrap();
        moments.to_fourth_order(&rows, &sample.labels, None, parallel).unwrap()
    };
    assert_eq!(with(1), with(5));
}

#[test]
fn units_change_nothing_but_the_units() {
    let sample = Sample::new(200, 3, 2);
    let plain = of_range(&sample, 0..200);
    let weights = vec![1e-50; 200];
    for exponent in [-400, 400] {
        let unit = 2.0_f64.powi(exponent);
        let moments = of(&(&sample.x * unit), &sample.labels, 2, Some(&weights));
        let (ours, theirs) = (plain.fourth.as_ref().unwrap(), moments.fourth.as_ref().unwrap());
        for class in 0..2 {
            let ratio = theirs.units[(class, 0)] / (ours.units[(class, 0)] * unit);
            let gap = theirs.fourth.index_axis(Axis(0), class).row(0)[0] * ratio.powi(4)
                - ours.fourth.index_axis(Axis(0), class).row(0)[0];
            assert!(gap.abs() < 1e-12, "{exponent}: {gap}");
        }
    }
}

#[test]
fn single_rows_in_small_units_join_others() {
    let sample = Sample::new(41, 2, 1);
    let x = &sample.x * 1e-140;
    let part = |range: std::ops::Range<usize>| {
        of(&x.slice(s![range.clone(), ..]).to_owned(), &sample.labels[range], 1, None)
    };
    let (joined, whole) = (part(0..40).merge(&part(40..41)).unwrap(), part(0..41));
    let (ours, theirs) = (joined.fourth.as_ref().unwrap(), whole.fourth.as_ref().unwrap());
    assert!((&ours.fourth - &theirs.fourth).iter().all(|gap| gap.abs() < 1e-12));
}

#[test]
fn an_outlier_that_hides_the_rest_cannot_leave() {
    let mut sample = Sample::new(60, 2, 1);
    sample.x[(59, 1)] = 3e3;
    let whole = of_range(&sample, 0..60);
    assert!(whole.subtract(&of_range(&sample, 59..60)).is_err());
    // Its squares alone could: what is known of second order is left.
    let second = |range: std::ops::Range<usize>| Moments { fourth: None, ..of_range(&sample, range) };
    assert!(second(0..60).subtract(&second(59..60)).is_ok());
}

#[test]
fn constant_columns_have_no_higher_moments() {
    let mut sample = Sample::new(40, 3, 2);
    sample.x.column_mut(1).fill(0.1);
    let whole = of_range(&sample, 0..25).merge(&of_range(&sample, 25..40)).unwrap();
    let fourth = whole.fourth.as_ref().unwrap();
    assert!(fourth.fourth.index_axis(Axis(1), 1).iter().all(|&entry| entry == 0.0));
    assert_exact(&whole, &sample, 1e-12);
}
