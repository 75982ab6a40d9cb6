//! What models refuse, and whom the error names.

use ndarray::{Array2, Array3, Axis, array};
use proptest::prelude::*;

use super::asked;
use crate::core::{Error, LinearFit, Means, Owner, Parallel, Structure, covariance};
use crate::error::{InputError, RankError, ShapeError};
use crate::model::{Model, Parts, Shape};
use crate::oracle::{Kind, Noise, Question, Sample};

#[test]
fn a_covariance_with_a_negative_eigenvalue_is_refused_by_all_routes() {
    let moments = Sample::new(60, 3, 3).moments(Structure::Full).unwrap();
    let priors = moments.priors().unwrap();
    let units = array![1.0, 1e-8, 1e9];
    for indefinite in [
        array![[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]],
        array![[1.0, 1.0 + 1e-4, 0.0], [1.0 + 1e-4, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ] {
        let scaled = &indefinite * &units.view().insert_axis(Axis(0)) * units.view().insert_axis(Axis(1));
        for given in [indefinite.view(), scaled.view()] {
            let refused = [
                LinearFit::lsqr(&moments, given, &priors).map(drop),
                LinearFit::of_covariance(&moments, given, &priors, 1e-4).map(drop),
            ];
            for refused in refused {
                assert!(
                    matches!(refused, Err(Error::Input(InputError::Argument { .. }))),
                    "{given}: {refused:?}"
                );
            }
        }
    }
    let singular = array![[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
    assert!(LinearFit::lsqr(&moments, singular.view(), &priors).is_ok());
    assert!(LinearFit::of_covariance(&moments, singular.view(), &priors, 1e-4).is_ok());
}

#[test]
fn priors_that_cannot_be_are_named_by_class() {
    let sample = Sample::new(60, 2, 3);
    let cases = [
        ([0.5, -0.1, 0.6], 1, -0.1),
        ([0.5, 0.5, f64::INFINITY], 2, f64::INFINITY),
        ([-1.0, f64::NAN, 0.6], 0, -1.0),
        ([0.0, 0.0, 0.0], 0, 0.0),
    ];
    for (kind, (priors, class, value)) in
        Kind::ALL.into_iter().flat_map(|kind| cases.map(|case| (kind, case)))
    {
        let error = fit_with(kind, &sample, &priors).unwrap_err();
        assert_eq!(error, Error::Input(InputError::Prior { class, value }), "{kind:?}");
    }
    for kind in Kind::ALL {
        let error = fit_with(kind, &sample, &[0.5, f64::NAN, 0.5]).unwrap_err();
        assert!(
            matches!(error, Error::Input(InputError::Prior { class: 1, value }) if value.is_nan()),
            "{kind:?}: {error}"
        );
        for priors in [&[0.5, 0.5][..], &[0.25; 4]] {
            let expected =
                Error::Shape(ShapeError::Size { what: "number of priors", given: priors.len(), expected: 3 });
            assert_eq!(fit_with(kind, &sample, priors).unwrap_err(), expected, "{kind:?}");
        }
    }
}

#[test]
fn priors_count_as_shares_of_their_sum() {
    let sample = Sample::new(60, 2, 3);
    for kind in Kind::ALL {
        let of = |priors: &[f64]| fit_with(kind, &sample, priors).unwrap().log_prior().to_vec();
        assert_eq!(of(&[2.0, 1.0, 5.0]), of(&[0.25, 0.125, 0.625]), "{kind:?}");
        assert!(fit_with(kind, &sample, &[1e308; 3]).is_err(), "{kind:?}");
    }
}

/// Covariances do not depend on the priors here.
fn fit_with(kind: Kind, sample: &Sample, priors: &[f64]) -> crate::core::Result<Model> {
    let (d, classes) = (sample.x.ncols(), sample.classes);
    let identity = Array2::<f64>::eye(d);
    let moments = sample.moments(Structure::Full)?;
    match kind {
        Kind::Quadratic => {
            let covariances = identity.broadcast((classes, d, d)).expect("copies");
            Model::quadratic(&moments, covariances, priors, 1e-4, Parallel::default())
        }
        Kind::Naive => Model::naive(&moments, Array2::ones((classes, d)).view(), priors),
        Kind::Svd => LinearFit::svd(&moments, priors, 1e-4, false).map(|fit| fit.model),
        Kind::Lsqr => LinearFit::lsqr(&moments, identity.view(), priors).map(|fit| fit.model),
        Kind::Eigen => {
            LinearFit::eigen(&moments, identity.view(), identity.view(), priors).map(|fit| fit.model)
        }
    }
}

#[test]
fn a_class_without_rows_is_named_except_by_naive_models() {
    let sample = Sample { classes: 4, ..Sample::new(60, 2, 3) };
    for kind in Kind::ALL {
        let answer = fit_with(kind, &sample, &[0.3, 0.3, 0.4, 0.0]);
        match kind {
            Kind::Naive => assert_eq!(asked(&answer.unwrap(), &sample.x, Question::Posterior)[3], 0.0),
            _ => {
                assert_eq!(answer.unwrap_err(), Error::Input(InputError::EmptyClass { class: 3 }), "{kind:?}")
            }
        }
    }
}

fn singular(
    what: Owner,
    weight: f64,
    (features, rank): (usize, usize),
    constant: &[usize],
    dependent: &[usize],
) -> Error {
    let (constant, dependent) = (constant.to_vec(), dependent.to_vec());
    Error::Rank(RankError::Singular { what, weight, features, rank, constant, dependent })
}

proptest! {
    #[test]
    fn columns_that_depend_on_each_other_are_named(d in 2_usize..8, seed: u64, shape in 0_usize..4) {
        let mut sample = Sample::new(120, d, 3);
        let mut noise = Noise(seed);
        // the last column becomes a combination of some others, in class 1 only
        let parts: Vec<usize> = (0..d - 1).filter(|j| noise.below(2) == 0 || *j == shape % (d - 1)).collect();
        for row in (0..120).filter(|row| row % 3 == 1) {
            sample.x[(row, d - 1)] = parts.iter().map(|&j| sample.x[(row, j)]).sum::<f64>() - 3.0;
        }
        let dependent: Vec<usize> = parts.into_iter().chain([d - 1]).collect();
        let error = Kind::Quadratic.fit(&sample, &[0.3, 0.3, 0.4]).unwrap_err();
        prop_assert_eq!(error, singular(Owner::Class(1), 40.0, (d, d - 1), &[], &dependent));
    }

    #[test]
    fn columns_without_variance_are_named(
        d in 2_usize..8, place in 0_usize..8, level in prop::sample::select(vec![0.0, 0.1, -3e7]),
    ) {
        let mut sample = Sample::new(120, d, 3);
        let place = place % d;
        (0..120).filter(|row| row % 3 == 2).for_each(|row| sample.x[(row, place)] = level);
        let error = Kind::Quadratic.fit(&sample, &[0.3, 0.3, 0.4]).unwrap_err();
        prop_assert_eq!(error, singular(Owner::Class(2), 40.0, (d, d - 1), &[place], &[]));
        let error = Kind::Naive.fit(&sample, &[0.3, 0.3, 0.4]).unwrap_err();
        prop_assert_eq!(error, Error::Rank(RankError::ZeroVariance { class: 2, weight: 40.0, columns: vec![place] }));
    }
}

#[test]
fn a_class_of_few_rows_has_their_number_less_1_as_rank() {
    for rows in 1..5 {
        let mut sample = Sample::new(50, 5, 1);
        sample.labels = (0..50).map(|row| u32::from(row < rows)).collect();
        sample.classes = 2;
        let error = Kind::Quadratic.fit(&sample, &[0.5, 0.5]).unwrap_err();
        let Error::Rank(RankError::Singular { what, weight, features, rank, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!((what, weight, features, rank), (Owner::Class(1), rows as f64, 5, rows - 1));
    }
}

#[test]
fn the_eigen_route_names_the_columns_of_a_singular_common_covariance() {
    let mut sample = Sample::new(90, 4, 3);
    let copy = sample.x.column(0).mapv(|entry| 5.0 - 2.0 * entry);
    sample.x.column_mut(3).assign(&copy);
    sample.x.column_mut(1).fill(0.3);
    let error = Kind::Eigen.fit(&sample, &[0.3, 0.3, 0.4]).unwrap_err();
    assert_eq!(error, singular(Owner::Pooled, 90.0, (4, 2), &[1], &[0, 3]));
}

#[test]
fn without_variance_in_any_column_no_linear_model_exists() {
    let x = array![[1.0, 5.0], [1.0, 5.0], [2.0, 7.0], [2.0, 7.0]];
    let sample = Sample { x, labels: vec![0, 0, 1, 1], classes: 2, weights: None };
    let expected = singular(Owner::Pooled, 4.0, (2, 0), &[0, 1], &[]);
    for kind in Kind::LINEAR {
        assert_eq!(kind.fit(&sample, &[0.5, 0.5]).unwrap_err(), expected, "{kind:?}");
    }
}

#[test]
fn unbiased_divisors_need_more_rows() {
    let sample = Sample { x: array![[1.0], [2.0], [4.0]], labels: vec![0, 0, 1], classes: 2, weights: None };
    let full = sample.moments(Structure::Full).unwrap();
    let needs = |what, weight, needed| Error::Rank(RankError::Divisor { what, weight, needed });
    assert_eq!(covariance::of_classes(&full, true).unwrap_err(), needs(Owner::Class(1), 1.0, 1.0));
    let pair = Sample { x: array![[1.0], [4.0]], labels: vec![0, 1], ..sample };
    let tied = pair.moments(Structure::Tied).unwrap();
    let answer = LinearFit::svd(&tied, &[0.5, 0.5], 1e-4, true);
    assert_eq!(answer.unwrap_err(), needs(Owner::Pooled, 2.0, 2.0));
}

#[test]
fn covariances_of_the_wrong_size_are_refused() {
    let sample = Sample::new(60, 2, 3);
    let moments = sample.moments(Structure::Full).unwrap();
    let shape = |what, given, expected| Error::Shape(ShapeError::Size { what, given, expected });
    let priors = [0.2, 0.3, 0.5];
    let quadratic = |size: (usize, usize, usize)| {
        Model::quadratic(&moments, Array3::ones(size).view(), &priors, 1e-4, Parallel::default()).unwrap_err()
    };
    assert_eq!(quadratic((2, 2, 2)), shape("number of covariances", 2, 3));
    assert_eq!(quadratic((3, 4, 2)), shape("rows of a covariance", 4, 2));
    assert_eq!(quadratic((3, 2, 1)), shape("columns of a covariance", 1, 2));
    let naive =
        |size: (usize, usize)| Model::naive(&moments, Array2::ones(size).view(), &priors).unwrap_err();
    assert_eq!(naive((2, 2)), shape("rows of variances", 2, 3));
    assert_eq!(naive((3, 1)), shape("columns of variances", 1, 2));
    let lsqr = |size: (usize, usize)| {
        LinearFit::lsqr(&moments, Array2::eye(3).slice(ndarray::s![..size.0, ..size.1]), &priors)
    };
    assert_eq!(lsqr((3, 2)).unwrap_err(), shape("rows of the covariance", 3, 2));
    assert_eq!(lsqr((2, 3)).unwrap_err(), shape("columns of the covariance", 3, 2));
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let sample = Sample::new(60, 2, 3);
    for kind in Kind::ALL {
        let model = Kind::fit(kind, &sample, &[0.2, 0.3, 0.5]).unwrap();
        let (parts, log_prior) = (model.parts().clone(), model.log_prior().to_vec());
        let mut short = parts.clone();
        short.center.pop();
        let (shift, offset) = (Array2::zeros((3, 0)), Array2::zeros((3, 0)));
        let nothing = Parts { means: Means { shift, offset }, center: vec![], ..parts.clone() };
        let mut shape = parts.clone();
        match &mut shape.shape {
            Shape::Full(whitenings) => drop(whitenings.pop()),
            Shape::Tied { whitened_means, .. } => *whitened_means = Array2::zeros((3, 1)),
            Shape::Diag(deviations) => *deviations = Array2::ones((3, 3)),
        }
        let few = log_prior[..2].to_vec();
        for (parts, log_prior) in
            [(short, &log_prior), (parts, &few), (nothing, &log_prior), (shape, &log_prior)]
        {
            assert!(
                matches!(
                    Model::from_parts(parts, log_prior.clone()),
                    Err(Error::Shape(ShapeError::Size { .. }))
                ),
                "{kind:?}"
            );
        }
    }
}
