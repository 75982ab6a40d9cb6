"""What columns add to log-ratios, against divergences, log-odds and models of fewer columns."""

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from models import DISCRETE, GAUSSIAN, LABELS, MODELS, POOLED, TEXT, first_rows, taken
from scipy.integrate import quad
from scipy.stats import norm

import gauda

FIRST, SECOND = "ant", "cicada"
CORRELATED = [name for name in GAUSSIAN if name != "GaussianNB"]


WITH_MARGINALS = [name for name in MODELS if name not in TEXT]
"""Models of which a column can be left out: terms of a text share one sum of probabilities."""

WITH_DENSITIES = [name for name in MODELS if name != "ComplementNB"]
"""Models with an expected log-ratio: weights of ComplementNB are not probabilities."""


def log_odds(model, X, i, j):
    """Return log p(i | x) - log p(j | x)."""
    log_proba = model.predict_log_proba(X)
    first, second = (model.classes_.tolist().index(label) for label in (i, j))
    return log_proba[:, first] - log_proba[:, second]


def without(X, columns):
    """Return the other columns."""
    kept = [column for column in range(X.shape[1]) if column not in columns]
    return X.iloc[:, kept] if isinstance(X, pd.DataFrame) else X[:, kept]


def row_of(X, row):
    """Return one row, flat."""
    return X.iloc[row] if isinstance(X, pd.DataFrame) else X[row]


# One row


def test_parts_of_a_row_add_up_to_its_log_odds(entry):
    X, _ = entry.data()
    model = entry.fitted()
    for row in range(20):
        found = model.explain(row_of(X, row))
        odds = log_odds(model, taken(X, [row]), found.i, found.j)[0]
        assert found.log_prior_ratio + found.contribution.sum() == pytest.approx(odds, abs=1e-12)
        assert found.log_ratio == pytest.approx(odds, abs=1e-12)


def test_a_row_is_explained_by_its_two_best_classes(entry):
    X, _ = entry.data()
    model = entry.fitted()
    found = model.explain(row_of(X, 4))
    best = np.argsort(-model.predict_proba(taken(X, [4]))[0], kind="stable")
    assert [found.i, found.j] == LABELS[best[:2]].tolist()
    other = model.explain(row_of(X, 4), classes=(SECOND, FIRST))
    assert (other.i, other.j) == (SECOND, FIRST)
    assert other.log_ratio == pytest.approx(
        log_odds(model, taken(X, [4]), SECOND, FIRST)[0], abs=1e-12
    )


@pytest.mark.parametrize("name", WITH_MARGINALS)
def test_drop_one_is_what_the_log_odds_lose(entry):
    X, _ = entry.data()
    model = entry.fitted()
    found = model.explain(row_of(X, 7), classes=(FIRST, SECOND))
    for column in range(3):
        rest = without(X, [column])
        part = model.marginal([other for other in range(3) if other != column])
        odds = log_odds(part, taken(rest, [7]), FIRST, SECOND)[0]
        assert found.drop_one[column] == pytest.approx(found.log_ratio - odds, abs=1e-10)


@pytest.mark.parametrize("name", WITH_MARGINALS)
def test_alone_is_the_log_odds_of_one_column(entry):
    X, _ = entry.data()
    model = entry.fitted()
    found = model.explain(row_of(X, 7), classes=(FIRST, SECOND))
    for column in range(3):
        rest = without(X, [other for other in range(3) if other != column])
        odds = log_odds(model.marginal([column]), taken(rest, [7]), FIRST, SECOND)[0]
        assert found.alone[column] + found.log_prior_ratio == pytest.approx(odds, abs=1e-10)


@pytest.mark.parametrize("name", CORRELATED)
def test_a_chain_is_given_the_columns_before_it(name):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted()
    found = model.explain(X[7], classes=(FIRST, SECOND))
    assert sorted(found.chain.tolist()) == [0, 1, 2]
    before = found.log_prior_ratio
    for length in (1, 2, 3):
        known = found.chain[:length].tolist()
        odds = log_odds(model.marginal(known), X[7:8, known], FIRST, SECOND)[0]
        assert found.contribution[known[-1]] == pytest.approx(odds - before, abs=1e-10)
        before = odds


@pytest.mark.parametrize("name", ["GaussianNB", *DISCRETE])
def test_independent_columns_have_their_own_parts(name):
    X, _ = MODELS[name].data()
    found = MODELS[name].fitted().explain(row_of(X, 7))
    assert found.chain is None
    np.testing.assert_array_equal(found.contribution, found.alone)
    np.testing.assert_array_equal(found.contribution, found.drop_one)


