"""The search for columns: one enters or leaves at each step, until none is worth it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from gauda._support.arrays import Floats, Mask


class Step(NamedTuple):
    """A step of the search."""

    action: str
    """'enter' or 'remove'."""
    column: int
    """Index of the column."""
    name: str
    """Its name."""
    statistic: float
    """F to enter or to remove; for other criteria how much the score gains, or loses."""
    p_value: float
    """Of F; NaN for other criteria."""
    score: float
    """After the step: Wilks' lambda, log-loss, accuracy, or BIC less that without columns."""


class Criterion(Protocol):
    """What is known of a set of columns."""

    inside: Mask

    def to_enter(self) -> Floats:
        """Return what each column outside the set would gain; NaN for those that cannot enter."""

    def to_remove(self) -> Floats:
        """Return what the set would lose with each of its columns; NaN for others."""

    def may_enter(self, gain: float) -> bool:
        """Tell whether a gain is worth a column."""

    def may_leave(self, loss: float) -> bool:
        """Tell whether a column is not worth what would be lost."""

    def p_value(self, statistic: float, *, inside: bool) -> float:
        """Return the p-value of a gain or a loss, if it has one."""

    def toggle(self, column: int) -> None:
        """Put a column into the set, or take it out."""

    def fill(self) -> None:
        """Put all columns into the set that can be there together."""

    def score(self) -> float:
        """Return the score of the set."""


class ByScore:
    """Base of criteria whose gains are differences of a score, which have no distribution."""

    def may_enter(self, gain: float) -> bool:
        """Tell whether the score becomes better."""
        return gain > 0

    def may_leave(self, loss: float) -> bool:
        """Tell whether the score becomes better."""
        return loss < 0

    def p_value(self, statistic: float, *, inside: bool) -> float:  # noqa: ARG002 (there is none)
        """Return NaN."""
        return float("nan")


def search(
    criterion: Criterion, direction: str, n_columns: int | None, names: list[str]
) -> list[Step]:
    """Take steps until no column is worth one, or there are so many columns."""
    path: list[Step] = []
    if direction == "backward":
        criterion.fill()
        while take_out(criterion, path, names, n_columns):
            pass
        return path
    seen: set[bytes] = set()
    while True:
        if direction == "stepwise" and take_out(criterion, path, names, None):
            continue
        state = criterion.inside.tobytes()
        if state in seen or not put_in(criterion, path, names, n_columns):
            return path
        seen.add(state)


def put_in(criterion: Criterion, path: list[Step], names: list[str], most: int | None) -> bool:
    """Let the best column enter; False if none may."""
    size = int(criterion.inside.sum())
    if size == len(names) or (most is not None and size >= most):
        return False
    gains = criterion.to_enter()
    if np.isnan(gains).all():
        return False
    best = int(np.nanargmax(gains))
    if most is None and not criterion.may_enter(float(gains[best])):
        return False
    move(criterion, path, names, best, float(gains[best]))
    return True


def take_out(criterion: Criterion, path: list[Step], names: list[str], least: int | None) -> bool:
    """Let the column go that is missed least; False if all may stay."""
    size = int(criterion.inside.sum())
    if size <= (0 if least is None else least):
        return False
    losses = criterion.to_remove()
    if np.isnan(losses).all():
        return False
    worst = int(np.nanargmin(losses))
    if least is None and not criterion.may_leave(float(losses[worst])):
        return False
    move(criterion, path, names, worst, float(losses[worst]))
    return True


def move(
    criterion: Criterion, path: list[Step], names: list[str], column: int, statistic: float
) -> None:
    """Let a column enter or leave, and note the step."""
    inside = bool(criterion.inside[column])
    p_value = criterion.p_value(statistic, inside=inside)
    criterion.toggle(column)
    action = "remove" if inside else "enter"
    path.append(Step(action, column, names[column], statistic, p_value, criterion.score()))
