//! Moments of rows against sums over two passes: shapes, weights, places, threads.

mod algebra;
mod columns;
mod errors;
mod reading;

use ndarray::{Array2, Axis, s};
use proptest::prelude::*;

use super::{Moments, Structure};
use crate::core::{Parallel, Rows};
use crate::oracle::{ClassMoments, Sample, two_passes};

pub(super) const STRUCTURES: [Structure; 3] = [Structure::Full, Structure::Tied, Structure::Diag];

/// Both ways of summing err by some roundings of their largest terms. `center` is subtracted from the means.
pub(super) fn assert_agree(moments: &Moments, expected: &[ClassMoments], center: f64) {
    let d = moments.n_features();
    let means = moments.means_in_parts().about(&vec![center; d]);
    for (class, expected) in expected.iter().enumerate() {
        assert_eq!(moments.rows()[class], expected.rows);
        assert_eq!(moments.weights()[class], expected.weight);
        if expected.rows > 0 {
            for (mean, exact) in means.row(class).iter().zip(&expected.mean) {
                assert!((mean - exact).abs() < 1e-13, "mean {mean} of class {class}, not {exact}");
            }
        } else {
            assert!(moments.means().row(class).iter().all(|&mean| mean == 0.0));
        }
    }
    let matrices: Vec<Array2<f64>> = match moments.structure() {
        Structure::Full => expected.iter().map(|class| class.scatter.clone()).collect(),
        Structure::Tied => {
            vec![expected.iter().fold(Array2::zeros((d, d)), |sum, class| sum + &class.scatter)]
        }
        Structure::Diag => {
            expected.iter().map(|class| class.scatter.diag().to_owned().insert_axis(Axis(0))).collect()
        }
    };
    assert_eq!(moments.scatter().dim(), (matrices.len(), matrices[0].nrows(), d));
    for (scatter, exact) in moments.scatter().outer_iter().zip(&matrices) {
        let scale = exact.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        for (entry, exact) in scatter.iter().zip(exact) {
            assert!((entry - exact).abs() <= 1e-13 * scale, "scatter {entry}, not {exact}");
        }
    }
}

proptest! {
    #[test]
    fn sums_agree_with_two_passes(
        n in prop_oneof![1_usize..6, 6_usize..400], d in 1_usize..=40, classes in 1_usize..=6, weighted: bool, seed: u64,
    ) {
        let sample = Sample::by_chance(n, d, classes, weighted, seed);
        for structure in STRUCTURES {
            assert_agree(&sample.moments(structure).unwrap(), &two_passes(&sample), 0.0);
        }
    }

    #[test]
    fn far_from_zero_no_digit_is_lost(
        d in 1_usize..10, weighted: bool, far in prop::sample::select(vec![-1e8, 1e6, 1e8, 1e10]), seed: u64,
    ) {
        let near = Sample::by_chance(300, d, 3, weighted, seed);
        // 1/128 is a multiple of the spacing of doubles at 1e10: the addition is exact
        let moved = Sample { x: &near.x + far, ..near.clone() };
        for structure in STRUCTURES {
            assert_agree(&moved.moments(structure).unwrap(), &two_passes(&near), far);
        }
    }

    #[test]
    fn whole_weights_count_repetitions(d in 1_usize..10, seed: u64) {
        let sample = Sample::by_chance(50, d, 3, true, seed);
        let doubled = |weights: &Vec<f64>| weights.iter().map(|weight| 2.0 * weight).collect::<Vec<_>>();
        let sample = Sample { weights: sample.weights.as_ref().map(doubled), ..sample };
        let times = |row: usize| sample.weights.as_ref().unwrap()[row] as usize;
        let repeated: Vec<usize> = (0..50).flat_map(|row| vec![row; times(row)]).collect();
        let copies = Sample {
            x: sample.x.select(Axis(0), &repeated),
            labels: repeated.iter().map(|&row| sample.labels[row]).collect(),
            classes: 3,
            weights: None,
        };
        let expected = two_passes(&copies).into_iter().zip(two_passes(&sample));
        let expected: Vec<_> = expected.map(|(copies, once)| ClassMoments { rows: once.rows, ..copies }).collect();
        for structure in STRUCTURES {
            assert_agree(&sample.moments(structure).unwrap(), &expected, 0.0);
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for weighted in [false, true] {
        let sample = Sample::by_chance(50_000, 9, 3, weighted, 8);
        let expected = two_passes(&sample);
        for structure in STRUCTURES {
            let moments = |threads| {
                sample
                    .moments_of(&Rows::from(sample.x.view()), structure, Parallel::new(Some(threads)))
                    .unwrap()
            };
            let serial = moments(1);
            for threads in [2, 3, 7] {
                assert_eq!(moments(threads), serial, "{threads} threads");
            }
            assert_agree(&serial, &expected, 0.0);
        }
    }
}

#[test]
fn rows_of_weight_0_do_not_matter_however_large() {
    let mut sample = Sample::by_chance(200, 5, 2, true, 3);
    let expected = two_passes(&sample);
    let weights = sample.weights.clone().unwrap();
    for (row, _) in weights.iter().enumerate().filter(|(_, weight)| **weight == 0.0) {
        sample.x.row_mut(row).fill(1e300);
    }
    for structure in STRUCTURES {
        assert_agree(&sample.moments(structure).unwrap(), &expected, 0.0);
    }
}

#[test]
fn first_rows_unlike_the_rest_cost_no_digits() {
    let mut near = Sample::new(1000, 4, 2);
    near.weights = Some((0..1000).map(|row| if row < 200 { 1e-12 } else { 1.0 }).collect());
    near.x.slice_mut(s![..200, ..]).mapv_inplace(|entry| entry - 1e4);
    let moved = Sample { x: &near.x + 1e4, ..near.clone() };
    for structure in STRUCTURES {
        assert_agree(&moved.moments(structure).unwrap(), &two_passes(&near), 1e4);
    }
}

#[test]
fn first_rows_of_tiny_weight_may_be_as_far_as_doubles_go() {
    for (far, tiny) in [(1e12, 0.0), (1e12, 1e-200), (1e100, 1e-300), (-1e150, 0.0)] {
        let mut sample = Sample::new(500, 3, 2);
        sample.weights = Some((0..500).map(|row| if row < 160 { tiny } else { 1.5 }).collect());
        sample.x.slice_mut(s![..160, ..]).fill(far);
        for structure in STRUCTURES {
            assert_agree(&sample.moments(structure).unwrap(), &two_passes(&sample), 0.0);
        }
    }
}
