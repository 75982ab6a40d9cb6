"""Parameters of Gaussian classifiers that contradict how a model comes about."""

from __future__ import annotations

from typing import Any

import numpy as np

AS_GIVEN: dict[str, Any] = {
    "alpha": 0.0,
    "min_categories": None,
    "prior_a": None,
    "prior_b": None,
    "covariance": "full",
    "covariance_estimator": None,
    "gamma": 0.0,
    "conjugate_prior": None,
    "reg_param": 0.0,
    "offset": 0.0,
    "shrinkage": None,
    "threshold": 0.0,
    "unbiased": False,
    "var_smoothing": 0.0,
}
"""Parameters with which an estimator changes nothing of the parameters that it is given."""


def refuse_changes(estimator: Any, what: str = "Means and covariances") -> None:
    """Refuse parameters by which what is given would become something else."""
    for name, neutral in AS_GIVEN.items():
        value: Any = getattr(estimator, name, None)
        if np.ndim(value) or (value and value != neutral):
            raise ValueError(
                f"{what} that are given are used as they are, but {name}={value!r} would change "
                f"them. Set {name}={neutral!r}."
            )


def refuse_other_estimates(estimator: Any) -> None:
    """Refuse ways to estimate that take complete rows."""
    shrinkage = getattr(estimator, "shrinkage", None)
    refused = {
        f"shrinkage={shrinkage!r}": shrinkage in {"auto", "ledoit_wolf"},
        "covariance_estimator": getattr(estimator, "covariance_estimator", None) is not None,
    }
    for given, refuse in refused.items():
        if refuse:
            raise ValueError(
                f"{type(estimator).__name__} estimates by EM where values of X are missing, which "
                f"{given} does not allow: it takes complete rows. Leave it out, give a number for "
                "shrinkage, or fill X in first, as with impute."
            )
