"""Files of MixedNB: what a fit knows as arrays and metadata, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from gauda._estimators.making import estimates_in, restore
from gauda._statistics.mixed import MixedStatistics
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of, prefix_names

if TYPE_CHECKING:
    from gauda.naive_bayes._mixed import MixedNB

Model = TypeVar("Model", bound="MixedNB")


def state_of(self: MixedNB) -> tuple[Arrays, dict[str, Any]]:
    """Return what a file holds of a fitted estimator."""
    state = self._fit_state()
    arrays, metadata = state.statistics._state()
    parameters = self.get_params(deep=False)
    kept: dict[str, Any] = {"statistics": metadata, "parameters": parameters, **state.estimates}
    if isinstance(self.kinds, Mapping):  # whose keys need not be text
        parameters["kinds"] = None
        kept["kinds"] = [list(pair) for pair in self.kinds.items()]
    changed = self._changed_settings(state)
    changed.pop("kinds", None)  # the statistics tell them
    return prefix_names({"statistics": arrays}), kept | {"settings": changed}


def estimator_from(cls: type[Model], arrays: Arrays, metadata: dict[str, Any]) -> Model:
    """Return the estimator that a file holds."""
    parameters = metadata["parameters"]
    if "kinds" in metadata:
        parameters["kinds"] = dict(metadata["kinds"])
    sums = MixedStatistics._from_state(part_of(arrays, "statistics"), metadata["statistics"])
    return restore(cls, metadata, sums, estimates_in(metadata))
