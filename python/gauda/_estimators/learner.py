"""How Gaussian classifiers learn: every model is a function of moments, wherever they came from."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from gauda import _core
from gauda._data.label_columns import distinct_labels
from gauda._data.sklearn_private import fit_context
from gauda._data.training import LabelledRows, check_forget, plain_labels
from gauda._estimators.classifier import GaussianClassifier, drop_fitted
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.em import (
    ITERATIONS,
    estimated_moments,
    forget_iterations,
    refuse_other_estimates,
)
from gauda._statistics.given import Given, refuse_changes
from gauda._statistics.moments import Moments
from gauda._statistics.priors import Refusals, class_priors, warn_of_priors
from gauda._storage.format import Arrays
from gauda._storage.saveable import Saveable, joined, part_of
from gauda._support.states import builds_aside, joins_state, reads_one_state, snapshot


class Learner(Saveable, GaussianClassifier):
    """Base of the classifiers: rows become moments, moments become the model."""

    _least_rows: ClassVar[int] = 1
    """Rows that a fit must be given."""

    _asks_classes: ClassVar[bool] = False
    """Whether the first partial_fit must be told all classes, as scikit-learn's."""

    _derived: ClassVar[frozenset[str]]
    """Attributes that follow from the moments: after partial_fit they are made when first read."""

    _statistics: ClassVar[tuple[str, ...]] = ("_moments",)
    """Attributes that hold moments of the rows seen."""

    _conditions: ClassVar[dict[str, str]] = {}
    """Of attributes that not every fit makes, how to have them."""

    _prior_refusals: ClassVar[Refusals] = Refusals()
    """What scikit-learn's class of this name says of priors that it refuses."""

    _given_structure: ClassVar[str]
    """Structure of the covariances that the model has."""

    prior: NormalInverseWishart | str | None
    unbiased: bool
    _moments: Moments
    _labels: NDArray[Any]
    """Classes of the moments, of which `classes_` was made."""
    priors: ArrayLike | None
    _open: bool
    """Whether classes may still appear."""
    _estimated: dict[str, NDArray[np.float64]]
    """Covariances that moments alone do not give."""

    @fit_context(prefer_skip_nested_validation=False)
    @builds_aside
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Until the fit is complete, other threads are answered by the model before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> X, y = [[-2], [-1], [1], [2], [9]], [0, 0, 1, 1, 1]
        >>> qda = QuadraticDiscriminantAnalysis().fit(X, y, sample_weight=[1, 1, 1, 1, 0])
        >>> qda.means_.ravel()
        array([-1.5,  1.5])
        """
        self._forget()
        data = LabelledRows.of(self, X, y, sample_weight, min_samples=self._least_rows)
        self._check(len(data.classes), len(data.rows))
        self._check_parameters()
        if self.missing == "marginalize":
            moments, data = estimated_moments(self, data)
        else:
            moments = Moments._of(data, self._structure())
        self._estimated = self._estimate(data, moments)
        self._begin(moments, data)
        self._outdate()
        self._settle()
        warn_of_priors(self.priors)
        return self

    @available_if(lambda self: self._need_no_rows("partial_fit"))
    @joins_state
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: Any = None,
        *,
        forget: float = 1.0,
    ) -> Self:
        """Fit the model to one more batch of rows.

        Batches one after another give the model of all rows together. It is computed when it is
        first asked for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels. A batch need not hold rows of every class.

        classes : array-like of shape (n_classes,), default=None
            All labels that will ever appear, given in the first call. By default classes may appear
            at any time.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        forget : float, default=1.0
            The weight of all earlier rows is multiplied by this, from 0 to 1: below 1 the model
            follows data that drift, and 0 forgets them.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> qda = QuadraticDiscriminantAnalysis().partial_fit([[-2], [-1]], [0, 0])
        >>> qda.partial_fit([[1], [2]], [1, 1]).predict([[0.5]])
        array([1])
        """
        check_forget(forget)
        first = "_moments" not in vars(self)
        if first:
            self._validate_params()
            self._check_parameters()
            if classes is None and self._asks_classes:
                raise ValueError("classes must be passed on the first call to partial_fit.")
        else:
            self._moments._check_complete("joined by those of another batch")
        data = LabelledRows.of(self, X, y, sample_weight, reset=first)
        batch = Moments._of(data, self._structure())
        self._estimated = {}
        if first:
            self._begin(batch, data)
            self._open = classes is None
            if classes is not None:
                self._moments = batch._among(distinct_labels(classes))
            self._outdate()
            self._describe(self._fitted_moments())  # which finds most mistakes
            warn_of_priors(self.priors)
        else:
            self._join(batch, data, forget, classes)
            self._outdate()
            forget_iterations(self)
        return self

    @classmethod
    def from_moments(cls, moments: Moments, **params: Any) -> Self:
        """Return an estimator fitted to moments: the same as `fit` on their rows.

        Parameters
        ----------
        moments : Moments
            Of at least the structure that the model needs.

        **params
            Parameters of the estimator.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import GaussianNB, Moments
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> GaussianNB.from_moments(moments, priors=[0.5, 0.5]).predict([[6.0]])
        array([1])
        """
        if not isinstance(moments, Moments):
            raise TypeError(
                f"from_moments takes gauda.Moments, got {type(moments).__name__}. Make them with "
                "Moments.from_data."
            )
        estimator = cls._without_rows("from_moments", params)
        if not moments.counts.any():
            raise ValueError("The moments hold no rows; add some before a model is made of them.")
        estimator._take(moments)
        return estimator

    @classmethod
    def from_parameters(
        cls,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Return an estimator with given means and covariances, which has seen no rows.

        Each class weighs as much as one row, should `partial_fit` bring rows.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features)
            Class means.

        covariances : array-like
            Covariances: of shape (n_classes, n_features, n_features) for quadratic, (n_features,
            n_features) for linear discriminant analysis; for naive Bayes variances, of shape
            (n_classes, n_features).

        priors : array-like of shape (n_classes,), default=None
            Priors of the classes; by default equal.

        classes : array-like of shape (n_classes,), default=None
            Labels, in the order of the means; by default 0, 1, ...

        **params
            Other parameters of the estimator. Those that would change the covariances are refused:
            `alpha`, `covariance`, `gamma`, `prior`, `reg_param`, `shrinkage`, `unbiased` and
            `var_smoothing`, which is 0 here by default.

        Returns
        -------
        Self
            The estimator, ready to predict.

        Examples
        --------
        >>> from gauda import LDA
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]], classes=["a", "b"])
        >>> lda.predict_proba([[1, 5]])
        array([[0.5, 0.5]])
        """
        given = Given.of(means, covariances, priors, classes)
        estimator = cls._without_rows("from_parameters", {"priors": given.priors, **params})
        refuse_changes(estimator)
        estimator._take(given.moments(cls._given_structure, estimator._structure()))
        return estimator

    @property
    def moments_(self) -> Moments:
        """Moments of the rows that were seen."""
        if "_moments" not in vars(self):
            raise AttributeError(f"This {type(self).__name__} has seen no rows yet; call fit.")
        return self._moments

    @property
    def _chosen(self) -> Any:
        """The model alone, if the estimator has chosen it among others."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_moments" in vars(self)

    @reads_one_state
    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        check_is_fitted(self)
        kept = {name: getattr(self, name) for name in self._statistics}
        states = {name: moments._state() for name, moments in kept.items() if moments is not None}
        arrays = {name: arrays for name, (arrays, _) in states.items()}
        metadata = {name: metadata for name, (_, metadata) in states.items()}
        return joined(arrays | {"_estimated": self._estimated}), metadata | {
            "parameters": self.get_params(deep=False),
            "open": self._open,
            "settled": "_model" in vars(self),
            "iterations": {name: vars(self)[name] for name in ITERATIONS if name in vars(self)},
        }

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        estimator = cls(**metadata["parameters"])
        estimator._validate_params()
        for name in cls._statistics:
            kept = name in metadata
            moments = Moments._from_state(part_of(arrays, name), metadata[name]) if kept else None
            if moments is not None and metadata.get("filled"):  # where earlier versions noted it
                moments = replace(moments, has_gaps=True)
            setattr(estimator, name, moments)
        estimator._estimated = part_of(arrays, "_estimated")
        estimator._open = metadata["open"]
        estimator.__dict__.update(metadata["iterations"])
        estimator._name_columns()
        estimator._outdate()
        if metadata["settled"]:
            estimator._settle()
        return estimator

    def _name_columns(self) -> None:
        """Set the attributes that say which columns there are."""
        self.n_features_in_ = self._moments.n_features
        if self._moments.feature_names is not None:
            self.feature_names_in_ = self._moments.feature_names

    @classmethod
    def _without_rows(cls, method: str, params: dict[str, Any]) -> Self:
        """Return an estimator whose parameters need no rows."""
        estimator = cls(**params)
        estimator._validate_params()
        try:
            estimator._need_no_rows(method)
        except AttributeError as refusal:  # which hides partial_fit; here the parameters are wrong
            raise ValueError(str(refusal)) from None
        return estimator

    def _take(self, moments: Moments) -> None:
        """Become the model of moments."""
        needed = self._structure()
        if moments.structure not in {needed, "full"}:
            raise ValueError(
                f"{type(self).__name__} with these parameters needs moments of structure "
                f"{needed!r}, got {moments.structure!r} ones. Make them with structure={needed!r}."
            )
        self._check_parameters()
        self._check(len(moments.classes), moments.n_rows)
        self._estimated = {}
        self._begin(moments.to(needed), None)
        self._name_columns()
        self._outdate()
        self._settle()
        warn_of_priors(self.priors)

    def _begin(self, moments: Moments, data: LabelledRows | None) -> None:  # noqa: ARG002 (for others)
        """Keep the statistics of the first rows."""
        self._moments = moments
        self._open = not self._asks_classes

    def _join(
        self,
        batch: Moments,
        data: LabelledRows,  # noqa: ARG002 (for others)
        forget: float,
        classes: ArrayLike | None,
    ) -> None:
        """Join the statistics of a batch to those seen before."""
        known = self._moments.classes
        if classes is not None and not np.array_equal(known, distinct_labels(classes)):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                f"{known!r}"
            )
        if batch.structure != self._moments.structure:
            raise ValueError(
                f"With the parameters as they are now, {type(self).__name__} needs moments of "
                f"structure {batch.structure!r}, but those seen before are "
                f"{self._moments.structure!r}. Set the parameters back, or fit anew."
            )
        if not self._open:
            batch = batch._among(known)
        self._moments = self._moments * forget + batch

    def _forget(self) -> None:
        """Drop what an earlier fit left."""
        held = {"_estimated", "_labels", "_open"}
        drop_fitted(self, self._derived.union(self._statistics, held))

    def _outdate(self) -> None:
        """Drop what followed from the moments before."""
        for name in self._derived:
            self.__dict__.pop(name, None)
        if self._moments.classes is not self.__dict__.get("_labels"):
            if self.priors is not None and "_labels" in vars(self):
                self._class_priors(self._moments)  # refuses classes without a prior
            self._labels = self._moments.classes
            self.classes_ = self._plain(self._labels)

    def _settle(self) -> None:
        """Make the model, and all attributes that follow from the moments."""
        moments = self._fitted_moments()
        self._describe(moments)
        self._make_model(moments)

    def _make_model(self, moments: Moments) -> None:
        """Make the model of moments that were described."""
        self._check_parameters()
        if self.prior == "empirical" and not self._moments.scatter.any():
            raise ValueError(
                "prior='empirical' needs variance within classes, but no class has two rows that "
                "differ. Give a NormalInverseWishart."
            )
        with self._moments._names(self).told():
            self.__dict__.update(self._solve(moments))

    def __getattr__(self, name: str) -> Any:
        held = vars(self)
        if name in type(self)._derived and "_moments" in held and "_model" not in held:
            now = snapshot(self)
            held = vars(now)
            try:
                now._validate_params()  # which may have changed since
                moments = now._fitted_moments()
                now._describe(moments)
                if name not in held:
                    now._make_model(moments)
            except ValueError as error:
                raise NotFittedError(f"{name} does not exist yet. {error}") from error
            if name in held:
                return held[name]
        if name in self._conditions and "_moments" in held:
            raise AttributeError(
                f"This {type(self).__name__} has no {name}. {self._conditions[name]}"
            )
        return super().__getattribute__(name)  # which says what is amiss

    @reads_one_state
    def __dir__(self) -> list[str]:
        unsettled = "_moments" in vars(self) and "_model" not in vars(self)
        pending = self._derived if unsettled else frozenset()
        own = object.__dir__(self)
        # What is made when read is not made to see that it is there.
        lazy = {name for name in own if isinstance(getattr(type(self), name, None), property)}
        there = {name for name in own if name in lazy or hasattr(self, name)}
        return sorted(there | {name for name in pending if not name.startswith("_")})

    def _fitted_model(self) -> _core.Model:
        if "_model" not in self.__dict__:
            check_is_fitted(self)
            self._validate_params()  # which may have changed since
            self._settle()
        return self._model

    def _fitted_moments(self) -> Moments:
        """Return the moments of rows and prior together, whose covariances are the estimates."""
        if self._moments.has_gaps:
            refuse_other_estimates(self)
        if self.prior is None:
            return self._moments
        if self.unbiased:
            raise ValueError("prior= gives MAP estimates, to which unbiased=True does not apply.")
        if self._estimated:
            raise ValueError(
                "prior= gives MAP estimates; shrinkage='auto' and covariance_estimator= give "
                "others. Use one of them only."
            )
        prior = self.prior
        if isinstance(prior, str):
            prior = NormalInverseWishart.empirical(self._moments)
        return prior.joined_to(self._moments)

    def _class_priors(self, moments: Moments) -> NDArray[np.float64]:
        """Return priors that sum to 1, as given or counted."""
        return class_priors(self.priors, moments, self._prior_refusals)

    def _need_no_rows(self, method: str) -> bool:  # noqa: ARG002 (for others)
        """Refuse ways to estimate a covariance that need all rows at once."""
        return True

    @staticmethod
    def _plain(classes: NDArray[Any]) -> NDArray[Any]:
        """Return labels in the type that scikit-learn's class of this name gives them."""
        return plain_labels(classes)

    @abstractmethod
    def _structure(self) -> str:
        """Return the least moments that the model needs."""

    def _check_parameters(self) -> None:
        """Refuse parameters that contradict each other."""

    def _check(self, n_classes: int, n_rows: int) -> None:
        """Refuse too few classes or rows."""

    def _estimate(self, data: LabelledRows, moments: Moments) -> dict[str, NDArray[np.float64]]:  # noqa: ARG002 (for others)
        """Return covariances that moments alone do not give."""
        return {}

    @abstractmethod
    def _describe(self, moments: Moments) -> None:
        """Set the attributes that are quick to compute."""

    @abstractmethod
    def _solve(self, moments: Moments) -> dict[str, Any]:
        """Return the model, and the attributes that take a factorisation."""
