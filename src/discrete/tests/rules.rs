//! Priors, costs, rejection and the best classes of discrete models, against sums written out.

use ndarray::{Array2, array};

use super::*;
use crate::core::{Answers, Best, Missing, Priors};
use crate::error::{InputError, ScoresError};

/// Probabilities of three levels in each of three classes; the last class never has level 0.
const LEVELS: [[f64; 3]; CLASSES] = [[0.2, 0.5, 0.3], [0.7, 0.1, 0.2], [0.0, 0.6, 0.4]];

const PRIORS: [f64; CLASSES] = [0.5, 0.3, 0.2];

fn logs(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value.ln()).collect()
}

fn model(may_miss: bool) -> ColumnModel {
    let table = Array2::from_shape_fn((CLASSES, 3), |(class, level)| LEVELS[class][level].ln());
    ColumnModel::new(logs(&PRIORS), vec![Feature::levels(table.view())], may_miss, false).unwrap()
}

/// Rows of each level.
fn levels() -> Array2<u8> {
    array![[0], [1], [2]]
}

/// p(k | level), as Bayes has it.
fn posterior(level: usize, priors: &[f64]) -> [f64; CLASSES] {
    let joint: [f64; CLASSES] = std::array::from_fn(|class| LEVELS[class][level] * priors[class]);
    joint.map(|p| p / joint.iter().sum::<f64>())
}

fn ask(model: &ColumnModel, x: &Array2<u8>, rules: &Rules<'_>, answers: Answers<'_, f64>) -> Result<()> {
    model.answer(&Rows::from(x.view()).columns(), rules, answers, Parallel::default())
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-14 * b.abs();
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{found:?} is not {expected:?}"
    );
}

#[test]
fn priors_of_a_call_take_the_place_of_the_models() {
    let (x, mut found) = (levels(), [0.0; 9]);
    for priors in [[0.1, 0.2, 0.7], [0.0, 0.4, 0.6], [1.0, 0.0, 0.0]] {
        let expected: Vec<f64> = (0..3).flat_map(|level| posterior(level, &priors)).collect();
        let rules = Rules { priors: Some(Priors::Common(&priors)), ..Rules::default() };
        let answers = Answers { posterior: Some(&mut found), ..Answers::default() };
        ask(&model(false), &x, &rules, answers).unwrap();
        assert_near(&found, &expected);
        let answers = Answers { posterior: Some(&mut found), ..Answers::default() };
        ask(&model(false).with_log_prior(logs(&priors)).unwrap(), &x, &Rules::default(), answers).unwrap();
        assert_near(&found, &expected);
    }
}

#[test]
fn each_row_may_have_priors_of_its_own() {
    let (x, mut found, mut joint, mut density) = (levels(), [0.0; 9], [0.0; 9], [0.0; 3]);
    let priors = array![[0.1, 0.2, 0.7], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]];
    let rules = Rules { priors: Some(Priors::Each(priors.view())), ..Rules::default() };
    let answers = Answers {
        posterior: Some(&mut found),
        joint: Some(&mut joint),
        log_density: Some(&mut density),
        ..Answers::default()
    };
    ask(&model(false), &x, &rules, answers).unwrap();
    let row = |level: usize| priors.row(level).to_vec();
    let expected: Vec<f64> = (0..3).flat_map(|level| posterior(level, &row(level))).collect();
    assert_near(&found, &expected);
    let products = |level: usize| (0..CLASSES).map(move |class| (level, class));
    let products: Vec<f64> = (0..3)
        .flat_map(products)
        .map(|(level, class)| LEVELS[class][level] * priors[(level, class)])
        .collect();
    assert_near(&joint.map(f64::exp), &products);
    let sums: Vec<f64> = products.chunks(CLASSES).map(|row| row.iter().sum()).collect();
    assert_near(&density.map(f64::exp), &sums);
}

#[test]
fn a_row_that_priors_make_impossible_has_densities_only() {
    let (x, priors) = (levels(), [0.0, 0.0, 1.0]);
    let rules = Rules { priors: Some(Priors::Common(&priors)), ..Rules::default() };
    let (mut joint, mut density, mut label) = ([0.0; 9], [0.0; 3], [0; 3]);
    let answers = Answers { joint: Some(&mut joint), log_density: Some(&mut density), ..Answers::default() };
    ask(&model(false), &x, &rules, answers).unwrap();
    assert_eq!((joint[..3].to_vec(), density[0]), (vec![f64::NEG_INFINITY; 3], f64::NEG_INFINITY));
    assert_near(&[density[1].exp(), density[2].exp()], &[0.6, 0.4]);
    let refused = ask(&model(false), &x, &rules, label_in(&mut label));
    assert_eq!(refused, Err(Error::Scores(ScoresError::Impossible { row: 0 })));
    let answers = Answers { joint: Some(&mut joint), label: Some(&mut label), ..Answers::default() };
    assert_eq!(
        ask(&model(false), &x, &rules, answers),
        Err(Error::Scores(ScoresError::Impossible { row: 0 }))
    );
}

