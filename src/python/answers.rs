//! The arrays that answers go to, for any model.

use numpy::{PyReadwriteArray2, PyReadwriteArrayDyn};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::names::{NameArrays, with_names};
use super::rules::RuleArrays;
use super::run::run;
use crate::error::Result;
use crate::parallel::Parallel;
use crate::score::{Answers, Best, Names, Rules};

/// An array in the precision of the scores.
type ScoreArray<'py> = Option<Bound<'py, PyAny>>;

/// What is asked of rows: arrays that are wanted, the rules for labels, and the number of threads.
#[derive(Default)]
pub(super) struct Asked<'py> {
    n_threads: Option<usize>,
    rules: Option<RuleArrays<'py>>,
    label: Option<PyReadwriteArrayDyn<'py, u32>>,
    name: Option<NameArrays<'py>>,
    /// Classes of the largest posteriors, and these.
    best: Option<(PyReadwriteArray2<'py, u32>, Bound<'py, PyAny>)>,
    posterior: ScoreArray<'py>,
    log_posterior: ScoreArray<'py>,
    joint: ScoreArray<'py>,
    log_density: ScoreArray<'py>,
    mahalanobis: ScoreArray<'py>,
    typicality: ScoreArray<'py>,
    min_mahalanobis: ScoreArray<'py>,
    label_typicality: ScoreArray<'py>,
    cost: ScoreArray<'py>,
    decision: ScoreArray<'py>,
}

impl<'py> Asked<'py> {
    /// From the keywords of `answer`: `label` of uint32, `name` (the second of a pair, the first names the labels) of any
    /// plain dtype, `best` a pair of uint32 and of the precision that the rows are scored in, the others of that precision.
    pub(super) fn new(
        n_threads: Option<usize>,
        rules: Option<RuleArrays<'py>>,
        arrays: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let mut asked = Self { n_threads, rules, ..Self::default() };
        for (question, array) in arrays.into_iter().flatten() {
            match question.cast::<PyString>()?.to_str()? {
                "label" => asked.label = array.extract()?,
                "name" => asked.name = array.extract()?,
                "best" => asked.best = array.extract()?,
                "posterior" => asked.posterior = Some(array),
                "log_posterior" => asked.log_posterior = Some(array),
                "joint" => asked.joint = Some(array),
                "log_density" => asked.log_density = Some(array),
                "mahalanobis" => asked.mahalanobis = Some(array),
                "typicality" => asked.typicality = Some(array),
                "min_mahalanobis" => asked.min_mahalanobis = Some(array),
                "label_typicality" => asked.label_typicality = Some(array),
                "cost" => asked.cost = Some(array),
                "decision" => asked.decision = Some(array),
                unknown => return Err(PyTypeError::new_err(format!("no question is called {unknown:?}"))),
            }
        }
        Ok(asked)
    }

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
        let Self { n_threads, rules, mut label, best, .. } = self;
        let (mut best, best_posterior) = best.unzip();
        let mut posterior = writable(self.posterior)?;
        let mut log_posterior = writable(self.log_posterior)?;
        let mut joint = writable(self.joint)?;
        let mut log_density = writable(self.log_density)?;
        let mut mahalanobis = writable(self.mahalanobis)?;
        let mut typicality = writable(self.typicality)?;
        let mut min_mahalanobis = writable(self.min_mahalanobis)?;
        let mut label_typicality = writable(self.label_typicality)?;
        let mut cost = writable(self.cost)?;
        let mut decision = writable(self.decision)?;
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
            min_mahalanobis: slice(&mut min_mahalanobis)?,
            label_typicality: slice(&mut label_typicality)?,
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
