"""What all classifiers share: a fitted model, and the questions that can be asked of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from gauda._core import CoreError
from gauda._data.arguments import MAX_THREADS
from gauda._data.element_types import SINGLE
from gauda._data.few_rows import few_as_array
from gauda._data.sklearn_private import Interval, StrOptions, available_if
from gauda._data.training import rows_to_score, score_dtype
from gauda._data.twins import unfitted_twin
from gauda._estimators import (
    asking,
    decisions,
    geometry,
    importance,
    imputing,
    loo,
    questions,
    reading,
    sampling,
    solving,
    streaming,
)
from gauda._estimators.state import (
    Current,
    FitState,
    FixedStateAttribute,
    StateAttribute,
    not_fitted,
    same,
)
from gauda._scoring.rules import Reject
from gauda._support.arrays import Floats
from gauda._support.errors import Names
from gauda.typing import Costs, RejectLabel


class Classifier(ClassifierMixin, BaseEstimator):
    """Base of all classifiers: one model answers every question in one pass over the rows.

    Parameters are of two kinds. Those of the estimation act at the fit: to change one afterwards
    changes nothing until the next `fit` or `partial_fit`. Those in `at_once` say how a fitted model
    decides; they act at once, whether set by `set_params` or assigned.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "cost": ["array-like", dict, None],
        "reject": [Real, dict, None],
        "reject_label": "no_validation",
        "n_threads": [Interval(Integral, 1, MAX_THREADS, closed="both"), None],
    }

    at_once: ClassVar[frozenset[str]] = frozenset(
        {
            "class_prior",
            "cost",
            "handle_unknown",
            "missing",
            "n_threads",
            "priors",
            "reject",
            "reject_label",
        }
    )
    """Parameters that act at once; all others act at the fit."""

    _decided: ClassVar[Any] = staticmethod(attrgetter("priors"))
    """Those of them that the model is made of."""

    _prior_parameter: ClassVar[str] = "priors"
    """The one that gives the priors."""

    _reads_tables: ClassVar[bool] = False
    """Whether streams may hold columns of any type, not only numbers."""

    shell_name: ClassVar[str | None] = None
    """What the shell calls the model, if it fits it."""

    nan_advice: ClassVar[Any] = ""
    """Who takes missing values, for an error that refuses them."""

    cost: Costs | None
    reject: Reject
    reject_label: RejectLabel
    n_threads: int | None

    _fitted: FitState | None = None
    """What the fit knows; replaced as a whole."""

    classes_ = FixedStateAttribute[NDArray[Any]]("classes")
    n_features_in_ = StateAttribute[int]("n_features")
    feature_names_in_ = StateAttribute[NDArray[Any]]("feature_names")

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters; scikit-learn would look them up at every fit."""
        names: list[str] = super()._get_param_names()
        return names

    @classmethod
    @cache
    def _decisions(cls) -> tuple[list[str], Callable[[Any], tuple[Any, ...]]]:
        """Return the names of the parameters that act at once, and what reads their values."""
        names = [name for name in cls._get_param_names() if name in cls.at_once]
        if len(names) > 1:
            return names, attrgetter(*names)  # which gives a tuple of several only
        return names, lambda model: tuple([getattr(model, name) for name in names])

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether NaN is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._missing() != "raise"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickles and copies hold: a dictionary that other threads do not change."""
        return dict(super().__getstate__())

    def __dir__(self) -> list[str]:
        return sorted(name for name in object.__dir__(self) if self._shows(name))

    # The model of now

    def _current(self) -> Current:
        """Return the fit under the decision parameters of now; refuse if there is none yet."""
        state = self._fitted
        if state is None:
            raise not_fitted(self)
        current = state.memo.current
        if current is not None:
            decided = self._decided(self)
            if decided is current.decided or same(decided, current.decided):
                return current
        return self._solved(state)

    def _fit_state(self) -> FitState:
        """Return what the fit knows; refuse if there was none."""
        state = self._fitted
        if state is None:
            raise NotFittedError(f"This {type(self).__name__} has seen no rows yet; call fit.")
        return state

    def _fitted_model(self) -> Any:
        """Return the core model; refuse if there is none yet."""
        return self._current().model

    def _names(self, current: Current | None = None) -> Names:
        """Return how the fitted classes and columns are called."""
        current = self._current() if current is None else current
        acting = self._acting(current.settings)
        speaker = acting if type(acting) is type(self) else self
        return Names(type(self).__name__, current.classes, current.feature_names, speaker)

    def _missing(self) -> str:
        """Return how NaN is handled in rows that are scored, of which none can be left out."""
        missing = str(self.__dict__.get("missing", "raise"))
        return "raise" if missing == "drop" else missing

    # Questions

    _rows: Any = rows_to_score
    """Returns X as rows that the core reads, checked against the columns of the fit."""

    _precision: Any = staticmethod(score_dtype)
    """Returns the type in which the core scores rows."""

    def _few_rows(self, X: Any, current: Current) -> NDArray[Any] | None:
        """Return a few rows as an array that the core reads; None if they need another look."""
        return few_as_array(X, current.feature_names)

    def _batch_rows(self, X: Any, current: Current) -> Any:  # noqa: ARG002 (used by subclasses)
        """Return a batch of a stream as rows that the core reads."""
        return X

    def _text_columns(self, current: Current) -> frozenset[str]:  # noqa: ARG002 (used by subclasses)
        """Return the names of columns whose levels are text, also where they look like numbers."""
        return frozenset()

    def _arrays(self, rows: Any) -> list[NDArray[Any]]:
        """Return the arrays that hold rows."""
        held = getattr(rows, "arrays", rows)
        parts = [held] if isinstance(held, np.ndarray) else held
        return [part for part in parts if isinstance(part, np.ndarray)]

    _ask = asking.ask
    _answer = asking.answer
    _rules = asking.rules_of_call
    _check_rules = asking.check_rules

    def _explain(self, error: CoreError, names: Names, rows: Any) -> Exception:
        """Return the exception that a user should see."""
        return replace(names, single=rows.dtype in SINGLE).explain(error)

    def _no_rows(self, current: Current) -> Any:
        """Return rows, of which there are none."""
        return np.empty((0, current.n_features))

    def _decide(self, X: Any) -> NDArray[Any]:
        """Return discriminants: a flat difference for two classes, flat for one as well."""
        current = self._current()
        flat = len(current.classes) <= 2  # noqa: PLR2004 (two need but one)
        return self._answer(X, "decision", flat=flat, current=current)

    _acting = solving.acting
    _solved = solving.solve
    _described = solving.describe
    _attributes = solving.attributes
    _shows = solving.shows

    def _hidden_properties(self) -> frozenset[str]:
        """Return the names of properties that the fit does not have."""
        return frozenset()

    _without_names = solving.without_names
    _check_decisions = solving.check_decisions
    set_params = solving.set_params

    def _twin(self) -> Self:
        """Return an unfitted estimator with the parameters as they are now."""
        return unfitted_twin(self)

    # What models define for draws, gaps and parts of them

    _draw_rows: Any
    """Draws a row of each class: (current, codes, seed)."""

    _fill_gaps: Any
    """Returns rows with gaps filled in: (current, X, y, return_std=)."""

    _draw_gaps: Any
    """Returns copies of rows with gaps drawn: (current, X, y, count, seed)."""

    _marginal: Any
    """Returns the model of some columns; called on settings: (current, features)."""

    _conditional: Any
    """Returns that of the others, given values; called on settings: (current, values)."""

    _leave_one_out: Any
    """Returns log-posteriors without each row: (current, X, y, sample_weight, refit_priors=)."""

    _has_polynomials: ClassVar[bool] = True
    """Whether discriminants are polynomials in the columns."""

    _pair: Any
    """Returns the model of two classes, and A, b, c of their boundary: (current, codes)."""

    _forms: Any
    """Returns A, b and c of all discriminants: (current)."""

    _contrast_terms: Any
    """Returns what columns are expected to add to a log-ratio of classes: (current, codes)."""

    _row_terms: Any
    """Returns what the columns of a row add to it: (current, rows, codes)."""

    _column_fits: Any
    """Returns how independent columns fit rows of which sums are known: (current, sums, names)."""

    _independent_columns: ClassVar[bool] = False
    """Whether log p(x | class) is a sum over columns, whatever the other columns are."""

    _column_log_likelihoods: Any
    """Returns log p(entry | class) of each independent column, row x class: (current, rows)."""

    _summary_tables: Any
    """Returns what a summary shows beside the classes: (current)."""

    def _class_weights(self, current: Current) -> Floats:
        """Return the weight of what is known of each class."""
        weights: Floats = current.statistics.class_weight
        return weights

    predict = questions.predict
    predict_proba = questions.predict_proba
    predict_log_proba = questions.predict_log_proba
    predict_joint_log_proba = questions.predict_joint_log_proba
    score_samples = questions.score_samples
    predict_cost = decisions.predict_cost
    classify = decisions.classify
    adapt_priors = decisions.adapt_priors
    boundary = available_if(geometry.refuse_levels)(geometry.boundary)
    discriminant_functions = available_if(geometry.refuse_levels)(geometry.discriminant_functions)
    contrast = reading.contrast
    explain = reading.explain
    summary = reading.summary
    _repr_html_inner = reading.as_html
    _repr_mimebundle_ = reading.as_bundle
    _get_fitted_attr_html = reading.no_attributes
    loo_log_proba = loo.loo_log_proba
    loo_confusion = importance.loo_confusion
    column_importance = importance.column_importance
    sample = sampling.sample
    impute = imputing.impute
    sample_missing = imputing.sample_missing
    marginal = geometry.marginal
    condition = geometry.condition
    predict_stream = streaming.predict_stream
