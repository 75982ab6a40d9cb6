//! Fitted models: what the linear routes have in common, and what they give besides scores.

mod errors;
mod reduced;

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView1, Axis, array, s};
use proptest::prelude::*;

use super::{LinearFit, Model};
use crate::core::{Parallel, Rows, Structure, covariance};
use crate::error::{Error, InputError};
use crate::oracle::{Asked, Kind, Noise, Question, Sample, Textbook, ask, between};

pub(super) fn asked(model: &Model, x: &Array2<f64>, question: Question) -> Vec<f64> {
    let asked: Asked<f64> = ask(model, &Rows::from(x.view()), &[question], Parallel::new(Some(1))).unwrap();
    asked.values().collect()
}

fn assert_near(a: &[f64], b: &[f64], bound: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= bound * (1.0 + b.abs()), "{a}, not {b}");
    }
}

/// Some columns are combinations of the others: the same few numbers say everything.
fn collinear(d: usize, extra: usize, classes: usize, seed: u64) -> Sample {
    let plain = Sample::by_chance(40 * classes, d, classes, false, seed);
    let labels = (0..40 * classes).map(|row| (row % classes) as u32).collect();
    let mut noise = Noise(seed);
    let mix = Array2::from_shape_fn((d, extra), |_| noise.below(9) as f64 / 4.0 - 1.0);
    let x = ndarray::concatenate(Axis(1), &[plain.x.view(), plain.x.dot(&mix).view()]).unwrap();
    Sample { x, labels, ..plain }
}

proptest! {
    #[test]
    fn on_collinear_data_svd_and_lsqr_decide_alike(
        d in 1_usize..6, extra in 1_usize..4, classes in 2_usize..5, seed: u64,
    ) {
        let sample = collinear(d, extra, classes, seed);
        let priors = vec![1.0 / classes as f64; classes];
        // a tolerance that leaves out no direction between the means
        let svd = LinearFit::svd(&sample.moments(Structure::Tied).unwrap(), &priors, 1e-7, false).unwrap().model;
        let lsqr = Kind::Lsqr.fit(&sample, &priors).unwrap();
        let posterior = |model: &Model| asked(model, &sample.x, Question::LogPosterior);
        assert_near(&posterior(&svd), &posterior(&lsqr), 1e-9);
        let distance = |model: &Model| asked(model, &sample.x, Question::Mahalanobis);
        assert_near(&distance(&svd), &distance(&lsqr), 1e-9);
    }

    #[test]
    fn coefficients_and_intercepts_give_the_decisions(d in 1_usize..8, classes in 1_usize..6, far in -1e3..1e3) {
        let sample = Sample::new(30 * classes, d, classes);
        let sample = Sample { x: sample.x + far, ..sample };
        for kind in Kind::LINEAR {
            let fit = kind.fit_linear(&sample, &vec![1.0 / classes as f64; classes]).unwrap();
            let scores = sample.x.dot(&fit.coefficients.t()) + Array1::from(fit.intercepts).insert_axis(Axis(0));
            let decisions = asked(&fit.model, &sample.x, Question::Decision);
            let size = scores.iter().fold(0.0_f64, |largest, score| largest.max(score.abs()));
            let flat: Vec<f64> = scores.iter().copied().collect();
            // terms of the size far² cancel in the plain sum
            assert_near(&flat, &decisions, 1e-12 * (1.0 + size + far * far));
        }
    }

    #[test]
    fn units_of_the_columns_do_not_matter(d in 1_usize..6, powers in prop::collection::vec(-40_i32..40, 6)) {
        let sample = Sample::new(150, d, 3);
        let units: Array1<f64> = powers[..d].iter().map(|&power| 2.0_f64.powi(power)).collect();
        let scaled = Sample { x: &sample.x * &units, ..sample.clone() };
        for kind in Kind::ALL {
            let posterior = |sample: &Sample| {
                asked(&kind.fit(sample, &[0.2, 0.3, 0.5]).unwrap(), &sample.x, Question::LogPosterior)
            };
            assert_near(&posterior(&scaled), &posterior(&sample), 1e-10);
        }
    }
}

