//! Fitted models for Python.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

use super::answers::Asked;
use super::arrays::{Readable1, Readable2, Readable3};
use super::copied::copied;
use super::few::Few;
use super::held_model::Held;
use super::held_moments::dense;
use super::linear_fit::{LinearFit, along};
use super::model_parts::{TiedParts, parts_from};
use super::moments::Moments;
use super::rows::Table;
use super::rules::RuleArrays;
use super::run::{run_algebra, run_quick};
use crate::model::{LinearFit as CoreLinearFit, Model as Core, Shape};
use crate::parallel::Parallel;

/// A prior and a Gaussian for each class.
#[pyclass(frozen, eq, module = "gauda._core")]
#[derive(PartialEq)]
pub(super) struct Model(pub(super) Held);

#[pymethods]
impl Model {
    /// Builds a model from its parts: `spread` holds whitening matrices ('full', 'tied') or deviations ('diag');
    /// `tied` the whitened means, and whether decisions are uncentered.
    #[new]
    fn new(
        py: Python<'_>,
        center: Vec<f64>,
        means: (Readable2<'_, f64>, Readable2<'_, f64>),
        log_prior: Vec<f64>,
        spread: Readable3<'_, f64>,
        log_det: Vec<f64>,
        tied: Option<TiedParts<'_>>,
    ) -> PyResult<Self> {
        let parts = parts_from(center, means, spread, log_det, tied)?;
        run_quick(py, || Core::from_parts(parts, log_prior)).map(Self::from)
    }

    /// One covariance per class.
    #[staticmethod]
    #[pyo3(signature = (moments, covariances, priors, tol, n_threads=None))]
    fn quadratic(
        py: Python<'_>,
        moments: &Moments,
        covariances: Readable3<'_, f64>,
        priors: Readable1<'_, f64>,
        tol: f64,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let (moments, covariances) = (dense(py, moments)?, copied(covariances.as_array()));
        let priors = priors.as_array().to_vec();
        run_algebra(py, moments.n_features(), move || {
            Core::quadratic(&moments, covariances.view(), &priors, tol, Parallel::new(n_threads))
        })
        .map(Self::from)
    }

    /// Independent columns.
    #[staticmethod]
    fn naive(
        py: Python<'_>,
        moments: &Moments,
        variances: Readable2<'_, f64>,
        priors: Readable1<'_, f64>,
    ) -> PyResult<Self> {
        let (variances, priors) = (variances.as_array(), priors.as_array().to_vec());
        run_quick(py, || Core::naive(moments.dense()?, variances, &priors)).map(Self::from)
    }

    /// A common covariance, pooled from the moments; directions without variance are dropped. With `components`, rows
    /// are scored along so many axes only.
    #[staticmethod]
    #[pyo3(signature = (moments, priors, tol, unbiased, components=None))]
    fn linear_svd(
        py: Python<'_>,
        moments: &Moments,
        priors: Readable1<'_, f64>,
        tol: f64,
        unbiased: bool,
        components: Option<usize>,
    ) -> PyResult<LinearFit> {
        let priors = priors.as_array().to_vec();
        if let Some(wide) = moments.wide() {
            let wide = Arc::clone(wide);
            let fit = run_algebra(py, wide.n_features(), move || {
                match wide.linear_span(&priors, tol, unbiased)? {
                    Some((fit, _)) if components.is_some() => Ok((along(fit, components)?, None)),
                    Some((fit, span)) => Ok((fit, Some(span))),
                    None => Ok((along(wide.linear_svd(&priors, tol, unbiased)?, components)?, None)),
                }
            })?;
            return match fit {
                (fit, Some(span)) => LinearFit::of_span(py, fit, span),
                (fit, None) => LinearFit::new(py, fit),
            };
        }
        let moments = dense(py, moments)?;
        if components.is_some() {
            let fit = run_algebra(py, moments.n_features(), move || {
                along(CoreLinearFit::svd(&moments, &priors, tol, unbiased)?, components)
            })?;
            return LinearFit::new(py, fit);
        }
        let (fit, priors) = run_algebra(py, moments.n_features(), move || {
            Ok((CoreLinearFit::svd_without_axes(&moments, &priors, tol, unbiased)?, priors))
        })?;
        LinearFit::with_axes_of_means(py, fit, priors)
    }

    /// A common covariance, given; a singular one is inverted where it is not 0.
    #[staticmethod]
    fn linear_lsqr(
        py: Python<'_>,
        moments: &Moments,
        covariance: Readable2<'_, f64>,
        priors: Readable1<'_, f64>,
    ) -> PyResult<LinearFit> {
        let (moments, covariance) = (dense(py, moments)?, copied(covariance.as_array()));
        let priors = priors.as_array().to_vec();
        let fit = run_algebra(py, moments.n_features(), move || {
            CoreLinearFit::lsqr(&moments, covariance.view(), &priors)
        })?;
        LinearFit::new(py, fit)
    }

    /// A common covariance, given, with axes from the covariance between classes. With `components`, rows are scored
    /// along so many axes only.
    #[staticmethod]
    #[pyo3(signature = (moments, within, between, priors, components=None))]
    fn linear_eigen(
        py: Python<'_>,
        moments: &Moments,
        within: Readable2<'_, f64>,
        between: Readable2<'_, f64>,
        priors: Readable1<'_, f64>,
        components: Option<usize>,
    ) -> PyResult<LinearFit> {
        let (moments, priors) = (dense(py, moments)?, priors.as_array().to_vec());
        let (within, between) = (copied(within.as_array()), copied(between.as_array()));
        let fit = run_algebra(py, moments.n_features(), move || {
            along(CoreLinearFit::eigen(&moments, within.view(), between.view(), &priors)?, components)
        })?;
        LinearFit::new(py, fit)
    }

