"""MixedNB: the product of its parts, missing entries, kinds of columns, and what it refuses."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import naive_bayes
from sklearn.base import clone

import gauda
from gauda import BernoulliNB, CategoricalNB, GaussianNB, MixedNB

RNG = np.random.default_rng(19)
N = 400
Y = RNG.integers(0, 3, N)
SIZE = RNG.normal(size=N) + Y
AGE = RNG.poisson(30 + 5 * Y)
MALE = RNG.random(N) < 0.3 + 0.2 * Y
COLOR = RNG.choice(["red", "green", "blue"], N)
TASTE = np.array(["sweet", "sour", "salt"])[(Y + RNG.integers(0, 2, N)) % 3]
PANDAS = pd.DataFrame(
    {"size": SIZE, "age": AGE, "male": MALE, "color": COLOR, "taste": pd.Categorical(TASTE)}
)
POLARS = pl.DataFrame(
    {"size": SIZE, "age": AGE, "male": MALE, "color": COLOR, "taste": TASTE},
    schema_overrides={"taste": pl.Categorical, "color": pl.Enum(["red", "green", "blue"])},
)
OBJECTS = np.column_stack([a.astype(object) for a in (SIZE, AGE, MALE, COLOR, TASTE)])
TABLES = {"pandas": PANDAS, "polars": POLARS, "objects": OBJECTS, "lists": OBJECTS.tolist()}
KINDS = ["gaussian", "gaussian", "bernoulli", "categorical", "categorical"]
NUMBERS = np.column_stack([SIZE, AGE])
LEVELS = np.column_stack([np.unique(a, return_inverse=True)[1] for a in (COLOR, TASTE)])
WEIGHTS = RNG.exponential(size=N)


def product(weights=None, alpha=1.0, *, theirs=False):
    """Give log p(x, k) as the product of three models, each of which counts the prior once."""
    library = naive_bayes if theirs else gauda
    parts = [
        (library.GaussianNB(), NUMBERS),
        (library.BernoulliNB(alpha=alpha), MALE[:, np.newaxis]),
        (library.CategoricalNB(alpha=alpha), LEVELS),
    ]
    joints = [model.fit(X, Y, weights).predict_joint_log_proba(X) for model, X in parts]
    return sum(joints) - 2 * np.log(parts[0][0].class_prior_)


@pytest.mark.parametrize("alpha", [1.0, 0.2])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("table", TABLES)
def test_it_is_the_product_of_its_parts(table, weights, alpha):
    nb = MixedNB(alpha=alpha).fit(TABLES[table], Y, sample_weight=weights)
    assert nb.kinds_ == KINDS
    joint = nb.predict_joint_log_proba(TABLES[table])
    assert_allclose(joint, product(weights, alpha, theirs=True), rtol=1e-11)
    assert_allclose(joint, product(weights, alpha), rtol=1e-11)


def test_posteriors_and_labels_follow_from_joint_probabilities():
    nb = MixedNB().fit(PANDAS, Y)
    joint = product()
    density = np.logaddexp.reduce(joint, axis=1)
    assert_allclose(nb.predict_log_proba(PANDAS), joint - density[:, np.newaxis], atol=1e-11)
    assert_allclose(nb.predict_proba(PANDAS), np.exp(joint - density[:, np.newaxis]), rtol=1e-10)
    assert_allclose(nb.score_samples(PANDAS), density, rtol=1e-11)
    assert_array_equal(nb.predict(PANDAS), joint.argmax(axis=1))


@pytest.mark.parametrize("kind", ["gaussian", "bernoulli", "categorical"])
def test_columns_of_one_kind_give_the_model_of_that_kind(kind):
    X = {"gaussian": NUMBERS, "bernoulli": LEVELS > 1, "categorical": LEVELS}[kind]
    alone = {"gaussian": GaussianNB, "bernoulli": BernoulliNB, "categorical": CategoricalNB}[kind]
    nb = MixedNB(kinds=[kind, kind]).fit(X, Y)
    assert_allclose(nb.predict_log_proba(X), alone().fit(X, Y).predict_log_proba(X), atol=1e-11)


# Missing entries


def with_gaps(share=0.2):
    """Give a table of pandas with missing entries in every column, and where they are."""
    gaps = RNG.random((N, 5)) < share
    return PANDAS.astype({"color": object, "male": object, "age": float}).mask(gaps, None), gaps


def test_missing_entries_are_left_out_column_by_column():
    frame, gaps = with_gaps()
    nb = MixedNB(kinds=KINDS).fit(frame, Y)
    joint = np.tile(np.log(np.bincount(Y) / N), (N, 1))
    epsilon = 1e-9 * max(np.nanvar(frame["size"].astype(float)), np.nanvar(frame["age"]))
    for j, name in enumerate(["size", "age"]):
        seen = ~gaps[:, j]
        x = NUMBERS[:, j]
        mean = np.array([x[seen & (k == Y)].mean() for k in range(3)])
        var = np.array([x[seen & (k == Y)].var() for k in range(3)]) + epsilon
        log_density = -0.5 * (x[:, None] - mean) ** 2 / var - 0.5 * np.log(2 * np.pi * var)
        joint += np.where(seen[:, None], log_density, 0)
        assert_allclose(nb.theta_[j], mean, err_msg=name)
    for j, column in ((2, MALE), (3, COLOR), (4, TASTE)):
        seen = ~gaps[:, j]
        model = CategoricalNB()
        codes = np.unique(column, return_inverse=True)[1][:, np.newaxis]
        table = model.fit(codes[seen], Y[seen]).feature_log_prob_[0]
        joint += np.where(seen[:, None], table.T[codes[:, 0]], 0)
    assert_allclose(nb.predict_joint_log_proba(frame), joint, rtol=1e-11)


def test_libraries_agree_on_what_is_missing():
    frame, _ = with_gaps()
    table = pl.from_pandas(
        frame.astype({"taste": "string", "male": "boolean", "size": float, "age": "Int64"})
    )
    nullable = frame.astype({"male": "boolean", "age": "Int64", "size": "Float64"})
    answers = [
        MixedNB().fit(X, Y).predict_proba(X)
        for X in (nullable, table, frame.astype(object).to_numpy())
    ]
    assert_allclose(answers[1], answers[0], rtol=1e-13)
    assert_allclose(answers[2], answers[0], rtol=1e-13)


def test_marks_of_pandas_among_objects_are_missing():
    marked = np.array([[1.0], [3.0], [pd.NA], [5.0], [pd.NaT], [8.0]], dtype=object)
    plain = np.array([[1.0], [3.0], [np.nan], [5.0], [np.nan], [8.0]])
    y = [0, 0, 0, 1, 1, 1]
    nb = MixedNB().fit(marked, y)
    assert nb.kinds_ == ["gaussian"]
    assert_array_equal(nb.predict_proba(marked), MixedNB().fit(plain, y).predict_proba(plain))


def test_columns_without_names_are_named_by_their_index():
    X = [["a", 1.0], ["a", np.inf], ["b", 2.0]]
    with pytest.raises(ValueError, match="infinity at row 1, column 1\\. MixedNB"):
        MixedNB().fit(X, [0, 0, 1])


def test_a_row_of_nothing_has_the_priors():
    nb = MixedNB(priors=[0.5, 0.3, 0.2]).fit(PANDAS, Y)
    nothing = pd.DataFrame([[np.nan, np.nan, None, None, None]], columns=PANDAS.columns)
    assert_allclose(nb.predict_proba(nothing), [[0.5, 0.3, 0.2]])
    assert_allclose(nb.score_samples(nothing), [0.0], atol=1e-15)


def test_a_number_never_seen_in_a_class_is_named():
    frame = PANDAS.assign(size=np.where(Y == 1, np.nan, SIZE))
    with pytest.raises(ValueError, match="Column 'size' is missing in all rows of class 1"):
        MixedNB().fit(frame, Y)


# Kinds


def test_levels_are_those_observed():
    frame = PANDAS.assign(taste=pd.Categorical(TASTE, categories=["bitter", *np.unique(TASTE)]))
    assert MixedNB().fit(frame, Y).categories_[4] == ["salt", "sour", "sweet"]


@pytest.mark.parametrize("kinds", [{1: "categorical"}, {"age": "categorical"}])
def test_a_dict_gives_kinds_of_some_columns(kinds):
    nb = MixedNB(kinds=kinds).fit(PANDAS, Y)
    assert nb.kinds_ == ["gaussian", "categorical", *KINDS[2:]]
    assert nb.categories_[1] == sorted(set(AGE.tolist()))


OBJECT_COLUMNS = {
    "numbers": ([1.5, 2, np.float32(4), None], "gaussian"),
    "whole numbers": ([1, 2, 4, 9], "gaussian"),
    "numbers and truth": ([1, True, 4, 9], "gaussian"),
    "truth": ([True, None, np.False_, True], "bernoulli"),
    "truth and NaN": ([True, np.nan, False, True], "bernoulli"),
    "text": (["a", "b", None, "a"], "categorical"),
    "text and numbers": (["a", 1, 2.5, np.nan], "categorical"),
    "nothing": ([None, np.nan, None, None], "categorical"),
}


@pytest.mark.parametrize(("entries", "kind"), OBJECT_COLUMNS.values(), ids=OBJECT_COLUMNS)
def test_objects_have_one_kind_whatever_holds_them(entries, kind):
    column = np.empty(4, dtype=object)
    column[:] = entries
    tables = [
        np.column_stack([np.array([1.0, 2.0, 3.0, 5.0], dtype=object), column]),
        pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": pd.Series(column, dtype=object)}),
        pl.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": pl.Series(column.tolist(), dtype=pl.Object)}),
        [[a, b] for a, b in zip([1.0, 2.0, 3.0, 5.0], column.tolist(), strict=True)],
    ]
    if kind != "categorical":  # lists of numbers alone are an array of numbers
        tables.pop()
    answers = []
    for X in tables:
        nb = MixedNB().fit(X, [0, 0, 1, 1])
        assert nb.kinds_ == ["gaussian", kind]
        answers.append(nb.predict_proba(X))
    for answer in answers[1:]:
        assert_array_equal(answer, answers[0])


def test_truth_may_be_0_and_1():
    frame = PANDAS.assign(male=MALE.astype(float))
    nb = MixedNB(kinds={"male": "bernoulli"}).fit(frame, Y)
    assert_allclose(nb.predict_joint_log_proba(frame), product(), rtol=1e-11)


def test_unknown_levels_are_refused_or_left_out():
    frame = PANDAS.assign(color="mauve")
    with pytest.raises(IndexError, match="'mauve' at row 0, column 'color'"):
        MixedNB().fit(PANDAS, Y).predict(frame)
    ignoring = MixedNB(handle_unknown="ignore").fit(PANDAS, Y)
    none = PANDAS.assign(color=None)
    assert_array_equal(ignoring.predict_proba(frame), ignoring.predict_proba(none))


# Batches, copies, threads


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
def test_batches_give_the_model_of_all_rows(weights):
    frame, _ = with_gaps()
    nb, order = MixedNB(kinds=KINDS), np.argsort(COLOR, kind="stable")
    for rows in np.array_split(order, 5):  # the first have not met all colors
        part = None if weights is None else weights[rows]
        nb.partial_fit(frame.iloc[rows], Y[rows], classes=[0, 1, 2], sample_weight=part)
    whole = MixedNB(kinds=KINDS).fit(frame, Y, weights)
    assert nb.categories_ == whole.categories_
    assert_allclose(nb.predict_log_proba(frame), whole.predict_log_proba(frame), atol=1e-11)


@pytest.mark.parametrize("kinds", ["auto", KINDS, {1: "categorical"}], ids=str)
def test_a_copy_answers_as_before(kinds, tmp_path):
    nb = MixedNB(kinds=kinds, alpha=0.5).fit(PANDAS, Y)
    nb.save(tmp_path / "nb")
    loaded = gauda.load(tmp_path / "nb")
    assert loaded.get_params() == nb.get_params()
    for copy in (pickle.loads(pickle.dumps(nb)), loaded, clone(nb).fit(PANDAS, Y)):  # noqa: S301
        assert_array_equal(copy.predict_log_proba(PANDAS), nb.predict_log_proba(PANDAS))
    assert loaded.partial_fit(PANDAS, Y).class_count_.sum() == 2 * N


def test_bits_do_not_depend_on_threads():
    frame = pd.concat([with_gaps()[0]] * 400)
    y = np.tile(Y, 400)
    w = RNG.exponential(size=len(y))
    one, two, three = (
        MixedNB(kinds=KINDS, n_threads=t).fit(frame, y, w).predict_log_proba(frame)
        for t in (1, 2, 3)
    )
    assert_array_equal(two, one)
    assert_array_equal(three, one)


def test_numbers_far_from_0_keep_their_digits():
    x = 1e9 + RNG.normal(size=(N, 1))
    shifted = x - 1e9  # which is exact
    nb = MixedNB(var_smoothing=0).fit(x, Y)
    exact = GaussianNB(var_smoothing=0).fit(shifted, Y)
    assert_allclose(nb.var_[0], exact.var_[:, 0], rtol=1e-12)


# What is refused


OF_A_KIND = "Column 'age' must be of a known kind"


@pytest.mark.parametrize(
    ("params", "frame", "message"),
    [
        ({"kinds": ["gaussian"]}, PANDAS, "an entry for each of the 5 columns; got 1"),
        ({"kinds": {"weight": "gaussian"}}, PANDAS, "'weight', which is not a column"),
        ({"kinds": {"age": "poisson"}}, PANDAS, f"{OF_A_KIND}; got 'poisson'"),
        ({"kinds": {"color": "gaussian"}}, PANDAS, "Column 'color' must be numeric"),
        ({"kinds": {"age": "bernoulli"}}, PANDAS, "Column 'age' of kind 'bernoulli' holds"),
        ({"alpha": -1}, PANDAS, "alpha"),
        ({"priors": [0.5, 0.5]}, PANDAS, "Number of priors must match number of classes"),
        ({"priors": [0.5, 0.5, 0.5]}, PANDAS, "non-negative and sum to 1"),
        ({"var_smoothing": 0}, PANDAS.assign(age=1), "no variance in column 'age'"),
        ({}, PANDAS.assign(age=np.inf), "contains infinity at row 0, column 'age'"),
        ({}, PANDAS.assign(age=pd.Timestamp(0)), f"{OF_A_KIND}; its type, datetime64"),
        ({}, POLARS.with_columns(age=pl.lit(b"x")), f"{OF_A_KIND}; its type, Binary"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_changed(params, frame, message):
    nb = MixedNB().fit(PANDAS, Y)
    before = nb.predict_proba(PANDAS)
    defaults = nb.get_params()
    with pytest.raises(ValueError, match=message):
        nb.set_params(**params).fit(frame, Y)
    assert_array_equal(nb.set_params(**defaults).predict_proba(PANDAS), before)


def test_nulls_in_dictionaries_of_arrow_are_missing():
    frame = pd.DataFrame({"level": pd.Categorical(["m", "f", None, "m", "f", "m"])})
    y = [0, 1, 0, 1, 0, 1]
    table = pa.Table.from_pandas(frame)
    from_arrow, from_pandas = MixedNB().fit(table, y), MixedNB().fit(frame, y)
    assert from_arrow.categories_ == {0: ["f", "m"]}
    assert_array_equal(from_arrow.predict_proba(table), from_pandas.predict_proba(frame))


@pytest.mark.parametrize("estimator", [GaussianNB, MixedNB])
@pytest.mark.parametrize(
    ("size", "weight", "var_smoothing", "match"),
    [
        (1e200, 1e-300, 0.0, "squares overflow"),
        (1e153, 1.0, 1e10, "var_smoothing=.* too large"),
        (1e150, 1.0, 1e300, "var_smoothing=.* too large"),
    ],
)
def test_variances_that_overflow_are_refused(estimator, size, weight, var_smoothing, match):
    """Sums of squares are finite here: it is the division, or the product, that is not."""
    X = np.array([[size], [-size], [size], [-size]])
    with pytest.raises(ValueError, match=match):
        estimator(var_smoothing=var_smoothing).fit(X, [0, 0, 1, 1], np.full(4, weight))


def test_a_column_of_identifiers_is_advised_against():
    nb = MixedNB().fit([[1.0, "p1"], [2.0, "p2"], [5.0, "p3"], [7.0, "p4"]], ["a", "a", "b", "b"])
    with pytest.raises(
        gauda.UnknownCategoryError, match="fit without the column if it tells rows apart"
    ):
        nb.predict([[1.5, "p5"]])


def test_a_column_with_a_category_for_each_row_is_warned_of():
    frame = pd.DataFrame({"size": np.arange(40.0) % 7, "id": [f"p{row}" for row in range(40)]})
    y = np.arange(40) % 2
    with pytest.warns(UserWarning, match="Column 'id' has another category in each of the 40 rows"):
        MixedNB().fit(frame, y)
    with pytest.warns(UserWarning, match="Column 'id' has another category in each of the 40 rows"):
        MixedNB().fit_stream(frame.assign(y=y), target="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MixedNB().fit(frame.assign(id=[f"p{row // 2}" for row in range(40)]), y)
