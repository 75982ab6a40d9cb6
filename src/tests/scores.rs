//! Passes over rows with answers, rules and arrays that do not fit.

use ndarray::{Array2, array};
use proptest::prelude::*;

use super::chaos::Chaos;
use crate::core::{
    Answers, Best, Error, Missing, Model, Named, Names, Parallel, Priors, Rows, Rules, adapt_priors, project,
    sample_classes, sample_rows, score,
};
use crate::error::ShapeError;
use crate::missing::{impute, impute_draws};
use crate::oracle::{Kind, Precision, Sample};

fn model(chaos: &mut Chaos) -> Model {
    let (d, classes) = (1 + chaos.below(3), 2 + chaos.below(2));
    let priors = vec![1.0 / classes as f64; classes];
    chaos.pick(&Kind::ALL).fit(&Sample::new(20 * classes, d, classes), &priors).unwrap()
}

/// The place of what only labels have that are not rejected.
const LABEL_TYPICALITY: usize = 7;

/// Asks for anything at once; what is answered is a number unless rows with gaps answer nothing.
fn assert_scores<T: Precision>(model: &Model, chaos: &mut Chaos) {
    let (n, k) = (chaos.near(9), model.n_classes());
    let x = chaos.matrix((n, model.n_features()));
    let missing = chaos.pick(&[Missing::Raise, Missing::Marginalize, Missing::Propagate]);
    let (common, each) = (chaos.shares(k), Array2::from_elem((chaos.near(n), chaos.near(k)), 1.0 / k as f64));
    let decisions = k + chaos.below(2);
    let cost = chaos.matrix((k, decisions));
    let no_data = chaos.space(model.n_features(), 1.0);
    let rules = Rules {
        priors: chaos.pick(&[None, None, Some(Priors::Common(&common)), Some(Priors::Each(each.view()))]),
        cost: chaos.flip().then_some(cost.view()),
        by_cost: chaos.flip(),
        min_posterior: chaos.flip().then(|| chaos.share()),
        min_typicality: chaos.flip().then(|| chaos.share()),
        missing,
        no_data: chaos.flip().then_some(&no_data),
    };
    let mut scores: [Vec<T>; 11] = std::array::from_fn(|_| vec![]);
    let count = chaos.near(1);
    for (scores, width) in
        scores.iter_mut().zip([k, k, k, 1, k, k, 1, 1, cost.ncols(), count, if k == 2 { 1 } else { k }])
    {
        *scores = chaos.space(n * width, T::zero());
    }
    let (mut label, mut name) = (chaos.space(n, 0_u32), chaos.space(n, 0_u8));
    let (names, mut best) = (chaos.space(k + 1, b'x'), chaos.space(n * count, 0_u32));
    let [
        posterior,
        log_posterior,
        joint,
        log_density,
        mahalanobis,
        typicality,
        min_mahalanobis,
        label_typicality,
        cost,
        best_posterior,
        decision,
    ] = &mut scores;
    let answers = Answers {
        label: chaos.flip().then_some(&mut label[..]),
        name: chaos.flip().then_some(Names::One(Named { classes: &names, rows: &mut name })),
        posterior: chaos.flip().then_some(&mut posterior[..]),
        log_posterior: chaos.flip().then_some(&mut log_posterior[..]),
        joint: chaos.flip().then_some(&mut joint[..]),
        log_density: chaos.flip().then_some(&mut log_density[..]),
        mahalanobis: chaos.flip().then_some(&mut mahalanobis[..]),
        typicality: chaos.flip().then_some(&mut typicality[..]),
        min_mahalanobis: chaos.flip().then_some(&mut min_mahalanobis[..]),
        label_typicality: chaos.flip().then_some(&mut label_typicality[..]),
        cost: chaos.flip().then_some(&mut cost[..]),
        best: chaos.flip().then_some(Best { count, classes: &mut best, posterior: best_posterior }),
        decision: chaos.flip().then_some(&mut decision[..]),
    };
    let scored = score(model, &Rows::from(x.view()), &rules, answers, Parallel::new(Some(1)));
    if scored.is_ok() && missing != Missing::Propagate && rules.no_data.is_none() {
        let may_reject = rules.min_posterior.is_some() || rules.min_typicality.is_some() || decisions > k;
        for (place, scores) in scores.iter().enumerate() {
            let of_rejected = place == LABEL_TYPICALITY && may_reject;
            assert!(of_rejected || scores.iter().all(|score| !score.is_nan()));
        }
        assert!(label.iter().chain(&best).all(|&label| label as usize <= k));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn rows_are_scored_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let model = model(&mut chaos);
        assert_scores::<f64>(&model, &mut chaos);
        assert_scores::<f32>(&model, &mut chaos);
    }

    #[test]
    fn rows_are_projected_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (n, d, width) = (chaos.size(), chaos.size(), chaos.size());
        let (x, axes, center) = (chaos.matrix((n, d)), chaos.matrix((d, width)), chaos.numbers(d));
        let mut out = chaos.space(n * width, 0.0_f64);
        if project(axes.view(), &center, &Rows::from(x.view()), &mut out, Parallel::new(Some(1))).is_ok() {
            prop_assert!(out.iter().all(|value| value.is_finite()));
        }
        let mut out = chaos.space(n * width, 0.0_f32);
        if project(axes.view(), &center, &Rows::from(x.view()), &mut out, Parallel::new(Some(1))).is_ok() {
            prop_assert!(out.iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn priors_are_adapted_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (n, k) = (chaos.size(), chaos.size());
        let (posterior, priors) = (chaos.shares(n * k), chaos.positives(k));
        let (tol, rounds) = (chaos.share(), chaos.near(20));
        if let Ok(adapted) = adapt_priors(&posterior, &priors, tol, rounds, Parallel::new(Some(1))) {
            prop_assert!(adapted.priors.iter().all(|prior| prior.is_finite() && *prior >= 0.0), "{adapted:?}");
            prop_assert_eq!(adapted.priors.len(), priors.len());
        }
    }

    #[test]
    fn draws_and_imputations_fit_or_are_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (model, parallel) = (model(&mut chaos), Parallel::new(Some(1)));
        let (n, d, k) = (chaos.size(), model.n_features(), model.n_classes());
        let mut classes = chaos.labels(n, k);
        let mut out = chaos.space(n * d, 0.0);
        let fit = out.len() == classes.len() * d && classes.iter().all(|&class| (class as usize) < k);
        prop_assert_eq!(sample_rows(&model, &classes, &mut out, seed, parallel).is_ok(), fit);
        let mut x = chaos.matrix((n, d));
        x.iter_mut().step_by(3).for_each(|entry| *entry = f64::NAN);
        let (rows, given) = (Rows::from(x.view()), chaos.flip().then_some(&classes[..]));
        let (mut values, mut deviations) = (chaos.space(n * d, 0.0_f64), chaos.space(n * d, 0.0));
        if impute(&model, &rows, given, &mut values, Some(&mut deviations), parallel).is_ok() {
            prop_assert!(values.iter().chain(&deviations).all(|value| value.is_finite()));
        }
        let copies = chaos.near(2);
        let mut values = chaos.space(n * d * copies, 0.0_f32);
        if impute_draws(&model, &rows, given, &mut values, copies, seed, parallel).is_ok() {
            prop_assert!(values.iter().all(|value| !value.is_nan()));
        }
        prop_assert_eq!(sample_classes(&model, &mut classes, seed, parallel), Ok(()));
    }
}

