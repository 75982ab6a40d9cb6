//! Wide moments and models against those of matrices.

use ndarray::{Array2, Axis};

use super::{WideModel, WideMoments};
use crate::core::covariance::{self, Mixing, Pooling, Target};
use crate::core::{Answers, LinearFit, Model, Moments, Parallel, Rows, Rules, Structure};
use crate::error::{Error, InputError, Owner};
use crate::score::score;

const CLASSES: usize = 3;

/// Rows that no formula of a few terms gives.
fn sample(rows: usize, columns: usize) -> (Array2<f64>, Vec<u32>) {
    let entry = |(i, j): (usize, usize)| ((1 + i) as f64 * (2 + j) as f64 * 0.37 + (i * i + j) as f64).sin();
    let labels = (0..rows).map(|row| (row % CLASSES) as u32).collect();
    (Array2::from_shape_fn((rows, columns), entry), labels)
}

fn both(structure: Structure) -> (WideMoments, Moments) {
    let (x, labels) = sample(18, 40);
    let rows = Rows::from(x.view());
    let wide = WideMoments::from_rows(&rows, &labels, CLASSES, None, structure).unwrap();
    let dense = Moments::from_rows(&rows, &labels, CLASSES, None, structure, Parallel::default()).unwrap();
    (wide, dense)
}

fn assert_near(got: impl IntoIterator<Item = f64>, expected: impl IntoIterator<Item = f64>, bound: f64) {
    for (got, expected) in got.into_iter().zip(expected) {
        assert!((got - expected).abs() <= bound * expected.abs().max(1.0), "{got} {expected}");
    }
}

#[test]
fn factors_have_the_scatters_of_the_rows() {
    for structure in [Structure::Full, Structure::Tied] {
        let (wide, dense) = both(structure);
        assert_eq!(wide.factor().nrows(), 18 - CLASSES);
        assert_near(wide.to_dense().unwrap().scatter().clone(), dense.scatter().clone(), 1e-14);
        assert_near(wide.means_in_parts().sum(), dense.means(), 1e-15);
    }
}

#[test]
fn samples_join_and_part_as_matrices_do() {
    let (x, labels) = sample(18, 40);
    let part = |range: std::ops::Range<usize>| {
        let rows = x.slice(ndarray::s![range.clone(), ..]);
        WideMoments::from_rows(&Rows::from(rows), &labels[range], CLASSES, None, Structure::Full).unwrap()
    };
    let (first, rest, whole) = (part(0..7), part(7..18), part(0..18));
    let joined = first.merge(&rest).unwrap();
    assert_near(
        joined.to_dense().unwrap().scatter().clone(),
        whole.to_dense().unwrap().scatter().clone(),
        1e-13,
    );
    let left = whole.subtract(&first).unwrap();
    assert_near(
        left.to_dense().unwrap().scatter().clone(),
        rest.to_dense().unwrap().scatter().clone(),
        1e-11,
    );
    assert_eq!(left.factor().nrows(), rest.factor().nrows());
    let refused = first.subtract(&whole).unwrap_err();
    assert_eq!(refused, Error::Input(InputError::NotPart { what: Owner::Class(0) }));
}

fn posteriors(model: &WideModel, x: &Array2<f64>) -> Vec<f64> {
    let mut found = vec![0.0; x.nrows() * CLASSES];
    let answers = Answers { joint: Some(&mut found), ..Answers::default() };
    model.score(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default()).unwrap();
    found
}

fn dense_posteriors(model: &Model, x: &Array2<f64>) -> Vec<f64> {
    let mut found = vec![0.0; x.nrows() * CLASSES];
    let answers = Answers { joint: Some(&mut found), ..Answers::default() };
    score(model, &Rows::from(x.view()), &Rules::default(), answers, Parallel::default()).unwrap();
    found
}

#[test]
fn regularized_models_have_the_densities_of_matrices() {
    let (wide, dense) = both(Structure::Full);
    let (new, _) = sample(9, 40);
    let new = new.mapv(|entry| 1.5 * entry + 0.1);
    let priors = dense.priors().unwrap();
    for target in [Target::Spherical, Target::Identity, Target::Diagonal] {
        for alpha in [0.0, 0.4] {
            let mixing = Mixing { alpha, pooling: Pooling::Scatter, unbiased: true };
            let gammas = [0.2, 0.5, 0.9];
            let covariances = covariance::regularized(&dense, mixing, target, &gammas).unwrap();
            let expected =
                Model::quadratic(&dense, covariances.view(), &priors, 0.0, Parallel::default()).unwrap();
            let got = wide.regularized(mixing, target, &gammas, &priors, 0.0, Parallel::default()).unwrap();
            assert_near(got.covariances().unwrap(), covariances, 1e-13);
            assert_near(posteriors(&got, &new), dense_posteriors(&expected, &new), 1e-11);
            assert_near(
                dense_posteriors(&got.to_dense().unwrap(), &new),
                dense_posteriors(&expected, &new),
                1e-10,
            );
        }
    }
}

#[test]
fn linear_functions_are_those_of_matrices() {
    let (wide, dense) = both(Structure::Tied);
    let priors = [0.2, 0.3, 0.5];
    let svd = LinearFit::svd(&dense, &priors, 1e-4, false).unwrap();
    let got = wide.linear_svd(&priors, 1e-4, false).unwrap();
    assert_near(got.coefficients, svd.coefficients, 1e-10);
    assert_near(got.intercepts, svd.intercepts, 1e-10);
    let pooled = covariance::pooled(&dense, None, false).unwrap();
    let shrunk = covariance::shrink(pooled.view(), 0.3).unwrap();
    let lsqr = LinearFit::lsqr(&dense, shrunk.view(), &priors).unwrap();
    let got = wide.linear_shrunk(&priors, 0.3, false, false).unwrap();
    assert_near(got.coefficients, lsqr.coefficients, 1e-11);
    assert_near(got.intercepts, lsqr.intercepts, 1e-11);
    assert_near(got.model.covariances().unwrap(), shrunk.insert_axis(Axis(0)), 1e-13);
}

#[test]
fn turned_rows_keep_their_distances() {
    let (wide, _) = both(Structure::Full);
    let (x, labels) = sample(18, 40);
    let turned = wide.turn(&Rows::from(x.view()), &labels).unwrap().unwrap();
    assert_eq!(turned.ncols(), 17);
    for (a, b) in [(0, 1), (3, 9), (17, 4)] {
        let square = |table: &Array2<f64>| {
            let apart = &table.row(a) - &table.row(b);
            apart.dot(&apart)
        };
        assert_near([square(&turned)], [square(&x)], 1e-12);
    }
}
