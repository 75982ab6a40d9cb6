//! Held-out rows under a grid of models, against each model made and asked.

use ndarray::{Array2, Axis};

use super::cross_validate;
use crate::core::{Answers, LinearFit, Model, Parallel, Rows, Rules, Structure, score};
use crate::covariance::{Mixing, Pooling, Target, pooled, regularized};
use crate::holdout::{Family, Tally};
use crate::oracle::Sample;

const TOL: f64 = 1e-4;

fn family(pooling: Pooling, target: Target) -> Family<'static> {
    let mixing = Mixing { alpha: 0.0, pooling, unbiased: false };
    Family { mixing, weights: None, target, priors: None, tol: TOL, smoothing: 0.0, columns: None }
}

#[test]
fn every_point_of_the_grid_is_the_model_asked() {
    let (train, held) = (Sample::new(150, 4, 3), Sample::new(100, 4, 3));
    let moments = train.moments(Structure::Full).unwrap();
    let (alphas, gammas) = ([0.0, 0.4, 1.0], [0.0, 0.3, 1.0]);
    for target in [Target::Spherical, Target::Diagonal, Target::Identity] {
        for pooling in [Pooling::Covariance, Pooling::Scatter] {
            let family = family(pooling, target);
            let rows = Rows::from(held.x.view());
            let tallies = cross_validate(
                &moments,
                &rows,
                &held.labels,
                None,
                &family,
                &alphas,
                &gammas,
                Parallel::default(),
            );
            let mut tallies = tallies.unwrap().into_iter();
            for alpha in alphas {
                for gamma in gammas {
                    let mixing = Mixing { alpha, ..family.mixing };
                    let covariances = regularized(&moments, mixing, target, &[gamma; 3]).unwrap();
                    let priors = moments.priors().unwrap();
                    let model = match alpha == 1.0 {
                        true => {
                            let common = covariances.index_axis(Axis(0), 0);
                            LinearFit::of_covariance(&moments, common, &priors, TOL).unwrap().model
                        }
                        false => {
                            Model::quadratic(&moments, covariances.view(), &priors, TOL, Parallel::default())
                                .unwrap()
                        }
                    };
                    let mut posteriors = Array2::zeros((100, 3));
                    let answers = Answers { log_posterior: posteriors.as_slice_mut(), ..Answers::default() };
                    score(&model, &rows, &Rules::default(), answers, Parallel::default()).unwrap();
                    let mut expected = Tally::default();
                    for (line, &label) in posteriors.outer_iter().zip(&held.labels) {
                        expected.record_row(1.0, line.as_slice().unwrap(), label as usize);
                    }
                    let given = tallies.next().unwrap().unwrap();
                    assert_eq!(given.hits, expected.hits);
                    assert!((given.log_loss - expected.log_loss).abs() < 1e-8, "{target:?} {alpha} {gamma}");
                    assert!((given.brier - expected.brier).abs() < 1e-8);
                }
            }
        }
    }
}

#[test]
fn singular_covariances_leave_a_gap() {
    let (train, held) = (Sample::new(9, 4, 3), Sample::new(20, 4, 3));
    let moments = train.moments(Structure::Full).unwrap();
    let rows = Rows::from(held.x.view());
    let family = family(Pooling::Covariance, Target::Spherical);
    let tallies = cross_validate(
        &moments,
        &rows,
        &held.labels,
        None,
        &family,
        &[0.0, 1.0],
        &[0.0, 0.5],
        Parallel::default(),
    );
    let known: Vec<bool> = tallies.unwrap().iter().map(Option::is_some).collect();
    assert_eq!(known, [false, true, true, true]);
}

#[test]
fn a_common_covariance_leaves_out_columns_without_variance() {
    let (plain, held) = (Sample::new(60, 3, 2), Sample::new(40, 3, 2));
    let constant = |x: &Array2<f64>| {
        ndarray::concatenate![Axis(1), x.view(), Array2::<f64>::ones((x.nrows(), 1)).view()]
    };
    let family = family(Pooling::Covariance, Target::Diagonal);
    let tally = |train: Sample, held: &Array2<f64>, labels: &[u32]| {
        let moments = train.moments(Structure::Full).unwrap();
        let rows = Rows::from(held.view());
        cross_validate(&moments, &rows, labels, None, &family, &[1.0], &[0.0, 0.5, 1.0], Parallel::default())
            .unwrap()
    };
    let wider = Sample { x: constant(&plain.x), ..plain.clone() };
    let (narrow, wide) =
        (tally(plain, &held.x, &held.labels), tally(wider, &constant(&held.x), &held.labels));
    for (narrow, wide) in narrow.into_iter().zip(wide) {
        assert!((narrow.unwrap().log_loss - wide.unwrap().log_loss).abs() < 1e-10);
    }
}

