//! Numbers of classes, columns and places that no memory holds: an error, whatever the system promises.

use ndarray::{Array2, array};

use crate::core::{Error, Moments, Parallel, Result, Rows, Structure};
use crate::discrete::{Labeled, Sparse, count_levels, count_presence, count_sparse_presence, sum_numbers};
use crate::missing::{Em, estimate};

const HUGE: [usize; 5] = [1 << 40, (1 << 48) + 1, 1 << 60, usize::MAX / 16, usize::MAX];

fn assert_refused<T: std::fmt::Debug>(answer: Result<T>) {
    assert!(matches!(answer, Err(Error::Memory { .. })), "{answer:?}");
}

#[test]
fn classes_beyond_all_memory_are_refused() {
    let parallel = Parallel::new(Some(1));
    for classes in HUGE {
        for n in [0, 3] {
            let (x, labels, weights) = (Array2::<f64>::ones((n, 2)), vec![0; n], vec![1.0; n]);
            let (rows, weights) = (Rows::from(x.view()), Some(&weights[..]));
            for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
                assert_refused(Moments::from_rows(&rows, &labels, classes, weights, structure, parallel));
                let em = Em::default();
                assert_refused(estimate(&rows, &labels, classes, weights, structure, em, parallel));
            }
            let labeled = Labeled { labels: &labels, classes, weights };
            assert_refused(count_levels(&rows.columns(), labeled, true, parallel));
            assert_refused(sum_numbers(&rows.columns(), labeled, parallel));
            assert_refused(count_presence(&rows, Some(0.0), labeled, parallel));
            assert_refused(count_levels(&[], labeled, true, parallel));
        }
    }
}

#[test]
fn places_and_columns_beyond_all_memory_are_refused() {
    let x = array![[1.0, 2.0], [3.0, 5.0]];
    let (rows, parallel) = (Rows::from(x.view()), Parallel::new(Some(1)));
    for huge in HUGE {
        for structure in [Structure::Full, Structure::Diag] {
            let moments = Moments::from_rows(&rows, &[0, 0], 1, None, structure, parallel).unwrap();
            assert_refused(moments.regroup(&[0], huge));
        }
        let nothing = Array2::<f64>::zeros((0, 1));
        let sparse = Sparse::new(Rows::from(nothing.view()), &[], &[0, 0], huge).unwrap();
        let labeled = Labeled { labels: &[0], classes: 2, weights: None };
        assert_refused(count_sparse_presence(&sparse, Some(0.0), labeled, parallel));
    }
}

#[test]
fn columns_without_rows_take_memory_too() {
    for features in HUGE {
        let Ok(x) = ndarray::ArrayView2::<f64>::from_shape((0, features), &[]) else { continue };
        let answer =
            Moments::from_rows(&Rows::from(x), &[], 1, None, Structure::Diag, Parallel::new(Some(1)));
        assert_refused(answer);
    }
}
