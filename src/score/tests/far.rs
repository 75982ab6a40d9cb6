//! Rows and classes far away: from zero, from each other, from the data that were fitted.

use ndarray::array;

use super::{ask_all, uneven};
use crate::oracle::{Asked, Kind, Precision, Sample, Textbook, close, in_both_precisions};

/// Variance 1, means ∓1: log-posteriors differ by 2x. They come from scores of the size of x² / 2.
fn log_posteriors_keep_their_digits_where_posteriors_vanish<T: Precision>() {
    let x = array![[-2.0], [0.0], [0.0], [2.0]];
    let sample = Sample { x, labels: vec![0, 0, 1, 1], classes: 2, weights: None };
    let bound = 4.0 * 1024.0 * 1024.0 * Into::<f64>::into(T::epsilon());
    for kind in Kind::ALL {
        let asked: Asked<T> = ask_all(&kind.fit(&sample, &[0.5, 0.5]).unwrap(), &array![[1024.0], [-1024.0]]);
        for (&got, exact) in asked.log_posterior.iter().zip([-2048.0, 0.0, 0.0, -2048.0]) {
            assert!((got.into() - exact).abs() <= bound, "{kind:?}: {got:?}");
        }
        assert_eq!(asked.posterior, [0.0, 1.0, 1.0, 0.0].map(T::rounded));
        assert_eq!(asked.label, [1, 0]);
    }
}

/// A distance from zero that leaves room for the samples' own digits.
fn far<T: Precision>() -> f64 {
    if T::epsilon().into() < 1e-10 { 67_108_864.0 } else { 4096.0 }
}

fn far_from_zero_scores_are_those_near_zero<T: Precision>() {
    let near = Sample::new(120, 4, 3);
    let moved = Sample { x: &near.x + far::<T>(), ..near.clone() };
    for kind in Kind::ALL {
        let asked: Asked<T> = ask_all(&kind.fit(&moved, &uneven(3)).unwrap(), &moved.x);
        let textbook = Textbook::new(kind, &near, &uneven(3));
        for (at, (&distance, &log_posterior)) in
            asked.mahalanobis.iter().zip(&asked.log_posterior).enumerate()
        {
            let (row, class) = (near.x.row(at / 3), at % 3);
            assert!(close(distance, textbook.mahalanobis(row, class)), "{kind:?}: {distance:?}");
            assert!(close(log_posterior, textbook.log_posterior(row, class)), "{kind:?}: {log_posterior:?}");
        }
    }
}

fn classes_far_apart_keep_their_own_distances<T: Precision>() {
    let near = Sample::new(120, 4, 3);
    let mut apart = near.clone();
    for (mut row, &label) in apart.x.outer_iter_mut().zip(&near.labels) {
        row += far::<T>() * f64::from(label);
    }
    for kind in Kind::ALL {
        let asked: Asked<T> = ask_all(&kind.fit(&apart, &uneven(3)).unwrap(), &apart.x);
        let textbook = Textbook::new(kind, &near, &uneven(3));
        for (row, &label) in near.labels.iter().enumerate() {
            let own = asked.mahalanobis[row * 3 + label as usize];
            let exact = textbook.mahalanobis(near.x.row(row), label as usize);
            assert!(close(own, exact), "{kind:?}: {own:?}, not {exact}");
        }
    }
}

in_both_precisions!(
    log_posteriors_keep_their_digits_where_posteriors_vanish,
    far_from_zero_scores_are_those_near_zero,
    classes_far_apart_keep_their_own_distances,
);
