"""Whole tasks as people have them, against what they write for them today: time and peak memory.

Each contestant runs in a fresh process, so that the peak is its own.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

import gauda
from comparison.data import Table, count, gaussian_classes, pixels
from comparison.expert_scores import installed
from comparison.memory import MEGABYTE, peak_of
from comparison.race import Effort
from comparison.table import Line, duration, short

CHUNK = 100_000
BATCH = 8192
CONFIDENCE = 0.9
NO_DATA = 0.1
LABELED = 100_000
REHEARSED_ROWS = 20_000
AIM = 1.5


class Spent(NamedTuple):
    """What a task took."""

    wall: float
    cpu: float
    megabytes: float


class Scene(NamedTuple):
    """A task: its real size, its data for a number of rows, and how it is done."""

    rows: int
    data: Callable[[int], Table]
    ours: Callable[[Table], Any]
    others: Callable[[Table], Any]


def interleaved(n: int) -> Table:
    """Return pixels of ten bands, one pixel after another, a tenth of them without data."""
    X, y = pixels(n).astype(np.uint16)
    X[np.random.default_rng(1).random(n) < NO_DATA] = 0
    return Table(X, y)


def sequential(n: int) -> Table:
    """Return the same, one band after another."""
    X, y = interleaved(n)
    return Table(np.asfortranarray(X), y)


def gauda_satellite(table: Table) -> Any:
    """Fit labeled pixels; label, confidence and rejection of all pixels in one pass."""
    X, y = table.X[:LABELED], table.y[:LABELED]
    valid = X.any(axis=1)
    qda = gauda.QDA(reject_label=-1).fit(X[valid], y[valid])
    outputs = ("label", "max_proba")
    return qda.classify(table.X, outputs, reject=CONFIDENCE, nodata=0)


def sklearn_satellite(table: Table) -> Any:
    """Do the same by chunks of valid pixels."""
    X, y = table.X[:LABELED], table.y[:LABELED]
    valid = X.any(axis=1)
    qda = QuadraticDiscriminantAnalysis().fit(X[valid].astype(np.float32), y[valid])
    return confident(qda, table.X, valid=True)


def confident(model: Any, X: NDArray[Any], *, valid: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return labels, -1 where the largest posterior is small, and the largest posteriors."""
    labels = np.full(len(X), -1, dtype=np.int64)
    largest = np.full(len(X), np.nan, dtype=np.float32)
    for start in range(0, len(X), CHUNK):
        chunk = X[start : start + CHUNK]
        rows = start + (np.flatnonzero(chunk.any(axis=1)) if valid else np.arange(len(chunk)))
        proba = model.predict_proba(X[rows].astype(np.float32))
        largest[rows] = proba.max(axis=1)
        labels[rows] = np.where(largest[rows] >= CONFIDENCE, proba.argmax(axis=1), -1)
    return labels, largest


