//! What goes in, what comes out, and what is refused.

use gauda::{
    BernoulliNb, CategoricalNb, ClassPriors, Error, Fitted, Gamma, InputError, Lda, Moments, Pooling, Qda,
    RankError, Rda, ShapeError, Shrinkage, Solver, Structure, Target,
};
use ndarray::{Axis, array, concatenate, s};

use crate::data;

#[test]
fn every_element_type_and_order_of_memory_gives_the_same_labels() {
    let (x, y) = data("iris");
    let tenths = x.mapv(|entry| (10.0 * entry).round());
    let expected = Qda::params().fit(&tenths, &y).unwrap().predict(&tenths).unwrap();
    macro_rules! check {
        ($($element:ty),+) => {$(
            let x = tenths.mapv(|entry| entry as $element);
            let fortran = x.t().as_standard_layout().into_owned();
            let model = Qda::params().fit(&x, &y).unwrap();
            assert_eq!(model.predict(&x).unwrap(), expected, stringify!($element));
            assert_eq!(model.predict(&fortran.t()).unwrap(), expected, stringify!($element));
            assert_eq!(model.predict(x.view()).unwrap(), expected, stringify!($element));
        )+};
    }
    check!(f64, f32, i8, i16, i32, i64, u8, u16, u32, u64);
}

/// A view that lives longer than the model: only a model that borrows rows for a while can be asked.
fn labels_of(x: ndarray::ArrayView2<'_, f64>, y: &[i64]) -> Vec<i64> {
    let model = Lda::params().fit(x, y).unwrap();
    model.predict(x).unwrap()
}

#[test]
fn labels_may_be_of_any_kind() {
    let x = array![[0.0], [1.0], [8.0], [9.0]];
    assert_eq!(labels_of(x.view(), &[-3, -3, 5, 5]), [-3, -3, 5, 5]);
    let fit = Lda::params();
    assert_eq!(
        fit.fit(&x, &[true, true, false, false]).unwrap().predict(&x).unwrap(),
        [true, true, false, false]
    );
    assert_eq!(fit.fit(&x, &vec!["b", "b", "a", "a"]).unwrap().classes(), ["a", "b"]);
    assert_eq!(fit.fit(&x, &["ä", "ä", "z", "z"].map(String::from)).unwrap().classes(), ["z", "ä"]);
    assert_eq!(fit.fit(&x, &array![1_u8, 1, 0, 0]).unwrap().predict(&x).unwrap(), [1, 1, 0, 0]);
    assert_eq!(fit.fit(&x, &array![1, 9, 1, 9, 2, 9, 2, 9].slice(s![..;2])).unwrap().classes(), [1, 2]);
    assert_eq!(fit.fit(&x, &['x', 'x', 'y', 'y']).unwrap().predict(&x).unwrap(), ['x', 'x', 'y', 'y']);
}

#[test]
fn bernoulli_probabilities_are_those_of_laplace() {
    let x = array![[true, false], [true, true], [false, true], [false, false], [false, true]];
    let model = BernoulliNb::params().alpha(1.0).fit(&x, &["a", "a", "b", "b", "b"]).unwrap();
    // p(present | a) = 3/4, 1/2; p(present | b) = 1/5, 3/5
    let (a, b) = (2.0 / 5.0 * (3.0 / 4.0) * (1.0 / 2.0), 3.0 / 5.0 * (1.0 / 5.0) * (2.0 / 5.0));
    let answer = model.ask(&array![[true, false]]).posterior().joint().log_density().label().run().unwrap();
    assert!((answer.posterior[[0, 0]] - a / (a + b)).abs() < 1e-14);
    assert!((answer.joint[[0, 1]] - f64::ln(b)).abs() < 1e-13);
    assert!((answer.log_density[0] - f64::ln(a + b)).abs() < 1e-13);
    assert_eq!(answer.label, [Some("a".to_owned())]);
    let uniform =
        BernoulliNb::params().priors(ClassPriors::Uniform).fit(&x, &["a", "a", "b", "b", "b"]).unwrap();
    let odds = (3.0 / 4.0 * (1.0 / 2.0)) / (1.0 / 5.0 * (2.0 / 5.0));
    let posterior = uniform.predict_proba(&array![[true, false]]).unwrap();
    assert!((posterior[[0, 0]] / posterior[[0, 1]] - odds).abs() < 1e-12);
}

#[test]
fn categorical_probabilities_are_smoothed_shares() {
    let x = array![[0_u8], [0], [1], [2], [2]];
    let model = CategoricalNb::params().alpha(0.5).min_categories(4).fit(&x, &[0, 0, 0, 1, 1]).unwrap();
    // with four categories (N + 1/2) / (n + 2)
    let (a, b) = (0.6 * (0.5 / 5.0), 0.4 * (2.5 / 4.0));
    let posterior = model.predict_proba(&array![[2_u8]]).unwrap();
    assert!((posterior[[0, 1]] - b / (a + b)).abs() < 1e-14);
    assert!(matches!(
        model.predict(&array![[4_u8]]),
        Err(Error::Input(InputError::UnknownLevel { level: 4, .. }))
    ));
    let weighted =
        CategoricalNb::params().fit_weighted(&x, &[0, 0, 0, 1, 1], &[2.0, 1.0, 1.0, 1.0, 3.0]).unwrap();
    assert_eq!(weighted.priors(), [0.5, 0.5]);
}

