//! Regularized covariances against the formulas written out.

use ndarray::{Array2, Axis, array};

use super::{Mixing, Pooling, Target, regularized};
use crate::core::{Error, Moments, Owner, Parallel, Rows, Structure};
use crate::error::{InputError, RankError};
use crate::oracle::Sample;

fn mixing(alpha: f64, pooling: Pooling, unbiased: bool) -> Mixing {
    Mixing { alpha, pooling, unbiased }
}

fn close(a: &Array2<f64>, b: &Array2<f64>) -> bool {
    (a - b).iter().all(|gap| gap.abs() < 1e-12)
}

#[test]
fn covariances_are_mixed_with_their_divisors() {
    let moments = Sample::new(60, 3, 2).moments(Structure::Full).unwrap();
    let (n, total) = (moments.weights(), moments.total_weight());
    for (unbiased, own, pooled) in [(false, 0.0, 0.0), (true, 1.0, 2.0)] {
        let mixed =
            regularized(&moments, mixing(0.3, Pooling::Covariance, unbiased), Target::Diagonal, &[0.0; 2]);
        for (class, mixed) in mixed.unwrap().outer_iter().enumerate() {
            let scatter = moments.scatter().index_axis(Axis(0), class);
            let expected = &scatter * (0.7 / (n[class] - own))
                + moments.scatter().sum_axis(Axis(0)) * (0.3 / (total - pooled));
            assert!(close(&mixed.to_owned(), &expected));
        }
    }
}

#[test]
fn scatters_are_mixed_as_friedman_does() {
    let moments = Sample::new(60, 3, 2).moments(Structure::Full).unwrap();
    let (n, total) = (moments.weights(), moments.total_weight());
    let mixed = regularized(&moments, mixing(0.3, Pooling::Scatter, false), Target::Diagonal, &[0.0; 2]);
    for (class, mixed) in mixed.unwrap().outer_iter().enumerate() {
        let scatter = moments.scatter().index_axis(Axis(0), class);
        let sum = &scatter * 0.7 + moments.scatter().sum_axis(Axis(0)) * 0.3;
        assert!(close(&mixed.to_owned(), &(sum / (0.7 * n[class] + 0.3 * total))));
    }
}

#[test]
fn targets_keep_what_they_should() {
    let covariance = array![[4.0, 1.0], [1.0, 2.0]];
    let approach = |target: Target| target.approach(covariance.view(), 1.0).unwrap();
    assert_eq!(approach(Target::Spherical), array![[3.0, 0.0], [0.0, 3.0]]);
    assert_eq!(approach(Target::Diagonal), array![[4.0, 0.0], [0.0, 2.0]]);
    assert_eq!(approach(Target::Identity), array![[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn a_class_of_one_row_can_borrow_all() {
    let x = array![[0.0], [2.0], [7.0], [9.0], [4.0]];
    let rows = Rows::from(x.view());
    let moments =
        Moments::from_rows(&rows, &[0, 0, 0, 0, 1], 2, None, Structure::Full, Parallel::default()).unwrap();
    let tried = |alpha, pooling| {
        regularized(&moments, mixing(alpha, pooling, true), Target::Spherical, &[0.0; 2])
            .map(|covariances| covariances[(1, 0, 0)])
    };
    let refused = Error::Rank(RankError::Divisor { what: Owner::Class(1), weight: 1.0, needed: 1.0 });
    assert_eq!(tried(0.5, Pooling::Covariance), Err(refused.clone()));
    assert_eq!(tried(0.0, Pooling::Scatter), Err(refused));
    let pooled = moments.scatter()[(0, 0, 0)] / 3.0;
    assert!((tried(1.0, Pooling::Covariance).unwrap() - pooled).abs() < 1e-14);
    assert!((tried(0.5, Pooling::Scatter).unwrap() - pooled).abs() < 1e-14);
}

#[test]
fn a_class_without_rows_is_refused() {
    let x = array![[0.0], [2.0]];
    let moments =
        Moments::from_rows(&Rows::from(x.view()), &[0, 0], 2, None, Structure::Full, Parallel::default())
            .unwrap();
    let error = regularized(&moments, mixing(1.0, Pooling::Covariance, false), Target::Identity, &[0.0; 2]);
    assert_eq!(error.unwrap_err(), Error::Input(InputError::EmptyClass { class: 1 }));
}
