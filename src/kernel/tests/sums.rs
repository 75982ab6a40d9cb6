//! Affine maps, diagonal distances and whitened norms.

use ndarray::{Array2, s};
use proptest::prelude::*;

use super::maps::{Diagonal, Map, Sum, one_of_each};
use super::{MAX_COLUMNS, MAX_ROWS, any_number, cases, one_by_one, same_bits, small_integer, to_lanes};
use crate::kernel::instance::Level;
use crate::kernel::{Lane, Lanes, Whitened};
use crate::oracle::{Noise, Precision, in_both_precisions};

/// Rows, columns and outputs, around the sizes of groups of lanes and of tiles.
fn shape() -> impl Strategy<Value = (usize, usize, usize)> {
    (1..=MAX_ROWS, 1..=MAX_COLUMNS, 1..=MAX_COLUMNS)
}

/// Rows, and maps of them.
struct Case<T: Lane> {
    rows: Array2<f64>,
    maps: [Box<dyn Map<T>>; 3],
}

impl<T: Lane> Case<T> {
    fn new((n, columns, outputs): (usize, usize, usize), seed: u64, entry: fn(&mut Noise) -> f64) -> Self {
        let mut noise = Noise(seed);
        let rows = Array2::from_shape_simple_fn((n, columns), || entry(&mut noise));
        Self { rows, maps: one_of_each(outputs, columns, || entry(&mut noise)) }
    }
}

/// What a map's kernel makes of each row.
fn apply<T: Lane>(map: &dyn Map<T>, rows: &Array2<f64>) -> Array2<f64> {
    one_by_one::<T>(&map.apply(&to_lanes::<T>(rows)), rows.nrows(), map.outputs())
}

fn every_instance_errs_by_roundings_only<T: Precision>() {
    proptest!(|(shape in shape(), seed: u64)| {
        let Case { rows, maps } = Case::<T>::new(shape, seed, any_number::<T>);
        for map in &maps {
            for (level, got) in Level::each(|| apply(&**map, &rows)) {
                for ((row, output), &got) in got.indexed_iter() {
                    let sum = map.plain(rows.row(row), output);
                    let error = (got - sum.value).abs();
                    let tolerance = sum.tolerance(T::epsilon().into());
                    prop_assert!(error <= tolerance, "{level:?}: {error} off, {map:?}");
                }
            }
        }
    });
}

fn every_instance_is_exact_on_small_integers<T: Precision>() {
    proptest!(|(shape in shape(), seed: u64)| {
        let Case { rows, maps } = Case::<T>::new(shape, seed, small_integer);
        for map in &maps {
            let plain = Array2::from_shape_fn((rows.nrows(), map.outputs()), |(row, output)| {
                map.plain(rows.row(row), output).value
            });
            for (level, got) in Level::each(|| apply(&**map, &rows)) {
                prop_assert!(same_bits(&got, &plain), "{level:?}: {got}, not {plain}, {map:?}");
            }
        }
    });
}

fn instances_that_fuse_agree_bit_by_bit<T: Precision>() {
    proptest!(|(shape in shape(), seed: u64)| {
        let Case { rows, maps } = Case::<T>::new(shape, seed, any_number::<T>);
        for map in &maps {
            let mut fusing = Level::each(|| apply(&**map, &rows));
            fusing.retain(|&(level, _)| level > Level::BASELINE);
            for pair in fusing.windows(2) {
                prop_assert!(same_bits(&pair[0].1, &pair[1].1), "{pair:?}, {map:?}");
            }
        }
    });
}

/// Alone means: among rows of NaN, and maybe in another lane.
fn a_row_comes_out_the_same_alone_as_among_others<T: Precision>() {
    proptest!(cases(64), |(shape in shape(), place in 0_usize..40, seed: u64)| {
        let Case { rows, maps } = Case::<T>::new(shape, seed, any_number::<T>);
        for map in &maps {
            let differing = || {
                let among = apply(&**map, &rows);
                rows.outer_iter().zip(among.outer_iter()).position(|(row, among)| {
                    let mut alone = Array2::from_elem((place + 1, rows.ncols()), f64::NAN);
                    alone.row_mut(place).assign(&row);
                    !same_bits(apply(&**map, &alone).row(place), among)
                })
            };
            for (level, differing) in Level::each(differing) {
                prop_assert_eq!(differing, None, "{:?}, {:?}", level, map);
            }
        }
    });
}

/// So far that `T` keeps four binary digits after the point, of data near a mean that needs more.
fn distances_to_means_far_from_zero_keep_their_digits<T: Precision>() {
    proptest!(|((n, columns, classes) in shape(), seed: u64)| {
        let mut noise = Noise(seed);
        let epsilon: f64 = T::epsilon().into();
        let far = 1.0 / (16.0 * epsilon);
        let mut table = |rows, entry: fn(&mut Noise) -> f64| {
            Array2::from_shape_simple_fn((rows, columns), || entry(&mut noise))
        };
        // between 1 and 10 above the means
        let above = table(n, |noise| 2.0 + noise.below(8) as f64);
        let offset = table(classes, |noise| noise.next() as i64 as f64 / i64::MAX as f64);
        let scale = table(classes, any_number::<T>);
        let near = Diagonal { shift: Array2::zeros(offset.dim()), offset, scale };
        let moved = Diagonal { shift: &near.shift + far, ..near.clone() };
        for (level, got) in Level::each(|| apply::<T>(&moved, &(&above + far))) {
            for ((row, class), &got) in got.indexed_iter() {
                let Sum { value, roundings, .. } = Map::<T>::plain(&near, above.row(row), class);
                let sum = Sum { value, magnitude: value, roundings };
                let error = (got - value).abs();
                prop_assert!(error <= sum.tolerance(epsilon), "{level:?}: {error} off {value}");
            }
        }
    });
}

fn norms_go_to_every_so_many_slots_and_leave_the_others<T: Precision>() {
    proptest!(|(n in 1..=MAX_ROWS, d in 1..=MAX_COLUMNS, stride in 1_usize..5, seed: u64)| {
        let mut noise = Noise(seed);
        let mut table = |rows: usize| Array2::from_shape_simple_fn((rows, d), || any_number::<T>(&mut noise));
        let x = to_lanes::<T>(&table(n));
        let (whitening, offset) = (Array2::eye(d), table(1).into_raw_vec_and_offset().0);
        let norms = |stride: usize| {
            let mut norms = vec![T::Lanes::splat(-T::one()); x.len() / d * stride];
            Whitened::<T>::new(whitening.view(), &offset).norms(&x, &mut norms, stride);
            one_by_one::<T>(&norms, n, stride)
        };
        for (level, (dense, sparse)) in Level::each(|| (norms(1), norms(stride))) {
            prop_assert!(same_bits(sparse.column(0), &dense), "{level:?}");
            prop_assert!(sparse.slice(s![.., 1..]).iter().all(|&other| other == -1.0), "{level:?}");
        }
    });
}

in_both_precisions!(
    every_instance_errs_by_roundings_only,
    every_instance_is_exact_on_small_integers,
    instances_that_fuse_agree_bit_by_bit,
    a_row_comes_out_the_same_alone_as_among_others,
    distances_to_means_far_from_zero_keep_their_digits,
    norms_go_to_every_so_many_slots_and_leave_the_others,
);
