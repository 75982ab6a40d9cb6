//! Fits with a common covariance for Python: the model, and its linear functions and axes.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;

use super::model::Model;
use crate::error::Result;
use crate::model::LinearFit as CoreLinearFit;
use crate::wide::{SpanModel, WideLinearFit};

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
        let CoreLinearFit { model, coefficients, intercepts, axes, between, .. } = fit;
        Self::of(py, Model::from(model), (coefficients, intercepts), (axes, between))
    }

    /// The same with the model of all directions that rows vary in.
    pub(super) fn of_span(py: Python<'_>, fit: CoreLinearFit, span: SpanModel) -> PyResult<Self> {
        let CoreLinearFit { coefficients, intercepts, axes, between, .. } = fit;
        Self::of(py, Model::from(span), (coefficients, intercepts), (axes, between))
    }

    pub(super) fn of_wide(py: Python<'_>, fit: WideLinearFit) -> PyResult<Self> {
        let WideLinearFit { model, coefficients, intercepts, axes, between, .. } = fit;
        Self::of(py, Model::from(model), (coefficients, intercepts), (axes, between))
    }

    fn of(
        py: Python<'_>,
        model: Model,
        (coefficients, intercepts): (Array2<f64>, Vec<f64>),
        (axes, between): (Array2<f64>, Vec<f64>),
    ) -> PyResult<Self> {
        Ok(Self {
            model: Py::new(py, model)?,
            coefficients: coefficients.into_pyarray(py).unbind(),
            intercepts: intercepts.into_pyarray(py).unbind(),
            axes: axes.into_pyarray(py).unbind(),
            between: between.into_pyarray(py).unbind(),
        })
    }
}

/// The fit along so many axes; without a number, as it is.
pub(super) fn along(fit: CoreLinearFit, components: Option<usize>) -> Result<CoreLinearFit> {
    match components {
        Some(components) => fit.reduced(components),
        None => Ok(fit),
    }
}
