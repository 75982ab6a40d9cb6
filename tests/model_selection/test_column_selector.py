"""The search for columns, against R's stepwise F, SAS's example, scikit-learn's search and fits."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from models import DISCRETE, GAUSSIAN, MODELS, TEXT
from peers import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.base import clone
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import gauda
from gauda.model_selection import ColumnSelector
from gauda.pictures import SelectionPathDisplay

DATA = ["iris", "banknote", "skulls", "esl_vowel_train"]
THEIRS = {
    "LDA": (gauda.LDA, LinearDiscriminantAnalysis),
    "QDA": (gauda.QDA, QuadraticDiscriminantAnalysis),
    "GaussianNB": (gauda.GaussianNB, GaussianNB),
}


@pytest.fixture(scope="module")
def correlated():
    """Give rows of four classes in twelve correlated columns."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 4
    X = rng.normal(size=(600, 12)) @ rng.normal(size=(12, 12)) / 2
    return X + 0.4 * rng.normal(size=(4, 12))[y], y


# F


@pytest.mark.parametrize("dataset", DATA)
def test_stepwise_by_f_is_that_of_r(load_data, load_json, dataset):
    selector = ColumnSelector(gauda.LDA(), "stepwise").fit(*load_data(dataset))
    expected = load_json(f"statistics/r_{dataset}")["stepwise"]
    assert [(step.action, step.column) for step in selector.path_] == [
        (step["action"], step["column"]) for step in expected
    ]
    for got, wanted in zip(selector.path_, expected, strict=True):
        assert got.statistic == pytest.approx(wanted["f"], rel=1e-8)
        assert got.p_value == pytest.approx(wanted["p_value"], rel=1e-6)
        if "wilks" in wanted:
            assert got.score == pytest.approx(wanted["wilks"], rel=1e-10)


def test_iris_is_as_sas_prints_it(iris):
    """PROC STEPDISC in the SAS/STAT user's guide."""
    path = ColumnSelector(gauda.LDA(), "stepwise").fit(*iris).path_
    assert [step.column for step in path] == [2, 1, 3, 0]
    assert [round(step.statistic, 2) for step in path] == [1180.16, 43.04, 34.57, 4.72]
    lambdas = [0.05862828, 0.03688411, 0.02497554, 0.02343863]
    assert [step.score for step in path] == pytest.approx(lambdas, abs=5e-9)


def test_columns_leave_that_others_make_superfluous():
    rng = np.random.default_rng(5)
    y = np.arange(4000) % 2
    parts = rng.normal(size=(4000, 2)) + y[:, np.newaxis]
    total = parts.sum(axis=1) + rng.normal(size=4000)
    X = np.column_stack([total, parts])
    stepwise = ColumnSelector(gauda.LDA(), "stepwise").fit(X, y)
    assert [step.action for step in stepwise.path_] == ["enter", "enter", "enter", "remove"]
    assert stepwise.path_[-1].column == stepwise.path_[0].column == 0
    assert stepwise.path_[-1].p_value > 0.15
    forward = ColumnSelector(gauda.LDA(), "forward").fit(X, y)
    assert forward.get_support().all()


def test_limits_of_f_decide(iris):
    assert ColumnSelector(gauda.LDA(), f_to_enter=40.0).fit(*iris).get_support(
        indices=True
    ).tolist() == [1, 2]
    backward = ColumnSelector(gauda.LDA(), "backward", f_to_remove=5.0).fit(*iris)
    assert backward.get_support(indices=True).tolist() == [1, 2, 3]
    assert backward.path_[0].statistic == pytest.approx(4.72115209042445)
    assert ColumnSelector(gauda.LDA(), n_columns=1).fit(*iris).get_support(indices=True) == [2]


def test_backward_by_f_starts_with_all(load_data, load_json):
    X, y = load_data("skulls")
    selector = ColumnSelector(gauda.LDA(), "backward", n_columns=3).fit(X, y)
    least = int(np.argmin(load_json("statistics/r_skulls")["to_remove"]["f"]))
    assert selector.path_[0].column == least
    assert selector.get_support().sum() == 3


def test_superfluous_columns_never_enter(iris):
    X, y = iris
    wide = np.column_stack([X, X @ [1, 2, 3, 4], np.ones(150), (y == "setosa")])
    for direction in ("forward", "backward", "stepwise"):
        support = ColumnSelector(gauda.LDA(), direction).fit(wide.astype(float), y).get_support()
        assert not support[5:].any()
        assert 3 <= support.sum() <= 4


