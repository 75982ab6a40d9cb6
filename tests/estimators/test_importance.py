"""Importance of columns and leave-one-out confusions, against fits to fewer columns and R."""

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from models import DISCRETE, INDEPENDENT, LABELS, MODELS, TEXT
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import gauda

DATA = ["iris", "banknote", "skulls", "esl_vowel_train"]
KEEPING = {"priors": [1 / 3] * 3}
"""Priors that stay when a row is left out."""


def part_of(X, columns):
    return X.iloc[:, columns] if isinstance(X, pd.DataFrame) else X[:, columns]


def left_out(entry, X, y):
    """Return the posteriors of each row under a model fitted to the others, equal priors given."""
    model = entry.make()
    parameter = "class_prior" if "class_prior" in model.get_params() else "priors"
    model.set_params(**{parameter: [1 / 3] * 3})
    return cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_proba")


@pytest.mark.parametrize("name", ["QDA", "LDA", "LDA, eigen", "RDA", "GaussianNB", *DISCRETE])
def test_columns_are_dropped_as_if_never_seen(name):
    entry = MODELS[name]
    X, y = entry.data(60)
    found = entry.fitted(60).column_importance(X, y)
    whole = left_out(entry, X, y)
    assert found.log_loss == pytest.approx(log_loss(y, whole), rel=1e-6)
    assert found.accuracy == pytest.approx(accuracy_score(y, LABELS[whole.argmax(axis=1)]))
    for column in range(3):
        rest = [other for other in range(3) if other != column]
        loss = log_loss(y, left_out(entry, part_of(X, rest), y))
        assert found.log_loss_increase[column] == pytest.approx(loss - found.log_loss, abs=1e-6)


@pytest.mark.parametrize("dataset", DATA)
def test_f_to_remove_is_rs(load_data, load_json, dataset):
    X, y = load_data(dataset)
    found = gauda.LDA().fit(X, y).column_importance(X, y)
    expected = load_json(f"statistics/r_{dataset}")["to_remove"]
    np.testing.assert_allclose(found.partial_lambda, expected["partial_lambda"], rtol=1e-10)
    np.testing.assert_allclose(found.f_to_remove, expected["f"], rtol=1e-7)


def test_shrinkage_by_the_data_is_estimated_without_each_column(iris):
    X, y = iris
    for model in (gauda.LDA("lsqr", "auto"), gauda.QDA(solver="eigen", shrinkage="auto")):
        found = model.fit(X, y).column_importance(X, y)
        for column in range(4):
            rest = np.delete(X, column, axis=1)
            left = type(model)(**model.get_params()).fit(rest, y).loo_log_proba(rest, y)
            loss = log_loss(y, np.exp(left))
            assert found.log_loss + found.log_loss_increase[column] == pytest.approx(loss)


def test_rows_in_blocks_give_the_same(monkeypatch, entry):
    X, y = entry.data()
    whole = entry.fitted().column_importance(X, y)
    monkeypatch.setattr("gauda._estimators.importance.BLOCK", 100)
    found = entry.fitted().column_importance(X, y)
    np.testing.assert_allclose(found.log_loss_increase, whole.log_loss_increase, atol=1e-13)


def test_what_a_model_cannot_tell_is_nan(entry):
    X, y = entry.data()
    found = entry.fitted().column_importance(X, y)
    discrete = name_of(entry) in set(DISCRETE) - set(TEXT)
    assert np.isnan(found.mutual_information).all() != discrete
    tests = name_of(entry) not in {*DISCRETE, *INDEPENDENT}
    assert np.isnan(found.f_to_remove).all() != tests
    if discrete:
        expected = entry.fitted().diagnostics().mutual_information
        np.testing.assert_array_equal(found.mutual_information, expected)


def name_of(entry):
    return next(name for name, other in MODELS.items() if other is entry)


def test_weighted_rows_count_by_their_weights(iris):
    X, y = iris
    weights = 1.0 + np.arange(150) % 2
    model = gauda.GaussianNB().fit(X, y, sample_weight=weights)
    found = model.column_importance(X, y, sample_weight=weights)
    logs = model.loo_log_proba(X, y, sample_weight=weights)
    assert found.log_loss == pytest.approx(log_loss(y, np.exp(logs), sample_weight=weights))


def test_without_its_only_column_a_model_has_priors(iris):
    X, y = iris
    found = gauda.LDA().fit(X[:, 2:3], y).column_importance(X[:, 2:3], y)
    assert found.log_loss + found.log_loss_increase[0] == pytest.approx(np.log(3))


def test_importance_makes_tables(entry):
    X, y = entry.data()
    found = entry.fitted().column_importance(X, y)
    assert all(feature in str(found) for feature in found.features)
    ET.fromstring(found._repr_html_())  # noqa: S314 - our own
    frame = found.to_frame()
    assert frame.index.tolist() == [found.features[column] for column in found.order]
    assert frame["log_loss_increase"].is_monotonic_decreasing
    assert "Importance of columns" in repr(found)


# Confusion


@pytest.mark.parametrize("dataset", DATA)
def test_confusions_are_those_of_r(load_data, load_json, dataset):
    """MASS: lda and qda with CV = TRUE, which divide by n - K and n_k - 1."""
    X, y = load_data(dataset)
    expected = load_json(f"statistics/r_{dataset}")["loo_confusion"]
    for name, model in {
        "lda": gauda.LDA(unbiased=True),
        "qda": gauda.QDA(unbiased=True),
        "lda_mle": gauda.LDA(),
    }.items():
        np.testing.assert_array_equal(model.fit(X, y).loo_confusion(X, y), expected[name])


def test_confusions_are_those_of_left_out_posteriors(entry):
    X, y = entry.data()
    model = entry.fitted()
    labels = LABELS[model.loo_log_proba(X, y).argmax(axis=1)]
    np.testing.assert_array_equal(model.loo_confusion(X, y), confusion_matrix(y, labels))


def test_costs_decide(iris):
    X, y = iris
    cost = np.array([[0, 1, 1], [1, 0, 9], [1, 1, 0]])
    model = gauda.LDA(cost=cost).fit(X, y)
    posteriors = np.exp(model.loo_log_proba(X, y))
    labels = model.classes_[(posteriors @ cost).argmin(axis=1)]
    np.testing.assert_array_equal(model.loo_confusion(X, y), confusion_matrix(y, labels))
    assert model.loo_confusion(X, y)[1, 2] < gauda.LDA().fit(X, y).loo_confusion(X, y)[1, 2]


def test_weights_are_summed(iris):
    X, y = iris
    weights = np.full(150, 0.5)
    model = gauda.LDA().fit(X, y, sample_weight=weights)
    assert model.loo_confusion(X, y, sample_weight=weights).sum() == 75


def test_labels_that_the_fit_does_not_know_are_refused(iris):
    X, y = iris
    model = gauda.LDA().fit(X, y)
    other = np.where(y == "setosa", "tulip", y)
    for ask in (model.loo_confusion, model.column_importance):
        with pytest.raises(ValueError, match="y must hold labels of the fit; got"):
            ask(X, other)