#[test]
fn friedmans_mixing_of_scatters_is_his_formula() {
    let x = array![[0.0], [2.0], [1.0], [5.0], [9.0]];
    let mixed = Rda::params().alpha(0.25).pooling(Pooling::Scatter).fit(&x, &[0, 0, 1, 1, 1]).unwrap();
    // scatters 2 and 32 of weights 2 and 3: (3/4 S_k + 1/4 S) / (3/4 n_k + 1/4 n)
    let variance = |own: f64, n: f64| (0.75 * own + 0.25 * 34.0) / (0.75 * n + 0.25 * 5.0);
    let distance = mixed.ask(&array![[3.0]]).mahalanobis().run().unwrap().mahalanobis;
    assert!((distance[[0, 0]] - 4.0 / variance(2.0, 2.0)).abs() < 1e-12);
    assert!((distance[[0, 1]] - 4.0 / variance(32.0, 3.0)).abs() < 1e-12);
}

#[test]
fn rows_are_rejected_by_posterior_and_typicality() {
    let (x, y) = data("iris");
    let model = Qda::params().fit(&x, &y).unwrap();
    let far = concatenate![Axis(0), x, array![[50.0, 50.0, 50.0, 50.0]]];
    let plain = model.ask(&far).posterior().typicality().best(2).run().unwrap();
    let answer = model.ask(&far).label().reject_below(0.9).reject_typicality_below(0.001).run().unwrap();
    let mut rejected = 0;
    for (row, label) in answer.label.iter().enumerate() {
        let (class, posterior) = &plain.best[row][0];
        let place = model.classes().iter().position(|other| other == class).unwrap();
        let keep = *posterior >= 0.9 && plain.typicality[[row, place]] >= 0.001;
        assert_eq!(label.as_ref(), keep.then_some(class));
        assert_eq!(*posterior, plain.posterior[[row, place]]);
        rejected += usize::from(!keep);
    }
    assert!((2..20).contains(&rejected), "{rejected}");
    let strict = Qda::params().reject_below(0.999_999).fit(&x, &y).unwrap();
    assert!(matches!(strict.predict(&x), Err(Error::Input(InputError::Unsupported(_)))));
    assert!(strict.ask(&x).label().run().unwrap().label.iter().any(Option::is_none));
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, y) = data("iris");
    let serial = Qda::params().threads(1).fit(&x, &y).unwrap();
    let parallel = Qda::params().threads(4).fit(&x, &y).unwrap();
    assert_eq!(serial.predict_log_proba(&x).unwrap(), parallel.predict_log_proba(&x).unwrap());
    assert_eq!(serial.moments(), parallel.moments());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let x = array![[0.0, 1.0], [1.0, 0.0], [8.0, 9.0], [9.0, 9.5]];
    let y = [0, 0, 1, 1];
    let refused = |outcome: gauda::Result<Fitted<i32>>| {
        matches!(outcome, Err(Error::Input(InputError::Unsupported(_))))
    };
    assert!(refused(Qda::params().reg_param(0.1).shrinkage(0.1).fit(&x, &y)));
    assert!(refused(Lda::params().solver(Solver::Svd).shrinkage(0.1).fit(&x, &y)));
    assert!(refused(Lda::params().solver(Solver::Lsqr).reduced_rank(true).fit(&x, &y)));
    assert!(refused(Rda::params().gamma(Gamma::LedoitWolf).target(Target::Identity).fit(&x, &y)));
    let moments = Moments::from_rows(&x, &y, Structure::Full).unwrap();
    assert!(refused(Lda::params().shrinkage(Shrinkage::LedoitWolf).fit_moments(&moments)));
    assert!(matches!(Qda::params().fit(&x, &y), Err(Error::Rank(RankError::Singular { .. }))));
    assert!(matches!(
        Lda::params().fit(&x, &[0, 0, 1]),
        Err(Error::Shape(ShapeError::Size { given: 3, expected: 4, .. }))
    ));
    assert!(matches!(Qda::params().fit(&x, &[7; 4]), Err(Error::Input(InputError::Argument { .. }))));
    assert!(matches!(
        Lda::params().priors([0.5, -0.5]).fit(&x, &y),
        Err(Error::Input(InputError::Prior { class: 1, .. }))
    ));
    assert!(matches!(
        Lda::params().components(2).fit(&x, &y),
        Err(Error::Input(InputError::Argument { .. }))
    ));
    let diagonal = Moments::from_rows(&x, &y, Structure::Diag).unwrap();
    assert!(matches!(
        Qda::params().fit_moments(&diagonal),
        Err(Error::Shape(ShapeError::Incompatible("structures")))
    ));
}

#[test]
fn models_can_be_shared_between_threads() {
    fn shared<T: Clone + std::fmt::Debug + Send + Sync + 'static>() {}
    shared::<Fitted<String>>();
    shared::<Fitted<i64>>();
    shared::<Moments<bool>>();
    shared::<gauda::Params<Lda>>();
}
