//! Codes against a search in the sorted set of all labels.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::core::Error;
use crate::error::ShapeError;

fn encoded<C: Column>(column: &C, threads: usize) -> (Vec<C::Label>, Vec<u32>) {
    // Codes left unwritten would show.
    let mut codes = vec![u32::MAX; column.n_rows()];
    let classes = encode(column, &mut codes, Parallel::new(Some(threads))).unwrap();
    (classes, codes)
}

fn searched<C: Column>(column: &C) -> (Vec<C::Label>, Vec<u32>) {
    let labels = || column.labels(0..column.n_rows());
    let classes = labels().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    let codes = labels().map(|label| classes.binary_search(&label).unwrap() as u32).collect();
    (classes, codes)
}

fn assert_searched(column: &impl Column) {
    let expected = searched(column);
    for threads in [1, 2, 5] {
        // Not assert_eq: it would print every row.
        assert!(encoded(column, threads) == expected, "{} classes, {threads} threads", expected.0.len());
    }
}

/// Mostly a few neighbors, and now and then any other.
fn neighbors_and_strangers() -> impl Strategy<Value = i64> {
    prop_oneof![30 => -2..3_i64, 3 => -300..300_i64, 1 => any::<i64>()]
}

proptest! {
    #[test]
    fn integers_far_apart_are_encoded(labels in prop::collection::vec(any::<i64>(), 0..600)) {
        assert_searched(&labels.as_slice());
    }

    #[test]
    fn integers_of_a_small_type_are_encoded(labels in prop::collection::vec(any::<i8>(), 0..600)) {
        assert_searched(&labels.as_slice());
    }

    #[test]
    fn integers_with_outliers_are_encoded(labels in prop::collection::vec(neighbors_and_strangers(), 0..2000)) {
        assert_searched(&labels.as_slice());
    }

    #[test]
    fn text_is_encoded(width in 1..5_usize, points in prop::collection::vec(0..3_u32, 0..1500)) {
        let points = &points[..points.len() / width * width];
        assert_searched(&Text { points, width });
    }

    #[test]
    fn floats_that_hold_integers_are_encoded(labels in prop::collection::vec(-(1_i64 << 51) + 1..1 << 51, 0..600)) {
        let floats: Vec<f64> = labels.iter().map(|&label| label as f64).collect();
        prop_assert_eq!(encoded(&Whole(&floats), 2), searched(&labels.as_slice()));
    }

    #[test]
    fn single_floats_that_hold_integers_are_encoded(labels in prop::collection::vec(-(1_i64 << 24)..=1 << 24, 0..600)) {
        let floats: Vec<f32> = labels.iter().map(|&label| label as f32).collect();
        prop_assert_eq!(encoded(&Whole(&floats), 2), searched(&labels.as_slice()));
    }

    #[test]
    fn floats_with_a_fraction_are_set_apart(label in -1e15..1e15_f64) {
        prop_assume!(label.fract() != 0.0);
        prop_assert_eq!(encoded(&Whole(&[0.0, label]), 1).0, [Whole::<f64>::NOT, 0]);
    }
}

/// Rows of several parts.
const MANY: i64 = 5 * MIN_PART as i64 + 77;

#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of rows")]
fn labels_in_long_runs_are_encoded() {
    let labels: Vec<u16> = (0..MANY).map(|row| (row * 3 / MANY) as u16 * 7).collect();
    assert_searched(&labels.as_slice());
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of rows")]
fn labels_in_turn_are_encoded() {
    for period in [2, 256, 1000, 1024] {
        let labels: Vec<i64> = (0..MANY).map(|row| row % period).collect();
        assert_searched(&labels.as_slice());
    }
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of rows")]
fn a_label_of_one_row_among_many_is_encoded() {
    for (row, stranger) in [(0, -1_i32), (1, 2), (100_000, i32::MAX), (MANY as usize - 1, i32::MIN)] {
        // With neighbors that leave a gap and with ones that do not.
        for step in [1, 5] {
            let mut labels: Vec<i32> = (0..MANY).map(|row| (row % 2) as i32 * step).collect();
            labels[row] = stranger;
            assert_searched(&labels.as_slice());
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of rows")]
fn labels_that_are_all_distinct_are_encoded() {
    for step in [1, -1, 1 << 40] {
        let labels: Vec<i64> = (0..MANY).map(|row| row * step).collect();
        assert_searched(&labels.as_slice());
    }
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of rows")]
fn text_of_many_rows_is_encoded() {
    let points: Vec<u32> = (0..MANY as u32).flat_map(|row| [7, row % 3, row / 100_000]).collect();
    assert_searched(&Text { points: &points, width: 3 });
}

#[test]
fn the_ends_of_a_type_are_encoded() {
    assert_searched(&[i64::MAX, i64::MIN, 0].as_slice());
    assert_searched(&[u64::MAX, 0].as_slice());
    assert_searched(&[i8::MAX, i8::MIN].as_slice());
}

#[test]
fn what_is_no_small_integer_is_set_apart() {
    let limit = (1_i64 << 51) as f64;
    for label in
        [f64::NAN, f64::INFINITY, -f64::INFINITY, 0.5, 5e-324, limit, -limit, limit + 0.5, 2.0 * limit, 1e300]
    {
        assert_eq!(encoded(&Whole(&[3.0, label]), 1), (vec![Whole::<f64>::NOT, 3], vec![1, 0]), "{label}");
    }
}

#[test]
fn minus_zero_is_zero() {
    assert_eq!(encoded(&Whole(&[0.0, -0.0, 1.0]), 1), (vec![0, 1], vec![0, 0, 1]));
}

#[test]
fn another_number_of_codes_is_refused() {
    let error = encode(&[1_u8, 2].as_slice(), &mut [0; 3], Parallel::default()).unwrap_err();
    assert_eq!(error, Error::Shape(ShapeError::Size { what: "number of codes", given: 3, expected: 2 }));
}

#[test]
fn text_without_width_has_no_rows() {
    assert_eq!(encoded(&Text { points: &[], width: 0 }, 1), (vec![], vec![]));
}
