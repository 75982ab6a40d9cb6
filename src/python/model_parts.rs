//! What models for Python are taken apart into, for pickles and files, and made from again.

use ndarray::Axis;
use numpy::{IntoPyArray, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arrays::{Readable2, Readable3};
use super::copied::copied;
use super::model::Model;
use super::run::run_quick;
use crate::linalg::Whitening;
use crate::model::{Parts, Shape};
use crate::moments::Means;

/// What a pickled model with a common covariance has besides.
pub(super) type TiedParts<'py> = (Readable2<'py, f64>, bool);

/// The parts of a model from what its constructor takes.
///
/// # Errors
/// Parts that do not belong together.
pub(super) fn parts_from(
    center: Vec<f64>,
    means: (Readable2<'_, f64>, Readable2<'_, f64>),
    spread: Readable3<'_, f64>,
    log_det: Vec<f64>,
    tied: Option<TiedParts<'_>>,
) -> PyResult<Parts> {
    let matrices = spread.as_array().outer_iter().map(copied).collect::<Vec<_>>();
    let diagonal = tied.is_none() && log_det.is_empty();
    let expected = if diagonal { 1 } else { log_det.len() };
    if matrices.len() != expected || (tied.is_some() && expected != 1) {
        return Err(PyValueError::new_err("not the parts of a model"));
    }
    let mut whitenings =
        matrices.iter().cloned().zip(log_det).map(|(matrix, log_det)| Whitening { matrix, log_det });
    let shape = match (tied, diagonal) {
        (None, false) => Some(Shape::Full(whitenings.collect())),
        (None, true) => matrices.into_iter().next().map(Shape::Diag),
        (Some((whitened_means, uncentered)), _) => whitenings.next().map(|whitening| Shape::Tied {
            whitening,
            whitened_means: copied(whitened_means.as_array()),
            uncentered,
        }),
    };
    let shape = shape.ok_or_else(|| PyValueError::new_err("not the parts of a model"))?;
    let means = Means { shift: copied(means.0.as_array()), offset: copied(means.1.as_array()) };
    Ok(Parts { center, means, shape })
}

impl Model {
    /// What the constructor takes.
    pub(super) fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Parts { center, means, shape } = run_quick(py, || self.dense())?.parts();
        let (matrices, log_det, tied) = match shape {
            Shape::Full(whitenings) => {
                let matrices = whitenings.iter().map(|whitening| whitening.matrix.view()).collect();
                (matrices, whitenings.iter().map(|whitening| whitening.log_det).collect(), None)
            }
            Shape::Tied { whitening, whitened_means, uncentered } => {
                let means = (whitened_means.to_pyarray(py), *uncentered);
                (vec![whitening.matrix.view()], vec![whitening.log_det], Some(means))
            }
            Shape::Diag(deviations) => (vec![deviations.view()], vec![], None),
        };
        let spread = ndarray::stack(Axis(0), &matrices).expect("matrices of one shape");
        let means = (means.shift.to_pyarray(py), means.offset.to_pyarray(py));
        let spread = spread.into_pyarray(py);
        (center.clone(), means, self.log_priors(), spread, log_det, tied).into_pyobject(py)
    }
}
