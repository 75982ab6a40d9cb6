//! Where classes may be given up, the winners are those of the full pass, to the bit.

use ndarray::{Array2, Axis, s};

use super::super::gaussian::Gaussian;
use super::super::pass::{Answered, Pass};
use super::super::rules::Ruling;
use super::super::scorer::Scorer;
use super::super::screened::Trial;
use super::uneven;
use crate::core::{Answers, Error, Means, Missing, Model, Parallel, Parts, Rows, Rules, Shape};
use crate::error::InputError;
use crate::oracle::{Asked, Kind, Precision, Question, Sample, ask, in_both_precisions, in_every_layout};

/// Enough rows for several tasks of screened rows, and some left over.
const ROWS: usize = 4500;

/// Sizes where screening can pay; classes overlap little where columns are many, and much where they are few.
const SIZES: [(usize, usize); 4] = [(16, 26), (24, 9), (40, 8), (33, 30)];

/// A prior of 0, a prior that is large, and others.
fn some_impossible(classes: usize) -> Vec<f64> {
    let mut priors = uneven(classes);
    priors[classes / 2] = 0.0;
    priors
}

fn a_class_of_prior_0_never_wins<T: Precision>() {
    let sample = Sample::new(ROWS, 16, 26);
    let model = Kind::Quadratic.fit(&sample, &some_impossible(26)).unwrap();
    let [alone, together] = both_ways::<T>(&model, &sample.x, Question::Label);
    assert_eq!(alone.label, together.label);
    assert!(alone.label.iter().all(|&label| label != 13));
}

/// Otherwise the tests here would compare the full pass with itself.
fn screening_is_thought_to_pay_at_these_sizes<T: Precision>() {
    for (d, classes) in SIZES {
        let sample = Sample::new(ROWS, d, classes);
        let model = Kind::Quadratic.fit(&sample, &uneven(classes)).unwrap();
        let rows = Rows::from(sample.x.view());
        let scorer = Gaussian::<T>::new(&model, &rows, Missing::Raise);
        let ruling = Ruling::new(&Rules::default(), scorer.prior(), Some(model.rank()), &Answers::default());
        let pass = Pass {
            scorer,
            ruling: &ruling,
            trial: Trial::default(),
            marginals: None,
            answered: Answered::All,
        };
        assert!(pass.screening(&Answers::default()).is_some(), "d = {d}, K = {classes}");
    }
}

/// Columns that are so far apart that classes separate at once.
fn spread(sample: &Sample, by: f64) -> Array2<f64> {
    let mut x = sample.x.clone();
    for (mut row, &label) in x.outer_iter_mut().zip(&sample.labels) {
        row += by * f64::from(label);
    }
    x
}

/// The winners alone, and together with answers that need every class.
fn both_ways<T: Precision>(model: &Model, x: &Array2<f64>, question: Question) -> [Asked<T>; 2] {
    let rows = Rows::from(x.view());
    let asked = |questions: &[Question]| ask(model, &rows, questions, Parallel::new(Some(2))).unwrap();
    [asked(&[question]), asked(&[question, Question::LogPosterior])]
}

fn winners_are_those_of_the_full_pass<T: Precision>() {
    for (d, classes) in SIZES {
        for by in [0.0, 0.25, 4.0] {
            let sample = Sample::new(ROWS, d, classes);
            let sample = Sample { x: spread(&sample, by), ..sample };
            let model = Kind::Quadratic.fit(&sample, &uneven(classes)).unwrap();
            let [alone, together] = both_ways::<T>(&model, &sample.x, Question::Label);
            assert_eq!(alone.label, together.label, "d = {d}, K = {classes}, {by} apart");
            let [alone, together] = both_ways::<T>(&model, &sample.x, Question::Posterior);
            assert_eq!(alone.posterior, together.posterior, "d = {d}, K = {classes}, {by} apart");
        }
    }
}

