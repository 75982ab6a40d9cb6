//! What a user may get wrong: typed errors that say what was given, what was expected and what to do, in the words of Rust.

use gauda::{
    BernoulliNb, CategoricalNb, Error, Estimator, Fitted, GaussianNb, InputError, Lda, Missing, MixedNb,
    Moments, Params, Qda, Rda, ScoresError, ShapeError, Structure,
};
use ndarray::{Array2, array};

fn x() -> Array2<f64> {
    array![[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 3.0], [3.0, 0.0], [2.0, 4.0]]
}

const Y: [i32; 6] = [0, 0, 0, 1, 1, 1];

/// A test that any model must pass.
trait Check {
    fn check<E: Estimator>(&self, params: Params<E>);
}

fn for_each_model(check: &impl Check) {
    check.check(Qda::params());
    check.check(Lda::params());
    check.check(Rda::params().alpha(0.5));
    check.check(GaussianNb::params());
    check.check(BernoulliNb::params());
    check.check(CategoricalNb::params());
    check.check(MixedNb::params().categorical([0]));
}

/// No error may speak of what only Python has.
fn assert_rust(error: &Error) {
    let text = error.to_string();
    for word in ["='", "=\"", "sample_weight", "n_threads", "ValueError", "None", "numpy"] {
        assert!(!text.contains(word), "{text}");
    }
}

struct Sizes;

impl Check for Sizes {
    fn check<E: Estimator>(&self, params: Params<E>) {
        let labels = params.fit(&x(), &Y[..5]).unwrap_err();
        assert_eq!(labels, ShapeError::Size { what: "number of labels", given: 5, expected: 6 }.into());
        let weights = params.fit_weighted(&x(), &Y, &[1.0; 7]).unwrap_err();
        assert!(matches!(weights, Error::Shape(ShapeError::Size { given: 7, expected: 6, .. })), "{weights}");
        let model = params.fit(&x(), &Y).unwrap();
        for columns in [0, 1, 3] {
            let error = model.predict(&Array2::<f64>::zeros((2, columns))).unwrap_err();
            let expected = matches!(error, Error::Shape(ShapeError::Size { given, expected: 2, .. }) if given == columns);
            assert!(expected, "{error}");
        }
        let three = array![0.2, 0.3, 0.5];
        let rows = x();
        let priors = model.ask(&rows).posterior().priors(three.as_slice().unwrap()).run().unwrap_err();
        assert!(matches!(priors, Error::Shape(ShapeError::Size { given: 3, expected: 2, .. })), "{priors}");
        let costs = Array2::zeros((3, 3));
        let costs = model.ask(&rows).label().costs(&costs).run().unwrap_err();
        assert!(matches!(costs, Error::Shape(ShapeError::Size { given: 3, expected: 2, .. })), "{costs}");
        let accuracy = model.accuracy(&rows, &Y[..4]).unwrap_err();
        assert!(matches!(accuracy, Error::Shape(ShapeError::Size { given: 4, expected: 6, .. })));
        [labels, weights, priors, costs, accuracy].iter().for_each(assert_rust);
    }
}

#[test]
fn sizes_that_differ_are_told() {
    for_each_model(&Sizes);
}

struct Entries;

impl Check for Entries {
    fn check<E: Estimator>(&self, params: Params<E>) {
        let model = params.fit(&x(), &Y).unwrap();
        for value in [f64::INFINITY, f64::NEG_INFINITY] {
            let mut spoilt = x();
            spoilt[[4, 1]] = value;
            for error in [params.fit(&spoilt, &Y).unwrap_err(), model.predict(&spoilt).unwrap_err()] {
                let named = match error {
                    Error::Input(InputError::NonFinite { row, column, value: told })
                    | Error::Input(InputError::NoLevel { row, column, value: told }) => {
                        (row, column) == (4, 1) && told == value
                    }
                    _ => false,
                };
                assert!(named, "{params:?}: {error}");
                assert_rust(&error);
            }
        }
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            let mut weights = [1.0; 6];
            weights[3] = weight;
            let error = params.fit_weighted(&x(), &Y, &weights).unwrap_err();
            assert!(matches!(error, Error::Input(InputError::Weight { row: 3, .. })), "{error}");
        }
        let none = params.fit_weighted(&x(), &Y, &[0.0; 6]).unwrap_err();
        assert!(matches!(none, Error::Input(InputError::NoWeight | InputError::EmptyClass { .. })), "{none}");
        for priors in [[0.5, -0.5], [f64::NAN, 1.0], [0.0, 0.0]] {
            let error = params.clone().priors(priors).fit(&x(), &Y).unwrap_err();
            assert!(matches!(error, Error::Input(InputError::Prior { .. })), "{error}");
        }
        let asked = model.ask(&x()).label().reject_below(1.5).run().unwrap_err();
        assert!(matches!(asked, Error::Input(InputError::Threshold { value: 1.5, .. })));
    }
}

