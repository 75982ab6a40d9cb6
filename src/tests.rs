//! The whole way from rows to scores, on input that is small, odd and hostile: it ends in answers or in an error, never in
//! a panic, and no answer is NaN.

mod chaos;
mod counts;
mod covariances;
mod holdout;
mod memory;
mod models;
mod moments;
mod scores;

use ndarray::{Array2, Array3, ArrayView2};
use proptest::prelude::*;

use crate::core::{LinearFit, Model, Moments, Parallel, Result, Rows, Structure, covariance, project};
use crate::oracle::{Asked, Precision, Question, ask};

/// Everything that a caller can choose.
#[derive(Debug, Clone)]
struct Case {
    x: Array2<f64>,
    labels: Vec<u32>,
    classes: usize,
    weights: Option<Vec<f64>>,
    priors: Vec<f64>,
    tol: f64,
    unbiased: bool,
    shrinkage: f64,
    smoothing: f64,
}

/// A number of any size.
fn any_size() -> impl Strategy<Value = f64> {
    (-1.0..1.0, -300..300_i32).prop_map(|(factor, power)| factor * 10.0_f64.powi(power))
}

/// Numbers of one size, with repetitions; in a wild table also of any other size, or none.
fn entry(wild: bool, power: i32) -> impl Strategy<Value = f64> {
    let unit = 10.0_f64.powi(power);
    let special = prop::sample::select(vec![0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324]);
    let bad = prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    let rare = u32::from(wild);
    prop_oneof![
        60 => (-1.0..1.0).prop_map(move |factor| factor * unit),
        30 => (-2..3_i8).prop_map(move |factor| f64::from(factor) * unit),
        9 * rare => any_size(),
        3 * rare => special,
        rare => bad,
    ]
}

fn weights(n: usize) -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![
        20 => Just(1.0), 20 => 0.0..3.0, 10 => Just(0.0), 2 => any_size().prop_map(f64::abs), 1 => any_size(),
    ];
    prop::collection::vec(weight, n)
}

fn priors(classes: usize) -> impl Strategy<Value = Vec<f64>> {
    let prior =
        prop_oneof![20 => 0.0..1.0, 5 => Just(0.0), 2 => any_size().prop_map(f64::abs), 1 => any_size()];
    prop::collection::vec(prior, classes)
}

fn case() -> impl Strategy<Value = Case> {
    let size = (0_usize..20, 1_usize..6, 1_usize..4, any::<bool>(), -300..300_i32, any::<bool>());
    let size = size.prop_map(|(n, d, k, wild, power, tame)| (n, d, k, wild, if tame { 0 } else { power }));
    size.prop_flat_map(|(n, d, classes, wild, power)| {
        let x = prop::collection::vec(entry(wild, power), n * d);
        let x = x.prop_map(move |entries| Array2::from_shape_vec((n, d), entries).expect("n × d"));
        let labels = prop::collection::vec(0..classes as u32, n);
        let tol = prop_oneof![Just(1e-4), Just(0.0), any_size(), Just(f64::NAN), Just(f64::INFINITY)];
        let shrinkage = prop_oneof![Just(0.0), 0.0..1.0, Just(1.0)];
        let smoothing = prop_oneof![Just(0.0), Just(1e-9), Just(1.0), any_size().prop_map(f64::abs)];
        let sums = (x, labels, prop::option::of(weights(n)), priors(classes));
        (sums, tol, any::<bool>(), shrinkage, smoothing).prop_map(
            move |((x, labels, weights, priors), tol, unbiased, shrinkage, smoothing)| Case {
                x,
                labels,
                classes,
                weights,
                priors,
                tol,
                unbiased,
                shrinkage,
                smoothing,
            },
        )
    })
}

impl Case {
    fn moments(&self, rows: &Rows<'_>, structure: Structure) -> Result<Moments> {
        let weights = self.weights.as_deref();
        Moments::from_rows(rows, &self.labels, self.classes, weights, structure, Parallel::new(Some(1)))
    }

