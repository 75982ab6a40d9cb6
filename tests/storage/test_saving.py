"""Saved estimators and moments: what is loaded is the same to the bit, and goes on learning."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from models import GAUSSIAN, STEPWISE
from sklearn.covariance import OAS
from sklearn.exceptions import NotFittedError
from support import MODELS, answers, fitted, ours

import gauda
from gauda._storage import format as _files

LDA, QDA, NB = MODELS
CODES = np.arange(180) % 3
X = np.random.default_rng(21).normal(size=(180, 4)) @ np.diag([1, 2, 3, 4]) + np.eye(3, 4)[CODES]
SPECIES = np.array(["setosa", "versicolor", "virginica"])
WEIGHTS = np.random.default_rng(22).uniform(0.5, 2, 180)

ESTIMATORS = {
    "LDA": lambda: ours(LDA),
    "LDA, stored": lambda: ours(LDA, store_covariance=True, n_components=1, tol=1e-3),
    "LDA, lsqr": lambda: ours(LDA, solver="lsqr", shrinkage=0.3, unbiased=True),
    "LDA, eigen": lambda: ours(LDA, solver="eigen", shrinkage="auto"),
    "LDA, priors": lambda: ours(LDA, solver="lsqr", priors=np.array([0.2, 0.3, 0.5])),
    "QDA": lambda: ours(QDA),
    "QDA, stored": lambda: ours(QDA, store_covariance=True, reg_param=0.1, unbiased=True),
    "QDA, eigen": lambda: ours(QDA, solver="eigen", shrinkage="auto"),
    "QDA, shrunk": lambda: ours(QDA, solver="eigen", shrinkage=np.float32(0.25)),
    "QDA, prior": lambda: ours(
        QDA, conjugate_prior=gauda.NormalInverseWishart([0, 1, 2, 3], 0.5, np.eye(4, dtype="f4"), 6)
    ),
    "LDA, empirical": lambda: ours(LDA, conjugate_prior="empirical"),
    "LDA, costs": lambda: ours(LDA, cost=np.ones((3, 4)) - np.eye(3, 4)),
    "QDA, rejecting": lambda: ours(QDA, reject={"posterior": 0.9, "typicality": 0.01}),
    "NB": lambda: ours(NB),
    "NB, priors": lambda: ours(NB, priors=[0.5, 0.25, 0.25], var_smoothing=0.01, n_threads=2),
}
LABELS = {
    "numbers": np.array([3, 5, 7]),
    "small numbers": np.array([3, 5, 7], dtype="i1"),
    "floats": np.array([1.0, 2.0, 3.0]),
    "text": SPECIES,
    "wide text": SPECIES.astype("U40"),
    "objects": SPECIES.astype(object),
    "days": np.array(["2020-01-01", "2020-02-29", "2021-01-01"], dtype="M8[D]"),
}


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    return ESTIMATORS[request.param]()


@pytest.fixture(params=GAUSSIAN)
def name(request):
    return request.param


def trip(saved, folder):
    saved.save(folder / "trip.gauda")
    return gauda.load(folder / "trip.gauda")


def assert_same_model(got, expected, rows=X):
    assert type(got) is type(expected)
    np.testing.assert_equal(parameters(got), parameters(expected))
    np.testing.assert_equal(fitted_values(got), fitted_values(expected))
    np.testing.assert_equal(answers(got, rows), answers(expected, rows))
    assert got.predict(rows).dtype == expected.predict(rows).dtype


def parameters(model):
    """Return the parameters; priors are compared by their fields."""
    return {
        name: vars(value) if isinstance(value, gauda.NormalInverseWishart) else value
        for name, value in model.get_params().items()
    }


def fitted_values(model):
    values = fitted(model)
    moments = values.pop("moments_", None)
    if "best_estimator_" in values:
        values |= {"best_estimator_": fitted_values(values["best_estimator_"])}
    return values | {"moments": None if moments is None else moments_values(moments)}


def moments_values(moments):
    names = ["structure", "classes", "counts", "n_rows", "means", "scatter", "feature_names"]
    return {name: getattr(moments, name) for name in names}


def assert_same_moments(got, expected):
    np.testing.assert_equal(moments_values(got), moments_values(expected))
    assert got.classes.dtype == expected.classes.dtype
    assert got.means.dtype == expected.means.dtype
    assert pickle.dumps(got) == pickle.dumps(expected)


# Estimators


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_loaded_estimator_is_the_saved_one(tmp_path, estimator, dtype):
    rows = X.astype(dtype)
    estimator.fit(rows, SPECIES[CODES], sample_weight=WEIGHTS)
    assert_same_model(trip(estimator, tmp_path), estimator, rows)


@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_every_type_come_back(tmp_path, name, labels):
    classes = LABELS[labels]
    model = ours(name).fit(X, classes[CODES])
    loaded = trip(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.classes_, classes)
    assert_same_model(loaded, model)


def test_boolean_labels_come_back(tmp_path, name):
    model = ours(name).fit(X, CODES == 1)
    assert_same_model(trip(model, tmp_path), model)


def test_names_of_columns_come_back(tmp_path, name):
    frame = pd.DataFrame(X, columns=["länge", "b", "c d", "日本"])
    model = ours(name).fit(frame, CODES)
    loaded = trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.feature_names_in_, list(frame.columns))
    assert_same_model(loaded, model, frame)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["b", "c d", "日本", "länge"]])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", [name for name in GAUSSIAN if name in STEPWISE])
def test_loaded_estimator_goes_on_learning_to_the_same_bits(tmp_path, name, dtype):
    rows = X.astype(dtype)
    stayed = ours(name).partial_fit(rows[:100], CODES[:100], [0, 1, 2], WEIGHTS[:100])
    loaded = trip(stayed, tmp_path)
    stayed.partial_fit(rows[100:], CODES[100:], sample_weight=WEIGHTS[100:])
    loaded.partial_fit(rows[100:], CODES[100:], sample_weight=WEIGHTS[100:])
    assert_same_model(loaded, stayed, rows)


@pytest.mark.parametrize("name", [name for name in GAUSSIAN if name in STEPWISE])
def test_estimator_that_still_waits_for_rows_can_be_saved(tmp_path, name):
    stayed = ours(name).partial_fit(X[:1], CODES[:1], classes=[0, 1, 2])
    loaded = trip(stayed, tmp_path)
    stayed.partial_fit(X[1:], CODES[1:])
    loaded.partial_fit(X[1:], CODES[1:])
    assert_same_model(loaded, stayed)


def test_loaded_estimator_can_be_fitted_again(tmp_path, estimator):
    loaded = trip(estimator.fit(X, CODES), tmp_path).fit(-X, SPECIES[CODES])
    assert_same_model(loaded, estimator.fit(-X, SPECIES[CODES]))


@pytest.mark.parametrize(
    ("name", "covariances"),
    [(LDA, np.eye(2)), (QDA, [np.eye(2), 2 * np.eye(2)]), (NB, [[1, 1], [2, 2]])],
)
def test_model_of_given_parameters_comes_back(tmp_path, name, covariances):
    kind = type(ours(name))
    model = kind.from_parameters([[0, 0], [3, 1]], covariances, [0.25, 0.75], ["a", "b"])
    assert_same_model(trip(model, tmp_path), model, X[:, :2])


def test_saving_changes_nothing(tmp_path, estimator):
    before = pickle.dumps(estimator.fit(X, CODES))
    estimator.save(tmp_path / "model.gauda")
    assert pickle.dumps(estimator) == before


def test_loaded_estimator_saves_to_the_same_bytes(tmp_path, estimator):
    estimator.fit(X, CODES).save(tmp_path / "first.gauda")
    gauda.load(tmp_path / "first.gauda").save(tmp_path / "second.gauda")
    assert (tmp_path / "first.gauda").read_bytes() == (tmp_path / "second.gauda").read_bytes()


def test_estimator_that_is_not_fitted_is_not_saved(tmp_path, name):
    with pytest.raises(NotFittedError):
        ours(name).save(tmp_path / "model.gauda")
    assert list(tmp_path.iterdir()) == []


def test_class_made_of_an_estimator_is_saved_as_itself(tmp_path):
    class Special(gauda.GaussianNB):
        pass

    Special().fit(X, CODES).save(tmp_path / "model.gauda")
    assert type(gauda.load(tmp_path / "model.gauda")) is Special


def test_class_that_was_not_imported_is_asked_for(tmp_path):
    gauda.GaussianNB().fit(X, CODES).save(tmp_path / "model.gauda")
    content = _files.read(tmp_path / "model.gauda")
    _files.write(tmp_path / "other.gauda", "their.module.Special", content.arrays, content.metadata)
    with pytest.raises(ValueError, match=r"Import the module that defines this class first"):
        gauda.load(tmp_path / "other.gauda")


@pytest.mark.parametrize(
    ("model", "solver"), [(LDA, "lsqr"), (LDA, "eigen"), (QDA, "eigen")], ids=str
)
def test_covariance_estimator_is_not_kept_but_its_covariances_are(tmp_path, model, solver):
    estimator = ours(model, solver=solver, covariance_estimator=OAS()).fit(X, CODES)
    estimator.save(tmp_path / "model.gauda")
    with pytest.warns(UserWarning, match="covariance_estimator of this .* was not saved"):
        loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.covariance_estimator is None
    np.testing.assert_equal(answers(loaded, X), answers(estimator, X))
    np.testing.assert_equal(fitted_values(loaded), fitted_values(estimator))


# Moments


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("labels", LABELS)
def test_loaded_moments_are_the_saved_ones(tmp_path, structure, dtype, labels):
    moments = gauda.Moments.from_data(
        X.astype(dtype), LABELS[labels][CODES], sample_weight=WEIGHTS, structure=structure
    )
    assert_same_moments(trip(moments, tmp_path), moments)


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_empty_moments_come_back(tmp_path, structure):
    empty = gauda.Moments.from_data(np.empty((0, 4)), np.empty(0, int), structure=structure)
    assert_same_moments(trip(empty, tmp_path), empty)


def test_moments_keep_the_names_of_columns(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    moments = gauda.Moments.from_data(frame, CODES)
    assert_same_moments(trip(moments, tmp_path), moments)


def test_loaded_moments_add_up_to_the_same_bits(tmp_path):
    first = gauda.Moments.from_data(X[:70] + 1e8, CODES[:70])
    second = gauda.Moments.from_data(X[70:] + 1e8, CODES[70:])
    assert_same_moments(trip(first, tmp_path) + trip(second, tmp_path), first + second)


# Files that are not to be trusted


@pytest.fixture
def saved(tmp_path):
    """Give the content of a small model's file."""
    ours(QDA).fit(X[:30, :2], SPECIES[CODES[:30]]).save(tmp_path / "model.gauda")
    return _files.read(tmp_path / "model.gauda")


