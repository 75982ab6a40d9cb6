//! What scores refuse: bad entries, overflow, arrays of the wrong size, densities that do not exist.

use ndarray::{Array2, s};

use super::uneven;
use crate::core::{Answers, Error, Model, Parallel, Result, Rows, Rules, score};
use crate::error::{InputError, ScoresError, ShapeError};
use crate::oracle::{
    Asked, Kind, Precision, Question, Sample, ask, close, in_both_precisions, in_every_layout,
};

fn ask_one<T: Precision>(model: &Model, x: &Array2<f64>, question: Question) -> Result<Asked<T>> {
    ask(model, &Rows::from(x.view()), &[question], Parallel::default())
}

fn the_first_entry_that_is_not_finite_is_named_whatever_is_asked<T: Precision>() {
    let sample = Sample::new(130, 11, 3);
    let mut x = sample.x.clone();
    for place in [(129, 0), (70, 10), (70, 4)] {
        x[place] = f64::INFINITY;
    }
    let expected = Error::Input(InputError::NonFinite { row: 70, column: 4, value: f64::INFINITY });
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        in_every_layout(&x, 0.0, |layout, view| {
            for question in Question::ALL {
                let error =
                    ask::<T>(&model, &Rows::from(view), &[question], Parallel::default()).unwrap_err();
                assert_eq!(error, expected, "{kind:?}, {question:?} in {layout}");
            }
        });
    }
}

fn not_a_number_is_named<T: Precision>() {
    let sample = Sample::new(30, 2, 3);
    let mut x = sample.x.clone();
    x[(9, 1)] = f64::NAN;
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        let error = ask_one::<T>(&model, &x, Question::Label).unwrap_err();
        assert!(
            matches!(error, Error::Input(InputError::NonFinite { row: 9, column: 1, value }) if value.is_nan()),
            "{error}"
        );
    }
}

fn a_row_whose_squares_overflow_is_named<T: Precision>() {
    let sample = Sample::new(130, 4, 3);
    let mut x = sample.x.clone();
    let far: f64 = if T::max_value().into() > 1e200 { 1e200 } else { 1e30 };
    for place in [(100, 0), (77, 3), (76, 1)] {
        x[place] = far;
    }
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        for question in Question::ALL {
            let squares = matches!(question, Question::Joint | Question::LogDensity | Question::Mahalanobis);
            let answer = ask_one::<T>(&model, &x, question);
            if squares || !Kind::LINEAR.contains(&kind) {
                assert_eq!(
                    answer.unwrap_err(),
                    Error::Scores(ScoresError::TooFar { row: 76 }),
                    "{kind:?}, {question:?}"
                );
            } else {
                assert!(answer.is_ok(), "{kind:?} is linear in {question:?}");
            }
        }
    }
}

/// Row 70 is too far for the second class only, row 80 for the first only.
fn of_rows_too_far_for_different_classes_the_first_is_named<T: Precision>() {
    let (small, far) = if T::max_value().into() > 1e200 { (1e-20, 1e140) } else { (1e-6, 1e16) };
    let mut sample = Sample::new(130, 2, 2);
    for (mut row, &label) in sample.x.outer_iter_mut().zip(&sample.labels) {
        row[label as usize] *= small;
    }
    let model = Kind::Naive.fit(&sample, &[0.5, 0.5]).unwrap();
    let mut x = sample.x.clone();
    x[(70, 1)] = far;
    x[(80, 0)] = far;
    let error = ask_one::<T>(&model, &x, Question::Mahalanobis).unwrap_err();
    assert_eq!(error, Error::Scores(ScoresError::TooFar { row: 70 }));
}

fn linear_scores_that_overflow_are_refused_too<T: Precision>() {
    let sample = Sample::new(130, 4, 3);
    let mut x = sample.x.clone();
    x.row_mut(65).fill(T::max_value().into());
    x[(65, 0)] = -x[(65, 1)];
    for kind in Kind::LINEAR {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        for question in [Question::Label, Question::Posterior, Question::LogPosterior, Question::Decision] {
            let error = ask_one::<T>(&model, &x, question).unwrap_err();
            assert_eq!(error, Error::Scores(ScoresError::TooFar { row: 65 }), "{kind:?}, {question:?}");
        }
    }
}

