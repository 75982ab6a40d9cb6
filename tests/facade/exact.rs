//! Answers that are known from elsewhere.

use gauda::{
    ClassPriors, Error, Gamma, GaussianNb, InputError, Lda, Missing, Moments, Qda, Rda, ScoresError,
    Shrinkage, Solver, Structure, Target,
};
use ndarray::{Array1, Array2, Axis, s};

use crate::{assert_exact, cells, data, exact, largest_error, lines};

#[test]
fn models_agree_with_60_digit_arithmetic() {
    for name in ["iris", "banknote", "skulls"] {
        let (x, y) = data(name);
        for unbiased in [false, true] {
            let divisor = if unbiased { "unbiased" } else { "ml" };
            let qda = Qda::params().unbiased(unbiased).fit(&x, &y).unwrap();
            assert_exact(&qda, &x, name, &format!("qda_{divisor}"));
            let lda = Lda::params().unbiased(unbiased);
            for solver in [Solver::Svd, Solver::Lsqr, Solver::Eigen] {
                assert_exact(
                    &lda.clone().solver(solver).fit(&x, &y).unwrap(),
                    &x,
                    name,
                    &format!("lda_{divisor}"),
                );
            }
            let nb = GaussianNb::params().var_smoothing(0.0).unbiased(unbiased).fit(&x, &y).unwrap();
            assert_exact(&nb, &x, name, &format!("gnb_{divisor}"));
        }
        assert_exact(&GaussianNb::params().fit(&x, &y).unwrap(), &x, name, "gnb_sklearn");
        let tied_diagonal = Rda::params().alpha(1.0).gamma(1.0).target(Target::Diagonal).fit(&x, &y).unwrap();
        assert_exact(&tied_diagonal, &x, name, "dlda_ml");
    }
}

#[test]
fn regularized_models_agree_with_60_digit_arithmetic() {
    let (x, y) = data("iris");
    for (alpha, gamma) in [(0.5, 0.0), (0.75, 0.25), (0.0, 0.5)] {
        let model = Rda::params().alpha(alpha).gamma(gamma).unbiased(true).fit(&x, &y).unwrap();
        assert_exact(&model, &x, "iris", &format!("rda_a{alpha}_g{gamma}"));
    }
    // The spherical target is what shrinkage moves covariances toward.
    let shrunk = Qda::params().shrinkage(Shrinkage::Fixed(0.5)).unbiased(true).fit(&x, &y).unwrap();
    assert_exact(&shrunk, &x, "iris", "rda_a0_g0.5");
}

#[test]
fn expected_costs_and_labels_are_those_of_octave() {
    let (x, y) = data("iris");
    let cost = cells("exact/iris/octave_cost_matrix.csv");
    let cost = Array2::from_shape_fn((3, 3), |(i, j)| cost[i][j].parse::<f64>().unwrap());
    let lda = Lda::params().unbiased(true);
    let skewed = ClassPriors::Given(vec![1.0, 2.0, 3.0]);
    for (priors, file) in
        [(ClassPriors::Proportions, "empirical"), (ClassPriors::Uniform, "uniform"), (skewed, "skew")]
    {
        let model = lda.clone().priors(priors).fit(&x, &y).unwrap();
        let answer = model.ask(&x).posterior().expected_cost().label().costs(&cost).run().unwrap();
        let table = lines(&format!("exact/iris/octave_fitcdiscr_gamma0_{file}.csv"));
        for (row, line) in table.iter().enumerate() {
            for class in 0..3 {
                let (posterior, cost): (f64, f64) =
                    (line[class].parse().unwrap(), line[class + 3].parse().unwrap());
                assert!((answer.posterior[[row, class]] - posterior).abs() < 1e-9, "{file}, row {row}");
                assert!((answer.expected_cost[[row, class]] - cost).abs() < 1e-9, "{file}, row {row}");
            }
            assert_eq!(answer.label[row].as_ref(), Some(&line[6]), "{file}, row {row}");
        }
    }
}

#[test]
fn moments_of_batches_give_the_model_of_all_rows() {
    let (x, y) = data("iris");
    for structure in [Structure::Full, Structure::Tied] {
        // The first batch has two of the three classes only.
        let batches = [0..70, 70..101, 101..150];
        let batches = batches
            .map(|rows| Moments::from_rows(&x.slice(s![rows.clone(), ..]), &y[rows], structure).unwrap());
        let all = batches[1..].iter().fold(batches[0].clone(), |sum, batch| sum.merge(batch).unwrap());
        let model = Lda::params().fit_moments(&all).unwrap();
        assert_exact(&model, &x, "iris", "lda_ml");
        let rest = all.subtract(&batches[0]).unwrap();
        assert_eq!(rest.classes(), ["versicolor", "virginica"]);
        let right: f64 = rest.weights().sum();
        assert_eq!(right, 80.0);
    }
    let moments = Moments::from_rows(&x, &y, Structure::Full).unwrap();
    assert_exact(&Qda::params().fit_moments(&moments).unwrap(), &x, "iris", "qda_ml");
    let diagonal = GaussianNb::params().fit_moments(&moments).unwrap();
    assert_exact(&diagonal, &x, "iris", "gnb_sklearn");
}

