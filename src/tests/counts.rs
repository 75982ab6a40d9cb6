//! Discrete and mixed columns, rows with gaps, and labels: sizes and entries that do not fit.

use ndarray::{Array2, array};
use proptest::prelude::*;

use super::chaos::Chaos;
use crate::core::{Answers, Best, Error, Parallel, Priors, Result, Rows, Rules, Structure};
use crate::discrete::{
    AffineModel, ColumnModel, Feature, Labeled, Sparse, count_levels, count_presence, count_sparse_presence,
    sum_numbers,
};
use crate::error::{InputError, ShapeError};
use crate::labels::{Text, Whole, encode};
use crate::missing::{Em, estimate};

/// Small whole numbers, now and then any.
fn levels(chaos: &mut Chaos, rows: usize, columns: usize) -> Array2<f64> {
    let size = (chaos.near(rows), chaos.near(columns));
    Array2::from_shape_fn(size, |_| match chaos.below(30) {
        0 => chaos.number(),
        _ => chaos.near(1) as f64,
    })
}

fn log_priors(chaos: &mut Chaos, classes: usize) -> Vec<f64> {
    chaos.positives(classes).into_iter().map(f64::ln).collect()
}

/// Asks for anything under any rules; answers are numbers.
fn assert_answers(
    n: usize,
    classes: usize,
    chaos: &mut Chaos,
    ask: impl Fn(&Rules<'_>, Answers<'_, f64>) -> Result<()>,
) {
    let mut priors: Vec<f64> = (0..chaos.near(classes)).map(|_| chaos.share()).collect();
    priors.iter_mut().step_by(2).for_each(|prior| *prior *= f64::from(u8::from(chaos.flip())));
    let total: f64 = priors.iter().sum();
    priors.iter_mut().for_each(|prior| *prior /= total);
    let each = Array2::from_shape_fn((chaos.near(n), priors.len()), |(_, class)| priors[class]);
    let size = (classes, chaos.near(classes + 1));
    let cost = chaos.matrix(size);
    let rules = Rules {
        priors: match chaos.below(3) {
            0 => None,
            1 => Some(Priors::Common(&priors)),
            _ => Some(Priors::Each(each.view())),
        },
        cost: chaos.flip().then_some(cost.view()),
        by_cost: chaos.flip(),
        min_posterior: chaos.flip().then(|| chaos.share()),
        ..Rules::default()
    };
    let mut label = chaos.space(n, u32::MAX);
    if ask(&rules, Answers { label: Some(&mut label), ..Answers::default() }).is_ok() {
        assert!(label.iter().all(|&label| (label as usize) <= classes));
    }
    for (question, width) in [(0, classes), (1, classes), (2, classes), (3, 1), (4, cost.ncols()), (5, 1)] {
        let mut out: Vec<f64> = chaos.space(n * width, 0.0);
        let mut best = vec![0; out.len()];
        let mut answers = Answers::default();
        match question {
            0 => answers.posterior = Some(&mut out),
            1 => answers.log_posterior = Some(&mut out),
            2 => answers.joint = Some(&mut out),
            3 => answers.log_density = Some(&mut out),
            4 => answers.cost = Some(&mut out),
            _ => answers.best = Some(Best { count: 1, classes: &mut best, posterior: &mut out }),
        }
        let asked = ask(&rules, answers);
        assert!(asked.is_err() || out.iter().all(|value| !value.is_nan()), "{question}: {rules:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn entries_are_counted_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (n, d, classes) = (chaos.near(9), chaos.size(), chaos.size());
        let x = levels(&mut chaos, n, d);
        let (labels, weights) = (chaos.labels(n, classes), chaos.weights(n));
        let labeled = Labeled { labels: &labels, classes: chaos.near(classes), weights: weights.as_deref() };
        let (rows, parallel) = (Rows::from(x.view()), Parallel::new(Some(1)));
        // Columns of one entry, or of whatever there is.
        let columns = if chaos.below(4) == 0 { vec![rows; chaos.size()] } else { rows.columns() };
        if let Ok(counts) = count_levels(&columns, labeled, chaos.flip(), parallel) {
            prop_assert_eq!((counts.classes.len(), counts.columns.len()), (labeled.classes, columns.len()));
            prop_assert!(counts.columns.iter().flatten().all(|count| count.is_finite()));
        }
        if let Ok(sums) = sum_numbers(&columns, labeled, parallel) {
            prop_assert_eq!(sums.means.dim(), (labeled.classes, columns.len()));
            prop_assert!(sums.means.iter().chain(&sums.scatter).chain(&sums.weights).all(|sum| sum.is_finite()));
        }
        let threshold = chaos.flip().then(|| chaos.number());
        if let Ok((weights, counts)) = count_presence(&rows, threshold, labeled, parallel) {
            prop_assert_eq!(weights.len(), labeled.classes);
            prop_assert!(counts.iter().all(|count| count.is_finite()));
        }
    }

    #[test]
    fn sparse_rows_are_counted_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (n, d, classes, entries) = (chaos.size(), chaos.size(), chaos.size(), chaos.below(9));
        let x = levels(&mut chaos, entries, 1);
        let columns: Vec<i32> = (0..chaos.near(entries)).map(|_| chaos.near(0) as i32 - chaos.near(0) as i32).collect();
        let mut starts: Vec<i64> = (0..chaos.near(n)).map(|_| chaos.below(entries + 1) as i64).collect();
        starts.sort_unstable();
        starts.insert(0, chaos.near(0) as i64 - chaos.near(0) as i64);
        starts.push(chaos.near(entries) as i64 - chaos.near(0) as i64);
        let (labels, weights) = (chaos.labels(starts.len() - 1, classes), chaos.weights(n));
        let labeled = Labeled { labels: &labels, classes: chaos.near(classes), weights: weights.as_deref() };
        let Ok(rows) = Sparse::new(Rows::from(x.view()), &columns, &starts, d) else { return Ok(()) };
        let (parallel, threshold) = (Parallel::new(Some(1)), chaos.flip().then_some(0.0));
        if let Ok((_, counts)) = count_sparse_presence(&rows, threshold, labeled, parallel) {
            prop_assert!(counts.iter().all(|count| count.is_finite()));
        }
        let (prior, present) = (log_priors(&mut chaos, classes), chaos.matrix((classes, d)).mapv(|x| -x.abs()));
        let model = AffineModel::of_presence(prior, present.view(), present.view(), threshold);
        if let Ok(model) = model {
            let n = rows.n_rows();
            assert_answers(n, classes, &mut chaos, |rules, answers| {
                model.answer_sparse(&rows, rules, answers, parallel)
            });
        }
    }

    #[test]
    fn discrete_models_answer_or_refuse(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (n, d, classes, parallel) = (chaos.near(9), chaos.size(), chaos.size(), Parallel::new(Some(1)));
        let x = levels(&mut chaos, n, d);
        let rows = Rows::from(x.view());
        let mut feature = || -> Result<Feature> {
            match chaos.flip() {
                true => Ok(Feature::levels(chaos.matrix((classes, 3)).mapv(|log| -log.abs().min(9.0)).view())),
                false => Feature::normal(&chaos.numbers(classes), &chaos.positives(classes)),
            }
        };
        let features: Result<Vec<Feature>> = (0..d).map(|_| feature()).collect();
        let Ok(features) = features else { return Ok(()) };
        let prior = log_priors(&mut chaos, classes);
        let k = prior.len();
        if let Ok(model) = ColumnModel::new(prior, features, chaos.flip(), chaos.flip()) {
            let columns = if chaos.below(4) == 0 { vec![rows; d] } else { rows.columns() };
            assert_answers(x.nrows(), k, &mut chaos, |rules, answers| {
                model.answer(&columns, rules, answers, parallel)
            });
        }
        let (present, absent) = (chaos.matrix((classes, d)).mapv(|x| -x.abs()), chaos.matrix((classes, d)).mapv(|x| -x.abs()));
        let (prior, threshold) = (log_priors(&mut chaos, classes), chaos.flip().then_some(0.5));
        if let Ok(model) = AffineModel::of_presence(prior, present.view(), absent.view(), threshold) {
            assert_answers(x.nrows(), classes, &mut chaos, |rules, answers| {
                model.answer(&rows, rules, answers, parallel)
            });
        }
    }

    #[test]
    fn rows_with_gaps_have_moments_or_an_error(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (d, classes) = (chaos.size(), chaos.size());
        let n = chaos.near(10 * classes);
        let mut x = chaos.matrix((n, d));
        x.iter_mut().step_by(7).for_each(|entry| *entry = f64::NAN);
        let (labels, weights) = (chaos.labels(n, classes), chaos.weights(n));
        let em = Em { max_iter: chaos.near(20), tol: if chaos.flip() { 1e-6 } else { chaos.share() }, ..Em::default() };
        let (classes, parallel) = (chaos.near(classes), Parallel::new(Some(1)));
        for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
            let found = estimate(
                &Rows::from(x.view()), &labels, classes, weights.as_deref(), structure, em, parallel,
            );
            if let Ok(found) = found {
                prop_assert!(found.moments.means().iter().all(|mean| mean.is_finite()));
                prop_assert!(found.moments.scatter().iter().all(|entry| entry.is_finite()));
                prop_assert!(found.log_likelihood.iter().all(|value| !value.is_nan()));
            }
        }
    }

    #[test]
    fn labels_are_encoded_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let (n, parallel) = (chaos.near(9), Parallel::new(Some(1)));
        let numbers: Vec<f64> = (0..n).map(|_| chaos.number().round()).collect();
        let mut codes = chaos.space(n, 0);
        let fit = codes.len() == n;
        prop_assert_eq!(encode(&Whole(&numbers), &mut codes, parallel).is_ok(), fit);
        let whole: Vec<i64> = numbers.iter().map(|&number| number as i64).collect();
        prop_assert_eq!(encode(&whole.as_slice(), &mut codes, parallel).is_ok(), fit);
        let points: Vec<u32> = whole.iter().map(|&number| number as u32).collect();
        for width in 0..4 {
            let _ = encode(&Text { points: &points, width }, &mut codes, parallel);
        }
    }
}

