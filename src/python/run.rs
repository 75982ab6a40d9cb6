//! Running the core from Python: without the interpreter lock, interruptible, and with panics caught.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

use super::error::{internal, to_python};
use crate::error::{Error, Result};
use crate::parallel::Parallel;

/// Runs `work` without the interpreter lock. A signal handler that raises (Ctrl-C) ends the work, and its exception is
/// what the caller sees.
pub(super) fn run<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(Parallel<'_>) -> Result<R> + Send,
) -> PyResult<R> {
    let raised: Mutex<Option<PyErr>> = Mutex::new(None);
    let watch = || {
        let signals = Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()));
        let interrupted = signals.is_err();
        if let Err(exception) = signals {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
        }
        interrupted
    };
    let outcome = py.detach(|| {
        let work = || work(Parallel::new(threads).watched(&watch));
        catch_unwind(AssertUnwindSafe(work))
    });
    match outcome {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(Error::Interrupted)) => {
            let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
            Err(raised.unwrap_or_else(|| to_python(py, &Error::Interrupted)))
        }
        Ok(Err(error)) => Err(to_python(py, &error)),
        Err(payload) => Err(internal(&*payload)),
    }
}

/// Runs `work` that is quick and on the caller's thread.
pub(super) fn run_quick<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R> + Send) -> PyResult<R> {
    run(py, Some(1), |_| work())
}

/// The number of threads that a call with this `n_threads` would use.
#[pyfunction]
#[pyo3(signature = (n_threads=None))]
pub(super) fn thread_count(n_threads: Option<usize>) -> usize {
    Parallel::new(n_threads).threads()
}
