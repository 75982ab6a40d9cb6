"""What classifiers share that choose their parameters by cross-validation.

Their `_searched` names these parameters, and `_at(*point, **others)` returns the estimator of a
point. Here are properties and methods of theirs: a base class more would make their method
resolution order longer than that of the others.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.sklearn_private import HasMethods, Interval, StrOptions, parameter_names
from gauda._data.twins import twin
from gauda._estimators.learner import Estimates
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of
from gauda.discriminant_analysis._grid import Search
from gauda.discriminant_analysis._results import results_from_arrays, results_to_arrays

SEARCH_CONSTRAINTS: dict[str, Any] = {
    "cv": [
        Interval(Integral, 2, None, closed="left"),
        StrOptions({"loo"}),
        HasMethods(["split", "get_n_splits"]),
        "array-like",
        HasMethods(["__iter__"]),
        None,
    ],
    "scoring": [StrOptions({"neg_log_loss", "accuracy", "neg_brier_score"})],
    "one_se": ["boolean"],
}
"""Of the parameters that say how a point is chosen."""


def best_params(self: Any) -> dict[str, float]:
    """Return the point that was chosen."""
    point = self._fit_state().estimates["point"].tolist()
    return dict(zip(self._searched, point, strict=True))


def best_estimator(self: Any) -> Any:
    """Return the model that was chosen, of all rows."""
    state = self._fit_state()
    return twin(self._acting(state.settings), _fitted=state)


def search_of(self: Any) -> Search:
    """Return how the choice fell."""
    search: Search = self._fit_state().estimates["search"]
    return search


def best_score(self: Any) -> float:
    """Return the mean score of the point that was chosen."""
    return search_of(self).score


def best_index(self: Any) -> int:
    """Return its index in `cv_results_`."""
    return search_of(self).index


def cv_results(self: Any) -> dict[str, Any]:
    """Return the scores of all points."""
    return search_of(self).results


def n_splits(self: Any) -> int:
    """Return the number of splits."""
    return search_of(self).n_splits


def left_out_posteriors(self: Any) -> NDArray[np.float64]:
    """Return the log-posteriors of each row under the chosen model without it."""
    found = search_of(self).loo_log_proba
    if found is None:
        raise AttributeError(
            f"This {type(self).__name__} has no loo_log_proba_. Fit with cv='loo', or call "
            "loo_log_proba."
        )
    return found


def shared_parameters(self: Any, chosen: type) -> dict[str, Any]:
    """Return the parameters that the model to choose has too."""
    names = parameter_names(chosen)
    return {name: value for name, value in vars(self).items() if name in names}


def settings_of(self: Any, estimates: Estimates) -> Any:
    """Return the estimator of the point that was chosen."""
    return self._at(*estimates["point"].tolist())


def saved_estimates(
    self: Any,  # noqa: ARG001 (a method)
    estimates: Estimates,
) -> tuple[dict[str, Arrays], dict[str, Any]]:
    """Return the search as parts of a file, and what else is to be known of it."""
    search: Search = estimates["search"]
    parts = {
        "_estimated": {"point": estimates["point"]},
        "cv_results": results_to_arrays(search.results),
    }
    if search.loo_log_proba is not None:
        parts["loo"] = {"log_proba": search.loo_log_proba}
    found = {
        "n_splits_": search.n_splits,
        "best_index_": search.index,
        "best_score_": search.score,
    }
    return parts, {"found": found}


def loaded_estimates(cls: Any, arrays: Arrays, metadata: dict[str, Any]) -> Estimates:  # noqa: ARG001 (a class method)
    """Return the search that a file holds."""
    found = metadata["found"]
    search = Search(
        results_from_arrays(part_of(arrays, "cv_results")),
        found["n_splits_"],
        found["best_index_"],
        found["best_score_"],
        part_of(arrays, "loo").get("log_proba"),
    )
    return {"point": part_of(arrays, "_estimated")["point"], "search": search}
