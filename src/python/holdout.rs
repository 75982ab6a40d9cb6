//! Models judged by rows that they have not seen.

use numpy::{PyReadonlyArray1, PyReadwriteArray2};
use pyo3::prelude::*;

use super::arrays::{Readable1, Readable2};
use super::discrete::{self, Columns, LabelArrays};
use super::moments::Moments;
use super::regularized::{MixingArguments, target_from};
use super::rows::Table;
use super::run::run;
use crate::holdout::{self, ColumnFamily, ColumnSums, Family, Tally};

/// A family of models: mixing, weights of classes in a common covariance, target, priors, tolerance, smoothing, and the
/// number of columns before rows were turned, if they were.
#[derive(FromPyObject)]
pub(super) struct FamilyArguments(
    MixingArguments,
    Option<Vec<f64>>,
    String,
    Option<Vec<f64>>,
    f64,
    f64,
    Option<usize>,
);

impl FamilyArguments {
    fn family(&self) -> PyResult<Family<'_>> {
        let Self(mixing, weights, target, priors, tol, smoothing, columns) = self;
        Ok(Family {
            mixing: mixing.mixing()?,
            weights: weights.as_deref(),
            target: target_from(target)?,
            priors: priors.as_deref(),
            tol: *tol,
            smoothing: *smoothing,
            columns: *columns,
        })
    }
}

/// Log-loss, its square, hits, Brier's loss and its square, each summed over rows.
type Sums = (f64, f64, f64, f64, f64);

fn sums(tally: Tally) -> Sums {
    (tally.log_loss, tally.squared_log_loss, tally.hits, tally.brier, tally.squared_brier)
}

/// Fills `out` with the log-posteriors of each row under the model without it.
#[pyfunction]
#[pyo3(signature = (moments, X, codes, family, gamma, out, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
#[expect(clippy::too_many_arguments, reason = "data, model and where the answer goes")]
pub(super) fn leave_one_out(
    py: Python<'_>,
    moments: &Moments,
    X: Table<'_>,
    codes: Readable1<'_, u32>,
    family: FamilyArguments,
    gamma: f64,
    mut out: PyReadwriteArray2<'_, f64>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (rows, codes, out) = (X.rows(), codes.as_slice()?, out.as_slice_mut()?);
    let family = family.family()?;
    run(py, n_threads, |parallel| {
        holdout::leave_one_out(moments.dense()?, &rows, codes, &family, gamma, out, parallel)
    })
}

/// How each gamma does on rows that are left out one by one; None where a covariance is singular.
#[pyfunction]
#[pyo3(signature = (moments, X, codes, family, gammas, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
pub(super) fn tally_left_out(
    py: Python<'_>,
    moments: &Moments,
    X: Table<'_>,
    codes: Readable1<'_, u32>,
    family: FamilyArguments,
    gammas: Vec<f64>,
    n_threads: Option<usize>,
) -> PyResult<Vec<Option<Sums>>> {
    let (rows, codes, family) = (X.rows(), codes.as_slice()?, family.family()?);
    let tallies = run(py, n_threads, |parallel| {
        holdout::tally_left_out(moments.dense()?, &rows, codes, &family, &gammas, parallel)
    })?;
    Ok(tallies.into_iter().map(|tally| tally.map(sums)).collect())
}

/// How each alpha and gamma, fitted to the moments of other rows, does on rows; None where a covariance is singular.
#[pyfunction]
#[pyo3(signature = (train, X, codes, weights, family, alphas, gammas, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
#[expect(clippy::too_many_arguments, reason = "data, models and the grid")]
pub(super) fn cross_validate(
    py: Python<'_>,
    train: &Moments,
    X: Table<'_>,
    codes: Readable1<'_, u32>,
    weights: Option<Readable1<'_, f64>>,
    family: FamilyArguments,
    alphas: Vec<f64>,
    gammas: Vec<f64>,
    n_threads: Option<usize>,
) -> PyResult<Vec<Option<Sums>>> {
    let (rows, codes, family) = (X.rows(), codes.as_slice()?, family.family()?);
    let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
    let tallies = run(py, n_threads, |parallel| {
        holdout::cross_validate(train.dense()?, &rows, codes, weights, &family, &alphas, &gammas, parallel)
    })?;
    Ok(tallies.into_iter().map(|tally| tally.map(sums)).collect())
}

/// Sums of one column: counts class × level, what is added to each level, and which levels are forgotten with their last
/// row; or of each class weight, mean and squares, and the same of all rows.
#[derive(FromPyObject)]
pub(super) enum ColumnSumArrays<'py> {
    Levels(Readable2<'py, f64>, Vec<f64>, Vec<bool>),
    Numbers([Vec<f64>; 3], [f64; 3]),
}

impl ColumnSumArrays<'_> {
    fn sums(&self) -> ColumnSums<'_> {
        match self {
            Self::Levels(counts, added, forgotten) => ColumnSums::Levels {
                counts: counts.as_array(),
                added: added.clone(),
                forgotten: forgotten.clone(),
            },
            Self::Numbers(classes, total) => ColumnSums::Numbers { classes: classes.clone(), total: *total },
        }
    }
}

/// Fills `out` with the log-posteriors of each row under the naive Bayes model without it; NaN where that takes a fit.
#[pyfunction]
#[pyo3(signature = (X, labeled, sums, class_weights, log_prior, smoothing, unseen, out, n_threads=None))]
#[expect(non_snake_case, reason = "X is the name of the data in Python")]
#[expect(clippy::too_many_arguments, reason = "data, model and where the answer goes")]
pub(super) fn leave_one_out_columns<'py>(
    py: Python<'py>,
    X: Columns<'py>,
    labeled: LabelArrays<'py>,
    sums: Vec<ColumnSumArrays<'py>>,
    class_weights: Vec<f64>,
    log_prior: Option<Vec<f64>>,
    smoothing: f64,
    unseen: f64,
    mut out: PyReadwriteArray2<'py, f64>,
    n_threads: Option<usize>,
) -> PyResult<()> {
    let (columns, labeled) = (X.columns(), discrete::labeled(&labeled)?);
    let sums: Vec<_> = sums.iter().map(ColumnSumArrays::sums).collect();
    let family =
        ColumnFamily { class_weights: &class_weights, log_prior: log_prior.as_deref(), smoothing, unseen };
    let out = out.as_slice_mut()?;
    run(py, n_threads, |parallel| {
        holdout::leave_one_out_columns(&columns, labeled, &sums, &family, out, parallel)
    })
}
