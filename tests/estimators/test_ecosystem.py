"""The estimators in the company they keep: scikit-learn's tools, pickle, copy and joblib."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from peers import theirs
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from support import MODELS, answers, fitted, ours

CODES = np.arange(180) % 3
X = np.random.default_rng(11).normal(size=(180, 4)) @ np.diag([1, 2, 3, 4]) + np.eye(3, 4)[CODES]
SPECIES = np.array(["setosa", "versicolor", "virginica"])[CODES]
WEIGHTS = np.random.default_rng(12).integers(1, 5, 180).astype("f8")
GRIDS = {
    "LinearDiscriminantAnalysis": {"solver": ["lsqr"], "shrinkage": [None, "auto", 0.1, 0.9]},
    "QuadraticDiscriminantAnalysis": {"reg_param": [0.0, 0.1, 0.5, 0.9]},
    "GaussianNB": {"var_smoothing": [1e-9, 0.01, 0.5]},
}
FOLDS = KFold(4)


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# Parameters


def test_parameters_are_scikit_learns_and_a_few_more(name):
    more = {"unbiased": False, "conjugate_prior": None, "n_threads": None, "class_weight": None}
    more |= {"cost": None, "reject": None, "reject_label": None}
    more |= {"missing": "raise", "em_max_iter": 1000, "em_tol": 1e-8, "verbose": False}
    if name == "LinearDiscriminantAnalysis":
        more["reduced_rank"] = False
    assert ours(name).get_params() == theirs(name).get_params() | more


def test_positional_parameters_of_lda_keep_scikit_learns_order():
    arguments = ("eigen", 0.5, [0.2, 0.8], 1, True, 1e-3, None)
    expected = theirs("LinearDiscriminantAnalysis", *arguments).get_params()
    assert ours("LinearDiscriminantAnalysis", *arguments).get_params().items() >= expected.items()


def test_set_params_sets_and_refuses_unknown_names(name):
    assert ours(name).set_params(n_threads=2, unbiased=True).get_params()["n_threads"] == 2
    with pytest.raises(ValueError, match="Invalid parameter 'color'"):
        ours(name).set_params(color=1)


def test_clone_has_the_parameters_and_not_the_fit(name):
    model = ours(name, n_threads=2, unbiased=True, priors=[0.2, 0.3, 0.5]).fit(X, CODES)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copied.predict(X)


def test_estimators_call_themselves_classifiers(name):
    assert is_classifier(ours(name))


def test_repr_shows_what_was_changed(name):
    assert repr(ours(name)) == f"{name}()"
    assert repr(ours(name, n_threads=2)) == f"{name}(n_threads=2)"


def test_html_repr_names_the_estimator_and_its_parameters(name):
    html = estimator_html_repr(ours(name, n_threads=7).fit(X, CODES))
    assert name in html
    assert "n_threads" in html


# scikit-learn's tools, each beside the same tool on scikit-learn's own class

META = {
    "pipeline": lambda model: make_pipeline(StandardScaler(), model),
    "calibrated, sigmoid": lambda model: CalibratedClassifierCV(model, cv=3),
    "calibrated, isotonic": lambda model: CalibratedClassifierCV(model, method="isotonic", cv=3),
    "voting": lambda model: VotingClassifier(
        [("a", model), ("b", LogisticRegression())], voting="soft"
    ),
    "stacking": lambda model: StackingClassifier([("a", model)], LogisticRegression(), cv=3),
    "one against the rest": OneVsRestClassifier,
}


@pytest.mark.parametrize("wrap", META)
def test_wrapped_estimator_predicts_as_scikit_learns_in_the_same_wrapping(name, wrap):
    got = META[wrap](ours(name)).fit(X, SPECIES).predict_proba(X)
    expected = META[wrap](theirs(name)).fit(X, SPECIES).predict_proba(X)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_scores_as_with_scikit_learns_class(name, n_jobs):
    search = GridSearchCV(ours(name), GRIDS[name], cv=FOLDS, scoring="neg_log_loss", n_jobs=n_jobs)
    expected = GridSearchCV(theirs(name), GRIDS[name], cv=FOLDS, scoring="neg_log_loss")
    scores = search.fit(X, SPECIES).cv_results_["mean_test_score"]
    expected_scores = expected.fit(X, SPECIES).cv_results_["mean_test_score"]
    np.testing.assert_allclose(scores, expected_scores, rtol=1e-9)
    assert search.best_params_ == expected.best_params_


def test_recursive_elimination_ranks_features_as_with_scikit_learns_lda():
    ranked = RFE(ours("LinearDiscriminantAnalysis"), n_features_to_select=1).fit(X, CODES).ranking_
    expected = RFE(theirs("LinearDiscriminantAnalysis"), n_features_to_select=1).fit(X, CODES)
    np.testing.assert_array_equal(ranked, expected.ranking_)


def test_cross_validated_predictions_are_those_of_a_loop(name):
    expected = np.empty(len(X), SPECIES.dtype)
    for train, test in FOLDS.split(X):
        expected[test] = ours(name).fit(X[train], SPECIES[train]).predict(X[test])
    np.testing.assert_array_equal(cross_val_predict(ours(name), X, SPECIES, cv=FOLDS), expected)


# set_output


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_transform_gives_the_frame_that_was_asked_for(library, kind):
    lda = ours("LinearDiscriminantAnalysis").set_output(transform=library)
    expected = theirs("LinearDiscriminantAnalysis").fit(X, CODES)
    for frame in [lda.fit_transform(X, CODES), lda.transform(X)]:
        assert isinstance(frame, kind)
        assert list(frame.columns) == list(expected.get_feature_names_out())
        np.testing.assert_array_equal(frame, lda.set_output(transform="default").transform(X))
        lda.set_output(transform=library)


def test_transform_keeps_the_index_of_a_pandas_frame():
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(len(X))[::-1])
    lda = ours("LinearDiscriminantAnalysis").set_output(transform="pandas")
    np.testing.assert_array_equal(lda.fit_transform(frame, CODES).index, frame.index)


def test_feature_union_prefixes_the_discriminants():
    lda = ours("LinearDiscriminantAnalysis")
    names = FeatureUnion([("lda", lda)]).fit(X, CODES).get_feature_names_out()
    assert list(names) == [f"lda__lineardiscriminantanalysis{i}" for i in range(2)]


# Metadata routing: the weights arrive where a loop by hand would put them


@pytest.mark.usefixtures("routing")
def test_pipeline_routes_weights(name):
    step = ours(name).set_fit_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipe = make_pipeline(scaler, step).fit(X, CODES, sample_weight=WEIGHTS)
    expected = ours(name).fit(StandardScaler().fit_transform(X), CODES, sample_weight=WEIGHTS)
    np.testing.assert_equal(fitted(pipe[-1]), fitted(expected))


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("weighted_score", [False, True])
def test_cross_validate_routes_weights(name, weighted_score):
    model = ours(name).set_fit_request(sample_weight=True)
    scorer = get_scorer("accuracy").set_score_request(sample_weight=weighted_score)
    scores = cross_validate(
        model, X, CODES, cv=FOLDS, scoring=scorer, params={"sample_weight": WEIGHTS}
    )["test_score"]
    for (train, test), score in zip(FOLDS.split(X), scores, strict=True):
        by_hand = ours(name).fit(X[train], CODES[train], sample_weight=WEIGHTS[train])
        weights = WEIGHTS[test] if weighted_score else None
        predicted = by_hand.predict(X[test])
        assert score == accuracy_score(CODES[test], predicted, sample_weight=weights)
        assert by_hand.score(X[test], CODES[test], sample_weight=weights) == score


@pytest.mark.usefixtures("routing")
def test_grid_search_routes_weights(name):
    model = ours(name).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    search = GridSearchCV(model, GRIDS[name], cv=FOLDS).fit(X, CODES, sample_weight=WEIGHTS)
    expected = clone(model).set_params(**search.best_params_).fit(X, CODES, sample_weight=WEIGHTS)
    np.testing.assert_equal(fitted(search.best_estimator_), fitted(expected))


@pytest.mark.usefixtures("routing")
def test_weights_nobody_asked_for_are_refused(name):
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        make_pipeline(ours(name)).fit(X, CODES, sample_weight=WEIGHTS)


# Trips: the copy answers bit for bit as the original


def pickled(protocol):
    return lambda model, _: pickle.loads(pickle.dumps(model, protocol))  # noqa: S301 - our own


def stored(mmap_mode):
    def trip(model, folder):
        joblib.dump(model, folder / "model.joblib")
        return joblib.load(folder / "model.joblib", mmap_mode=mmap_mode)

    return trip


TRIPS = {
    **{f"pickle {protocol}": pickled(protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)},
    "joblib": stored(None),
    "joblib, mapped": stored("r"),
    "copy": lambda model, _: copy.copy(model),
    "deepcopy": lambda model, _: copy.deepcopy(model),
}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("trip", TRIPS)
def test_copy_answers_as_the_original(name, trip, dtype, tmp_path):
    model = ours(name, unbiased=True).fit(X.astype(dtype), SPECIES, sample_weight=WEIGHTS)
    before = answers(model, X)
    copied = TRIPS[trip](model, tmp_path)
    np.testing.assert_equal(answers(copied, X), before)
    np.testing.assert_equal(answers(copied, X.astype("f4")), answers(model, X.astype("f4")))
    np.testing.assert_equal(fitted(copied), fitted(model))


@pytest.mark.parametrize("trip", TRIPS)
def test_copy_can_be_fitted_again_and_leaves_the_original_alone(name, trip, tmp_path):
    model = ours(name).fit(X, SPECIES)
    before = answers(model, X)
    refitted = TRIPS[trip](model, tmp_path).fit(-X, CODES)
    np.testing.assert_equal(answers(refitted, X), answers(ours(name).fit(-X, CODES), X))
    np.testing.assert_equal(answers(model, X), before)


@pytest.mark.parametrize("trip", TRIPS)
def test_naive_bayes_goes_on_learning_after_a_trip(trip, tmp_path):
    stayed = ours("GaussianNB").partial_fit(X[:90], CODES[:90], classes=[0, 1, 2])
    before = answers(stayed, X)
    traveled = TRIPS[trip](stayed, tmp_path).partial_fit(X[90:], CODES[90:])
    np.testing.assert_equal(answers(stayed, X), before)
    stayed.partial_fit(X[90:], CODES[90:])
    np.testing.assert_equal(answers(traveled, X), answers(stayed, X))


@pytest.mark.parametrize("trip", TRIPS)
def test_unfitted_estimator_survives_a_trip(name, trip, tmp_path):
    model = TRIPS[trip](ours(name, n_threads=3), tmp_path)
    assert model.get_params() == ours(name, n_threads=3).get_params()


def test_worker_processes_of_joblib_answer_as_the_parent():
    models = [ours(name).fit(X, SPECIES) for name in MODELS]
    with joblib.parallel_config("loky", n_jobs=2):
        got = joblib.Parallel()(joblib.delayed(model.predict_proba)(X) for model in models)
    np.testing.assert_equal(got, [model.predict_proba(X) for model in models])
