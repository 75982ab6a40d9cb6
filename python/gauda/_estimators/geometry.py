"""What a classifier tells beyond predictions: boundaries, parts of it, diagnostics.

The functions here are methods of `Classifier`, those about distances of `GaussianClassifier`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._analysis.boundary import Boundary, Discriminants, boundary_form, discriminant_forms
from gauda._analysis.diagnostics import Diagnostics, rows_to_judge_by
from gauda._analysis.gaussians import Gaussians
from gauda._data.by_class import as_list
from gauda._data.twins import twin
from gauda._estimators.state import Current, FitState, Memo
from gauda._statistics.features import written_names
from gauda._statistics.moments import Moments
from gauda._statistics.separation_tests import SeparationTests
from gauda.typing import KnownValues, Label, MatrixLike, NoData

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.gaussian import GaussianClassifier

Model = TypeVar("Model", bound="Classifier")


def refuse_levels(self: Classifier) -> bool:
    """Refuse models whose discriminants are not polynomials."""
    if self._has_polynomials:
        return True
    raise AttributeError(
        f"{type(self).__name__} has no boundary of the form x'Ax + b'x + c: levels are names, of "
        "which there are no polynomials. Use differences of predict_joint_log_proba, the log-odds "
        "of rows; or BernoulliNB on columns of 0 and 1, one for each level."
    )


def boundary(self: Classifier, i: Label, j: Label) -> Boundary:
    """Return the boundary between two classes.

    Parameters
    ----------
    i, j : label
        The classes.

    Returns
    -------
    Boundary
        With `A`, `b` and `c` of x'Ax + b'x + c = log p(i | x) - log p(j | x); called with rows
        it computes that for each. `A` is exactly 0 for a common covariance and for
        `BernoulliNB`, where x is 1 for what is present and else 0, and `is_linear` true; then
        `theta` holds the weights of the sigmoid form of the posterior.

    See Also
    --------
    discriminant_functions : The same for each class.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [6]], ["a", "a", "b", "b"])
    >>> boundary = qda.boundary("b", "a")
    >>> print(boundary)
    f(x) = log p(b | x) - log p(a | x) = -2.69315 + 1 * x0 + 0.375 * x0^2
    p(b | x) = 1 / (1 + exp(-f(x)))
    >>> boundary([[2.0]]).round(3)
    array([0.807])
    """
    current = self._current()
    codes = [code_of(j, current.classes), code_of(i, current.classes)]
    if codes[0] == codes[1]:
        raise ValueError(f"boundary takes two different classes; got {i!r} twice.")
    if np.isneginf(np.asarray(current.model.log_prior)[codes]).all():
        raise ValueError(f"{i} and {j} both have prior 0, so there is no boundary between them.")
    model, (A, b, c) = self._pair(current, codes)
    pair = answering(self, current, model, current.classes[codes])
    alone = len(current.classes) == len(codes)
    names = names_in_formulas(current)
    plain = pair._without_names()
    return Boundary(i, j, A, b, c, names, pair._decide, pair.predict_proba, alone, plain._decide)


def gaussian_pair(self: GaussianClassifier, current: Current, codes: list[int]) -> tuple[Any, Any]:  # noqa: ARG001 (a method)
    """Return the model of two classes, and A, b and c of the second less the first."""
    two = Gaussians.of(current.model).of_classes(codes)
    return two.model(), boundary_form(two)


def gaussian_forms(self: GaussianClassifier, current: Current) -> tuple[Any, ...]:  # noqa: ARG001 (a method)
    """Return A, b and c of all discriminants."""
    return discriminant_forms(Gaussians.of(current.model))


def discriminant_functions(self: Classifier) -> Discriminants:
    """Return the coefficients of each class's discriminant.

    Returns
    -------
    Discriminants
        With `classes`, and `A`, `b` and `c` stacked: x'A[k]x + b[k]'x + c[k] is log p(k | x) up
        to a term that all classes share, and what `decision_function` gives for more than two.

    See Also
    --------
    boundary : The difference of two, as a function.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], ["a", "a", "b", "b"])
    >>> print(lda.discriminant_functions())
    delta_a(x) = -5.19315 - 6 * x0
    delta_b(x) = -5.19315 + 6 * x0
    """
    current = self._current()
    A, b, c = self._forms(current)
    return Discriminants(current.classes, A, b, c, names_in_formulas(current))


def marginal(self: Model, features: ArrayLike) -> Model:
    """Return the model of some of the columns: each class's distribution without the others.

    It keeps the statistics of these columns, and can go on learning. With `shrinkage`,
    `covariance_estimator` or a `conjugate_prior` a covariance depends on all columns: there the
    result is fitted as by `from_parameters`.

    Parameters
    ----------
    features : array-like
        Names or indices of columns, in the order wanted, or a mask.

    Returns
    -------
    Self
        The fitted estimator.

    See Also
    --------
    condition : Columns that are left out have known values.

    Examples
    --------
    >>> from gauda import LDA
    >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0.5], [0.5, 1]])
    >>> lda.marginal([0]).predict_proba([[1]])
    array([[0.5, 0.5]])
    """
    current = self._current()
    part: Model = self._acting(current.settings)._marginal(current, features)
    return part


def condition(self: Model, values: KnownValues) -> Model:
    """Return the model of the other columns, given the values of some.

    Each class's distribution becomes its conditional one (in naive Bayes the marginal one, for
    there columns of a class are independent), and its prior the posterior given the values. A class
    that they make less probable than 1e-308 gets the prior 0.

    Parameters
    ----------
    values : mapping
        Values by name or index of their columns.

    Returns
    -------
    Self
        The estimator; a Gaussian one is fitted as by `from_parameters`.

    See Also
    --------
    marginal : Columns that are left out have unknown values.

    Examples
    --------
    >>> from gauda import LDA
    >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0.5], [0.5, 1]])
    >>> rest = lda.condition({0: 1.0})
    >>> rest.means_.ravel()
    array([ 0.5, -0.5])
    >>> rest.priors_
    array([0.5, 0.5])
    """
    current = self._current()
    part: Model = self._acting(current.settings)._conditional(current, values)
    return part


def diagnostics(self: GaussianClassifier, moments: Moments | None = None) -> Diagnostics:
    """Return figures on the model: how far the classes are apart, how well it fits.

    Parameters
    ----------
    moments : Moments, default=None
        Rows by which to judge the model; by default those it has seen. Others give the likelihood
        of held-out rows, and 'full' ones Box's M for a model that keeps less.

    Returns
    -------
    Diagnostics
        Distances between classes, bounds on the Bayes error, log-likelihood, AIC, BIC, Box's M
        test, condition and rank of the covariances. They are computed when first read; printed,
        or shown in a notebook, they make a table.

    Examples
    --------
    >>> from gauda import LDA
    >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
    >>> lda.diagnostics().mahalanobis
    array([[0., 4.],
           [4., 0.]])
    """
    current = self._current()
    acting = self._acting(current.settings)
    gaussians = Gaussians.of(current.model)
    own = current.statistics
    reference = own if moments is None else rows_to_judge_by(moments, own)
    problem = acting._problem(own, current.estimates)
    return Diagnostics(
        current.classes,
        reference,
        type(self).__name__,
        gaussians,
        acting.priors is not None,
        acting._covariance_parameters(problem, gaussians),
        acting._moments_by_class(current) if moments is None else reference,
    )


def separation_tests(self: GaussianClassifier) -> SeparationTests:
    """Return tests of whether and where class means differ, by the rows seen.

    They are those of `moments_`, whatever the model makes of these: shrinkage, priors and the like
    play no part. GaussianNB keeps no products of columns, so only columns alone are tested; for
    the others use `Moments.from_data(X, y).separation_tests()`, likewise for Box's M of a linear
    model of many columns or batches, unless store_covariance=True.

    Returns
    -------
    SeparationTests
        Wilks' lambda, the traces of Pillai and of Hotelling and Lawley, and Roy's largest root;
        canonical correlations with sequential tests; Mahalanobis distances between class means and
        analyses of variance of the columns, each with F and p; Box's M beside them. They are
        computed when first read; printed, or shown in a notebook, they make tables.

    Examples
    --------
    >>> from gauda import LDA
    >>> lda = LDA().fit([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"])
    >>> round(lda.separation_tests().wilks.f, 6)
    7.2
    """
    return self._moments_by_class(self._fit_state()).separation_tests()


def mahalanobis(self: GaussianClassifier, X: MatrixLike, *, nodata: NoData = None) -> NDArray[Any]:
    """Return the squared Mahalanobis distance of each row to each class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to measure.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (..., n_classes)
        Squared distances (x - m)' S^-1 (x - m), in the order of `classes_`.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
    >>> qda.mahalanobis([[0.0]])
    array([[0., 9.]])
    """
    return self._answer(X, "mahalanobis", nodata=nodata)


def typicality(self: GaussianClassifier, X: MatrixLike, *, nodata: NoData = None) -> NDArray[Any]:
    """Return how typical each row is of each class.

    That is the probability that a row of the class lies farther from its mean than this one:
    the upper tail of the χ² distribution beyond the squared Mahalanobis distance. For rows of
    the class it is uniform between 0 and 1; a row that is untypical of every class may belong
    to none. Its degrees of freedom are the columns, or the rank if a pooled covariance is
    singular.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to judge.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (..., n_classes)
        Probabilities, in the order of `classes_`.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
    >>> qda.typicality([[0.0], [1.5]]).round(3)
    array([[1.   , 0.003],
           [0.134, 0.134]])
    """
    return self._answer(X, "typicality", nodata=nodata)


def answering(estimator: Model, current: Current, model: Any, classes: NDArray[Any]) -> Model:
    """Return an estimator like another that answers by a model of some of its classes."""
    memo = Memo()
    memo.current = replace(current, model=model, classes=classes)
    state = FitState(
        current.statistics,
        current.settings,
        current.estimates,
        current.open_classes,
        None,
        classes,
        current.n_features,
        current.feature_names,
        memo,
    )
    decided: dict[str, Any] = {estimator._prior_parameter: current.decided}
    return twin(estimator, _fitted=state, **decided)


def code_of(label: Any, classes: NDArray[Any]) -> int:
    """Return the index of a class."""
    known = as_list(classes)
    if np.ndim(label) > 0 or label not in known:
        raise ValueError(f"A class must be one of {known}; got {label!r}.")
    return known.index(label)


def names_in_formulas(current: Current) -> list[str]:
    """Return what columns are called in formulas."""
    return written_names(current.feature_names, current.n_features)