def embeddings(n: int) -> Table:
    """Return the vectors of a network: many columns and many classes."""
    return gaussian_classes(n, 1024, min(1000, n // 10), dtype=np.float32)


def gauda_embeddings(table: Table) -> Any:
    """Fit batch by batch; labels and the smallest Mahalanobis distances in one pass."""
    lda = gauda.LDA(solver="lsqr").fit_stream(batches(table))
    return lda.classify(table.X, ("label", "min_mahalanobis"))


def batches(table: Table) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield rows and classes, some at a time."""
    for start in range(0, len(table.y), BATCH):
        yield table.X[start : start + BATCH], table.y[start : start + BATCH]


def torch_embeddings(table: Table) -> Any:
    """Do the same as people do with torch: two passes for means and a pooled covariance."""
    import torch  # noqa: PLC0415 (may not be installed)

    X, y = torch.from_numpy(table.X), torch.from_numpy(table.y)
    counts = torch.bincount(y)
    means = torch.zeros(len(counts), X.shape[1]).index_add_(0, y, X) / counts[:, None]
    scatter = torch.zeros(X.shape[1], X.shape[1], dtype=torch.float64)
    for rows, classes in zip(X.split(BATCH), y.split(BATCH), strict=True):
        centered = rows - means[classes]
        scatter += centered.T @ centered
    lower = torch.linalg.cholesky(scatter / len(y))
    whitening = torch.linalg.inv(lower).T.float().contiguous()
    white = means @ whitening
    norms, log_priors = (white * white).sum(dim=1), (counts / len(y)).log()
    labels, smallest = [], []
    for rows in X.split(BATCH):
        z = rows @ whitening
        squares = (z * z).sum(dim=1)[:, None] - 2 * (z @ white.T) + norms
        labels.append((log_priors - squares / 2).argmax(dim=1))
        smallest.append(squares.amin(dim=1))
    return torch.cat(labels).numpy(), torch.cat(smallest).numpy()


def numpy_embeddings(table: Table) -> Any:
    """Do the same as scripts do: means, a pooled covariance, whitened rows, products."""
    k, d = table.y.max() + 1, table.X.shape[1]
    sums, counts = np.zeros((k, d)), np.bincount(table.y)
    for X, y in batches(table):
        np.add.at(sums, y, X)
    means = (sums / counts[:, np.newaxis]).astype(np.float32)
    scatter = np.zeros((d, d))
    for X, y in batches(table):
        centered = X - means[y]
        scatter += centered.T @ centered
    whitening = np.linalg.inv(np.linalg.cholesky(scatter / len(table.y))).astype(np.float32)
    white = means @ whitening.T
    norms, log_priors = (white**2).sum(axis=1), np.log(counts / len(table.y))
    labels, smallest = np.empty(len(table.y), dtype=np.int64), np.empty(len(table.y), np.float32)
    for start in range(0, len(table.y), BATCH):
        rows = slice(start, start + BATCH)
        z = table.X[rows] @ whitening.T
        squares = (z**2).sum(axis=1)[:, np.newaxis] - 2 * z @ white.T + norms
        labels[rows] = (log_priors - squares / 2).argmax(axis=1)
        smallest[rows] = squares.min(axis=1)
    return labels, smallest


def cytometry(n: int) -> Table:
    """Return cells with 35 markers, of 57 kinds."""
    return gaussian_classes(n, 35, 57, dtype=np.float32)


def gauda_cytometry(table: Table) -> Any:
    """Fit, and label with rejection."""
    qda = gauda.QDA(reject_label=-1).fit(*table)
    return qda.classify(table.X, "label", reject=CONFIDENCE)


def sklearn_cytometry(table: Table) -> Any:
    """Do the same with scikit-learn, by chunks."""
    qda = QuadraticDiscriminantAnalysis().fit(*table)
    return confident(qda, table.X, valid=False)


SCENES: dict[str, Scene] = {
    "satellite, interleaved": Scene(120_000_000, interleaved, gauda_satellite, sklearn_satellite),
    "satellite, sequential": Scene(120_000_000, sequential, gauda_satellite, sklearn_satellite),
    "embeddings, numpy": Scene(1_300_000, embeddings, gauda_embeddings, numpy_embeddings),
    "embeddings, torch": Scene(1_300_000, embeddings, gauda_embeddings, torch_embeddings),
    "cytometry": Scene(3_500_000, cytometry, gauda_cytometry, sklearn_cytometry),
}


def spent(name: str, rows: int, *, ours: bool) -> Spent:
    """Return what a task takes in this process, which must be fresh."""
    scene = SCENES[name]
    table = scene.data(rows)
    do = scene.ours if ours else scene.others
    do(scene.data(min(rows, REHEARSED_ROWS)))
    wall, cpu = time.perf_counter(), time.process_time()
    peak = peak_of(lambda: do(table))
    return Spent(time.perf_counter() - wall, time.process_time() - cpu, peak)


def scenes(effort: Effort) -> Iterator[Line]:
    """Yield the CPU seconds and the peak memory of each task."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["comparison.scenes"])
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as processes:
        for name, scene in SCENES.items():
            if name.endswith("torch") and not installed("torch"):
                continue
            rows = effort.rows(scene.rows // effort.scene_share, 35, 57)
            pair = [
                processes.submit(spent, name, rows, ours=ours).result() for ours in (True, False)
            ]
            yield from lines(f"{name}, {count(rows)} rows", *pair)


def lines(what: str, ours: Spent, others: Spent) -> Iterator[Line]:
    """Yield the lines of a task."""
    yield Line(f"{what}: CPU (wall) time", times(ours), times(others), others.cpu / ours.cpu, AIM)
    limit = max(others.megabytes, 1 / MEGABYTE)
    sizes = f"{short(ours.megabytes)} MB", f"{short(others.megabytes)} MB"
    yield Line(
        f"{what}: peak memory", sizes[0], sizes[1], ours.megabytes / limit, 1.0, at_most=True
    )


def times(task: Spent) -> str:
    """Return both times of a task."""
    return f"{duration(task.cpu)} ({duration(task.wall)})"
