"""How every model behaves inside scikit-learn: clones, pipelines, searches, weights, workers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from models import LABELS, MODELS, taken
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

N = 90
FOLDS = StratifiedKFold(3)


def test_a_clone_has_the_parameters_and_not_the_fit(entry):
    model = entry.fitted(N)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    assert not hasattr(copied, "classes_")
    assert is_classifier(copied)


def test_unknown_parameters_are_refused(entry):
    model = entry.fitted(N)
    with pytest.raises(ValueError, match="bogus"):
        model.set_params(bogus=1)


def test_repr_and_diagram_name_the_class(entry):
    model = entry.make(n_threads=3)
    assert type(model).__name__ in repr(model)
    assert "n_threads=3" in repr(model)
    assert type(model).__name__ in model._repr_html_()


def test_predictions_of_folds_are_those_of_a_loop(entry):
    X, y = entry.data(N)
    expected = np.empty_like(y)
    for train, test in FOLDS.split(X, y):
        expected[test] = entry.make().fit(taken(X, train), y[train]).predict(taken(X, test))
    np.testing.assert_array_equal(cross_val_predict(entry.make(), X, y, cv=FOLDS), expected)


def test_a_pipeline_predicts_as_its_last_step(entry):
    X, y = entry.data(N)
    pipeline = make_pipeline(FunctionTransformer(), entry.make()).fit(X, y)
    np.testing.assert_array_equal(
        pipeline.predict_log_proba(X), entry.make().fit(X, y).predict_log_proba(X)
    )


def test_a_search_over_priors_scores_as_a_loop(entry):
    X, y = entry.data(N)
    model = entry.make()
    parameter = "class_prior" if "class_prior" in model.get_params() else "priors"
    grid = {parameter: [None, [0.1, 0.1, 0.8]]}
    search = GridSearchCV(model, grid, cv=FOLDS, scoring="neg_log_loss").fit(X, y)
    expected = [
        cross_val_score(
            entry.make(**{parameter: priors}), X, y, cv=FOLDS, scoring="neg_log_loss"
        ).mean()
        for priors in grid[parameter]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-12)


@pytest.mark.parametrize("scored", [False, True])
def test_weights_are_routed(entry, scored):
    X, y = entry.data(N)
    weights = np.random.default_rng(0).uniform(0.5, 2, N)
    with config_context(enable_metadata_routing=True):
        model = entry.make().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=scored)
        found = cross_validate(model, X, y, cv=FOLDS, params={"sample_weight": weights})
    expected = []
    for train, test in FOLDS.split(X, y):
        fitted = entry.make().fit(taken(X, train), y[train], sample_weight=weights[train])
        of_test = weights[test] if scored else None
        expected.append(fitted.score(taken(X, test), y[test], sample_weight=of_test))
    np.testing.assert_allclose(found["test_score"], expected, rtol=1e-12)


ARRAYS = [name for name, entry in MODELS.items() if isinstance(entry.data(3)[0], np.ndarray)]


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: BaggingClassifier(model, n_estimators=3, random_state=0),
        OneVsRestClassifier,
        lambda model: CalibratedClassifierCV(model, cv=3),
        lambda model: VotingClassifier([("a", model), ("b", clone(model))], voting="soft"),
    ],
    ids=["bagging", "one vs rest", "calibration", "voting"],
)
def test_wrapped_models_answer(name, wrap):
    entry = MODELS[name]
    X, y = entry.data(N)
    wrapped = wrap(entry.make()).fit(X, y)
    posteriors = wrapped.predict_proba(X)
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, rtol=1e-12)
    assert wrapped.score(X, y) > 1 / len(LABELS)


def test_copies_answer_to_the_bit_and_learn_on(entry):
    X, y = entry.data(N)
    model = entry.fitted(N)
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301 (our own)
    np.testing.assert_array_equal(copied.predict_log_proba(X), model.predict_log_proba(X))
    copied.fit(taken(X, slice(60)), y[:60])
    np.testing.assert_array_equal(model.predict_log_proba(X), entry.fitted(N).predict_log_proba(X))


def test_workers_answer_as_the_parent(entry):
    X, _ = entry.data(N)
    model = entry.fitted(N)
    parts = Parallel(n_jobs=2)(
        delayed(model.predict_log_proba)(taken(X, part)) for part in np.split(np.arange(N), 3)
    )
    np.testing.assert_array_equal(np.concatenate(parts), model.predict_log_proba(X))


def test_names_of_columns_are_those_of_the_frame(entry):
    X, y = entry.data(N)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=["a", "b", "c"])
    model = entry.make().fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])