/// AᵀΣA = I and Σ_between A = Σ A diag(λ).
#[test]
fn axes_whiten_the_covariance_within_and_turn_that_between_classes_diagonal() {
    for (d, classes) in [(1, 2), (4, 2), (4, 3), (6, 4), (2, 5)] {
        let sample = Sample::new(40 * classes, d, classes);
        let moments = sample.moments(Structure::Full).unwrap();
        let priors = moments.priors().unwrap();
        let within = covariance::pooled(&moments, None, false).unwrap();
        let between = between(&moments, &priors);
        for (kind, axes) in [(Kind::Svd, d.min(classes - 1)), (Kind::Eigen, d)] {
            let fit = kind.fit_linear(&sample, &priors).unwrap();
            assert_eq!(fit.axes.dim(), (d, axes), "{kind:?}");
            assert!(fit.between.is_sorted_by(|a, b| a >= b));
            let white = fit.axes.t().dot(&within).dot(&fit.axes);
            assert!((white - Array2::<f64>::eye(axes)).iter().all(|gap| gap.abs() < 1e-12), "{kind:?}");
            let left = between.dot(&fit.axes);
            let right =
                within.dot(&fit.axes) * Array1::from(fit.between[..axes].to_vec()).insert_axis(Axis(0));
            assert!((left - right).iter().all(|gap| gap.abs() < 1e-12), "{kind:?}");
        }
    }
}

/// Three times the same rows: the second class is moved far in the first column, the third by a little in the last.
fn nearly_on_a_line(little: f64) -> Sample {
    let base = Sample::new(30, 3, 1).x;
    let labels = (0..90).map(|row| row / 30).collect();
    let mut x = ndarray::concatenate(Axis(0), &[base.view(); 3]).unwrap();
    x.slice_mut(s![30..60, 0]).mapv_inplace(|entry| entry + 8.0);
    x.slice_mut(s![60.., 2]).mapv_inplace(|entry| entry + little);
    Sample { x, labels, classes: 3, weights: None }
}

#[test]
fn class_means_on_a_line_have_one_axis() {
    let fit = Kind::Svd.fit_linear(&nearly_on_a_line(0.0), &[1.0 / 3.0; 3]).unwrap();
    assert_eq!(fit.axes.dim(), (3, 1));
}

/// `tol` is about variance within classes: however little classes differ along an axis, it counts.
#[test]
fn small_differences_beside_large_ones_have_an_axis_and_decide() {
    for little in [1.0 / 16.0, 1e-6] {
        let sample = nearly_on_a_line(little);
        let priors = [1.0 / 3.0; 3];
        let fit = LinearFit::svd(&sample.moments(Structure::Tied).unwrap(), &priors, 0.05, false).unwrap();
        assert_eq!(fit.axes.dim(), (3, 2));
        let textbook = Textbook::new(Kind::Svd, &sample, &priors);
        let of_rows = |formula: &dyn Fn(ArrayView1<'_, f64>, usize) -> f64| -> Vec<f64> {
            sample.x.outer_iter().flat_map(|x| [0, 1, 2].map(|class| formula(x, class))).collect()
        };
        let distances = of_rows(&|x, class| textbook.mahalanobis(x, class));
        let log_posteriors = of_rows(&|x, class| textbook.log_posterior(x, class));
        assert_near(&asked(&fit.model, &sample.x, Question::Mahalanobis), &distances, 1e-12);
        assert_near(&asked(&fit.model, &sample.x, Question::LogPosterior), &log_posteriors, 1e-12);
    }
}

/// Priors weight the axes; what scores know of a class does not depend on them.
#[test]
fn classes_of_tiny_priors_keep_their_directions() {
    let sample = Sample::new(120, 4, 3);
    let moments = sample.moments(Structure::Tied).unwrap();
    let covariance = covariance::pooled(&moments, None, false).unwrap();
    let third = [1.0 / 3.0; 3];
    let slopes = |priors: &[f64], lsqr: bool| {
        let fit = match lsqr {
            true => LinearFit::lsqr(&moments, covariance.view(), priors),
            false => LinearFit::svd(&moments, priors, 1e-4, false),
        };
        let coefficients = fit.unwrap().coefficients;
        (&coefficients.slice(s![1.., ..]) - &coefficients.slice(s![..1, ..])).into_raw_vec_and_offset().0
    };
    for tiny in [0.0, 1e-300, 1e-30, 1e-12, 1e-9] {
        for lsqr in [false, true] {
            assert_near(&slopes(&[1.0 - tiny, tiny, 0.0], lsqr), &slopes(&third, lsqr), 1e-12);
        }
    }
}

