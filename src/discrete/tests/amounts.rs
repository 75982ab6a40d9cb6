//! Rows that count how often something occurs, against sums by a loop.

use super::*;
use crate::discrete::{count_amounts, count_sparse_amounts};

#[test]
fn amounts_are_added_up_as_by_a_loop_dense_or_sparse() {
    let table = Table::new(3000, 5);
    let (entries, columns, starts) = compressed(&table.x);
    let sparse = Sparse::new(Rows::from(entries.view()), &columns, &starts, 5).unwrap();
    for weighted in [false, true] {
        let labeled = table.labeled(weighted);
        let expected = Array2::from_shape_fn((CLASSES, 5), |(class, j)| {
            let rows = (0..3000).filter(|&row| labeled.labels[row] as usize == class);
            rows.map(|row| labeled.weight(row) * table.x[(row, j)]).sum()
        });
        let (_, found) = count_sparse_amounts(&sparse, labeled, Parallel::default()).unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b): (&f64, &f64)| (a - b).abs() <= 1e-11 * b));
        in_every_layout(&table.x, 0.0, |layout, view| {
            let (_, found) = count_amounts(&Rows::from(view), labeled, Parallel::default()).unwrap();
            let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-11 * b);
            assert!(close, "{layout}");
        });
    }
}

#[test]
fn scores_of_amounts_are_weighted_sums() {
    // Seventeen classes take five quads, forty ten: registers, and a loop over them.
    for classes in [1, 2, 5, 17, 33, 40] {
        let weights = Array2::from_shape_fn((classes, 5), |(k, j)| -0.1 - ((3 * k + j) % 7) as f64);
        let prior = vec![(1.0 / classes as f64).ln(); classes];
        let model = AffineModel::of_amounts(prior.clone(), weights.view()).unwrap();
        let table = Table::new(300, 5);
        let (entries, columns, starts) = compressed(&table.x);
        let sparse = Sparse::new(Rows::from(entries.view()), &columns, &starts, 5).unwrap();
        let mut joint = [vec![0.0; 300 * classes], vec![0.0; 300 * classes]];
        let [of_dense, of_sparse] = &mut joint;
        let dense = Rows::from(table.x.view());
        model.answer(&dense, &Rules::default(), joint_in(of_dense), Parallel::default()).unwrap();
        model.answer_sparse(&sparse, &Rules::default(), joint_in(of_sparse), Parallel::default()).unwrap();
        for (at, (a, b)) in of_dense.iter().zip(&*of_sparse).enumerate() {
            let (row, class) = (at / classes, at % classes);
            let expected = prior[class] + table.x.row(row).dot(&weights.row(class));
            assert!(
                (a - expected).abs() < 1e-12 * expected.abs()
                    && (b - expected).abs() < 1e-12 * expected.abs()
            );
        }
    }
}

#[test]
fn a_column_that_is_given_twice_adds_up() {
    let weights = array![[-1.0, -2.0], [-2.0, -1.0]];
    let model = AffineModel::of_amounts(vec![0.5_f64.ln(); 2], weights.view()).unwrap();
    let entries = array![[1.0], [2.0], [3.0]];
    let rows = Sparse::new(Rows::from(entries.view()), &[1, 0, 1], &[0, 3], 2).unwrap();
    let mut joint = [0.0; 2];
    model.answer_sparse(&rows, &Rules::default(), joint_in(&mut joint), Parallel::default()).unwrap();
    assert_eq!(joint, [0.5_f64.ln() - 10.0, 0.5_f64.ln() - 8.0]);
    let labeled = Labeled { labels: &[0], classes: 1, weights: None };
    let (_, counts) = count_sparse_amounts(&rows, labeled, Parallel::default()).unwrap();
    assert_eq!(counts, array![[2.0, 4.0]]);
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let labeled = Labeled { labels: &[0, 0], classes: 1, weights: None };
    for (value, refusal) in [
        (-1.0, InputError::Negative { row: 1, column: 0, value: -1.0 }),
        (f64::INFINITY, InputError::NonFinite { row: 1, column: 0, value: f64::INFINITY }),
    ] {
        let x = array![[1.0, 2.0], [value, 0.0]];
        let (entries, columns, starts) = compressed(&x);
        let sparse = Sparse::new(Rows::from(entries.view()), &columns, &starts, 2).unwrap();
        let refusal = Error::Input(refusal);
        let dense = count_amounts(&Rows::from(x.view()), labeled, Parallel::default());
        assert_eq!(dense.unwrap_err(), refusal);
        let counted = count_sparse_amounts(&sparse, labeled, Parallel::default());
        assert_eq!(counted.unwrap_err(), refusal);
        let model = AffineModel::of_amounts(vec![0.0], array![[-1.0, -1.0]].view()).unwrap();
        let mut joint = [0.0; 2];
        let found =
            model.answer_sparse(&sparse, &Rules::default(), joint_in(&mut joint), Parallel::default());
        assert_eq!(found.unwrap_err(), refusal);
    }
    for weight in [f64::NAN, f64::INFINITY] {
        assert!(AffineModel::of_amounts(vec![0.0], array![[-1.0, weight]].view()).is_err());
    }
}

#[test]
fn rows_without_finite_scores_are_told_apart_from_impossible_ones() {
    let labels_of = |weights: Array2<f64>, x: Array2<f64>| {
        let model = AffineModel::of_amounts(vec![0.5_f64.ln(); 2], weights.view()).unwrap();
        let mut labels = [0; 1];
        let answers = Answers { label: Some(&mut labels), ..Answers::default() };
        model.answer(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default())
    };
    let far = labels_of(array![[-2.0, -2.0], [-2.0, -3.0]], array![[1e308, 1e308]]);
    assert_eq!(far, Err(Error::Scores(ScoresError::TooFar { row: 0 })));
    let never = labels_of(array![[-2.0, f64::NEG_INFINITY], [f64::NEG_INFINITY, -3.0]], array![[1.0, 1.0]]);
    assert_eq!(never, Err(Error::Scores(ScoresError::Impossible { row: 0 })));
}
