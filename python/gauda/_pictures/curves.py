"""Curves on which the two best classes tie, traced on a grid and then moved onto the boundary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gauda._gaussians import Floats
from gauda._optional import need
from gauda._pictures.plane import View

Scores = Callable[[Floats], Floats]
"""From places to a score for each class, of which the largest decides."""

Codes = NDArray[np.intp]

TWO = 2
ROOT_STEPS = 16
CUT_STEPS = 30
"""Steps until a place is exact to the last digits of a float: secants, and halvings of a cell."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A stretch of the boundary between two classes, given by their places."""

    pair: tuple[int, int]
    points: Floats


def boundary_curves(scores: Scores, view: View) -> list[Curve]:
    """Return the curves on which the two largest scores are equal."""
    lines, pairs = traced_lines(scores(view.grid()), view.n_steps + 1)
    if not lines:
        return []
    ties = Ties(scores, view, np.repeat(pairs, [len(line) for line in lines], axis=0))
    rough = np.concatenate(lines)
    exact = zeros(ties.lead, *edges_of(rough))
    stops = np.cumsum([len(line) for line in lines])
    stretches = cut(ties, exact, stops)
    return [Curve((int(i), int(j)), view.at(points)) for (i, j), points in stretches]


def traced_lines(on_grid: Floats, n_points: int) -> tuple[list[Floats], Codes]:
    """Return lines along which pairs of classes tie, in steps of the grid, and their pairs."""
    contourpy = need("contourpy", extra="plot")
    lines: list[Floats] = []
    pairs: list[tuple[int, int]] = []
    for i, j in neighbours(on_grid):
        lead = (on_grid[:, i] - on_grid[:, j]).reshape(n_points, n_points)
        found = contourpy.contour_generator(z=lead).lines(0.0)
        lines += found
        pairs += [(i, j)] * len(found)
    return lines, np.array(pairs, dtype=np.intp).reshape(-1, TWO)


def neighbours(on_grid: Floats) -> list[tuple[int, int]]:
    """Return the pairs of classes that have the two largest scores somewhere."""
    possible = np.flatnonzero(np.isfinite(on_grid).all(axis=0))  # the others have prior 0
    if len(possible) < TWO:
        return []
    best = np.argpartition(on_grid[:, possible], -TWO, axis=1)[:, -TWO:]
    best.sort(axis=1)
    pairs = np.unique(best[:, 0] * len(possible) + best[:, 1])
    places = (divmod(int(pair), len(possible)) for pair in pairs)
    return [(int(possible[i]), int(possible[j])) for i, j in places]


def edges_of(points: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the edges of the grid on which contour lines have their points."""
    left = np.rint(points)
    along = np.abs(points - left).argmax(axis=1)[:, np.newaxis]
    right = left.copy()
    on_edge = np.take_along_axis(points, along, axis=1)
    np.put_along_axis(left, along, np.floor(on_edge), axis=1)
    np.put_along_axis(right, along, np.ceil(on_edge), axis=1)
    return left, right


@dataclass(frozen=True, eq=False)
class Ties:
    """Places near which two classes tie, counted in steps of a grid, each with its own pair."""

    scores: Scores
    view: View
    pairs: Codes

    def lead(self, steps: Floats) -> Floats:
        """Return by how much the first class of each pair is ahead of the second."""
        first, second = self._of_pairs(self.scores(self.view.at(steps)))
        return np.asarray(first - second)

    def is_best(self, steps: Floats) -> NDArray[np.bool_]:
        """Tell where no third class is ahead of both."""
        scores = self.scores(self.view.at(steps))
        return np.asarray(self._of_pairs(scores).max(axis=0) >= scores.max(axis=1))

    def chosen(self, places: Codes) -> Ties:
        """Return some of them."""
        return Ties(self.scores, self.view, self.pairs[places])

    def _of_pairs(self, scores: Floats) -> Floats:
        return np.take_along_axis(scores, self.pairs, axis=1).T


def cut(ties: Ties, points: Floats, stops: NDArray[np.intp]) -> list[tuple[Codes, Floats]]:
    """Return the parts of lines where no third class is ahead, up to where three tie."""
    best = ties.is_best(points)
    crossed = best[1:] != best[:-1]
    crossed[stops[:-1] - 1] = False  # from a line to the next
    changes = np.flatnonzero(crossed)
    at_change = triple_points(
        ties.chosen(changes), points[changes], points[changes + 1], best[changes]
    )
    end_after = dict(zip(changes.tolist(), at_change, strict=True))
    bounds = sorted({0, *(changes + 1).tolist(), *stops.tolist()})
    stretches = []
    for start, stop in pairwise(bounds):
        before, after = (
            [end_after[place]] if place in end_after else [] for place in (start - 1, stop - 1)
        )
        if best[start]:
            stretches.append((ties.pairs[start], np.array([*before, *points[start:stop], *after])))
    return stretches


def triple_points(ties: Ties, left: Floats, right: Floats, best: NDArray[np.bool_]) -> Floats:
    """Return where on the boundary, between two points on it, a third class ties."""
    for _ in range(CUT_STEPS if len(left) else 0):
        across = (right - left)[:, ::-1] * [-0.5, 0.5]
        chord = (left + right) / 2
        middle = zeros(ties.lead, chord - across, chord + across)
        same = (ties.is_best(middle) == best)[:, np.newaxis]
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    return np.where(best[:, np.newaxis], left, right)


def zeros(function: Callable[[Floats], Floats], left: Floats, right: Floats) -> Floats:
    """Return the zero of a function on each segment, by the secants of the Illinois method."""
    at_left, at_right = function(left), function(right)
    for _ in range(ROOT_STEPS):
        rise = at_right - at_left
        share = np.divide(at_right, rise, out=np.zeros_like(rise), where=rise != 0)
        middle = right - np.clip(share, 0, 1)[:, np.newaxis] * (right - left)
        at_middle = function(middle)
        crosses = at_middle * at_right < 0
        left = np.where(crosses[:, np.newaxis], right, left)
        at_left = np.where(crosses, at_right, at_left / 2)
        right, at_right = middle, at_middle
    return right