    fn quadratic(&self, rows: &Rows<'_>) -> Result<Model> {
        let moments = self.moments(rows, Structure::Full)?;
        let mut covariances: Array3<f64> = covariance::of_classes(&moments, self.unbiased)?;
        for mut covariance in covariances.outer_iter_mut() {
            let shrunk = covariance::shrink(covariance.view(), self.shrinkage)?;
            covariance.assign(&shrunk);
        }
        Model::quadratic(&moments, covariances.view(), &self.priors, self.tol, Parallel::new(Some(1)))
    }

    fn ledoit_wolf(&self, rows: &Rows<'_>) -> Result<Model> {
        let moments = self.moments(rows, Structure::Full)?;
        let weights = self.weights.as_deref();
        let covariances =
            covariance::ledoit_wolf(&moments, rows, &self.labels, weights, Parallel::new(Some(1)))?;
        Model::quadratic(&moments, covariances.view(), &self.priors, self.tol, Parallel::new(Some(1)))
    }

    fn naive(&self, rows: &Rows<'_>) -> Result<Model> {
        let moments = self.moments(rows, Structure::Diag)?;
        let variances = covariance::variances(&moments, self.unbiased)? + self.smoothing;
        Model::naive(&moments, variances.view(), &self.priors)
    }

    fn svd(&self, rows: &Rows<'_>) -> Result<LinearFit> {
        LinearFit::svd(&self.moments(rows, Structure::Tied)?, &self.priors, self.tol, self.unbiased)
    }

    fn lsqr(&self, rows: &Rows<'_>) -> Result<LinearFit> {
        let moments = self.moments(rows, Structure::Full)?;
        let common = covariance::pooled(&moments, Some(&self.priors), self.unbiased)?;
        let common = covariance::shrink(common.view(), self.shrinkage)?;
        LinearFit::lsqr(&moments, common.view(), &self.priors)
    }

    fn eigen(&self, rows: &Rows<'_>) -> Result<LinearFit> {
        let moments = self.moments(rows, Structure::Full)?;
        let within = covariance::pooled(&moments, None, self.unbiased)?;
        let within = covariance::shrink(within.view(), self.shrinkage)?;
        let total = covariance::pooled(&moments.total()?, None, false)?;
        LinearFit::eigen(&moments, within.view(), (total - &within).view(), &self.priors)
    }

    /// Asks every model that can be fitted about the rows it was fitted on.
    fn flow<T: Precision>(&self, rows: &Rows<'_>) {
        let [svd, eigen] = [self.svd(rows), self.eigen(rows)].map(|fit| fit.and_then(|fit| fit.reduced(1)));
        let linear = [self.svd(rows), self.lsqr(rows), self.eigen(rows), svd, eigen];
        for fit in linear.iter().flatten() {
            assert!(projection_has_no_nan::<T>(fit.axes.view(), &fit.model.parts().center, rows));
        }
        let linear = linear.into_iter().map(|fit| fit.map(|fit| fit.model));
        let models =
            [self.quadratic(rows), self.ledoit_wolf(rows), self.naive(rows)].into_iter().chain(linear);
        for model in models.flatten() {
            for question in Question::ALL {
                let Ok(asked) = ask::<T>(&model, rows, &[question], Parallel::new(Some(1))) else {
                    continue;
                };
                let Asked { label, .. } = &asked;
                assert!(label.iter().all(|&label| (label as usize) < self.classes));
                assert!(
                    asked.values().all(|value| !value.is_nan()),
                    "{question:?} of {:?}",
                    model.parts().shape
                );
            }
        }
    }
}

fn projection_has_no_nan<T: Precision>(axes: ArrayView2<'_, f64>, center: &[f64], rows: &Rows<'_>) -> bool {
    let mut out = vec![T::zero(); rows.n_rows() * axes.ncols()];
    let answer = project(axes, center, rows, &mut out, Parallel::new(Some(1)));
    answer.is_err() || out.iter().all(|value| !value.is_nan())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_input_panics_and_no_answer_is_nan(case in case()) {
        case.flow::<f64>(&Rows::from(case.x.view()));
        case.flow::<f32>(&Rows::from(case.x.view()));
        let single = case.x.mapv(|entry| entry as f32);
        case.flow::<f32>(&Rows::from(single.view()));
    }
}