fn arrays_of_the_wrong_size_are_refused<T: Precision>() {
    for (classes, decisions) in [(2, 10), (3, 30)] {
        let sample = Sample::new(60, 2, classes);
        let model = Kind::Quadratic.fit(&sample, &uneven(classes)).unwrap();
        let x = sample.x.slice(s![..10, ..]);
        let refused = |answers: Answers<'_, T>, what: &'static str, given: usize, expected: usize| {
            let answer = score(&model, &Rows::from(x), &Rules::default(), answers, Parallel::default());
            assert_eq!(answer, Err(Error::Shape(ShapeError::Size { what, given, expected })));
        };
        for off in [-1, 1] {
            let (one, all) = (10_usize, 10 * classes);
            let bad = |length: usize| vec![T::zero(); length.checked_add_signed(off).unwrap()];
            let mut label = vec![0; one.checked_add_signed(off).unwrap()];
            let given = label.len();
            refused(Answers { label: Some(&mut label), ..Answers::default() }, "label", given, one);
            let mut array = bad(all);
            let given = array.len();
            refused(Answers { posterior: Some(&mut array), ..Answers::default() }, "posterior", given, all);
            refused(
                Answers { log_posterior: Some(&mut array), ..Answers::default() },
                "log_posterior",
                given,
                all,
            );
            refused(Answers { joint: Some(&mut array), ..Answers::default() }, "joint", given, all);
            refused(
                Answers { mahalanobis: Some(&mut array), ..Answers::default() },
                "mahalanobis",
                given,
                all,
            );
            let mut array = bad(one);
            let given = array.len();
            refused(
                Answers { log_density: Some(&mut array), ..Answers::default() },
                "log_density",
                given,
                one,
            );
            let mut array = bad(decisions);
            let given = array.len();
            refused(
                Answers { decision: Some(&mut array), ..Answers::default() },
                "decision",
                given,
                decisions,
            );
        }
    }
}

fn rows_of_another_width_are_refused<T: Precision>() {
    let sample = Sample::new(60, 3, 2);
    for (kind, columns) in Kind::ALL.into_iter().flat_map(|kind| [(kind, 0), (kind, 2), (kind, 4)]) {
        let model = kind.fit(&sample, &[0.5, 0.5]).unwrap();
        let error = ask_one::<T>(&model, &Array2::zeros((5, columns)), Question::Label).unwrap_err();
        assert_eq!(
            error,
            Error::Shape(ShapeError::Size { what: "number of columns", given: columns, expected: 3 })
        );
    }
}

/// A column is doubled: rows have no density, but distances and posteriors are those without the copy.
fn a_singular_common_covariance_has_distances_and_posteriors_but_no_density<T: Precision>() {
    let plain = Sample::new(90, 3, 3);
    let doubled = Sample { x: plain.x.select(ndarray::Axis(1), &[0, 1, 2, 1]), ..plain.clone() };
    for kind in [Kind::Svd, Kind::Lsqr] {
        let singular = kind.fit(&doubled, &uneven(3)).unwrap();
        let regular = kind.fit(&plain, &uneven(3)).unwrap();
        for question in [Question::Joint, Question::LogDensity] {
            let error = ask_one::<T>(&singular, &doubled.x, question).unwrap_err();
            assert_eq!(error, Error::Scores(ScoresError::NoDensity { rank: 3, features: 4 }), "{kind:?}");
        }
        for question in [Question::Mahalanobis, Question::LogPosterior] {
            let with: Asked<T> = ask_one(&singular, &doubled.x, question).unwrap();
            let without: Asked<T> = ask_one(&regular, &plain.x, question).unwrap();
            for (with, without) in with.values().zip(without.values()) {
                assert!(close(with, without.into()), "{kind:?}, {question:?}: {with:?}, not {without:?}");
            }
        }
    }
}

in_both_precisions!(
    the_first_entry_that_is_not_finite_is_named_whatever_is_asked,
    not_a_number_is_named,
    a_row_whose_squares_overflow_is_named,
    of_rows_too_far_for_different_classes_the_first_is_named,
    linear_scores_that_overflow_are_refused_too,
    arrays_of_the_wrong_size_are_refused,
    rows_of_another_width_are_refused,
    a_singular_common_covariance_has_distances_and_posteriors_but_no_density,
);