def test_sums_and_streams_choose_the_same(iris, tmp_path):
    X, y = iris
    expected = ColumnSelector(gauda.LDA(), "stepwise").fit(X, y)
    moments = gauda.Moments.from_data(X[:70], y[:70]) + gauda.Moments.from_data(X[70:], y[70:])
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    frame.to_csv(tmp_path / "iris.csv", index=False)
    others = [
        ColumnSelector(gauda.LDA(), "stepwise").fit_statistics(moments),
        ColumnSelector(gauda.LDA(), "stepwise").fit_stream(tmp_path / "iris.csv", target="y"),
    ]
    for other in others:
        assert [step.column for step in other.path_] == [step.column for step in expected.path_]
    assert others[1].get_feature_names_out().tolist() == list("abcd")
    with pytest.raises(ValueError, match="'diag' moments do not hold"):
        ColumnSelector(gauda.LDA()).fit_statistics(moments.to("diag"))
    with pytest.raises(ValueError, match="needs rows, which sums do not hold"):
        ColumnSelector(gauda.LDA(), criterion="log_loss").fit_statistics(moments)


# Held-out rows


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("criterion", ["log_loss", "accuracy"])
def test_the_choice_is_that_of_scikit_learn(correlated, name, direction, criterion):
    ours, theirs = THEIRS[name]
    scoring = {"log_loss": "neg_log_loss", "accuracy": "accuracy"}[criterion]
    selector = ColumnSelector(ours(), direction, criterion, n_columns=5, cv=4).fit(*correlated)
    other = SequentialFeatureSelector(
        theirs(), n_features_to_select=5, direction=direction, scoring=scoring, cv=4
    ).fit(*correlated)
    np.testing.assert_array_equal(selector.get_support(), other.get_support())


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_fits_to_the_columns(name):
    entry = MODELS[name]
    X, y = entry.data()
    selector = ColumnSelector(entry.make(), "forward", "log_loss", cv=3).fit(X, y)
    known = []
    for step in selector.path_:
        known.append(step.column)
        part = X.iloc[:, known] if isinstance(X, pd.DataFrame) else X[:, known]
        scores = []
        for train, test in StratifiedKFold(3).split(X, y):
            rows = [
                part.iloc[index] if isinstance(X, pd.DataFrame) else part[index]
                for index in (train, test)
            ]
            model = entry.make().fit(rows[0], y[train])
            scores.append(log_loss(y[test], model.predict_proba(rows[1])))
        assert step.score == pytest.approx(np.mean(scores), rel=1e-6)


@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB", "BernoulliNB", "MixedNB"])
def test_columns_that_leave_are_taken_back_exactly(name):
    entry = MODELS[name]
    X, y = entry.data(150)
    forward = ColumnSelector(entry.make(), "forward", "log_loss", n_columns=2, cv=3).fit(X, y)
    backward = ColumnSelector(entry.make(), "backward", "log_loss", n_columns=2, cv=3).fit(X, y)
    if (forward.get_support() == backward.get_support()).all():
        assert forward.path_[-1].score == pytest.approx(backward.path_[-1].score, rel=1e-10)
    sets = itertools.combinations(range(3), 2)
    scores = {
        chosen: -cross_val_score(
            entry.make(),
            X.iloc[:, list(chosen)] if isinstance(X, pd.DataFrame) else X[:, chosen],
            y,
            cv=3,
            scoring="neg_log_loss",
        ).mean()
        for chosen in sets
    }
    best = tuple(backward.get_support(indices=True).tolist())
    assert backward.path_[-1].score == pytest.approx(min(scores.values()), rel=1e-6)
    assert scores[best] == pytest.approx(min(scores.values()), rel=1e-9)


def test_stepwise_by_log_loss_ends(correlated):
    selector = ColumnSelector(gauda.QDA(), "stepwise", "log_loss", cv=3).fit(*correlated)
    scores = [step.score for step in selector.path_]
    assert all(after < before for before, after in itertools.pairwise(scores))


