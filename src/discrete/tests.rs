//! Counts and models against loops and products written out.

use ndarray::{Array2, array};

use super::*;
use crate::core::{Answers, Error, Parallel, Result, Rows, Rules};
use crate::error::{InputError, ScoresError};
use crate::oracle::{Noise, in_every_layout};

mod amounts;
mod draws;
mod rules;
mod sparse;

const CLASSES: usize = 3;

/// Asks for joint probabilities alone.
fn joint_in(joint: &mut [f64]) -> Answers<'_, f64> {
    Answers { joint: Some(joint), ..Answers::default() }
}

/// Asks for labels alone.
fn label_in(label: &mut [u32]) -> Answers<'_, f64> {
    Answers { label: Some(label), ..Answers::default() }
}

/// Rows of levels below 4, their classes, and weights whose sums are exact.
struct Table {
    x: Array2<f64>,
    labels: Vec<u32>,
    weights: Vec<f64>,
}

impl Table {
    fn new(rows: usize, columns: usize) -> Self {
        let mut noise = Noise(5);
        Self {
            x: Array2::from_shape_fn((rows, columns), |_| noise.below(4) as f64),
            labels: (0..rows).map(|_| noise.below(CLASSES) as u32).collect(),
            weights: (0..rows).map(|_| noise.below(9) as f64 / 4.0).collect(),
        }
    }

    fn labeled(&self, weighted: bool) -> Labeled<'_> {
        Labeled { labels: &self.labels, classes: CLASSES, weights: weighted.then_some(&self.weights[..]) }
    }

    /// The weight of the rows of a class that satisfy a condition.
    fn sum(&self, weighted: bool, class: usize, condition: impl Fn(usize) -> bool) -> f64 {
        let rows = (0..self.labels.len()).filter(|&row| self.labels[row] as usize == class && condition(row));
        rows.map(|row| if weighted { self.weights[row] } else { 1.0 }).sum()
    }
}

#[test]
fn levels_are_counted_as_by_a_loop() {
    let table = Table::new(5000, 7);
    for weighted in [false, true] {
        in_every_layout(&table.x, 0.0, |layout, view| {
            let columns = Rows::from(view).columns();
            let counts = count_levels(&columns, table.labeled(weighted), false, Parallel::default()).unwrap();
            for (j, column) in counts.columns.iter().enumerate() {
                let expected = Array2::from_shape_fn((CLASSES, 4), |(class, level)| {
                    table.sum(weighted, class, |row| table.x[(row, j)] == level as f64)
                });
                assert_eq!(column, expected, "column {j} in {layout}");
            }
        });
    }
}

#[test]
fn a_level_whose_counts_would_take_all_memory_is_refused() {
    let x = array![[0_u32, 1], [3, 1 << 30]];
    let labeled = Labeled { labels: &[0, 1], classes: 2, weights: None };
    let counts = count_levels(&Rows::from(x.view()).columns(), labeled, false, Parallel::default());
    assert_eq!(
        counts,
        Err(Error::Input(InputError::NoLevel { row: 1, column: 1, value: f64::from(1 << 30) }))
    );
}

#[test]
fn presence_is_counted_as_by_a_loop() {
    let table = Table::new(1000, 11);
    for weighted in [false, true] {
        in_every_layout(&table.x, 0.0, |layout, view| {
            let labeled = table.labeled(weighted);
            let counted = count_presence(&Rows::from(view), Some(1.5), labeled, Parallel::default());
            let expected = Array2::from_shape_fn((CLASSES, 11), |(class, j)| {
                table.sum(weighted, class, |row| table.x[(row, j)] > 1.5)
            });
            assert_eq!(counted.unwrap().1, expected, "{layout}");
        });
    }
}

/// Compressed sparse rows of a table.
fn compressed(x: &Array2<f64>) -> (Array2<f64>, Vec<i32>, Vec<i64>) {
    let (mut entries, mut columns, mut starts) = (vec![], vec![], vec![0]);
    for row in x.rows() {
        let present = row.into_iter().enumerate().filter(|(_, value)| **value != 0.0);
        present.for_each(|(column, value)| {
            entries.push(*value);
            columns.push(column as i32);
        });
        starts.push(entries.len() as i64);
    }
    (Array2::from_shape_vec((entries.len(), 1), entries).unwrap(), columns, starts)
}

