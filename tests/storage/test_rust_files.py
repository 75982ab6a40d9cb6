"""Files that the interface for Rust has written (tests/facade/files.rs) answer as fits do."""

import csv
from pathlib import Path

import numpy as np
import pytest

import gauda

REFERENCE = Path(__file__).parents[1] / "reference"
FILES = REFERENCE / "files"


def iris():
    with (REFERENCE / "data" / "iris.csv").open() as file:
        _, *lines = csv.reader(file)
    return np.array([line[:-1] for line in lines], float), np.array([line[-1] for line in lines])


X, y = iris()
GAPS = X.copy()
GAPS[::7, 1] = np.nan
LEVELS = np.round(X).astype(int)
HALF = np.column_stack([GAPS[:, :2], LEVELS[:, 2] - 1, LEVELS[:, 3]])
HALF_KINDS = ["gaussian", "gaussian", "categorical", "categorical"]
COST = [[0, 1, 1], [1, 0, 1], [10, 10, 0]]
RDA = gauda.RegularizedDiscriminantAnalysis

MODELS = {
    "qda": (gauda.QDA(), X),
    "qda_auto": (gauda.QDA(solver="eigen", shrinkage="auto", unbiased=True), X),
    "qda_priors": (gauda.QDA(reg_param=0.1, priors=[0.2, 0.3, 0.5]), X),
    "lda_costs": (gauda.LDA(cost=COST, missing="marginalize"), GAPS),
    "lda_auto": (gauda.LDA("eigen", "auto"), X),
    "lda_lsqr": (gauda.LDA("lsqr", 0.2, priors="uniform"), X),
    "lda_reduced": (gauda.LDA(n_components=1, reduced_rank=True), X),
    "rda": (RDA(0.3, 0.4, target="identity"), X),
    "rda_lw": (RDA(0.1, shrinkage="ledoit_wolf"), X),
    "rda_oas": (RDA(shrinkage="oas"), X),
    "gnb": (gauda.GaussianNB(var_smoothing=0.01), X),
    "bnb": (gauda.BernoulliNB(alpha=0.5, binarize=2.5), X),
    "cnb": (gauda.CategoricalNB(min_categories=9, fit_prior=False), LEVELS),
    "mnb": (gauda.MultinomialNB(alpha=0.5, class_prior=[0.2, 0.3, 0.5]), X),
    "complement": (gauda.ComplementNB(norm=True), LEVELS),
    "mixed": (gauda.MixedNB(kinds=HALF_KINDS), HALF),
}


def test_every_file_of_rust_is_read():
    found = {path.stem.removeprefix("rs_") for path in FILES.glob("rs_*.gauda")}
    assert found == {*MODELS, "moments"}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_rust_answer_as_a_fit_does(name):
    model, rows = MODELS[name]
    weights = np.arange(len(y)) % 3 if name in ("gnb", "complement", "mixed") else None
    fitted = model.fit(rows, y, sample_weight=weights)
    loaded = gauda.load(FILES / f"rs_{name}.gauda")
    assert type(loaded) is type(fitted)
    np.testing.assert_array_equal(loaded.classes_, fitted.classes_)
    np.testing.assert_array_equal(loaded.predict(rows), fitted.predict(rows))
    ours, theirs = loaded.predict_log_proba(rows), fitted.predict_log_proba(rows)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_models_of_rust_go_on_learning():
    loaded = gauda.load(FILES / "rs_qda.gauda")
    loaded.partial_fit(X[:5] + 20, ["new"] * 5)
    assert loaded.classes_.tolist() == ["new", "setosa", "versicolor", "virginica"]


def test_moments_of_rust_are_those_of_the_rows():
    loaded = gauda.Moments.load(FILES / "rs_moments.gauda")
    codes = np.where(y == "setosa", -7, 300).astype(np.int16)
    fitted = gauda.Moments.from_data(X, codes)
    assert loaded.classes.dtype == np.int16
    np.testing.assert_array_equal(loaded.classes, fitted.classes)
    np.testing.assert_allclose(loaded.scatter, fitted.scatter, rtol=1e-12)
    assert (loaded + fitted).counts.tolist() == [100, 200]
