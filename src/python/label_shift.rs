//! Priors adapted to rows without labels.

use pyo3::prelude::*;

use super::arrays::Readable2;
use super::run::run;
use crate::label_shift::{Adapted, adapt_priors as adapt};

/// The priors, the number of rounds, and whether the last one changed next to nothing; from posteriors, of float32 or
/// float64, under the priors before.
#[pyfunction]
#[pyo3(signature = (posterior, priors, tol, max_iter, n_threads=None))]
pub(super) fn adapt_priors<'py>(
    py: Python<'py>,
    posterior: &Bound<'py, PyAny>,
    priors: Vec<f64>,
    tol: f64,
    max_iter: usize,
    n_threads: Option<usize>,
) -> PyResult<(Vec<f64>, usize, bool)> {
    let adapted = match posterior.extract::<Readable2<'py, f32>>() {
        Ok(posterior) => {
            let posterior = posterior.as_slice()?;
            run(py, n_threads, |parallel| adapt(posterior, &priors, tol, max_iter, parallel))
        }
        Err(_) => {
            let posterior = posterior.extract::<Readable2<'py, f64>>()?;
            let posterior = posterior.as_slice()?;
            run(py, n_threads, |parallel| adapt(posterior, &priors, tol, max_iter, parallel))
        }
    };
    let Adapted { priors, iterations, converged } = adapted?;
    Ok((priors, iterations, converged))
}
