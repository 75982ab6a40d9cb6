"""Every example runs, without a warning, and leaves the picture that it says."""

import runpy
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot as plt
from PIL import Image

pytestmark = pytest.mark.usefixtures("closed_figures")

EXAMPLES = Path(__file__).parents[1] / "examples"
HELPERS = {"saving"}
NAMES = sorted({path.stem for path in EXAMPLES.glob("*.py")} - HELPERS)
GALLERY = sorted((EXAMPLES / "gallery").glob("plot_*.py"))


@pytest.mark.parametrize("script", GALLERY, ids=[script.stem for script in GALLERY])
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive:UserWarning")
def test_a_script_of_the_gallery_draws(script):
    runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums()


def test_there_are_examples():
    assert set(NAMES) == {"iris", "scene"}
    assert len(GALLERY) > 15


@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs(name, tmp_path, monkeypatch, capsys):
    script, picture = EXAMPLES / f"{name}.py", tmp_path / "picture.png"
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(sys, "argv", [str(script), "--out", str(picture)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.endswith(f"saved to {picture}\n")
    with Image.open(picture) as image:
        assert min(image.size) > 300
