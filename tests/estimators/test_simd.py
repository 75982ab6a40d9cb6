"""Instruction sets: the environment holds the kernels back to the baseline, which answers alike."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from models import GAUSSIAN
from support import ours

N, D, K = 2000, 21, 3


def posteriors():
    """Give the posteriors of every model, fitted on the same rows of overlapping classes."""
    rng = np.random.default_rng(71)
    y = rng.integers(0, K, N)
    X = rng.normal(size=(N, D)) + rng.normal(scale=0.3, size=(K, D))[y]
    return np.array([ours(name).fit(X, y).predict_proba(X) for name in GAUSSIAN])


def fuses():
    """Say whether this process multiplies and adds with one rounding where the baseline has two."""
    features = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    return {"avx2", "fma"} <= features and os.environ.get("GAUDA_SIMD") != "baseline"


@pytest.fixture(scope="module")
def best():
    return posteriors()


@pytest.fixture(scope="module")
def baseline():
    """Give the posteriors from a process that is held back."""
    helpers = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, [helpers, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(  # noqa: S603 - the script is this file
        [sys.executable, __file__],
        env=os.environ | {"GAUDA_SIMD": "baseline", "PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    return np.load(io.BytesIO(done.stdout))


def test_posteriors_of_the_baseline_agree_to_twelve_digits(best, baseline):
    np.testing.assert_allclose(baseline, best, rtol=1e-12, atol=0)


def test_the_baseline_rounds_in_its_own_way(best, baseline):
    assert np.any(baseline != best) == fuses()


if __name__ == "__main__":
    np.save(sys.stdout.buffer, posteriors())
