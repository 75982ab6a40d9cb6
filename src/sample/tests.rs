//! Draws: their algebra, their streams, and what is refused. Whether they are Gaussian, the Python tests ask.

use ndarray::{Array2, array};

use crate::core::{Error, Model, Parallel, Result, Structure, Whitening, sample_classes, sample_rows};
use crate::error::{InputError, ScoresError, ShapeError};
use crate::model::{Parts, Shape};
use crate::oracle::{Kind, Sample};

fn drawn(model: &Model, classes: &[u32], seed: u64, threads: usize) -> Result<Array2<f64>> {
    let mut out = Array2::from_elem((classes.len(), model.n_features()), f64::NAN);
    let entries = out.as_slice_mut().unwrap();
    sample_rows(model, classes, entries, seed, Parallel::new(Some(threads)))?;
    Ok(out)
}

fn fitted(kind: Kind, d: usize, classes: usize) -> Model {
    kind.fit(&Sample::new(40 * d * classes, d, classes), &vec![1.0 / classes as f64; classes]).unwrap()
}

/// The model of the same shape with means 0 and covariances 1: its draws are the normals themselves.
fn standard(model: &Model) -> Model {
    let (d, classes) = (model.n_features(), model.n_classes());
    let mut parts = model.parts().clone();
    parts.means.shift.fill(0.0);
    parts.means.offset.fill(0.0);
    let unit = Whitening { matrix: Array2::eye(d), log_det: 0.0 };
    match &mut parts.shape {
        Shape::Full(whitenings) => whitenings.fill(unit),
        Shape::Tied { whitening, .. } => *whitening = unit,
        Shape::Diag(deviations) => *deviations = Array2::ones((classes, d)),
    }
    Model::from_parts(parts, model.log_prior().to_vec()).unwrap()
}

/// W (x − μ) of a row of a class.
fn whitened(parts: &Parts, class: usize, row: ndarray::ArrayView1<'_, f64>) -> ndarray::Array1<f64> {
    let gap = &row - &parts.means.sum().row(class);
    match &parts.shape {
        Shape::Full(whitenings) => whitenings[class].matrix.dot(&gap),
        Shape::Tied { whitening, .. } => whitening.matrix.dot(&gap),
        Shape::Diag(deviations) => gap / deviations.row(class),
    }
}

#[test]
fn whitened_draws_are_the_normals_they_were_made_of() {
    for (kind, d) in Kind::ALL.into_iter().flat_map(|kind| [1, 3, 9].map(|d| (kind, d))) {
        let model = fitted(kind, d, 3);
        let classes: Vec<u32> = (0..500).map(|row| [0, 2, 2, 1, 0][row % 5]).collect();
        let rows = drawn(&model, &classes, 5, 1).unwrap();
        let normals = drawn(&standard(&model), &classes, 5, 1).unwrap();
        for ((row, normal), &class) in rows.outer_iter().zip(normals.outer_iter()).zip(&classes) {
            let gap = whitened(model.parts(), class as usize, row) - normal;
            assert!(gap.iter().all(|gap| gap.abs() < 1e-11), "{kind:?}, {d} columns: {gap}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for kind in Kind::ALL {
        let model = fitted(kind, 4, 3);
        let draw = |threads: usize| {
            let mut classes = vec![9; 50_000];
            sample_classes(&model, &mut classes, 1, Parallel::new(Some(threads))).unwrap();
            (drawn(&model, &classes, 1, threads).unwrap(), classes)
        };
        let serial = draw(1);
        assert!([2, 3, 7].into_iter().all(|threads| draw(threads) == serial), "{kind:?}");
    }
}

#[test]
fn no_number_is_drawn_twice() {
    let model = standard(&fitted(Kind::Naive, 2, 2));
    let draws = [1, 2].map(|seed| drawn(&model, &[0; 20_000], seed, 1).unwrap());
    let mut bits: Vec<u64> = draws.iter().flatten().map(|value| value.to_bits()).collect();
    bits.sort_unstable();
    let all = bits.len();
    bits.dedup();
    assert_eq!(bits.len(), all);
}

#[test]
fn a_class_of_prior_0_is_never_drawn() {
    let sample = Sample::new(60, 2, 3);
    let model = Kind::Naive.fit(&sample, &[0.5, 0.0, 0.5]).unwrap();
    let mut classes = vec![9; 10_000];
    sample_classes(&model, &mut classes, 3, Parallel::new(Some(1))).unwrap();
    assert!(classes.iter().all(|class| [0, 2].contains(class)));
}

#[test]
fn a_covariance_that_is_whitened_by_no_triangle_has_a_root() {
    // A turn by 30 degrees whitens the identity as well.
    let (sin, cos) = (0.5, 0.75_f64.sqrt());
    let model = fitted(Kind::Lsqr, 2, 2);
    let mut parts = standard(&model).parts().clone();
    let Shape::Tied { whitening, .. } = &mut parts.shape else { unreachable!("a common covariance") };
    whitening.matrix = array![[cos, -sin], [sin, cos]];
    let turned =
        drawn(&Model::from_parts(parts.clone(), model.log_prior().to_vec()).unwrap(), &[0; 20], 1, 1)
            .unwrap();
    let normals = drawn(&standard(&model), &[0; 20], 1, 1).unwrap();
    for (row, normal) in turned.outer_iter().zip(normals.outer_iter()) {
        let gap = whitened(&parts, 0, row) - normal;
        assert!(gap.iter().all(|gap| gap.abs() < 1e-14));
    }
}

#[test]
fn bad_requests_are_refused() {
    let model = fitted(Kind::Quadratic, 2, 3);
    assert_eq!(
        drawn(&model, &[0, 3], 0, 1).unwrap_err(),
        Error::Input(InputError::Label { row: 1, label: 3, classes: 3 })
    );
    let shape = sample_rows(&model, &[0, 1], &mut [0.0; 3], 0, Parallel::new(Some(1))).unwrap_err();
    assert_eq!(shape, Error::Shape(ShapeError::Size { what: "length of the output", given: 3, expected: 4 }));
}

#[test]
fn a_singular_common_covariance_has_no_rows_to_draw() {
    let mut sample = Sample::new(40, 3, 2);
    let first = sample.x.column(0).to_owned();
    sample.x.column_mut(2).assign(&first);
    let model =
        crate::core::LinearFit::svd(&sample.moments(Structure::Tied).unwrap(), &[0.5, 0.5], 1e-4, false)
            .unwrap()
            .model;
    assert_eq!(
        drawn(&model, &[0], 0, 1).unwrap_err(),
        Error::Scores(ScoresError::NoDensity { rank: 2, features: 3 })
    );
}