@pytest.mark.parametrize("name", [name for name in WITH_DENSITIES if name not in POOLED])
def test_priors_of_now_are_a_part_of_their_own(name):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted()
    before = model.explain(row_of(X, 7), classes=(FIRST, SECOND))
    parameter = "class_prior" if "class_prior" in model.get_params() else "priors"
    model.set_params(**{parameter: [0.7, 0.2, 0.1]})
    found = model.explain(row_of(X, 7), classes=(FIRST, SECOND))
    assert found.log_prior_ratio == pytest.approx(np.log(7))
    np.testing.assert_allclose(found.contribution, before.contribution, rtol=1e-12)


@pytest.mark.parametrize("name", ["QDA", "LDA", "RDA", "GaussianNB"])
def test_missing_values_add_nothing(name):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted(missing="marginalize")
    row = X[7].copy()
    row[1] = np.nan
    found = model.explain(row, classes=(FIRST, SECOND))
    assert found.contribution[1] == found.drop_one[1] == 0
    assert found.log_ratio == pytest.approx(
        log_odds(model, row[np.newaxis], FIRST, SECOND)[0], abs=1e-12
    )
    nothing = model.explain(np.full(3, np.nan), classes=(FIRST, SECOND))
    assert nothing.log_ratio == pytest.approx(0, abs=1e-12)


def test_missing_and_unknown_entries_of_mixed_rows_add_nothing():
    X, _ = MODELS["MixedNB"].data()
    model = MODELS["MixedNB"].fitted(handle_unknown="ignore")
    row = X.iloc[[7]].astype({"wings": object})
    row.loc[7, "weight"] = np.nan
    row.loc[7, "size"] = "enormous"
    found = model.explain(row, classes=(FIRST, SECOND))
    assert found.contribution[0] == found.contribution[1] == 0
    assert found.log_ratio == pytest.approx(log_odds(model, row, FIRST, SECOND)[0], abs=1e-12)


def test_shares_of_presence_and_sparse_rows_are_explained():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    X, y = MODELS["BernoulliNB"].data()
    model = MODELS["BernoulliNB"].fitted()
    dense = model.explain(X[7])
    sparse = model.explain(scipy_sparse.csr_matrix(X[7:8]))
    np.testing.assert_array_equal(dense.contribution, sparse.contribution)
    shares = gauda.BernoulliNB(binarize=None).fit(X, y)
    row = [[0.25, 1.0, 0.5]]
    found = shares.explain(row)
    assert found.log_ratio == pytest.approx(log_odds(shares, row, found.i, found.j)[0], abs=1e-12)
    above = gauda.BernoulliNB(binarize=2.5).fit(X * 3, y)
    np.testing.assert_allclose(above.explain(X[7] * 3).contribution, dense.contribution, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint16, bool])
def test_rows_of_any_type_are_explained(dtype):
    X, y = MODELS["QDA"].data()
    rows = (10 * np.abs(X) + np.arange(3)).astype(dtype)
    if dtype is bool:
        rows = X > 0
    for model in (gauda.LDA().fit(X, y), gauda.QDA().fit(X, y)):
        found = model.explain(rows[3], classes=(FIRST, SECOND))
        expected = log_odds(model, rows[3:4].astype(np.float64), FIRST, SECOND)[0]
        assert found.log_ratio == pytest.approx(expected, rel=1e-9)


def test_rows_far_away_keep_their_digits():
    """With a common covariance log-odds are linear, also where squares have 18 digits."""
    X, y = MODELS["LDA"].data()
    model = gauda.LDA().fit(X, y)
    far = np.array([1e9, -3e9, 2e9])
    found = model.explain(far, classes=(FIRST, SECOND))
    assert found.log_ratio == pytest.approx(model.boundary(FIRST, SECOND)([far])[0], rel=1e-12)
    assert found.contribution.sum() == pytest.approx(found.log_ratio, rel=1e-12)


def test_names_of_columns_are_told():
    X, y = MODELS["LDA"].data()
    frame = pd.DataFrame(X, columns=["length", "width", "height"])
    found = gauda.QDA().fit(frame, y).explain(frame.iloc[0])
    assert found.features == ["length", "width", "height"]
    assert "length" in str(found)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda X: X[:2], "explain takes one row; got 2"),
        (lambda X: X[:0], "0 sample"),
        (lambda X: X[0, :2], "2 features, but"),
    ],
)
def test_other_than_one_whole_row_is_refused(rows, message):
    X, _ = MODELS["QDA"].data()
    with pytest.raises(ValueError, match=message):
        MODELS["QDA"].fitted().explain(rows(X))


def test_gaps_that_the_model_refuses_are_refused():
    row = [np.nan, 1.0, 2.0]
    with pytest.raises(ValueError, match="NaN"):
        MODELS["QDA"].fitted().explain(row)
    with pytest.raises(ValueError, match="Use missing='marginalize'"):
        MODELS["QDA"].fitted(missing="propagate").explain(row)


# Rows to be expected


