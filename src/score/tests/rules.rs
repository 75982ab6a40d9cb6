//! Labels by rules: costs, thresholds and other priors, in every way through the pass.

use ndarray::Array2;

use super::uneven;
use crate::core::{Answers, Best, Error, Model, Parallel, Priors, Result, Rows, Rules, score};
use crate::error::{InputError, ShapeError};
use crate::oracle::{Kind, Precision, Sample, close, in_both_precisions};

/// Enough rows, columns and classes for screening to pay.
const SIZE: (usize, usize, usize) = (4500, 16, 26);

/// Costs between 0 and 2, one of them for rejecting.
fn some_costs(classes: usize) -> Array2<f64> {
    Array2::from_shape_fn((classes, classes + 1), |(i, j)| match j {
        _ if i == j => 0.0,
        _ if j == classes => 0.3,
        _ => 1.0 + ((7 * i + 3 * j) % 10) as f64 / 10.0,
    })
}

fn labels<T: Precision>(model: &Model, x: &Array2<f64>, rules: &Rules<'_>) -> Vec<u32> {
    let mut label = vec![u32::MAX; x.nrows()];
    let answers = Answers::<T> { label: Some(&mut label), ..Answers::default() };
    score(model, &Rows::from(x.view()), rules, answers, Parallel::new(Some(2))).unwrap();
    label
}

fn posteriors<T: Precision>(model: &Model, x: &Array2<f64>, rules: &Rules<'_>) -> Vec<T> {
    let mut posterior = vec![T::nan(); x.nrows() * model.n_classes()];
    let answers = Answers { posterior: Some(&mut posterior), ..Answers::default() };
    score(model, &Rows::from(x.view()), rules, answers, Parallel::new(Some(1))).unwrap();
    posterior
}

fn expected_costs_are_averages_over_the_posteriors<T: Precision>() {
    let sample = Sample::new(200, 5, 4);
    let cost = some_costs(4);
    let rules = Rules { cost: Some(cost.view()), ..Rules::default() };
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(4)).unwrap();
        let posterior = posteriors::<T>(&model, &sample.x, &rules);
        let mut costs = vec![T::nan(); 200 * 5];
        let answers = Answers { cost: Some(&mut costs), ..Answers::default() };
        score(&model, &Rows::from(sample.x.view()), &rules, answers, Parallel::default()).unwrap();
        for (at, &expected) in costs.iter().enumerate() {
            let (row, decision) = (at / 5, at % 5);
            let average = (0..4).map(|class| cost[(class, decision)] * posterior[row * 4 + class].into());
            assert!(close(expected, average.sum()));
        }
    }
}

fn labels_cost_least_and_doubtful_rows_are_rejected<T: Precision>() {
    let (n, d, classes) = SIZE;
    let sample = Sample::new(n, d, classes);
    let cost = some_costs(classes);
    let model = Kind::Quadratic.fit(&sample, &uneven(classes)).unwrap();
    let posterior = posteriors::<T>(&model, &sample.x, &Rules::default());
    let by_cost = Rules { cost: Some(cost.view()), by_cost: true, ..Rules::default() };
    let by_posterior = Rules { min_posterior: Some(0.6), ..Rules::default() };
    let both = Rules { min_posterior: Some(0.6), ..by_cost };
    for rules in [by_cost, by_posterior, both] {
        let labels = labels::<T>(&model, &sample.x, &rules);
        assert!(labels.contains(&(classes as u32)), "some rows are rejected");
        for (&label, posterior) in labels.iter().zip(posterior.chunks(classes)) {
            let posterior = |class: usize| Into::<f64>::into(posterior[class]);
            let loss = |decision: usize| match rules.by_cost {
                true => (0..classes).map(|class| cost[(class, decision)] * posterior(class)).sum(),
                false => 1.0 - posterior(decision),
            };
            let decisions = if rules.by_cost { classes + 1 } else { classes };
            let cheapest = (0..decisions).map(loss).fold(f64::INFINITY, f64::min);
            let near = 64.0 * Into::<f64>::into(T::epsilon());
            match label as usize {
                rejected if rejected == classes => {
                    let doubtful =
                        |class: usize| posterior(class) < 0.6 + near && loss(class) <= cheapest + near;
                    let dear = rules.by_cost && loss(classes) <= cheapest + near;
                    assert!(dear || (rules.min_posterior.is_some() && (0..classes).any(doubtful)));
                }
                class => {
                    assert!(loss(class) <= cheapest + near);
                    assert!(rules.min_posterior.is_none() || posterior(class) >= 0.6 - near);
                }
            }
        }
    }
}

