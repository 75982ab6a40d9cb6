//! Models of wide data for Python: made of moments that hold factors.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arrays::{Readable1, Readable2};
use super::copied::copied;
use super::linear_fit::{LinearFit, along};
use super::model::Model;
use super::moments::Moments;
use super::regularized::{MixingArguments, target_from};
use super::rows::Table;
use super::run::{run, run_algebra, run_quick};
use crate::moments::Means;
use crate::parallel::Parallel;
use crate::wide::{Space, Standardized, WideModel, WideMoments, WideParts};

/// The factors of moments.
fn wide_of(moments: &Moments) -> PyResult<Arc<WideMoments>> {
    moments.wide().cloned().ok_or_else(|| PyValueError::new_err("moments of too many rows"))
}

/// A common covariance, inverted where it is not 0.
#[pyfunction]
pub(super) fn wide_linear_lsqr(
    py: Python<'_>,
    moments: &Moments,
    priors: Vec<f64>,
    unbiased: bool,
) -> PyResult<LinearFit> {
    let wide = wide_of(moments)?;
    let fit = run_algebra(py, wide.n_features(), move || wide.linear_lsqr(&priors, unbiased))?;
    LinearFit::new(py, fit)
}

/// A common covariance moved toward a multiple of the identity, with axes if they are asked for. With `components`, rows are
/// scored along so many axes only.
#[pyfunction]
#[pyo3(signature = (moments, priors, shrinkage, unbiased, with_axes, components=None))]
pub(super) fn wide_linear_shrunk(
    py: Python<'_>,
    moments: &Moments,
    priors: Vec<f64>,
    shrinkage: f64,
    unbiased: bool,
    with_axes: bool,
    components: Option<usize>,
) -> PyResult<LinearFit> {
    let wide = wide_of(moments)?;
    let features = wide.n_features();
    let fit = run_algebra(py, features, move || wide.linear_shrunk(&priors, shrinkage, unbiased, with_axes))?;
    match components {
        Some(components) => {
            let fit = run_quick(py, || along(fit.along_axes()?, Some(components)))?;
            LinearFit::new(py, fit)
        }
        None => LinearFit::of_wide(py, fit),
    }
}

/// A common covariance of independent columns.
#[pyfunction]
pub(super) fn wide_linear_of_variances(
    py: Python<'_>,
    moments: &Moments,
    variances: Readable1<'_, f64>,
    priors: Vec<f64>,
) -> PyResult<LinearFit> {
    let variances = copied(variances.as_array());
    let fit = run_quick(py, || {
        WideMoments::linear_of_variances(moments.means_in_parts(), &variances, &priors, false)
    })?;
    LinearFit::of_wide(py, fit)
}

/// One covariance for each class, mixed with the pooled one and moved toward a target.
#[pyfunction]
#[pyo3(signature = (moments, mixing, target, gammas, priors, tol, n_threads=None))]
#[expect(clippy::too_many_arguments, reason = "what regularized covariances are made of")]
pub(super) fn wide_regularized(
    py: Python<'_>,
    moments: &Moments,
    mixing: MixingArguments,
    target: &str,
    gammas: Vec<f64>,
    priors: Vec<f64>,
    tol: f64,
    n_threads: Option<usize>,
) -> PyResult<Model> {
    let (wide, mixing, target) = (wide_of(moments)?, mixing.mixing()?, target_from(target)?);
    run_algebra(py, wide.n_features(), move || {
        wide.regularized(mixing, target, &gammas, &priors, tol, Parallel::new(n_threads))
    })
    .map(Model::from)
}

/// The pooled covariance moved toward a target.
#[pyfunction]
pub(super) fn wide_regularized_common(
    py: Python<'_>,
    moments: &Moments,
    mixing: MixingArguments,
    target: &str,
    gamma: f64,
    priors: Vec<f64>,
) -> PyResult<LinearFit> {
    let (wide, mixing, target) = (wide_of(moments)?, mixing.mixing()?, target_from(target)?);
    let fit =
        run_algebra(py, wide.n_features(), move || wide.regularized_common(mixing, target, gamma, &priors))?;
    LinearFit::of_wide(py, fit)
}

/// For each class Ledoit and Wolf's intensity on standardized data, and the diagonal that it moves toward.
#[pyfunction]
#[pyo3(signature = (moments, X, codes, weights=None, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn standardized<'py>(
    py: Python<'py>,
    moments: &Moments,
    X: Table<'py>,
    codes: Readable1<'py, u32>,
    weights: Option<Readable1<'py, f64>>,
    n_threads: Option<usize>,
) -> PyResult<(Vec<f64>, Bound<'py, PyArray2<f64>>)> {
    let (wide, rows, codes) = (wide_of(moments)?, X.rows(), codes.as_slice()?);
    let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
    let found = run(py, n_threads, |parallel| wide.standardized(&rows, codes, weights, parallel))?;
    let Standardized { intensities, diagonals } = found;
    Ok((intensities, diagonals.into_pyarray(py)))
}

