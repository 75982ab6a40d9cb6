//! Moments joined, removed, regrouped and reduced, against those of the rows themselves.

use ndarray::{Array2, Axis, array, s};
use proptest::prelude::*;

use super::{STRUCTURES, assert_agree};
use crate::core::{Error, Moments, Owner, Structure};
use crate::error::{InputError, ShapeError};
use crate::oracle::{Sample, two_passes};

/// Some rows of a sample, by their places.
fn part(sample: &Sample, rows: &[usize]) -> Sample {
    Sample {
        x: sample.x.select(Axis(0), rows),
        labels: rows.iter().map(|&row| sample.labels[row]).collect(),
        classes: sample.classes,
        weights: sample.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect()),
    }
}

fn joined(sample: &Sample, pieces: &[Vec<usize>], structure: Structure) -> Moments {
    let pieces = pieces.iter().map(|rows| part(sample, rows).moments(structure).unwrap());
    pieces.reduce(|joined, piece| joined.merge(&piece).unwrap()).unwrap()
}

/// More classes than change a common scatter at once.
#[test]
fn pieces_of_many_classes_give_the_moments_of_the_whole() {
    let labels = (0..5500).map(|row| row % 1100).collect();
    let near = Sample { labels, ..Sample::by_chance(5500, 11, 1100, false, 7) };
    let as_one = Sample { labels: vec![0; 5500], classes: 1, ..near.clone() };
    for far in [0.0, -1e8] {
        let moved = Sample { x: &near.x + far, ..near.clone() };
        let pieces: Vec<Vec<usize>> =
            (0..3).map(|piece| (0..5500).filter(|row| row / 1100 % 3 == piece).collect()).collect();
        let whole = joined(&moved, &pieces, Structure::Tied);
        assert_agree(&whole, &two_passes(&near), far);
        assert_agree(&whole.total().unwrap(), &two_passes(&as_one), far);
    }
}

/// Scatters may be given in any order of memory.
#[test]
fn given_scatters_that_lie_column_by_column_can_be_joined() {
    let sample = Sample::by_chance(60, 20, 3, false, 5);
    for structure in STRUCTURES {
        let moments = sample.moments(structure).unwrap();
        let scatter = moments.scatter().t().as_standard_layout().into_owned().reversed_axes();
        let (rows, weights) = (moments.rows().to_vec(), moments.weights().clone());
        let turned =
            Moments::new(structure, rows, weights, moments.means_in_parts().clone(), scatter).unwrap();
        assert_eq!(turned.merge(&turned).unwrap(), moments.merge(&moments).unwrap());
        assert_eq!(turned.merge(&moments).unwrap(), moments.merge(&moments).unwrap());
    }
}

