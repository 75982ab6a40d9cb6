//! Moments of rows of every element type, in every memory layout.

use ndarray::{Array2, Axis, array, s};
use proptest::prelude::*;

use super::{STRUCTURES, assert_agree};
use crate::core::{Moments, Parallel, Rows, Structure};
use crate::error::{Error, InputError};
use crate::oracle::{Sample, in_every_layout, two_passes};

proptest! {
    #[test]
    fn memory_order_does_not_matter(n in 1_usize..40, d in 1_usize..20, weighted: bool, seed: u64) {
        let sample = Sample::by_chance(n, d, 3, weighted, seed);
        in_every_layout(&sample.x, f64::NAN, |_, view| {
            for structure in STRUCTURES {
                let moments = sample.moments_of(&Rows::from(view), structure, Parallel::default());
                assert_agree(&moments.unwrap(), &two_passes(&sample), 0.0);
            }
        });
    }
}

/// Small integers, as many as every element type holds, are read alike from each of the types.
#[test]
fn every_element_type_is_read() {
    macro_rules! check {
        ($sample:expr, $($element:ty),+) => {$({
            let x = $sample.x.mapv(|entry| entry as $element);
            in_every_layout(&x, <$element>::default(), |layout, view| {
                for structure in STRUCTURES {
                    let moments = $sample.moments_of(&Rows::from(view), structure, Parallel::default()).unwrap();
                    assert_agree(&moments, &two_passes(&$sample), 0.0);
                    assert_eq!(moments.n_features(), 11, "{layout} of {}", stringify!($element));
                }
            });
        })+};
    }
    let sample = Sample::by_chance(70, 11, 3, false, 5);
    let whole = Sample { x: sample.x.mapv(f64::floor), ..sample };
    check!(whole, f64, f32, i8, i16, i32, i64);
    let natural = Sample { x: whole.x.mapv(f64::abs), ..whole };
    check!(natural, u8, u16, u32, u64);
    let truth = natural.x.mapv(|entry| entry > 2.0);
    let bits = Sample { x: truth.mapv(|bit| f64::from(u8::from(bit))), ..natural };
    in_every_layout(&truth, true, |_, view| {
        for structure in STRUCTURES {
            let moments = bits.moments_of(&Rows::from(view), structure, Parallel::default()).unwrap();
            assert_agree(&moments, &two_passes(&bits), 0.0);
        }
    });
}

#[test]
fn the_ends_of_a_type_are_read_as_the_nearest_doubles() {
    macro_rules! check {
        ($($element:ty),+) => {$(
            for end in [<$element>::MIN, <$element>::MAX] {
                let x = array![[end]];
                let rows = Rows::from(x.view());
                let moments = Moments::from_rows(&rows, &[0], 1, None, Structure::Full, Parallel::default());
                assert_eq!(moments.unwrap().means(), array![[end as f64]]);
            }
        )+};
    }
    check!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
}

#[test]
fn one_row_or_column_repeated_without_memory_is_read() {
    let sample = Sample::new(30, 9, 2);
    for repeated in
        [sample.x.row(3).broadcast((30, 9)), sample.x.column(2).insert_axis(Axis(1)).broadcast((30, 9))]
    {
        let view = repeated.unwrap();
        let copy = Sample { x: view.to_owned(), ..sample.clone() };
        for structure in STRUCTURES {
            let moments = sample.moments_of(&Rows::from(view), structure, Parallel::default()).unwrap();
            assert_agree(&moments, &two_passes(&copy), 0.0);
        }
    }
}

/// Entries that no sum of a few is exact of: the order of additions shows.
fn uneven(sample: Sample) -> Sample {
    Sample { x: sample.x.mapv(|entry| (1.3 * entry).sin()), ..sample }
}

#[test]
fn sums_have_the_same_bits_in_every_layout() {
    for (n, d, classes) in [(700, 3, 2), (1300, 17, 3), (600, 70, 5), (900, 50, 350)] {
        for weighted in [false, true] {
            let sample = uneven(Sample::by_chance(n, d, classes, weighted, 7));
            for structure in STRUCTURES {
                let expected = sample.moments(structure).unwrap();
                in_every_layout(&sample.x, f64::NAN, |layout, view| {
                    let moments = sample.moments_of(&Rows::from(view), structure, Parallel::default());
                    assert_eq!(moments.unwrap(), expected, "{layout}, {n} x {d}, {structure:?}");
                });
                let mut wide = Array2::from_elem((n, 2 * d), f64::NAN);
                wide.slice_mut(s![.., ..;2]).assign(&sample.x);
                let rows = Rows::from(wide.slice(s![.., ..;2]));
                let moments = sample.moments_of(&rows, structure, Parallel::default());
                assert_eq!(moments.unwrap(), expected, "every second column, {n} x {d}, {structure:?}");
            }
        }
    }
}

/// So many classes and columns that the rows of a class are brought together first.
#[test]
fn classes_one_after_another_agree_with_two_passes() {
    for weighted in [false, true] {
        let labels = (0..2400).map(|row| row * 7 % 400).collect();
        let sample = Sample { labels, ..uneven(Sample::by_chance(2400, 61, 400, weighted, 3)) };
        let moments = sample.moments(Structure::Full).unwrap();
        assert_agree(&moments, &two_passes(&sample), 0.0);
        let rows = Rows::from(sample.x.view());
        let threads = Parallel::new(Some(3));
        assert_eq!(sample.moments_of(&rows, Structure::Full, threads).unwrap(), moments);
        let mut holed = sample.x.clone();
        (holed[(1700, 5)], holed[(1200, 60)]) = (f64::NAN, f64::INFINITY);
        let refused = sample.moments_of(&Rows::from(holed.view()), Structure::Full, threads);
        let named = InputError::NonFinite { row: 1200, column: 60, value: f64::INFINITY };
        assert_eq!(refused, Err(Error::Input(named)));
    }
}