/// A common covariance of classes that are each shrunk by its own intensity.
#[pyfunction]
pub(super) fn wide_linear_standardized(
    py: Python<'_>,
    moments: &Moments,
    intensities: Vec<f64>,
    diagonals: Readable2<'_, f64>,
    priors: Vec<f64>,
    unbiased: bool,
) -> PyResult<LinearFit> {
    let wide = wide_of(moments)?;
    let found = Standardized { intensities, diagonals: copied(diagonals.as_array()) };
    let fit =
        run_algebra(py, wide.n_features(), move || wide.linear_standardized(&found, &priors, unbiased))?;
    LinearFit::of_wide(py, fit)
}

/// One covariance for each class, each shrunk by its own intensity.
#[pyfunction]
#[pyo3(signature = (moments, intensities, diagonals, priors, unbiased, n_threads=None))]
pub(super) fn wide_quadratic_standardized(
    py: Python<'_>,
    moments: &Moments,
    intensities: Vec<f64>,
    diagonals: Readable2<'_, f64>,
    priors: Vec<f64>,
    unbiased: bool,
    n_threads: Option<usize>,
) -> PyResult<Model> {
    let wide = wide_of(moments)?;
    let found = Standardized { intensities, diagonals: copied(diagonals.as_array()) };
    run_algebra(py, wide.n_features(), move || {
        wide.quadratic_standardized(&found, &priors, unbiased, Parallel::new(n_threads))
    })
    .map(Model::from)
}

/// Rows in an orthonormal basis of the directions that rows and means of moments span; none if classes are too far apart.
#[pyfunction]
#[pyo3(signature = (moments, X, codes, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn turn<'py>(
    py: Python<'py>,
    moments: &Moments,
    X: Table<'py>,
    codes: Readable1<'py, u32>,
    n_threads: Option<usize>,
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let (wide, rows, codes) = (wide_of(moments)?, X.rows(), codes.as_slice()?);
    Ok(run(py, n_threads, |_| wide.turn(&rows, codes))?.map(|turned| turned.into_pyarray(py)))
}

/// Units of columns, directions and class means of a space.
type SpaceArrays<'py> = (Option<Readable1<'py, f64>>, Readable2<'py, f64>, Readable2<'py, f64>);

/// Whitening matrices, levels, log-determinants, and whether decisions are uncentered.
type WideArrays<'py> = (Vec<Readable2<'py, f64>>, Vec<f64>, Vec<f64>, bool);

/// Builds a model of few directions from its parts.
#[pyfunction]
pub(super) fn wide_model(
    py: Python<'_>,
    center: Vec<f64>,
    means: (Readable2<'_, f64>, Readable2<'_, f64>),
    log_prior: Vec<f64>,
    spaces: Vec<SpaceArrays<'_>>,
    spread: WideArrays<'_>,
) -> PyResult<Model> {
    let space = |(scale, basis, means): &SpaceArrays<'_>| Space {
        scale: scale.as_ref().map(|scale| copied(scale.as_array())),
        basis: copied(basis.as_array()),
        means: copied(means.as_array()),
    };
    let (whitenings, levels, log_dets, uncentered) = spread;
    let parts = WideParts {
        center,
        means: Means { shift: copied(means.0.as_array()), offset: copied(means.1.as_array()) },
        spaces: spaces.iter().map(space).collect(),
        whitenings: whitenings.iter().map(|whitening| copied(whitening.as_array())).collect(),
        levels,
        log_dets,
        uncentered,
    };
    run_quick(py, || WideModel::from_parts(parts, log_prior)).map(Model::from)
}

/// What a pickle holds: the function above and its arguments.
pub(super) fn reduced<'py>(
    py: Python<'py>,
    model: &WideModel,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let parts = model.parts();
    let spaces: Vec<_> = parts
        .spaces
        .iter()
        .map(|space| {
            let scale = space.scale.as_ref().map(|scale| scale.to_pyarray(py));
            (scale, space.basis.to_pyarray(py), space.means.to_pyarray(py))
        })
        .collect();
    let whitenings: Vec<_> = parts.whitenings.iter().map(|whitening| whitening.to_pyarray(py)).collect();
    let spread = (whitenings, parts.levels.clone(), parts.log_dets.clone(), parts.uncentered);
    let means = (parts.means.shift.to_pyarray(py), parts.means.offset.to_pyarray(py));
    let arguments = (parts.center.clone(), means, model.log_prior().to_vec(), spaces, spread);
    let make = py.import("gauda._core")?.getattr("wide_model")?;
    Ok((make, arguments.into_pyobject(py)?))
}