/// A model of five columns, one of which is always, and one never there in a class.
fn some_presences(threshold: Option<f64>) -> AffineModel {
    let present = array![[0.2, 0.9, 0.5, 1.0, 0.3], [0.6, 0.1, 0.0, 0.4, 0.8], [0.7, 0.7, 0.2, 0.1, 0.5]];
    let absent = present.mapv(|p: f64| (1.0 - p).ln());
    let prior = vec![0.5_f64.ln(), 0.3_f64.ln(), 0.2_f64.ln()];
    AffineModel::of_presence(prior, present.mapv(f64::ln).view(), absent.view(), threshold).unwrap()
}

#[test]
fn joint_probabilities_of_presence_are_products() {
    let model = some_presences(Some(0.5));
    let x = array![[1.0, 0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0, 1.0]];
    let mut joint = [0.0; 9];
    model
        .answer(&Rows::from(x.view()), &Rules::default(), joint_in(&mut joint), Parallel::default())
        .unwrap();
    let expected = [
        0.5 * 0.2 * 0.1 * 0.5 * 1.0 * 0.7,
        0.0,
        0.2 * 0.7 * 0.3 * 0.2 * 0.1 * 0.5,
        0.0,
        0.3 * 0.4 * 0.9 * 1.0 * 0.6 * 0.2,
        0.2 * 0.3 * 0.3 * 0.8 * 0.9 * 0.5,
        0.5 * 0.2 * 0.9 * 0.5 * 1.0 * 0.3,
        0.3 * 0.6 * 0.1 * 1.0 * 0.4 * 0.8,
        0.2 * 0.7 * 0.7 * 0.8 * 0.1 * 0.5,
    ];
    assert!(joint.iter().zip(expected).all(|(log, p)| (log.exp() - p).abs() < 1e-15), "{joint:?}");
}

/// A model of one column of three levels and one of numbers.
fn mixed(may_miss: bool, ignores_unknown: bool) -> ColumnModel {
    let levels = Feature::levels(array![[0.2, 0.5, 0.3], [0.7, 0.1, 0.2]].mapv(f64::ln).view());
    let numbers = Feature::normal(&[0.0, 1.0], &[1.0, 4.0]).unwrap();
    let prior = vec![0.25_f64.ln(), 0.75_f64.ln()];
    ColumnModel::new(prior, vec![levels, numbers], may_miss, ignores_unknown).unwrap()
}

fn joint(model: &ColumnModel, x: &Array2<f64>) -> Result<Vec<f64>> {
    let mut joint = vec![0.0; x.nrows() * 2];
    model.answer(
        &Rows::from(x.view()).columns(),
        &Rules::default(),
        joint_in(&mut joint),
        Parallel::default(),
    )?;
    Ok(joint.into_iter().map(f64::exp).collect())
}

fn density(x: f64, mean: f64, variance: f64) -> f64 {
    (-(x - mean) * (x - mean) / (2.0 * variance)).exp() / (std::f64::consts::TAU * variance).sqrt()
}

#[test]
fn joint_probabilities_of_mixed_columns_are_products() {
    let found = joint(&mixed(false, false), &array![[1.0, 0.5], [0.0, -2.0]]).unwrap();
    let expected = [
        0.25 * 0.5 * density(0.5, 0.0, 1.0),
        0.75 * 0.1 * density(0.5, 1.0, 4.0),
        0.25 * 0.2 * density(-2.0, 0.0, 1.0),
        0.75 * 0.7 * density(-2.0, 1.0, 4.0),
    ];
    assert!(found.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-14), "{found:?}");
}