/// Rows that repeat one without memory may be more than any array holds.
#[test]
fn more_answers_than_can_be_counted_fit_no_array() {
    let model = Kind::Naive.fit(&Sample::new(60, 1, 4), &[0.25; 4]).unwrap();
    let x = array![[1.0]];
    let rows = Rows::from(x.broadcast((1 << 62, 1)).unwrap());
    let answers = Answers { posterior: Some(&mut [][..]), ..Answers::<f64>::default() };
    let error = score(&model, &rows, &Rules::default(), answers, Parallel::default()).unwrap_err();
    assert!(matches!(error, Error::Shape(ShapeError::Size { what: "posterior", .. })));
    let axes = x.broadcast((1, 4)).unwrap();
    assert!(project::<f64>(axes, &[0.0], &rows, &mut [], Parallel::default()).is_err());
    let draws = impute_draws::<f64>(&model, &rows, None, &mut [], 4, 0, Parallel::default());
    assert!(matches!(draws, Err(Error::Shape(ShapeError::Size { .. }))));
    // Without rows, axes are only looked at.
    let wide = x.broadcast((1, 1 << 60)).unwrap();
    let nothing = Array2::<f64>::zeros((0, 1));
    assert_eq!(
        project::<f64>(wide, &[0.0], &Rows::from(nothing.view()), &mut [], Parallel::default()),
        Ok(())
    );
}
