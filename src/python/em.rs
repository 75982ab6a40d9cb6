//! Moments estimated from rows with missing values, in memory or read again and again.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray2, PyArray3, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::arrays::{Readable1, Readable2, Readable3};
use super::copied::copied;
use super::moment_parts::{structure_from, structure_name};
use super::moments::Moments;
use super::rows::Table;
use super::run::{run, run_quick};
use crate::error::{Error, Result};
use crate::missing::{self, Em, Estimate, PassParts, Regularized, estimate, estimate_in_passes};
use crate::parallel::Parallel;

/// The moments, the log-likelihood before and after each iteration, whether the iterations converged, and whether nothing
/// was missing.
type Estimated = (Moments, Vec<f64>, bool, bool);

/// What a caller says of the iterations: at most how many, the tolerance, what is called after each, and what gives means
/// (or None) and covariances of moments where these are not those of largest likelihood.
#[derive(FromPyObject)]
pub(super) struct Iterations(usize, f64, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// Python functions that are called from within the core, and what the first one that failed has raised.
struct Callbacks<'a> {
    iterations: &'a Iterations,
    raised: Mutex<Option<PyErr>>,
}

impl<'a> Callbacks<'a> {
    fn new(iterations: &'a Iterations) -> Self {
        Self { iterations, raised: Mutex::new(None) }
    }

    /// Estimates with these callbacks; what one of them raises is what the caller sees.
    fn estimate(
        &self,
        py: Python<'_>,
        n_threads: Option<usize>,
        work: impl FnOnce(Em<'_>, Parallel<'_>) -> Result<Estimate> + Send,
    ) -> PyResult<Estimated> {
        let Iterations(max_iter, tol, report, regularize) = self.iterations;
        let found = run(py, n_threads, |parallel| {
            let report = report.as_ref().map(|report| move || tell(report));
            let regularize = regularize.as_ref().map(|function| {
                move |moments: &crate::moments::Moments| self.call(|py| regularized(py, function, moments))
            });
            let em = Em {
                max_iter: *max_iter,
                tol: *tol,
                report: report.as_ref().map(|report| report as &dyn Fn()),
                regularize: regularize.as_ref().map(|regularize| regularize as &missing::Regularize<'_>),
            };
            work(em, parallel)
        });
        if let Some(error) = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        let Estimate { moments, log_likelihood, converged, complete } = found?;
        Ok((Moments::from(moments), log_likelihood, converged, complete))
    }

    /// What a Python function returns; an error ends the work.
    fn call<R>(&self, function: impl FnOnce(Python<'_>) -> PyResult<R>) -> Result<R> {
        Python::attach(function).map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Cancelled
        })
    }
}

fn regularized(
    py: Python<'_>,
    function: &Py<PyAny>,
    moments: &crate::moments::Moments,
) -> PyResult<Regularized> {
    let found = function.call1(py, (Moments::from(moments.clone()),))?;
    let (means, covariances): (Option<Readable2<'_, f64>>, Readable3<'_, f64>) = found.extract(py)?;
    Ok(Regularized {
        means: means.map(|means| copied(means.as_array())),
        covariances: copied(covariances.as_array()),
    })
}

/// Calls a Python function. What it raises is shown, as there is nobody to catch it.
fn tell(report: &Py<PyAny>) {
    Python::attach(|py| {
        if let Err(error) = report.call0(py) {
            error.write_unraisable(py, Some(report.bind(py)));
        }
    });
}

/// Moments of rows in which NaN stands for what is missing.
#[pyfunction]
#[pyo3(signature = (X, codes, n_classes, structure, weights, iterations, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
#[expect(clippy::too_many_arguments, reason = "what a fit is given")]
pub(super) fn estimate_moments(
    py: Python<'_>,
    X: Table<'_>,
    codes: Readable1<'_, u32>,
    n_classes: usize,
    structure: &str,
    weights: Option<Readable1<'_, f64>>,
    iterations: Iterations,
    n_threads: Option<usize>,
) -> PyResult<Estimated> {
    let structure = structure_from(structure)?;
    let (rows, codes) = (X.rows(), codes.as_slice()?);
    let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
    Callbacks::new(&iterations).estimate(py, n_threads, |em, parallel| {
        estimate(&rows, codes, n_classes, weights, structure, em, parallel)
    })
}

