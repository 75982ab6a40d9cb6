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
    /// Keeps figures under their names; gives the kind.
    macro_rules! told {
        ($kind:literal, $($name:ident),+) => {{
            $(fields.set_item(stringify!($name), $name)?;)+
            $kind
        }};
    }
    let kind = match error {
        Error::NonFinite { row, column, value } => told!("non_finite", row, column, value),
        Error::Weight { row, value } => told!("weight", row, value),
        Error::EmptyClass { class } => told!("empty_class", class),
        Error::Divisor { what, weight, needed } => {
            let class = class_of(*what);
            told!("divisor", class, weight, needed)
        }
        Error::Prior { class, value } => told!("prior", class, value),
        Error::PriorSum { row, sum } => told!("prior_sum", row, sum),
        Error::RowPrior { row, class, value } => told!("row_prior", row, class, value),
        Error::Cost { truth, decision, value } => told!("cost", truth, decision, value),
        Error::Threshold { what, value } => told!("threshold", what, value),
        Error::Argument { what, expected, value } => told!("argument", what, expected, value),
        Error::Overflow { what, column } => {
            let class = class_of(*what);
            told!("overflow", class, column)
        }
        Error::Underflow { what, column } => {
            let class = class_of(*what);
            told!("underflow", class, column)
        }
        Error::Singular { what, weight, features, rank, constant, dependent } => {
            let class = class_of(*what);
            told!("singular", class, weight, features, rank, constant, dependent)
        }
        Error::ZeroVariance { class, weight, columns } => told!("zero_variance", class, weight, columns),
        Error::NoDensity { rank, features } => told!("no_density", rank, features),
        Error::NoDistance { what } => told!("no_distance", what),
        Error::TooFar { row } => told!("too_far", row),
        Error::TooFine { column } => told!("too_fine", column),
        Error::LeftOut { row, what } => {
            let class = class_of(*what);
            told!("left_out", row, class)
        }
        Error::NotPart { what } => {
            let class = class_of(*what);
            told!("not_part", class)
        }
        Error::Cancelled { what, column } => {
            let class = class_of(*what);
            told!("cancelled", class, column)
        }
        Error::Factor { value } => told!("factor", value),
        Error::NoLevel { row, column, value } => told!("no_level", row, column, value),
        Error::UnknownLevel { row, column, level, levels } => {
            told!("unknown_level", row, column, level, levels)
        }
        Error::NoShare { row, column, value } => told!("no_share", row, column, value),
        Error::PresenceThreshold { value } => told!("presence_threshold", value),
        Error::GivenTwice { row, column } => told!("given_twice", row, column),
        Error::Impossible { row } => told!("impossible", row),
        Error::NeverObserved { class, column } => told!("never_observed", class, column),
        Error::Degenerate { what, iteration, constant, dependent } => {
            let class = class_of(*what);
            told!("degenerate", class, iteration, constant, dependent)
        }
        Error::SingularPart { what, columns } => {
            let class = class_of(*what);
            told!("singular_part", class, columns)
        }
        Error::NoWeight => "no_weight",
        Error::NoConvergence(_) => "no_convergence",
        // Sizes and codes are the estimators' to keep right: no name makes these messages clearer.
        Error::Shape { .. }
        | Error::Label { .. }
        | Error::Incompatible(_)
        | Error::Interrupted
        | Error::Memory { .. }
        | Error::Unsupported(_) => "internal",
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