@pytest.mark.parametrize("name", GAUSSIAN)
def test_the_expected_log_ratio_is_the_divergence(name):
    model = MODELS[name].fitted()
    divergence = model.diagnostics().kullback_leibler
    for i, first in enumerate(LABELS):
        for j, second in enumerate(LABELS):
            if i != j:
                found = model.contrast(first, second)
                assert found.total == pytest.approx(divergence[i, j], rel=1e-10)
                assert (found.expected >= 0).all()


@pytest.mark.parametrize("name", WITH_DENSITIES)
def test_shares_add_up(entry):
    found = entry.fitted().contrast(FIRST, SECOND)
    assert found.share.sum() == pytest.approx(1)
    assert (np.diff(found.share[found.order]) <= 0).all()
    np.testing.assert_allclose(found.share, found.expected / found.total)


def test_the_expected_log_ratio_is_a_mean_over_levels():
    """Of discrete columns, the sum over levels of p_i log(p_i / p_j)."""
    model = MODELS["CategoricalNB"].fitted()
    found = model.contrast(FIRST, SECOND)
    for column, logs in enumerate(model.feature_log_prob_):
        expected = np.exp(logs[0]) @ (logs[0] - logs[2])
        assert found.expected[column] == pytest.approx(expected, rel=1e-12)


def test_the_expected_log_ratio_of_numbers_is_an_integral():
    model = MODELS["MixedNB"].fitted()
    mean, deviation = model.theta_[0], np.sqrt(model.var_[0])
    p, q = norm(mean[0], deviation[0]), norm(mean[2], deviation[2])
    expected, _ = quad(lambda x: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), -12, 12)
    assert model.contrast(FIRST, SECOND).expected[0] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("name", CORRELATED)
def test_the_chain_takes_each_time_the_column_that_adds_most(name):
    model = MODELS[name].fitted()

    def divergence(columns):
        return model.marginal(columns).diagnostics().kullback_leibler[0, 2] if columns else 0.0

    found = model.contrast(FIRST, SECOND)
    known = []
    for column in found.chain.tolist():
        rest = [other for other in range(3) if other not in known]
        gains = [divergence([*known, other]) - divergence(known) for other in rest]
        assert rest[int(np.argmax(gains))] == column
        assert found.expected[column] == pytest.approx(max(gains), abs=1e-10)
        known.append(column)
    whole = divergence([0, 1, 2])
    lost = [whole - divergence([other for other in range(3) if other != c]) for c in range(3)]
    np.testing.assert_allclose(found.drop_one, lost, atol=1e-10)
    np.testing.assert_allclose(found.alone, [divergence([c]) for c in range(3)], atol=1e-10)


def test_units_of_columns_do_not_matter_to_contrasts():
    X, y = MODELS["QDA"].data()
    units = np.array([1e-6, 1.0, 1e6])
    for kind in (gauda.QDA, gauda.LDA):
        plain, scaled = (kind().fit(rows, y).contrast(FIRST, SECOND) for rows in (X, X * units))
        np.testing.assert_allclose(scaled.expected, plain.expected, rtol=1e-8)
        np.testing.assert_array_equal(scaled.chain, plain.chain)


def test_many_correlated_columns():
    rng = np.random.default_rng(3)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 60)) @ rng.normal(size=(60, 60)) + y[:, np.newaxis]
    for kind in (gauda.QDA, gauda.LDA):
        model = kind().fit(X, y)
        found = model.contrast(1, 0)
        assert found.total == pytest.approx(model.diagnostics().kullback_leibler[1, 0], rel=1e-8)
        explained = model.explain(X[5])
        odds = log_odds(model, X[5:6], explained.i, explained.j)[0]
        assert explained.log_ratio == pytest.approx(odds, rel=1e-9)
        assert "and 40 more columns" in str(found)


@pytest.mark.parametrize("make", [gauda.LDA, gauda.QDA])
def test_chains_of_more_columns_than_are_chosen_one_by_one(make):
    rng = np.random.default_rng(4)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 120)) @ rng.normal(size=(120, 120)) + np.outer(y, np.arange(120) / 60)
    found = make(store_covariance=True).fit(X, y).contrast(0, 1)
    model = make(store_covariance=True).fit(X, y)
    own, other = [model.covariance_] * 2 if make is gauda.LDA else model.covariance_
    away = model.means_[1] - model.means_[0]
    ratio = np.linalg.solve(other, own)
    expected = np.trace(ratio) - 120 + away @ np.linalg.solve(other, away)
    expected -= np.linalg.slogdet(ratio)[1]
    assert found.total == pytest.approx(expected / 2, rel=1e-8)
    assert sorted(found.chain) == list(range(120))
    assert (found.expected >= 0).all()


