"""Scenes: arrays of shape (..., d), pixels without data, bands that come first; of all."""

import tracemalloc

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import xarray as xr
from models import FRAMES, GAUSSIAN, LABELS, MODELS

from gauda import LDA, QDA, BernoulliNB

HEIGHT, WIDTH = 9, 10
NUMERIC = [name for name in MODELS if name not in FRAMES]
NODATA = {"BernoulliNB": 7.0, "CategoricalNB": 255.0}
OUTPUTS = ("label", "proba", "log_density", "joint", "top_k", "max_proba")
DENSITIES = {"log_density", "joint"}


def outputs_of(model):
    """Return what can be asked of a model; some have no densities."""
    if hasattr(model, "score_samples"):
        return OUTPUTS
    return tuple(output for output in OUTPUTS if output not in DENSITIES)


def scene_of(name, dtype=None):
    """Return a fitted model, rows that it takes, and these as a scene."""
    X, _ = MODELS[name].data()
    X = np.asarray(X if dtype is None else X.astype(dtype))
    return MODELS[name].fitted(), X, X.reshape(HEIGHT, WIDTH, X.shape[1])


@pytest.fixture(params=NUMERIC)
def name(request):
    return request.param


def test_a_scene_of_xarray_is_refused_with_what_to_give(name):
    model, X, scene = scene_of(name)
    raster = xr.DataArray(np.moveaxis(scene, -1, 0), dims=("band", "y", "x"))
    with pytest.raises(TypeError, match=r"transpose\(\.\.\., 'band'\)\.values") as refusal:
        model.predict(raster)
    assert "('band', 'y', 'x')" in str(refusal.value)
    found = model.predict(raster.transpose(..., "band").values)
    np.testing.assert_array_equal(found.ravel(), model.predict(X))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "score_samples", "predict_cost"])
def test_a_scene_is_answered_like_its_rows(name, method):
    model, X, scene = scene_of(name)
    if not hasattr(model, method):
        method = "predict_log_proba"  # of a model without densities
    answers, expected = getattr(model, method)(scene), getattr(model, method)(X)
    assert answers.shape == (HEIGHT, WIDTH, *expected.shape[1:])
    np.testing.assert_array_equal(answers.reshape(expected.shape), expected)


def test_mixed_columns_make_scenes_too():
    X, y = MODELS["MixedNB"].data()
    rows = np.asarray(X, dtype=object)
    model = MODELS["MixedNB"].make().fit(rows, y)
    labels = model.predict(rows.reshape(HEIGHT, WIDTH, -1))
    np.testing.assert_array_equal(labels.ravel(), model.predict(rows))


def test_classify_fills_arrays_of_the_shape_of_the_scene(name):
    model, X, scene = scene_of(name)
    outputs = outputs_of(model)
    expected = model.classify(X, outputs)
    out = {
        "label": np.empty((HEIGHT, WIDTH), LABELS.dtype),
        "proba": np.empty((HEIGHT, WIDTH, len(LABELS)), expected.proba.dtype),
    }
    answers = model.classify(scene, outputs, out=out)
    assert answers.label is out["label"]
    assert answers.proba is out["proba"]
    for output in set(outputs) - {"top_k"}:
        found = getattr(answers, output)
        np.testing.assert_array_equal(
            found.reshape(getattr(expected, output).shape), getattr(expected, output)
        )
    np.testing.assert_array_equal(answers.top_k.labels.reshape(90, 3), expected.top_k.labels)
    assert answers.max_proba.shape == (HEIGHT, WIDTH)
    with pytest.raises(ValueError, match=r"shape \(9, 10\)"):
        model.classify(scene, "label", out={"label": np.empty(90, LABELS.dtype)})


def test_pixels_without_data_get_no_answer_and_leave_the_others_alone(name):
    model, X, scene = scene_of(name, np.float64)
    nodata = NODATA.get(name, -9999.0)
    empty = np.zeros((HEIGHT, WIDTH), dtype=bool)
    empty[2:4], empty[7, 3] = True, True
    holed = scene.copy()
    holed[empty, 1] = nodata
    expected = model.predict(X).reshape(HEIGHT, WIDTH)
    np.testing.assert_array_equal(
        model.predict(holed, nodata=nodata), np.where(empty, "rejected", expected)
    )
    outputs = outputs_of(model)
    found = model.classify(holed, outputs, nodata=nodata, reject_label="none")
    np.testing.assert_array_equal(found.label, np.where(empty, "none", expected))
    methods = {"proba": "predict_proba", "joint": "predict_joint_log_proba"}
    for output, method in methods.items():
        if output not in outputs:
            continue
        scores = getattr(model, method)(scene)
        scores[empty] = np.nan
        np.testing.assert_array_equal(getattr(found, output), scores)
        np.testing.assert_array_equal(getattr(model, method)(holed, nodata=nodata), scores)
    assert np.isnan(found.max_proba[empty]).all()
    assert np.isnan(model.predict_cost(holed, nodata=nodata)[empty]).all()
    if set(outputs) >= DENSITIES:
        assert np.isnan(model.score_samples(holed, nodata=nodata)[empty]).all()
        assert not np.isnan(found.log_density[~empty]).any()


