//! Rows left out by formula, against models of the moments that are left when a row is taken away.

use ndarray::{Array2, Axis, s};

use super::{leave_one_out, tally_left_out};
use crate::core::{
    Answers, Error, LinearFit, Model, Moments, Owner, Parallel, Rows, Rules, Structure, score,
};
use crate::covariance::{Mixing, Pooling, Target, pooled, regularized, variances};
use crate::error::{InputError, RankError, ShapeError};
use crate::holdout::{Family, Tally};
use crate::oracle::Sample;

const TOL: f64 = 1e-4;

fn family(alpha: f64, pooling: Pooling, target: Target, unbiased: bool) -> Family<'static> {
    let mixing = Mixing { alpha, pooling, unbiased };
    Family { mixing, weights: None, target, priors: None, tol: TOL, smoothing: 0.0, columns: None }
}

/// The log-posteriors of each row under the model that `fit` makes of all others.
fn by_refitting(
    sample: &Sample,
    structure: Structure,
    fit: impl Fn(&Moments, &[f64]) -> Model,
    priors: Option<&[f64]>,
) -> Array2<f64> {
    let mut out = Array2::zeros((sample.labels.len(), sample.classes));
    for row in 0..sample.labels.len() {
        let kept: Vec<usize> = (0..sample.labels.len()).filter(|&other| other != row).collect();
        let rest = sample.x.select(Axis(0), &kept);
        let labels: Vec<u32> = kept.iter().map(|&row| sample.labels[row]).collect();
        let moments = Moments::from_rows(
            &Rows::from(rest.view()),
            &labels,
            sample.classes,
            None,
            structure,
            Parallel::default(),
        )
        .unwrap();
        let model = fit(&moments, priors.unwrap_or(&moments.priors().unwrap()));
        let one = sample.x.slice(s![row..=row, ..]);
        let mut line = out.row_mut(row);
        let answers = Answers { log_posterior: line.as_slice_mut(), ..Answers::default() };
        score(&model, &Rows::from(one), &Rules::default(), answers, Parallel::default()).unwrap();
    }
    out
}

fn by_formula(sample: &Sample, structure: Structure, family: &Family<'_>, gamma: f64) -> Array2<f64> {
    let moments = sample.moments(structure).unwrap();
    let mut out = Array2::zeros((sample.labels.len(), sample.classes));
    let rows = Rows::from(sample.x.view());
    let place = out.as_slice_mut().unwrap();
    leave_one_out(&moments, &rows, &sample.labels, family, gamma, place, Parallel::default()).unwrap();
    out
}

fn assert_close(given: &Array2<f64>, expected: &Array2<f64>, what: &str) {
    for ((at, given), expected) in given.indexed_iter().zip(expected) {
        assert!(
            (given - expected).abs() < 1e-9 * (1.0 + expected.abs()),
            "{what} {at:?}: {given} {expected}"
        );
    }
}

#[test]
fn regularized_models_without_a_row_are_those_of_the_others() {
    let sample = Sample::new(40, 4, 3);
    for target in [Target::Spherical, Target::Diagonal, Target::Identity] {
        for pooling in [Pooling::Covariance, Pooling::Scatter] {
            for (alpha, gamma, unbiased) in
                [(0.0, 0.0, false), (0.4, 0.0, true), (0.4, 0.3, false), (0.0, 0.3, true), (0.4, 1.0, false)]
            {
                let family = family(alpha, pooling, target, unbiased);
                let fit = |moments: &Moments, priors: &[f64]| {
                    let covariances = regularized(moments, family.mixing, target, &[gamma; 3]).unwrap();
                    Model::quadratic(moments, covariances.view(), priors, TOL, Parallel::default()).unwrap()
                };
                let given = by_formula(&sample, Structure::Full, &family, gamma);
                let expected = by_refitting(&sample, Structure::Full, fit, None);
                assert_close(
                    &given,
                    &expected,
                    &format!("{target:?} {pooling:?} {alpha} {gamma} {unbiased}"),
                );
            }
        }
    }
}

#[test]
fn common_covariances_without_a_row_are_those_of_the_others() {
    let sample = Sample::new(40, 4, 3);
    for unbiased in [false, true] {
        let family = family(1.0, Pooling::Covariance, Target::Spherical, unbiased);
        let fit =
            |moments: &Moments, priors: &[f64]| LinearFit::svd(moments, priors, TOL, unbiased).unwrap().model;
        let given = by_formula(&sample, Structure::Tied, &family, 0.0);
        assert_close(&given, &by_refitting(&sample, Structure::Tied, fit, None), "pooled");
    }
}

#[test]
fn covariances_weighted_by_priors_are_those_of_the_others() {
    let sample = Sample::new(40, 4, 3);
    let priors = [0.5, 0.2, 0.3];
    let plain = family(1.0, Pooling::Covariance, Target::Spherical, true);
    let family = Family { weights: Some(&priors), priors: Some(&priors), ..plain };
    let fit = |moments: &Moments, priors: &[f64]| {
        let covariance = pooled(moments, Some(priors), true).unwrap();
        LinearFit::lsqr(moments, covariance.view(), priors).unwrap().model
    };
    let given = by_formula(&sample, Structure::Full, &family, 0.0);
    assert_close(&given, &by_refitting(&sample, Structure::Full, fit, Some(&priors)), "weighted");
}