fn the_best_classes_come_in_the_order_of_their_posteriors<T: Precision>() {
    let sample = Sample::new(130, 3, 6);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(6)).unwrap();
        let posterior = posteriors::<T>(&model, &sample.x, &Rules::default());
        let (mut classes, mut best) = (vec![u32::MAX; 130 * 4], vec![T::nan(); 130 * 4]);
        let answers = Answers {
            best: Some(Best { count: 4, classes: &mut classes, posterior: &mut best }),
            ..Answers::default()
        };
        let rows = Rows::from(sample.x.view());
        score(&model, &rows, &Rules::default(), answers, Parallel::default()).unwrap();
        assert!(best.chunks(4).all(|best| best.windows(2).all(|pair| pair[0] >= pair[1])));
        for (at, (&class, &best)) in classes.iter().zip(&best).enumerate() {
            assert_eq!(best, posterior[at / 4 * 6 + class as usize]);
        }
        let rest = posterior.chunks(6).zip(classes.chunks(4).zip(best.chunks(4)));
        for (posterior, (classes, best)) in rest {
            let others = (0..6_u32).filter(|class| !classes.contains(class));
            assert!(others.into_iter().all(|class| posterior[class as usize] <= best[3]));
        }
    }
}

fn priors_of_each_row_are_those_of_a_pass_of_its_own<T: Precision>() {
    let sample = Sample::new(70, 4, 3);
    let each = Array2::from_shape_fn((70, 3), |(row, class)| uneven(3)[(class + row) % 3]);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &[0.2, 0.3, 0.5]).unwrap();
        let rules = Rules { priors: Some(Priors::Each(each.view())), ..Rules::default() };
        let together = posteriors::<T>(&model, &sample.x, &rules);
        for (row, together) in together.chunks(3).enumerate() {
            let own = each.row(row).to_vec();
            let rules = Rules { priors: Some(Priors::Common(&own)), ..Rules::default() };
            let x = sample.x.select(ndarray::Axis(0), &[row]);
            for (&one, &other) in together.iter().zip(&posteriors::<T>(&model, &x, &rules)) {
                assert!(close(one, other.into()));
            }
        }
    }
}

fn costs_in_any_unit_lead_to_the_same_labels<T: Precision>() {
    let sample = Sample::new(200, 5, 4);
    for cost in [some_costs(4), -some_costs(4)] {
        for kind in Kind::ALL {
            let model = kind.fit(&sample, &uneven(4)).unwrap();
            let labels_by = |unit: f64| {
                let cost = cost.mapv(|cost| cost * unit);
                let rules = Rules { cost: Some(cost.view()), by_cost: true, ..Rules::default() };
                labels::<T>(&model, &sample.x, &rules)
            };
            let expected = labels_by(1.0);
            for unit in [-20, -149, -500, -1000].map(|power| 2.0_f64.powi(power)) {
                assert_eq!(labels_by(unit), expected);
            }
        }
    }
}

fn costs_of_nothing_are_0_without_a_sign<T: Precision>() {
    let sample = Sample::new(30, 2, 3);
    let model = Kind::Naive.fit(&sample, &uneven(3)).unwrap();
    let cost = Array2::zeros((3, 3));
    let rules = Rules { cost: Some(cost.view()), ..Rules::default() };
    let mut costs = vec![T::nan(); 30 * 3];
    let answers = Answers { cost: Some(&mut costs), ..Answers::default() };
    score(&model, &Rows::from(sample.x.view()), &rules, answers, Parallel::default()).unwrap();
    assert!(costs.iter().all(|&cost| Into::<f64>::into(cost).to_bits() == 0));
}

fn refusal(rules: &Rules<'_>) -> Error {
    let mut label = vec![0; 30];
    refusal_of(rules, Answers::<f64> { label: Some(&mut label), ..Answers::default() })
}

