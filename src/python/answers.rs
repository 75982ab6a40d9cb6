//! The arrays that answers go to, for any model.

use numpy::{PyReadwriteArray2, PyReadwriteArrayDyn};
use pyo3::prelude::*;

use super::names::{NameArrays, with_names};
use super::rules::RuleArrays;
use super::run::run;
use crate::error::Result;
use crate::parallel::Parallel;
use crate::score::{Answers, Best, Names, Rules};

/// Arrays in the precision of the scores.
pub(super) struct ScoreArrays<'py> {
    pub(super) posterior: Option<Bound<'py, PyAny>>,
    pub(super) log_posterior: Option<Bound<'py, PyAny>>,
    pub(super) joint: Option<Bound<'py, PyAny>>,
    pub(super) log_density: Option<Bound<'py, PyAny>>,
    pub(super) mahalanobis: Option<Bound<'py, PyAny>>,
    pub(super) typicality: Option<Bound<'py, PyAny>>,
    pub(super) cost: Option<Bound<'py, PyAny>>,
    pub(super) decision: Option<Bound<'py, PyAny>>,
}

/// Classes of the largest posteriors, and these.
pub(super) type BestArrays<'py> = (PyReadwriteArray2<'py, u32>, Bound<'py, PyAny>);

/// What is asked of rows: arrays that are wanted, the rules for labels, and the number of threads.
pub(super) struct Asked<'py> {
    pub(super) n_threads: Option<usize>,
    pub(super) rules: Option<RuleArrays<'py>>,
    pub(super) label: Option<PyReadwriteArrayDyn<'py, u32>>,
    pub(super) name: Option<NameArrays<'py>>,
    pub(super) best: Option<BestArrays<'py>>,
    pub(super) scores: ScoreArrays<'py>,
}

impl Asked<'_> {
    /// Has `work` fill the arrays in one precision.
    pub(super) fn fill<T: numpy::Element + Send>(
        mut self,
        py: Python<'_>,
        work: impl FnOnce(&Rules<'_>, Answers<'_, T>, Parallel<'_>) -> Result<()> + Send,
    ) -> PyResult<()> {
        match self.name.take() {
            Some(arrays) => with_names(arrays, |names| self.fill_named(py, Some(names), work)),
            None => self.fill_named(py, None, work),
        }
    }

    fn fill_named<T: numpy::Element + Send>(
        self,
        py: Python<'_>,
        name: Option<Names<'_>>,
        work: impl FnOnce(&Rules<'_>, Answers<'_, T>, Parallel<'_>) -> Result<()> + Send,
    ) -> PyResult<()> {
        let Self { n_threads, rules, mut label, best, scores, .. } = self;
        let (mut best, best_posterior) = best.unzip();
        let mut posterior = writable(scores.posterior)?;
        let mut log_posterior = writable(scores.log_posterior)?;
        let mut joint = writable(scores.joint)?;
        let mut log_density = writable(scores.log_density)?;
        let mut mahalanobis = writable(scores.mahalanobis)?;
        let mut typicality = writable(scores.typicality)?;
        let mut cost = writable(scores.cost)?;
        let mut decision = writable(scores.decision)?;
        let mut best_posterior = writable(best_posterior)?;
        let count = best.as_ref().map_or(0, |best| best.as_array().ncols());
        let best = best.as_mut().map(PyReadwriteArray2::as_slice_mut).transpose()?;
        let best = best.zip(slice(&mut best_posterior)?);
        let answers = Answers {
            label: slice(&mut label)?,
            name,
            posterior: slice(&mut posterior)?,
            log_posterior: slice(&mut log_posterior)?,
            joint: slice(&mut joint)?,
            log_density: slice(&mut log_density)?,
            mahalanobis: slice(&mut mahalanobis)?,
            typicality: slice(&mut typicality)?,
            cost: slice(&mut cost)?,
            best: best.map(|(classes, posterior)| Best { count, classes, posterior }),
            decision: slice(&mut decision)?,
        };
        let rules = rules.as_ref().map(RuleArrays::rules).transpose()?.unwrap_or_default();
        run(py, n_threads, |parallel| work(&rules, answers, parallel))
    }
}

/// An array that was asked for, in the right precision.
fn writable<'py, T: numpy::Element>(
    array: Option<Bound<'py, PyAny>>,
) -> PyResult<Option<PyReadwriteArrayDyn<'py, T>>> {
    array.map(|array| array.extract()).transpose()
}

/// The entries of an array that was asked for.
fn slice<'a, T: numpy::Element>(
    array: &'a mut Option<PyReadwriteArrayDyn<'_, T>>,
) -> PyResult<Option<&'a mut [T]>> {
    Ok(array.as_mut().map(PyReadwriteArrayDyn::as_slice_mut).transpose()?)
}

/// The keywords of `answer`, put together.
macro_rules! asked {
    ($n_threads:ident, $rules:ident, $label:ident, $name:ident, $best:ident, $($score:ident),+) => {
        $crate::python::answers::Asked {
            n_threads: $n_threads,
            rules: $rules,
            label: $label,
            name: $name,
            best: $best,
            scores: $crate::python::answers::ScoreArrays { $($score),+ },
        }
    };
}
pub(super) use asked;
