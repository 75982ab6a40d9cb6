//! Moments for Python.

use std::sync::Arc;

use ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

use super::arrays::{Readable1, Readable2, Readable3};
use super::copied::copied;
use super::rows::Table;
use super::run::{run, run_quick};
use crate::covariance;
use crate::moments::{Means, Moments as Core, Structure, check_priors};

/// Weight, mean and scatter of each class.
#[pyclass(frozen, eq, module = "gauda._core")]
#[derive(PartialEq)]
pub(super) struct Moments(pub(super) Arc<Core>);

impl From<Core> for Moments {
    fn from(moments: Core) -> Self {
        Self(Arc::new(moments))
    }
}

pub(super) fn structure_from(name: &str) -> PyResult<Structure> {
    match name {
        "full" => Ok(Structure::Full),
        "tied" => Ok(Structure::Tied),
        "diag" => Ok(Structure::Diag),
        _ => Err(PyValueError::new_err(format!("structure must be 'full', 'tied' or 'diag', got {name:?}"))),
    }
}

#[pymethods]
impl Moments {
    /// Builds moments from their parts; `from_data` is the usual way to get some.
    #[new]
    #[pyo3(signature = (structure, rows, weights, shift, offset, scatter, past=None, seen=None))]
    #[expect(clippy::too_many_arguments, reason = "what moments are made of")]
    fn new(
        py: Python<'_>,
        structure: &str,
        rows: Vec<u64>,
        weights: Readable1<'_, f64>,
        shift: Readable2<'_, f64>,
        offset: Readable2<'_, f64>,
        scatter: Readable3<'_, f64>,
        past: Option<Readable2<'_, f64>>,
        seen: Option<Readable2<'_, f64>>,
    ) -> PyResult<Self> {
        let structure = structure_from(structure)?;
        let weights = copied(weights.as_array());
        let means = Means { shift: copied(shift.as_array()), offset: copied(offset.as_array()) };
        let scatter = copied(scatter.as_array());
        let past = past.map(|past| copied(past.as_array()));
        let seen = seen.map(|seen| copied(seen.as_array()));
        run_quick(py, || {
            let mut moments = Core::new(structure, rows, weights, means, scatter)?;
            if let Some(past) = past {
                moments = moments.with_past(past)?;
            }
            match seen {
                Some(seen) => moments.with_seen(seen),
                None => Ok(moments),
            }
        })
        .map(Self::from)
    }

