//! Counts and naive Bayes models of discrete and mixed columns for Python.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answers::Asked;
use super::arrays::{Readable1, Readable2};
use super::few::Few;
use super::rows::Table;
use super::rules::RuleArrays;
use super::run::{run, run_quick};
use crate::discrete::{
    AffineModel as CoreAffineModel, ColumnModel as CoreColumnModel, Feature, Labeled, Sparse, weigh_presence,
    weigh_sparse_presence,
};
use crate::error::Result;
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Columns: those of one array, or of several.
#[derive(FromPyObject)]
pub(super) enum Columns<'py> {
    One(Table<'py>),
    Several(Vec<Table<'py>>),
}

impl Columns<'_> {
    pub(super) fn columns(&self) -> Vec<Rows<'_>> {
        match self {
            Self::One(table) => table.rows().columns(),
            Self::Several(tables) => tables.iter().flat_map(|table| table.rows().columns()).collect(),
        }
    }
}

/// Entries, their columns, where rows start, and the number of columns.
type SparseArrays<'py> = (Table<'py>, Readable1<'py, i32>, Readable1<'py, i64>, usize);

/// Dense rows, or sparse ones.
#[derive(FromPyObject)]
pub(super) enum DenseOrSparse<'py> {
    Dense(Table<'py>),
    Sparse(SparseArrays<'py>),
}

/// Class codes, their number, and weights.
pub(super) type LabelArrays<'py> = (Readable1<'py, u32>, usize, Option<Readable1<'py, f64>>);

pub(super) fn labeled<'a>((codes, classes, weights): &'a LabelArrays<'_>) -> PyResult<Labeled<'a>> {
    let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
    Ok(Labeled { labels: codes.as_slice()?, classes: *classes, weights })
}

/// The weight of each class, and for each column of levels that of each class and level.
type LevelArrays<'py> = (Bound<'py, PyArray1<f64>>, Vec<Bound<'py, PyArray2<f64>>>);

/// Counts levels; where entries may be missing, NaN is not counted.
#[pyfunction]
#[pyo3(signature = (X, labeled, may_miss=false, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn count_levels<'py>(
    py: Python<'py>,
    X: Columns<'py>,
    labeled: LabelArrays<'py>,
    may_miss: bool,
    n_threads: Option<usize>,
) -> PyResult<LevelArrays<'py>> {
    let (columns, labeled) = (X.columns(), self::labeled(&labeled)?);
    let counts =
        run(py, n_threads, |parallel| crate::discrete::count_levels(&columns, labeled, may_miss, parallel))?;
    let columns = counts.columns.into_iter().map(|column| column.into_pyarray(py)).collect();
    Ok((counts.classes.into_pyarray(py), columns))
}

/// The weight of each class, and of what is present in each class and column; of rows with weights also of what is absent.
type PresenceArrays<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>);

/// Counts entries above the threshold; without one, entries from 0 to 1 count as what they are.
#[pyfunction]
#[pyo3(signature = (X, labeled, threshold=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn count_presence<'py>(
    py: Python<'py>,
    X: DenseOrSparse<'py>,
    labeled: LabelArrays<'py>,
    threshold: Option<f64>,
    n_threads: Option<usize>,
) -> PyResult<PresenceArrays<'py>> {
    let labeled = self::labeled(&labeled)?;
    let counts = match &X {
        DenseOrSparse::Dense(table) => {
            let rows = table.rows();
            run(py, n_threads, |parallel| weigh_presence(&rows, threshold, labeled, parallel))?
        }
        DenseOrSparse::Sparse(arrays) => with_sparse(py, arrays, n_threads, |rows, parallel| {
            weigh_sparse_presence(rows, threshold, labeled, parallel)
        })?,
    };
    let absent = counts.absent.map(|absent| absent.into_pyarray(py));
    Ok((counts.classes.into_pyarray(py), counts.present.into_pyarray(py), absent))
}

