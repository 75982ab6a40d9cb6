//! Models of discrete and mixed columns, against counts by hand and against each other.

use gauda::{
    BernoulliNb, CategoricalNb, ComplementNb, Error, Fitted, GaussianNb, InputError, Lda, MixedNb,
    MultinomialNb, RankError, Sparse,
};
use ndarray::{Array2, Axis, array, concatenate, s};

use crate::{data, largest_error};

/// Entries, their columns and where rows begin, of what is not 0.
fn csr(x: &Array2<f64>) -> (Vec<f64>, Vec<i32>, Vec<i64>) {
    let (mut entries, mut columns, mut starts) = (vec![], vec![], vec![0]);
    for row in x.outer_iter() {
        for (column, &entry) in row.iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
            entries.push(entry);
            columns.push(column as i32);
        }
        starts.push(entries.len() as i64);
    }
    (entries, columns, starts)
}

#[test]
fn sparse_rows_are_fitted_and_scored_as_dense_ones() {
    let (x, y) = data("iris");
    // Every third entry is 0.
    let x = Array2::from_shape_fn(x.dim(), |(i, j)| if (i + j) % 3 == 0 { 0.0 } else { x[[i, j]] });
    let (entries, columns, starts) = csr(&x);
    let sparse = Sparse::csr(&entries, &columns, &starts, 4).unwrap();
    let weights: Vec<f64> = (0..150).map(|row| 0.5 + (row % 4) as f64).collect();
    for threshold in [0.0, 2.5] {
        let params = BernoulliNb::params().binarize(threshold);
        let dense = params.fit_weighted(&x, &y, &weights).unwrap();
        assert_eq!(params.fit_weighted(sparse, &y, &weights).unwrap(), dense);
        let both = [dense.predict_log_proba(&x).unwrap(), dense.predict_log_proba(sparse).unwrap()];
        assert!(largest_error(&both[0], &both[1]) < 1e-13);
        assert_eq!(dense.predict(&x).unwrap(), dense.predict(sparse).unwrap());
        assert_eq!(dense.accuracy(&x, &y).unwrap(), dense.accuracy(sparse, &y).unwrap());
    }
}

#[test]
fn sparse_rows_that_do_not_fit_are_refused() {
    let x = [1_u8, 1];
    assert!(matches!(Sparse::csr(&x, &[0], &[0, 2], 3), Err(Error::Shape(_))));
    assert!(matches!(Sparse::csr(&x, &[0, 1], &[0, 1], 3), Err(Error::Shape(_))));
    assert!(matches!(Sparse::csr(&x, &[0, 1], &[0, 5, 2], 3), Err(Error::Shape(_))));
    assert!(matches!(Sparse::csr(&x, &[0, 1], &[], 3), Err(Error::Shape(_))));
    let fit = |columns: &[i32]| {
        BernoulliNb::params().fit(Sparse::csr(&x, columns, &[0, 2, 2], 3).unwrap(), &[0, 1]).map(|_| ())
    };
    assert_eq!(fit(&[1, 1]), Err(InputError::GivenTwice { row: 0, column: 1 }.into()));
    assert!(matches!(fit(&[1, 3]), Err(Error::Shape(_))));
    assert!(matches!(fit(&[-1, 0]), Err(Error::Shape(_))));
    let rows = Sparse::csr(&x, &[0, 1], &[0, 2, 2], 3).unwrap();
    let below = BernoulliNb::params().binarize(-1.0).fit(rows, &[0, 1]);
    assert_eq!(below.unwrap_err(), InputError::PresenceThreshold { value: -1.0 }.into());
    let refused = Lda::params().fit(rows, &[0, 1]).unwrap_err();
    assert!(refused.to_string().contains("must be dense"), "{refused}");
    let lda =
        Lda::params().fit(&array![[0.0, 1.0, 0.0], [1.0, 5.0, 2.0], [4.0, 0.0, 1.0]], &[0, 0, 1]).unwrap();
    assert!(matches!(lda.predict(rows), Err(Error::Input(InputError::Unsupported(_)))));
}

