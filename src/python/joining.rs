//! Counts together with those of more rows of the same classes. What cannot be joined so is left to the general way, which
//! also says why rows are refused.

use ndarray::{Array1, Array2, ArrayView2, s};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::error::CoreError;
use super::rows::Table;
use super::run::run;
use crate::discrete::{Labeled, count_amounts, count_levels, count_presence};
use crate::error::Result;
use crate::parallel::Parallel;

/// Counts up to which no sum of them overflows, however many columns and classes there are.
const MAX_COUNT: f64 = 1e280;

/// The weight of each class, and a table for all columns or for each.
type Joined<'py> = (Bound<'py, PyArray1<f64>>, Vec<Bound<'py, PyArray2<f64>>>);

/// Class codes, of a few rows in a list.
#[derive(FromPyObject)]
pub(super) enum Codes<'py> {
    Array(Readable1<'py, u32>),
    List(Vec<u32>),
}

impl Codes<'_> {
    pub(super) fn as_slice(&self) -> PyResult<&[u32]> {
        match self {
            Self::List(codes) => Ok(codes),
            Self::Array(codes) => Ok(codes.as_slice()?),
        }
    }
}

/// A result, or nothing where the core refuses its input: the general way says why.
pub(super) fn unless_refused<R>(py: Python<'_>, outcome: PyResult<R>) -> PyResult<Option<R>> {
    match outcome {
        Ok(result) => Ok(Some(result)),
        Err(error) if error.is_instance_of::<CoreError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Counts of presence together with those of rows with class codes; None where it takes the general way.
#[pyfunction]
#[pyo3(signature = (X, codes, class_count, table, threshold=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn join_presence<'py>(
    py: Python<'py>,
    X: Table<'py>,
    codes: Codes<'py>,
    class_count: Readable1<'py, f64>,
    table: Readable2<'py, f64>,
    threshold: Option<f64>,
    n_threads: Option<usize>,
) -> PyResult<Option<Joined<'py>>> {
    let rows = X.rows();
    join(py, (codes.as_slice()?, n_threads), &class_count, &[table], |labeled, parallel| {
        let (classes, counts) = count_presence(&rows, threshold, labeled, parallel)?;
        Ok((classes, vec![counts]))
    })
}

/// Amounts together with those of rows; None likewise.
#[pyfunction]
#[pyo3(signature = (X, codes, class_count, table, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn join_amounts<'py>(
    py: Python<'py>,
    X: Table<'py>,
    codes: Codes<'py>,
    class_count: Readable1<'py, f64>,
    table: Readable2<'py, f64>,
    n_threads: Option<usize>,
) -> PyResult<Option<Joined<'py>>> {
    let rows = X.rows();
    join(py, (codes.as_slice()?, n_threads), &class_count, &[table], |labeled, parallel| {
        let (classes, counts) = count_amounts(&rows, labeled, parallel)?;
        Ok((classes, vec![counts]))
    })
}

/// Counts of levels together with those of rows, all of levels known; None likewise.
#[pyfunction]
#[pyo3(signature = (X, codes, class_count, tables, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn join_levels<'py>(
    py: Python<'py>,
    X: Table<'py>,
    codes: Codes<'py>,
    class_count: Readable1<'py, f64>,
    tables: Vec<Readable2<'py, f64>>,
    n_threads: Option<usize>,
) -> PyResult<Option<Joined<'py>>> {
    let columns = X.rows().columns();
    join(py, (codes.as_slice()?, n_threads), &class_count, &tables, |labeled, parallel| {
        let counts = count_levels(&columns, labeled, false, parallel)?;
        Ok((counts.classes, counts.columns))
    })
}

fn join<'py>(
    py: Python<'py>,
    (codes, n_threads): (&[u32], Option<usize>),
    class_count: &Readable1<'py, f64>,
    tables: &[Readable2<'py, f64>],
    count: impl FnOnce(Labeled<'_>, Parallel<'_>) -> Result<(Vec<f64>, Vec<Array2<f64>>)> + Send,
) -> PyResult<Option<Joined<'py>>> {
    let (class_count, tables) =
        (class_count.as_array(), tables.iter().map(|table| table.as_array()).collect::<Vec<_>>());
    let classes = class_count.len();
    if tables.iter().any(|table| table.nrows() != classes) {
        return Ok(None);
    }
    let counted = run(py, n_threads, |parallel| {
        let (counted, added) = count(Labeled { labels: codes, classes, weights: None }, parallel)?;
        let class_count = &class_count + &Array1::from(counted);
        let joined = tables.iter().zip(&added).map(|(table, added)| sum(table, added));
        let joined: Option<Vec<_>> = joined.collect();
        let joined = joined.filter(|joined| joined.len() == tables.len() && joined.len() == added.len());
        Ok(joined
            .filter(|_| class_count.iter().all(|&count| count < MAX_COUNT))
            .map(|tables| (class_count, tables)))
    });
    let Some((class_count, tables)) = unless_refused(py, counted)?.flatten() else { return Ok(None) };
    let tables = tables.into_iter().map(|table| table.into_pyarray(py)).collect();
    Ok(Some((class_count.into_pyarray(py), tables)))
}

/// Both tables together; None if the second has more levels, or sums might overflow.
fn sum(table: &ArrayView2<'_, f64>, added: &Array2<f64>) -> Option<Array2<f64>> {
    let width = added.ncols();
    if width > table.ncols() {
        return None;
    }
    let mut joined = table.to_owned();
    let mut part = joined.slice_mut(s![.., ..width]);
    part += added;
    part.iter().all(|&count| count < MAX_COUNT).then_some(joined)
}
