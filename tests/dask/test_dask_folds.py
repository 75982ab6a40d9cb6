"""Cross-validation on Dask against scikit-learn's, and the search against the one in memory."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from dask_data import as_array, as_frame, with_empty_partitions
from models import MODELS, STEPWISE
from sklearn.model_selection import KFold, cross_validate

import gauda
import gauda.dask
from gauda.model_selection import HashedKFold

CV = gauda.RegularizedDiscriminantAnalysisCV
SCORES = ["accuracy", "neg_log_loss"]

pytestmark = pytest.mark.usefixtures("in_this_thread")


@pytest.fixture
def in_this_thread():
    """Run tasks one after another, where errors are raised as they are."""
    with dask.config.set(scheduler="sync"):
        yield


def same_search(found, expected):
    """Compare all scores, the choice and the model."""
    assert found.cv_results_.keys() == expected.cv_results_.keys()
    for name, scores in expected.cv_results_.items():
        if "test" in name:
            np.testing.assert_allclose(found.cv_results_[name], scores, rtol=1e-10, err_msg=name)
    assert found.best_params_ == expected.best_params_
    assert found.n_splits_ == expected.n_splits_
    np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-12)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy", "neg_brier_score"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_search_is_the_one_in_memory(scoring, weighted):
    X, y = MODELS["RDA-CV"].data(300)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    collection = as_array(X)
    found = gauda.dask.fit(CV(cv=4, scoring=scoring), collection, y, weights)
    folds = HashedKFold(4, partitions=collection.chunks[0])
    same_search(found, CV(cv=folds, scoring=scoring).fit(X, y, weights))
    assert found.predict(X).tolist() == found.best_estimator_.predict(X).tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {"priors": [0.2, 0.3, 0.5], "target": "diagonal"},
        {"class_weight": {"ant": 3.0}, "unbiased": True, "pooling": "scatter"},
        {"one_se": True, "alphas": [0.1, 0.9], "gammas": [0.0]},
    ],
)
def test_parameters_of_the_search_count(parameters):
    X, y = MODELS["RDA-CV"].data(300)
    collection = as_array(X)
    found = gauda.dask.fit(CV(cv=HashedKFold(3, seed=5), **parameters), collection, y)
    folds = HashedKFold(3, seed=5, partitions=collection.chunks[0])
    same_search(found, CV(cv=folds, **parameters).fit(X, y))


def test_groups_stay_in_one_fold_of_the_search():
    X, y = MODELS["RDA-CV"].data(300)
    groups = np.arange(300) // 7
    frame = as_frame(pd.DataFrame(X, columns=list("abc")).assign(subject=groups), y)
    found = gauda.dask.fit(CV(cv=3), frame, "species", groups="subject")
    splits = list(HashedKFold(3).split(X, groups=groups))
    rows = pd.DataFrame(X, columns=list("abc"))
    same_search(found, CV(cv=splits).fit(rows, y))
    assert found.feature_names_in_.tolist() == ["a", "b", "c"]


def test_rows_with_gaps_are_left_out_of_the_search():
    X, y = MODELS["RDA-CV"].data(300)
    X[np.arange(0, 300, 9), 1] = np.nan
    X[37:74] = np.nan  # a whole partition, in which 4 were missing before: 34 + 37 - 4
    with pytest.warns(UserWarning, match=r"left out 67 of 300 rows"):
        found = gauda.dask.fit(CV(cv=3, missing="drop"), as_array(X), y)
    whole = ~np.isnan(X).any(axis=1)
    folds = np.concatenate(
        [HashedKFold(3).of_positions(*part) for part in enumerate_parts(as_array(X).chunks[0])]
    )[whole]
    splits = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(3)]
    same_search(found, CV(cv=splits).fit(X[whole], y[whole]))


def enumerate_parts(lengths):
    """Give the number, first row and length of each partition."""
    return ((index, 0, length) for index, length in enumerate(lengths))


def test_a_search_has_the_same_bits_however_tasks_run():
    X, y = MODELS["RDA-CV"].data(300)
    collection = as_array(X, chunk=11)
    first, second = (run(scheduler, collection, y) for scheduler in ("sync", "threads"))
    for name, scores in first.cv_results_.items():
        if "test" in name:
            np.testing.assert_array_equal(second.cv_results_[name], scores)


def run(scheduler, collection, y):
    """Search under a scheduler."""
    with dask.config.set(scheduler=scheduler):
        return gauda.dask.fit(CV(cv=3), collection, y)


@pytest.mark.parametrize("name", STEPWISE)
@pytest.mark.parametrize("grouped", [False, True])
def test_scores_are_those_of_scikit_learn(name, grouped):
    X, y = MODELS[name].data(240)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    frame = as_frame(X, y)
    groups = np.arange(240) // 5 if grouped else None
    given = da.from_array(groups, chunks=48) if grouped else None
    found = gauda.dask.cross_validate(
        MODELS[name].make(), frame, "species", cv=3, groups=given, return_estimator=True
    )
    folds = HashedKFold(3, partitions=[48] * 5)
    expected = cross_validate(MODELS[name].make(), rows, y, cv=folds, groups=groups, scoring=SCORES)
    for score in SCORES:
        np.testing.assert_allclose(
            found[f"test_{score}"], expected[f"test_{score}"], rtol=1e-9, err_msg=score
        )
    assert len(found["estimator"]) == 3
    total = sum(found["evaluation"][1:], found["evaluation"][0])
    assert total.n_rows == 240


def test_weights_count_in_fits_only():
    X, y = MODELS["LDA"].data(240)
    weights = np.random.default_rng(0).uniform(0, 3, 240)
    collection = da.from_array(X, chunks=(48, 3))
    found = gauda.dask.cross_validate(gauda.LDA(), collection, y, weights, cv=3, scoring="accuracy")
    folds = HashedKFold(3, partitions=[48] * 5)
    expected = cross_validate(
        gauda.LDA(), X, y, cv=folds, params={"sample_weight": weights}, scoring="accuracy"
    )
    np.testing.assert_array_equal(found["test_score"], expected["test_score"])


def test_partitions_may_be_empty():
    X, y = MODELS["QDA"].data(240)
    frame = with_empty_partitions(as_frame(X, y))
    found = gauda.dask.cross_validate(gauda.QDA(), frame, "species", cv=2)
    assert sum(part.n_rows for part in found["evaluation"]) == 240
    assert gauda.dask.fit(CV(cv=2), frame, "species").n_splits_ == 2


def test_a_fault_is_named_with_its_row_in_the_partition():
    X, y = MODELS["QDA"].data(100)
    X[57, 1] = np.nan
    collection = da.from_array(X, chunks=(25, 3))
    for call in (gauda.dask.cross_validate, gauda.dask.fit):
        estimator = gauda.QDA() if call is gauda.dask.cross_validate else CV(cv=3)
        with pytest.raises(ValueError, match=r"In partition 2: .*row 7.*column 1"):
            call(estimator, collection, y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: gauda.dask.fit(CV(cv="loo"), X, y), "cv must be a number of folds"),
        (lambda X, y: gauda.dask.fit(CV(cv=KFold(3)), X, y), "cv must be a number of folds"),
        (lambda X, y: gauda.dask.fit(gauda.QDA(), X, y, groups=y), "groups are for estimators"),
        (lambda X, y: gauda.dask.cross_validate(gauda.QDA(), X, y, cv=1), "at least 2; got 1"),
        (lambda X, y: gauda.dask.cross_validate(CV(), X, y), "does not have all rows at once"),
        (lambda X, y: gauda.dask.cross_validate(gauda.QDA(), X, y, scoring="r2"), "scoring must"),
        (lambda X, y: gauda.dask.fit(CV(cv=2), X, y, groups=np.ones(100)), "fall into one fold"),
        (lambda X, y: gauda.dask.fit(CV(cv=2), X, y, groups=np.ones(99)), "groups has 99"),
        (lambda X, y: gauda.dask.fit(CV(cv=2), X[:0], y[:0]), "no rows"),
        (lambda X, _: gauda.dask.fit(CV(cv=2), X, ["a"] * 99 + ["b"]), "has no rows to learn from"),
    ],
)
def test_what_cannot_be_searched_is_refused(call, message):
    X, y = MODELS["QDA"].data(100)
    with pytest.raises(ValueError, match=message):
        call(as_array(X), y)
