"""Write the files of this folder that begin with py_, and what their models answer, with gauda.

Run it as `python tests/reference/files/write.py` after a change of the file format; the tests of
Rust read the files (tests/facade/files.rs).
"""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd

import gauda

FOLDER = Path(__file__).parent
EVERY = 10
"""One row in so many is asked about."""


def iris():
    """Return the rows and their labels."""
    with (FOLDER.parent / "data" / "iris.csv").open() as file:
        header, *lines = csv.reader(file)
    return header[:-1], np.array([line[:-1] for line in lines], float), [line[-1] for line in lines]


def models():
    """Return fitted models by their names, each with the rows that it is asked about."""
    names, X, y = iris()
    frame = pd.DataFrame(X, columns=names)
    weights = np.arange(len(y)) % 3
    codes = np.unique(y, return_inverse=True)[1]
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    large, levels = X.mean(axis=0) < X, np.round(X).astype(int)
    half = np.column_stack([gaps[:, :2], levels[:, 2] - 1, levels[:, 3]])
    kinds = ["gaussian", "gaussian", "categorical", "categorical"]
    by_name = {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}
    by_class = {
        "reject_label": {name: f"{name}?" for name in by_name},
        "class_weight": {"setosa": 3},
    }
    qda, lda, rda = gauda.QDA, gauda.LDA, gauda.RegularizedDiscriminantAnalysis
    cost = [[0, 1, 1], [1, 0, 1], [10, 10, 0]]
    return {
        "qda": (qda().fit(X, y), X),
        "qda_auto": (qda(solver="eigen", shrinkage="auto").fit(X, y), X),
        "qda_named": (qda(reg_param=0.1, priors=by_name).fit(frame, y), frame),
        "qda_by_class": (qda(**by_class).fit(X, y), X),
        "lda": (lda().fit(X, codes), X),
        "lda_eigen": (lda("eigen", 0.3, priors=[0.2, 0.3, 0.5], unbiased=True).fit(X, y), X),
        "lda_auto": (lda("eigen", "auto").fit(X, y), X),
        "lda_batches": (lda("eigen", "auto").partial_fit(X, y), X),
        "lda_lsqr": (lda("lsqr", 0.2, priors="uniform").fit(X, y), X),
        "lda_reduced": (lda(n_components=1, reduced_rank=True).fit(X, y), X),
        "lda_cost": (lda(cost=cost, missing="marginalize").fit(gaps, y), gaps),
        "rda": (rda(0.75, 0.25, unbiased=True).fit(X, y), X),
        "rda_oas": (rda(0.1, shrinkage="oas").fit(X, y), X),
        "rda_lw": (rda(0.1, shrinkage="ledoit_wolf", pooling="scatter").fit(X, y), X),
        "rda_pure": (rda(covariance="tied_diag").fit(X, y), X),
        "gnb": (gauda.GaussianNB().fit(X, codes == 1), X),
        "gnb_weighted": (gauda.GaussianNB(var_smoothing=0.01).fit(X, codes, weights), X),
        "bnb": (gauda.BernoulliNB(alpha=0.5).fit(large, np.array(y, object)), large),
        "cnb": (gauda.CategoricalNB(min_categories=9, fit_prior=False).fit(levels, y), levels),
        "mnb": (gauda.MultinomialNB(alpha=0.5, class_prior=[0.2, 0.3, 0.5]).fit(X, y), X),
        "complement": (gauda.ComplementNB(alpha=0.5, norm=True).fit(levels, y), levels),
        "mixed": (gauda.MixedNB(0.5, kinds=kinds).fit(half, y), half),
    }


def main():
    """Write the files."""
    _, X, y = iris()
    expected = {}
    for name, (model, rows) in models().items():
        model.save(FOLDER / f"py_{name}.gauda")
        some = rows[::EVERY]
        expected[name] = {
            "log_posterior": model.predict_log_proba(some).tolist(),
            "label": [str(label) for label in model.predict(some).tolist()],
        }
    named = gauda.MixedNB().fit([[0.1, "red"], [0.2, "blue"]], ["a", "b"])
    named.save(FOLDER / "py_mixed_named.gauda")
    named = gauda.CategoricalNB().fit([["red"], ["blue"]], ["a", "b"])
    named.save(FOLDER / "py_cnb_named.gauda")
    gaps = gauda.BernoulliNB(missing="marginalize").fit([[1.0], [np.nan]], ["a", "b"])
    gaps.save(FOLDER / "py_bnb_gaps.gauda")
    dropping = gauda.CategoricalNB(missing="drop").fit([[1], [0]], ["a", "b"])
    dropping.save(FOLDER / "py_cnb_drop.gauda")
    gauda.Moments.from_data(X, y, structure="tied").save(FOLDER / "py_moments.gauda")
    text = json.dumps(expected, indent=None, separators=(",", ":"))
    (FOLDER / "py_answers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
