//! The one place where errors of the core become Python exceptions. They carry their figures as attributes, so that
//! estimators can name classes and columns.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, Owner};

create_exception!(
    gauda._core,
    CoreError,
    PyValueError,
    "What the core refuses: `kind` says what, `fields` holds the figures."
);

/// The exception for an error of the core.
pub(super) fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    if matches!(error, Error::Memory { .. }) {
        return PyMemoryError::new_err(error.to_string());
    }
    let exception = CoreError::new_err(error.to_string());
    let filled = describe(py, error).and_then(|(kind, fields)| {
        let value = exception.value(py);
        value.setattr("kind", kind)?;
        value.setattr("fields", fields)
    });
    match filled {
        Ok(()) => exception,
        Err(failure) => failure,
    }
}

/// The exception for a panic: a bug of ours, which must not take the interpreter down.
pub(super) fn internal(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("unknown cause");
    PyRuntimeError::new_err(format!("internal error in gauda, please report it: {text}"))
}

fn describe<'py>(py: Python<'py>, error: &Error) -> PyResult<(&'static str, Bound<'py, PyDict>)> {
    let fields = PyDict::new(py);
    let kind = match error {
        Error::NonFinite { row, column, value } => {
            fields.set_item("row", row)?;
            fields.set_item("column", column)?;
            fields.set_item("value", value)?;
            "non_finite"
        }
        Error::Weight { row, value } => {
            fields.set_item("row", row)?;
            fields.set_item("value", value)?;
            "weight"
        }
        Error::EmptyClass { class } => {
            fields.set_item("class", class)?;
            "empty_class"
        }
        Error::Divisor { what, weight, needed } => {
            fields.set_item("class", class_of(*what))?;
            fields.set_item("weight", weight)?;
            fields.set_item("needed", needed)?;
            "divisor"
        }
        Error::Prior { class, value } => {
            fields.set_item("class", class)?;
            fields.set_item("value", value)?;
            "prior"
        }
        Error::PriorSum { row, sum } => {
            fields.set_item("row", row)?;
            fields.set_item("sum", sum)?;
            "prior_sum"
        }
        Error::RowPrior { row, class, value } => {
            fields.set_item("row", row)?;
            fields.set_item("class", class)?;
            fields.set_item("value", value)?;
            "row_prior"
        }
        Error::Cost { truth, decision, value } => {
            fields.set_item("truth", truth)?;
            fields.set_item("decision", decision)?;
            fields.set_item("value", value)?;
            "cost"
        }
        Error::Threshold { what, value } => {
            fields.set_item("what", what)?;
            fields.set_item("value", value)?;
            "threshold"
        }
        Error::Overflow { what, column } => {
            fields.set_item("class", class_of(*what))?;
            fields.set_item("column", column)?;
            "overflow"
        }
        Error::Singular { what, weight, features, rank, constant, dependent } => {
            fields.set_item("class", class_of(*what))?;
            fields.set_item("weight", weight)?;
            fields.set_item("features", features)?;
            fields.set_item("rank", rank)?;
            fields.set_item("constant", constant)?;
            fields.set_item("dependent", dependent)?;
            "singular"
        }
        Error::ZeroVariance { class, weight, columns } => {
            fields.set_item("class", class)?;
            fields.set_item("weight", weight)?;
            fields.set_item("columns", columns)?;
            "zero_variance"
        }
        Error::NoDensity { rank, features } => {
            fields.set_item("rank", rank)?;
            fields.set_item("features", features)?;
            "no_density"
        }
        Error::TooFar { row } => {
            fields.set_item("row", row)?;
            "too_far"
        }
        Error::LeftOut { row, what } => {
            fields.set_item("row", row)?;
            fields.set_item("class", class_of(*what))?;
            "left_out"
        }
        Error::NotPart { what } => {
            fields.set_item("class", class_of(*what))?;
            "not_part"
        }
        Error::Factor { value } => {
            fields.set_item("value", value)?;
            "factor"
        }
        Error::NoLevel { row, column, value } => {
            fields.set_item("row", row)?;
            fields.set_item("column", column)?;
            fields.set_item("value", value)?;
            "no_level"
        }
        Error::UnknownLevel { row, column, level, levels } => {
            fields.set_item("row", row)?;
            fields.set_item("column", column)?;
            fields.set_item("level", level)?;
            fields.set_item("levels", levels)?;
            "unknown_level"
        }
        Error::NoShare { row, column, value } => {
            fields.set_item("row", row)?;
            fields.set_item("column", column)?;
            fields.set_item("value", value)?;
            "no_share"
        }
        Error::Impossible { row } => {
            fields.set_item("row", row)?;
            "impossible"
        }
        Error::NeverObserved { class, column } => {
            fields.set_item("class", class)?;
            fields.set_item("column", column)?;
            "never_observed"
        }
        Error::Degenerate { what, iteration, constant, dependent } => {
            fields.set_item("class", class_of(*what))?;
            fields.set_item("iteration", iteration)?;
            fields.set_item("constant", constant)?;
            fields.set_item("dependent", dependent)?;
            "degenerate"
        }
        Error::SingularPart { what, columns } => {
            fields.set_item("class", class_of(*what))?;
            fields.set_item("columns", columns)?;
            "singular_part"
        }
        Error::NoWeight => "no_weight",
        Error::NoConvergence(_) => "no_convergence",
        // Sizes and codes are the estimators' to keep right: no name makes these messages clearer.
        Error::Shape { .. }
        | Error::Label { .. }
        | Error::Incompatible(_)
        | Error::Interrupted
        | Error::Memory { .. } => "internal",
    };
    Ok((kind, fields))
}

/// The class, or nothing for all classes together.
fn class_of(owner: Owner) -> Option<usize> {
    match owner {
        Owner::Class(class) => Some(class),
        Owner::Pooled => None,
    }
}
