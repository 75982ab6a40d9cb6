"""Fits and predictions on collections of Dask: arrays, frames, and rasters of xarray.

It uses `_cluster`; needs the extra `gauda[dask]`. Fits return the ordinary estimators, and
everything that has a value for each row stays lazy.
"""

from gauda.dask._evaluation import evaluate, score
from gauda.dask._fit import fit, moments
from gauda.dask._folds import cross_validate
from gauda.dask._predict import (
    classify,
    mahalanobis,
    predict,
    predict_log_proba,
    predict_proba,
    score_samples,
)

__all__ = [
    "classify",
    "cross_validate",
    "evaluate",
    "fit",
    "mahalanobis",
    "moments",
    "predict",
    "predict_log_proba",
    "predict_proba",
    "score",
    "score_samples",
]
