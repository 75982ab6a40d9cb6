"""Base of the classifiers that choose their parameters by cross-validation."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Literal

from gauda._data.sklearn_private import HasMethods, Interval, StrOptions, parameter_names
from gauda._data.training import LabeledRows
from gauda._data.twins import twin
from gauda._estimators.classifier import Classifier
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.learner import Estimates
from gauda._estimators.loo import by_refitting
from gauda._estimators.problem import MISSING_CONSTRAINTS
from gauda._statistics.moments import Moments
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of
from gauda._support.arrays import Floats
from gauda.discriminant_analysis._base import check_size, decision_function, keep_labels
from gauda.discriminant_analysis._grid import GridScores, Search
from gauda.discriminant_analysis._grid_refits import (
    by_fits,
    by_weighted_rows,
    is_by_row,
    leave_out_by_fits,
)
from gauda.discriminant_analysis._results import results_from_arrays, results_to_arrays
from gauda.typing import Splits


class ParameterSearch(GaussianClassifier):
    """Gaussian classifiers whose model is that of another class at the point that is chosen."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Classifier._parameter_constraints,
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
        "priors": GaussianClassifier._parameter_constraints["priors"],
        "unbiased": ["boolean"],
        "missing": MISSING_CONSTRAINTS["missing"],
    }

    _model: ClassVar[type[GaussianClassifier]]
    """The class of the models to choose from, whose first parameters are a point."""

    _searched: ClassVar[tuple[str, ...]]
    """Names of these parameters."""

    cv: Splits
    scoring: Literal["neg_log_loss", "neg_brier_score", "accuracy"]
    one_se: bool

    conjugate_prior = None
    em_max_iter, em_tol, verbose = 1, 0.0, False

    decision_function = decision_function
    _plain = staticmethod(keep_labels)
    _check_size = check_size

    @property
    def best_params_(self) -> dict[str, float]:
        """The point that was chosen."""
        point = self._fit_state().estimates["point"].tolist()
        return dict(zip(self._searched, point, strict=True))

    @property
    def best_estimator_(self) -> Any:
        """The model that was chosen, of all rows."""
        state = self._fit_state()
        return twin(self._acting(state.settings), _fitted=state)

    @property
    def best_score_(self) -> float:
        """The mean score of the point that was chosen."""
        return self._search().score

    @property
    def best_index_(self) -> int:
        """Its index in `cv_results_`."""
        return self._search().index

    @property
    def cv_results_(self) -> dict[str, Any]:
        """The scores of all points."""
        return self._search().results

    @property
    def n_splits_(self) -> int:
        """The number of splits."""
        return self._search().n_splits

    @property
    def loo_log_proba_(self) -> Floats:
        """The log-posteriors of each row under the chosen model without it."""
        found = self._search().loo_log_proba
        if found is None:
            raise AttributeError(
                f"This {type(self).__name__} has no loo_log_proba_. Fit with cv='loo', or call "
                "loo_log_proba."
            )
        return found

    def _search(self) -> Search:
        """Return how the choice fell."""
        search: Search = self._fit_state().estimates["search"]
        return search

    # Models of points

    def _at(self, *point: float, **others: Any) -> Any:
        """Return the estimator of a point, with the parameters that its class has too."""
        names = parameter_names(self._model)
        shared = {name: value for name, value in vars(self).items() if name in names}
        return self._model(*point, **shared | others)

    def _at_zero(self) -> Any:
        """Return the estimator whose sums serve all points."""
        return self._at(*[0.0] * len(self._searched))

    def _structure(self) -> str:
        return str(self._at_zero()._structure())

    def _sums(self, data: LabeledRows) -> Moments:
        moments: Moments = self._at_zero()._sums(data)
        return moments

    def _settings(self, estimates: Estimates) -> Any:
        return self._at(*estimates["point"].tolist())

    def _choose(self, scores: GridScores, priors: Floats | None) -> Estimates:
        """Return the point that does best on rows left out, and how all did."""
        data, moments, by_row = scores.data, scores.moments, is_by_row(self.cv)
        # Rows are weighted already, and known by the codes of their classes.
        plain = {"class_weight": None, "cost": None, "reject": None, "reject_label": None}
        make = partial(self._at, priors=priors, **plain)
        by_formulas = scores.takes_out_rows and data.weights is None
        if moments.has_gaps:
            results = by_fits(scores, self.cv, make)
        elif not by_row:
            results = scores.by_folds(self.cv)
        else:
            results = scores.by_rows() if by_formulas else by_weighted_rows(scores)
        index, left_out = scores.best(results, one_se=self.one_se), None
        chosen = make(*scores.grid.points[index])
        if by_row and moments.has_gaps:
            left_out = leave_out_by_fits(data, chosen)
        elif by_row and by_formulas:
            left_out = scores.leave_out(index)
        elif by_row:
            left_out = by_refitting(chosen, data, moments, priors)
        return scores.choice(results, index, left_out)

    # Files

    def _saved_estimates(self, estimates: Estimates) -> tuple[dict[str, Arrays], dict[str, Any]]:
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

    @classmethod
    def _loaded_estimates(cls, arrays: Arrays, metadata: dict[str, Any]) -> Estimates:
        found = metadata["found"]
        search = Search(
            results_from_arrays(part_of(arrays, "cv_results")),
            found["n_splits_"],
            found["best_index_"],
            found["best_score_"],
            part_of(arrays, "loo").get("log_proba"),
        )
        return {"point": part_of(arrays, "_estimated")["point"], "search": search}
