//! Linear fits along their first axes only.

use ndarray::{Array1, Array2, Axis, s};

use super::{asked, assert_near, nearly_on_a_line};
use crate::model::Shape;
use crate::oracle::{Kind, Question, Sample};

const WITH_AXES: [Kind; 2] = [Kind::Svd, Kind::Eigen];

/// Squared distances of projected rows to projected means.
fn projected_distances(sample: &Sample, axes: &Array2<f64>) -> Vec<f64> {
    let mean = |class| {
        let members: Vec<usize> =
            (0..sample.labels.len()).filter(|&row| sample.labels[row] == class).collect();
        sample.x.select(Axis(0), &members).mean_axis(Axis(0)).unwrap().dot(axes)
    };
    let means: Vec<Array1<f64>> = (0..sample.classes as u32).map(mean).collect();
    let rows = sample.x.dot(axes);
    rows.outer_iter()
        .flat_map(|row| means.iter().map(move |mean| (&row - mean).mapv(|c| c * c).sum()))
        .collect()
}

/// log π_k − ½ q_k less the logarithm of the sum over classes.
fn log_posteriors(distances: &[f64], priors: &[f64]) -> Vec<f64> {
    let of_row = |row: &[f64]| {
        let scores: Vec<f64> = row.iter().zip(priors).map(|(q, prior)| prior.ln() - 0.5 * q).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total = largest + scores.iter().map(|score| (score - largest).exp()).sum::<f64>().ln();
        scores.into_iter().map(move |score| score - total).collect::<Vec<f64>>()
    };
    distances.chunks(priors.len()).flat_map(of_row).collect()
}

#[test]
fn only_coordinates_along_the_kept_axes_count() {
    let sample = Sample::new(200, 6, 5);
    let priors = [0.1, 0.3, 0.2, 0.15, 0.25];
    for (kind, components) in WITH_AXES.into_iter().flat_map(|kind| [(kind, 1), (kind, 2), (kind, 4)]) {
        let fit = kind.fit_linear(&sample, &priors).unwrap().reduced(components).unwrap();
        let distances = projected_distances(&sample, &fit.axes.slice(s![.., ..components]).to_owned());
        assert_near(&asked(&fit.model, &sample.x, Question::Mahalanobis), &distances, 1e-11);
        let posteriors = log_posteriors(&distances, &priors);
        assert_near(&asked(&fit.model, &sample.x, Question::LogPosterior), &posteriors, 1e-11);
    }
}

#[test]
fn along_all_axes_posteriors_are_those_of_the_whole_model() {
    for (d, classes) in [(1, 2), (4, 2), (6, 4), (2, 5), (3, 4)] {
        let sample = Sample::new(40 * classes, d, classes);
        let priors = vec![1.0 / classes as f64; classes];
        for kind in WITH_AXES {
            let whole = kind.fit_linear(&sample, &priors).unwrap();
            let expected = asked(&whole.model, &sample.x, Question::LogPosterior);
            let reduced = whole.reduced(d.min(classes - 1)).unwrap().model;
            assert_near(&asked(&reduced, &sample.x, Question::LogPosterior), &expected, 1e-12);
        }
    }
}

#[test]
fn along_as_many_axes_as_columns_densities_are_those_of_the_whole_model() {
    let sample = Sample::new(120, 2, 4);
    for kind in WITH_AXES {
        let whole = kind.fit_linear(&sample, &[0.25; 4]).unwrap();
        let expected = asked(&whole.model, &sample.x, Question::LogDensity);
        let reduced = whole.reduced(2).unwrap().model;
        assert_near(&asked(&reduced, &sample.x, Question::LogDensity), &expected, 1e-12);
    }
}

#[test]
fn coefficients_and_intercepts_give_the_decisions_along_few_axes() {
    let sample = Sample::new(200, 6, 5);
    for kind in WITH_AXES {
        let fit = kind.fit_linear(&sample, &[0.2; 5]).unwrap().reduced(2).unwrap();
        let scores = sample.x.dot(&fit.coefficients.t()) + Array1::from(fit.intercepts).insert_axis(Axis(0));
        let flat: Vec<f64> = scores.iter().copied().collect();
        assert_near(&asked(&fit.model, &sample.x, Question::Decision), &flat, 1e-11);
    }
}

#[test]
fn no_more_axes_are_kept_than_there_are() {
    let fit = Kind::Svd.fit_linear(&nearly_on_a_line(0.0), &[1.0 / 3.0; 3]).unwrap().reduced(2).unwrap();
    let Shape::Tied { whitening, .. } = &fit.model.parts().shape else {
        panic!("a common covariance");
    };
    assert_eq!(whitening.matrix.dim(), (1, 3));
}

#[test]
fn a_fit_without_axes_stays_as_it_is() {
    let sample = Sample::new(60, 3, 2);
    let whole = Kind::Lsqr.fit_linear(&sample, &[0.5; 2]).unwrap().model;
    assert_eq!(Kind::Lsqr.fit_linear(&sample, &[0.5; 2]).unwrap().reduced(1).unwrap().model, whole);
    let one_class = Sample::new(30, 3, 1);
    let whole = Kind::Svd.fit_linear(&one_class, &[1.0]).unwrap().model;
    assert_eq!(Kind::Svd.fit_linear(&one_class, &[1.0]).unwrap().reduced(1).unwrap().model, whole);
}
