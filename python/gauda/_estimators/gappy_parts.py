"""Rows that lie in parts and of which values may be missing: EM reads them more than once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from numpy.typing import NDArray

from gauda._core import Pass
from gauda._data.gaps import has_gaps
from gauda._data.shapes import number_of_rows
from gauda._estimators import gaps
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.joining import Part, adopt
from gauda._estimators.learner import Learner
from gauda._estimators.parts import weigh_part
from gauda._statistics.access import moments_of
from gauda._statistics.em import add_rows
from gauda._statistics.moments import Moments

Model = TypeVar("Model", bound=Learner)


def may_take_em(settings: Learner) -> TypeGuard[GaussianClassifier]:
    """Tell whether a fit takes EM where values are missing."""
    if not isinstance(settings, GaussianClassifier):
        return False
    return settings.missing == "marginalize" and settings._structure() != "diag"


@dataclass(frozen=True)
class GappyPart:
    """What some rows give, and what is observed of each class and column."""

    complete: Part | None = Part()  # noqa: RUF009 (it is frozen)
    """None if values are missing."""
    observed: Moments | None = None
    """None if there are no rows."""

    @classmethod
    def of(cls, settings: Learner, X: Any, y: Any, sample_weight: Any) -> GappyPart:
        """Return what one part of the rows gives; it must hold some."""
        data = weigh_part(settings, X, y, sample_weight)
        observed = moments_of(data, "diag", gaps=True)
        try:
            return cls(Part().with_rows(settings, data, number_of_rows(X)), observed)
        except ValueError:
            if not has_gaps(data):
                raise
        return cls(None, observed)

    def join(self, settings: Learner, other: GappyPart) -> GappyPart:
        """Return both together, this one first."""
        if self.complete is None or other.complete is None:
            complete = None
        else:
            complete = self.complete.join(settings, other.complete)
        if self.observed is None or other.observed is None:
            return GappyPart(complete, self.observed or other.observed)
        return GappyPart(complete, self.observed + other.observed)

    def fit(
        self,
        estimator: Model,
        settings: GaussianClassifier,
        read: Callable[[NDArray[Any], Pass], None],
    ) -> Model:
        """Fit an estimator to all parts, whose rows are read into passes if values are missing.

        `read` is told the classes, and the pass that all rows are to be added to.
        """
        if self.complete is not None or self.observed is None:
            return adopt(estimator, settings, gaps.without_em(self.complete or Part()))
        classes = self.observed.classes
        part = gaps.learn_in_passes(settings, self.observed, lambda one: read(classes, one))
        return adopt(estimator, settings, part)


def expected_of(
    settings: Learner, classes: NDArray[Any], one_pass: Pass, rows: tuple[Any, Any, Any]
) -> Pass:
    """Return what one part of the rows adds to a pass, which is left as it is."""
    data = weigh_part(settings, *rows)
    found = one_pass.elsewhere()
    add_rows(found, data, classes, settings.n_threads)
    return found
