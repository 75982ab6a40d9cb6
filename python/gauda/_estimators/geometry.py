"""What a generative classifier tells beyond predictions: boundaries, parts of it, diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np

from gauda._analysis.boundary import Boundary, Discriminants, boundary_form, discriminant_forms
from gauda._analysis.diagnostics import Diagnostics, rows_to_judge_by
from gauda._analysis.gaussians import Gaussians
from gauda._analysis.likelihood import covariance_parameters
from gauda._estimators.learner import Learner
from gauda._estimators.marginal import conditional, marginal
from gauda._statistics.moments import Moments
from gauda._support.states import reads_one_state


class Geometry(Learner):
    """A classifier whose Gaussians can be looked at, cut and compared."""

    @reads_one_state
    def boundary(self, i: Any, j: Any) -> Boundary:
        """Return the boundary between two classes.

        Parameters
        ----------
        i, j : label
            The classes.

        Returns
        -------
        Boundary
            With `A`, `b` and `c` of x'Ax + b'x + c = log p(i | x) - log p(j | x); called with rows
            it computes that for each. `A` is exactly 0 for a common covariance, and `is_linear`
            true; then `theta` holds the weights of the sigmoid form of the posterior.

        See Also
        --------
        discriminants : The same for each class.

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
        gaussians = Gaussians.of(self._fitted_model())
        codes = [self._code(j), self._code(i)]
        if codes[0] == codes[1]:
            raise ValueError(f"A boundary has two sides; both classes given are {i}.")
        if np.isneginf(gaussians.log_prior[codes]).all():
            raise ValueError(f"{i} and {j} both have prior 0, so that nothing is between them.")
        two = gaussians.of_classes(codes)
        pair = copy(self)
        pair._model, pair.classes_ = two.model(), self.classes_[codes]
        alone = gaussians.n_classes == len(codes)
        names = self._column_names()
        return Boundary(i, j, *boundary_form(two), names, pair._decide, pair.predict_proba, alone)

    @reads_one_state
    def discriminants(self) -> Discriminants:
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
        >>> print(lda.discriminants())
        delta_a(x) = -5.19315 - 6 * x0
        delta_b(x) = -5.19315 + 6 * x0
        """
        forms = discriminant_forms(Gaussians.of(self._fitted_model()))
        return Discriminants(self.classes_, *forms, self._column_names())

    @reads_one_state
    def marginal(self, features: Any) -> Self:
        """Return the model of some of the columns: each class's Gaussian without the others.

        It keeps the statistics of these columns, and can go on learning. With `shrinkage`,
        `covariance_estimator` or a conjugate `prior` a covariance depends on all columns: there the
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
        return marginal(self, features)

    @reads_one_state
    def condition(self, values: Mapping[Any, float]) -> Self:
        """Return the model of the other columns, given the values of some.

        Each class's Gaussian becomes its conditional one, and its prior the posterior given the
        values. A class that they make less probable than 1e-308 gets the prior 0.

        Parameters
        ----------
        values : mapping
            Values by name or index of their columns.

        Returns
        -------
        Self
            The estimator, fitted as by `from_parameters`.

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
        return conditional(self, values)

    @reads_one_state
    def diagnostics(self, moments: Moments | None = None) -> Diagnostics:
        """Return figures on the model: how far the classes are apart, how well it fits.

        Parameters
        ----------
        moments : Moments, default=None
            Rows by which to judge the model; by default those it has seen. Others give the
            likelihood of held-out rows, and 'full' ones the test of equal covariances for a model
            that keeps less.

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
        model = self._fitted_model()
        gaussians = Gaussians.of(model)
        return Diagnostics(
            self.classes_,
            self._moments if moments is None else rows_to_judge_by(moments, self._moments),
            type(self).__name__,
            gaussians,
            self.priors is not None,
            self._covariance_parameters(gaussians),
        )

    def _covariance_parameters(self, gaussians: Gaussians) -> float:
        """Return the number of free parameters of the covariances."""
        return covariance_parameters(gaussians)

    def _code(self, label: Any) -> int:
        """Return the place of a class."""
        # tolist makes numbers of dates in nanoseconds.
        dates = self.classes_.dtype.kind == "M"
        known: list[Any] = list(self.classes_) if dates else self.classes_.tolist()
        if np.ndim(label) > 0 or label not in known:
            raise ValueError(f"There is no class {label!r}; the classes are {known}.")
        return known.index(label)

    def _column_names(self) -> list[str]:
        """Return what columns are called in formulas."""
        names = self._moments.feature_names
        if names is None:
            return [f"x{place}" for place in range(self._moments.n_features)]
        return [str(name) for name in names]