/// The weight of each class, and the sum of each class and column.
type AmountArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// Adds up entries, which say how often something occurs.
#[pyfunction]
#[pyo3(signature = (X, labeled, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn count_amounts<'py>(
    py: Python<'py>,
    X: DenseOrSparse<'py>,
    labeled: LabelArrays<'py>,
    n_threads: Option<usize>,
) -> PyResult<AmountArrays<'py>> {
    let labeled = self::labeled(&labeled)?;
    let (classes, counts) = match &X {
        DenseOrSparse::Dense(table) => {
            let rows = table.rows();
            run(py, n_threads, |parallel| crate::discrete::count_amounts(&rows, labeled, parallel))?
        }
        DenseOrSparse::Sparse(arrays) => with_sparse(py, arrays, n_threads, |rows, parallel| {
            crate::discrete::count_sparse_amounts(rows, labeled, parallel)
        })?,
    };
    Ok((classes.into_pyarray(py), counts.into_pyarray(py)))
}

/// Runs work on sparse rows.
fn with_sparse<R: Send>(
    py: Python<'_>,
    (entries, columns, starts, features): &SparseArrays<'_>,
    n_threads: Option<usize>,
    work: impl FnOnce(&Sparse<'_>, Parallel<'_>) -> Result<R> + Send,
) -> PyResult<R> {
    let (entries, columns, starts) = (entries.rows(), columns.as_slice()?, starts.as_slice()?);
    run(py, n_threads, |parallel| work(&Sparse::new(entries, columns, starts, *features)?, parallel))
}

/// Naive Bayes on columns of levels and of numbers.
#[pyclass(frozen, module = "gauda._core")]
pub(super) struct ColumnModel(pub(super) CoreColumnModel);

#[pymethods]
impl ColumnModel {
    /// Each feature is an array of log-probabilities, class × level, or a pair of means and variances.
    #[new]
    #[pyo3(signature = (log_prior, features, *, may_miss, ignores_unknown))]
    fn new(
        py: Python<'_>,
        log_prior: Vec<f64>,
        features: Vec<Bound<'_, PyAny>>,
        may_miss: bool,
        ignores_unknown: bool,
    ) -> PyResult<Self> {
        let feature = |feature: &Bound<'_, PyAny>| match feature.extract::<Readable2<'_, f64>>() {
            Ok(log_probabilities) => Ok(Feature::levels(log_probabilities.as_array())),
            Err(_) => {
                let (means, variances): (Vec<f64>, Vec<f64>) = feature.extract().map_err(|_| {
                    PyTypeError::new_err("a feature is an array, or a pair of means and variances")
                })?;
                run_quick(py, || Feature::normal(&means, &variances))
            }
        };
        let features = features.iter().map(feature).collect::<PyResult<Vec<_>>>()?;
        run_quick(py, || CoreColumnModel::new(log_prior, features, may_miss, ignores_unknown)).map(Self)
    }

    /// Logarithms of the priors.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.log_prior())
    }

    /// Number of classes.
    #[getter]
    fn n_classes(&self) -> usize {
        self.0.log_prior().len()
    }

    /// The same model with other priors; what is large is shared.
    fn with_log_prior(&self, py: Python<'_>, log_prior: Vec<f64>) -> PyResult<Self> {
        run_quick(py, || self.0.with_log_prior(log_prior)).map(Self)
    }

    /// Fills the arrays that the keywords name, see `Asked::new`.
    #[pyo3(signature = (X, n_threads=None, rules=None, **answers))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        X: Columns<'py>,
        n_threads: Option<usize>,
        rules: Option<RuleArrays<'py>>,
        answers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let asked = Asked::new(n_threads, rules, answers)?;
        let columns = X.columns();
        asked.fill(py, |rules, answers, parallel| self.0.answer(&columns, rules, answers, parallel))
    }

    /// The labels of a few rows, taken from `names`; None if it takes `answer` to find them, or why there are none.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn label_few<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.0.log_prior().len()) else { return Ok(None) };
        let rows = few.table().rows();
        few.labels(names, |rules, answers, parallel| self.0.answer(&rows.columns(), rules, answers, parallel))
    }

    /// The posteriors of a few rows; None likewise.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn posterior_few<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.0.log_prior().len()) else { return Ok(None) };
        let rows = few.table().rows();
        few.posterior(py, |rules, answers, parallel| self.0.answer(&rows.columns(), rules, answers, parallel))
    }
}