/// The same of rows that `read` adds to a pass, batch by batch, each time it is called; `observed` are their diagonal moments.
#[pyfunction]
#[pyo3(signature = (observed, structure, iterations, read, n_threads=None))]
pub(super) fn estimate_moments_in_passes(
    py: Python<'_>,
    observed: &Moments,
    structure: &str,
    iterations: Iterations,
    read: Py<PyAny>,
    n_threads: Option<usize>,
) -> PyResult<Estimated> {
    let structure = structure_from(structure)?;
    let callbacks = Callbacks::new(&iterations);
    let read_once = |pass| {
        callbacks.call(|py| {
            let pass = Py::new(py, Pass(Some(pass)))?;
            read.call1(py, (&pass,))?;
            pass.borrow_mut(py).0.take().ok_or_else(|| PyRuntimeError::new_err(ENDED))
        })
    };
    callbacks.estimate(py, n_threads, |em, parallel| {
        estimate_in_passes(observed.dense()?, structure, em, read_once, parallel)
    })
}

const ENDED: &str = "the pass has ended";

/// One pass over all rows, which other machines may take part in: pickles hold all that it knows.
#[pyclass(module = "gauda._core")]
pub(super) struct Pass(Option<missing::Pass>);

/// Expected sums, first and second, and the log-likelihood, as numpy gives and gets them.
type SumArguments<'py> = (Readable2<'py, f64>, Readable3<'py, f64>, f64);
type SumArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f64>>, f64);

impl Pass {
    fn going_on(&self) -> PyResult<&missing::Pass> {
        self.0.as_ref().ok_or_else(|| PyRuntimeError::new_err(ENDED))
    }
}

#[pymethods]
impl Pass {
    /// Builds a pass from its parts.
    #[new]
    fn new(
        py: Python<'_>,
        observed: &Moments,
        structure: &str,
        parameters: (Readable2<'_, f64>, Readable3<'_, f64>),
        rows: Vec<u64>,
        sum: Option<SumArguments<'_>>,
        kept: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let (offset, covariances) = (copied(parameters.0.as_array()), copied(parameters.1.as_array()));
        let sum = sum.map(|(first, second, log)| (copied(first.as_array()), copied(second.as_array()), log));
        let structure = structure_from(structure)?;
        run_quick(py, || {
            let observed = (**observed.dense()?).clone();
            let parts = PassParts { observed, structure, offset, covariances, rows, sum, kept };
            missing::Pass::from_parts(parts).map(|pass| Self(Some(pass)))
        })
    }

    /// A pass under the same parameters for some of the rows.
    fn elsewhere(&self) -> PyResult<Self> {
        Ok(Self(Some(self.going_on()?.elsewhere())))
    }

    /// Adds what other rows gave.
    fn join(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        let more = other.going_on()?.clone();
        let pass = self.0.as_mut().ok_or_else(|| PyRuntimeError::new_err(ENDED))?;
        run_quick(py, || pass.join(more))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let PassParts { observed, structure, offset, covariances, rows, sum, kept } =
            self.going_on()?.to_parts();
        let parameters = (offset.into_pyarray(py), covariances.into_pyarray(py));
        let sum: Option<SumArrays<'_>> =
            sum.map(|(first, second, log)| (first.into_pyarray(py), second.into_pyarray(py), log));
        let kept = kept.map(|numbers| numbers.into_pyarray(py));
        let parts = (Moments::from(observed), structure_name(structure), parameters, rows, sum, kept);
        Ok((py.get_type::<Self>(), parts.into_pyobject(py)?))
    }

    /// Adds a batch.
    #[pyo3(signature = (X, codes, weights=None, n_threads=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn add(
        &mut self,
        py: Python<'_>,
        X: Table<'_>,
        codes: Readable1<'_, u32>,
        weights: Option<Readable1<'_, f64>>,
        n_threads: Option<usize>,
    ) -> PyResult<()> {
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        let pass = self.0.as_mut().ok_or_else(|| PyRuntimeError::new_err(ENDED))?;
        run(py, n_threads, |parallel| pass.add(&rows, codes, weights, parallel))
    }
}
