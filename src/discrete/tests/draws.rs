//! Draws, gaps and rows left out, against probabilities written out.

use ndarray::{Array2, array};

use super::*;
use crate::core::{ColumnFamily, ColumnSums, Missing, leave_one_out_columns};

fn model() -> ColumnModel {
    let levels = Feature::levels(array![[0.2_f64, 0.8], [0.7, 0.3]].mapv(f64::ln).view());
    let numbers = Feature::normal(&[0.0, 10.0], &[1.0, 4.0]).unwrap();
    ColumnModel::new(vec![0.25_f64.ln(), 0.75_f64.ln()], vec![levels, numbers], true, false).unwrap()
}

#[test]
fn the_number_of_threads_changes_no_draw() {
    let draw = |threads: usize| {
        let (mut classes, mut rows) = (vec![9; 20_000], vec![f64::NAN; 40_000]);
        let parallel = Parallel::new(Some(threads));
        model().sample_classes(&mut classes, 1, parallel).unwrap();
        model().sample_rows(&classes, &mut rows, 1, parallel).unwrap();
        (classes, rows)
    };
    let serial = draw(1);
    assert!([2, 5].into_iter().all(|threads| draw(threads) == serial));
}

#[test]
fn gaps_are_filled_by_the_likeliest_level_and_the_mean() {
    let x = array![[f64::NAN, f64::NAN], [1.0, 3.0]];
    let (mut values, mut deviations) = ([-1.0; 4], [0.0; 4]);
    let posteriors = [0.5, 0.5, 1.0, 0.0];
    let columns = Rows::from(x.view()).columns();
    let parallel = Parallel::default();
    model().impute(&columns, &posteriors, &mut values, Some(&mut deviations), parallel).unwrap();
    assert_eq!(values, [1.0, 5.0, -1.0, -1.0]); // 0.55 is more than 0.45
    assert!(deviations[0].is_nan());
    assert!((deviations[1] - (0.5 * (1.0 + 25.0) + 0.5 * (4.0 + 25.0_f64)).sqrt()).abs() < 1e-14);
    assert_eq!(deviations[2..], [0.0, 0.0]);
}

#[test]
fn what_is_missing_says_nothing_of_presence() {
    let present = array![[0.9_f64, 0.2, 1.0], [0.1, 0.5, 0.5]];
    let absent = present.mapv(|p| (1.0 - p).ln());
    let present = present.mapv(f64::ln);
    let model =
        AffineModel::of_presence(vec![0.5_f64.ln(); 2], present.view(), absent.view(), Some(0.0)).unwrap();
    let x = array![[1.0, f64::NAN, f64::NAN], [f64::NAN, 0.0, 0.0], [1.0, 1.0, 1.0]];
    let rules = Rules { missing: Missing::Marginalize, ..Rules::default() };
    let mut joint = [0.0; 6];
    model.answer(&Rows::from(x.view()), &rules, joint_in(&mut joint), Parallel::default()).unwrap();
    let expected = [0.9, 0.1, 0.0, 0.5 * 0.5, 0.9 * 0.2, 0.1 * 0.5 * 0.5].map(|p: f64| (0.5 * p).ln());
    let near = |(found, expected): (&f64, &f64)| found == expected || (found - expected).abs() < 1e-14;
    assert!(joint.iter().zip(&expected).all(near), "{joint:?}");
    let refused =
        model.answer(&Rows::from(x.view()), &Rules::default(), joint_in(&mut joint), Parallel::default());
    assert!(refused.is_err());
}

#[test]
fn a_row_that_leaves_too_few_digits_is_not_answered() {
    let counts: Array2<f64> = array![[2.0, 1.0], [1.0, 2.0]];
    let numbers = ColumnSums::Numbers {
        // 0, 0 and 1e9; 1, 2 and 3
        classes: [vec![3.0, 3.0], vec![1e9 / 3.0, 2.0], vec![2e18 / 3.0, 2.0]],
        total: [6.0, 1e9 / 6.0 + 1.0, 5e18 / 6.0],
    };
    let levels = ColumnSums::Levels { counts: counts.view(), added: vec![1.0; 2], forgotten: vec![false; 2] };
    let x = array![[0.0, 0.0], [0.0, 0.0], [1.0, 1e9], [1.0, 1.0], [1.0, 2.0], [0.0, 3.0]];
    let labeled = Labeled { labels: &[0, 0, 0, 1, 1, 1], classes: 2, weights: None };
    let family = ColumnFamily {
        class_weights: &[3.0, 3.0],
        log_prior: None,
        smoothing: 0.0,
        unseen: f64::NEG_INFINITY,
    };
    let mut out = [0.0; 12];
    let columns = Rows::from(x.view()).columns();
    leave_one_out_columns(&columns, labeled, &[levels, numbers], &family, &mut out, Parallel::default())
        .unwrap();
    assert!(out[4].is_nan() && out[5].is_nan());
    // Without 2 its class has 1 and 3, one of each level, and 2 of 5 rows; the other 0, 0, 1e9.
    let normal = |x: f64, mean: f64, variance: f64| {
        -0.5 * ((std::f64::consts::TAU * variance).ln() + (x - mean).powi(2) / variance)
    };
    let own = 0.4_f64.ln() + 0.5_f64.ln() + normal(2.0, 2.0, 1.0);
    let other = 0.6_f64.ln() + 0.4_f64.ln() + normal(2.0, 1e9 / 3.0, 2e18 / 9.0);
    assert!((out[9] - out[8] - (own - other)).abs() < 1e-12);
}
