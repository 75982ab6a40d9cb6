//! Ledoit-Wolf covariances against the paper's formula, row by row.

use ndarray::{Array1, Array2, Axis};
use proptest::prelude::*;

use super::ledoit_wolf;
use crate::core::{Error, Parallel, Rows, Structure};
use crate::error::ShapeError;
use crate::oracle::{Sample, in_every_layout, two_passes};

/// The covariance of one class: z is standardized, S = Σ z zᵀ / n, m = tr S / d, δ = ‖S − m I‖² / d,
/// β = Σ ‖z zᵀ − S‖² / (d n²), and (1 − β/δ) S + (β/δ) m I in the columns' own units, with β at most δ.
fn by_the_paper(sample: &Sample, class: usize) -> Array2<f64> {
    let moments = two_passes(sample).swap_remove(class);
    let (n, d) = (moments.weight, sample.x.ncols());
    let deviations: Array1<f64> = moments.scatter.diag().mapv(|scatter| (scatter / n).sqrt());
    let outer = |a: &Array1<f64>| &a.view().insert_axis(Axis(1)) * &a.view().insert_axis(Axis(0));
    let s = &moments.scatter / n / outer(&deviations);
    let m = s.diag().sum() / d as f64;
    let target = Array2::<f64>::eye(d) * m;
    let square = |a: Array2<f64>| a.iter().map(|entry| entry * entry).sum::<f64>() / d as f64;
    let delta = square(&s - &target);
    let weight = |row: usize| sample.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let members = (0..sample.labels.len()).filter(|&row| sample.labels[row] as usize == class);
    let mean = Array1::from(moments.mean.clone());
    let apart = |row: usize| (&sample.x.row(row) - &mean) / &deviations;
    let beta: f64 = members.map(|row| weight(row) * square(outer(&apart(row)) - &s)).sum::<f64>() / (n * n);
    let share = if d == 1 { 0.0 } else { (beta / delta).min(1.0) };
    (s * (1.0 - share) + target * share) * outer(&deviations)
}

proptest! {
    #[test]
    fn covariances_are_the_papers(
        n in 3_usize..200, d in 1_usize..12, classes in 1_usize..4, weighted: bool, seed: u64,
    ) {
        let spread = Sample::by_chance(n, d, classes, weighted, seed);
        let labels: Vec<u32> = (0..n).map(|row| (row % classes) as u32).collect();
        // a class's first row may weigh 0, but not its only one
        let weights = spread.weights.map(|weights| weights.iter().map(|weight| weight + 0.5).collect());
        let sample = Sample { labels, weights, ..spread };
        let moments = sample.moments(Structure::Full).unwrap();
        let variances = moments.scatter().outer_iter().flat_map(|scatter| scatter.diag().to_vec()).collect::<Vec<_>>();
        prop_assume!(variances.iter().all(|&variance| variance > 0.0));
        in_every_layout(&sample.x, f64::NAN, |layout, view| {
            let weights = sample.weights.as_deref();
            let shrunk =
                ledoit_wolf(&moments, &Rows::from(view), &sample.labels, weights, Parallel::default()).unwrap();
            for (class, covariance) in shrunk.outer_iter().enumerate() {
                let exact = by_the_paper(&sample, class);
                let scale = exact.diag().fold(0.0_f64, |largest, &variance| largest.max(variance));
                let gap = &covariance - &exact;
                assert!(gap.iter().all(|gap| gap.abs() < 1e-12 * scale), "{layout}, class {class}: {gap}");
            }
        });
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let sample = Sample::new(50_000, 5, 3);
    let moments = sample.moments(Structure::Full).unwrap();
    let shrunk = |threads| {
        let parallel = Parallel::new(Some(threads));
        ledoit_wolf(&moments, &Rows::from(sample.x.view()), &sample.labels, None, parallel).unwrap()
    };
    assert_eq!(shrunk(3), shrunk(1));
}

#[test]
fn a_column_without_variance_keeps_none_of_its_own() {
    let mut sample = Sample::new(60, 3, 1);
    sample.x.column_mut(1).fill(7.0);
    let moments = sample.moments(Structure::Full).unwrap();
    let rows = Rows::from(sample.x.view());
    let shrunk = ledoit_wolf(&moments, &rows, &sample.labels, None, Parallel::default()).unwrap();
    // S has diagonal 1, 0, 1: what the constant column gets is the intensity times the mean 2/3
    let intensity = shrunk[(0, 1, 1)] / (2.0 / 3.0);
    assert!(0.0 < intensity && intensity < 1.0);
    let plain = moments.scatter()[(0, 0, 2)] / 60.0;
    assert!((shrunk[(0, 0, 2)] - (1.0 - intensity) * plain).abs() < 1e-13);
}

#[test]
fn class_covariances_need_full_moments() {
    let sample = Sample::new(60, 3, 2);
    let rows = Rows::from(sample.x.view());
    for structure in [Structure::Tied, Structure::Diag] {
        let moments = sample.moments(structure).unwrap();
        let answer = ledoit_wolf(&moments, &rows, &sample.labels, None, Parallel::default());
        assert_eq!(answer.unwrap_err(), Error::Shape(ShapeError::Incompatible("structures")));
    }
}
