//! Rows without data get no answers, and leave those of the others as they are.

use ndarray::{Array2, Axis, s};

use super::uneven;
use crate::core::{Model, Parallel, Rows};
use crate::error::Error;
use crate::oracle::{Kind, Sample};
use crate::score::{Answers, Best, Missing, Rules, score};

const CLASSES: usize = 3;

#[derive(Debug, PartialEq)]
struct Answered {
    label: Vec<u32>,
    best: Vec<u32>,
    /// As bits, so that NaN is equal to itself.
    posterior: Vec<u64>,
    log_density: Vec<u64>,
}

fn ask(model: &Model, rows: &Rows<'_>, rules: &Rules<'_>) -> Result<Answered, Error> {
    let (n, bits) = (rows.n_rows(), |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect());
    let (mut label, mut best) = (vec![9; n], vec![9; n]);
    let (mut posterior, mut first, mut log_density) = (vec![9.0; n * CLASSES], vec![9.0; n], vec![9.0; n]);
    let answers = Answers {
        label: Some(&mut label),
        posterior: Some(&mut posterior),
        log_density: Some(&mut log_density),
        best: Some(Best { count: 1, classes: &mut best, posterior: &mut first }),
        ..Answers::default()
    };
    score(model, rows, rules, answers, Parallel::new(Some(1)))?;
    Ok(Answered { label, best, posterior: bits(posterior), log_density: bits(log_density) })
}

/// What is expected: the answers for all rows, with those of some taken away.
fn without(mut answered: Answered, empty: &[usize]) -> Answered {
    for &row in empty {
        (answered.label[row], answered.best[row]) = (CLASSES as u32, CLASSES as u32);
        answered.posterior[row * CLASSES..][..CLASSES].fill(f64::NAN.to_bits());
        answered.log_density[row] = f64::NAN.to_bits();
    }
    answered
}

fn rows_of(n: usize) -> Array2<f64> {
    Sample::by_chance(n, 4, CLASSES, false, 3).x
}

/// Scattered rows, whole stretches of them, all but a few, all.
fn places(n: usize) -> [Vec<usize>; 5] {
    [
        vec![],
        (0..n).step_by(7).collect(),
        (n / 3..n / 2).chain(n - 1..n).collect(),
        (0..n).filter(|row| row % 50 != 1).collect(),
        (0..n).collect(),
    ]
}

fn assert_left_out(no_data: [f64; 4], column: usize) {
    let sample = Sample::new(120, 4, CLASSES);
    let whole = rows_of(6000);
    for kind in Kind::ALL {
        let model = kind.fit(&sample, &uneven(CLASSES)).unwrap();
        let rules = Rules { no_data: Some(&no_data), ..Rules::default() };
        let mut x = whole.clone();
        for empty in places(x.nrows()) {
            x.assign(&whole);
            empty.iter().for_each(|&row| x[(row, column)] = no_data[column]);
            let all = ask(&model, &Rows::from(whole.view()), &Rules::default()).unwrap();
            let expected = without(all, &empty);
            let flipped = x.t().as_standard_layout().into_owned();
            for rows in [x.view(), flipped.t()] {
                assert!(ask(&model, &Rows::from(rows), &rules).unwrap() == expected, "{kind:?}");
            }
        }
    }
}

#[test]
fn a_row_is_empty_where_any_column_has_its_own_value() {
    assert_left_out([-9999.0, 1e5, 2.5e4, -1.0e6], 2);
}

#[test]
fn values_that_cannot_be_scored_are_left_out_too() {
    assert_left_out([f64::NAN; 4], 1);
    assert_left_out([f64::MIN; 4], 0);
    assert_left_out([f64::INFINITY; 4], 3);
}

#[test]
fn other_columns_may_hold_the_value_of_one() {
    let model = Kind::ALL[0].fit(&Sample::new(120, 4, CLASSES), &uneven(CLASSES)).unwrap();
    let mut x = rows_of(70);
    let no_data = [7.25, f64::NAN, f64::NAN, f64::NAN];
    (x[(3, 0)], x[(5, 1)]) = (7.25, 7.25);
    let rules = Rules { no_data: Some(&no_data), ..Rules::default() };
    let all = ask(&model, &Rows::from(x.view()), &Rules::default()).unwrap();
    assert_eq!(ask(&model, &Rows::from(x.view()), &rules).unwrap(), without(all, &[3]));
}

#[test]
fn integers_are_compared_as_such() {
    let model = Kind::ALL[0].fit(&Sample::new(120, 4, CLASSES), &uneven(CLASSES)).unwrap();
    let mut x = rows_of(300).mapv(|value| (4.0 * value).round() as i64);
    x[(8, 2)] = i64::MIN;
    let rules = |no_data| Rules { no_data: Some(no_data), ..Rules::default() };
    let found = ask(&model, &Rows::from(x.view()), &rules(&[i64::MIN as f64; 4])).unwrap();
    assert_eq!(found.label.iter().filter(|label| **label == 3).count(), 1);
    // No integer is one half, and none is NaN.
    let plain = x.select(Axis(0), &(0..300).filter(|row| *row != 8).collect::<Vec<_>>());
    let all = ask(&model, &Rows::from(plain.view()), &Rules::default()).unwrap();
    assert_eq!(ask(&model, &Rows::from(plain.view()), &rules(&[0.5, f64::NAN, 0.5, 1e300])).unwrap(), all);
}

#[test]
fn rows_with_data_are_refused_as_without_it() {
    let model = Kind::ALL[0].fit(&Sample::new(120, 4, CLASSES), &uneven(CLASSES)).unwrap();
    let mut x = rows_of(900);
    x.slice_mut(s![700..720, 0]).fill(-9999.0);
    x[(710, 1)] = f64::NAN;
    x[(730, 3)] = f64::INFINITY;
    let rules = Rules { no_data: Some(&[-9999.0; 4]), ..Rules::default() };
    let error = ask(&model, &Rows::from(x.view()), &rules).unwrap_err();
    assert!(error.to_string().contains("row 730, column 3"), "{error}");
    x[(730, 3)] = 0.0;
    assert!(ask(&model, &Rows::from(x.view()), &rules).is_ok());
    let error = ask(&model, &Rows::from(x.view()), &Rules { no_data: Some(&[0.0]), ..rules }).unwrap_err();
    assert!(error.to_string().contains("values for no data"), "{error}");
}

#[test]
fn gaps_are_handled_beside_rows_without_data() {
    let model = Kind::ALL[0].fit(&Sample::new(120, 4, CLASSES), &uneven(CLASSES)).unwrap();
    let mut x = rows_of(400);
    x.column_mut(1).iter_mut().step_by(5).for_each(|value| *value = f64::NAN);
    let whole = x.clone();
    x.column_mut(3).iter_mut().step_by(6).for_each(|value| *value = 7.25);
    for missing in [Missing::Marginalize, Missing::Propagate] {
        let all = ask(&model, &Rows::from(whole.view()), &Rules { missing, ..Rules::default() }).unwrap();
        let rules = Rules { missing, no_data: Some(&[7.25; 4]), ..Rules::default() };
        let expected = without(all, &(0..400).step_by(6).collect::<Vec<_>>());
        assert_eq!(ask(&model, &Rows::from(x.view()), &rules).unwrap(), expected);
    }
}
