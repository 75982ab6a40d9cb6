"""What the discriminant analyses share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._estimators.classifier import Classifier
from gauda._estimators.problem import Problem
from gauda._estimators.state import Deferred
from gauda._statistics.access import attribute_of, names_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda.typing import MatrixLike

STORE = "Fit with store_covariance=True to keep it."


def decision_function(self: Classifier, X: MatrixLike) -> NDArray[Any]:
    """Return the discriminants of each row.

    They equal log p(k | x) up to a term common to the classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows to score.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (n_samples,)
        Discriminants; for two classes log p(1 | x) - log p(0 | x).

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
    >>> qda.decision_function([[0.0]])
    array([-4.5])
    """
    return self._decide(X)


def describe_means(self: Any, problem: Problem) -> dict[str, Any]:  # noqa: ARG001 (a method)
    """Return the attributes that are quick to compute: priors and means."""
    moments = problem.moments
    return {"priors_": problem.priors, "means_": attribute_of(moments, moments.means)}


def stored_covariance(estimator: Any, moments: Moments, covariances: Floats) -> dict[str, Any]:
    """Return the covariances of the classes as a fitted attribute, if they are to be kept."""
    if not estimator.store_covariance:
        return {}
    return {"covariance_": list(attribute_of(moments, covariances))}


def wide_covariances(estimator: Any, moments: Moments, model: _core.Model) -> dict[str, Deferred]:
    """Return the covariances of a model of wide data as an attribute, if they are to be kept."""
    kept = {"covariance_": Deferred(stacked_covariances, moments, model)}
    return kept if estimator.store_covariance else {}


def stacked_covariances(moments: Moments, model: _core.Model) -> list[NDArray[Any]]:
    """Return the covariance of each class, of n_features x n_features."""
    with names_of(moments).in_errors():
        found = model.wide_covariances()
    stacked = np.broadcast_to(found, (len(moments.classes), *found.shape[1:]))
    return list(attribute_of(moments, stacked))


def keep_labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels as they are."""
    return classes


def check_size(self: Any, n_classes: int, n_rows: int) -> None:  # noqa: ARG001 (a method; any will do)
    """Refuse a single class; any number of rows will do."""
    check_classes(n_classes)


def check_classes(n_classes: int) -> None:
    """Refuse a single class: discriminating takes two."""
    if n_classes < 2:  # noqa: PLR2004 (discriminating takes two)
        raise ValueError(
            f"The number of classes has to be greater than one. Got {n_classes} class."
        )
