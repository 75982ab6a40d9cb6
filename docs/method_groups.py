"""Which methods of a class its page in the reference shows, and under which titles."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from operator import attrgetter

FOREIGN = {
    *{"get_metadata_routing", "get_params", "score", "set_output"},  # scikit-learn's
    *{"adopt", "chosen", "read", "restore", "write"},  # what Spark's own methods are made of
}
"""Methods that the documentation of other libraries describes, as it does `set_..._request`."""

GROUPS = {
    "Fitting": [
        "fit",
        "partial_fit",
        "fit_stream",
        "forget_rows",
        "from_moments",
        "from_counts",
        "from_statistics",
        "from_parameters",
    ],
    "Labels and posteriors": [
        "predict",
        "predict_proba",
        "predict_log_proba",
        "predict_joint_log_proba",
        "decision_function",
        "predict_cost",
        "classify",
        "predict_stream",
        "adapt_priors",
    ],
    "Densities and distances": ["score_samples", "mahalanobis", "typicality"],
    "Axes": ["transform", "structure_coefficients"],
    "Reading a model": [
        "summary",
        "boundary",
        "discriminant_functions",
        "contrast",
        "explain",
        "diagnostics",
        "separation_tests",
        "column_importance",
        "loo_log_proba",
        "loo_confusion",
    ],
    "Parts, draws and missing values": [
        "marginal",
        "condition",
        "sample",
        "impute",
        "sample_missing",
    ],
    "Parameters and files": ["set_params", "save"],
}


def method_groups(module: str, cls: str, methods: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return titles with the methods below them, in the order in which they are read."""
    owner = attrgetter(cls)(import_module(module))
    shown = [name for name in methods if is_own(owner, name)]
    if "predict" not in shown:
        return [("Methods", shown)] if shown else []
    groups = {title: [name for name in group if name in shown] for title, group in GROUPS.items()}
    grouped = {name for group in groups.values() for name in group}
    groups["Others"] = [name for name in shown if name not in grouped]
    return [(title, group) for title, group in groups.items() if group]


def is_own(cls: type, method: str) -> bool:
    """Return whether a method is documented here: neither private nor another library's."""
    if method.startswith("_") or method.endswith("_request") or method in FOREIGN:
        return False
    definer = next(base for base in cls.__mro__ if method in vars(base))
    return definer.__module__.startswith("gauda.")
