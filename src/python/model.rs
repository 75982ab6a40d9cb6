//! Fitted models for Python.

use std::sync::Arc;

use ndarray::Axis;
use numpy::{IntoPyArray, PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

use super::answers::Asked;
use super::arrays::{Readable2, Readable3};
use super::copied::copied;
use super::few::Few;
use super::moments::Moments;
use super::rows::Table;
use super::rules::RuleArrays;
use super::run::{run_algebra, run_quick};
use crate::error::Result;
use crate::linalg::Whitening;
use crate::model::{LinearFit as CoreLinearFit, Model as Core, Parts, Shape};
use crate::moments::Means;
use crate::parallel::Parallel;
use crate::score::score;

/// A prior and a Gaussian for each class.
#[pyclass(frozen, eq, module = "gauda._core")]
#[derive(PartialEq)]
pub(super) struct Model(pub(super) Core);

/// What a pickled model with a common covariance has besides.
type TiedParts<'py> = (Readable2<'py, f64>, bool);

/// A model with a common covariance, and its linear functions.
#[pyclass(frozen, get_all, module = "gauda._core")]
pub(super) struct LinearFit {
    model: Py<Model>,
    coefficients: Py<PyArray2<f64>>,
    intercepts: Py<PyArray1<f64>>,
    axes: Py<PyArray2<f64>>,
    between: Py<PyArray1<f64>>,
}

impl LinearFit {
    pub(super) fn new(py: Python<'_>, fit: CoreLinearFit) -> PyResult<Self> {
        Ok(Self {
            model: Py::new(py, Model(fit.model))?,
            coefficients: fit.coefficients.into_pyarray(py).unbind(),
            intercepts: fit.intercepts.into_pyarray(py).unbind(),
            axes: fit.axes.into_pyarray(py).unbind(),
            between: fit.between.into_pyarray(py).unbind(),
        })
    }
}

