//! What moments for Python are taken apart into, for pickles and files, and made from again.

use numpy::{PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arrays::{Readable1, Readable2, Readable3};
use super::copied::copied;
use super::held_moments::{Held, of_either};
use super::moments::Moments;
use super::run::run_quick;
use crate::moments::{FourthOrder, Means, Moments as Core, Structure};

/// Units, third and fourth moments, and roots of those that others were removed from.
pub(super) type HigherArguments<'py> =
    (Readable2<'py, f64>, Readable3<'py, f64>, Readable3<'py, f64>, Readable2<'py, f64>);

/// The same for Python.
pub(super) type HigherArrays<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray2<f64>>,
);

/// Rows of a factor, and the bounds of its parts.
pub(super) type FactorArrays<'py> = (Bound<'py, PyArray2<f64>>, Vec<usize>);

/// Sums that others were removed from, weights of what is observed, and moments of third and fourth order, if known.
pub(super) type FurtherArguments<'py> =
    (Option<Readable2<'py, f64>>, Option<Readable2<'py, f64>>, Option<HigherArguments<'py>>);

pub(super) fn structure_from(name: &str) -> PyResult<Structure> {
    match name {
        "full" => Ok(Structure::Full),
        "tied" => Ok(Structure::Tied),
        "diag" => Ok(Structure::Diag),
        _ => Err(PyValueError::new_err(format!("structure must be 'full', 'tied' or 'diag', got {name:?}"))),
    }
}

pub(super) fn structure_name(structure: Structure) -> &'static str {
    match structure {
        Structure::Full => "full",
        Structure::Tied => "tied",
        Structure::Diag => "diag",
    }
}

/// Moments from what their constructor takes.
///
/// # Errors
/// Parts that do not belong together.
pub(super) fn moments_from(
    py: Python<'_>,
    (structure, rows): (&str, Vec<u64>),
    weights: Readable1<'_, f64>,
    means: (Readable2<'_, f64>, Readable2<'_, f64>),
    scatter: Readable3<'_, f64>,
    further: FurtherArguments<'_>,
) -> PyResult<Core> {
    let structure = structure_from(structure)?;
    let weights = copied(weights.as_array());
    let means = Means { shift: copied(means.0.as_array()), offset: copied(means.1.as_array()) };
    let scatter = copied(scatter.as_array());
    let past = further.0.map(|past| copied(past.as_array()));
    let seen = further.1.map(|seen| copied(seen.as_array()));
    let fourth = further.2.map(|(units, third, fourth, past)| FourthOrder {
        units: copied(units.as_array()),
        third: copied(third.as_array()),
        fourth: copied(fourth.as_array()),
        past: copied(past.as_array()),
    });
    run_quick(py, || {
        let mut moments = Core::new(structure, rows, weights, means, scatter)?;
        if let Some(past) = past {
            moments = moments.with_past(past)?;
        }
        if let Some(seen) = seen {
            moments = moments.with_seen(seen)?;
        }
        match fourth {
            Some(fourth) => moments.with_fourth(fourth),
            None => Ok(moments),
        }
    })
}

impl Moments {
    /// What the constructor takes.
    pub(super) fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (
            self.structure(),
            of_either!(self, moments => moments.rows().to_vec()),
            self.weights(py),
            self.shift(py),
            self.offset(py),
            self.scatter(py)?,
            self.past(py),
            self.seen(py),
            self.fourth(py),
        );
        parts.into_pyobject(py)
    }
}