proptest! {
    #[test]
    fn any_pieces_in_any_order_give_the_moments_of_the_whole(
        home in prop::collection::vec(0_usize..7, 200), weighted: bool, far in prop::sample::select(vec![0.0, -1e8, 1e10]), seed: u64,
    ) {
        let near = Sample::by_chance(200, 4, 3, weighted, seed);
        let moved = Sample { x: &near.x + far, ..near.clone() };
        // the last piece is empty, and others may be
        let pieces: Vec<Vec<usize>> =
            (0..8).map(|piece| (0..200).filter(|&row| home[row] == piece).collect()).collect();
        for structure in STRUCTURES {
            assert_agree(&joined(&moved, &pieces, structure), &two_passes(&near), far);
        }
    }

    #[test]
    fn single_rows_give_the_moments_of_the_whole(far in prop::sample::select(vec![0.0, 1e8]), seed: u64) {
        let near = Sample::by_chance(100, 3, 2, false, seed);
        let moved = Sample { x: &near.x + far, ..near.clone() };
        let pieces: Vec<Vec<usize>> = (0..100).map(|row| vec![row]).collect();
        for structure in STRUCTURES {
            assert_agree(&joined(&moved, &pieces, structure), &two_passes(&near), far);
        }
    }

    #[test]
    fn what_is_removed_leaves_the_moments_of_the_rest(
        cut in 0_usize..=200, far in prop::sample::select(vec![0.0, 1e8]), seed: u64,
    ) {
        let near = Sample::by_chance(200, 4, 3, false, seed);
        let moved = Sample { x: &near.x + far, ..near.clone() };
        let (above, below): (Vec<usize>, Vec<usize>) = (0..200).partition(|&row| row < cut);
        for structure in STRUCTURES {
            let whole = moved.moments(structure).unwrap();
            let rest = whole.subtract(&part(&moved, &above).moments(structure).unwrap()).unwrap();
            let expected = part(&moved, &below).moments(structure).unwrap();
            prop_assert_eq!(rest.rows(), expected.rows());
            prop_assert_eq!(rest.weights(), expected.weights());
            let gap = rest.means.about(&[far; 4]) - expected.means.about(&[far; 4]);
            let weight = rest.weights().iter().copied().filter(|&weight| weight > 0.0).fold(200.0, f64::min);
            prop_assert!(gap.iter().zip(&rest.means.shift).all(|(gap, shift)| *shift == 0.0 || gap.abs() < 1e-12 * 200.0 / weight));
            for (scatter, (whole, expected)) in rest.scatter.iter().zip(whole.scatter.iter().zip(&expected.scatter)) {
                let scale = whole.abs().max(100.0);
                prop_assert!((scatter - expected).abs() <= 1e-12 * scale, "{} is not {}", scatter, expected);
            }
        }
    }

    #[test]
    fn classes_that_share_a_place_are_one_class(weighted: bool, seed: u64) {
        let sample = Sample::by_chance(150, 3, 4, weighted, seed);
        let places = [2, 0, 2, 1];
        let labels = sample.labels.iter().map(|&label| places[label as usize] as u32).collect();
        let relabeled = Sample { labels, classes: 3, ..sample.clone() };
        for structure in STRUCTURES {
            let regrouped = sample.moments(structure).unwrap().regroup(&places, 3).unwrap();
            assert_agree(&regrouped, &two_passes(&relabeled), 0.0);
        }
    }

    #[test]
    fn some_columns_have_the_moments_of_their_own_rows(seed: u64) {
        let sample = Sample::by_chance(80, 5, 2, true, seed);
        let fewer = Sample { x: sample.x.select(Axis(1), &[4, 1, 2]), ..sample.clone() };
        for structure in STRUCTURES {
            let selected = sample.moments(structure).unwrap().select(&[4, 1, 2]).unwrap();
            assert_agree(&selected, &two_passes(&fewer), 0.0);
        }
    }

    #[test]
    fn full_moments_hold_the_tied_and_the_diagonal_ones(seed: u64) {
        let sample = Sample::by_chance(80, 5, 3, true, seed);
        for structure in STRUCTURES {
            let reduced = sample.moments(Structure::Full).unwrap().to(structure).unwrap();
            assert_agree(&reduced, &two_passes(&sample), 0.0);
        }
    }

    #[test]
    fn the_total_is_the_moments_without_labels(weighted: bool, seed: u64) {
        let sample = Sample::by_chance(90, 3, 2, weighted, seed);
        let unlabeled = Sample { labels: vec![0; 90], classes: 1, ..sample.clone() };
        for structure in STRUCTURES {
            assert_agree(&sample.moments(structure).unwrap().total().unwrap(), &two_passes(&unlabeled), 0.0);
        }
    }
}

#[test]
fn a_jump_long_forgotten_costs_no_digits() {
    // 10 rows near 0, then batch after batch of 10 near 1e8, each batch counting half as much as the next
    let near = Sample::new(1210, 2, 1);
    let mut moved = Sample { x: &near.x + 1e8, ..near.clone() };
    moved.x.slice_mut(s![..10, ..]).mapv_inplace(|entry| entry - 1e8);
    let batch = |batch: usize| (10 * batch..10 * batch + 10).collect::<Vec<_>>();
    let remembered = (0..1210).map(|row| 0.5_f64.powi(120 - row / 10)).collect();
    let expected = two_passes(&Sample { weights: Some(remembered), ..near });
    for structure in STRUCTURES {
        let batches = (0..121).map(|number| part(&moved, &batch(number)).moments(structure).unwrap());
        let moments = batches.reduce(|old, new| old.scale(0.5).unwrap().merge(&new).unwrap()).unwrap();
        assert_agree(&moments, &expected, 1e8);
    }
}