def write_and_load(path, content, **changes):
    parts = {"arrays": content.arrays, "metadata": content.metadata, "kind": content.kind} | changes
    _files.write(path, parts["kind"], parts["arrays"], parts["metadata"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gauda.load(path)


def test_file_without_one_of_its_parts_is_refused(tmp_path, saved):
    path = tmp_path / "part.gauda"
    for name in saved.arrays:
        if name == "feature_names":
            continue
        arrays = {other: array for other, array in saved.arrays.items() if other != name}
        with pytest.raises(ValueError, match=r"part\.gauda is damaged"):
            write_and_load(path, saved, arrays=arrays)
    for name in saved.metadata:
        metadata = {other: value for other, value in saved.metadata.items() if other != name}
        with pytest.raises(ValueError, match=r"part\.gauda is damaged"):
            write_and_load(path, saved, metadata=metadata)


@pytest.mark.parametrize(
    "change",
    [lambda a: a[:-1], lambda a: a[np.newaxis], lambda a: a.astype(object), np.ravel],
    ids=["shorter", "one more axis", "objects", "flat"],
)
def test_file_with_a_part_of_the_wrong_shape_is_refused_or_means_the_same(tmp_path, saved, change):
    path = tmp_path / "part.gauda"
    model = write_and_load(path, saved)
    for name, array in saved.arrays.items():
        try:
            changed = write_and_load(path, saved, arrays=saved.arrays | {name: change(array)})
        except ValueError as error:
            assert "part.gauda" in str(error)  # noqa: PT017 - the other outcome is right too
        else:
            np.testing.assert_equal(answers(changed, X[:, :2]), answers(model, X[:, :2]))


def test_kind_that_is_not_known_asks_for_an_upgrade(tmp_path, saved):
    with pytest.raises(ValueError, match=r"holds a MixtureModel by gauda .* Upgrade gauda"):
        write_and_load(tmp_path / "kind.gauda", saved, kind="MixtureModel")


def test_file_of_another_kind_is_refused(tmp_path, saved):
    with pytest.raises(ValueError, match=r"kind\.gauda is damaged"):
        write_and_load(tmp_path / "kind.gauda", saved, kind="Moments")


def test_every_changed_byte_and_every_cut_of_a_model_is_noticed(tmp_path):
    path = tmp_path / "model.gauda"
    ours(NB).fit([[0.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"]).save(path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        altered = bytearray(whole)
        altered[place] ^= 1 << place % 8
        for content in [altered, whole[:place]]:
            path.write_bytes(content)
            with pytest.raises(ValueError, match=r"model\.gauda"):
                gauda.load(path)


def test_header_is_json_that_people_can_read(tmp_path):
    ours(QDA, reg_param=0.5).fit(X, CODES).save(tmp_path / "model.gauda")
    content = (tmp_path / "model.gauda").read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    document = json.loads(header["__metadata__"]["gauda"])
    assert document["kind"] == QDA
    assert document["version"] == gauda.__version__
    assert document["metadata"]["parameters"]["reg_param"] == 0.5
