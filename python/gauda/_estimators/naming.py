"""Names of estimators by all that they hold; what a fit holds is read once, as it never changes."""

from __future__ import annotations

import pickle
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gauda._data.twins import twin

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.state import FitState

DIGESTS: WeakKeyDictionary[FitState, bytes] = WeakKeyDictionary()


def name_of(estimator: Classifier) -> str:
    """Return a name that only estimators with the same parameters and the same fit share."""
    parameters = pickle.dumps(twin(estimator, _fitted=None))
    content = sha256(parameters + digest_of(estimator._fitted)).hexdigest()
    return f"{type(estimator).__name__}-{content}"


def digest_of(state: FitState | None) -> bytes:
    """Return the digest of what a fit knows, but for what was computed of it."""
    if state is None:
        return b""
    digest = DIGESTS.get(state)
    if digest is None:
        known = [getattr(state, field.name) for field in fields(state) if field.name != "memo"]
        digest = sha256(pickle.dumps(known)).digest()
        DIGESTS[state] = digest
    return digest