#[test]
fn forgetting_scales_weight_and_scatter_alone() {
    let moments = Sample::by_chance(60, 3, 2, false, 5).moments(Structure::Full).unwrap();
    let half = moments.scale(0.5).unwrap();
    assert_eq!(half.weights() * 2.0, moments.weights());
    assert_eq!(half.scatter() * 2.0, moments.scatter());
    assert_eq!((half.means(), half.rows()), (moments.means(), moments.rows()));
    assert!(moments.scale(0.0).unwrap().rows().iter().all(|&rows| rows == 0));
    for value in [-1.0, f64::INFINITY] {
        assert_eq!(moments.scale(value), Err(Error::Input(InputError::Factor { value })));
    }
}

#[test]
fn the_scatter_of_joined_moments_is_symmetric_to_the_bit() {
    let sample = Sample::by_chance(60, 6, 2, true, 9);
    let pieces = [(0..20).collect(), (20..60).collect::<Vec<_>>()];
    let moments = joined(&sample, &pieces, Structure::Full);
    for scatter in moments.scatter().outer_iter() {
        assert_eq!(scatter, scatter.t());
    }
}

#[test]
fn rows_can_be_removed_one_by_one_to_the_last() {
    for (seed, far) in (0..20).flat_map(|seed| [0.0, 1e8].map(|far| (seed, far))) {
        let near = Sample::by_chance(300, 2, 3, false, seed);
        let moved = Sample { x: &near.x + far, ..near };
        for structure in STRUCTURES {
            let row = |row: usize| part(&moved, &[row]).moments(structure).unwrap();
            let whole = moved.moments(structure).unwrap();
            let left = (0..300).fold(whole, |left, place| left.subtract(&row(place)).unwrap());
            assert_eq!(left.total_weight(), 0.0);
            assert!(left.scatter().iter().all(|&square| square == 0.0));
        }
    }
}

#[test]
fn more_rows_than_there_are_cannot_be_removed() {
    let sample = Sample::by_chance(60, 3, 2, false, 5);
    for structure in STRUCTURES {
        let (all, some) =
            (sample.moments(structure).unwrap(), part(&sample, &[0, 1, 2]).moments(structure).unwrap());
        assert!(matches!(
            some.subtract(&all),
            Err(Error::Input(InputError::NotPart { what: Owner::Class(_) }))
        ));
    }
}

#[test]
fn rows_that_were_never_there_cannot_be_removed() {
    let sample = Sample::new(60, 3, 1);
    let mut foreign = part(&sample, &[0, 1, 2, 3, 4]);
    foreign.x.slice_mut(s![.., 0]).mapv_inplace(|entry| 100.0 * entry);
    for (structure, what) in STRUCTURES.into_iter().zip([Owner::Class(0), Owner::Pooled, Owner::Class(0)]) {
        let (all, foreign) = (sample.moments(structure).unwrap(), foreign.moments(structure).unwrap());
        assert_eq!(all.subtract(&foreign), Err(Error::Input(InputError::NotPart { what })));
    }
}

#[test]
fn a_scatter_that_no_rows_can_have_is_refused_though_no_variance_is_negative() {
    let moments = |x: ndarray::Array2<f64>| {
        Sample { labels: vec![0; x.nrows()], x, classes: 1, weights: None }.moments(Structure::Full).unwrap()
    };
    let uncorrelated = moments(array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]]);
    // x = y takes more from the covariance than the variances can bear
    let aligned = moments(array![[1.2, 1.2], [-1.2, -1.2]]);
    assert_eq!(
        uncorrelated.subtract(&aligned),
        Err(Error::Input(InputError::NotPart { what: Owner::Class(0) }))
    );
}

#[test]
fn a_tied_scatter_does_not_tell_one_class_from_another() {
    let tied = Sample::new(20, 2, 2).moments(Structure::Tied).unwrap();
    for structure in [Structure::Full, Structure::Diag] {
        assert_eq!(tied.to(structure), Err(Error::Shape(ShapeError::Incompatible("structures"))));
    }
}

