"""Curves on which the two best classes tie, traced on a grid and then moved onto the boundary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gauda._support.arrays import Floats, Indices, Mask
from gauda._support.optional import need
from gauda.pictures._decisions import Decisions
from gauda.pictures._plane import View

TWO = 2
REJECT = -1
"""Code in place of a second class: the first is rejected beyond a threshold."""

AROUND = 2
"""Points that a line traced on the grid may be wrong by."""

ROOT_STEPS = 16
CUT_STEPS = 30
"""Steps until a point is exact to the last digits of a float: secants, and halvings of a cell."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A stretch of the boundary between two decisions, given by their codes."""

    pair: tuple[int, int]
    points: Floats


def boundary_curves(decisions: Decisions, view: View) -> list[Curve]:
    """Return the curves on which the decision changes."""
    pairs, lines = [], []
    for pair, line in trace_lines(decisions, view):
        ties = Ties(decisions, view, np.broadcast_to(pair, (len(line), TWO)))
        nearly = roughly_best(ties, line)
        pairs += [pair] * len(nearly)
        lines += nearly
    if not lines:
        return []
    lengths = [len(line) for line in lines]
    ties = Ties(decisions, view, np.repeat(pairs, lengths, axis=0))
    exact = zeros(ties.lead, *edges_of(np.concatenate(lines)))
    stretches = cut(ties, exact, np.cumsum(lengths))
    return [Curve((int(i), int(j)), view.at(points)) for (i, j), points in stretches]


def trace_lines(decisions: Decisions, view: View) -> Iterator[tuple[tuple[int, int], Floats]]:
    """Give lines along which decisions tie, in steps of the grid, with their pairs."""
    contourpy = need("contourpy", extra="plot")
    for pair, lead in leads(decisions, view.grid()):
        if np.isfinite(lead).all():
            for line in contourpy.contour_generator(z=lead.reshape(view.shape)).lines(0.0):
                yield pair, line


def leads(decisions: Decisions, points: Floats) -> Iterator[tuple[tuple[int, int], Floats]]:
    """Give pairs of decisions that may be neighbors, and how far the first is ahead."""
    scores, margins = np.asfortranarray(decisions.scores(points)), decisions.margins(points)
    for i, j in neighbors(scores):
        yield (i, j), scores[:, i] - scores[:, j]
    if margins is not None:
        for code, margin in enumerate(margins.T):
            yield (code, REJECT), margin


def roughly_best(ties: Ties, line: Floats) -> list[Floats]:
    """Return the parts of a line on which its pair is best, and a little more at their ends."""
    near = np.convolve(ties.is_best(line), np.ones(2 * AROUND + 1), "same") > 0
    parts = np.split(line, np.flatnonzero(near[1:] != near[:-1]) + 1)
    return parts[0 if near[0] else 1 :: 2]


def neighbors(on_grid: Floats) -> list[tuple[int, int]]:
    """Return the pairs of classes that have the two largest scores somewhere."""
    possible = np.flatnonzero(np.isfinite(on_grid).all(axis=0))  # the others have prior 0
    if len(possible) < TWO:
        return []
    best = np.argpartition(on_grid[:, possible], -TWO, axis=1)[:, -TWO:]
    best.sort(axis=1)
    pairs = np.unique(best[:, 0] * len(possible) + best[:, 1])
    indices = (divmod(int(pair), len(possible)) for pair in pairs)
    return [(int(possible[i]), int(possible[j])) for i, j in indices]


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
    """Points near which two decisions tie, counted in steps of a grid, each with its own pair."""

    decisions: Decisions
    view: View
    pairs: Indices

    def lead(self, steps: Floats) -> Floats:
        """Return by how much the first of each pair is ahead of the second."""
        points = self.view.at(steps)
        first, second = self._of_pairs(self.decisions.scores(points))
        margins = self.decisions.margins(points)
        if margins is None:
            return np.asarray(first - second)
        return np.asarray(np.where(self._by_margin, self._of_pairs(margins)[0], first - second))

    def is_best(self, steps: Floats) -> Mask:
        """Tell where no third decision is ahead of both."""
        points = self.view.at(steps)
        scores, margins = self.decisions.scores(points), self.decisions.margins(points)
        best, of_pairs = scores.max(axis=1), self._of_pairs(scores)
        if margins is None:
            return np.asarray(of_pairs.max(axis=0) >= best)
        accepted = self._of_pairs(margins).max(axis=0) >= 0
        between_classes = (of_pairs.max(axis=0) >= best) & accepted
        return np.asarray(np.where(self._by_margin, of_pairs[0] >= best, between_classes))

    def select(self, indices: Indices) -> Ties:
        """Return some of them."""
        return Ties(self.decisions, self.view, self.pairs[indices])

    @property
    def _by_margin(self) -> Mask:
        return np.asarray(self.pairs[:, 1] == REJECT)

    def _of_pairs(self, values: Floats) -> Floats:
        return np.take_along_axis(values, self.pairs, axis=1).T


def cut(ties: Ties, points: Floats, stops: Indices) -> list[tuple[Indices, Floats]]:
    """Return the parts of lines where no third class is ahead, up to where three tie."""
    best = ties.is_best(points)
    crossed = best[1:] != best[:-1]
    crossed[stops[:-1] - 1] = False  # from a line to the next
    changes = np.flatnonzero(crossed)
    at_change = triple_points(
        ties.select(changes), points[changes], points[changes + 1], best[changes]
    )
    end_after = dict(zip(changes.tolist(), at_change, strict=True))
    bounds = sorted({0, *(changes + 1).tolist(), *stops.tolist()})
    stretches = []
    for start, stop in pairwise(bounds):
        before, after = (
            [end_after[index]] if index in end_after else [] for index in (start - 1, stop - 1)
        )
        if best[start]:
            stretches.append((ties.pairs[start], np.array([*before, *points[start:stop], *after])))
    return stretches


def triple_points(ties: Ties, left: Floats, right: Floats, best: Mask) -> Floats:
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
