"""An iterable of (X, y) or (X, y, weights), each as small or as large as it comes."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from gauda._data.columns import table_of
from gauda._data.encoding import encode
from gauda._data.label_columns import flat_labels
from gauda._data.sklearn_private import get_feature_names
from gauda._data.training import as_rows, plain_weights
from gauda._streams.batches import Batch, Request, Source, names_array, regroup
from gauda._support.arrays import Floats


class Piece(NamedTuple):
    """One item of the iterable, as arrays; X may be a table."""

    X: Any
    y: NDArray[Any] | None
    weights: Floats | None
    names: list[str] | None


def open_pairs(items: Iterable[Any], request: Request) -> Source:
    """Read an iterable in the calling thread: what it runs belongs to whoever wrote it."""
    refuse_columns(request)
    pieces = (piece_of(item, request) for item in items)
    first = next(pieces, None)
    if first is None:
        raise ValueError(
            "The iterable must give (X, y) or (X, y, weights); got nothing, for it is empty. Make "
            "it anew if it was read before."
        )
    n_features = first.X.shape[1]
    rows = 0 if request.as_table else request.rows(n_features)  # tables are not joined
    alike = (like(first, piece, index) for index, piece in enumerate(chain([first], pieces)))
    names = None if first.names is None else names_array(first.names)
    return Source(batches_of(alike, rows), n_features, names, None)


def refuse_columns(request: Request) -> None:
    """Refuse to choose columns where there are only arrays."""
    for name in ("target", "features", "exclude", "sample_weight", "keep"):
        value = getattr(request, name)
        if value is not None and value != ():
            raise ValueError(
                f"{name}={value!r} was given, but an iterable of (X, y) or (X, y, weights) has no "
                "columns to choose from; let it give what is wanted."
            )


def piece_of(item: Any, request: Request) -> Piece:
    """Check one item; without need of labels X alone will do."""
    labeled = request.labeled
    parts = item if isinstance(item, tuple) else (item,)
    most = 3
    if not 1 + labeled <= len(parts) <= most:
        raise ValueError(
            f"The iterable must give tuples (X, y) or (X, y, weights); got {type(item).__name__} "
            f"of length {len(parts)}."
        )
    given, y, weights = (*parts, None, None)[:most]
    X = table_of(given) if request.as_table else as_rows(given, "Moments", 0)
    names = get_feature_names(given)
    names = None if names is None else list(names)
    if not labeled:
        return Piece(X, None, None, names)
    y = flat_labels(y)
    if weights is not None:  # whose signs the core checks
        weights = column_or_1d(np.asarray(plain_weights(weights), dtype=np.float64))
    check_consistent_length(X, y, weights)
    return Piece(X, y, weights, names)


def like(first: Piece, piece: Piece, index: int) -> Piece:
    """Refuse an item whose columns are not those of the first one."""
    if piece.X.shape[1] != first.X.shape[1]:
        raise ValueError(
            f"Item {index} of the iterable must have {first.X.shape[1]} columns, as the first one; "
            f"got {piece.X.shape[1]}."
        )
    if piece.names != first.names:
        raise ValueError(
            f"Item {index} of the iterable must have the columns of the first one, {first.names}; "
            f"got {piece.names}."
        )
    return piece


def batches_of(pieces: Iterable[Piece], rows: int) -> Generator[Batch]:
    """Yield batches of about so many rows, where the pieces are smaller."""
    first_row = 0
    for piece in regroup(pieces, rows, lambda piece: len(piece.X), join, joinable):
        labels = None if piece.y is None else encode(piece.y, 1)
        yield Batch(piece.X, labels, piece.weights, {}, first_row)
        first_row += len(piece.X)


def joinable(first: Piece, second: Piece) -> bool:
    """Whether numpy joins the labels without a change: not 1 and "1", nor integers and doubles."""
    if first.y is None or second.y is None:
        return True
    return len({first.y.dtype.kind, second.y.dtype.kind}) == 1


def join(pieces: list[Piece]) -> Piece:
    """Return pieces as one; where only some have weights, the others weigh 1."""
    if len(pieces) == 1:
        return pieces[0]
    X = np.concatenate([piece.X for piece in pieces])
    y = weights = None
    if pieces[0].y is not None:
        y = np.concatenate([piece.y for piece in pieces if piece.y is not None])
    if any(piece.weights is not None for piece in pieces):
        weights = np.concatenate(
            [np.ones(len(p.X)) if p.weights is None else p.weights for p in pieces]
        )
    return Piece(X, y, weights, pieces[0].names)
