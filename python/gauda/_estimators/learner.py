"""How classifiers learn: rows become statistics, statistics become the model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gauda._data.dropping import report_dropped, take_rows
from gauda._data.label_columns import distinct_labels
from gauda._data.labels import is_listed
from gauda._data.sklearn_private import available_if
from gauda._data.training import Codes, LabeledRows, plain_labels
from gauda._data.twins import same_parameters, validate_twin
from gauda._estimators import batches, forgetting, solving, stream_fit
from gauda._estimators.class_weights import NEEDS_COUNTS, weigh_rows
from gauda._estimators.classifier import Classifier
from gauda._estimators.state import REPLACING, FitState, Solution
from gauda._statistics.access import among
from gauda._statistics.em import EmReport
from gauda._statistics.priors import Policy, class_priors, warn_of_priors
from gauda._storage.saveable import register, save
from gauda._support.arrays import Floats
from gauda.typing import ClassWeight, Labels, MatrixLike, Weights

Estimates = Mapping[str, Any]


class Learner(Classifier):
    """Base of the classifiers: rows become statistics, statistics become the model.

    The methods that subclasses define are called on the settings of a fit, an unfitted estimator
    with the parameters as they were then; they return values and set nothing.
    """

    class_weight: ClassWeight = None
    missing: str

    _saved_as: ClassVar[str | None] = None

    _min_rows: ClassVar[int] = 1
    """Rows that a fit must be given."""

    _prior_policy: ClassVar[Policy] = Policy()
    """Which priors are refused, in the words of scikit-learn's class of this name."""

    _asks_classes: ClassVar[bool] = False
    """Whether the first partial_fit must be told all classes, as scikit-learn's."""

    _solves_at_once: ClassVar[bool] = False
    """Whether the model is made with every batch, and not when it is first asked for."""

    def fit(self, X: MatrixLike, y: Labels, sample_weight: Weights | None = None) -> Self:
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
        settings = validate_twin(self)
        data = settings._label_rows(X, y, sample_weight, None, self._min_rows)
        settings._check_parameters()
        data = weigh_rows(settings.class_weight, data, complete=True)
        self._adopt(settings._learned_state(data))
        return self

    partial_fit = batches.partial_fit

    forget_rows = available_if(lambda self: self._refuse_rows_needed("forget_rows"))(
        forgetting.forget_rows
    )

    fit_stream = stream_fit.fit_stream
    _learn_stream = stream_fit.learn_stream

    # What subclasses define

    @abstractmethod
    def _check_rows(
        self, X: Any, y: Any, sample_weight: Any, before: FitState | None, min_rows: int = 1
    ) -> Any:
        """Return all rows as training data, checked, also against the columns of the fit before."""

    def _kept_rows(self, *given: Any) -> Any:
        """Return the rows that a fit takes, of which none may be left; nothing is said of it."""
        return take_rows(self.missing, self._check_rows(*given))

    def _label_rows(self, *given: Any) -> Any:
        """Return the rows that a fit takes; warn of those that it leaves out, if it does."""
        return report_dropped(self._kept_rows(*given))

    def _batch(self, data: LabeledRows, before: FitState | None) -> Any:  # noqa: ARG002 (used by subclasses)
        """Return rows of a stream that a fit takes, which follow those seen before."""
        return take_rows(self.missing, data)

    @abstractmethod
    def _sums(self, data: Any) -> Any:
        """Return the statistics of rows."""

    @abstractmethod
    def _describe(self, statistics: Any, estimates: Estimates) -> dict[str, Any]:
        """Return the attributes that are quick to compute."""

    def _may_describe_later(self, statistics: Any) -> bool:  # noqa: ARG002 (used by subclasses)
        """Tell whether these attributes cannot be refused where there is a model."""
        return False

    @abstractmethod
    def _solve(self, statistics: Any, estimates: Estimates) -> Solution:
        """Return the model, and the attributes that take a factorization."""

    def _learned_state(self, data: Any) -> FitState:
        """Return the state of a fit to all rows."""
        statistics, em = self._learn(data)
        return self._state_of(statistics, self._estimate(data, statistics), em=em)

    def _learn(self, data: Any) -> tuple[Any, EmReport | None]:
        """Return the statistics of rows of which values may be missing, and how they were found."""
        return self._sums(data), None

    def _estimate(self, data: Any, statistics: Any) -> Estimates:  # noqa: ARG002 (used by subclasses)
        """Return what statistics alone do not give."""
        return {}

    def _settings(self, estimates: Estimates) -> Any:  # noqa: ARG002 (used by subclasses)
        """Return the estimator that makes the model: itself, or what it has chosen."""
        return self

    def _needs_rows(self) -> str | None:
        """Return what needs all rows at once, and what does not, if anything does."""
        return None

    def _check_parameters(self) -> None:
        """Refuse parameters that contradict each other."""

    def _check_change(self, statistics: Any) -> None:
        """Refuse decision parameters that only another fit can follow."""

    def _check_size(self, n_classes: int, n_rows: int) -> None:
        """Refuse too few classes or rows."""

    def _check_before(self, before: FitState) -> None:
        """Refuse a fit that batches cannot join."""

    def _check_batch(self, before: FitState, batch: Any) -> None:
        """Refuse a batch whose statistics do not go with those seen before."""

    def _class_priors(self, statistics: Any) -> Floats:
        """Return priors that sum to 1, as given or counted."""
        return class_priors(getattr(self, self._prior_parameter), statistics, self._prior_policy)

    _log_prior: Any
    """Returns the logarithms of the priors: (statistics)."""

    _with_priors: Any = solving.with_priors

    @staticmethod
    def _plain(classes: NDArray[Any]) -> NDArray[Any]:
        """Return labels in the type that scikit-learn's class of this name gives them."""
        return plain_labels(classes)

    def _join_rows(self, before: FitState, rows: NDArray[Any], codes: Codes) -> Any:  # noqa: ARG002 (used by subclasses)
        """Return the statistics of rows together with all before; None if not so quickly.

        Their model must exist wherever that of the rows before does.
        """
        return None

    # From statistics to the state

    def _refuse_rows_needed(self, method: str) -> bool:
        """Hide a method that does not have all rows at once from estimates that need them."""
        reason = self._lack_of_rows(method)
        if reason is None:
            return True
        raise AttributeError(reason)

    def _lack_of_rows(self, method: str) -> str | None:
        """Return what a method lacks that does not have all rows at once, if it lacks anything."""
        reason = self._needs_rows()
        if reason is None and isinstance(self.class_weight, str):
            reason = NEEDS_COUNTS
        return reason and f"{method} does not have all rows at once, which {reason}"

    def _state_of(
        self,
        statistics: Any,
        estimates: Estimates,
        *,
        open_classes: bool = True,
        em: EmReport | None = None,
        classes: NDArray[Any] | None = None,
    ) -> FitState:
        """Return the state of a fit by these settings."""
        return FitState(
            statistics,
            self._settings(estimates),
            estimates,
            open_classes,
            em,
            self._plain(statistics.classes) if classes is None else classes,
            statistics.n_features,
            statistics.feature_names,
        )

    def _adopt(self, state: FitState) -> None:
        """Become the model of a state, if it gives one."""
        self._check_rules(self._solved(state, state.settings))
        self._fitted = state
        self._warn_of_parameters()

    def _warn_of_parameters(self) -> None:
        """Warn of parameters that a fit has changed before it took them."""
        warn_of_priors(getattr(self, self._prior_parameter))

    def _settings_of_batch(self, before: FitState | None) -> Self:
        """Return the parameters of now, checked if they are not those of the fit before."""
        if before is not None and same_parameters(self, before.settings):
            known: Self = before.settings
            return known
        settings = validate_twin(self)
        settings._check_parameters()
        return settings

    _known_classes = batches.known_classes

    @staticmethod
    def _same_classes(known: NDArray[Any], given: Labels) -> bool:
        """Tell whether classes that are given are those that are known, as scikit-learn does."""
        return is_listed(known, given) or np.array_equal(known, distinct_labels(given))

    def _join(
        self,
        before: FitState | None,
        batch: Any,
        estimates: Estimates,
        known: NDArray[Any] | None,
        forget: float,
    ) -> FitState:
        """Return the state of a batch together with all rows before."""
        if before is None:
            batch = batch if known is None else among(batch, known)
            return self._state_of(batch, estimates, open_classes=known is None)
        self._check_batch(before, batch)
        batch = batch if known is None else among(batch, known)
        return self._state_after(before, before.statistics * forget + batch, estimates)

    def _state_after(self, before: FitState, statistics: Any, estimates: Estimates) -> FitState:
        """Return the state that follows another when rows have come or gone."""
        unchanged = statistics.classes is before.statistics.classes
        if not unchanged and getattr(self, self._prior_parameter) is not None:
            self._class_priors(statistics)  # refuses classes without a prior
        return self._state_of(
            statistics,
            estimates,
            open_classes=before.open_classes,
            classes=before.classes if unchanged else None,
        )

    def _replace_state(self, before: FitState | None, state: FitState) -> bool:
        """Put a state in the place of another; False if another thread has done so meanwhile."""
        if before is None or self._solves_at_once:
            self._described(state)  # which finds most mistakes
        if self._solves_at_once:
            self._solved(state)
        with REPLACING:
            if self._fitted is not before:
                return False
            self._fitted = state
        return True

    # Files

    def __init_subclass__(cls, *, saved_as: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(cls, saved_as)

    save = save

    def _changed_settings(self, state: FitState) -> dict[str, Any]:
        """Return the parameters of the fit that have been changed since, for a file."""
        now, then = vars(self), vars(state.settings)
        names = [name for name in self._get_param_names() if name not in self.at_once]
        return {name: then[name] for name in names if then.get(name, now[name]) is not now[name]}