def test_weights_count_in_fits_and_scores(correlated):
    X, y = correlated
    weights = np.where(np.arange(600) < 300, 1.0, 0.0)
    splits = [(np.r_[0:200, 300:600], np.r_[200:300]), (np.r_[100:600], np.r_[0:100])]
    plain = [(train[train < 300], test) for train, test in splits]
    weighted = ColumnSelector(gauda.LDA(), criterion="log_loss", cv=splits, n_columns=4)
    unweighted = ColumnSelector(gauda.LDA(), criterion="log_loss", cv=plain, n_columns=4)
    weighted.fit(X, y, sample_weight=weights)
    unweighted.fit(X, y)
    for got, expected in zip(weighted.path_, unweighted.path_, strict=True):
        assert (got.column, got.score) == (expected.column, pytest.approx(expected.score))


def test_singular_columns_are_tried_by_fits(iris):
    X, y = iris
    twice = np.column_stack([X, X[:, 2]])
    for kind in (gauda.LDA, gauda.QDA):
        selector = ColumnSelector(kind(), criterion="log_loss", n_columns=3).fit(twice, y)
        assert selector.get_support()[[2, 4]].sum() <= 1


def test_other_packages_classifiers_are_fitted(iris):
    model = LogisticRegression(max_iter=500)
    selector = ColumnSelector(model, criterion="accuracy", n_columns=1, cv=3).fit(*iris)
    expected = SequentialFeatureSelector(model, n_features_to_select=1, cv=3).fit(*iris)
    np.testing.assert_array_equal(selector.get_support(), expected.get_support())
    with pytest.raises(ValueError, match="criterion='f' compares means"):
        ColumnSelector(model).fit(*iris)
    with pytest.raises(TypeError, match="criterion='bic' takes Gaussian classifiers of gauda"):
        ColumnSelector(model, criterion="bic").fit(*iris)


def test_rows_with_gaps_are_judged(iris):
    X, y = iris
    holey = X.copy()
    holey[::7, 1] = np.nan
    selector = ColumnSelector(gauda.GaussianNB(missing="marginalize"), criterion="log_loss", cv=3)
    assert selector.fit(holey, y).get_support()[3]
    with pytest.raises(ValueError, match="NaN"):
        ColumnSelector(gauda.GaussianNB(), criterion="log_loss", cv=3).fit(holey, y)


# BIC


def gaussian_log_likelihood(residuals, n):
    return -n / 2 * (np.log(2 * np.pi * residuals @ residuals / n) + 1)


@pytest.mark.parametrize("kind", [gauda.LDA, gauda.QDA, gauda.GaussianNB])
def test_bic_is_that_of_regressions(correlated, kind):
    """A column differs between classes given the others, or does not: by least squares."""
    X, y = correlated
    X, n, k = X[:, :4], 600, 4
    known, before = [], 0.0
    for step in ColumnSelector(kind(), criterion="bic").fit(X, y).path_:
        given = [] if kind is gauda.GaussianNB else known
        target, ones = X[:, step.column], np.ones((n, 1))
        design = np.hstack([ones, X[:, given]])
        same = gaussian_log_likelihood(residuals_of(design, target), n)
        if kind is gauda.LDA:
            design = np.hstack([np.eye(k)[y], X[:, given]])
            differ, further = gaussian_log_likelihood(residuals_of(design, target), n), k - 1
        else:
            own = [y == code for code in range(k)]
            differ = sum(
                gaussian_log_likelihood(residuals_of(design[rows], target[rows]), rows.sum())
                for rows in own
            )
            further = (k - 1) * (len(given) + 2)
        gain = 2 * (differ - same) - further * np.log(n)
        assert step.statistic == pytest.approx(gain, rel=1e-8)
        assert step.score == pytest.approx(before - gain, rel=1e-8)
        known.append(step.column)
        before = step.score
    assert known


def residuals_of(design, target):
    return target - design @ np.linalg.lstsq(design, target, rcond=None)[0]


def test_bic_of_levels_is_twice_the_information():
    rng = np.random.default_rng(1)
    y = np.arange(300) % 2
    X = np.column_stack([(y + rng.integers(0, 2, 300)) % 3, rng.integers(0, 3, 300)])
    selector = ColumnSelector(gauda.CategoricalNB(), criterion="bic").fit(X, y)
    information = gauda.CategoricalNB().fit(X, y).diagnostics().mutual_information
    assert selector.get_support().tolist() == [True, False]
    expected = 600 * information[0] - 2 * np.log(300)
    assert selector.path_[0].statistic == pytest.approx(expected, rel=1e-10)
    counts = gauda.Counts.from_data(X, y)
    other = ColumnSelector(gauda.CategoricalNB(), criterion="bic").fit_statistics(counts)
    assert other.path_[0].score == selector.path_[0].score


