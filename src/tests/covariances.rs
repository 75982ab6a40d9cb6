//! Covariances of any moments, and what is made of matrices that are none.

use ndarray::{Array2, array};
use proptest::prelude::*;

use super::chaos::Chaos;
use super::moments::of_rows;
use crate::core::{Error, Moments, Parallel, Rows, Structure};
use crate::covariance::{
    Mixing, Pooling, Target, ledoit_wolf, ledoit_wolf_intensities, of_classes, oracle_intensities, pooled,
    pooled_correction, regularized, shrink, variances,
};
use crate::error::{InputError, ShapeError};

pub(super) const TARGETS: [Target; 3] = [Target::Spherical, Target::Diagonal, Target::Identity];

pub(super) fn mixing(chaos: &mut Chaos) -> Mixing {
    let pooling = chaos.pick(&[Pooling::Covariance, Pooling::Scatter]);
    Mixing { alpha: chaos.share(), pooling, unbiased: chaos.flip() }
}

fn assert_finite<'a>(numbers: impl IntoIterator<Item = &'a f64>) {
    assert!(numbers.into_iter().all(|number| number.is_finite()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn moments_give_finite_covariances_or_an_error(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let structure = chaos.pick(&[Structure::Full, Structure::Full, Structure::Tied, Structure::Diag]);
        let Ok((x, labels, moments)) = of_rows(&mut chaos, structure) else { return Ok(()) };
        let (classes, unbiased) = (moments.n_classes(), chaos.flip());
        let given = chaos.flip().then(|| chaos.positives(classes));
        of_classes(&moments, unbiased).iter().for_each(assert_finite);
        variances(&moments, unbiased).iter().for_each(assert_finite);
        pooled(&moments, given.as_deref(), unbiased).iter().for_each(assert_finite);
        assert_finite(&pooled_correction(&moments));
        let (mixing, target, gammas) = (mixing(&mut chaos), chaos.pick(&TARGETS), chaos.shares(classes));
        regularized(&moments, mixing, target, &gammas).iter().for_each(assert_finite);
        oracle_intensities(&moments, mixing).iter().for_each(assert_finite);
        let (weights, rows, parallel) = (chaos.weights(labels.len()), Rows::from(x.view()), Parallel::new(Some(1)));
        let weights = weights.as_deref();
        ledoit_wolf_intensities(&moments, mixing, &rows, &labels, weights, parallel).iter().for_each(assert_finite);
        ledoit_wolf(&moments, &rows, &labels, weights, parallel).iter().for_each(assert_finite);
    }

    #[test]
    fn matrices_are_moved_or_refused(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let features = chaos.size();
        let matrix = chaos.covariance(features);
        let (share, target) = (chaos.share(), chaos.pick(&TARGETS));
        let moved = [shrink(matrix.view(), share), target.approach(matrix.view(), share)];
        for moved in moved.iter().flatten() {
            prop_assert!(matrix.is_square() && (0.0..=1.0).contains(&share));
            prop_assert_eq!(moved.dim(), matrix.dim());
            prop_assert!(moved.iter().all(|entry| !entry.is_nan()));
        }
    }
}

#[test]
fn only_square_matrices_of_numbers_are_moved() {
    let moved = |matrix: &Array2<f64>, share: f64| {
        TARGETS
            .map(|target| target.approach(matrix.view(), share))
            .into_iter()
            .chain([shrink(matrix.view(), share)])
    };
    for size in [(2, 3), (3, 2), (0, 2), (2, 0), (0, 0)] {
        for answer in moved(&Array2::ones(size), 0.5) {
            assert!(matches!(answer, Err(Error::Shape(ShapeError::Size { .. }))), "{size:?}: {answer:?}");
        }
    }
    for share in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        for answer in moved(&Array2::eye(2), share) {
            assert!(matches!(answer, Err(Error::Input(InputError::Argument { .. }))), "{share}: {answer:?}");
        }
    }
    for answer in moved(&array![[1.0, f64::NAN], [f64::NAN, 1.0]], 0.5) {
        assert!(matches!(answer, Err(Error::Input(InputError::Argument { .. }))), "{answer:?}");
    }
}

#[test]
fn without_classes_or_weight_there_are_no_common_covariances() {
    let x = Array2::<f64>::zeros((0, 2));
    let (rows, parallel) = (Rows::from(x.view()), Parallel::new(Some(1)));
    let mixing = Mixing { alpha: 0.5, pooling: Pooling::Covariance, unbiased: false };
    for classes in [0, 2] {
        let empty = |structure| Moments::from_rows(&rows, &[], classes, None, structure, parallel).unwrap();
        for structure in [Structure::Full, Structure::Tied] {
            assert_eq!(pooled(&empty(structure), None, false), Err(Error::Input(InputError::NoWeight)));
        }
        let full = empty(Structure::Full);
        let priors = vec![0.5; classes];
        assert!(pooled(&full, Some(&priors), false).is_err());
        assert!(pooled_correction(&full).is_err());
        assert!(ledoit_wolf(&full, &rows, &[], None, parallel).is_err());
        assert!(ledoit_wolf_intensities(&full, mixing, &rows, &[], None, parallel).is_err());
        assert!(oracle_intensities(&full, mixing).is_err());
        assert!(regularized(&full, mixing, Target::Identity, &vec![0.0; classes]).is_err());
    }
}

#[test]
fn shares_that_are_none_are_refused() {
    let x = array![[0.0, 1.0], [2.0, 0.5], [1.0, 1.5], [7.0, 0.0], [3.0, 3.0], [5.0, 2.0]];
    let labels = [0, 0, 0, 1, 1, 1];
    let moments =
        Moments::from_rows(&Rows::from(x.view()), &labels, 2, None, Structure::Full, Parallel::default())
            .unwrap();
    for bad in [f64::NAN, -1.0, 1.5, f64::INFINITY] {
        for pooling in [Pooling::Covariance, Pooling::Scatter] {
            let mixing = |alpha| Mixing { alpha, pooling, unbiased: false };
            let answer = regularized(&moments, mixing(bad), Target::Identity, &[0.0; 2]);
            assert!(
                matches!(answer, Err(Error::Input(InputError::Argument { what: "alpha", .. }))),
                "{answer:?}"
            );
            let answer = regularized(&moments, mixing(0.5), Target::Identity, &[0.0, bad]);
            assert!(
                matches!(answer, Err(Error::Input(InputError::Argument { what: "gamma", .. }))),
                "{answer:?}"
            );
            assert!(oracle_intensities(&moments, mixing(bad)).is_err());
        }
    }
}