    /// One pass over rows with class codes.
    #[staticmethod]
    #[pyo3(signature = (X, codes, n_classes, structure, weights=None, n_threads=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn from_data(
        py: Python<'_>,
        X: Table<'_>,
        codes: Readable1<'_, u32>,
        n_classes: usize,
        structure: &str,
        weights: Option<Readable1<'_, f64>>,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let structure = structure_from(structure)?;
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        run(py, n_threads, |parallel| Core::from_rows(&rows, codes, n_classes, weights, structure, parallel))
            .map(Self::from)
    }

    /// One pass over rows with class codes, in which NaN is left out of the sums of its column: diagonal moments.
    #[staticmethod]
    #[pyo3(signature = (X, codes, n_classes, weights=None, n_threads=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn from_observed(
        py: Python<'_>,
        X: Table<'_>,
        codes: Readable1<'_, u32>,
        n_classes: usize,
        weights: Option<Readable1<'_, f64>>,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        run(py, n_threads, |parallel| Core::from_observed(&rows, codes, n_classes, weights, parallel))
            .map(Self::from)
    }

    /// 'full', 'tied' or 'diag'.
    #[getter]
    fn structure(&self) -> &'static str {
        match self.0.structure() {
            Structure::Full => "full",
            Structure::Tied => "tied",
            Structure::Diag => "diag",
        }
    }

    /// Number of columns.
    #[getter]
    fn n_features(&self) -> usize {
        self.0.n_features()
    }

    /// Rows of positive weight in each class.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.0.rows().to_pyarray(py)
    }

    /// Sum of the weights of each class.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.weights().to_pyarray(py)
    }

    /// The class means.
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.0.means().into_pyarray(py)
    }

    /// Sums of squares and products: K × d × d, 1 × d × d or K × 1 × d.
    #[getter]
    fn scatter<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<f64>> {
        self.0.scatter().to_pyarray(py)
    }

    /// Sums of squares that others were removed from, of each matrix and column; None if none were.
    #[getter]
    fn past<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.0.past().map(|past| past.to_pyarray(py))
    }

    /// Weight of the rows in which a column is observed, class × column; None if no value was missing.
    #[getter]
    fn seen<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.0.seen().map(|seen| seen.to_pyarray(py))
    }

    /// The mean of the class means, weighted.
    fn mean_of_means<'py>(
        &self,
        py: Python<'py>,
        weights: Readable1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let weights = weights.as_slice()?;
        let mean = run_quick(py, || {
            check_priors(weights, self.0.n_classes())?;
            Ok(self.0.mean_of_means(weights))
        })?;
        Ok(mean.into_pyarray(py))
    }

    /// The moments of two disjoint samples together.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        run_quick(py, || self.0.merge(&other.0)).map(Self::from)
    }

    /// The moments of what is left without a part.
    #[pyo3(signature = (part, max_removed=None))]
    fn subtract(&self, py: Python<'_>, part: &Self, max_removed: Option<f64>) -> PyResult<Self> {
        run_quick(py, || match max_removed {
            Some(max_removed) => self.0.subtract_at_most(&part.0, max_removed),
            None => self.0.subtract(&part.0),
        })
        .map(Self::from)
    }

    /// The moments with every weight multiplied by a factor.
    fn scale(&self, py: Python<'_>, factor: f64) -> PyResult<Self> {
        run_quick(py, || self.0.scale(factor)).map(Self::from)
    }

    /// The moments with classes moved to other places; those that share a place become one.
    fn regroup(&self, py: Python<'_>, places: Vec<usize>, n_classes: usize) -> PyResult<Self> {
        run_quick(py, || self.0.regroup(&places, n_classes)).map(Self::from)
    }

    /// The moments of some columns.
    fn select(&self, py: Python<'_>, columns: Vec<usize>) -> PyResult<Self> {
        run_quick(py, || self.0.select(&columns)).map(Self::from)
    }

    /// The moments with less known of second moments.
    fn to(&self, py: Python<'_>, structure: &str) -> PyResult<Self> {
        let structure = structure_from(structure)?;
        run_quick(py, || self.0.to(structure)).map(Self::from)
    }

    /// The moments of all rows as one class.
    fn total(&self, py: Python<'_>) -> PyResult<Self> {
        run_quick(py, || self.0.total()).map(Self::from)
    }

    /// One covariance per class.
    fn class_covariances<'py>(&self, py: Python<'py>, unbiased: bool) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let covariances: Array3<f64> = run_quick(py, || covariance::of_classes(&self.0, unbiased))?;
        Ok(covariances.into_pyarray(py))
    }

    /// The variance of each class and column.
    fn variances<'py>(&self, py: Python<'py>, unbiased: bool) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let variances: Array2<f64> = run_quick(py, || covariance::variances(&self.0, unbiased))?;
        Ok(variances.into_pyarray(py))
    }

    /// The pooled covariance.
    fn pooled_covariance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(run_quick(py, || covariance::pooled(&self.0, None, false))?.into_pyarray(py))
    }

    /// The factor that makes a pooled covariance unbiased.
    fn pooled_correction(&self, py: Python<'_>) -> PyResult<f64> {
        run_quick(py, || covariance::pooled_correction(&self.0))
    }

    /// One covariance per class, shrunk by Ledoit and Wolf's intensity; the rows must be those of these moments.
    #[pyo3(signature = (X, codes, weights=None, n_threads=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn ledoit_wolf<'py>(
        &self,
        py: Python<'py>,
        X: Table<'py>,
        codes: Readable1<'py, u32>,
        weights: Option<Readable1<'py, f64>>,
        n_threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        let covariances =
            run(py, n_threads, |parallel| covariance::ledoit_wolf(&self.0, &rows, codes, weights, parallel))?;
        Ok(covariances.into_pyarray(py))
    }

    /// The larger part of the class means.
    #[getter]
    fn shift<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.0.means_in_parts().shift.to_pyarray(py)
    }

    /// The class means less `shift`.
    #[getter]
    fn offset<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.0.means_in_parts().offset.to_pyarray(py)
    }

    /// The arguments that the moments are built from, by name.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = ["structure", "rows", "weights", "shift", "offset", "scatter", "past", "seen"];
        names.into_iter().zip(self.arguments(py)?).into_py_dict(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().into_any(), self.arguments(py)?))
    }
}

impl Moments {
    /// What the constructor takes.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let moments = &self.0;
        let parts = (
            self.structure(),
            moments.rows().to_vec(),
            moments.weights().to_pyarray(py),
            self.shift(py),
            self.offset(py),
            moments.scatter().to_pyarray(py),
            self.past(py),
            self.seen(py),
        );
        parts.into_pyobject(py)
    }
}
