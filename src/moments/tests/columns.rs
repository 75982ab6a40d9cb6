//! Diagonal moments of rows with gaps: sums of batches are those of all rows, column by column.

use ndarray::{Array2, array};

use crate::core::{Error, InputError, Moments, Owner, Parallel, Rows, Structure};
use crate::oracle::Sample;

/// Rows of which every third entry or so is missing.
fn gapped(n: usize, seed: usize) -> (Array2<f64>, Vec<u32>) {
    let Sample { mut x, labels, .. } = Sample::new(n, 4, 3);
    for ((row, column), entry) in x.indexed_iter_mut() {
        if (row * 5 + column * 3 + seed) % 7 < 2 {
            *entry = f64::NAN;
        }
    }
    (x, labels)
}

fn moments(x: &Array2<f64>, labels: &[u32], weights: Option<&[f64]>) -> Moments {
    Moments::from_observed(&Rows::from(x.view()), labels, 3, weights, Parallel::default()).unwrap()
}

fn assert_close(found: &Moments, expected: &Moments) {
    let close = |a: &f64, b: &f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
    assert_eq!(found.rows(), expected.rows());
    for (a, b) in [
        (found.means(), expected.means()),
        (found.seen().unwrap().clone(), expected.seen().unwrap().clone()),
        (found.scatter().flatten().to_owned().insert_axis(ndarray::Axis(0)), {
            expected.scatter().flatten().to_owned().insert_axis(ndarray::Axis(0))
        }),
    ] {
        assert!(a.iter().zip(&b).all(|(a, b)| close(a, b)), "{a} {b}");
    }
}

#[test]
fn each_column_has_the_sums_of_what_is_observed() {
    let (x, labels) = gapped(60, 0);
    let found = moments(&x, &labels, None);
    for class in 0..3 {
        for column in 0..4 {
            let values: Vec<f64> = (0..60)
                .filter(|&row| labels[row] == class as u32 && !x[(row, column)].is_nan())
                .map(|row| x[(row, column)])
                .collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            assert_eq!(found.seen().unwrap()[(class, column)], n);
            assert!((found.means()[(class, column)] - mean).abs() < 1e-12);
            assert!((found.scatter()[(class, 0, column)] - squares).abs() < 1e-10);
        }
    }
}

#[test]
fn batches_join_and_leave() {
    let (x, labels) = gapped(90, 1);
    let part = |range: std::ops::Range<usize>, weights: Option<&[f64]>| {
        let rows = x.slice(ndarray::s![range.clone(), ..]).to_owned();
        moments(&rows, &labels[range], weights)
    };
    let weights: Vec<f64> = (0..90).map(|row| 0.5 + (row % 4) as f64 / 3.0).collect();
    for weights in [None, Some(&weights[..])] {
        let of = |range: std::ops::Range<usize>| part(range.clone(), weights.map(|all| &all[range]));
        let (all, first, second) = (of(0..90), of(0..35), of(35..90));
        assert_close(&first.merge(&second).unwrap(), &all);
        assert_close(&all.subtract(&second).unwrap(), &first);
        assert_eq!(all.subtract(&all).unwrap().weights(), array![0.0, 0.0, 0.0]);
    }
}

#[test]
fn complete_batches_join_those_with_gaps() {
    let (x, labels) = gapped(60, 2);
    let complete = Sample::new(30, 4, 3);
    let both = ndarray::concatenate(ndarray::Axis(0), &[x.view(), complete.x.view()]).unwrap();
    let labels_of_both: Vec<u32> = labels.iter().chain(&complete.labels).copied().collect();
    let (with, without) = (moments(&x, &labels, None), complete.moments(Structure::Diag).unwrap());
    assert_eq!(without.seen(), None);
    let expected = moments(&both, &labels_of_both, None);
    assert_close(&with.merge(&without).unwrap(), &expected);
    assert_close(&without.merge(&with).unwrap(), &expected);
}

#[test]
fn classes_and_columns_move_with_their_weights() {
    let (x, labels) = gapped(60, 3);
    let found = moments(&x, &labels, None);
    assert_eq!(found.select(&[2, 0]).unwrap().seen().unwrap().column(0), found.seen().unwrap().column(2));
    let one: Vec<u32> = vec![0; 60];
    let total = Moments::from_observed(&Rows::from(x.view()), &one, 1, None, Parallel::default()).unwrap();
    assert_close(&found.total().unwrap(), &total);
    let half = found.scale(0.5).unwrap();
    assert_eq!(half.seen().unwrap(), found.seen().unwrap() / 2.0);
    assert_close(&half.merge(&half).unwrap().scale(1.0).unwrap(), &Moments { rows: vec![40; 3], ..found });
}

#[test]
fn what_was_never_there_cannot_leave() {
    let x = array![[1.0, f64::NAN], [3.0, f64::NAN], [4.0, 7.0]];
    let of = |x: &Array2<f64>| moments(x, &vec![0; x.nrows()], None);
    let other = array![[1.0, 7.0], [3.0, 7.5]];
    assert_eq!(
        of(&x).subtract(&of(&other)),
        Err(Error::Input(InputError::NotPart { what: Owner::Class(0) }))
    );
    // Of the row that stays, more would be observed than there are rows.
    let hidden = array![[f64::NAN, f64::NAN], [f64::NAN, 7.0]];
    assert_eq!(
        of(&x).subtract(&of(&hidden)),
        Err(Error::Input(InputError::NotPart { what: Owner::Class(0) }))
    );
}
