"""How questions about rows reach the core. The functions here are methods of `Classifier`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._data.frames import nulls_in
from gauda._data.shapes import by_name, fold, priors_of_rows, unfold
from gauda._data.training import warn_of_no_names
from gauda._estimators.state import Current
from gauda._scoring.rules import Reject, Rules, decision_names, label_rejected, make_rules
from gauda._support.errors import IsNull
from gauda.typing import Costs, Priors, RejectLabel

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier


def ask(  # noqa: PLR0913 (rows and what is asked of them)
    self: Classifier,
    current: Current,
    rows: Any,
    answers: dict[str, Any],
    rules: Rules | None = None,
    first_row: int = 0,
    is_null: IsNull = None,
) -> None:
    """Have the model fill arrays with answers for rows that were checked."""
    if rules is not None:
        rules.check_rows(len(rows))
    try:
        current.model.answer(rows, self.n_threads, rules, **answers)
        if rules is not None and rules.labels_by_class and "label" in answers:
            others = np.empty_like(answers["label"])
            rules = rules.without_rejecting()
            current.model.answer(rows, self.n_threads, rules, label=others)
            label_rejected(answers["label"], others, len(current.classes))
    except CoreError as error:
        names = replace(self._names(current), first_row=first_row, is_null=is_null)
        raise self._explain(error, names, rows) from None


def answer(  # noqa: PLR0913 (what a question may bring)
    self: Classifier,
    X: Any,
    question: str,
    priors: Priors | None = None,
    *,
    nodata: Any = None,
    flat: bool = False,
    current: Current | None = None,
) -> NDArray[Any]:
    """Ask the model one question of each row; the result has a column per class, or is flat."""
    if current is None:
        current = self._current()
    X, shape = unfold(X)
    rows = self._rows(X, current)
    rules, missing = None, self._missing()
    if priors is not None or nodata is not None or missing != "raise":
        priors = priors_of_rows(priors, shape)
        rules = make_rules(current, priors, None, None, missing, nodata)
    n_rows = len(rows)
    out = np.empty(n_rows if flat else (n_rows, len(current.classes)), self._precision(rows))
    self._ask(current, rows, {question: out}, rules, is_null=nulls_in(X))
    return fold(out, shape)


def rules_of_call(  # noqa: PLR0913 (what a call may change)
    self: Classifier,
    current: Current,
    priors: Priors | None = None,
    cost: Costs | None = None,
    reject: Reject = None,
    reject_label: RejectLabel = None,
    nodata: Any = None,
) -> tuple[Rules | None, NDArray[Any]]:
    """Return how labels are found, and the labels; what is not given for a call is as set."""
    if cost is None:
        cost = self.cost
    if reject is None:
        reject = self.reject
    missing = self._missing()
    if cost is reject is priors is nodata is None and missing == "raise":
        return None, current.classes
    rules = make_rules(current, priors, cost, reject, missing, nodata)
    if rules.may_reject:
        label = self.reject_label if reject_label is None else reject_label
        rules = replace(rules, labels_by_class=isinstance(label, Mapping))
        return rules, decision_names(current.classes, label)
    return rules, current.classes


def check_rules(self: Classifier, current: Current) -> None:
    """Refuse costs and thresholds that do not fit the classes."""
    rules, _ = self._rules(current)
    if rules is not None:
        self._ask(current, self._no_rows(current), {}, rules)


def label_few(self: Classifier, X: Any, current: Current) -> NDArray[Any] | None:
    """Return the labels of a few rows, if there is nothing else to ask or to say."""
    if self.cost is not None or self.reject is not None or not takes_all(self):
        return None
    few = self._few_rows(X, current)
    labels: NDArray[Any] | None
    labels = None if few is None else current.model.label_few(few, current.classes)
    if labels is not None and current.feature_names is not None:
        warn_if_unnamed(self, X)
    return labels


def posterior_few(self: Classifier, X: Any, current: Current) -> NDArray[Any] | None:
    """Return the posteriors of a few rows, likewise."""
    few = self._few_rows(X, current) if takes_all(self) else None
    posteriors: NDArray[Any] | None
    posteriors = None if few is None else current.model.posterior_few(few)
    if posteriors is not None and current.feature_names is not None:
        warn_if_unnamed(self, X)
    return posteriors


def takes_all(self: Classifier) -> bool:
    """Tell whether rows without gaps, which alone are answered quickly, are labeled by classes."""
    return bool(self.__dict__.get("missing", "raise") != "propagate")


def warn_if_unnamed(self: Classifier, X: Any) -> None:
    """Warn of columns without names, where those of the fit had some."""
    if isinstance(X, np.ndarray) or (isinstance(X, list) and not by_name(X)):
        warn_of_no_names(self)
