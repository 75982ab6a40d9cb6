"""Fitted attributes that not every fit makes: the error says which parameter asks for them."""

import numpy as np
import pytest

import gauda

RNG = np.random.default_rng(12)
Y = np.arange(60) % 3
X = RNG.normal(size=(60, 3)) + Y[:, np.newaxis]
MOMENTS = gauda.Moments.from_data(X, Y)
WAYS = {
    "fit": lambda model: model.fit(X, Y),
    "partial_fit": lambda model: model.partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:]),
    "fit_stream": lambda model: model.fit_stream([(X, Y)]),
    "from_moments": lambda model: type(model).from_moments(MOMENTS, **model.get_params()),
}
STORED = "store_covariance=True"
ABSENT = [
    (gauda.QDA, {}, "covariance_", STORED),
    (gauda.QDA, {"solver": "eigen"}, "covariance_", STORED),
    (gauda.RDA, {}, "covariance_", STORED),
    (gauda.RDA, {"alpha": 1.0}, "covariance_", STORED),
    (gauda.LDA, {}, "covariance_", STORED),
    (gauda.LDA, {"solver": "lsqr"}, "scalings_", "solver='svd' or 'eigen'"),
    (gauda.LDA, {"solver": "lsqr"}, "explained_variance_ratio_", "solver='svd' or 'eigen'"),
    (gauda.LDA, {"solver": "lsqr"}, "xbar_", "solver='svd'"),
    (gauda.LDA, {"solver": "eigen"}, "xbar_", "solver='svd'"),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("estimator", "parameters", "attribute", "words"), ABSENT)
def test_an_attribute_that_is_absent_tells_how_to_have_it(
    estimator, parameters, attribute, words, way
):
    model = WAYS[way](estimator(**parameters))
    assert not hasattr(model, attribute)
    with pytest.raises(AttributeError, match=f"has no {attribute}.*{words}"):
        getattr(model, attribute)
    assert attribute not in dir(model)


def test_cross_validated_covariances_are_kept_on_the_same_condition():
    model = gauda.RegularizedDiscriminantAnalysisCV([0, 1], [0, 1], cv=3).fit(X, Y)
    with pytest.raises(AttributeError, match=STORED):
        _ = model.covariance_
    assert len(model.set_params(store_covariance=True).fit(X, Y).covariance_) == 3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("estimator", [gauda.LDA, gauda.QDA, gauda.RDA])
def test_covariances_are_kept_if_asked_for(estimator, way):
    assert hasattr(WAYS[way](estimator(store_covariance=True)), "covariance_")


@pytest.mark.parametrize("estimator", [gauda.LDA, gauda.QDA, gauda.RDA])
def test_before_the_fit_nothing_is_said_of_the_flag(estimator):
    with pytest.raises(AttributeError, match="no attribute 'covariance_'"):
        _ = estimator().covariance_