@pytest.mark.parametrize("name", NUMERIC)
def test_each_band_may_have_its_own_value(name):
    model, X, scene = scene_of(name, np.float64)
    values = np.array([41.0, 42.0, 43.0])
    holed = scene.copy()
    holed[0, 0, 0], holed[1, 1, 2] = 41.0, 43.0
    labels = model.predict(holed, nodata=values)
    expected = model.predict(X).reshape(HEIGHT, WIDTH)
    expected = expected.astype("U8")
    expected[0, 0] = expected[1, 1] = "rejected"
    np.testing.assert_array_equal(labels, expected)
    for wrong in (values[:2], [[1.0]], "none", [None, 1.0, "x"]):
        with pytest.raises(ValueError, match="nodata must be"):
            model.predict(holed, nodata=wrong)


@pytest.mark.parametrize("nodata", [np.nan, np.inf, -3.4e38, 1e300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_values_that_cannot_be_scored_may_stand_for_no_data(name, dtype, nodata):
    model, X, _ = scene_of(name, dtype)
    holed = X.copy()
    with np.errstate(over="ignore"):
        holed[::4] = nodata
    labels = model.predict(holed, nodata=nodata)
    assert (labels[::4] == "rejected").all()
    whole = np.arange(len(X)) % 4 != 0
    np.testing.assert_array_equal(labels[whole], model.predict(X[whole]))


@pytest.mark.parametrize("dtype", ["u1", "u2", "i2", "i4", "i8", "f4", "f8"])
def test_integers_of_any_type_hold_no_data_as_numpy_compares_them(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, size=(600, 4)).astype(dtype)
    y = rng.integers(0, 3, 600)
    model = QDA().fit(X, y)
    holed = X.copy()
    holed[::7, 2] = 120
    empty = (holed == 120).any(axis=1)
    expected = np.where(empty, -1, model.predict(X))
    np.testing.assert_array_equal(model.predict(holed, nodata=120), expected)
    np.testing.assert_array_equal(model.predict(X, nodata=-0.5), model.predict(X))


def test_columns_of_levels_and_of_numbers_have_values_for_no_data():
    X, y = MODELS["MixedNB"].data()
    rows = pd.DataFrame({"weight": X["weight"], "size": X["size"].str.len(), "wings": X["wings"]})
    kinds = {"size": "categorical"}
    model = MODELS["MixedNB"].make(kinds=kinds).fit(rows, y)
    holed = rows.copy()
    holed.loc[3, "size"], holed.loc[5, "weight"] = 99, 99.0
    labels = model.predict(holed, nodata=99)
    expected = model.predict(rows).astype("U8")
    expected[[3, 5]] = "rejected"
    np.testing.assert_array_equal(labels, expected)
    assert np.isnan(model.predict_proba(holed, nodata=99)[[3, 5]]).all()


def test_a_dict_of_reject_labels_names_what_has_no_data():
    model, X, _ = scene_of("LDA")
    holed = X.copy()
    holed[4] = -1e9
    labels = model.predict(
        holed,
        nodata=-1e9,
        reject=0.0,
        reject_label={"ant": "a?", "bee": "b?", "cicada": "c?", None: "-"},
    )
    assert labels[4] == "-"
    np.testing.assert_array_equal(np.delete(labels, 4), np.delete(model.predict(X), 4))


def test_distances_and_sparse_rows():
    model, X, _ = scene_of("QDA")
    holed = X.copy()
    holed[0] = 0.125
    for method in (model.mahalanobis, model.typicality):
        answers = method(holed.reshape(HEIGHT, WIDTH, 3), nodata=0.125)
        assert np.isnan(answers[0, 0]).all()
        assert np.isfinite(answers[0, 1:]).all()
    sparse = pytest.importorskip("scipy.sparse").csr_array(np.eye(3))
    model = BernoulliNB().fit(np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match="nodata must be None for sparse X"):
        model.predict(sparse, nodata=0)


def test_priors_of_each_pixel():
    model, X, scene = scene_of("LDA")
    priors = np.random.default_rng(1).dirichlet(np.ones(3), size=len(X))
    expected = model.predict_proba(X, priors=priors)
    found = model.predict_proba(scene, priors=priors.reshape(HEIGHT, WIDTH, 3))
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_bands_that_come_first_are_not_copied():
    rng = np.random.default_rng(0)
    bands = rng.integers(1, 4000, size=(8, 500, 600), dtype=np.uint16)
    bands[:, :50] = 0
    scene = np.moveaxis(bands, 0, -1)
    sample = scene.reshape(-1, 8)[30_000::40]
    model = LDA().fit(sample, rng.integers(0, 4, len(sample)))
    out = {"label": np.empty((500, 600), np.int64)}
    model.classify(scene, "label", out=out, nodata=0)
    tracemalloc.start()
    try:
        model.classify(scene, "label", out=out, nodata=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < bands.nbytes / 8
    assert (out["label"][:50] == -1).all()
    plain = np.ascontiguousarray(scene[50:]).reshape(-1, 8)
    np.testing.assert_array_equal(out["label"][50:].ravel(), model.predict(plain))


def test_no_data_in_streams(tmp_path, name):
    model, X, _ = scene_of(name, np.float64)
    holed = X.copy()
    holed[5:9] = NODATA.get(name, -9999.0)
    model.predict_stream(
        holed, tmp_path / "out.parquet", ("label", "max_proba"), nodata=NODATA.get(name, -9999.0)
    )
    table = pq.read_table(tmp_path / "out.parquet").to_pandas()
    expected = model.predict(X).astype("U8")
    expected[5:9] = "rejected"
    np.testing.assert_array_equal(table["label"], expected)
    assert table["max_proba"].isna().to_numpy().nonzero()[0].tolist() == [5, 6, 7, 8]