def test_levels_that_a_class_never_has_tell_everything():
    model = gauda.CategoricalNB(alpha=0).fit([[0, 0], [1, 1], [2, 0], [2, 1]], [0, 0, 1, 1])
    found = model.contrast(0, 1)
    assert found.total == np.inf
    np.testing.assert_array_equal(found.share, [1, 0])
    assert "100.0%" in str(found)
    assert model.explain([2, 0]).contribution[0] == np.inf


def test_classes_that_are_the_same_are_told_so():
    model = gauda.LDA.from_parameters([[1.0, 2.0], [1.0, 2.0]], np.eye(2))
    found = model.contrast(0, 1)
    np.testing.assert_array_equal(found.share, [0, 0])
    assert "are the same to this model" in str(found)


def test_models_without_density_are_refused():
    X, y = MODELS["LDA"].data()
    twice = np.column_stack([X, X[:, 0]])
    model = gauda.LDA().fit(twice, y)
    for ask in (lambda: model.contrast(FIRST, SECOND), lambda: model.explain(twice[0])):
        with pytest.raises(np.linalg.LinAlgError, match="rank 3 in 4 columns"):
            ask()


@pytest.mark.parametrize("name", WITH_DENSITIES)
def test_classes_that_do_not_exist_are_refused(entry):
    model = entry.fitted()
    with pytest.raises(ValueError, match=r"A class must be one of .*'cicada'\]; got 'wasp'"):
        model.contrast(FIRST, "wasp")
    with pytest.raises(ValueError, match="contrast compares two classes; got 'ant' twice"):
        model.contrast(FIRST, FIRST)
    with pytest.raises(ValueError, match="explain compares two classes; got 3"):
        model.explain(row_of(entry.data()[0], 0), classes=LABELS)


def test_an_explanation_needs_two_classes():
    model = gauda.LDA().fit([[0.0], [1.0], [3.0]], [1, 1, 1])
    with pytest.raises(ValueError, match="the model has one only"):
        model.explain([1.0])


# Tables


@pytest.mark.parametrize("name", WITH_DENSITIES)
def test_tables_name_columns_and_classes(entry):
    X, _ = entry.data()
    model = entry.fitted()
    for found in (model.contrast(FIRST, SECOND), model.explain(row_of(X, 0))):
        text, frame = str(found), found.to_frame()
        assert all(feature in text for feature in found.features)
        assert frame.index.tolist() == [found.features[column] for column in found.order]
        ET.fromstring(found._repr_html_().replace("&nbsp;", " "))  # noqa: S314 - our own
        assert found.i in repr(found)


def test_summaries_show_all_models(entry):
    X, y = entry.data()
    model = entry.fitted()
    text = str(model.summary())
    assert type(model).__name__ in text.splitlines()[0]
    assert "3 classes, 3 features, 90 rows" in text
    assert "ant         30  0.3333" in text
    assert all(name in text for name in (X.columns if hasattr(X, "columns") else ["x0", "x2"]))
    ET.fromstring(model.summary()._repr_html_())  # noqa: S314 - our own
    assert repr(model.summary()).startswith("<Summary of ")
    assert model.predict(first_rows(X)).tolist() == entry.make().fit(X, y).predict(X[:5]).tolist()


def test_a_summary_is_that_of_r(iris):
    """As R's print of MASS::lda(Species ~ ., iris) shows it."""
    text = str(gauda.LDA(unbiased=True).fit(*iris).summary())
    assert "setosa          50  0.3333" in text
    assert "versicolor  5.936   2.77   4.26  1.326" in text
    for row in ("0.8294", "1.534", "2.201", "2.81", "0.0241", "2.165", "0.9319", "2.839"):
        assert row in text
    assert "0.9912  0.008787" in text


def test_long_summaries_are_cut():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 30)), np.arange(300) % 30
    text = str(gauda.LDA().fit(X, y).summary())
    assert "group means (first 20 of 30 rows, 10 of 30 columns)" in text
    codes = (X > 0).astype(int)
    assert "and 10 more columns" in str(gauda.BernoulliNB().fit(codes, y % 2).summary())


def test_summaries_of_models_without_rows_and_density():
    given = gauda.QDA.from_parameters([[0.0], [1.0]], [[[1.0]], [[2.0]]])
    assert "0 rows" in str(given.summary())
    X = [[0, 0], [1, 1], [3, 3], [5, 5]]
    assert "LD1" in str(gauda.LDA().fit(X, [0, 0, 1, 1]).summary())


@pytest.mark.parametrize("name", WITH_DENSITIES)
def test_deviations_are_called_so(name):
    """A sign that nothing explains could be an error of the mean."""
    text = str(MODELS[name].fitted().contrast(*LABELS[:2]))
    assert ("mean ± standard deviation in the class" in text) == ("±" in text)
    assert ("±" in text) == (name in [*GAUSSIAN, "MixedNB"])