#[test]
fn entries_weights_and_priors_that_cannot_be_are_named() {
    for_each_model(&Entries);
}

struct Nothing;

impl Check for Nothing {
    fn check<E: Estimator>(&self, params: Params<E>) {
        let none: [i32; 0] = [];
        let no_rows = params.fit(&Array2::<f64>::zeros((0, 2)), &none).unwrap_err();
        assert_eq!(no_rows, ShapeError::Size { what: "number of rows", given: 0, expected: 1 }.into());
        let no_columns = params.fit(&Array2::<f64>::zeros((6, 0)), &Y).unwrap_err();
        assert_eq!(no_columns, ShapeError::Size { what: "number of columns", given: 0, expected: 1 }.into());
        let model = params.fit(&x(), &Y).unwrap();
        assert_eq!(model.predict(&Array2::<f64>::zeros((0, 2))).unwrap(), none);
        assert_eq!(model.predict_proba(&Array2::<f64>::zeros((0, 2))).unwrap().dim(), (0, 2));
        assert!(model.accuracy(&Array2::<f64>::zeros((0, 2)), &none).is_err());
    }
}

#[test]
fn nothing_can_be_asked_about_but_not_learnt() {
    for_each_model(&Nothing);
}

#[test]
fn one_class_cannot_be_told_apart() {
    let one = |outcome: gauda::Result<Fitted<i32>>| {
        let error = outcome.unwrap_err();
        assert_eq!(error.to_string(), "the number of classes must be at least 2; got 1");
    };
    one(Qda::params().fit(&x(), &[5; 6]));
    one(Lda::params().fit(&x(), &[5; 6]));
    one(Rda::params().fit(&x(), &[5; 6]));
    // Naive Bayes takes it, as scikit-learn's does.
    assert_eq!(GaussianNb::params().fit(&x(), &[5; 6]).unwrap().predict(&x()).unwrap(), [5; 6]);
}

#[test]
fn labels_that_the_model_does_not_know_are_never_right() {
    let model = GaussianNb::params().fit(&x(), &Y).unwrap();
    assert_eq!(model.accuracy(&x(), &[7; 6]).unwrap(), 0.0);
    let moments = Moments::from_rows(&x(), &Y, Structure::Full).unwrap();
    let others = Moments::from_rows(&x(), &[7; 6], Structure::Full).unwrap();
    // What was never joined cannot be taken out.
    assert!(moments.subtract(&others).is_err());
    assert_eq!(moments.merge(&others).unwrap().classes(), [0, 1, 7]);
}

#[test]
fn missing_values_say_how_they_can_be_taken() {
    let mut gaps = x();
    gaps[[2, 1]] = f64::NAN;
    let error = Lda::params().fit(&gaps, &Y).unwrap_err();
    assert!(matches!(error, Error::Input(InputError::NonFinite { row: 2, column: 1, .. })));
    assert!(error.to_string().ends_with("remove or impute such rows first"), "{error}");
    assert_rust(&error);
    assert!(Lda::params().missing(Missing::Marginalize).fit(&gaps, &Y).is_ok());
}

#[test]
fn questions_that_a_model_cannot_answer_are_refused() {
    let model = CategoricalNb::params().fit(&x(), &Y).unwrap();
    let rows = x();
    let distance = model.ask(&rows).mahalanobis().run().unwrap_err();
    assert!(matches!(distance, Error::Scores(ScoresError::NoDistance { .. })));
    let axes = model.transform(&rows).unwrap_err();
    let cost = model.ask(&rows).expected_cost().run().unwrap_err();
    let best = model.ask(&rows).best(3).run().unwrap_err();
    for error in [distance, axes, cost, best] {
        assert_rust(&error);
        assert!(error.to_string().len() > 20, "{error}");
    }
}