#[test]
fn smoothed_variances_without_a_row_are_those_of_the_others() {
    let sample = Sample::new(40, 4, 3);
    let smoothing = 0.3;
    let plain = family(0.0, Pooling::Covariance, Target::Diagonal, false);
    let family = Family { smoothing, ..plain };
    let fit = |moments: &Moments, priors: &[f64]| {
        let total = moments.total().unwrap();
        let largest = total.scatter().iter().copied().fold(0.0, f64::max) / total.total_weight();
        let variances = variances(moments, false).unwrap() + smoothing * largest;
        Model::naive(moments, variances.view(), priors).unwrap()
    };
    let given = by_formula(&sample, Structure::Diag, &family, 1.0);
    assert_close(&given, &by_refitting(&sample, Structure::Diag, fit, None), "smoothed");
}

#[test]
fn a_tally_sums_up_what_each_row_gives() {
    let sample = Sample::new(90, 3, 3);
    let moments = sample.moments(Structure::Full).unwrap();
    let gammas = [0.0, 0.5, 1.0];
    for target in [Target::Spherical, Target::Diagonal] {
        let family = family(0.5, Pooling::Covariance, target, false);
        let rows = Rows::from(sample.x.view());
        let tallies =
            tally_left_out(&moments, &rows, &sample.labels, &family, &gammas, Parallel::default()).unwrap();
        for (tally, gamma) in tallies.into_iter().zip(gammas) {
            let tally = tally.unwrap();
            let mut expected = Tally::default();
            for (line, &label) in
                by_formula(&sample, Structure::Full, &family, gamma).outer_iter().zip(&sample.labels)
            {
                expected.record_row(1.0, line.as_slice().unwrap(), label as usize);
            }
            assert_eq!(tally.hits, expected.hits);
            assert!((tally.log_loss - expected.log_loss).abs() < 1e-9);
            assert!((tally.brier - expected.brier).abs() < 1e-9);
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let sample = Sample::new(5000, 3, 3);
    let moments = sample.moments(Structure::Full).unwrap();
    let family = family(0.5, Pooling::Covariance, Target::Spherical, false);
    let rows = Rows::from(sample.x.view());
    let with = |threads: usize| {
        let mut out = vec![0.0; 15_000];
        let parallel = Parallel::new(Some(threads));
        leave_one_out(&moments, &rows, &sample.labels, &family, 0.2, &mut out, parallel).unwrap();
        out
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn a_class_that_would_vanish_is_named() {
    let sample = Sample::new(4, 1, 3);
    let moments = sample.moments(Structure::Full).unwrap();
    let family = family(1.0, Pooling::Covariance, Target::Identity, false);
    let rows = Rows::from(sample.x.view());
    let error =
        leave_one_out(&moments, &rows, &sample.labels, &family, 1.0, &mut [0.0; 12], Parallel::default());
    assert_eq!(error.unwrap_err(), Error::Input(InputError::EmptyClass { class: 1 }));
}

#[test]
fn a_covariance_that_is_singular_without_a_row_is_named() {
    // five rows span four directions; four do not
    let sample = Sample::new(10, 4, 2);
    let moments = sample.moments(Structure::Full).unwrap();
    let family = family(0.0, Pooling::Covariance, Target::Spherical, false);
    let rows = Rows::from(sample.x.view());
    let error =
        leave_one_out(&moments, &rows, &sample.labels, &family, 0.0, &mut [0.0; 20], Parallel::default());
    assert_eq!(error.unwrap_err(), Error::Rank(RankError::LeftOut { row: 0, what: Owner::Class(0) }));
}

#[test]
fn a_share_that_the_moments_do_not_hold_is_refused() {
    let sample = Sample::new(40, 3, 3);
    let weights = [0.5, 0.2, 0.3];
    let rows = Rows::from(sample.x.view());
    let refused = |structure: Structure, family: &Family<'_>, gamma: f64| {
        let moments = sample.moments(structure).unwrap();
        let mut out = vec![0.0; 120];
        let error =
            leave_one_out(&moments, &rows, &sample.labels, family, gamma, &mut out, Parallel::default());
        assert_eq!(error, Err(Error::Shape(ShapeError::Incompatible("structures"))), "{structure:?}");
    };
    let half = family(0.5, Pooling::Covariance, Target::Diagonal, false);
    refused(Structure::Tied, &half, 0.0);
    refused(Structure::Tied, &half, 1.0);
    let weighted = Family { weights: Some(&weights), ..half };
    refused(Structure::Tied, &weighted, 0.0);
    refused(Structure::Tied, &weighted, 1.0);
    refused(Structure::Diag, &weighted, 0.0);
}

#[test]
fn independent_columns_do_not_depend_on_the_structure() {
    let sample = Sample::new(40, 3, 3);
    let weights = [0.5, 0.2, 0.3];
    let common = family(1.0, Pooling::Covariance, Target::Diagonal, false);
    let tied = by_formula(&sample, Structure::Tied, &common, 1.0);
    assert_close(&tied, &by_formula(&sample, Structure::Full, &common, 1.0), "tied");
    assert_close(&tied, &by_formula(&sample, Structure::Diag, &common, 1.0), "diagonal");
    let weighted = Family { weights: Some(&weights), ..common };
    let fit = |moments: &Moments, priors: &[f64]| {
        let covariance = pooled(moments, Some(&weights), false).unwrap();
        let diagonal = Target::Diagonal.approach(covariance.view(), 1.0).unwrap();
        LinearFit::lsqr(moments, diagonal.view(), priors).unwrap().model
    };
    let expected = by_refitting(&sample, Structure::Full, fit, None);
    for structure in [Structure::Full, Structure::Diag] {
        assert_close(&by_formula(&sample, structure, &weighted, 1.0), &expected, "weighted");
    }
}
