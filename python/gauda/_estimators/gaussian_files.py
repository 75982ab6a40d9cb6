"""Files of Gaussian classifiers: what a fit knows as arrays and metadata, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from gauda._estimators.making import restore
from gauda._statistics.em import EmReport
from gauda._statistics.moments import Moments
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of, prefix_names

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier

Model = TypeVar("Model", bound="GaussianClassifier")

ITERATIONS = ("n_iter_", "converged_", "log_likelihood_")
"""What a file calls the figures of EM."""


def state_of(self: GaussianClassifier) -> tuple[Arrays, dict[str, Any]]:
    """Return what a file holds of a fitted estimator."""
    state = self._fit_state()
    arrays, metadata = state.statistics._state()
    parts, described = self._saved_estimates(state.estimates)
    em = {} if state.em is None else dict(zip(ITERATIONS, state.em, strict=True))
    return prefix_names({"_moments": arrays} | parts), described | {
        "_moments": metadata,
        "parameters": self.get_params(deep=False),
        "settings": self._changed_settings(state),
        "open": state.open_classes,
        "settled": state.memo.current is not None,
        "iterations": em,
    }


def estimator_from(cls: type[Model], arrays: Arrays, metadata: dict[str, Any]) -> Model:
    """Return the fitted estimator that a file holds."""
    moments = Moments._from_state(part_of(arrays, "_moments"), metadata["_moments"])
    if metadata.get("filled"):  # where earlier versions noted it
        moments = replace(moments, has_gaps=True)
    estimates = cls._loaded_estimates(arrays, metadata)
    em = metadata["iterations"]
    report = EmReport(*(em[name] for name in ITERATIONS)) if em else None
    return restore(
        cls,
        metadata,
        moments,
        estimates,
        open_classes=bool(metadata["open"]),
        em=report,
        settled=metadata["settled"],
    )