@pytest.mark.parametrize("name", [name for name in DISCRETE if name not in TEXT])
def test_bic_takes_levels_and_numbers(name):
    X, y = MODELS[name].data()
    forward = ColumnSelector(MODELS[name].make(), criterion="bic").fit(X, y)
    backward = ColumnSelector(MODELS[name].make(), "backward", "bic").fit(X, y)
    np.testing.assert_array_equal(forward.get_support(), backward.get_support())


@pytest.mark.parametrize("name", TEXT)
def test_bic_of_terms_is_refused(name):
    """Shares of terms depend on which terms there are."""
    X, y = MODELS[name].data()
    with pytest.raises(TypeError, match=r"criterion='bic' takes .* independent columns; got"):
        ColumnSelector(MODELS[name].make(), criterion="bic").fit(X, y)


def test_bic_of_pure_structures_only(iris):
    rda = gauda.RDA(covariance="tied")
    got = ColumnSelector(rda, criterion="bic").fit(*iris).path_
    expected = ColumnSelector(gauda.LDA(), criterion="bic").fit(*iris).path_
    assert [step.score for step in got] == [step.score for step in expected]
    with pytest.raises(ValueError, match="counts free parameters of pure structures"):
        ColumnSelector(gauda.RDA(alpha=0.5), criterion="bic").fit(*iris)


# As a selector of scikit-learn


@pytest.mark.parametrize(
    "selector",
    [
        ColumnSelector(gauda.LDA(), n_columns=1),
        ColumnSelector(gauda.GaussianNB(), criterion="log_loss", cv=2),
        ColumnSelector(gauda.LDA(), "backward", "bic"),
    ],
    ids=["f", "log_loss", "bic"],
)
def test_scikit_learns_checks_pass(selector):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(selector)


def test_it_stands_in_a_pipeline(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"])
    selector = ColumnSelector(gauda.LDA(), n_columns=2)
    pipeline = make_pipeline(selector, gauda.LDA()).fit(frame, y)
    assert pipeline[:-1].get_feature_names_out().tolist() == ["sw", "pl"]
    expected = gauda.LDA().fit(X[:, 1:3], y).score(X[:, 1:3], y)
    assert pipeline.score(frame, y) == expected
    table = clone(selector).set_output(transform="pandas").fit(frame, y).transform(frame)
    assert table.columns.tolist() == ["sw", "pl"]
    assert pickle.loads(pickle.dumps(pipeline)).score(frame, y) == expected  # noqa: S301 - our own
    assert cross_val_score(pipeline, frame, y, cv=3).mean() > 0.9


def test_mixed_tables_pass_through():
    X, y = MODELS["MixedNB"].data()
    selector = ColumnSelector(gauda.MixedNB(), criterion="log_loss", n_columns=2, cv=3)
    chosen = clone(selector).set_output(transform="pandas").fit(X, y).transform(X)
    assert set(chosen.columns) <= set(X.columns)
    pipeline = make_pipeline(selector.set_output(transform="pandas"), gauda.MixedNB()).fit(X, y)
    assert pipeline.score(X, y) > 0.5


@pytest.mark.parametrize("name", GAUSSIAN)
def test_a_failed_fit_changes_nothing(name):
    X, y = MODELS[name].data()
    selector = ColumnSelector(MODELS[name].make()).fit(X, y)
    path, support = selector.path_, selector.get_support()
    with pytest.raises(ValueError, match="NaN"):
        selector.fit(np.full_like(X, np.nan), y)
    assert selector.path_ is path
    np.testing.assert_array_equal(selector.get_support(), support)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_columns": 9}, "n_columns must be at most 4"),
        ({"criterion": "bic", "f_to_enter": 4.0}, "are for criterion='f'"),
        ({"f_to_enter": 3.0, "f_to_remove": 4.0}, "f_to_remove must be at most f_to_enter"),
        ({"direction": "sideways"}, "The 'direction' parameter"),
        ({"n_columns": 0}, "The 'n_columns' parameter"),
        ({"criterion": "log_loss", "cv": 1}, "The 'cv' parameter"),
    ],
)
def test_bad_parameters_are_refused(iris, parameters, message):
    with pytest.raises(ValueError, match=message):
        ColumnSelector(gauda.LDA(), **parameters).fit(*iris)


