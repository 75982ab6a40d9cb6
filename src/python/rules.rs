//! Rules for labels, read from the attributes of a Python object.

use numpy::{Ix2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2, ReadableDyn};
use crate::score::{Missing, Priors, Rules};

/// What labels follow from: priors for all rows, or one row of them for each; costs; thresholds.
#[derive(FromPyObject)]
pub(super) struct RuleArrays<'py> {
    priors: Option<ReadableDyn<'py, f64>>,
    cost: Option<Readable2<'py, f64>>,
    by_cost: bool,
    min_posterior: Option<f64>,
    min_typicality: Option<f64>,
    missing: String,
    no_data: Option<Readable1<'py, f64>>,
}

impl RuleArrays<'_> {
    pub(super) fn rules(&self) -> PyResult<Rules<'_>> {
        let priors = match &self.priors {
            None => None,
            Some(priors) if priors.as_array().ndim() == 1 => Some(Priors::Common(priors.as_slice()?)),
            Some(priors) => {
                let each = priors.as_array().into_dimensionality::<Ix2>();
                Some(Priors::Each(each.map_err(|error| PyTypeError::new_err(error.to_string()))?))
            }
        };
        Ok(Rules {
            priors,
            cost: self.cost.as_deref().map(PyReadonlyArray2::as_array),
            by_cost: self.by_cost,
            min_posterior: self.min_posterior,
            min_typicality: self.min_typicality,
            missing: match self.missing.as_str() {
                "marginalize" => Missing::Marginalize,
                "propagate" => Missing::Propagate,
                _ => Missing::Raise,
            },
            no_data: self.no_data.as_deref().map(PyReadonlyArray1::as_slice).transpose()?,
        })
    }
}