#[test]
fn columns_must_have_one_entry_for_each_row() {
    let parallel = Parallel::new(Some(1));
    let labeled = Labeled { labels: &[0, 1], classes: 2, weights: None };
    for width in [0, 2] {
        let x = Array2::<f64>::zeros((2, width));
        let column = [Rows::from(x.view())];
        let refused = Error::Shape(ShapeError::Size {
            what: "entries of a column for each row",
            given: width,
            expected: 1,
        });
        assert_eq!(count_levels(&column, labeled, false, parallel), Err(refused.clone()));
        assert_eq!(sum_numbers(&column, labeled, parallel), Err(refused.clone()));
        let sparse = Sparse::new(Rows::from(x.view()), &[0, 0], &[0, 1, 2], 1);
        assert_eq!(sparse.err(), Some(refused.clone()));
        let feature = Feature::levels(array![[-0.5, -1.0], [-1.0, -0.5]].view());
        let model = ColumnModel::new(vec![-0.7; 2], vec![feature], false, false).unwrap();
        let mut label = [0; 2];
        let answers = Answers { label: Some(&mut label), ..Answers::default() };
        assert_eq!(model.answer(&column, &Rules::default(), answers, parallel), Err(refused));
    }
}

#[test]
fn log_priors_that_could_not_be_make_no_discrete_model() {
    let table = array![[-0.5, -1.0], [-1.0, -0.5]];
    let infinity = f64::INFINITY;
    for (bad, class) in [([0.0, f64::NAN], 1), ([infinity, 0.0], 0), ([-infinity, -infinity], 0)] {
        let columns = ColumnModel::new(bad.to_vec(), vec![Feature::levels(table.view())], false, false).err();
        let presence = AffineModel::of_presence(bad.to_vec(), table.view(), table.view(), None).err();
        for error in [columns, presence] {
            assert!(
                matches!(error, Some(Error::Input(InputError::Prior { class: named, .. })) if named == class),
                "{bad:?}: {error:?}"
            );
        }
    }
}
