"""Figures on discrete and mixed models against sums over rows, scikit-learn and integrals."""

import numpy as np
import pandas as pd
import pytest
from models import DISCRETE, LEVELED, MODELS
from scipy import integrate, stats
from sklearn.metrics import mutual_info_score

import gauda
from gauda._analysis.column_fits import normal_information


@pytest.fixture(params=[name for name in DISCRETE if name != "ComplementNB"])
def entry(request):
    """Give each discrete or mixed model that has a likelihood."""
    return MODELS[request.param]


def joint_of_rows(model, X, y):
    """Return log p(x, class of the row) of each row."""
    codes = np.searchsorted(model.classes_, y)
    return model.predict_joint_log_proba(X)[np.arange(len(y)), codes]


def test_the_likelihood_is_that_of_the_rows(entry):
    X, y = entry.data()
    model = entry.fitted()
    found = model.diagnostics()
    np.testing.assert_allclose(found.log_likelihood, joint_of_rows(model, X, y).sum(), rtol=1e-12)
    p = found.n_parameters
    np.testing.assert_allclose(found.aic, 2 * p - 2 * found.log_likelihood)
    np.testing.assert_allclose(found.bic, p * np.log(90) - 2 * found.log_likelihood)


def test_other_rows_may_judge(entry):
    X, y = entry.data(30, seed=7)
    model = entry.fitted()
    kinds = {"BernoulliNB": {"kind": "bernoulli"}, "MultinomialNB": {"kind": "multinomial"}}
    name = type(model).__name__
    maker = gauda.MixedStatistics if name == "MixedNB" else gauda.Counts
    given = maker.from_data(X, y, **kinds.get(name, {}))
    found = model.diagnostics(given).log_likelihood
    np.testing.assert_allclose(found, joint_of_rows(model, X, y).sum(), rtol=1e-12)


def test_parameters_are_counted():
    counts = {
        "BernoulliNB": 2 + 3 * 3,
        "CategoricalNB": 2 + 3 * 3 * 2,
        "MixedNB": 2 + 3 * (2 + 2 + 1),
        "MultinomialNB": 2 + 3 * (3 - 1),
    }
    for name, expected in counts.items():
        assert MODELS[name].fitted().diagnostics().n_parameters == expected
        parameter = "priors" if name == "MixedNB" else "class_prior"
        given = MODELS[name].fitted(**{parameter: "uniform"})
        assert given.diagnostics().n_parameters == expected - 2


@pytest.mark.parametrize("name", LEVELED)
def test_levels_tell_what_scikit_learn_says(name):
    entry = MODELS[name]
    X, y = entry.data()
    found = entry.fitted().diagnostics().mutual_information
    for column in range(3):
        entries = X.iloc[:, column] if isinstance(X, pd.DataFrame) else X[:, column]
        if entries.dtype.kind != "f":
            np.testing.assert_allclose(found[column], mutual_info_score(entries, y), rtol=1e-10)


def test_terms_tell_what_scikit_learn_says_of_each_of_them():
    X, y = MODELS["MultinomialNB"].data()
    rows, terms = np.nonzero(X)
    times = X[rows, terms]
    classes, terms = np.repeat(y[rows], times), np.repeat(terms, times)
    found = MODELS["MultinomialNB"].fitted().diagnostics().mutual_information
    expected = [mutual_info_score(terms == term, classes) for term in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("shares", "means", "deviations"),
    [
        ([0.5, 0.5], [0.0, 1.0], [1.0, 1.0]),
        ([0.3, 0.7], [0.0, 0.0], [1.0, 1e-3]),
        ([0.2, 0.3, 0.5], [1e6, 1e6 + 2, 1e6 - 1], [1.0, 0.01, 5.0]),
    ],
)
def test_numbers_tell_the_integral(shares, means, deviations):
    shares, means, deviations = map(np.array, (shares, means, deviations))
    total = 0.0
    for k in range(len(shares)):

        def gain(z, k=k):
            x = means[k] + deviations[k] * z
            densities = stats.norm.pdf((x - means) / deviations) / deviations
            return stats.norm.pdf(z) * np.log(densities[k] / (shares @ densities))

        points = np.unique(
            (means + np.outer([-6, -1, 0, 1, 6], deviations) - means[k]) / deviations[k]
        )
        points = points[np.abs(points) < 9]
        total += shares[k] * integrate.quad(gain, -9, 9, points=points, limit=500, epsabs=1e-12)[0]
    found = normal_information(shares, means, deviations**2)
    np.testing.assert_allclose(found, total, rtol=1e-8)


def test_classes_far_apart_tell_their_entropy():
    shares = np.array([0.25, 0.75])
    for far in (1e3, 1e150):
        found = normal_information(shares, np.array([0.0, far]), np.array([1.0, 2.0]))
        np.testing.assert_allclose(found, -(shares * np.log(shares)).sum(), rtol=1e-9)


def test_figures_are_printed(entry):
    found = entry.fitted().diagnostics()
    for text in (str(found), found._repr_html_()):
        assert all(word in text for word in ("BIC", "cicada", "information"))


def test_many_columns_are_cut_short():
    X = np.arange(2000).reshape(40, 50) % 3
    text = str(gauda.CategoricalNB().fit(X, np.arange(40) % 2).diagnostics())
    assert "the 20 columns that tell most of the class, of 50" in text


def test_other_statistics_are_refused(entry):
    model = entry.fitted()
    with pytest.raises(TypeError, match="must get gauda"):
        model.diagnostics(gauda.Moments.from_data([[1.0]], ["ant"]))


def test_unknown_levels_have_no_likelihood():
    model = gauda.CategoricalNB().fit([[0], [1]], ["a", "b"])
    with pytest.raises(ValueError, match="others in column 0"):
        model.diagnostics(gauda.Counts.from_data([[5]], ["a"]))
    mixed = gauda.MixedNB().fit([["oak"], ["fir"]], ["a", "b"])
    with pytest.raises(ValueError, match="others in column 0"):
        mixed.diagnostics(gauda.MixedStatistics.from_data([["elm"]], ["a"]))
