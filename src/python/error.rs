//! The one place where errors of the core become Python exceptions. They carry their figures as attributes, so that
//! estimators can name classes and columns.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, InputError, Owner, RankError, ScoresError};

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

/// Stores the figures under their names and returns the kind.
macro_rules! record {
    ($fields:ident, $kind:literal, $($name:ident),+) => {{
        $($fields.set_item(stringify!($name), $name)?;)+
        $kind
    }};
}

fn describe<'py>(py: Python<'py>, error: &Error) -> PyResult<(&'static str, Bound<'py, PyDict>)> {
    let fields = PyDict::new(py);
    let kind = match error {
        Error::Input(error) => describe_input(&fields, error)?,
        Error::Rank(error) => describe_rank(&fields, error)?,
        Error::Scores(error) => match error {
            ScoresError::NoDensity { rank, features } => record!(fields, "no_density", rank, features),
            ScoresError::NoDistance { what } => record!(fields, "no_distance", what),
            ScoresError::TooFar { row } => record!(fields, "too_far", row),
            ScoresError::TooFine { column } => record!(fields, "too_fine", column),
            ScoresError::Impossible { row } => record!(fields, "impossible", row),
        },
        // Sizes are the estimators' to keep right: no name makes these messages clearer.
        Error::Shape(_) | Error::Cancelled | Error::Memory { .. } => "internal",
    };
    Ok((kind, fields))
}

fn describe_input(fields: &Bound<'_, PyDict>, error: &InputError) -> PyResult<&'static str> {
    Ok(match error {
        InputError::NonFinite { row, column, value } => record!(fields, "non_finite", row, column, value),
        InputError::Weight { row, value } => record!(fields, "weight", row, value),
        InputError::EmptyClass { class } => record!(fields, "empty_class", class),
        InputError::Prior { class, value } => record!(fields, "prior", class, value),
        InputError::PriorSum { row, sum } => record!(fields, "prior_sum", row, sum),
        InputError::RowPrior { row, class, value } => record!(fields, "row_prior", row, class, value),
        InputError::Cost { truth, decision, value } => record!(fields, "cost", truth, decision, value),
        InputError::Threshold { what, value } => record!(fields, "threshold", what, value),
        InputError::Argument { what, expected, value } => record!(fields, "argument", what, expected, value),
        InputError::Overflow { what: class, column } => record!(fields, "overflow", class, column),
        InputError::Underflow { what: class, column } => record!(fields, "underflow", class, column),
        InputError::NotPart { what: class } => record!(fields, "not_part", class),
        InputError::Removal { what: class, column } => record!(fields, "cancelled", class, column),
        InputError::Factor { value } => record!(fields, "factor", value),
        InputError::NoLevel { row, column, value } => record!(fields, "no_level", row, column, value),
        InputError::UnknownLevel { row, column, level, levels } => {
            record!(fields, "unknown_level", row, column, level, levels)
        }
        InputError::NoShare { row, column, value } => record!(fields, "no_share", row, column, value),
        InputError::Negative { row, column, value } => record!(fields, "negative", row, column, value),
        InputError::PresenceThreshold { value } => record!(fields, "presence_threshold", value),
        InputError::GivenTwice { row, column } => record!(fields, "given_twice", row, column),
        InputError::NeverObserved { class, column } => record!(fields, "never_observed", class, column),
        InputError::NoWeight => "no_weight",
        // Codes and combinations are theirs to keep right too.
        InputError::Label { .. } | InputError::Unsupported(_) => "internal",
    })
}

fn describe_rank(fields: &Bound<'_, PyDict>, error: &RankError) -> PyResult<&'static str> {
    Ok(match error {
        RankError::Divisor { what: class, weight, needed } => {
            record!(fields, "divisor", class, weight, needed)
        }
        RankError::Singular { what: class, weight, features, rank, constant, dependent } => {
            record!(fields, "singular", class, weight, features, rank, constant, dependent)
        }
        RankError::ZeroVariance { class, weight, columns } => {
            record!(fields, "zero_variance", class, weight, columns)
        }
        RankError::LeftOut { row, what: class } => record!(fields, "left_out", row, class),
        RankError::Degenerate { what: class, iteration, constant, dependent } => {
            record!(fields, "degenerate", class, iteration, constant, dependent)
        }
        RankError::SingularPart { what: class, columns } => record!(fields, "singular_part", class, columns),
        RankError::NoConvergence(_) => "no_convergence",
    })
}

/// The class, or nothing for all classes together.
impl<'py> IntoPyObject<'py> for &Owner {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let class = match self {
            Owner::Class(class) => Some(class),
            Owner::Pooled => None,
        };
        class.into_pyobject(py).map_err(Into::into)
    }
}
