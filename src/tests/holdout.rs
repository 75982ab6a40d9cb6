//! Models judged by rows that do not fit them.

use ndarray::Array2;
use proptest::prelude::*;

use super::chaos::Chaos;
use super::covariances::{TARGETS, mixing};
use super::moments::of_rows;
use crate::core::{
    Error, Family, Moments, Parallel, Result, Rows, Structure, Tally, cross_validate, leave_one_out,
    tally_left_out,
};
use crate::covariance::{Mixing, Pooling, Target};
use crate::error::{InputError, ShapeError};

fn assert_numbers(tallies: Result<Vec<Option<Tally>>>) {
    for tally in tallies.into_iter().flatten().flatten() {
        let Tally { log_loss, squared_log_loss, hits, brier, squared_brier } = tally;
        assert!(
            [log_loss, squared_log_loss, hits, brier, squared_brier].iter().all(|sum| sum.is_finite()),
            "{tally:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn rows_are_held_out_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let structure = chaos.pick(&[Structure::Full, Structure::Full, Structure::Tied, Structure::Diag]);
        let Ok((x, labels, moments)) = of_rows(&mut chaos, structure) else { return Ok(()) };
        let (n, k) = (x.nrows(), moments.n_classes());
        let (priors, weights) = (chaos.positives(k), chaos.positives(k));
        let family = Family {
            mixing: mixing(&mut chaos),
            weights: (chaos.below(4) == 0).then_some(&weights[..]),
            target: chaos.pick(&TARGETS),
            priors: chaos.flip().then_some(&priors[..]),
            tol: if chaos.flip() { 1e-4 } else { chaos.share() },
            smoothing: if chaos.flip() { 0.0 } else { chaos.share() },
            columns: None,
        };
        let (rows, parallel) = (Rows::from(x.view()), Parallel::new(Some(1)));
        let (gamma, mut out) = (chaos.share(), chaos.space(n * k, f64::NAN));
        if leave_one_out(&moments, &rows, &labels, &family, gamma, &mut out, parallel).is_ok() {
            prop_assert!(out.iter().all(|value| !value.is_nan()));
        }
        let (alphas, gammas) = (chaos.shares(2), chaos.shares(3));
        assert_numbers(tally_left_out(&moments, &rows, &labels, &family, &gammas, parallel));
        let held_out = chaos.matrix((5, moments.n_features()));
        let (labels, weights) = (chaos.labels(5, k), chaos.weights(5));
        let rows = Rows::from(held_out.view());
        let weights = weights.as_deref();
        assert_numbers(cross_validate(&moments, &rows, &labels, weights, &family, &alphas, &gammas, parallel));
    }
}

#[test]
fn weights_whose_losses_overflow_are_refused() {
    let x = ndarray::array![[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]];
    let (labels, parallel) = ([0, 0, 0, 1, 1, 1], Parallel::new(Some(1)));
    let moments =
        Moments::from_rows(&Rows::from(x.view()), &labels, 2, None, Structure::Full, parallel).unwrap();
    // far on the wrong side: the loss is the largest that counts
    let held_out = ndarray::array![[-2.0], [90.0], [2.0]];
    let rows = Rows::from(held_out.view());
    let judged = |weights: &[f64]| {
        cross_validate(
            &moments,
            &rows,
            &[0, 0, 1],
            Some(weights),
            &family(),
            &[0.0, 1.0],
            &[0.0, 0.5],
            parallel,
        )
    };
    let large = judged(&[1.0, f64::MAX / 2048.0, 1.0]).unwrap();
    assert!(large.iter().all(|tally| tally.unwrap().squared_log_loss > f64::MAX / 2.0));
    assert_numbers(Ok(large));
    let too_large = f64::MAX / 1024.0;
    let refused = Error::Input(InputError::Weight { row: 1, value: too_large });
    assert_eq!(judged(&[1.0, too_large, 1.0]), Err(refused));
}

fn family() -> Family<'static> {
    let mixing = Mixing { alpha: 0.5, pooling: Pooling::Covariance, unbiased: false };
    Family {
        mixing,
        weights: None,
        target: Target::Spherical,
        priors: None,
        tol: 1e-4,
        smoothing: 0.0,
        columns: None,
    }
}

#[test]
fn without_classes_nothing_is_held_out() {
    let x = Array2::<f64>::zeros((0, 2));
    let (rows, parallel) = (Rows::from(x.view()), Parallel::new(Some(1)));
    for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
        let empty = Moments::from_rows(&rows, &[], 0, None, structure, parallel).unwrap();
        let refused = Error::Shape(ShapeError::Size { what: "number of classes", given: 0, expected: 1 });
        assert_eq!(
            leave_one_out(&empty, &rows, &[], &family(), 0.0, &mut [], parallel),
            Err(refused.clone())
        );
        assert_eq!(tally_left_out(&empty, &rows, &[], &family(), &[0.0], parallel), Err(refused.clone()));
        assert_eq!(
            cross_validate(&empty, &rows, &[], None, &family(), &[0.5], &[0.0], parallel),
            Err(refused)
        );
    }
}

#[test]
fn a_family_of_what_could_not_be_is_refused() {
    let sample = crate::oracle::Sample::new(40, 2, 2);
    let moments = sample.moments(Structure::Full).unwrap();
    let (rows, parallel) = (Rows::from(sample.x.view()), Parallel::new(Some(1)));
    let judged = |family: &Family<'_>, alpha: f64, gamma: f64| {
        let mut out = vec![0.0; 80];
        let one = Family { mixing: Mixing { alpha, ..family.mixing }, ..*family };
        let left_out = leave_one_out(&moments, &rows, &sample.labels, &one, gamma, &mut out, parallel);
        let tallied = tally_left_out(&moments, &rows, &sample.labels, &one, &[gamma], parallel).map(drop);
        let held_out =
            cross_validate(&moments, &rows, &sample.labels, None, family, &[alpha], &[gamma], parallel)
                .map(drop);
        [left_out, tallied, held_out]
    };
    assert_eq!(judged(&family(), 0.5, 0.5), [Ok(()), Ok(()), Ok(())]);
    let bad = [f64::NAN, -0.5, f64::INFINITY];
    for bad in bad {
        let argument = |answers: [Result<()>; 3]| {
            assert!(
                answers.iter().all(|answer| matches!(answer, Err(Error::Input(InputError::Argument { .. })))),
                "{bad}: {answers:?}"
            );
        };
        argument(judged(&family(), bad, 0.5));
        argument(judged(&family(), 0.5, bad));
        argument(judged(&Family { smoothing: bad, ..family() }, 0.5, 0.5));
        let prior = |answers: [Result<()>; 3]| {
            assert!(
                answers
                    .iter()
                    .all(|answer| matches!(answer, Err(Error::Input(InputError::Prior { class: 1, .. })))),
                "{bad}: {answers:?}"
            );
        };
        prior(judged(&Family { priors: Some(&[0.5, bad]), ..family() }, 0.5, 0.5));
        prior(judged(&Family { weights: Some(&[0.5, bad]), ..family() }, 0.5, 0.5));
    }
    for tol in [f64::NAN, -1.0] {
        let answers = judged(&Family { tol, ..family() }, 0.5, 0.5);
        assert!(
            answers
                .iter()
                .all(|answer| matches!(answer, Err(Error::Input(InputError::Argument { what: "tol", .. }))))
        );
    }
}