fn winners_do_not_depend_on_the_layout<T: Precision>() {
    for (d, classes) in [(16, 26), (33, 30)] {
        let sample = Sample::new(ROWS, d, classes);
        let model = Kind::Quadratic.fit(&sample, &uneven(classes)).unwrap();
        for question in [Question::Label, Question::Posterior] {
            let asked =
                |rows: &Rows<'_>| ask::<T>(&model, rows, &[question], Parallel::new(Some(2))).unwrap();
            let expected = asked(&Rows::from(sample.x.view()));
            in_every_layout(&sample.x, f64::NAN, |layout, view| {
                let found = asked(&Rows::from(view));
                assert_eq!(found.label, expected.label, "{layout}, d = {d}, K = {classes}");
                assert_eq!(found.posterior, expected.posterior, "{layout}, d = {d}, K = {classes}");
            });
        }
    }
}

/// Every class twice: each row's best score comes twice, and the first of both wins.
fn of_equal_classes_the_first_wins<T: Precision>() {
    let sample = Sample::new(ROWS, 16, 6);
    let sample = Sample { x: spread(&sample, 1.0), ..sample };
    let once = Kind::Quadratic.fit(&sample, &uneven(6)).unwrap();
    let twice = doubled(&once);
    let [alone, together] = both_ways::<T>(&twice, &sample.x, Question::Label);
    assert_eq!(alone.label, together.label);
    assert!(alone.label.iter().all(|&label| label < 6));
}

fn doubled(model: &Model) -> Model {
    let parts = model.parts();
    let Shape::Full(whitenings) = &parts.shape else { unreachable!("a quadratic model") };
    let rows: Vec<usize> = (0..model.n_classes()).chain(0..model.n_classes()).collect();
    let select = |matrix: &Array2<f64>| matrix.select(Axis(0), &rows);
    let log_prior = rows.iter().map(|&class| model.log_prior()[class]).collect();
    let parts = Parts {
        center: parts.center.clone(),
        means: Means { shift: select(&parts.means.shift), offset: select(&parts.means.offset) },
        shape: Shape::Full(rows.iter().map(|&class| whitenings[class].clone()).collect()),
    };
    Model::from_parts(parts, log_prior).unwrap()
}

fn one_entry_that_is_not_finite_is_named_wherever_it_stands<T: Precision>() {
    let sample = Sample::new(ROWS, 16, 26);
    let model = Kind::Quadratic.fit(&sample, &uneven(26)).unwrap();
    for (row, column, bad) in [(0, 0, f64::NAN), (2047, 15, f64::INFINITY), (ROWS - 1, 7, f64::NEG_INFINITY)]
    {
        let mut x = sample.x.clone();
        x[(row, column)] = bad;
        let rows = Rows::from(x.view());
        let error = ask::<T>(&model, &rows, &[Question::Label], Parallel::new(Some(2))).unwrap_err();
        assert!(
            matches!(error, Error::Input(InputError::NonFinite { row: r, column: c, .. }) if (r, c) == (row, column)),
            "{error}"
        );
    }
}

/// The guess is made of the parameters alone, so a model that was taken apart and put together again answers the same.
fn a_model_from_its_parts_answers_the_same<T: Precision>() {
    let sample = Sample::new(ROWS, 24, 5);
    let model = Kind::Quadratic.fit(&sample, &uneven(5)).unwrap();
    let again = Model::from_parts(model.parts().clone(), model.log_prior().to_vec()).unwrap();
    let some = sample.x.slice(s![..3000, ..]).to_owned();
    let [first, second] = [&model, &again].map(|model| both_ways::<T>(model, &some, Question::Label));
    assert_eq!(first[0].label, second[0].label);
}

in_both_precisions!(
    screening_is_thought_to_pay_at_these_sizes,
    winners_are_those_of_the_full_pass,
    winners_do_not_depend_on_the_layout,
    a_class_of_prior_0_never_wins,
    of_equal_classes_the_first_wins,
    one_entry_that_is_not_finite_is_named_wherever_it_stands,
    a_model_from_its_parts_answers_the_same,
);
