"""How Gaussian classifiers learn: every model is a function of moments, wherever they came from."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from gauda import _core
from gauda._analysis.gaussians import Gaussians
from gauda._analysis.likelihood import covariance_parameters
from gauda._data.sklearn_private import InstancesOf, StrOptions
from gauda._data.training import Columns, LabeledRows
from gauda._estimators import (
    few_rows,
    gaps,
    gaussian_files,
    geometry,
    imputing,
    loo,
    marginal,
    plain_batches,
    problem,
    reading,
    sampling,
)
from gauda._estimators.classifier import Classifier
from gauda._estimators.family import Family
from gauda._estimators.learner import Estimates, Learner
from gauda._estimators.making import without_rows
from gauda._estimators.problem import MARGINALIZED, MISSING_CONSTRAINTS, OF_ROWS, Problem
from gauda._estimators.refusals import refuse_changes
from gauda._estimators.state import FitState, FittedAttribute, Solution
from gauda._statistics.access import check_complete, is_wide, names_of
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.given import Given
from gauda._statistics.moments import Moments
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of
from gauda._support.arrays import Floats
from gauda.typing import Labels, Priors


class GaussianClassifier(Learner):
    """Base of the classifiers whose classes are Gaussian."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Classifier._parameter_constraints,
        "priors": ["array-like", dict, StrOptions({"uniform"}), None],
        "unbiased": ["boolean"],
        "conjugate_prior": [InstancesOf(NormalInverseWishart), StrOptions({"empirical"}), None],
        **MISSING_CONSTRAINTS,
    }

    singular_advice: ClassVar[str] = "linear"
    """Which remedies errors name where a covariance is singular."""

    _given_structure: ClassVar[str]
    """Structure of the covariances that the model has."""

    _exact: ClassVar[dict[str, Any]] = {}
    """Parameters by default of a model that is given, which would change it otherwise."""

    conjugate_prior: NormalInverseWishart | str | None
    unbiased: bool
    priors: Priors | None

    n_iter_ = FittedAttribute[int](MARGINALIZED)
    converged_ = FittedAttribute[bool](MARGINALIZED)
    log_likelihood_ = FittedAttribute[Floats](MARGINALIZED)

    _gaps_refused: ClassVar[str] = (
        "partial_fit, which never has all rows at once, loo_log_proba, and cross-validation on "
        "clusters"
    )
    """Where missing values are refused whatever `missing` says."""

    nan_advice = property(gaps.nan_advice)

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
                f"from_moments takes gauda.Moments; got {type(moments).__name__}. Make them with "
                "Moments.from_data."
            )
        estimator = without_rows(cls, "from_moments", params)
        if not moments.counts.any():
            raise ValueError("The moments hold no rows; add some before a model is made of them.")
        estimator._take(moments)
        return estimator

    @classmethod
    def from_parameters(
        cls,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: Priors | None = None,
        classes: Labels | None = None,
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

        priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
            Priors of the classes; by default equal.

        classes : array-like of shape (n_classes,), default=None
            Labels, in the order of the means; by default 0, 1, ...

        **params
            Other parameters of the estimator. Those that would change the covariances are refused:
            `alpha`, `conjugate_prior`, `covariance`, `gamma`, `reg_param`, `shrinkage`, `unbiased`
            and `var_smoothing`, which is 0 here by default.

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
        exact = {"priors": given.priors, **cls._exact}
        estimator = without_rows(cls, "from_parameters", exact | params)
        refuse_changes(estimator)
        needed = estimator._structure()
        estimator._take(given.moments(cls._given_structure, needed))
        return estimator

    @property
    def moments_(self) -> Moments:
        """Moments of the rows that were seen."""
        moments: Moments = self._fit_state().statistics
        return moments

    mahalanobis = geometry.mahalanobis
    typicality = geometry.typicality
    diagnostics = geometry.diagnostics
    separation_tests = geometry.separation_tests
    _contrast_terms = reading.contrast_terms
    _row_terms = reading.row_terms
    _summary_tables = reading.gaussian_tables
    _leave_one_out = loo.leave_one_out
    _pair = geometry.gaussian_pair
    _forms = geometry.gaussian_forms
    _draw_rows = sampling.draw_gaussian_rows
    _fill_gaps, _draw_gaps = imputing.fill_gaussian_gaps, imputing.draw_gaussian_gaps
    _marginal = marginal.marginal
    _conditional = marginal.conditional
    _class_weights = sampling.gaussian_class_weights

    # What models define

    @abstractmethod
    def _structure(self) -> str:
        """Return the structure of moments that suffices for the model."""

    @abstractmethod
    def _describe_model(self, problem: Problem) -> dict[str, Any]:
        """Return the attributes that are quick to compute."""

    @abstractmethod
    def _family(self, problem: Problem) -> Family:
        """Return what determines the model besides moments and priors."""

    def _covariances(self, problem: Problem, family: Family) -> Floats:
        """Return the covariance of each class."""
        return family.covariances(problem.moments)

    def _solved_attributes(self, problem: Problem, family: Family, found: Floats) -> dict[str, Any]:  # noqa: ARG002 (used by subclasses)
        """Return the attributes that take a factorization, of the covariances found."""
        return {}

    def _check_solvable(self, problem: Problem) -> None:
        """Refuse moments of which there can be no model."""

    _rank_bounds = few_rows.no_rank_bounds

    def _may_lose_rows(self, problem: Problem, model: _core.Model) -> bool:  # noqa: ARG002 (used by subclasses)
        """Tell whether the core's formulas take rows out of the model, without another fit."""
        return True

    def _removable_moments(
        self,
        data: LabeledRows,  # noqa: ARG002 (used by subclasses)
        seen: Moments,
        priors: Floats | None,  # noqa: ARG002 (used by subclasses)
    ) -> Moments:
        """Return moments that rows can be taken out of while these priors stay."""
        return seen

    def _regularizes(self) -> bool:
        """Tell whether the estimates of the model are not those of largest likelihood."""
        return self.conjugate_prior is not None

    def _regularize(self, problem: Problem) -> Floats:
        """Return the covariances under which EM expects sums, as many as there are scatters."""
        return self._covariances(problem, self._family(problem))

    def _covariance_parameters(self, problem: Problem, gaussians: Gaussians) -> float:  # noqa: ARG002 (used by subclasses)
        """Return the number of free parameters of the covariances."""
        return covariance_parameters(gaussians)

    def _parameters_of_part(self, seen: Moments, selected: Moments) -> dict[str, Any]:  # noqa: ARG002 (used by subclasses)
        """Return parameters that must be others for the same model of some columns."""
        return {}

    def _estimates_jointly(self, estimates: Estimates) -> bool:
        """Tell whether the covariance of some columns depends on the others too."""
        shrunk = bool(getattr(self, "shrinkage", None))
        return shrunk or bool(OF_ROWS & estimates.keys()) or self.conjugate_prior is not None

    # Moments

    _order = problem.order_of
    _lack_of_rows = problem.lack_of_rows
    _moments_by_class = problem.moments_by_class

    def _check_rows(
        self, X: Any, y: Any, sample_weight: Any, before: Columns | None, min_rows: int = 1
    ) -> LabeledRows:
        return LabeledRows.of(self, X, y, sample_weight, min_samples=min_rows, fitted=before)

    _join_rows = plain_batches.join_moments_of

    _sums = problem.sums_of_batch

    _learn = gaps.learn
    _learn_stream = gaps.learn_stream

    def _check_before(self, before: FitState) -> None:
        check_complete(before.statistics, "joined by those of another batch")

    _check_batch = problem.check_batch

    def _take(self, moments: Moments) -> None:
        """Become the model of moments."""
        needed = self._structure()
        if moments.structure not in {needed, "full"}:
            raise ValueError(
                f"{type(self).__name__} with these parameters needs moments of structure "
                f"{needed!r}; got {moments.structure!r} ones. Make them with structure={needed!r}."
            )
        self._check_parameters()
        problem.check_order(self, moments)
        self._check_size(len(moments.classes), moments.n_rows)
        settings = self._twin()
        self._adopt(settings._state_of(moments.to(needed), {}))

    _joint = problem.joint_moments

    def _problem(self, seen: Moments, estimates: Estimates) -> Problem:
        joint = self._joint(seen, estimates)
        return Problem(seen, joint, self._class_priors(seen), estimates)

    def _describe(self, statistics: Moments, estimates: Estimates) -> dict[str, Any]:
        return self._describe_model(self._problem(statistics, estimates))

    def _solve_model(self, problem: Problem) -> Solution:
        """Return the model, and the attributes that take a factorization."""
        self._check_solvable(problem)
        family = self._family(problem)
        found = self._covariances(problem, family)
        model = family.model(problem.moments, found, problem.priors, self.n_threads)
        return Solution(model, self._solved_attributes(problem, family, found))

    def _solve(self, statistics: Moments, estimates: Estimates) -> Solution:
        problem = self._problem(statistics, estimates)
        self._check_parameters()
        if self.conjugate_prior == "empirical" and not statistics.squares.any():
            raise ValueError(
                "conjugate_prior='empirical' needs variance within classes, but no class has two "
                "rows that differ. Give a NormalInverseWishart."
            )
        if is_wide(statistics):
            few_rows.refuse_few_counted(self, statistics, names_of(statistics, self))
        try:
            return self._solve_model(problem)
        except _core.CoreError as error:
            raise names_of(statistics, self).explain(error) from None

    _with_priors = problem.with_priors
    _may_describe_later = problem.holds_doubles

    def _check_change(self, statistics: Moments) -> None:
        if self._structure() == "full" and statistics.structure == "tied":
            raise ValueError(
                f"With {type(self).__name__}'s parameters, priors weight the covariances of the "
                "classes, which this fit has pooled: the weights cannot change without the rows. "
                "Refit with priors, or give them to predict."
            )

    # Files

    _state = gaussian_files.state_of

    def _saved_estimates(self, estimates: Estimates) -> tuple[dict[str, Arrays], dict[str, Any]]:
        """Return estimates as parts of a file, and what else is to be known of them."""
        return {"_estimated": dict(estimates)}, {}

    @classmethod
    def _loaded_estimates(cls, arrays: Arrays, metadata: dict[str, Any]) -> Estimates:  # noqa: ARG003 (used by subclasses)
        """Return the estimates that a file holds."""
        return part_of(arrays, "_estimated")

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        return gaussian_files.estimator_from(cls, arrays, metadata)
