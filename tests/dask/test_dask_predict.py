"""Answers about collections of Dask against those of the methods, over all models; rasters."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dask_data import as_array, as_frame, with_empty_partitions
from models import FRAMES, GAUSSIAN, MODELS

import gauda
import gauda.dask

ARRAYS = [name for name in MODELS if name not in FRAMES]
METHODS = ["predict", "predict_proba", "predict_log_proba", "score_samples"]


def answering(names):
    """Return the models of these names, each with the methods that it has."""
    return [(name, own) for name in names for own in METHODS if hasattr(MODELS[name].make(), own)]


@pytest.mark.parametrize(("name", "method"), answering(ARRAYS))
def test_arrays_have_the_answers_of_the_method(name, method):
    model, (X, _) = MODELS[name].fitted(), MODELS[name].data(200, seed=1)
    rows = as_array(X)
    lazy = getattr(gauda.dask, method)(model, rows)
    assert lazy.chunks[0] == rows.chunks[0]
    found = lazy.compute()
    np.testing.assert_array_equal(found, getattr(model, method)(X))
    assert (lazy.shape, lazy.dtype) == (found.shape, found.dtype)


@pytest.mark.parametrize(("name", "method"), answering(MODELS))
def test_frames_have_the_answers_of_the_method(name, method):
    X, y = MODELS[name].data(200, seed=1)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    model = MODELS[name].make().fit(rows, y)
    frame = with_empty_partitions(as_frame(X, y))
    lazy = getattr(gauda.dask, method)(model, frame)
    found = lazy.compute()
    expected = getattr(model, method)(rows)
    np.testing.assert_array_equal(found.to_numpy(), expected)
    np.testing.assert_array_equal(found.index, frame.index.compute())
    types = (lazy.dtype, found.dtype) if found.ndim == 1 else (lazy.dtypes, found.dtypes)
    assert np.all(types[0] == types[1])
    if found.ndim > 1:
        assert found.columns.tolist() == model.classes_.tolist()


def test_frames_keep_their_divisions():
    X, y = MODELS["QDA"].data(200)
    frame = as_frame(X, y)
    model = gauda.dask.fit(gauda.QDA(), frame, "species")
    assert frame.known_divisions
    assert gauda.dask.predict(model, frame).divisions == frame.divisions
    joined = frame.assign(label=gauda.dask.predict(model, frame)).compute()
    np.testing.assert_array_equal(joined["label"], model.predict(joined[list("abc")]))


@pytest.mark.parametrize("name", GAUSSIAN)
def test_distances_are_those_of_the_method(name):
    model, (X, _) = MODELS[name].fitted(), MODELS[name].data(100, seed=1)
    found = gauda.dask.mahalanobis(model, as_array(X)).compute()
    np.testing.assert_array_equal(found, model.mahalanobis(X))


@pytest.mark.parametrize("name", ARRAYS)
def test_several_answers_come_of_one_pass(name, monkeypatch):
    model, (X, _) = MODELS[name].fitted(), MODELS[name].data(100, seed=1)
    densities = ("log_density",) * hasattr(model, "score_samples")
    outputs = ("label", "proba", "max_proba", "cost", *densities)
    lazy = gauda.dask.classify(model, da.from_array(X, chunks=(25, 3)), outputs)
    passes = []
    classify = type(model).classify
    monkeypatch.setattr(
        type(model), "classify", lambda *args, **kw: passes.append(1) or classify(*args, **kw)
    )
    found = dask.compute(*(getattr(lazy, output) for output in outputs), scheduler="sync")
    assert len(passes) == 4
    expected = classify(model, X, outputs)
    for output, values in zip(outputs, found, strict=True):
        np.testing.assert_array_equal(values, getattr(expected, output))


def test_classify_names_the_columns_of_frames():
    X, y = MODELS["MixedNB"].data(100)
    model = gauda.MixedNB().fit(X, y)
    found = gauda.dask.classify(model, as_frame(X, y), ("label", "proba", "max_proba")).compute()
    names = ["label", "proba_ant", "proba_bee", "proba_cicada", "max_proba"]
    assert found.columns.tolist() == names
    np.testing.assert_array_equal(found[names[1:4]], model.predict_proba(X))


@pytest.mark.parametrize("dtype", ["f4", "u2", "i8", "?"])
def test_types_are_those_of_the_method(dtype):
    X, y = MODELS["QDA"].data(200)
    model = gauda.QDA().fit(X, y)
    rows = (10 * X + 20).astype(dtype)
    lazy = gauda.dask.predict_proba(model, da.from_array(rows, chunks=50))
    assert lazy.dtype == lazy.compute().dtype == model.predict_proba(rows).dtype


def test_the_model_is_one_task():
    X, y = MODELS["QDA"].data(1000)
    model = gauda.QDA().fit(X, y)
    lazy = gauda.dask.predict(model, da.from_array(X, chunks=(10, 3)))
    held = [
        key
        for key, task in lazy.__dask_graph__().items()
        if "QuadraticDiscriminantAnalysis" in str(key) + repr(task)[:200]
    ]
    assert len(held) <= 1


def test_decisions_of_a_call_are_passed_on():
    X, y = MODELS["QDA"].data(200)
    model = gauda.QDA().fit(X, y)
    options = {"priors": [0.8, 0.1, 0.1], "reject": 0.9, "reject_label": "none of these"}
    lazy = gauda.dask.predict(model, as_array(X), **options)
    np.testing.assert_array_equal(lazy.compute(), model.predict(X, **options))
    assert lazy.dtype == "<U13"


@pytest.mark.parametrize("name", ["QDA", "CategoricalNB, text", "MixedNB", "MultinomialNB"])
@pytest.mark.parametrize("codes", [False, True])
def test_labels_of_rejected_rows_of_frames_are_those_of_the_method(name, codes):
    X, y = MODELS[name].data(200)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    y = np.searchsorted(np.unique(y), y) if codes else y
    model = MODELS[name].make().fit(rows, y)
    options = {"reject": 0.8, "reject_label": -1 if codes else "a long way off"}
    expected = model.predict(rows, **options)
    assert 0 < (expected == options["reject_label"]).sum() < 200
    frame = as_frame(X, y)
    found = gauda.dask.predict(model, frame, **options).compute()
    np.testing.assert_array_equal(found.to_numpy(), expected)
    several = gauda.dask.classify(model, frame, ("max_proba", "label"), **options).compute()
    np.testing.assert_array_equal(several["label"].to_numpy(), expected)
    assert several["label"].dtype == found.dtype


def test_a_fault_is_named_with_its_partition():
    X, y = MODELS["QDA"].data(100)
    model = gauda.QDA().fit(X, y)
    X[57, 1] = np.inf
    with pytest.raises(ValueError, match=r"In partition 2: .*row 7"):
        gauda.dask.predict(model, da.from_array(X, chunks=(25, 3))).compute(scheduler="sync")
    named = gauda.QDA().fit(pd.DataFrame(X[:50], columns=list("abc")), y[:50])
    with pytest.raises(ValueError, match=r"In partition 2: .*row 7"):
        gauda.dask.predict(named, as_frame(X, y, 4)).compute(scheduler="sync")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X: gauda.dask.predict(m, X[:, :2]), "X has 2 features"),
        (lambda m, X: gauda.dask.predict(m, X.compute()), "array or a data frame of Dask"),
        (lambda m, X: gauda.dask.classify(m, X, "smell"), "outputs must name some of"),
        (lambda m, X: gauda.dask.classify(m, X, "top_k"), "ask for 'proba' instead"),
        (lambda m, X: gauda.dask.predict(m, X[:, 0]), "must have rows and columns"),
        (lambda m, X: gauda.dask.predict(m, X, prior=[1, 0, 0]), "takes priors, .*; got 'prior'"),
        (lambda m, X: gauda.dask.predict(m, X[:, :2].to_dask_dataframe()), "X has 2 features"),
        (lambda _, X: gauda.dask.predict("QDA", X), "must be a fitted estimator of gauda; got str"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(call, message):
    X, y = MODELS["QDA"].data()
    with pytest.raises((TypeError, ValueError), match=message):
        call(gauda.QDA().fit(X, y), as_array(X))


def test_a_frame_must_have_the_columns_of_the_fit():
    X, y = MODELS["QDA"].data()
    model = gauda.QDA().fit(pd.DataFrame(X, columns=list("abc")), y)
    with pytest.raises(ValueError, match=r"must have the columns of the fit.*without \['c'\]"):
        gauda.dask.predict(model, as_frame(X, y)[["a", "b"]])


@pytest.mark.parametrize("name", MODELS)
def test_tallies_are_those_of_the_methods(name):
    X, y = MODELS[name].data(200, seed=1)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    model = MODELS[name].make().fit(rows[:100], y[:100])
    frame = with_empty_partitions(as_frame(X, y))
    found = gauda.dask.evaluate(model, frame, "species").compute()
    assert found.accuracy == model.score(rows, y)
    assert gauda.dask.score(model, frame, "species").compute() == model.score(rows, y)
    truth = np.searchsorted(model.classes_, y)
    losses = -model.predict_log_proba(rows)[np.arange(200), truth]
    assert found.log_loss == pytest.approx(losses.mean(), rel=1e-12)
    expected = pd.crosstab(y, model.predict(rows))
    np.testing.assert_array_equal(list(found.confusion.values()), expected)


@pytest.fixture
def scene():
    """Give a raster of 3 bands of 40 x 30 pixels in chunks, and a model of such pixels."""
    X, y = MODELS["QDA"].data(600)
    model = gauda.QDA().fit(X, y)
    pixels = MODELS["QDA"].data(1200, seed=1)[0]
    raster = xr.DataArray(
        pixels.T.reshape(3, 40, 30).copy(),
        dims=("band", "y", "x"),
        coords={
            "y": np.arange(40) * 10.0,
            "x": np.arange(30) * 10.0,
            "band": ["red", "green", "nir"],
        },
        name="scene",
    )
    return model, raster.chunk(band=2, y=16, x=30), pixels


@pytest.mark.parametrize("axes", [("band", "y", "x"), ("y", "band", "x"), ("y", "x", "band")])
def test_rasters_are_classified_wherever_their_bands_are(scene, axes):
    model, raster, pixels = scene
    lazy = gauda.dask.predict(model, raster.transpose(*axes))
    assert lazy.dims == ("y", "x")
    assert list(lazy.coords) == ["y", "x"]
    np.testing.assert_array_equal(lazy.to_numpy().ravel(), model.predict(pixels))


def test_rasters_have_posteriors_along_the_classes(scene):
    model, raster, pixels = scene
    found = gauda.dask.classify(model, raster, ("label", "proba", "max_proba"))
    assert isinstance(found, xr.Dataset)
    assert found["proba"].dims == ("y", "x", "class")
    assert found["class"].to_numpy().tolist() == model.classes_.tolist()
    proba = found["proba"].to_numpy().reshape(-1, 3)
    np.testing.assert_array_equal(proba, model.predict_proba(pixels))
    np.testing.assert_array_equal(found["max_proba"].to_numpy().ravel(), proba.max(axis=1))


def test_pixels_without_data_are_rejected(scene):
    model, raster, _ = scene
    model.set_params(missing="propagate", reject_label="nothing")
    holes = raster.where(raster["x"] > 50)
    label = gauda.dask.predict(model, holes).to_numpy()
    assert (label[:, :6] == "nothing").all()
    assert (label[:, 6:] != "nothing").all()
    assert np.isnan(gauda.dask.predict_proba(model, holes).to_numpy()[:, :6]).all()


@pytest.mark.parametrize("label", ["rejected", "no data at all"])
def test_labels_of_pixels_without_data_are_kept_whole(scene, label):
    model, raster, _ = scene
    options = {"nodata": float(raster[0, 2, 3]), "reject_label": label}
    lazy = gauda.dask.predict(model, raster, **options)
    found = lazy.compute()
    assert found[2, 3] == label
    assert lazy.dtype == found.dtype
    np.testing.assert_array_equal(
        found, model.predict(raster.transpose(..., "band").to_numpy(), **options)
    )


def test_rasters_in_memory_and_without_bands_are_refused(scene):
    model, raster, _ = scene
    with pytest.raises(TypeError, match="must be backed by Dask"):
        gauda.dask.predict(model, raster.compute())
    with pytest.raises(ValueError, match=r"one of \['band', 'y', 'x'\]; got 'wavelength'"):
        gauda.dask.predict(model, raster, dim="wavelength")


@pytest.mark.parametrize("name", ["QDA", "BernoulliNB", "CategoricalNB", "MultinomialNB"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
def test_scenes_of_any_type_in_odd_chunks_keep_what_they_carry(name, dtype):
    X, y = MODELS[name].data(600)
    scale = 100 if name == "QDA" else 1  # as whole numbers
    X = (scale * (X + (3 if name == "QDA" else 0))).clip(0, 250).astype(dtype)
    model = MODELS[name].make().fit(X, np.searchsorted(np.unique(y), y).astype("u1"))
    pixels = X.reshape(20, 30, 3).copy()
    pixels[4, 5:9] = 255
    raster = xr.DataArray(
        pixels.transpose(0, 2, 1).copy(),
        dims=("north", "layer", "east"),
        coords={"north": np.arange(20) / 2, "zone": 33, "slope": ("north", np.arange(20.0))},
        attrs={"crs": "EPSG:32633"},
    )
    lazy = raster.chunk(north=(7, 12, 1), layer=(1, 2), east=(29, 1))
    options = {"dim": "layer", "nodata": 255, "reject_label": 255}
    found = gauda.dask.predict(model, lazy, **options)
    assert found.dims == ("north", "east")
    assert found.chunks == ((7, 12, 1), (29, 1))
    assert set(found.coords) == {"north", "zone", "slope"}
    expected = model.predict(pixels, nodata=255, reject_label=255)
    np.testing.assert_array_equal(found.to_numpy(), expected)
    assert found.dtype == found.compute().dtype == expected.dtype
    assert (expected[4, 5:9] == 255).all()
    proba = gauda.dask.predict_proba(model, lazy, dim="layer", nodata=255)
    np.testing.assert_array_equal(proba.to_numpy(), model.predict_proba(pixels, nodata=255))
    assert np.isnan(proba.to_numpy()[4, 5:9]).all()


def test_known_pixels_of_a_lazy_raster_are_rows_to_fit(scene):
    _, raster, pixels = scene
    codes = np.arange(1200) % 3 - 1  # -1 where nothing is known
    known = xr.DataArray(codes.reshape(40, 30), dims=("y", "x")).chunk(y=16, x=30)
    last = raster.transpose("y", "x", "band").data
    labels = known.data.ravel()
    found = gauda.dask.fit(gauda.QDA(), last.reshape(-1, 3)[labels >= 0], labels[labels >= 0])
    expected = gauda.QDA().fit(pixels[codes >= 0], codes[codes >= 0])
    np.testing.assert_allclose(found.predict_proba(pixels), expected.predict_proba(pixels), 1e-9)


def test_rasters_are_never_gathered(scene):
    model, raster, _ = scene
    variables = raster.to_dataset("band")
    lazily = (
        r"of xarray, which may be larger\. Use gauda\.dask\.predict.*coordinates; fits take rows"
    )
    for lazy in (raster, variables):
        with pytest.raises(TypeError, match=lazily):
            model.predict(lazy)
    with pytest.raises(TypeError, match=lazily):
        gauda.QDA().fit(raster, np.zeros(1200))
    for call in (
        lambda: model.predict(variables.compute()),
        lambda: gauda.dask.predict(model, variables),
    ):
        with pytest.raises(TypeError, match=r"X\.to_dataarray\('band'\)"):
            call()
    with pytest.raises(TypeError, match="whose class is known"):
        gauda.dask.fit(gauda.QDA(), raster, np.zeros(1200))


def test_sklearn_raster_takes_our_estimators(scene):
    from sklearn_raster import FeatureArrayEstimator  # noqa: PLC0415 (the only test that needs it)

    _, raster, pixels = scene
    X, y = MODELS["QDA"].data(600)
    rows, codes = pd.DataFrame(X, columns=["red", "green", "nir"]), np.searchsorted(np.unique(y), y)
    found = FeatureArrayEstimator(gauda.QDA()).fit(rows, codes).predict(raster)
    expected = gauda.QDA().fit(X, codes).predict(pixels)
    np.testing.assert_array_equal(found.to_numpy().ravel(), expected)