#[test]
fn labels_follow_from_costs_and_thresholds() {
    let (x, mut label, mut found) = (levels(), [9; 3], [0.0; 12]);
    let cost = array![[0.0, 1.0, 9.0, 0.6], [2.0, 0.0, 1.0, 0.6], [1.0, 5.0, 0.0, 0.6]];
    let rules = Rules { cost: Some(cost.view()), by_cost: true, ..Rules::default() };
    let answers = Answers { label: Some(&mut label), cost: Some(&mut found), ..Answers::default() };
    ask(&model(false), &x, &rules, answers).unwrap();
    let expected = |level: usize, decision: usize| -> f64 {
        posterior(level, &PRIORS).iter().zip(cost.column(decision)).map(|(p, cost)| p * cost).sum()
    };
    let costs: Vec<f64> =
        (0..3).flat_map(|level| (0..4).map(move |decision| expected(level, decision))).collect();
    assert_near(&found, &costs);
    let cheapest = |costs: &[f64]| (0..4).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap() as u32;
    assert_eq!(label.to_vec(), costs.chunks(4).map(cheapest).collect::<Vec<_>>());
    // The largest posteriors are 0.68, 0.625 and 0.52.
    for (threshold, expected) in [(0.5, [1, 0, 0]), (0.6, [1, 0, 3]), (0.65, [1, 3, 3]), (0.7, [3, 3, 3])] {
        let rules = Rules { min_posterior: Some(threshold), ..Rules::default() };
        ask(&model(false), &x, &rules, label_in(&mut label)).unwrap();
        assert_eq!(label, expected, "{threshold}");
    }
}

#[test]
fn the_best_classes_come_in_the_order_of_their_posteriors() {
    let (x, mut classes, mut found) = (levels(), [9; 6], [0.0; 6]);
    let best = Best { count: 2, classes: &mut classes, posterior: &mut found };
    ask(&model(false), &x, &Rules::default(), Answers { best: Some(best), ..Answers::default() }).unwrap();
    assert_eq!(classes, [1, 0, 0, 2, 0, 2]);
    let expected: Vec<f64> =
        classes.iter().enumerate().map(|(at, &class)| posterior(at / 2, &PRIORS)[class as usize]).collect();
    assert_near(&found, &expected);
}

#[test]
fn what_takes_distances_is_refused() {
    let (x, model) = (levels(), model(false));
    let refused = |rules: Rules<'_>, answers: Answers<'_, f64>| {
        matches!(ask(&model, &x, &rules, answers), Err(Error::Scores(ScoresError::NoDistance { .. })))
    };
    let (mut out, mut label) = ([0.0; 9], [0; 3]);
    assert!(refused(Rules::default(), Answers { mahalanobis: Some(&mut out), ..Answers::default() }));
    assert!(refused(Rules::default(), Answers { typicality: Some(&mut out), ..Answers::default() }));
    assert!(refused(Rules::default(), Answers { decision: Some(&mut out), ..Answers::default() }));
    assert!(refused(Rules { min_typicality: Some(0.1), ..Rules::default() }, label_in(&mut label)));
}

#[test]
fn missing_levels_are_refused_left_out_or_make_answers_missing() {
    let x = array![[1.0], [f64::NAN], [0.0]];
    let ask = |may_miss: bool, missing: Missing| {
        let (mut found, mut label) = ([0.0; 9], [9; 3]);
        let answers = Answers { posterior: Some(&mut found), label: Some(&mut label), ..Answers::default() };
        let (rules, columns) = (Rules { missing, ..Rules::default() }, Rows::from(x.view()).columns());
        model(may_miss).answer(&columns, &rules, answers, Parallel::default()).map(|()| (found, label))
    };
    assert!(matches!(
        ask(false, Missing::Raise),
        Err(Error::Input(InputError::NonFinite { row: 1, column: 0, .. }))
    ));
    for (may_miss, missing) in [(true, Missing::Raise), (false, Missing::Marginalize)] {
        let (found, label) = ask(may_miss, missing).unwrap();
        let expected = [posterior(1, &PRIORS), PRIORS, posterior(0, &PRIORS)].concat();
        assert_near(&found, &expected);
        assert_eq!(label, [0, 0, 1]);
    }
    let (found, label) = ask(true, Missing::Propagate).unwrap();
    assert!(found[3..6].iter().all(|p| p.is_nan()));
    assert_near(
        &[&found[..3], &found[6..]].concat(),
        &[posterior(1, &PRIORS), posterior(0, &PRIORS)].concat(),
    );
    assert_eq!(label, [0, 3, 1]);
}

#[test]
fn log_priors_of_another_number_of_classes_are_refused() {
    assert!(model(false).with_log_prior(vec![0.0; 2]).is_err());
    assert!(some_presences(None).with_log_prior(vec![0.0; 4]).is_err());
    assert!(some_presences(None).with_log_prior(vec![f64::NAN, 0.0, 0.0]).is_err());
}
