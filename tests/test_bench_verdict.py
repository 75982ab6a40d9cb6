"""What benches say of two runs: noise is not blamed on anybody, and what got slower is named."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHES = str(Path(__file__).parents[1] / "benches")


@pytest.fixture(autouse=True)
def benches(monkeypatch):
    monkeypatch.syspath_prepend(BENCHES)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "comparison"]:
        del sys.modules[name]


def runs(noise, *, slower=(), at_most=False, seed=0):
    """Return two runs of 40 lines that differ by noise, and by a half in some lines."""
    from comparison.table import Line  # noqa: PLC0415 (found once the path is set)

    rng = np.random.default_rng(seed)
    before, after = [], []
    for index in range(40):
        first, second = 10 * np.exp(rng.normal(size=2) * noise)
        if index in slower:
            second *= 2 if at_most else 0.5
        before.append(Line(f"line {index}", "", "", first, 1.0, at_most=at_most))
        after.append(Line(f"line {index}", "", "", second, 1.0, at_most=at_most))
    return {"one": before}, {"one": after}


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("noise", [0.001, 0.02, 0.1])
def test_noise_is_not_slower(noise, seed):
    from comparison.verdict import judge, verdict  # noqa: PLC0415 (as above)

    before, after = runs(noise, seed=seed)
    _, repeated = runs(noise, seed=seed + 100)
    found, limit = judge(after, before, lambda _: repeated)
    assert len(found) == 40
    (line,) = verdict(found, limit)
    assert line.startswith("Nothing got slower beyond noise")


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("noise", [0.001, 0.02, 0.05])
def test_what_takes_twice_as_long_is_named(noise, at_most):
    from comparison.verdict import judge, totals, verdict  # noqa: PLC0415 (as above)

    before, after = runs(noise, slower={3, 30}, at_most=at_most)
    found, limit = judge(after, before, lambda _: after)
    first, *named = verdict(found, limit)
    assert "2 of 40 figures" in first
    assert {line.split(": ")[1] for line in named} == {"line 3", "line 30"}
    heading, row = totals(after, found, limit)
    assert heading.split() == ["lines", "aims", "met", "median", "change", "slower"]
    assert row.split()[-1] == "2"


def test_who_was_disturbed_once_is_not_blamed():
    from comparison.verdict import judge, verdict  # noqa: PLC0415 (as above)

    before, after = runs(0.01, slower={7})
    asked = []

    def again(titles):
        asked.append(titles)
        return before

    found, limit = judge(after, before, again)
    assert asked == [{"one"}]
    assert next(verdict(found, limit)).startswith("Nothing got slower")


def test_records_come_back(tmp_path):
    from comparison.records import changes, read_records, write_records  # noqa: PLC0415 (as above)

    _, after = runs(0.02)
    write_records(tmp_path / "a.json", ["here"], after)
    assert read_records(tmp_path / "a.json") == after
    assert {change.share for change in changes(after, read_records(tmp_path / "a.json"))} == {1.0}
