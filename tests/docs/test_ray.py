"""The recipe of the documentation for Ray gives the fit in memory, where Ray is installed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from code_blocks import read_blocks
from models import MODELS

import gauda

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "clusters.md"

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ray[data]'")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Ray


@pytest.fixture
def in_folder_of_ray(tmp_path, monkeypatch):
    """Give a folder in which Ray runs, with two workers on this machine."""
    monkeypatch.chdir(tmp_path)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield tmp_path
    ray.shutdown()


def test_the_recipe_gives_the_fit_in_memory(in_folder_of_ray):
    X, y = MODELS["QDA"].data(300)
    frame = pd.DataFrame(1e3 + X[:, :2], columns=["a", "b"]).assign(species=y)
    folder = in_folder_of_ray / "rows"
    folder.mkdir()
    for part in range(3):
        frame[100 * part : 100 * (part + 1)].to_parquet(folder / f"{part}.parquet")
    names = {}
    recipe = [
        block.code
        for block in read_blocks(PAGE.read_text(encoding="utf-8"))
        if "def statistics" in block.code or "import ray" in block.code
    ]
    assert len(recipe) == 2
    for code in recipe:
        exec(code, names)  # noqa: S102 (our own page)
    expected = gauda.QDA().fit(frame[["a", "b"]].to_numpy(), y).moments_
    found = names["model"].moments_
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-14)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-10)