/// Log p(x, k) of numbers, and of categories without their priors: columns are independent.
#[test]
fn mixed_columns_are_a_product_of_the_other_models() {
    let (x, y) = data("iris");
    let levels = x.slice(s![.., 2..]).mapv(f64::round);
    let mixed_rows =
        concatenate![Axis(1), levels.slice(s![.., ..1]), x.slice(s![.., ..2]), levels.slice(s![.., 1..])];
    let weights: Vec<f64> = (0..150).map(|row| 0.5 + (row % 4) as f64).collect();
    let mixed = MixedNb::params().categorical([3, 0]).alpha(0.5).var_smoothing(0.01);
    let mixed = mixed.fit_weighted(&mixed_rows, &y, &weights).unwrap();
    let numbers = GaussianNb::params().var_smoothing(0.01);
    let numbers = numbers.fit_weighted(x.slice(s![.., ..2]), &y, &weights).unwrap();
    let categories = CategoricalNb::params().alpha(0.5).fit_weighted(&levels, &y, &weights).unwrap();
    let joint = |model: &gauda::Fitted<String>, x: &Array2<f64>| model.ask(x).joint().run().unwrap().joint;
    let log_prior = ndarray::Array1::from(mixed.priors()).mapv(f64::ln);
    let expected =
        joint(&numbers, &x.slice(s![.., ..2]).to_owned()) + joint(&categories, &levels) - &log_prior;
    assert!(largest_error(&joint(&mixed, &mixed_rows), &expected) < 1e-12);
    assert_eq!(mixed.n_features(), 4);
}

#[test]
fn missing_values_of_mixed_columns_are_left_out() {
    let nan = f64::NAN;
    let x = array![[1.0, 0.0], [3.0, nan], [nan, 1.0], [6.0, 1.0], [8.0, nan], [nan, 0.0]];
    let y = ["a", "a", "a", "b", "b", "b"];
    let model = MixedNb::params().categorical([1]).var_smoothing(0.0).fit(&x, &y).unwrap();
    // Of a: mean 2, variance 1, levels (1 + 1) / (2 + 2) each. Of b: mean 7, variance 1, the same levels.
    let joint = |row: [f64; 2]| model.ask(&array![row]).joint().run().unwrap().joint;
    let (half, top) = (0.5_f64.ln(), -0.5 * std::f64::consts::TAU.ln());
    for (row, expected) in [
        ([nan, nan], [half, half]),
        ([nan, 1.0], [2.0 * half; 2]),
        ([4.0, nan], [half + top - 2.0, half + top - 4.5]),
        ([4.0, 0.0], [2.0 * half + top - 2.0, 2.0 * half + top - 4.5]),
    ] {
        assert!(largest_error(&joint(row), &array![expected]) < 1e-14, "{row:?}");
    }
}

#[test]
fn mixed_columns_that_lead_to_no_model_are_refused_by_their_own_names() {
    let fit = |column: usize, x: &Array2<f64>| {
        MixedNb::params()
            .categorical([column])
            .var_smoothing(0.0)
            .fit(x, &[0, 0, 1, 1])
            .map(|_| ())
            .unwrap_err()
    };
    let x = array![[0.0, 1.5, 2.0], [1.0, 2.5, 2.5], [1.0, 0.5, 1.0], [0.0, 4.5, 9.0]];
    let at = |row: usize, column: usize, entry: f64| {
        let mut changed = x.clone();
        changed[[row, column]] = entry;
        changed
    };
    assert_eq!(fit(1, &x), InputError::NoLevel { row: 0, column: 1, value: 1.5 }.into());
    assert_eq!(
        fit(0, &at(2, 2, f64::INFINITY)),
        InputError::NonFinite { row: 2, column: 2, value: f64::INFINITY }.into()
    );
    let flat = RankError::ZeroVariance { class: 0, weight: 2.0, columns: vec![2] };
    assert_eq!(fit(0, &at(1, 2, 2.0)), flat.into());
    let mut unseen = at(2, 2, f64::NAN);
    unseen[[3, 2]] = f64::NAN;
    assert_eq!(fit(0, &unseen), InputError::NeverObserved { class: 1, column: 2 }.into());
    assert!(matches!(fit(3, &x), Error::Input(InputError::Argument { .. })));
    let model = MixedNb::params().categorical([0]).fit(&x, &[0, 0, 1, 1]).unwrap();
    let unknown = model.predict(&array![[2.0, 1.0, 1.0]]).unwrap_err();
    assert!(matches!(unknown, Error::Input(InputError::UnknownLevel { column: 0, level: 2, .. })));
    let wide = MixedNb::params().categorical([0]).min_categories(3).fit(&x, &[0, 0, 1, 1]).unwrap();
    assert_eq!(wide.predict(&array![[2.0, 4.5, 9.0]]).unwrap(), [1]);
    let ignoring = MixedNb::params().categorical([0]).ignore_unknown(true).fit(&x, &[0, 0, 1, 1]).unwrap();
    let both = array![[2.0, 1.0, 1.0], [f64::NAN, 1.0, 1.0]];
    let joint = ignoring.ask(&both).joint().run().unwrap().joint;
    assert_eq!(joint.row(0), joint.row(1));
}

