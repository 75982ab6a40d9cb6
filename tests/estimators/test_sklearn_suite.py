"""scikit-learn's own test files for the seven classes pass with gauda's classes in their place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from peers import needs

RUNNER = Path(__file__).parents[1] / "sklearn_suite.py"
BROKEN = """
from gauda import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from gauda import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

class GaussianNB(GaussianNB):
    def predict(self, X):
        return super().predict(X)[::-1]
"""


def run_suite(folder, *arguments):
    """Run the suite in a process of its own, `folder` on its path: exit code and report."""
    environment = {
        "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]),
        "SKLEARN_RUN_FLOAT32_TESTS": "1",
        "SCIPY_ARRAY_API": "1",  # else scikit-learn skips its array API tests, numpy's too
    }
    done = subprocess.run(  # noqa: S603 - the script is our own
        [sys.executable, RUNNER, *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return run_suite(tmp_path_factory.mktemp("suite"), "gauda")


@needs("suite")
def test_no_test_fails(suite):
    code, report = suite
    assert (code, report["failed"]) == (0, [])


def test_the_suite_saw_only_our_classes(suite):
    assert {module.partition(".")[0] for module in suite[1]["classes"].values()} == {"gauda"}
    assert len(suite[1]["classes"]) == 7


@pytest.mark.parametrize(
    ("file", "count"), [("test_discriminant_analysis", 61), ("test_naive_bayes", 89)]
)
@needs("suite")
def test_all_of_the_suite_ran(suite, file, count):
    ran = suite[1]["passed"] + suite[1]["failed"]
    assert sum(f"{file}.py::" in test for test in ran) >= count


def test_only_tests_of_private_helpers_and_of_fractional_categories_are_left_out(suite):
    assert suite[1]["left_out"] == [
        "test_gnb_check_update_with_no_data",
        "test_discretenb_provide_prior_with_partial_fit[CategoricalNB]",
    ]


def test_only_tests_that_need_an_array_library_not_installed_are_skipped(suite):
    for reason in suite[1]["skipped"].values():
        assert reason.endswith("is not installed: not checking array_api input")


def test_the_runner_notices_a_broken_class(tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    code, report = run_suite(tmp_path, "broken", "-k", "test_gnb")
    assert code == 1
    assert "tests/test_naive_bayes.py::test_gnb" in report["failed"]