    /// Number of classes.
    #[getter]
    fn n_classes(&self) -> usize {
        self.log_priors().len()
    }

    /// Number of columns.
    #[getter]
    fn n_features(&self) -> usize {
        match &self.0 {
            Held::Plain(model) => model.n_features(),
            Held::Wide(model, _) => model.n_features(),
            Held::Span(model, _) => model.linear().n_features(),
        }
    }

    /// Number of directions in which rows of a class vary.
    #[getter]
    fn rank(&self) -> usize {
        match &self.0 {
            Held::Plain(model) => model.rank(),
            Held::Wide(model, _) => model.rank(),
            Held::Span(model, _) => model.rank(),
        }
    }

    /// What is known of covariances: 'full' (one for each class), 'tied' (a common one) or 'diag' (variances).
    #[getter]
    fn structure(&self) -> &'static str {
        match &self.0 {
            Held::Plain(model) => match model.parts().shape {
                Shape::Full(_) => "full",
                Shape::Tied { .. } => "tied",
                Shape::Diag(_) => "diag",
            },
            Held::Span(..) => "tied",
            Held::Wide(model, _) => {
                if model.is_common() {
                    "tied"
                } else {
                    "full"
                }
            }
        }
    }

    /// Whether covariances are known in few directions and their complement.
    #[getter]
    fn is_wide(&self) -> bool {
        self.wide().is_some()
    }

    /// The covariances of a model in few directions, d × d: one for each class, or a common one.
    fn wide_covariances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let Some(wide) = self.wide() else {
            return Err(PyValueError::new_err("a model of all columns"));
        };
        Ok(run_quick(py, || wide.covariances())?.into_pyarray(py))
    }

    /// Logarithms of the priors.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.log_priors())
    }

    /// The same classes under other priors.
    fn with_log_prior(&self, py: Python<'_>, log_prior: Vec<f64>) -> PyResult<Self> {
        run_quick(py, || match &self.0 {
            Held::Plain(model) => model.with_log_prior(log_prior).map(Self::from),
            Held::Wide(model, _) => model.with_log_prior(log_prior).map(Self::from),
            Held::Span(model, _) => model.with_log_prior(log_prior).map(Self::from),
        })
    }

    /// The model of some columns; of few columns of wide data, without matrices of all.
    fn select(&self, py: Python<'_>, columns: Vec<usize>) -> PyResult<Option<Self>> {
        match &self.0 {
            Held::Wide(model, _) => run_quick(py, || model.select(&columns)).map(|model| Some(model.into())),
            Held::Plain(_) | Held::Span(..) => Ok(None),
        }
    }

    /// For each class the lower triangular W with W Σ Wᵀ = I, of a model with one covariance per class.
    #[getter]
    fn whitening<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        Ok(match &run_quick(py, || self.dense())?.parts().shape {
            Shape::Full(whitenings) => {
                whitenings.iter().map(|whitening| whitening.matrix.to_pyarray(py)).collect()
            }
            Shape::Tied { .. } | Shape::Diag(_) => vec![],
        })
    }

    /// Fills the arrays that the keywords name, see `Asked::new`.
    #[pyo3(signature = (X, n_threads=None, rules=None, **answers))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        X: Table<'py>,
        n_threads: Option<usize>,
        rules: Option<RuleArrays<'py>>,
        answers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let rows = X.rows();
        let asked = Asked::new(n_threads, rules, answers)?;
        match rows.is_single() {
            true => {
                asked.fill::<f32>(py, |rules, answers, parallel| self.score(&rows, rules, answers, parallel))
            }
            false => {
                asked.fill::<f64>(py, |rules, answers, parallel| self.score(&rows, rules, answers, parallel))
            }
        }
    }

    /// The labels of a few rows, taken from `names`; None if it takes `answer` to find them, or why there are none.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn label_few<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.log_priors().len()) else { return Ok(None) };
        let rows = few.table().rows();
        match rows.is_single() {
            true => few
                .labels(names, |rules, answers, parallel| self.score::<f32>(&rows, rules, answers, parallel)),
            false => few
                .labels(names, |rules, answers, parallel| self.score::<f64>(&rows, rules, answers, parallel)),
        }
    }

    /// The posteriors of a few rows; None likewise.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn posterior_few<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.log_priors().len()) else { return Ok(None) };
        let rows = few.table().rows();
        match rows.is_single() {
            true => few
                .posterior::<f32>(py, |rules, answers, parallel| self.score(&rows, rules, answers, parallel)),
            false => few
                .posterior::<f64>(py, |rules, answers, parallel| self.score(&rows, rules, answers, parallel)),
        }
    }

    /// The arguments that the model is built from, by name.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = ["center", "means", "log_prior", "spread", "log_det", "tied"];
        names.into_iter().zip(self.arguments(py)?).into_py_dict(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        match self.wide() {
            Some(model) => super::wide::reduced(py, model),
            None => Ok((py.get_type::<Self>().into_any(), self.arguments(py)?)),
        }
    }
}