#[test]
fn the_unbiased_common_covariance_shortens_distances_by_its_divisor() {
    let sample = Sample::new(90, 4, 3);
    let moments = sample.moments(Structure::Tied).unwrap();
    let distances = |unbiased| {
        let fit = LinearFit::svd(&moments, &moments.priors().unwrap(), 1e-4, unbiased).unwrap();
        asked(&fit.model, &sample.x, Question::Mahalanobis)
    };
    let expected: Vec<f64> = distances(false).iter().map(|distance| distance * 87.0 / 90.0).collect();
    assert_near(&distances(true), &expected, 1e-13);
}

/// A variance below the rounding of the means is taken as given: q = x² / v, log p = −½ (log 2πv + q).
#[test]
fn a_tiny_given_covariance_has_a_density() {
    let x = array![[1e8 - 1.0], [1e8 + 1.0]];
    let sample = Sample { x, labels: vec![0, 0], classes: 1, weights: None };
    let moments = sample.moments(Structure::Full).unwrap();
    let fit = LinearFit::lsqr(&moments, array![[1e-20]].view(), &[1.0]).unwrap();
    assert_near(&asked(&fit.model, &sample.x, Question::Mahalanobis), &[1e20; 2], 1e-14);
    let log_density = -0.5 * ((2.0 * PI * 1e-20).ln() + 1e20);
    assert_near(&asked(&fit.model, &sample.x, Question::Joint), &[log_density; 2], 1e-14);
}

#[test]
fn a_model_made_again_from_its_parts_is_the_same() {
    let sample = Sample::new(90, 4, 3);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &[0.5, 0.25, 0.25]).unwrap();
        let again = Model::from_parts(model.parts().clone(), model.log_prior().to_vec()).unwrap();
        assert_eq!(again, model);
        for question in Question::ALL {
            assert_eq!(asked(&again, &sample.x, question), asked(&model, &sample.x, question));
        }
    }
}

/// What both share was laid out for the first.
#[test]
fn other_priors_give_the_model_of_the_same_parts_and_these_priors() {
    let sample = Sample::new(90, 4, 3);
    let log_prior = || vec![0.25_f64.ln(), f64::NEG_INFINITY, 0.75_f64.ln()];
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &[0.5, 0.25, 0.25]).unwrap();
        let before = Question::ALL.map(|question| asked(&model, &sample.x, question));
        let other = model.with_log_prior(log_prior()).unwrap();
        let again = Model::from_parts(model.parts().clone(), log_prior()).unwrap();
        assert_eq!(other, again);
        assert_ne!(other, model);
        for question in Question::ALL {
            assert_eq!(asked(&other, &sample.x, question), asked(&again, &sample.x, question));
        }
        assert_eq!(before, Question::ALL.map(|question| asked(&model, &sample.x, question)));
        assert_eq!(other.with_log_prior(model.log_prior().to_vec()).unwrap(), model);
        for bad in [vec![0.0; 2], vec![f64::NAN, 0.0, 0.0], vec![f64::NEG_INFINITY; 3]] {
            assert!(model.with_log_prior(bad).is_err());
        }
    }
}

/// The variance of such a class may be 0, for which 1 stands in.
#[test]
fn a_class_without_a_prior_and_maybe_a_variance_gets_none_later() {
    let x = array![[0.0], [1.0], [2.0], [2.0]];
    let sample = Sample { x, labels: vec![0, 0, 1, 1], classes: 2, weights: None };
    let model = Kind::Naive.fit(&sample, &[1.0, 0.0]).unwrap();
    assert_eq!(model.with_log_prior(vec![0.5_f64.ln(), f64::NEG_INFINITY]).unwrap().n_classes(), 2);
    let error = model.with_log_prior(vec![0.5_f64.ln(); 2]).unwrap_err();
    assert!(matches!(error, Error::Input(InputError::Argument { expected: "0", .. })), "{error}");
}
