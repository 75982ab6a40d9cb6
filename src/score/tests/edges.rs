//! Priors of 0, ties, element types, memory layouts and threads.

use ndarray::Array2;

use super::{ask_all, uneven};
use crate::core::{Parallel, Rows};
use crate::oracle::{
    Asked, Kind, Precision, Question, Sample, Textbook, ask, close, in_both_precisions, in_every_layout,
};

/// A sample whose classes have one and the same rows.
fn identical(classes: usize) -> Sample {
    let one = Sample::new(20, 3, 1);
    let views = vec![one.x.view(); classes];
    let labels = (0..20 * classes).map(|row| (row / 20) as u32).collect();
    Sample { x: ndarray::concatenate(ndarray::Axis(0), &views).unwrap(), labels, classes, weights: None }
}

fn of_equal_classes_the_first_is_chosen_and_none_is_preferred<T: Precision>() {
    for (kind, classes) in Kind::ALL.into_iter().flat_map(|kind| [(kind, 2), (kind, 4)]) {
        let sample = identical(classes);
        let asked: Asked<T> = ask_all(&kind.fit(&sample, &vec![0.25; classes]).unwrap(), &sample.x);
        assert!(asked.label.iter().all(|&label| label == 0), "{kind:?}");
        let share = 1.0 / classes as f64;
        assert!(asked.posterior.iter().all(|&posterior| posterior.into() == share), "{kind:?}");
    }
}

fn a_class_of_prior_0_is_impossible_and_the_others_as_if_alone<T: Precision>() {
    let sample = Sample::new(120, 3, 3);
    for kind in Kind::ALL {
        let priors = [0.0, 0.25, 0.75];
        let model = kind.fit(&sample, &priors).unwrap();
        let asked: Asked<T> = ask_all(&model, &sample.x);
        let textbook = Textbook::new(kind, &sample, &priors);
        for (row, &label) in asked.label.iter().enumerate() {
            let at = |class: usize| row * 3 + class;
            assert!(label > 0);
            assert_eq!(asked.posterior[at(0)], T::zero());
            for answer in [&asked.log_posterior, &asked.joint, &asked.decision] {
                assert_eq!(answer[at(0)], T::neg_infinity());
            }
            for class in 1..3 {
                let exact = textbook.log_posterior(sample.x.row(row), class);
                assert!(close(asked.log_posterior[at(class)], exact), "{kind:?}");
            }
            assert!(close(asked.log_density[row], textbook.log_density(sample.x.row(row))), "{kind:?}");
            let exact = textbook.mahalanobis(sample.x.row(row), 0);
            assert!(close(asked.mahalanobis[at(0)], exact), "{kind:?}");
        }
    }
}

fn the_impossible_one_of_two_classes_decides_everything<T: Precision>() {
    let sample = Sample::new(80, 3, 2);
    for kind in Kind::ALL {
        for (priors, decision) in [([0.0, 1.0], T::infinity()), ([1.0, 0.0], T::neg_infinity())] {
            let asked: Asked<T> = ask_all(&kind.fit(&sample, &priors).unwrap(), &sample.x);
            assert!(asked.decision.iter().all(|&value| value == decision), "{kind:?}");
            assert!(asked.label.iter().all(|&label| label == u32::from(priors[1] == 1.0)), "{kind:?}");
        }
    }
}

fn priors_count_as_shares_of_their_sum<T: Precision>() {
    let sample = Sample::new(120, 3, 3);
    // Powers of two divide without rounding.
    let eighth: Vec<f64> = uneven(3).iter().map(|prior| prior / 8.0).collect();
    for kind in [Kind::Quadratic, Kind::Naive, Kind::Svd] {
        let ask = |priors: &[f64]| ask_all::<T>(&kind.fit(&sample, priors).unwrap(), &sample.x);
        let (whole, part) = (ask(&uneven(3)), ask(&eighth));
        for (part, whole) in [
            (part.joint, whole.joint),
            (part.log_density, whole.log_density),
            (part.log_posterior, whole.log_posterior),
        ] {
            assert!(part.iter().zip(whole).all(|(&part, whole)| close(part, whole.into())), "{kind:?}");
        }
    }
}

fn memory_order_changes_no_bit<T: Precision>() {
    let sample = Sample::new(130, 11, 3);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        let expected: Asked<T> = ask_all(&model, &sample.x);
        in_every_layout(&sample.x, f64::NAN, |layout, view| {
            let asked = ask(&model, &Rows::from(view), &Question::ALL, Parallel::default());
            assert_eq!(asked.unwrap(), expected, "{kind:?} in {layout}");
        });
        let repeated = sample.x.row(5).insert_axis(ndarray::Axis(0)).to_owned();
        let view = repeated.broadcast((130, 11)).unwrap();
        let asked: Asked<T> = ask(&model, &Rows::from(view), &Question::ALL, Parallel::default()).unwrap();
        assert_eq!(asked, ask_all(&model, &view.to_owned()));
    }
}

fn the_element_type_changes_no_bit<T: Precision>() {
    let sample = Sample::new(130, 5, 3);
    let whole: Array2<f64> = sample.x.mapv(|entry| entry.abs().floor());
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(3)).unwrap();
        macro_rules! check {
            ($x:expr, $($element:ty),+) => {$(
                let x = $x.mapv(|entry| entry as $element);
                let asked: Asked<T> =
                    ask(&model, &Rows::from(x.view()), &Question::ALL, Parallel::default()).unwrap();
                assert_eq!(asked, ask_all(&model, &$x), "{kind:?} of {}", stringify!($element));
            )+};
        }
        check!(whole, i8, i16, i32, i64, u8, u16, u32, u64);
        check!(sample.x, f32);
        let bits = whole.mapv(|entry| entry > 2.0);
        let asked: Asked<T> =
            ask(&model, &Rows::from(bits.view()), &Question::ALL, Parallel::default()).unwrap();
        assert_eq!(asked, ask_all(&model, &bits.mapv(|bit| f64::from(u8::from(bit)))));
    }
}

fn the_number_of_threads_changes_no_bit<T: Precision>() {
    let sample = Sample::new(20_000, 12, 4);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(4)).unwrap();
        let expected: Asked<T> = ask_all(&model, &sample.x);
        for threads in [2, 3, 7] {
            let parallel = Parallel::new(Some(threads));
            let asked = ask(&model, &Rows::from(sample.x.view()), &Question::ALL, parallel).unwrap();
            assert!(asked == expected, "{kind:?}, {threads} threads");
        }
    }
}

in_both_precisions!(
    of_equal_classes_the_first_is_chosen_and_none_is_preferred,
    a_class_of_prior_0_is_impossible_and_the_others_as_if_alone,
    the_impossible_one_of_two_classes_decides_everything,
    priors_count_as_shares_of_their_sum,
    memory_order_changes_no_bit,
    the_element_type_changes_no_bit,
    the_number_of_threads_changes_no_bit,
);
