//! EM against a closed form, and what is refused.

use ndarray::{Array2, array};

use super::{Em, Estimate, estimate, impute, impute_draws};
use crate::core::{Error, Owner, Parallel, Result, Rows, Structure};
use crate::error::{InputError, RankError, ShapeError};
use crate::oracle::{Kind, Sample};

/// A sample in which entries are missing, in a column more often than in the one before.
fn with_gaps(n: usize, d: usize, classes: usize) -> Sample {
    let mut sample = Sample::new(n, d, classes);
    for row in 0..n {
        (1..d).filter(|column| row * 7 % 11 < *column).for_each(|column| sample.x[(row, column)] = f64::NAN);
    }
    sample
}

fn estimated(sample: &Sample, structure: Structure, em: Em<'_>, threads: usize) -> Result<Estimate> {
    let Sample { x, labels, classes, weights } = sample;
    let parallel = Parallel::new(Some(threads));
    estimate(&Rows::from(x.view()), labels, *classes, weights.as_deref(), structure, em, parallel)
}

/// Anderson (1957): a second column that is observed in some rows only has the mean and the variance that its regression on
/// the first gives.
#[test]
fn two_columns_have_their_closed_form() {
    let sample = with_gaps(400, 2, 1);
    let both: Vec<(f64, f64)> =
        sample.x.outer_iter().map(|row| (row[0], row[1])).filter(|(_, y)| !y.is_nan()).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let (x_both, y_both) = (mean(&mut both.iter().map(|p| p.0)), mean(&mut both.iter().map(|p| p.1)));
    let xx = mean(&mut both.iter().map(|p| (p.0 - x_both).powi(2)));
    let xy = mean(&mut both.iter().map(|p| (p.0 - x_both) * (p.1 - y_both)));
    let yy = mean(&mut both.iter().map(|p| (p.1 - y_both).powi(2)));
    let x_all = mean(&mut sample.x.column(0).iter().copied());
    let variance = mean(&mut sample.x.column(0).iter().map(|x| (x - x_all).powi(2)));
    let slope = xy / xx;

    let em = Em { max_iter: 10_000, tol: 0.0, ..Em::default() };
    let moments = estimated(&sample, Structure::Full, em, 1).unwrap().moments;
    let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-7, "{got} {expected}");
    close(moments.means()[(0, 1)], y_both + slope * (x_all - x_both));
    close(moments.scatter()[(0, 0, 1)] / 400.0, slope * variance);
    close(moments.scatter()[(0, 1, 1)] / 400.0, yy - slope * xy + slope * slope * variance);
}

#[test]
fn complete_rows_have_their_ordinary_moments() {
    let sample = Sample::new(300, 4, 3);
    for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
        let found = estimated(&sample, structure, Em::default(), 1).unwrap();
        assert_eq!(found.moments, sample.moments(structure).unwrap());
        assert!(found.complete && found.converged && found.log_likelihood.is_empty());
    }
}

#[test]
fn threads_change_no_bit() {
    let sample = with_gaps(30_000, 5, 2);
    for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
        let found = |threads| estimated(&sample, structure, Em::default(), threads).unwrap();
        assert_eq!(found(1), found(3));
    }
}

#[test]
fn each_iteration_is_reported() {
    let told = std::cell::Cell::new(0);
    let report = || told.set(told.get() + 1);
    let em = Em { report: Some(&report), ..Em::default() };
    let found = estimated(&with_gaps(300, 3, 2), Structure::Full, em, 1).unwrap();
    assert_eq!(told.get(), found.log_likelihood.len() - 1);
}

#[test]
fn a_column_that_is_never_observed_is_named_with_its_class() {
    let mut sample = with_gaps(40, 3, 2);
    (0..40).filter(|row| row % 2 == 1).for_each(|row| sample.x[(row, 1)] = f64::NAN);
    for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
        let error = estimated(&sample, structure, Em::default(), 1).unwrap_err();
        assert_eq!(error, Error::Input(InputError::NeverObserved { class: 1, column: 1 }));
    }
}

#[test]
fn a_constant_column_leaves_em_without_a_start() {
    let mut sample = with_gaps(40, 3, 2);
    sample.x.column_mut(0).fill(3.0);
    for (structure, what) in [(Structure::Full, Owner::Class(0)), (Structure::Tied, Owner::Pooled)] {
        let error = estimated(&sample, structure, Em::default(), 1).unwrap_err();
        assert_eq!(
            error,
            Error::Rank(RankError::Degenerate { what, iteration: 0, constant: vec![0], dependent: vec![] })
        );
    }
}

#[test]
fn an_infinity_is_named() {
    let mut sample = with_gaps(40, 3, 2);
    sample.x[(7, 2)] = f64::INFINITY;
    let error = estimated(&sample, Structure::Full, Em::default(), 1).unwrap_err();
    assert_eq!(error, Error::Input(InputError::NonFinite { row: 7, column: 2, value: f64::INFINITY }));
}

#[test]
fn arrays_and_classes_must_fit_the_model() {
    let sample = Sample::new(60, 2, 2);
    let model = Kind::Quadratic.fit(&sample, &[0.5, 0.5]).unwrap();
    let x = array![[1.0, f64::NAN], [f64::NAN, 2.0]];
    let rows = Rows::from(x.view());
    let fill = |classes: Option<&[u32]>, size: usize| {
        impute(&model, &rows, classes, &mut vec![0.0; size], None, Parallel::default())
    };
    assert_eq!(fill(Some(&[0, 1]), 4), Ok(()));
    assert_eq!(fill(Some(&[0, 2]), 4), Err(Error::Input(InputError::Label { row: 1, label: 2, classes: 2 })));
    assert!(matches!(fill(Some(&[0]), 4), Err(Error::Shape(ShapeError::Size { .. }))));
    assert!(matches!(fill(None, 3), Err(Error::Shape(ShapeError::Size { .. }))));
}

#[test]
fn draws_depend_on_the_seed_alone() {
    let sample = with_gaps(10_000, 4, 3);
    let model = Kind::Quadratic.fit(&Sample::new(600, 4, 3), &[0.2, 0.3, 0.5]).unwrap();
    let rows = Rows::from(sample.x.view());
    let draw = |seed, threads| {
        let mut values: Vec<f64> = sample.x.iter().chain(&sample.x).copied().collect();
        impute_draws(&model, &rows, None, &mut values, 2, seed, Parallel::new(Some(threads))).unwrap();
        Array2::from_shape_vec((20_000, 4), values).unwrap()
    };
    assert_eq!(draw(1, 1), draw(1, 4));
    assert_ne!(draw(1, 1), draw(2, 1));
}
