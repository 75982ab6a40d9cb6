//! The five routes to a model, and questions to it in any selection.

use nalgebra::DVector;
use ndarray::Array2;

use super::{Precision, Sample};
use crate::core::{
    Answers, LinearFit, Model, Moments, Parallel, Result, Rows, Rules, Structure, covariance, score,
};

/// A route to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Quadratic,
    Naive,
    Svd,
    Lsqr,
    Eigen,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [Self::Quadratic, Self::Naive, Self::Svd, Self::Lsqr, Self::Eigen];
    pub(crate) const LINEAR: [Self; 3] = [Self::Svd, Self::Lsqr, Self::Eigen];

    /// With maximum-likelihood divisors.
    pub(crate) fn fit(self, sample: &Sample, priors: &[f64]) -> Result<Model> {
        match self {
            Self::Quadratic => {
                let moments = sample.moments(Structure::Full)?;
                let covariances = covariance::of_classes(&moments, false)?;
                Model::quadratic(&moments, covariances.view(), priors, 1e-4, Parallel::new(Some(1)))
            }
            Self::Naive => {
                let moments = sample.moments(Structure::Diag)?;
                let variances = covariance::variances(&moments, false)?;
                Model::naive(&moments, variances.view(), priors)
            }
            Self::Svd | Self::Lsqr | Self::Eigen => Ok(self.fit_linear(sample, priors)?.model),
        }
    }

    pub(crate) fn fit_linear(self, sample: &Sample, priors: &[f64]) -> Result<LinearFit> {
        let moments = sample.moments(Structure::Full)?;
        match self {
            Self::Svd => LinearFit::svd(&moments, priors, 1e-4, false),
            Self::Lsqr => {
                LinearFit::lsqr(&moments, covariance::pooled(&moments, Some(priors), false)?.view(), priors)
            }
            Self::Eigen => {
                let within = covariance::pooled(&moments, Some(priors), false)?;
                LinearFit::eigen(&moments, within.view(), between(&moments, priors).view(), priors)
            }
            Self::Quadratic | Self::Naive => unreachable!("not linear"),
        }
    }
}

/// Σ_k π_k (μ_k − μ)(μ_k − μ)ᵀ.
pub(crate) fn between(moments: &Moments, priors: &[f64]) -> Array2<f64> {
    let d = moments.n_features();
    let means = moments.means();
    let means: Vec<_> =
        means.outer_iter().map(|mean| DVector::from_iterator(d, mean.iter().copied())).collect();
    let center = means.iter().zip(priors).map(|(mean, &prior)| mean * prior).sum::<DVector<f64>>();
    Array2::from_shape_fn((d, d), |(i, j)| {
        let products = means.iter().map(|mean| (mean[i] - center[i]) * (mean[j] - center[j]));
        products.zip(priors).map(|(product, prior)| prior * product).sum()
    })
}

/// One thing to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Label,
    Posterior,
    LogPosterior,
    Joint,
    LogDensity,
    Mahalanobis,
    Decision,
}

impl Question {
    pub(crate) const ALL: [Self; 7] = [
        Self::Label,
        Self::Posterior,
        Self::LogPosterior,
        Self::Joint,
        Self::LogDensity,
        Self::Mahalanobis,
        Self::Decision,
    ];
}

/// Answers; empty where nothing was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked<T> {
    pub(crate) label: Vec<u32>,
    pub(crate) posterior: Vec<T>,
    pub(crate) log_posterior: Vec<T>,
    pub(crate) joint: Vec<T>,
    pub(crate) log_density: Vec<T>,
    pub(crate) mahalanobis: Vec<T>,
    pub(crate) decision: Vec<T>,
}

impl<T: Precision> Asked<T> {
    /// Every number.
    pub(crate) fn values(&self) -> impl Iterator<Item = T> {
        let all = [&self.posterior, &self.log_posterior, &self.joint, &self.log_density];
        all.into_iter().chain([&self.mahalanobis, &self.decision]).flatten().copied()
    }
}

/// Asks some questions in one pass. What the pass left out would stay NaN, or a label beyond all classes.
pub(crate) fn ask<T: Precision>(
    model: &Model,
    rows: &Rows<'_>,
    questions: &[Question],
    parallel: Parallel<'_>,
) -> Result<Asked<T>> {
    let (n, k) = (rows.n_rows(), model.n_classes());
    let wanted = |question| questions.contains(&question);
    let space = |question, width: usize| vec![T::nan(); if wanted(question) { n * width } else { 0 }];
    let mut asked = Asked {
        label: vec![u32::MAX; if wanted(Question::Label) { n } else { 0 }],
        posterior: space(Question::Posterior, k),
        log_posterior: space(Question::LogPosterior, k),
        joint: space(Question::Joint, k),
        log_density: space(Question::LogDensity, 1),
        mahalanobis: space(Question::Mahalanobis, k),
        decision: space(Question::Decision, if k == 2 { 1 } else { k }),
    };
    let answers = Answers {
        label: wanted(Question::Label).then_some(&mut asked.label[..]),
        posterior: wanted(Question::Posterior).then_some(&mut asked.posterior[..]),
        log_posterior: wanted(Question::LogPosterior).then_some(&mut asked.log_posterior[..]),
        joint: wanted(Question::Joint).then_some(&mut asked.joint[..]),
        log_density: wanted(Question::LogDensity).then_some(&mut asked.log_density[..]),
        mahalanobis: wanted(Question::Mahalanobis).then_some(&mut asked.mahalanobis[..]),
        decision: wanted(Question::Decision).then_some(&mut asked.decision[..]),
        ..Answers::default()
    };
    score(model, rows, &Rules::default(), answers, parallel)?;
    Ok(asked)
}