#[test]
fn threads_change_no_bit() {
    let (train, held) = (Sample::new(500, 5, 3), Sample::new(5000, 5, 3));
    let moments = train.moments(Structure::Full).unwrap();
    let rows = Rows::from(held.x.view());
    let family = family(Pooling::Covariance, Target::Spherical);
    let with = |threads: usize| {
        let parallel = Parallel::new(Some(threads));
        cross_validate(&moments, &rows, &held.labels, None, &family, &[0.5], &[0.0, 0.5], parallel).unwrap()
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn weights_of_classes_make_the_common_covariance() {
    let (train, held) = (Sample::new(150, 4, 3), Sample::new(100, 4, 3));
    let moments = train.moments(Structure::Full).unwrap();
    let weights = [0.6, 0.3, 0.1];
    let family = Family { weights: Some(&weights), ..family(Pooling::Covariance, Target::Spherical) };
    let rows = Rows::from(held.x.view());
    let tallies = cross_validate(
        &moments,
        &rows,
        &held.labels,
        None,
        &family,
        &[1.0],
        &[0.0, 0.3],
        Parallel::default(),
    )
    .unwrap();
    for (tally, gamma) in tallies.into_iter().zip([0.0, 0.3]) {
        let covariance = pooled(&moments, Some(&weights), false).unwrap();
        let covariance = Target::Spherical.approach(covariance.view(), gamma).unwrap();
        let model = LinearFit::of_covariance(&moments, covariance.view(), &moments.priors().unwrap(), TOL)
            .unwrap()
            .model;
        let mut posteriors = Array2::zeros((100, 3));
        let answers = Answers { log_posterior: posteriors.as_slice_mut(), ..Answers::default() };
        score(&model, &rows, &Rules::default(), answers, Parallel::default()).unwrap();
        let mut expected = Tally::default();
        for (line, &label) in posteriors.outer_iter().zip(&held.labels) {
            expected.record_row(1.0, line.as_slice().unwrap(), label as usize);
        }
        assert!((tally.unwrap().log_loss - expected.log_loss).abs() < 1e-8);
    }
}

/// The log-loss of held-out rows under independent columns with these variances.
fn log_loss_of_columns(train: &Sample, held: &Sample, variances: &Array2<f64>) -> f64 {
    let moments = train.moments(Structure::Diag).unwrap();
    let model = Model::naive(&moments, variances.view(), &moments.priors().unwrap()).unwrap();
    let mut posteriors = Array2::zeros((held.labels.len(), held.classes));
    let answers = Answers { log_posterior: posteriors.as_slice_mut(), ..Answers::default() };
    score(&model, &Rows::from(held.x.view()), &Rules::default(), answers, Parallel::default()).unwrap();
    let mut expected = Tally::default();
    for (line, &label) in posteriors.outer_iter().zip(&held.labels) {
        expected.record_row(1.0, line.as_slice().unwrap(), label as usize);
    }
    expected.log_loss
}

#[test]
fn independent_columns_are_smoothed() {
    let (train, held) = (Sample::new(150, 4, 3), Sample::new(100, 4, 3));
    let rows = Rows::from(held.x.view());
    for (smoothing, structure) in
        [(0.0, Structure::Full), (0.3, Structure::Full), (0.3, Structure::Diag), (2.0, Structure::Full)]
    {
        let moments = train.moments(structure).unwrap();
        let family = Family { smoothing, ..family(Pooling::Covariance, Target::Diagonal) };
        let tallies =
            cross_validate(&moments, &rows, &held.labels, None, &family, &[0.0], &[1.0], Parallel::default());
        let all = train.x.var_axis(Axis(0), 0.0).fold(0.0_f64, |largest, &variance| largest.max(variance));
        let diag = train.moments(Structure::Diag).unwrap();
        let variances = crate::covariance::variances(&diag, false).unwrap() + smoothing * all;
        let expected = log_loss_of_columns(&train, &held, &variances);
        let given = tallies.unwrap()[0].unwrap().log_loss;
        assert!((given - expected).abs() < 1e-9, "{smoothing} {structure:?}: {given}, {expected}");
    }
}
