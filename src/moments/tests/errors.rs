//! What moments refuse, and that the error names the place.

use ndarray::{Array1, Array2, Array3, array};
use proptest::prelude::*;

use super::STRUCTURES;
use crate::core::{Error, Means, Moments, Owner, Parallel, Result, Rows, Structure};
use crate::error::{InputError, ShapeError};
use crate::oracle::{Sample, in_every_layout};

/// The same in every structure, with one thread and with several.
fn refused(x: &Array2<f64>, labels: &[u32], classes: usize, weights: Option<&[f64]>) -> Error {
    let all = STRUCTURES.into_iter().flat_map(|structure| {
        [1, 3].map(|threads| {
            let parallel = Parallel::new(Some(threads));
            Moments::from_rows(&Rows::from(x.view()), labels, classes, weights, structure, parallel)
        })
    });
    let mut errors: Vec<Error> = all.map(Result::unwrap_err).collect();
    errors.dedup();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

proptest! {
    #[test]
    fn the_first_entry_that_is_not_finite_is_named_in_any_memory_order(
        places in prop::collection::vec((0_usize..150, 0_usize..11), 1..4),
        value in prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
        weighted: bool,
    ) {
        let mut sample = Sample::by_chance(150, 11, 3, weighted, 4);
        places.iter().for_each(|&place| sample.x[place] = value);
        let first = places.into_iter().min().unwrap();
        in_every_layout(&sample.x, 0.0, |layout, view| {
            for structure in STRUCTURES {
                let error = sample.moments_of(&Rows::from(view), structure, Parallel::default()).unwrap_err();
                let Error::Input(InputError::NonFinite { row, column, value: found }) = error else { panic!("{layout}: {error}") };
                assert_eq!((row, column), first, "{layout}");
                assert_eq!(found.to_bits(), value.to_bits());
            }
        });
    }
}

#[test]
fn of_two_bad_entries_in_distant_tasks_the_first_is_named() {
    let mut x = Sample::new(50_000, 3, 2).x;
    x[(49_999, 0)] = f64::INFINITY;
    x[(20_001, 2)] = f64::INFINITY;
    let error = refused(&x, &vec![0; 50_000], 1, None);
    assert_eq!(error, Error::Input(InputError::NonFinite { row: 20_001, column: 2, value: f64::INFINITY }));
}

#[test]
fn an_infinite_entry_is_refused_even_where_the_weight_is_0() {
    let x = array![[1.0, 2.0], [3.0, f64::INFINITY], [5.0, 7.0]];
    let error = refused(&x, &[0, 0, 0], 1, Some(&[1.0, 0.0, 1.0]));
    assert_eq!(error, Error::Input(InputError::NonFinite { row: 1, column: 1, value: f64::INFINITY }));
}

#[test]
fn single_precision_rows_are_looked_at_too() {
    let x = array![[1.0_f32, 2.0], [f32::NEG_INFINITY, 2.0]];
    let rows = Rows::from(x.view());
    let error =
        Moments::from_rows(&rows, &[0, 0], 1, None, Structure::Diag, Parallel::default()).unwrap_err();
    assert_eq!(error, Error::Input(InputError::NonFinite { row: 1, column: 0, value: f64::NEG_INFINITY }));
}

#[test]
fn a_label_beyond_the_classes_is_named() {
    let x = array![[1.0], [2.0], [3.0], [4.0]];
    assert_eq!(
        refused(&x, &[0, 1, 2, 3], 2, None),
        Error::Input(InputError::Label { row: 2, label: 2, classes: 2 })
    );
    assert_eq!(
        refused(&x, &[0, 0, 0, 0], 0, None),
        Error::Input(InputError::Label { row: 0, label: 0, classes: 0 })
    );
}

#[test]
fn labels_and_weights_must_be_as_many_as_rows() {
    let x = array![[1.0], [2.0], [3.0]];
    assert_eq!(
        refused(&x, &[0, 0], 1, None),
        Error::Shape(ShapeError::Size { what: "number of labels", given: 2, expected: 3 })
    );
    assert_eq!(
        refused(&x, &[0, 0, 0], 1, Some(&[1.0; 4])),
        Error::Shape(ShapeError::Size { what: "number of weights", given: 4, expected: 3 })
    );
}

#[test]
fn a_weight_that_is_negative_or_not_finite_is_named() {
    let x = array![[1.0], [2.0], [3.0]];
    for bad in [-1.0, -f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let error = refused_weight(&x, &[1.0, bad, -7.0]);
        assert_eq!((error.0, error.1.to_bits()), (1, bad.to_bits()));
    }
}

#[test]
fn of_weights_whose_sum_overflows_the_largest_is_named() {
    let x = array![[1.0], [2.0], [3.0]];
    assert_eq!(refused_weight(&x, &[1e308, 1.7e308, 1e308]), (1, 1.7e308));
}

fn refused_weight(x: &Array2<f64>, weights: &[f64]) -> (usize, f64) {
    let rows = Rows::from(x.view());
    let labels = vec![0; x.nrows()];
    match Moments::from_rows(&rows, &labels, 1, Some(weights), Structure::Full, Parallel::default()) {
        Err(Error::Input(InputError::Weight { row, value })) => (row, value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_weight_there_are_moments_of_nothing() {
    for (rows, labels, weights) in [(0, vec![], None), (2, vec![0, 1], Some(&[0.0, 0.0][..]))] {
        for structure in STRUCTURES {
            let x = Array2::<f64>::zeros((rows, 3));
            let rows = Rows::from(x.view());
            let moments =
                Moments::from_rows(&rows, &labels, 2, weights, structure, Parallel::default()).unwrap();
            assert_eq!((moments.total_weight(), moments.rows()), (0.0, &[0, 0][..]));
        }
    }
}

#[test]
fn without_classes_there_are_moments_of_nothing() {
    for structure in STRUCTURES {
        let x = Array2::<f64>::zeros((0, 3));
        let rows = Rows::from(x.view());
        for weights in [None, Some(&[][..])] {
            let moments = Moments::from_rows(&rows, &[], 0, weights, structure, Parallel::default()).unwrap();
            assert_eq!((moments.n_classes(), moments.n_features()), (0, 3));
        }
    }
}

#[test]
fn without_columns_there_are_no_moments() {
    let error = refused(&Array2::zeros((3, 0)), &[0, 0, 0], 1, None);
    assert_eq!(error, Error::Shape(ShapeError::Size { what: "number of columns", given: 0, expected: 1 }));
}

#[test]
fn squares_that_overflow_are_named_by_class_and_column() {
    for large in [1e200, f64::MAX] {
        let x = array![[1.0, 0.0, 1.0], [2.0, 3.0, 1.0], [1.0, -large, 1.0], [2.0, large, 1.0]];
        for structure in STRUCTURES {
            let rows = Rows::from(x.view());
            let error = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, structure, Parallel::default());
            let what = if structure == Structure::Tied { Owner::Pooled } else { Owner::Class(1) };
            assert_eq!(
                error,
                Err(Error::Input(InputError::Overflow { what, column: 1 })),
                "{large}, {structure:?}"
            );
        }
    }
}

#[test]
fn a_constant_column_of_large_values_has_moments() {
    let x = array![[1.0, 1e200], [2.0, 1e200], [4.0, 1e200]];
    for structure in STRUCTURES {
        let rows = Rows::from(x.view());
        let moments = Moments::from_rows(&rows, &[0, 0, 0], 1, None, structure, Parallel::default()).unwrap();
        assert_eq!(moments.means()[(0, 1)], 1e200);
        assert_eq!(moments.scatter_diagonal(0)[1], 0.0);
    }
}

#[test]
fn numbers_that_do_not_fit_together_make_no_moments() {
    let sample = Sample::new(60, 3, 2);
    for structure in STRUCTURES {
        let m = sample.moments(structure).unwrap();
        let new = |rows: &[u64], weights: usize, offset: (usize, usize), scatter: (usize, usize, usize)| {
            let means = Means { shift: Array2::zeros((2, 3)), offset: Array2::zeros(offset) };
            Moments::new(structure, rows.to_vec(), Array1::ones(weights), means, Array3::zeros(scatter))
        };
        let (k, h, d) = m.scatter().dim();
        assert!(new(&[1, 1], 2, (2, 3), (k, h, d)).is_ok());
        let bad = [
            new(&[1], 2, (2, 3), (k, h, d)),
            new(&[1, 1], 3, (2, 3), (k, h, d)),
            new(&[1, 1], 2, (1, 3), (k, h, d)),
            new(&[1, 1], 2, (2, 4), (k, h, d)),
            new(&[1, 1], 2, (2, 3), (k + 1, h, d)),
            new(&[1, 1], 2, (2, 3), (k, h + 1, d)),
            new(&[1, 1], 2, (2, 3), (k, h, d + 1)),
        ];
        assert!(
            bad.iter().all(|moments| matches!(moments, Err(Error::Shape(ShapeError::Size { .. })))),
            "{structure:?}: {bad:?}"
        );
    }
}