/// Naive Bayes on columns in which something is present or not, or which say how often it occurs.
#[pyclass(frozen, module = "gauda._core")]
pub(super) struct AffineModel(CoreAffineModel);

#[pymethods]
impl AffineModel {
    /// Log-probabilities of presence and absence are class × column.
    #[new]
    #[pyo3(signature = (log_prior, log_present, log_absent, threshold=None))]
    fn new(
        py: Python<'_>,
        log_prior: Vec<f64>,
        log_present: Readable2<'_, f64>,
        log_absent: Readable2<'_, f64>,
        threshold: Option<f64>,
    ) -> PyResult<Self> {
        let (present, absent) = (log_present.as_array(), log_absent.as_array());
        run_quick(py, || CoreAffineModel::of_presence(log_prior, present, absent, threshold)).map(Self)
    }

    /// Each column adds its entry times a weight, class × column.
    #[staticmethod]
    fn of_amounts(py: Python<'_>, log_prior: Vec<f64>, weights: Readable2<'_, f64>) -> PyResult<Self> {
        let weights = weights.as_array();
        run_quick(py, || CoreAffineModel::of_amounts(log_prior, weights)).map(Self)
    }

    /// Logarithms of the priors.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.log_prior())
    }

    /// Number of classes.
    #[getter]
    fn n_classes(&self) -> usize {
        self.0.log_prior().len()
    }

    /// The same model with other priors; what is large is shared.
    fn with_log_prior(&self, py: Python<'_>, log_prior: Vec<f64>) -> PyResult<Self> {
        run_quick(py, || self.0.with_log_prior(log_prior)).map(Self)
    }

    /// Fills the arrays that the keywords name, see `Asked::new`.
    #[pyo3(signature = (X, n_threads=None, rules=None, **answers))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        X: DenseOrSparse<'py>,
        n_threads: Option<usize>,
        rules: Option<RuleArrays<'py>>,
        answers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let asked = Asked::new(n_threads, rules, answers)?;
        match &X {
            DenseOrSparse::Dense(table) => {
                let rows = table.rows();
                asked.fill(py, |rules, answers, parallel| self.0.answer(&rows, rules, answers, parallel))
            }
            DenseOrSparse::Sparse((entries, columns, starts, features)) => {
                let (entries, columns, starts) = (entries.rows(), columns.as_slice()?, starts.as_slice()?);
                asked.fill(py, |rules, answers, parallel| {
                    let rows = Sparse::new(entries, columns, starts, *features)?;
                    self.0.answer_sparse(&rows, rules, answers, parallel)
                })
            }
        }
    }

    /// The labels of a few rows, taken from `names`; None if it takes `answer` to find them, or why there are none.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn label_few<'py>(
        &self,
        X: &Bound<'py, PyAny>,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.0.log_prior().len()) else { return Ok(None) };
        let rows = few.table().rows();
        few.labels(names, |rules, answers, parallel| self.0.answer(&rows, rules, answers, parallel))
    }

    /// The posteriors of a few rows; None likewise.
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn posterior_few<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(few) = Few::new(X, self.0.log_prior().len()) else { return Ok(None) };
        let rows = few.table().rows();
        few.posterior(py, |rules, answers, parallel| self.0.answer(&rows, rules, answers, parallel))
    }
}
