//! Running the core from Python: without the interpreter lock, interruptible, and with panics caught.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use super::error::{internal, to_python};
use crate::error::{Error, Result};
use crate::parallel::{Parallel, threads_in_environment};

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);

/// Columns whose linear algebra may take long enough to be interrupted.
const WORTH_A_THREAD: usize = 128;

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
    // Whoever sets variables in Python holds the lock; so must whoever reads them. Small work never asks.
    let variables = OnceLock::new();
    let environment =
        || *variables.get_or_init(|| Python::try_attach(|_| threads_in_environment()).flatten());
    let outcome = py.detach(|| {
        let work = || work(Parallel::new(threads).asking(&environment).watched(&watch));
        catch_unwind(AssertUnwindSafe(work))
    });
    match outcome {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(Error::Cancelled)) => {
            let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
            Err(raised.unwrap_or_else(|| to_python(py, &Error::Cancelled)))
        }
        Ok(Err(error)) => Err(to_python(py, &error)),
        Err(payload) => Err(internal(&*payload)),
    }
}

/// Runs `work` that is quick and on the caller's thread.
pub(super) fn run_quick<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R> + Send) -> PyResult<R> {
    run(py, Some(1), |_| work())
}

/// Runs linear algebra on `features` columns, which cannot be stopped half-way: on a thread of its own, so that Ctrl-C is
/// heard and the thread left behind. Small matrices are done before that would pay.
pub(super) fn run_algebra<R: Send + 'static>(
    py: Python<'_>,
    features: usize,
    work: impl FnOnce() -> Result<R> + Send + 'static,
) -> PyResult<R> {
    if features < WORTH_A_THREAD {
        return run_quick(py, work);
    }
    let (sender, receiver) = channel();
    let name = std::thread::Builder::new().name("gauda-algebra".into());
    name.spawn(move || {
        // Nobody waits any more after an interrupt.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    })?;
    let receiver = Mutex::new(receiver);
    loop {
        let outcome = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(POLL)
        });
        match outcome {
            Ok(Ok(result)) => return result.map_err(|error| to_python(py, &error)),
            Ok(Err(payload)) => return Err(internal(&*payload)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(internal(&"a thread vanished")),
        }
    }
}