def test_weights_that_are_not_counts_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="number of equal, independent rows"):
        ColumnSelector(gauda.LDA()).fit(X, y, sample_weight=np.full(150, 0.3))


def test_results_do_not_depend_on_units_and_layout(iris):
    X, y = iris
    for criterion in ("f", "bic", "log_loss"):
        expected = ColumnSelector(gauda.QDA(), criterion=criterion).fit(X, y).path_
        for other in (X * [1e-6, 1, 1e6, 1], np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
            path = ColumnSelector(gauda.QDA(), criterion=criterion).fit(other, y).path_
            assert [step.column for step in path] == [step.column for step in expected]
            scores = [step.score for step in expected]
            assert [step.score for step in path] == pytest.approx(scores, rel=1e-7)


def test_far_classes_and_rows_are_judged():
    rng = np.random.default_rng(2)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 5)) + np.array([0, 1, 1e6])[y, np.newaxis] * [1, 0.5, 0, 0, 1e-6]
    for criterion in ("f", "bic", "log_loss"):
        selector = ColumnSelector(gauda.LDA(), criterion=criterion, n_columns=2).fit(X, y)
        assert all(np.isfinite(step.score) for step in selector.path_)
        assert selector.get_support()[:2].any()


# Picture and table


@pytest.mark.usefixtures("closed_figures")
def test_the_picture_shows_the_steps(iris):
    selector = ColumnSelector(gauda.LDA(), "stepwise").fit(*iris)
    _, ax = plt.subplots()
    display = SelectionPathDisplay.from_estimator(selector, ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["+ x2", "+ x1", "+ x3", "+ x0"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [step.score for step in selector.path_])
    assert display.figure_ is ax.figure


def test_the_table_lists_the_steps(iris):
    lines = ColumnSelector(gauda.LDA(), "stepwise").fit(*iris).path_table().splitlines()
    assert lines[0].split() == ["step", "action", "column", "F", "p", "Wilks"]
    assert lines[2].split() == ["2", "enter", "x1", "43.04", "2.03e-15", "0.03688"]


# Missing values


def with_holes(X):
    """Return rows of which some lack a value in the second column."""
    holey = X.copy()
    holey[::7, 1] = np.nan
    return holey


@pytest.mark.parametrize("criterion", ["f", "bic"])
@pytest.mark.parametrize("kind", [gauda.LDA, gauda.QDA, gauda.GaussianNB])
def test_rows_with_gaps_are_left_out_of_sums(iris, kind, criterion):
    X, y = iris
    holey = with_holes(X)
    whole = ~np.isnan(holey).any(axis=1)
    expected = ColumnSelector(kind(), criterion=criterion).fit(X[whole], y[whole])
    selector = ColumnSelector(kind(missing="drop"), criterion=criterion)
    with pytest.warns(UserWarning, match="left out 22 of 150 rows"):
        assert str(selector.fit(holey, y).path_) == str(expected.path_)
    with pytest.warns(UserWarning, match="left out 22 of 150 rows"):
        assert str(selector.fit_stream(iter([(holey, y)])).path_) == str(expected.path_)
    with pytest.raises(ValueError, match="missing='drop' leaves such rows out"):
        ColumnSelector(kind(), criterion=criterion).fit(holey, y)


def test_bic_of_naive_bayes_counts_what_each_column_has(iris):
    """What a column gains follows from its own entries, whatever the others lack."""
    X, y = iris
    holey = with_holes(X)
    model = gauda.GaussianNB(missing="marginalize")
    path = ColumnSelector(model, criterion="bic").fit(holey, y).path_
    for step in path:
        seen = ~np.isnan(holey[:, step.column])
        alone = holey[seen, step.column]
        n = len(alone)
        parts = [alone[y[seen] == label] for label in np.unique(y)]
        own = sum(len(part) * np.log(part.var()) for part in parts)
        expected = n * np.log(alone.var()) - own - 2 * (len(parts) - 1) * np.log(n)
        assert step.statistic == pytest.approx(expected, rel=1e-9)
    assert len(path) == 4


@pytest.mark.parametrize("kind", [gauda.LDA, gauda.QDA])
def test_em_is_not_of_sums(iris, kind):
    X, y = iris
    selector = ColumnSelector(kind(missing="marginalize"))
    assert selector.fit(X, y).path_ == ColumnSelector(kind()).fit(X, y).path_
    with pytest.raises(ValueError, match="missing='drop' leaves such rows out"):
        selector.fit(with_holes(X), y)