#[test]
fn what_is_missing_or_ignored_says_nothing() {
    let x = array![[f64::NAN, f64::NAN], [9.0, f64::NAN]];
    let found = joint(&mixed(true, true), &x).unwrap();
    assert!(found.iter().zip([0.25, 0.75, 0.25, 0.75]).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
}

#[test]
fn entries_that_cannot_be_scored_are_named() {
    let place = |value| {
        let mut x = array![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        x[(1, 0)] = value;
        joint(&mixed(false, false), &x).unwrap_err()
    };
    assert_eq!(place(3.0), Error::Input(InputError::UnknownLevel { row: 1, column: 0, level: 3, levels: 3 }));
    assert_eq!(place(-1.0), Error::Input(InputError::NoLevel { row: 1, column: 0, value: -1.0 }));
    assert_eq!(place(0.5), Error::Input(InputError::NoLevel { row: 1, column: 0, value: 0.5 }));
    assert!(matches!(place(f64::NAN), Error::Input(InputError::NonFinite { row: 1, column: 0, .. })));
    let infinite = array![[0.0, f64::INFINITY]];
    let refused = joint(&mixed(true, true), &infinite).unwrap_err();
    assert_eq!(refused, Error::Input(InputError::NonFinite { row: 0, column: 1, value: f64::INFINITY }));
}

#[test]
fn a_row_that_is_impossible_is_named() {
    let mut labels = [0; 2];
    let levels = Feature::levels(array![[0.0, f64::NEG_INFINITY], [0.0, f64::NEG_INFINITY]].view());
    let model = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![levels], false, false).unwrap();
    let (x, rules) = (array![[0_u8], [1]], Rules::default());
    let columns = Rows::from(x.view()).columns();
    let refused = model.answer(&columns, &rules, label_in(&mut labels), Parallel::default());
    assert_eq!(refused, Err(Error::Scores(ScoresError::Impossible { row: 1 })));
}

#[test]
fn numbers_are_summed_up_without_what_is_missing() {
    let table = Table::new(4000, 2);
    let x = table.x.mapv(|x| if x == 3.0 { f64::NAN } else { x + 1e9 });
    let sums =
        sum_numbers(&Rows::from(x.view()).columns(), table.labeled(true), Parallel::default()).unwrap();
    for class in 0..CLASSES {
        for j in 0..2 {
            let weight = |level: f64| table.sum(true, class, |row| table.x[(row, j)] == level);
            let (zero, one, two) = (weight(0.0), weight(1.0), weight(2.0));
            let (all, mean) = (zero + one + two, (one + 2.0 * two) / (zero + one + two));
            let scatter = zero * mean * mean + one * (1.0 - mean).powi(2) + two * (2.0 - mean).powi(2);
            assert_eq!(sums.weights[(class, j)], all);
            assert!((sums.means[(class, j)] - 1e9 - mean).abs() < 2e-7);
            assert!((sums.scatter[(class, j)] / scatter - 1.0).abs() < 1e-13);
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let table = Table::new(200_000, 6);
    let weights: Vec<f64> = table.weights.iter().map(|weight| weight / 3.0).collect();
    let labeled = Labeled { weights: Some(&weights), ..table.labeled(false) };
    let rows = Rows::from(table.x.view());
    let counted = [1, 2, 5].map(|threads| {
        let parallel = Parallel::new(Some(threads));
        let levels = count_levels(&rows.columns(), labeled, false, parallel).unwrap();
        let sums = sum_numbers(&rows.columns(), labeled, parallel).unwrap();
        (levels, sums, count_presence(&rows, Some(0.0), labeled, parallel).unwrap())
    });
    assert_eq!(counted[0], counted[1]);
    assert_eq!(counted[0], counted[2]);
}

/// A model of the first `classes` of nine, of one column of levels and one of numbers.
fn model_of(classes: usize, of_levels: usize, of_numbers: usize) -> Result<ColumnModel> {
    let levels = Feature::levels(Array2::from_elem((of_levels, 3), (1.0_f64 / 3.0).ln()).view());
    let numbers = Feature::normal(&vec![0.0; of_numbers], &vec![1.0; of_numbers])?;
    ColumnModel::new(vec![0.0; classes], vec![levels, numbers], true, true)
}

#[test]
fn features_must_have_as_many_classes_as_priors_to_the_last_one() {
    for classes in 0..10 {
        for (levels, numbers) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))) {
            let fits = classes > 0 && levels == classes && numbers == classes;
            assert_eq!(model_of(classes, levels, numbers).is_ok(), fits, "{classes}, {levels}, {numbers}");
        }
    }
}

#[test]
fn a_threshold_that_is_nan_is_refused() {
    let (x, entries) = (array![[1.0, 0.0]], array![[1.0]]);
    let labeled = Labeled { labels: &[0], classes: 1, weights: None };
    let sparse = Sparse::new(Rows::from(entries.view()), &[0], &[0, 1], 2).unwrap();
    let none = || Some(f64::NAN);
    let is_refused = |error: Error| matches!(error, Error::Input(InputError::PresenceThreshold { value }) if value.is_nan());
    let dense = count_presence(&Rows::from(x.view()), none(), labeled, Parallel::default());
    assert!(is_refused(dense.unwrap_err()));
    let counted = count_sparse_presence(&sparse, none(), labeled, Parallel::default());
    assert!(is_refused(counted.unwrap_err()));
    let half = array![[0.5_f64.ln(); 2]];
    let model = AffineModel::of_presence(vec![0.0], half.view(), half.view(), none());
    assert!(is_refused(model.unwrap_err()));
}