/// The fit along so many axes; without a number, as it is.
fn along(fit: CoreLinearFit, components: Option<usize>) -> Result<CoreLinearFit> {
    match components {
        Some(components) => fit.reduced(components),
        None => Ok(fit),
    }
}

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
        let matrices = spread.as_array().outer_iter().map(copied).collect::<Vec<_>>();
        let diagonal = tied.is_none() && log_det.is_empty();
        let expected = if diagonal { 1 } else { log_det.len() };
        if matrices.len() != expected || (tied.is_some() && expected != 1) {
            return Err(PyValueError::new_err("not the parts of a model"));
        }
        let mut whitenings =
            matrices.iter().cloned().zip(log_det).map(|(matrix, log_det)| Whitening { matrix, log_det });
        let shape = match (tied, diagonal) {
            (None, false) => Some(Shape::Full(whitenings.collect())),
            (None, true) => matrices.into_iter().next().map(Shape::Diag),
            (Some((whitened_means, uncentered)), _) => whitenings.next().map(|whitening| Shape::Tied {
                whitening,
                whitened_means: copied(whitened_means.as_array()),
                uncentered,
            }),
        };
        let shape = shape.ok_or_else(|| PyValueError::new_err("not the parts of a model"))?;
        let means = Means { shift: copied(means.0.as_array()), offset: copied(means.1.as_array()) };
        let parts = Parts { center, means, shape };
        run_quick(py, || Core::from_parts(parts, log_prior)).map(Self)
    }

    /// One covariance per class.
    #[staticmethod]
    #[pyo3(signature = (moments, covariances, priors, tol, n_threads=None))]
    fn quadratic(
        py: Python<'_>,
        moments: &Moments,
        covariances: Readable3<'_, f64>,
        priors: Vec<f64>,
        tol: f64,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let (moments, covariances) = (Arc::clone(&moments.0), copied(covariances.as_array()));
        run_algebra(py, moments.n_features(), move || {
            Core::quadratic(&moments, covariances.view(), &priors, tol, Parallel::new(n_threads))
        })
        .map(Self)
    }

    /// Independent columns.
    #[staticmethod]
    fn naive(
        py: Python<'_>,
        moments: &Moments,
        variances: Readable2<'_, f64>,
        priors: Vec<f64>,
    ) -> PyResult<Self> {
        let variances = variances.as_array();
        run_quick(py, || Core::naive(&moments.0, variances, &priors)).map(Self)
    }

    /// A common covariance, pooled from the moments; directions without variance are dropped. With `components`, rows
    /// are scored along so many axes only.
    #[staticmethod]
    #[pyo3(signature = (moments, priors, tol, unbiased, components=None))]
    fn linear_svd(
        py: Python<'_>,
        moments: &Moments,
        priors: Vec<f64>,
        tol: f64,
        unbiased: bool,
        components: Option<usize>,
    ) -> PyResult<LinearFit> {
        let moments = Arc::clone(&moments.0);
        let fit = run_algebra(py, moments.n_features(), move || {
            along(CoreLinearFit::svd(&moments, &priors, tol, unbiased)?, components)
        })?;
        LinearFit::new(py, fit)
    }

    /// A common covariance, given; a singular one is inverted where it is not 0.
    #[staticmethod]
    fn linear_lsqr(
        py: Python<'_>,
        moments: &Moments,
        covariance: Readable2<'_, f64>,
        priors: Vec<f64>,
    ) -> PyResult<LinearFit> {
        let (moments, covariance) = (Arc::clone(&moments.0), copied(covariance.as_array()));
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
        priors: Vec<f64>,
        components: Option<usize>,
    ) -> PyResult<LinearFit> {
        let moments = Arc::clone(&moments.0);
        let (within, between) = (copied(within.as_array()), copied(between.as_array()));
        let fit = run_algebra(py, moments.n_features(), move || {
            along(CoreLinearFit::eigen(&moments, within.view(), between.view(), &priors)?, components)
        })?;
        LinearFit::new(py, fit)
    }

    /// Number of classes.
    #[getter]
    fn n_classes(&self) -> usize {
        self.0.n_classes()
    }

    /// Logarithms of the priors.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.log_prior())
    }

    /// What is known of covariances: 'full' (one for each class), 'tied' (a common one) or 'diag' (variances).
    #[getter]
    fn structure(&self) -> &'static str {
        match &self.0.parts().shape {
            Shape::Full(_) => "full",
            Shape::Tied { .. } => "tied",
            Shape::Diag(_) => "diag",
        }
    }

    /// The same classes under other priors.
    fn with_log_prior(&self, py: Python<'_>, log_prior: Vec<f64>) -> PyResult<Self> {
        run_quick(py, || self.0.with_log_prior(log_prior)).map(Self)
    }

    /// For each class the lower triangular W with W Σ Wᵀ = I, of a model with one covariance per class.
    #[getter]
    fn whitening<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyArray2<f64>>> {
        match &self.0.parts().shape {
            Shape::Full(whitenings) => {
                whitenings.iter().map(|whitening| whitening.matrix.to_pyarray(py)).collect()
            }
            Shape::Tied { .. } | Shape::Diag(_) => vec![],
        }
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
            true => asked
                .fill::<f32>(py, |rules, answers, parallel| score(&self.0, &rows, rules, answers, parallel)),
            false => asked
                .fill::<f64>(py, |rules, answers, parallel| score(&self.0, &rows, rules, answers, parallel)),
        }
    }

    /// The labels of a few rows, taken from `names`; None if it takes `answer` to find them, or why there are none.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn label_few<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.0.n_classes()) else { return Ok(None) };
        let rows = few.table().rows();
        match rows.is_single() {
            true => few.labels(names, |rules, answers, parallel| {
                score::<f32>(&self.0, &rows, rules, answers, parallel)
            }),
            false => few.labels(names, |rules, answers, parallel| {
                score::<f64>(&self.0, &rows, rules, answers, parallel)
            }),
        }
    }

    /// The posteriors of a few rows; None likewise.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn posterior_few<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.0.n_classes()) else { return Ok(None) };
        let rows = few.table().rows();
        match rows.is_single() {
            true => few.posterior::<f32>(py, |rules, answers, parallel| {
                score(&self.0, &rows, rules, answers, parallel)
            }),
            false => few.posterior::<f64>(py, |rules, answers, parallel| {
                score(&self.0, &rows, rules, answers, parallel)
            }),
        }
    }

    /// The arguments that the model is built from, by name.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = ["center", "means", "log_prior", "spread", "log_det", "tied"];
        names.into_iter().zip(self.arguments(py)?).into_py_dict(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().into_any(), self.arguments(py)?))
    }
}

impl Model {
    /// What the constructor takes.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Parts { center, means, shape } = self.0.parts();
        let (matrices, log_det, tied) = match shape {
            Shape::Full(whitenings) => {
                let matrices = whitenings.iter().map(|whitening| whitening.matrix.view()).collect();
                (matrices, whitenings.iter().map(|whitening| whitening.log_det).collect(), None)
            }
            Shape::Tied { whitening, whitened_means, uncentered } => {
                let means = (whitened_means.to_pyarray(py), *uncentered);
                (vec![whitening.matrix.view()], vec![whitening.log_det], Some(means))
            }
            Shape::Diag(deviations) => (vec![deviations.view()], vec![], None),
        };
        let spread = ndarray::stack(Axis(0), &matrices).expect("matrices of one shape");
        let means = (means.shift.to_pyarray(py), means.offset.to_pyarray(py));
        let spread = spread.into_pyarray(py);
        (center.clone(), means, self.0.log_prior(), spread, log_det, tied).into_pyobject(py)
    }
}
