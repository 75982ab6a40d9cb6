"""Questions about rows, one answer each. The functions here are methods of `Classifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.frames import nulls_in
from gauda._data.labels import label_question, settle_labels
from gauda._data.shapes import fold, priors_of_rows, unfold
from gauda._estimators.asking import label_few, posterior_few
from gauda._scoring.rules import Reject
from gauda.typing import Costs, MatrixLike, NoData, Priors, RejectLabel

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier


def predict(  # noqa: PLR0913 (what a call may change)
    self: Classifier,
    X: MatrixLike,
    *,
    priors: Priors | None = None,
    cost: Costs | None = None,
    reject: Reject = None,
    reject_label: RejectLabel = None,
    nodata: NoData = None,
) -> NDArray[Any]:
    """Return the label of the largest posterior, or of the least expected cost, for each row.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to classify.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1), or dict, default=None
        Costs for this call, like the parameter `cost`.

    reject : float or dict, default=None
        When to reject in this call, like the parameter `reject`.

    reject_label : default=None
        Label of rejected rows in this call, like the parameter `reject_label`.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get
        `reject_label`.

    Returns
    -------
    ndarray of shape (n_samples,) or (...)
        Labels, `reject_label` where a row is rejected; of equal ones the first class wins.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> GaussianNB().fit([[0.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"]).predict([[6.0]])
    array(['b'], dtype='<U1')
    """
    current = self._current()
    if priors is cost is reject is nodata is None:
        found = label_few(self, X, current)
        if found is not None:
            return found
    X, shape = unfold(X)
    rows = self._rows(X, current)
    priors = priors_of_rows(priors, shape)
    rules, names = self._rules(current, priors, cost, reject, reject_label, nodata)
    labels = np.empty(len(rows), names.dtype)
    question = label_question(names, labels, len(current.classes))
    self._ask(current, rows, question, rules, is_null=nulls_in(X))
    if "label" in question:
        settle_labels(question, names, labels)
    return fold(labels, shape)


def predict_proba(
    self: Classifier, X: MatrixLike, *, priors: Priors | None = None, nodata: NoData = None
) -> NDArray[Any]:
    """Return the posterior of each class for each row.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to classify.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (..., n_classes)
        Posteriors, in the order of `classes_`; each row sums to 1.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
    >>> lda.predict_proba([[0.0]])
    array([[0.5, 0.5]])
    """
    current = self._current()
    if priors is nodata is None:
        found = posterior_few(self, X, current)
        if found is not None:
            return found
    return self._answer(X, "posterior", priors, nodata=nodata, current=current)


def predict_log_proba(
    self: Classifier, X: MatrixLike, *, priors: Priors | None = None, nodata: NoData = None
) -> NDArray[Any]:
    """Return the logarithm of the posterior of each class for each row.

    It is computed without the detour over the posterior, and so exact far out in the tails.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to classify.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (..., n_classes)
        Logarithms of the posteriors, in the order of `classes_`.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
    >>> lda.predict_log_proba([[100.0]])
    array([[-1200.,     0.]])
    """
    return self._answer(X, "log_posterior", priors, nodata=nodata)


def predict_joint_log_proba(
    self: Classifier, X: MatrixLike, *, priors: Priors | None = None, nodata: NoData = None
) -> NDArray[Any]:
    """Return log p(x, k), the logarithm of prior times density, for each row and class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to score.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (..., n_classes)
        Joint log-densities, in the order of `classes_`.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
    >>> qda.predict_joint_log_proba([[0.0]]).round(3)
    array([[-1.612, -6.112]])
    """
    return self._answer(X, "joint", priors, nodata=nodata)


def score_samples(
    self: Classifier, X: MatrixLike, *, priors: Priors | None = None, nodata: NoData = None
) -> NDArray[Any]:
    """Return log p(x), the log-density of each row under the mixture of all classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to score.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples,) or (...)
        Log-densities: low for rows unlike anything seen in the fit.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
    >>> qda.score_samples([[0.0], [30.0]]).round(1)
    array([  -1.6, -366.1])
    """
    return self._answer(X, "log_density", priors, nodata=nodata, flat=True)