fn refusal_of<T: Precision>(rules: &Rules<'_>, answers: Answers<'_, T>) -> Error {
    let sample = Sample::new(30, 2, 3);
    let model = Kind::Naive.fit(&sample, &uneven(3)).unwrap();
    let answer: Result<()> = score(&model, &Rows::from(sample.x.view()), rules, answers, Parallel::default());
    answer.unwrap_err()
}

#[test]
fn costs_that_are_too_large_for_the_answers_are_refused() {
    let mut cost = some_costs(3);
    cost[(2, 0)] = 1e39;
    let rules = Rules { cost: Some(cost.view()), by_cost: true, ..Rules::default() };
    let mut label = vec![0; 30];
    let answers = Answers::<f32> { label: Some(&mut label), ..Answers::default() };
    assert_eq!(
        refusal_of(&rules, answers),
        Error::Input(InputError::Cost { truth: 2, decision: 0, value: 1e39 })
    );
}

#[test]
fn priors_of_rows_are_refused_where_no_answer_needs_them() {
    let priors = Array2::from_elem((30, 3), 0.5);
    let rules = Rules { priors: Some(Priors::Each(priors.view())), ..Rules::default() };
    let mut mahalanobis = vec![0.0; 90];
    let answers = Answers::<f64> { mahalanobis: Some(&mut mahalanobis), ..Answers::default() };
    assert_eq!(refusal_of(&rules, answers), Error::Input(InputError::PriorSum { row: Some(0), sum: 1.5 }));
}

#[test]
fn rules_that_cannot_be_are_refused() {
    let mut cost = some_costs(3);
    cost[(1, 2)] = f64::INFINITY;
    let rules = Rules { cost: Some(cost.view()), by_cost: true, ..Rules::default() };
    assert_eq!(
        refusal(&rules),
        Error::Input(InputError::Cost { truth: 1, decision: 2, value: f64::INFINITY })
    );
    for classes in [2, 4] {
        let cost = some_costs(classes);
        assert!(matches!(
            refusal(&Rules { cost: Some(cost.view()), ..Rules::default() }),
            Error::Shape(ShapeError::Size { .. })
        ));
    }
    let rules = Rules { min_posterior: Some(1.5), ..Rules::default() };
    assert_eq!(refusal(&rules), Error::Input(InputError::Threshold { what: "posterior", value: 1.5 }));
    let rules = Rules { min_typicality: Some(-0.5), ..Rules::default() };
    assert_eq!(refusal(&rules), Error::Input(InputError::Threshold { what: "typicality", value: -0.5 }));
}

#[test]
fn priors_that_cannot_be_are_refused() {
    let common =
        |priors: &[f64]| refusal(&Rules { priors: Some(Priors::Common(priors)), ..Rules::default() });
    assert!(matches!(common(&[0.5, 0.5]), Error::Shape(ShapeError::Size { .. })));
    assert_eq!(common(&[0.5, 0.25, 0.5]), Error::Input(InputError::PriorSum { row: None, sum: 1.25 }));
    assert_eq!(common(&[1.5, -0.5, 0.0]), Error::Input(InputError::Prior { class: 1, value: -0.5 }));
    let each = |change: (usize, usize), value: f64| {
        let mut priors = Array2::from_elem((30, 3), 0.25);
        priors.column_mut(0).fill(0.5);
        priors[change] = value;
        refusal(&Rules { priors: Some(Priors::Each(priors.view())), ..Rules::default() })
    };
    assert_eq!(each((7, 1), -1.0), Error::Input(InputError::RowPrior { row: 7, class: 1, value: -1.0 }));
    assert_eq!(each((29, 2), 0.5), Error::Input(InputError::PriorSum { row: Some(29), sum: 1.25 }));
}

in_both_precisions!(
    expected_costs_are_averages_over_the_posteriors,
    costs_in_any_unit_lead_to_the_same_labels,
    costs_of_nothing_are_0_without_a_sign,
    labels_cost_least_and_doubtful_rows_are_rejected,
    the_best_classes_come_in_the_order_of_their_posteriors,
    priors_of_each_row_are_those_of_a_pass_of_its_own,
);
