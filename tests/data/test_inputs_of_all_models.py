"""What every model takes alike: layouts, containers, kinds of labels; and what each refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from models import LABELS, MODELS, taken

N = 60


NUMERIC = [name for name, entry in MODELS.items() if isinstance(entry.data(3)[0], np.ndarray)]


def strided(X):
    wide = np.zeros((2 * len(X), 3 * X.shape[1]), X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def misaligned(X):
    raw = np.empty(X.nbytes + 1, np.uint8)
    view = raw[1:].view(X.dtype).reshape(X.shape)
    view[...] = X
    return view


def read_only(X):
    copied = X.copy()
    copied.flags.writeable = False
    return copied


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "strided": strided,
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "misaligned": misaligned,
    "read-only": read_only,
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", NUMERIC)
def test_layout_changes_no_bit(name, layout):
    entry, lay = MODELS[name], LAYOUTS[layout]
    X, y = entry.data(N)
    plain, other = entry.make().fit(X, y), entry.make().fit(lay(X), y)
    np.testing.assert_array_equal(other.predict_log_proba(X), plain.predict_log_proba(X))
    np.testing.assert_array_equal(plain.predict_log_proba(lay(X)), plain.predict_log_proba(X))
    np.testing.assert_array_equal(plain.predict(lay(X)), plain.predict(X))


CONTAINERS = {
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=["a", "b", "c"]),
    "polars": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", NUMERIC)
def test_the_container_of_the_rows_does_not_matter(name, container):
    entry, pack = MODELS[name], CONTAINERS[container]
    X, y = entry.data(N)
    model = entry.make().fit(pack(X), y)
    expected = entry.make().fit(X, y).predict_log_proba(X)
    np.testing.assert_array_equal(model.predict_log_proba(pack(X)), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float16, bool])
@pytest.mark.parametrize("name", NUMERIC)
def test_the_type_of_whole_numbers_does_not_matter(name, dtype):
    entry = MODELS[name]
    X, y = entry.data(N)
    X = (X > 0.5).astype(np.float64) if dtype is bool else np.abs(np.round(X))
    expected = entry.make().fit(X, y).predict_log_proba(X)
    found = entry.make().fit(X.astype(dtype), y).predict_log_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == np.float16 else 1e-6)


LABEL_CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "object": lambda y: y.astype(object),
    "Series": pd.Series,
    "category": lambda y: pd.Series(y, dtype="category"),
    "string": lambda y: pd.Series(y, dtype="string"),
    "polars": pl.Series,
    "Enum": lambda y: pl.Series(y, dtype=pl.Enum(list(LABELS[::-1]))),
}


@pytest.mark.parametrize("container", LABEL_CONTAINERS)
def test_the_container_of_the_labels_does_not_matter(entry, container):
    X, y = entry.data(N)
    model = entry.make().fit(X, LABEL_CONTAINERS[container](y))
    plain = entry.make().fit(X, y)
    assert list(model.classes_) == list(LABELS)
    np.testing.assert_array_equal(model.predict_log_proba(X), plain.predict_log_proba(X))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


JUNK = {
    "None": None,
    "text": "rows",
    "number": 3.0,
    "vector": np.ones(3),
    "empty": np.empty((0, 3)),
    "no columns": np.empty((4, 0)),
    "sets": np.array([[set()] * 3] * 4),
    "complex": np.ones((4, 3), complex),
    "ragged": [[1, 2, 3], [1, 2]],
    "dates": np.array([["2020-01-01"] * 3] * 4, dtype="datetime64[D]"),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_joint_log_proba", "score_samples", "classify"]
)
def test_junk_is_refused_and_the_model_stays(entry, method, junk):
    if not hasattr(entry.make(), method):
        return  # a model without densities
    X, _ = entry.data(N)
    model = entry.fitted(N)
    before = model.predict_log_proba(X)
    with pytest.raises((ValueError, TypeError)) as caught:
        getattr(model, method)(JUNK[junk])
    assert str(caught.value)
    np.testing.assert_array_equal(model.predict_log_proba(X), before)


@pytest.mark.parametrize("junk", JUNK)
def test_nothing_is_learned_from_junk(entry, junk):
    y = ["ant", "bee", "ant", "bee"]
    model = entry.make()
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit(JUNK[junk], y)
    assert str(caught.value)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("columns", [[0, 1], [0, 1, 2, 0]])
def test_another_number_of_columns_is_refused(entry, columns):
    X, _ = entry.data(N)
    other = X.iloc[:, columns] if isinstance(X, pd.DataFrame) else X[:, columns]
    with pytest.raises(ValueError, match=r"feature|column"):
        entry.fitted(N).predict(other)


@pytest.mark.parametrize("y", [["ant"] * (N - 1), [["ant", "bee"]] * N, [0.5, 1.5, 2.5] * (N // 3)])
def test_labels_that_do_not_go_with_the_rows_are_refused(entry, y):
    X, _ = entry.data(N)
    with pytest.raises(ValueError, match=r"\S"):
        entry.make().fit(X, y)


@pytest.mark.parametrize("dtype", ["datetime64[s]", "timedelta64[D]"])
def test_times_are_refused_as_weights(entry, dtype):
    X, y = entry.data(N)
    weights = np.ones(N, dtype=np.int64).astype(dtype)
    for given in (weights, pd.Series(weights.astype(dtype.replace("[D]", "[s]")))):
        with pytest.raises(TypeError, match="sample_weight must hold numbers; got times"):
            entry.make().fit(X, y, sample_weight=given)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", NUMERIC)
def test_the_first_row_that_is_not_finite_is_named(name, threads):
    entry = MODELS[name]
    X, y = entry.data(N)
    faulty = X.astype(np.float64)
    faulty[41, 0] = faulty[17, 2] = np.inf
    for call in (
        lambda: entry.make(n_threads=threads).fit(faulty, y),
        lambda: entry.fitted(N, n_threads=threads).predict(faulty),
    ):
        with pytest.raises(ValueError, match=r"17\b"):
            call()


def test_rows_one_by_one_are_rows_together(entry):
    X, _ = entry.data(N)
    model = entry.fitted(N)
    alone = [model.predict_log_proba(taken(X, slice(i, i + 1)))[0] for i in range(N)]
    np.testing.assert_array_equal(alone, model.predict_log_proba(X))
