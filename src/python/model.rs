//! Fitted models for Python.

use ndarray::Axis;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
    PyReadwriteArrayDyn, ToPyArray,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::moments::Moments;
use super::rows::Table;
use super::run::{run, run_quick};
use crate::linalg::Whitening;
use crate::model::{LinearFit, Model as Core, Pack, Parts, Shape};
use crate::rows::Rows;
use crate::score::{Answers, score};

/// A prior and a Gaussian for each class.
#[pyclass(frozen, eq, module = "gauda._core")]
#[derive(PartialEq)]
pub(super) struct Model(Core);

/// A linear fit: model, coefficients, intercepts, axes, variances between classes along the axes.
type PyLinearFit<'py> = (
    Model,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

fn linear_fit(py: Python<'_>, fit: LinearFit) -> PyLinearFit<'_> {
    (
        Model(fit.model),
        fit.coefficients.into_pyarray(py),
        fit.intercepts.into_pyarray(py),
        fit.axes.into_pyarray(py),
        fit.between.into_pyarray(py),
    )
}

#[pymethods]
impl Model {
    /// Builds a model from its parts: `spread` holds whitening matrices ('full', 'tied') or deviations ('diag').
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the parts of a pickled model")]
    fn new(
        py: Python<'_>,
        kind: &str,
        center: Vec<f64>,
        means: PyReadonlyArray2<'_, f64>,
        log_prior: Vec<f64>,
        spread: PyReadonlyArray3<'_, f64>,
        log_det: Vec<f64>,
        whitened_means: PyReadonlyArray2<'_, f64>,
        uncentred: bool,
    ) -> PyResult<Self> {
        let matrices = spread.as_array().outer_iter().map(|matrix| matrix.to_owned()).collect::<Vec<_>>();
        let whitening = |(matrix, &log_det)| Whitening { matrix, log_det };
        let mut whitenings = matrices.clone().into_iter().zip(&log_det).map(whitening);
        let shape = match kind {
            "full" => Some(Shape::Full(whitenings.collect())),
            "tied" => whitenings.next().map(|whitening| Shape::Tied {
                whitening,
                whitened_means: whitened_means.as_array().to_owned(),
                uncentred,
            }),
            "diag" => matrices.into_iter().next().map(Shape::Diag),
            _ => None,
        };
        let shape = shape.ok_or_else(|| PyValueError::new_err("not the parts of a model"))?;
        let parts = Parts { center, means: means.as_array().to_owned(), log_prior, shape };
        run_quick(py, || Core::from_parts(parts)).map(Self)
    }

    /// One covariance per class.
    #[staticmethod]
    fn quadratic(
        py: Python<'_>,
        moments: &Moments,
        covariances: PyReadonlyArray3<'_, f64>,
        priors: PyReadonlyArray1<'_, f64>,
        tol: f64,
    ) -> PyResult<Self> {
        let (covariances, priors) = (covariances.as_array(), priors.as_slice()?);
        run_quick(py, || Core::quadratic(&moments.0, covariances, priors, tol)).map(Self)
    }

    /// Independent columns.
    #[staticmethod]
    fn naive(
        py: Python<'_>,
        moments: &Moments,
        variances: PyReadonlyArray2<'_, f64>,
        priors: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let (variances, priors) = (variances.as_array(), priors.as_slice()?);
        run_quick(py, || Core::naive(&moments.0, variances, priors)).map(Self)
    }

    /// A common covariance, pooled from the moments; directions without variance are dropped.
    #[staticmethod]
    fn linear_svd<'py>(
        py: Python<'py>,
        moments: &Moments,
        priors: PyReadonlyArray1<'py, f64>,
        tol: f64,
        unbiased: bool,
    ) -> PyResult<PyLinearFit<'py>> {
        let priors = priors.as_slice()?;
        let fit = run_quick(py, || LinearFit::svd(&moments.0, priors, tol, unbiased))?;
        Ok(linear_fit(py, fit))
    }

    /// A common covariance, given; a singular one is inverted where it is not 0.
    #[staticmethod]
    fn linear_lsqr<'py>(
        py: Python<'py>,
        moments: &Moments,
        covariance: PyReadonlyArray2<'py, f64>,
        priors: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<PyLinearFit<'py>> {
        let (covariance, priors) = (covariance.as_array(), priors.as_slice()?);
        let fit = run_quick(py, || LinearFit::lsqr(&moments.0, covariance, priors))?;
        Ok(linear_fit(py, fit))
    }

    /// A common covariance, given, with axes from the covariance between classes.
    #[staticmethod]
    fn linear_eigen<'py>(
        py: Python<'py>,
        moments: &Moments,
        within: PyReadonlyArray2<'py, f64>,
        between: PyReadonlyArray2<'py, f64>,
        priors: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<PyLinearFit<'py>> {
        let (within, between, priors) = (within.as_array(), between.as_array(), priors.as_slice()?);
        let fit = run_quick(py, || LinearFit::eigen(&moments.0, within, between, priors))?;
        Ok(linear_fit(py, fit))
    }

    /// Number of classes.
    #[getter]
    fn n_classes(&self) -> usize {
        self.0.n_classes()
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

    /// Fills the given arrays: `label` of uint32, the others of the precision that the rows are scored in.
    #[pyo3(signature = (X, n_threads=None, *, label=None, posterior=None, log_posterior=None, joint=None,
                        log_density=None, mahalanobis=None, decision=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    #[expect(clippy::too_many_arguments, reason = "one keyword for each answer")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        X: Table<'py>,
        n_threads: Option<usize>,
        label: Option<PyReadwriteArrayDyn<'py, u32>>,
        posterior: Option<Bound<'py, PyAny>>,
        log_posterior: Option<Bound<'py, PyAny>>,
        joint: Option<Bound<'py, PyAny>>,
        log_density: Option<Bound<'py, PyAny>>,
        mahalanobis: Option<Bound<'py, PyAny>>,
        decision: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let rows = X.rows();
        let scores = [posterior, log_posterior, joint, log_density, mahalanobis, decision];
        match rows.is_single() {
            true => self.answer_in::<f32>(py, &rows, n_threads, label, scores),
            false => self.answer_in::<f64>(py, &rows, n_threads, label, scores),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let Parts { center, means, log_prior, shape } = self.0.parts();
        let nothing = ndarray::Array2::zeros((0, 0));
        let (kind, matrices, log_det, whitened_means, uncentred) = match shape {
            Shape::Full(whitenings) => {
                let matrices = whitenings.iter().map(|whitening| whitening.matrix.view()).collect();
                let log_det = whitenings.iter().map(|whitening| whitening.log_det).collect();
                ("full", matrices, log_det, &nothing, false)
            }
            Shape::Tied { whitening, whitened_means, uncentred } => {
                ("tied", vec![whitening.matrix.view()], vec![whitening.log_det], whitened_means, *uncentred)
            }
            Shape::Diag(deviations) => ("diag", vec![deviations.view()], vec![], &nothing, false),
        };
        let spread = ndarray::stack(Axis(0), &matrices).expect("matrices of one shape");
        let parts = (
            kind,
            center.clone(),
            means.to_pyarray(py),
            log_prior.clone(),
            spread.into_pyarray(py),
            log_det,
            whitened_means.to_pyarray(py),
            uncentred,
        );
        Ok((py.get_type::<Self>().into_any(), parts.into_pyobject(py)?.into_any()))
    }
}

impl Model {
    /// The pass in one precision.
    fn answer_in<'py, T: Pack + numpy::Element>(
        &self,
        py: Python<'py>,
        rows: &Rows<'_>,
        n_threads: Option<usize>,
        mut label: Option<PyReadwriteArrayDyn<'py, u32>>,
        scores: [Option<Bound<'py, PyAny>>; 6],
    ) -> PyResult<()> {
        let mut arrays = vec![];
        for array in scores {
            arrays.push(array.map(|array| array.extract::<PyReadwriteArrayDyn<'py, T>>()).transpose()?);
        }
        let mut slices = vec![];
        for array in &mut arrays {
            slices.push(array.as_mut().map(PyReadwriteArrayDyn::as_slice_mut).transpose()?);
        }
        let mut slices = slices.into_iter();
        let mut next = || slices.next().flatten();
        let answers = Answers {
            label: label.as_mut().map(PyReadwriteArrayDyn::as_slice_mut).transpose()?,
            posterior: next(),
            log_posterior: next(),
            joint: next(),
            log_density: next(),
            mahalanobis: next(),
            decision: next(),
        };
        run(py, n_threads, |parallel| score(&self.0, rows, answers, parallel))
    }
}
