"""Run scikit-learn's own tests of the seven classes against another library's classes.

    python sklearn_suite.py gauda [pytest options]

replaces the classes by those of the module named, before scikit-learn's test files are imported,
and ends with one line of JSON: what ran, with which outcome, and what was left out.
"""

import importlib
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sklearn

REPLACED = {
    "discriminant_analysis": ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"],
    "naive_bayes": [
        "BernoulliNB",
        "CategoricalNB",
        "ComplementNB",
        "GaussianNB",
        "MultinomialNB",
    ],
}
PRIVATE = {
    "test_gnb_check_update_with_no_data": "calls the private GaussianNB._update_mean_variance",
}
REFUSED = {
    "test_discretenb_provide_prior_with_partial_fit[CategoricalNB]": "gives CategoricalNB lengths "
    "of petals for categories, which it cuts to whole numbers; ours refuses fractions",
}


class Recorder:
    """Leaves out tests of private helpers and of what is refused; notes how the others end."""

    def __init__(self):
        self.report = {"passed": [], "failed": [], "skipped": {}, "left_out": [], "classes": {}}

    def pytest_collection_modifyitems(self, config, items):
        left_out = [item for item in items if item.originalname in PRIVATE or item.name in REFUSED]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
        self.report["left_out"] = [item.name for item in left_out]
        for item in items:
            for name in REPLACED[item.module.__name__.rpartition("test_")[2]]:
                self.report["classes"][name] = getattr(item.module, name).__module__

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            self.report["skipped"][report.nodeid] = report.longrepr[2]
        elif report.failed or report.when == "call":
            self.report[report.outcome].append(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.report["failed"].append(report.nodeid)


def replace_classes(library):
    """Put the library's classes where scikit-learn's test files import them from."""
    for module, names in REPLACED.items():
        for name in names:
            setattr(importlib.import_module(f"sklearn.{module}"), name, getattr(library, name))


def main(library, *options):
    """Run the suite with the library's classes: pytest's exit code."""
    replace_classes(importlib.import_module(library))
    root = Path(sklearn.__file__).parent
    files = [f"sklearn.tests.test_{module}" for module in REPLACED]
    recorder = Recorder()
    with TemporaryDirectory() as folder:
        settings = Path(folder, "pytest.ini")  # our own settings are not for their tests
        settings.write_text("[pytest]\n", encoding="utf-8")
        isolated = ["-q", "-c", str(settings), f"--rootdir={root}", "-p", "no:cacheprovider"]
        code = pytest.main([*isolated, *options, "--pyargs", *files], plugins=[recorder])
    sys.stdout.write(json.dumps(recorder.report))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
