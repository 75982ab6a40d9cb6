//! The questions that are asked most, about a few rows: without whatever only many rows are worth. What cannot be
//! answered so is left to the general way, which also says why rows are refused.

use std::panic::{AssertUnwindSafe, catch_unwind};

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArray};
use pyo3::intern;
use pyo3::prelude::*;

use super::rows::Table;
use crate::error::Result;
use crate::parallel::Parallel;
use crate::score::{Answers, Rules};

/// Rows, and multiply-adds, that are few: other threads of Python wait meanwhile.
const MAX_ROWS: usize = 64;
const MAX_WORK: usize = 1 << 18;

/// What is asked of a model with so many classes.
pub(super) struct Few<'py> {
    table: Table<'py>,
    rows: usize,
    classes: usize,
}

impl<'py> Few<'py> {
    /// None unless these are a few rows of a plain array.
    pub(super) fn new(x: &Bound<'py, PyAny>, classes: usize) -> Option<Self> {
        if !x.is_exact_instance_of::<PyUntypedArray>() {
            return None;
        }
        let table: Table<'py> = x.extract().ok()?;
        let (rows, columns) = (table.rows().n_rows(), table.rows().n_features());
        let work = rows.saturating_mul(classes).saturating_mul(columns.saturating_mul(columns));
        ((1..=MAX_ROWS).contains(&rows) && work <= MAX_WORK).then_some(Self { table, rows, classes })
    }

    pub(super) fn table(&self) -> &Table<'py> {
        &self.table
    }

    /// For each row the label of its class among `names`.
    pub(super) fn labels<T: Default>(
        &self,
        names: &Bound<'py, PyAny>,
        answer: impl FnOnce(&Rules<'_>, Answers<'_, T>, Parallel<'_>) -> Result<()>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut codes = [0; MAX_ROWS];
        let answers = Answers { label: Some(&mut codes[..self.rows]), ..Answers::default() };
        if !succeeds(|| answer(&Rules::default(), answers, Parallel::new(Some(1)))) {
            return Ok(None);
        }
        let py = names.py();
        let codes = PyArray1::from_iter(py, codes[..self.rows].iter().map(|&code| code as isize));
        names.call_method1(intern!(py, "take"), (codes,)).map(Some)
    }

    /// The posterior of each class for each row.
    pub(super) fn posterior<T: Element + Default>(
        &self,
        py: Python<'py>,
        answer: impl FnOnce(&Rules<'_>, Answers<'_, T>, Parallel<'_>) -> Result<()>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let array = PyArray2::<T>::zeros(py, [self.rows, self.classes], false);
        let mut held = array.readwrite();
        let answers = Answers { posterior: Some(held.as_slice_mut()?), ..Answers::default() };
        let answered = succeeds(|| answer(&Rules::default(), answers, Parallel::new(Some(1))));
        drop(held);
        Ok(answered.then(|| array.into_any()))
    }
}

fn succeeds(work: impl FnOnce() -> Result<()>) -> bool {
    matches!(catch_unwind(AssertUnwindSafe(work)), Ok(Ok(())))
}
