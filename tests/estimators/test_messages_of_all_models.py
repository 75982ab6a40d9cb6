"""What users hand over by mistake, on every model: the message says what would be right."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from models import MODELS, STEPWISE

import gauda


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("given", ["rows.parquet", Path("rows.parquet")])
def test_path_in_place_of_rows_points_to_streams(name, given):
    model = MODELS[name].fitted()
    for call in (lambda: MODELS[name].make().fit(given, [0, 1]), lambda: model.predict(given)):
        with pytest.raises(TypeError, match=r"'rows\.parquet'.* use fit_stream and predict_stream"):
            call()


@pytest.mark.parametrize("name", MODELS)
def test_query_in_place_of_rows_is_to_be_collected(name):
    model, query = MODELS[name].fitted(), pl.LazyFrame({"weight": [1.0], "size": ["small"]})
    for call in (lambda: MODELS[name].make().fit(query, [0]), lambda: model.predict(query)):
        with pytest.raises(TypeError, match=r"got LazyFrame, .* Give what its collect\(\) returns"):
            call()


@pytest.mark.parametrize("name", MODELS)
def test_adapted_priors_are_taken_as_they_are(name, tmp_path):
    X, _ = MODELS[name].data()
    model = MODELS[name].fitted()
    adapted = model.adapt_priors(X[:20])
    expected = model.predict_proba(X, priors=adapted.priors)
    np.testing.assert_array_equal(model.predict_proba(X, priors=adapted), expected)
    for outputs in ("label", "cost", "proba"):
        ours, theirs = (
            getattr(model.classify(X, outputs, priors=given), outputs)
            for given in (adapted, adapted.priors)
        )
        np.testing.assert_array_equal(ours, theirs)
    assert model.predict_stream(X, tmp_path / "out.csv", priors=adapted) == len(X)


@pytest.mark.parametrize("name", ["QDA", "LDA", "RDA", "GaussianNB", "MixedNB"])
def test_adapted_priors_can_be_set_and_saved(name, tmp_path):
    X, _ = MODELS[name].data()
    model = MODELS[name].fitted()
    adapted = model.adapt_priors(X[:20])
    expected = model.predict_proba(X, priors=adapted.priors)
    model.set_params(priors=adapted).save(tmp_path / "model.gauda")
    for other in (model, gauda.load(tmp_path / "model.gauda")):
        np.testing.assert_allclose(other.predict_proba(X), expected, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(STEPWISE)))
@pytest.mark.parametrize("method", ["partial_fit", "fit_stream"])
def test_method_that_is_not_there_says_why(name, method):
    model = MODELS[name].make()
    assert not hasattr(model, method)
    with pytest.raises(AttributeError, match=f"has no attribute '{method}': .*all rows at once"):
        getattr(model, method)


def test_bad_conjugate_prior_is_told_the_public_name():
    X, y = MODELS["QDA"].data()
    with pytest.raises(ValueError, match=r"an instance of 'gauda\.NormalInverseWishart', a str"):
        gauda.QDA(conjugate_prior=3).fit(X, y)