#[test]
fn weights_count_like_repeated_rows() {
    let (x, y) = data("iris");
    let weights: Vec<f64> = (0..150).map(|row| (row % 3) as f64).collect();
    let repeated: Vec<usize> = (0..150).flat_map(|row| vec![row; row % 3]).collect();
    let (copies, labels) =
        (x.select(Axis(0), &repeated), repeated.iter().map(|&row| y[row].clone()).collect::<Vec<_>>());
    let pairs = [
        (Qda::params().fit_weighted(&x, &y, &weights), Qda::params().fit(&copies, &labels)),
        (Lda::params().fit_weighted(&x, &y, &weights), Lda::params().fit(&copies, &labels)),
        (
            Lda::params().shrinkage(Shrinkage::LedoitWolf).fit_weighted(&x, &y, &weights),
            Lda::params().shrinkage(Shrinkage::LedoitWolf).fit(&copies, &labels),
        ),
        (
            GaussianNb::params().var_smoothing(0.0).fit_weighted(&x, &y, &weights),
            GaussianNb::params().var_smoothing(0.0).fit(&copies, &labels),
        ),
        (
            Rda::params().gamma(Gamma::OracleApproximating).alpha(0.2).fit_weighted(&x, &y, &weights),
            Rda::params().gamma(Gamma::OracleApproximating).alpha(0.2).fit(&copies, &labels),
        ),
    ];
    for (weighted, repeated) in pairs {
        let (weighted, repeated) = (weighted.unwrap(), repeated.unwrap());
        let both = [weighted.predict_log_proba(&x).unwrap(), repeated.predict_log_proba(&x).unwrap()];
        assert!(largest_error(&both[0], &both[1]) < 1e-9);
    }
}

#[test]
fn missing_values_are_integrated_out() {
    let (x, y) = data("iris");
    let model = Lda::params().missing(Missing::Marginalize).fit(&x, &y).unwrap();
    assert_exact(&model, &x, "iris", "lda_ml");
    // Without two columns a row is scored as by the model of the other two.
    let mut gaps = x.clone();
    gaps.slice_mut(s![.., 2..]).fill(f64::NAN);
    let others = Lda::params().fit(x.slice(s![.., ..2]), &y).unwrap();
    let expected = others.predict_log_proba(x.slice(s![.., ..2])).unwrap();
    assert!(largest_error(&model.predict_log_proba(&gaps).unwrap(), &expected) < 1e-11);
    let refused = Lda::params().fit(&gaps, &y);
    assert!(matches!(refused, Err(Error::Input(InputError::NonFinite { row: 0, column: 2, .. }))));
    let propagated = model.ask(&gaps).label().missing(Missing::Propagate).run().unwrap();
    assert!(propagated.label.iter().all(Option::is_none));
    assert!(model.clone().ask(&gaps).label().missing(Missing::Raise).run().is_err());
}

#[test]
fn rows_are_projected_on_axes_along_which_the_covariance_is_white() {
    let (x, y) = data("iris");
    for solver in [Solver::Svd, Solver::Eigen] {
        let model = Lda::params().solver(solver).fit(&x, &y).unwrap();
        let z = model.transform(&x).unwrap();
        assert_eq!(z.dim(), (150, 2));
        let within = Moments::from_rows(&z, &y, Structure::Tied).unwrap();
        let covariance = within.scatter().index_axis(Axis(0), 0).mapv(|entry| entry / 150.0);
        assert!(largest_error(&covariance, &Array2::eye(2)) < 1e-11);
        let ratios = model.explained_variance_ratio().unwrap();
        assert!((ratios.iter().sum::<f64>() - 1.0).abs() < 1e-12 && ratios[0] > 0.99);
        // Decisions are the linear functions, up to a term common to the classes.
        let linear =
            x.dot(&model.coefficients().unwrap().t()) + &Array1::from(model.intercepts().unwrap().to_vec());
        let posterior = model.predict_log_proba(&x).unwrap();
        let differences = |scores: &Array2<f64>| &scores.slice(s![.., 1..]) - &scores.slice(s![.., ..1]);
        assert!(largest_error(&differences(&posterior), &differences(&linear)) < 1e-10);
    }
    let reduced = Lda::params().components(2).reduced_rank(true).fit(&x, &y).unwrap();
    assert!(largest_error(&reduced.predict_log_proba(&x).unwrap(), &exact("iris", "lda_ml").0) < 1e-10);
    assert!(matches!(
        reduced.log_density(&x),
        Err(Error::Scores(ScoresError::NoDensity { rank: 2, features: 4 }))
    ));
    assert!(Lda::params().solver(Solver::Lsqr).fit(&x, &y).unwrap().transform(&x).is_err());
}
