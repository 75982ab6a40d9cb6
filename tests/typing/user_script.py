"""A program of a user, which type checkers take in their strictest mode; the tests run it too."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import gauda
from gauda.typing import Labels, MatrixLike, Priors

Pair = tuple[NDArray[Any], NDArray[Any]]
PRIORS: Priors = {"a": 0.4, "b": 0.6}


def train(X: MatrixLike, y: Labels) -> gauda.QuadraticDiscriminantAnalysis:
    return gauda.QuadraticDiscriminantAnalysis(priors=PRIORS, reg_param=0.1).fit(X, y)


def describe(model: gauda.QuadraticDiscriminantAnalysis) -> tuple[gauda.Boundary, gauda.BoxM]:
    figures: gauda.Diagnostics = model.diagnostics()
    return model.boundary("a", "b"), figures.box_m


def main() -> None:
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"])[np.arange(40) % 2]
    X: NDArray[np.float64] = rng.normal(size=(40, 2)) + (y == "b")[:, np.newaxis]
    model = train(X, y)
    boundary, test = describe(model)
    odds: NDArray[np.float64] = boundary(X)
    answer: gauda.Classification = model.classify(X, ("label", "proba"), reject=0.6)
    adapted: gauda.AdaptedPriors = model.adapt_priors(X)
    moments = gauda.Moments.from_data(X, y) + gauda.Moments.from_data(X.tolist(), y.tolist())
    lda: gauda.LinearDiscriminantAnalysis = gauda.LDA.from_moments(moments, n_threads=1)
    assert lda.fit(X, y).forget_rows(X[:1], y[:1]).marginal([0]).predict(X[:, :1]).shape == (40,)
    filled: NDArray[np.float64] = gauda.QDA(missing="marginalize").fit(X, y).impute(X)
    means, deviations = assert_type(model.impute(X, return_std=True), Pair)
    assert filled.shape == means.shape == deviations.shape
    lda = gauda.LDA(solver="lsqr", shrinkage="auto").fit(X, y)
    rda = gauda.RDA(covariance="tied", target="diagonal").fit(X, y)
    assert_type(rda, gauda.RegularizedDiscriminantAnalysis)
    assert lda.coef_.shape == (1, 2), rda.summary()
    levels = gauda.CategoricalNB(class_prior="uniform").fit((X > 0).astype(int), y)
    assert_type(lda.coef_, NDArray[Any])
    assert_type(gauda.QDA(store_covariance=True).fit(X, y).covariance_, list[NDArray[Any]])
    assert_type(model.n_features_in_, int)
    assert set(answer.label.tolist()) <= {"a", "b", "rejected"}
    total = odds.sum() + test.p_value + adapted.priors.sum() + lda.predict_proba(X).sum()
    assert np.isfinite(total), answer
    assert levels.predict((X > 0).astype(int)).shape == y.shape


if __name__ == "__main__":
    main()