/// Log-posteriors of scores, row by row.
fn normalized(mut joint: Array2<f64>) -> Array2<f64> {
    for mut row in joint.outer_iter_mut() {
        let largest = row.fold(f64::NEG_INFINITY, |largest: f64, &score| largest.max(score));
        let total = row.iter().map(|score| (score - largest).exp()).sum::<f64>().ln() + largest;
        row.mapv_inplace(|score| score - total);
    }
    joint
}

/// Ten texts of four terms, with their classes and weights.
fn texts() -> (Array2<f64>, Vec<usize>, Vec<f64>) {
    let x = Array2::from_shape_fn((10, 4), |(i, j)| ((i * i + 3 * j + i * j) % 5) as f64);
    (x, (0..10).map(|row| row % 3).collect(), (0..10).map(|row| 0.5 + (row % 4) as f64).collect())
}

/// Weighted counts of terms, class × column.
fn counts(x: &Array2<f64>, y: &[usize], weights: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn((3, 4), |(class, column)| {
        (0..10).filter(|&row| y[row] == class).map(|row| weights[row] * x[[row, column]]).sum()
    })
}

#[test]
fn multinomial_probabilities_are_shares_of_the_terms() {
    let (x, y, weights) = texts();
    let model = MultinomialNb::params().alpha(0.5).fit_weighted(&x, &y, &weights).unwrap();
    let counts = counts(&x, &y, &weights) + 0.5;
    let logs =
        Array2::from_shape_fn((3, 4), |(class, j)| (counts[[class, j]] / counts.row(class).sum()).ln());
    let class_weight =
        |class: usize| (0..10).filter(|&row| y[row] == class).map(|row| weights[row]).sum::<f64>();
    let total: f64 = weights.iter().sum();
    let joint = Array2::from_shape_fn((10, 3), |(row, class)| {
        (class_weight(class) / total).ln() + x.row(row).dot(&logs.row(class))
    });
    assert!(largest_error(&model.predict_log_proba(&x).unwrap(), &normalized(joint)) < 1e-13);
}

#[test]
fn complements_are_scored_by_the_terms_of_the_others() {
    let (x, y, weights) = texts();
    let counts = counts(&x, &y, &weights);
    let others = counts.sum_axis(Axis(0)) - &counts + 1.0;
    for norm in [false, true] {
        let model = ComplementNb::params().norm(norm).fit_weighted(&x, &y, &weights).unwrap();
        let logs =
            Array2::from_shape_fn((3, 4), |(class, j)| (others[[class, j]] / others.row(class).sum()).ln());
        let divisor = |class: usize| if norm { logs.row(class).sum() } else { -1.0 };
        let joint = Array2::from_shape_fn((10, 3), |(row, class)| {
            x.row(row).iter().zip(logs.row(class)).map(|(x, log)| x * log / divisor(class)).sum()
        });
        assert!(
            largest_error(&model.predict_log_proba(&x).unwrap(), &normalized(joint)) < 1e-13,
            "norm {norm}"
        );
        assert!(model.ask(&x).log_density().run().is_err());
    }
}

#[test]
fn texts_may_be_sparse_and_are_checked() {
    fn same(dense: &Fitted<usize>, sparse: &Fitted<usize>, rows: Sparse<'_>, x: &Array2<f64>) {
        assert_eq!(dense, sparse);
        let both = [dense.predict_log_proba(x).unwrap(), dense.predict_log_proba(rows).unwrap()];
        assert!(largest_error(&both[0], &both[1]) < 1e-13);
    }
    let (x, y, _) = texts();
    let (entries, columns, starts) = csr(&x);
    let rows = Sparse::csr(&entries, &columns, &starts, 4).unwrap();
    let (multinomial, complement) = (MultinomialNb::params(), ComplementNb::params());
    same(&multinomial.fit(&x, &y).unwrap(), &multinomial.fit(rows, &y).unwrap(), rows, &x);
    same(&complement.fit(&x, &y).unwrap(), &complement.fit(rows, &y).unwrap(), rows, &x);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(multinomial.clone().alpha(bad).fit(&x, &y).is_err(), "alpha {bad}");
        let mut x = x.clone();
        x[[2, 1]] = bad;
        assert!(multinomial.fit(&x, &y).is_err() && complement.fit(&x, &y).is_err(), "entry {bad}");
    }
    // A term that one class alone has would weigh infinitely much against the others.
    let alone = array![[1.0, 0.0], [0.0, 2.0]];
    assert!(complement.alpha(0.0).fit(&alone, &[0, 1]).is_err());
}
