//! Models of any arrays, and models made of parts that somebody changed: what exists can be asked.

use ndarray::{Array2, array};
use proptest::prelude::*;

use super::chaos::Chaos;
use super::moments::of_rows;
use crate::core::{
    Error, LinearFit, Means, Model, Moments, Parallel, Parts, Result, Rows, Shape, Structure, Whitening,
    sample_classes, sample_rows,
};
use crate::error::{InputError, ShapeError};
use crate::missing::{impute, impute_draws};
use crate::oracle::{Kind, Precision, Question, Sample, ask};

/// Answers, draws and imputations of a model are numbers, or errors.
pub(super) fn assert_usable(model: &Model, chaos: &mut Chaos) {
    let x = Array2::from_shape_fn((7, model.n_features()), |_| chaos.number());
    assert_answers::<f64>(model, &Rows::from(x.view()));
    assert_answers::<f32>(model, &Rows::from(x.mapv(|entry| entry as f32).view()));
    let parallel = Parallel::new(Some(1));
    let (mut classes, mut drawn) = ([0; 7], vec![0.0; x.len()]);
    sample_classes(model, &mut classes, 1, parallel).unwrap();
    assert!(classes.iter().all(|&class| (class as usize) < model.n_classes()));
    if sample_rows(model, &classes, &mut drawn, 1, parallel).is_ok() {
        assert!(drawn.iter().all(|entry| !entry.is_nan()));
    }
    let gapped = Array2::from_shape_fn(x.dim(), |(i, j)| if (i + j) % 3 == 0 { f64::NAN } else { x[(i, j)] });
    for classes in [None, Some(&classes[..])] {
        let (mut filled, mut deviations) = (gapped.clone(), Array2::<f64>::zeros(x.dim()));
        let (values, spread) = (filled.as_slice_mut().unwrap(), deviations.as_slice_mut());
        if impute(model, &Rows::from(gapped.view()), classes, values, spread, parallel).is_ok() {
            assert!(filled.iter().zip(&gapped).all(|(filled, gap)| !filled.is_nan() || !gap.is_nan()));
            assert!(deviations.iter().all(|deviation| !deviation.is_nan()));
        }
        let mut draws = vec![0.0_f64; 2 * x.len()];
        if impute_draws(model, &Rows::from(gapped.view()), classes, &mut draws, 2, 1, parallel).is_ok() {
            assert!(draws.iter().all(|entry| !entry.is_nan()));
        }
    }
}

fn assert_answers<T: Precision>(model: &Model, rows: &Rows<'_>) {
    for question in Question::ALL {
        if let Ok(asked) = ask::<T>(model, rows, &[question], Parallel::new(Some(1))) {
            assert!(asked.values().all(|value| !value.is_nan()), "{question:?} of {:?}", model.parts());
            assert!(asked.label.iter().all(|&label| (label as usize) < model.n_classes()));
        }
    }
}

/// A model by any route.
pub(super) fn fitted(chaos: &mut Chaos) -> Result<Model> {
    let (_, _, moments) = of_rows(chaos, Structure::Full)?;
    let (classes, d) = (moments.n_classes(), moments.n_features());
    let (priors, tol) = (chaos.positives(classes), if chaos.flip() { 1e-4 } else { chaos.share() });
    let covariance = chaos.covariance(d);
    let linear = match chaos.below(7) {
        0 => return Model::naive(&moments, chaos.matrix((classes, d)).mapv(f64::abs).view(), &priors),
        1 => {
            let covariances = chaos.covariances(classes, d);
            return Model::quadratic(&moments, covariances.view(), &priors, tol, Parallel::new(Some(1)));
        }
        2 => LinearFit::svd(&moments, &priors, tol, chaos.flip())?,
        3 => LinearFit::of_covariance(&moments, covariance.view(), &priors, tol)?,
        4 => LinearFit::lsqr(&moments, covariance.view(), &priors)?,
        5 => LinearFit::eigen(&moments, covariance.view(), chaos.covariance(d).view(), &priors)?,
        _ => {
            LinearFit { axes: chaos.matrix((d, 2)), ..LinearFit::lsqr(&moments, covariance.view(), &priors)? }
        }
    };
    assert!(linear.coefficients.iter().all(|slope| slope.is_finite()));
    let components = chaos.near(1);
    Ok(if chaos.flip() { linear.reduced(components)?.model } else { linear.model })
}

