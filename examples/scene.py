"""A satellite scene larger than a worker's memory: land cover and how sure it is, block by block.

Run with ``python examples/scene.py``; ``--full`` takes 100 megapixels of ten bands instead of one
megapixel, ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import xarray as xr
from dask.distributed import Client, LocalCluster
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray
from saving import save

import gauda
import gauda.dask

CLASSES = ["no data", "water", "forest", "meadow", "field", "town"]
COLORS = ["white", "#3b6fb6", "#24693d", "#9ccc65", "#e3c567", "#b0413e"]
N_BANDS, BLOCK, SHOWN = 10, 1000, 250
HALF_SWATH = 0.45
SPECTRA = np.random.default_rng(7)
MEANS = SPECTRA.uniform(1500, 1900, size=(len(CLASSES), N_BANDS, 1)).astype(np.float32)
ALIKE, OWN = (SPECTRA.normal(0, size, (n, N_BANDS, N_BANDS)) for size, n in ((90, 1), (25, 6)))
MIXES = (ALIKE + OWN).astype(np.float32)


def land_cover(y: NDArray[Any], x: NDArray[Any]) -> NDArray[np.uint8]:
    """Return what is at some place of the scene, whose sides are 1; 0 where nothing was seen."""
    waves = np.sin(9 * x + 2 * np.sin(7 * y)) + np.sin(8 * y - 3 * x) + 0.4 * np.sin(60 * x * y)
    cover = 1 + np.digitize(waves, [-1.1, -0.3, 0.4, 1.2])
    from_middle = np.abs(x - 0.5 + 0.15 * (y - 0.5))
    return np.where(from_middle < HALF_SWATH, cover, 0).astype(np.uint8)


def pixels(cover: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint16]:
    """Return what ten bands see of a land cover, bands first."""
    noise = rng.standard_normal((N_BANDS, cover.size), dtype=np.float32)
    seen = np.zeros((N_BANDS, cover.size), dtype=np.uint16)
    for kind in range(1, len(CLASSES)):
        here = cover.ravel() == kind
        values = MEANS[kind] + MIXES[kind] @ noise[:, here]
        seen[:, here] = np.clip(values, 1, 65535)  # 0 stands for no data
    return seen.reshape(N_BANDS, *cover.shape)


def block(side: int, block_info: Any = None) -> NDArray[np.uint16]:
    """Return a block of the scene, as a file would give it."""
    _, rows, columns = block_info[None]["array-location"]
    y, x = ((np.arange(*ends) + 0.5) / side for ends in (rows, columns))
    return pixels(land_cover(y[:, np.newaxis], x), np.random.default_rng([rows[0], columns[0]]))


def make_scene(side: int) -> xr.DataArray:
    """Return the scene, of which nothing is there yet."""
    chunks = ((N_BANDS,), *[(BLOCK,) * (side // BLOCK)] * 2)
    values = da.map_blocks(block, side, chunks=chunks, dtype=np.uint16, meta=np.empty((0, 0, 0)))
    meters = 10.0 * np.arange(side)
    return xr.DataArray(values, dims=("band", "y", "x"), coords={"y": meters, "x": meters})


def resident(field: str) -> float:
    """Return the megabytes that a process takes, or has taken at its peak."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(rf"{field}:\s+(\d+) kB", status)[0]) / 1000


def count_pixels(labels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many pixels of a block have each label."""
    return np.bincount(labels.ravel(), minlength=len(CLASSES))[np.newaxis]


def thumbnail(raster: xr.DataArray, step: int, after: Any) -> Any:
    """Return some pixels of each block, which keep no others in memory, once another is there.

    Dask would else make those of all blocks of the scene first, and keep the blocks for the model.
    """
    *bands, rows, columns = raster.data.chunks
    chunks = (*bands, *[tuple(size // step for size in axis) for axis in (rows, columns)])
    return da.map_blocks(
        lambda block, _: block[..., ::step, ::step].copy(),
        raster.data,
        after,
        chunks=chunks,
        dtype=raster.dtype,
    )


def main() -> None:
    """Learn from labeled pixels; label all with two workers; draw a part of them."""
    full = "--full" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--full"]
    side = 10_000 if full else 1_000
    y = np.repeat(np.arange(1, len(CLASSES), dtype=np.uint8), 2000)
    model = gauda.QDA(reject_label=np.uint8(0)).fit(pixels(y, np.random.default_rng(0)).T, y)

    scene = make_scene(side)
    found = gauda.dask.classify(model, scene, ("label", "max_proba"), nodata=0)
    label = found["label"].data
    counts = label.map_blocks(count_pixels, drop_axis=1, new_axis=1, dtype=np.int64).sum(axis=0)
    parts = scene[[3, 2, 1]], *found.values()
    shown = [thumbnail(part, side // SHOWN, after=label) for part in parts]
    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": 0}
    with LocalCluster(dashboard_address=":0", **options) as cluster, Client(cluster) as client:
        before, start = client.run(resident, "VmRSS"), time.perf_counter()
        totals, seen, labels, sure = dask.compute(counts, *shown)
        seconds, peaks = time.perf_counter() - start, client.run(resident, "VmHWM")
    peak = max(peaks[worker] - before[worker] for worker in before)

    for kind, total in zip(CLASSES, totals, strict=True):
        print(f"{kind:8} {total / side**2:6.1%}")
    print(f"\n{side**2 / 1e6:g} megapixels in {seconds:.1f} s, {peak:.0f} MB for each worker")
    save(draw(seen, labels, sure))


def draw(seen: Any, labels: Any, sure: Any) -> Figure:
    """Draw three bands, the labels, and how sure they are."""
    figure = Figure(figsize=(13, 4.2), layout="constrained")
    bands, cover, share = figure.subplots(1, 3)
    bands.imshow(np.clip(np.moveaxis(seen, 0, -1) / 3000, 0, 1))
    bands.set_title("Three of ten bands")
    image = cover.imshow(labels, cmap=ListedColormap(COLORS), vmin=-0.5, vmax=5.5)
    cover.set_title("Labels")
    ticks = figure.colorbar(image, ax=cover, ticks=range(len(CLASSES)))
    ticks.ax.set_yticklabels(CLASSES)
    figure.colorbar(share.imshow(sure, vmin=0.2, vmax=1), ax=share)
    share.set_title("Largest posterior")
    for panel in (bands, cover, share):
        panel.set_axis_off()
    return figure


if __name__ == "__main__":
    main()
