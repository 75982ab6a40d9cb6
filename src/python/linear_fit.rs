//! Fits with a common covariance for Python: the model, and its linear functions and axes.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;

use super::model::Model;
use super::run::{run_algebra, run_quick};
use crate::error::Result;
use crate::model::{LinearFit as CoreLinearFit, find_axes_of_means};
use crate::wide::{SpanModel, WideLinearFit};

/// A model with a common covariance, and its linear functions.
#[pyclass(frozen, module = "gauda._core")]
pub(super) struct LinearFit {
    #[pyo3(get)]
    model: Py<Model>,
    #[pyo3(get)]
    coefficients: Py<PyArray2<f64>>,
    #[pyo3(get)]
    intercepts: Py<PyArray1<f64>>,
    axes: Axes,
}

/// Discriminant axes as columns, and the between-class variance along each.
enum Axes {
    Found(Array2<f64>, Vec<f64>),
    /// Those of the class means, weighted by these priors.
    OfMeans(Vec<f64>),
}

#[pymethods]
impl LinearFit {
    /// Discriminant axes as columns, and the between-class variance along each.
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<AxesArrays<'py>> {
        let (axes, between) = match &self.axes {
            Axes::Found(axes, between) => (axes.clone(), between.clone()),
            Axes::OfMeans(priors) => {
                let parts = run_quick(py, || Ok(self.model.get().dense()?.parts().clone()))?;
                let priors = priors.clone();
                run_algebra(py, parts.center.len(), move || find_axes_of_means(&parts, &priors))?
            }
        };
        Ok((axes.into_pyarray(py), between.into_pyarray(py)))
    }
}

type AxesArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

impl LinearFit {
    pub(super) fn new(py: Python<'_>, fit: CoreLinearFit) -> PyResult<Self> {
        let CoreLinearFit { model, coefficients, intercepts, axes, between, .. } = fit;
        Self::of(py, Model::from(model), (coefficients, intercepts), Axes::Found(axes, between))
    }

    /// The same of a fit without axes: those of the class means are found when they are asked for.
    pub(super) fn with_axes_of_means(py: Python<'_>, fit: CoreLinearFit, priors: Vec<f64>) -> PyResult<Self> {
        let CoreLinearFit { model, coefficients, intercepts, .. } = fit;
        Self::of(py, Model::from(model), (coefficients, intercepts), Axes::OfMeans(priors))
    }

    /// The same with the model of all directions that rows vary in.
    pub(super) fn of_span(py: Python<'_>, fit: CoreLinearFit, span: SpanModel) -> PyResult<Self> {
        let CoreLinearFit { coefficients, intercepts, axes, between, .. } = fit;
        Self::of(py, Model::from(span), (coefficients, intercepts), Axes::Found(axes, between))
    }

    pub(super) fn of_wide(py: Python<'_>, fit: WideLinearFit) -> PyResult<Self> {
        let WideLinearFit { model, coefficients, intercepts, axes, between, .. } = fit;
        Self::of(py, Model::from(model), (coefficients, intercepts), Axes::Found(axes, between))
    }

    fn of(
        py: Python<'_>,
        model: Model,
        (coefficients, intercepts): (Array2<f64>, Vec<f64>),
        axes: Axes,
    ) -> PyResult<Self> {
        Ok(Self {
            model: Py::new(py, model)?,
            coefficients: coefficients.into_pyarray(py).unbind(),
            intercepts: intercepts.into_pyarray(py).unbind(),
            axes,
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