/// Changes a few things of parts.
fn changed(model: &Model, chaos: &mut Chaos) -> (Parts, Vec<f64>) {
    let (mut parts, mut log_prior) = (model.parts().clone(), model.log_prior().to_vec());
    let (classes, d) = parts.means.shift.dim();
    for _ in 0..1 + chaos.below(2) {
        match chaos.below(6) {
            0 => parts.center = chaos.numbers(d),
            1 => parts.means.shift = chaos.matrix((classes, d)),
            2 => parts.means.offset = chaos.matrix((classes, d)),
            3 => log_prior = chaos.numbers(classes),
            4 => {
                let changed = chaos.number();
                log_prior.first_mut().into_iter().for_each(|log_prior| *log_prior = changed);
            }
            _ => change_shape(&mut parts.shape, (classes, d), chaos),
        }
    }
    (parts, log_prior)
}

fn change_shape(shape: &mut Shape, (classes, d): (usize, usize), chaos: &mut Chaos) {
    let mut changed = |whitening: &mut Whitening, rank: usize| match chaos.below(4) {
        0 => whitening.matrix = chaos.matrix((rank, d)),
        1 => whitening.log_det = chaos.number(),
        2 if !whitening.matrix.is_empty() => {
            let (i, j) = (chaos.below(whitening.matrix.nrows()), chaos.below(whitening.matrix.ncols()));
            whitening.matrix[(i, j)] = chaos.number();
        }
        _ => {
            let column = whitening.matrix.ncols().saturating_sub(1);
            whitening.matrix.columns_mut().into_iter().skip(column).for_each(|mut last| last.fill(0.0));
        }
    };
    match shape {
        Shape::Full(whitenings) => {
            whitenings.iter_mut().take(1).for_each(|whitening| changed(whitening, d));
            let kept = chaos.near(whitenings.len());
            whitenings.truncate(kept);
        }
        Shape::Tied { whitening, whitened_means, .. } => {
            changed(whitening, d);
            if chaos.flip() {
                *whitened_means = chaos.matrix((classes, whitening.matrix.nrows()));
            }
        }
        Shape::Diag(deviations) => *deviations = chaos.matrix((classes, d)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn arrays_give_usable_models_or_an_error(seed: u64) {
        let mut chaos = Chaos::new(seed);
        if let Ok(model) = fitted(&mut chaos) {
            assert_usable(&model, &mut chaos);
        }
    }

    #[test]
    fn changed_parts_give_usable_models_or_an_error(seed: u64, kind in 0_usize..5, reduced: bool) {
        let mut chaos = Chaos::new(seed);
        let sample = Sample::new(60, 1 + chaos.below(4), 3);
        let kind = Kind::ALL[kind];
        let model = match kind {
            Kind::Svd | Kind::Eigen if reduced => kind.fit_linear(&sample, &[0.2, 0.3, 0.5]).unwrap().reduced(1).unwrap().model,
            _ => kind.fit(&sample, &[0.2, 0.3, 0.5]).unwrap(),
        };
        let (parts, log_prior) = changed(&model, &mut chaos);
        if let Ok(model) = model.with_log_prior(log_prior.clone()) {
            assert_usable(&model, &mut chaos);
        }
        if let Ok(model) = Model::from_parts(parts, log_prior) {
            assert_usable(&model, &mut chaos);
        }
    }
}

/// Parts of two classes in two columns.
fn parts(shape: Shape) -> Parts {
    let means = Means { shift: array![[0.0, 0.0], [1.0, 1.0]], offset: Array2::zeros((2, 2)) };
    Parts { center: vec![0.5, 0.5], means, shape }
}

/// The model with these parts and equal priors.
fn of_parts(parts: Parts) -> Result<Model> {
    Model::from_parts(parts, vec![0.5_f64.ln(); 2])
}

fn tied(matrix: Array2<f64>, log_det: f64) -> Shape {
    let whitened_means = Array2::zeros((2, matrix.nrows()));
    Shape::Tied { whitening: Whitening { matrix, log_det }, whitened_means, uncentered: false }
}

fn full(matrix: Array2<f64>, log_det: f64) -> Shape {
    Shape::Full(vec![Whitening { matrix, log_det }; 2])
}

#[test]
fn a_whitening_matrix_must_be_one() {
    let refused = |shape: Shape| of_parts(parts(shape)).unwrap_err();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for shape in [full as fn(Array2<f64>, f64) -> Shape, tied] {
        assert!(of_parts(parts(shape(array![[2.0, 0.0], [1.0, 0.5]], 0.0))).is_ok());
        for size in [(3, 2), (2, 1), (2, 3), (0, 2), (0, 0)] {
            assert!(matches!(
                refused(shape(Array2::eye(3).slice(ndarray::s![..size.0, ..size.1]).to_owned(), 0.0)),
                Error::Shape(ShapeError::Size { .. })
            ));
        }
        let bad = [
            (array![[1.0, 0.0], [1.0, 0.0]], 0.0),
            (array![[0.0, 0.0], [1.0, 1.0]], 0.0),
            (array![[1.0, 0.0], [nan, 1.0]], 0.0),
            (array![[inf, 0.0], [0.0, 1.0]], 0.0),
            (array![[1.0, 0.0], [0.0, 5e-324]], 0.0),
            (array![[1.0, 0.0], [0.0, 1.0]], nan),
            (array![[1.0, 0.0], [0.0, 1.0]], inf),
            (array![[1.0, 0.0], [0.0, 1.0]], 3.0),
        ];
        for (matrix, log_det) in bad {
            let error = refused(shape(matrix.clone(), log_det));
            assert!(
                matches!(error, Error::Input(InputError::Argument { .. })),
                "{matrix}, {log_det}: {error}"
            );
        }
    }
    // That of a class is triangular, a common one may be turned, or of lower rank.
    assert!(matches!(
        refused(full(array![[1.0, 1.0], [0.0, 1.0]], 0.0)),
        Error::Input(InputError::Argument { .. })
    ));
    assert!(of_parts(parts(tied(array![[1.0, 1.0], [0.0, 1.0]], 0.0))).is_ok());
    assert!(of_parts(parts(tied(array![[1.0, 0.0]], nan))).is_ok());
}

#[test]
fn deviations_priors_and_means_must_be_some() {
    let diag = |deviation: f64| Shape::Diag(array![[1.0, 1.0], [1.0, deviation]]);
    assert!(of_parts(parts(diag(2.0))).is_ok());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324] {
        let error = of_parts(parts(diag(bad))).unwrap_err();
        assert!(matches!(error, Error::Input(InputError::Argument { .. })), "{bad}: {error}");
    }
    for (log_prior, class) in [
        ([f64::NAN, 0.0], 0),
        ([0.0, f64::INFINITY], 1),
        ([f64::NEG_INFINITY; 2], 0),
        ([-800.0, -900.0], 0),
        ([709.0, 709.7], 1),
    ] {
        let error = Model::from_parts(parts(diag(1.0)), log_prior.to_vec()).unwrap_err();
        assert!(
            matches!(error, Error::Input(InputError::Prior { class: named, .. }) if named == class),
            "{log_prior:?}: {error}"
        );
    }
    assert!(Model::from_parts(parts(diag(1.0)), vec![0.0, f64::NEG_INFINITY]).is_ok());
    for bad in [f64::NAN, f64::INFINITY] {
        let mut moved = parts(diag(1.0));
        moved.means.offset[(1, 0)] = bad;
        assert!(matches!(of_parts(moved), Err(Error::Input(InputError::Argument { .. }))));
        let center = vec![0.0, bad];
        assert!(matches!(
            of_parts(Parts { center, ..parts(diag(1.0)) }),
            Err(Error::Input(InputError::Argument { .. }))
        ));
    }
}

fn some_moments() -> Moments {
    Sample::new(60, 2, 2).moments(Structure::Full).unwrap()
}

#[test]
fn variances_and_covariances_must_be_some() {
    let (moments, priors) = (some_moments(), [1.0, 0.0]);
    let argument = |error: Option<Error>| {
        assert!(matches!(error, Some(Error::Input(InputError::Argument { .. }))), "{error:?}")
    };
    for bad in [-1.0, f64::NAN] {
        // whatever the prior of the class
        argument(Model::naive(&moments, array![[1.0, 1.0], [1.0, bad]].view(), &priors).err());
        for matrix in [array![[1.0, 0.0], [0.0, bad]], array![[1.0, bad], [0.5, 1.0]]] {
            let both = ndarray::stack![ndarray::Axis(0), Array2::<f64>::eye(2), matrix];
            argument(Model::quadratic(&moments, both.view(), &priors, 1e-4, Parallel::default()).err());
            argument(LinearFit::lsqr(&moments, matrix.view(), &priors).err());
            argument(LinearFit::of_covariance(&moments, matrix.view(), &priors, 1e-4).err());
            argument(LinearFit::eigen(&moments, matrix.view(), Array2::eye(2).view(), &priors).err());
        }
    }
    let eye = Array2::<f64>::eye(2);
    argument(
        LinearFit::eigen(&moments, eye.view(), array![[1.0, f64::NAN], [0.0, 1.0]].view(), &priors).err(),
    );
    let infinite = array![[1.0, 0.0], [0.0, f64::INFINITY]];
    assert!(matches!(
        Model::naive(&moments, infinite.view(), &priors),
        Err(Error::Input(InputError::Overflow { column: 1, .. }))
    ));
    assert!(matches!(
        LinearFit::lsqr(&moments, infinite.view(), &priors),
        Err(Error::Input(InputError::Overflow { column: 1, .. }))
    ));
    for tol in [f64::NAN, -1.0] {
        argument(LinearFit::svd(&moments, &priors, tol, false).err());
        argument(LinearFit::of_covariance(&moments, eye.view(), &priors, tol).err());
        let both = ndarray::stack![ndarray::Axis(0), eye, eye];
        argument(Model::quadratic(&moments, both.view(), &priors, tol, Parallel::default()).err());
    }
}

#[test]
fn a_fit_that_was_put_together_wrongly_is_not_reduced() {
    let (moments, priors) = (some_moments(), [0.5, 0.5]);
    let fit = || LinearFit::svd(&moments, &priors, 1e-4, false).unwrap();
    let axes = LinearFit { axes: Array2::ones((3, 1)), ..fit() };
    assert!(matches!(axes.reduced(1), Err(Error::Shape(ShapeError::Size { .. }))));
    let model = Model::naive(&moments, Array2::ones((2, 2)).view(), &priors).unwrap();
    assert_eq!(
        LinearFit { model, ..fit() }.reduced(1).err(),
        Some(Error::Shape(ShapeError::Incompatible("structures")))
    );
}

#[test]
fn without_classes_there_is_no_model() {
    let x = Array2::<f64>::zeros((0, 2));
    let (rows, none) = (Rows::from(x.view()), Array2::<f64>::zeros((0, 2)));
    let empty = Moments::from_rows(&rows, &[], 0, None, Structure::Full, Parallel::default()).unwrap();
    let eye = Array2::<f64>::eye(2);
    let shape = |error: Option<Error>| {
        assert!(
            matches!(error, Some(Error::Shape(ShapeError::Size { what: "number of classes", .. }))),
            "{error:?}"
        )
    };
    shape(Model::naive(&empty, none.view(), &[]).err());
    shape(
        Model::quadratic(&empty, ndarray::Array3::zeros((0, 2, 2)).view(), &[], 1e-4, Parallel::default())
            .err(),
    );
    shape(LinearFit::svd(&empty, &[], 1e-4, false).err());
    shape(LinearFit::lsqr(&empty, eye.view(), &[]).err());
    shape(LinearFit::eigen(&empty, eye.view(), eye.view(), &[]).err());
}
