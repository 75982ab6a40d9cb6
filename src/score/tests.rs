//! Scores against the textbook's formulas, for every route to a model, in both precisions.

mod bounds;
mod edges;
mod errors;
mod far;
mod no_data;
mod rules;
mod screened;

use ndarray::{Array2, s};

use crate::core::{Model, Parallel, Rows};
use crate::oracle::{Asked, Kind, Precision, Question, Sample, Textbook, ask, close, in_both_precisions};

/// Numbers of rows around the sizes of groups and tiles.
pub(super) const SIZES: [usize; 9] = [0, 1, 7, 8, 9, 63, 64, 65, 130];

/// Priors that are not the classes' shares.
pub(super) fn uneven(classes: usize) -> Vec<f64> {
    let total = (classes * (classes + 1) / 2) as f64;
    (1..=classes).map(|class| class as f64 / total).collect()
}

/// Every answer in one pass.
pub(super) fn ask_all<T: Precision>(model: &Model, x: &Array2<f64>) -> Asked<T> {
    ask(model, &Rows::from(x.view()), &Question::ALL, Parallel::new(Some(1))).unwrap()
}

/// Compares an n × `width` answer with a formula, entry by entry.
fn assert_close<T: Precision>(answers: &[T], width: usize, expected: impl Fn(usize, usize) -> f64) {
    for (at, &answer) in answers.iter().enumerate() {
        let exact = expected(at / width, at % width);
        assert!(close(answer, exact), "row {}, class {}: {answer:?}, not {exact}", at / width, at % width);
    }
}

fn assert_textbook<T: Precision>(asked: &Asked<T>, x: &Array2<f64>, textbook: &Textbook) {
    let (n, k) = (x.nrows(), textbook.n_classes());
    let row = |row: usize| x.row(row);
    assert_eq!((asked.posterior.len(), asked.log_density.len()), (n * k, n));
    assert_close(&asked.posterior, k, |r, class| textbook.log_posterior(row(r), class).exp());
    assert_close(&asked.log_posterior, k, |r, class| textbook.log_posterior(row(r), class));
    assert_close(&asked.joint, k, |r, class| textbook.joint(row(r), class));
    assert_close(&asked.log_density, 1, |r, _| textbook.log_density(row(r)));
    assert_close(&asked.mahalanobis, k, |r, class| textbook.mahalanobis(row(r), class));
    match k {
        2 => assert_close(&asked.decision, 1, |r, _| {
            textbook.discriminant(row(r), 1) - textbook.discriminant(row(r), 0)
        }),
        _ => assert_close(&asked.decision, k, |r, class| textbook.discriminant(row(r), class)),
    }
}

fn every_answer_is_the_textbooks<T: Precision>() {
    let shapes = [1, 2, 3, 4, 5, 8, 9, 17].into_iter().flat_map(|d| (1..=5).map(move |classes| (d, classes)));
    for (d, classes) in shapes {
        let sample = Sample::new(40 * classes, d, classes);
        let new = Sample::by_chance(130, d, classes, false, 77).x;
        for kind in Kind::ALL {
            let model = kind.fit(&sample, &uneven(classes)).unwrap();
            let textbook = Textbook::new(kind, &sample, &uneven(classes));
            assert_textbook::<T>(&ask_all(&model, &new), &new, &textbook);
        }
    }
}

fn any_number_of_rows_is_answered<T: Precision>() {
    let sample = Sample::new(120, 5, 3);
    let new = Sample::by_chance(130, 5, 3, false, 77).x;
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        let textbook = Textbook::new(kind, &sample, &uneven(3));
        for n in SIZES {
            let new = new.slice(s![..n, ..]).to_owned();
            assert_textbook::<T>(&ask_all(&model, &new), &new, &textbook);
        }
    }
}

fn weighted_fits_are_the_textbooks<T: Precision>() {
    let weights = (0..120).map(|row| (row % 5) as f64 / 2.0).collect();
    let sample = Sample { weights: Some(weights), ..Sample::new(120, 4, 3) };
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        let textbook = Textbook::new(kind, &sample, &uneven(3));
        assert_textbook::<T>(&ask_all(&model, &sample.x), &sample.x, &textbook);
    }
}

fn a_selection_of_answers_has_the_bits_of_all_together<T: Precision>() {
    let sample = Sample::new(130, 6, 3);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        let all: Asked<T> = ask_all(&model, &sample.x);
        for selection in 0_u32..1 << Question::ALL.len() {
            let mut questions = Question::ALL.to_vec();
            let mut bit = 0..;
            questions.retain(|_| selection >> bit.next().unwrap() & 1 == 1);
            let part: Asked<T> =
                ask(&model, &Rows::from(sample.x.view()), &questions, Parallel::default()).unwrap();
            assert!(part.label.is_empty() || part.label == all.label, "{kind:?}, {questions:?}");
            let same = |part: &[T], all: &[T]| part.is_empty() || part == all;
            assert!(same(&part.posterior, &all.posterior), "{kind:?}, {questions:?}");
            assert!(same(&part.log_posterior, &all.log_posterior), "{kind:?}, {questions:?}");
            assert!(same(&part.joint, &all.joint), "{kind:?}, {questions:?}");
            assert!(same(&part.log_density, &all.log_density), "{kind:?}, {questions:?}");
            assert!(same(&part.mahalanobis, &all.mahalanobis), "{kind:?}, {questions:?}");
            assert!(same(&part.decision, &all.decision), "{kind:?}, {questions:?}");
        }
    }
}

fn the_label_is_the_first_class_of_largest_log_posterior<T: Precision>() {
    let sample = Sample::new(400, 3, 4);
    for kind in Kind::ALL {
        let asked: Asked<T> = ask_all(&kind.fit(&sample, &uneven(4)).unwrap(), &sample.x);
        for (&label, row) in asked.label.iter().zip(asked.log_posterior.chunks_exact(4)) {
            let largest = row.iter().copied().fold(T::neg_infinity(), T::max);
            assert_eq!(label as usize, row.iter().position(|&value| value == largest).unwrap());
        }
    }
}

fn posteriors_of_a_row_sum_to_1_near_and_far<T: Precision>() {
    let sample = Sample::new(200, 4, 5);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(5)).unwrap();
        for scale in [1.0, 30.0, 1e4] {
            let asked: Asked<T> = ask_all(&model, &(&sample.x * scale));
            for row in asked.posterior.chunks_exact(5) {
                let sum: f64 = row.iter().map(|&posterior| posterior.into()).sum();
                assert!((sum - 1.0).abs() < 8.0 * Into::<f64>::into(T::epsilon()), "{kind:?}: {sum}");
            }
        }
    }
}

in_both_precisions!(
    every_answer_is_the_textbooks,
    any_number_of_rows_is_answered,
    weighted_fits_are_the_textbooks,
    a_selection_of_answers_has_the_bits_of_all_together,
    the_label_is_the_first_class_of_largest_log_posterior,
    posteriors_of_a_row_sum_to_1_near_and_far,
);