#[test]
fn moments_of_different_structure_are_not_joined() {
    let sample = Sample::new(20, 2, 2);
    let (full, diag) = (sample.moments(Structure::Full).unwrap(), sample.moments(Structure::Diag).unwrap());
    assert_eq!(full.merge(&diag), Err(Error::Shape(ShapeError::Incompatible("structures"))));
}

proptest! {
    #[test]
    fn what_is_added_is_left_to_seven_digits_or_refused(
        outliers in prop::collection::vec((0_usize..80, 0_usize..3, 2.0_f64..20.0), 0..4), seed: u64,
    ) {
        let sample = Sample::by_chance(80, 3, 2, false, seed);
        let stays: Vec<usize> = (0..80).filter(|row| row % 4 == 3).collect();
        let goes: Vec<usize> = (0..80).filter(|row| row % 4 != 3).collect();
        let mut x = sample.x.clone();
        outliers.iter().filter(|(row, ..)| row % 4 != 3).for_each(|&(row, column, power)| {
            x[(row, column)] = 10_f64.powf(power);
        });
        let sample = Sample { x, ..sample };
        for structure in STRUCTURES {
            let (rest, part) = (part(&sample, &stays), part(&sample, &goes).moments(structure).unwrap());
            let expected = rest.moments(structure).unwrap();
            // Of two outliers in one place the last counts.
            let far = goes.iter().any(|&row| sample.x.row(row).iter().any(|&entry| entry > 1e7));
            match expected.merge(&part).unwrap().subtract(&part) {
                Ok(left) => {
                    prop_assert!(!far, "digits are gone");
                    let gaps = (left.scatter() - expected.scatter()).mapv(f64::abs);
                    let widest = expected.scatter().iter().copied().fold(0.0, f64::max);
                    prop_assert!(gaps.iter().all(|gap| *gap <= 1e-6 * widest));
                }
                Err(error) => {
                    let named = matches!(error, Error::Input(InputError::Removal { column: Some(_), .. }));
                    prop_assert!(named, "{error:?}");
                }
            }
        }
    }
}

#[test]
fn a_single_row_left_of_values_that_hide_it_is_refused() {
    for structure in STRUCTURES {
        let of = |x: Array2<f64>| {
            let labels = vec![0; x.nrows()];
            Sample { x, labels, classes: 1, weights: None }.moments(structure).unwrap()
        };
        let (both, far) = (of(array![[7.0, 1.0], [8.0, 1e20]]), of(array![[8.0, 1e20]]));
        let what = Owner::Class(0);
        assert_eq!(both.subtract(&far), Err(Error::Input(InputError::Removal { what, column: Some(1) })));
        let (both, near) = (of(array![[7.0, 1.0], [8.0, 5.0]]), of(array![[8.0, 5.0]]));
        assert_eq!(both.subtract(&near).unwrap().means(), array![[7.0, 1.0]]);
    }
}

#[test]
fn a_weight_that_is_hidden_is_refused() {
    let weighted = |weights: Vec<f64>| {
        let x = array![[1.0], [2.0], [4.0]].slice(s![..weights.len(), ..]).to_owned();
        let labels = vec![0; weights.len()];
        Sample { x, labels, classes: 1, weights: Some(weights) }.moments(Structure::Diag).unwrap()
    };
    let refused = weighted(vec![1e9, 1e9, 1.0]).subtract(&weighted(vec![1e9, 1e9]));
    assert_eq!(refused, Err(Error::Input(InputError::Removal { what: Owner::Class(0), column: None })));
}

#[test]
fn a_column_that_becomes_constant_has_no_scatter() {
    for structure in STRUCTURES {
        let of = |x: Array2<f64>| {
            let labels = vec![0; x.nrows()];
            Sample { x, labels, classes: 1, weights: None }.moments(structure).unwrap()
        };
        let part = of(array![[0.7, 0.4], [0.1, 0.9]]);
        let rest = of(array![[0.3, 0.2], [0.9, 0.2], [0.5, 0.2]]);
        let left = rest.merge(&part).unwrap().subtract(&part).unwrap();
        assert_eq!(left.scatter_diagonal(0)[1], 0.0);
    }
}
