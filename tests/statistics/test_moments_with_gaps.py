"""Moments of rows with missing values serve their model, and refuse to count gaps as values."""

import copy
import operator
import pickle

import numpy as np
import pytest

import gauda

RNG = np.random.default_rng(77)
Y = np.arange(120) % 3
WHOLE = RNG.normal(size=(120, 3)) + 5 * np.eye(3)[Y]
GAPPED = np.where(RNG.random((120, 3)) < 0.2, np.nan, WHOLE)
MODELS = {
    "LDA": (gauda.LDA, {}),
    "LDA, lsqr": (gauda.LDA, {"solver": "lsqr"}),
    "LDA, eigen": (gauda.LDA, {"solver": "eigen"}),
    "LDA, priors": (gauda.LDA, {"solver": "lsqr", "priors": [0.2, 0.3, 0.5]}),
    "QDA": (gauda.QDA, {}),
    "RDA": (gauda.RDA, {"alpha": 0.5}),
    "GaussianNB": (gauda.GaussianNB, {}),
}
BY_EM = [name for name in MODELS if name != "GaussianNB"]
"""Models whose moments are expected ones, not sums of rows."""
REFUSAL = "values were missing cannot be .* Fit all rows together"


@pytest.fixture(params=MODELS)
def case(request):
    return MODELS[request.param]


@pytest.fixture(params=BY_EM)
def by_em(request):
    return MODELS[request.param]


def gapped(case):
    estimator, parameters = case
    return estimator(missing="marginalize", **parameters).fit(GAPPED, Y)


def through_a_file(what, folder):
    what.save(folder / "file.gauda")
    return gauda.load(folder / "file.gauda")


ROUND_TRIPS = {
    "as it is": lambda what, _: what,
    "copy": lambda what, _: copy.copy(what),
    "deepcopy": lambda what, _: copy.deepcopy(what),
    "pickle": lambda what, _: pickle.loads(pickle.dumps(what)),  # noqa: S301 - our own
    "file": through_a_file,
}


@pytest.fixture(params=ROUND_TRIPS)
def again(request, tmp_path):
    return lambda what: ROUND_TRIPS[request.param](what, tmp_path)


# Batches


def test_no_batch_joins_a_fit_by_em(by_em, again):
    model = again(gapped(by_em))
    before = pickle.dumps(model)
    for rows in (WHOLE, GAPPED):
        with pytest.raises(ValueError, match=REFUSAL):
            model.partial_fit(rows, Y)
    assert pickle.dumps(model) == before


def test_batches_join_a_fit_to_complete_rows(case):
    estimator, parameters = case
    model = estimator(missing="marginalize", **parameters).fit(WHOLE[:60], Y[:60])
    assert not model.moments_.has_gaps
    expected = estimator(**parameters).fit(WHOLE, Y).predict_log_proba(WHOLE)
    got = model.partial_fit(WHOLE[60:], Y[60:]).predict_log_proba(WHOLE)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def test_a_fit_and_a_stream_begin_anew(case):
    estimator, parameters = case
    expected = estimator(**parameters).fit(WHOLE, Y).predict_proba(WHOLE)
    anew = gapped(case).fit(WHOLE, Y)
    assert not anew.moments_.has_gaps
    np.testing.assert_array_equal(anew.predict_proba(WHOLE), expected)
    streamed = gapped(case).fit_stream([(WHOLE, Y)])
    assert not streamed.moments_.has_gaps
    streamed.partial_fit(WHOLE, Y)


def test_mixed_columns_count_the_values_that_are_there():
    batches = (
        gauda.MixedNB().partial_fit(GAPPED[:50], Y[:50], classes=[0, 1, 2]),
        gauda.MixedNB().fit(GAPPED[:50], Y[:50]),
    )
    expected = gauda.MixedNB().fit(GAPPED, Y)
    for model in batches:
        model.partial_fit(GAPPED[50:], Y[50:])
        for column in range(3):
            for k in range(3):
                values = GAPPED[k == Y, column]
                values = values[~np.isnan(values)]
                np.testing.assert_allclose(model.theta_[column][k], values.mean(), rtol=1e-13)
        np.testing.assert_allclose(model.predict_proba(GAPPED), expected.predict_proba(GAPPED))


# Arithmetic


def altered(moments):
    """Return the same moments in each way that keeps a model of their structure."""
    return [
        moments,
        moments.select([2, 0]),
        moments.relabel({0: "a", 1: "b", 2: "c"}),
        moments * 1,
        moments.to(moments.structure),
        sum([moments]),
    ]


def test_what_em_expects_is_no_sum_of_rows(by_em, again):
    for moments in map(again, altered(gapped(by_em).moments_)):
        assert moments.has_gaps
        labels = moments.classes[Y]
        rows = WHOLE[:, : moments.n_features]
        whole = gauda.Moments.from_data(rows, labels, structure=moments.structure)
        for join in (operator.add, operator.sub):
            for pair in ((moments, whole), (whole, moments), (moments, moments)):
                with pytest.raises(ValueError, match=REFUSAL):
                    join(*pair)
        for factor in (0.5, 2, 0, np.float64(0.9)):
            with pytest.raises(ValueError, match=REFUSAL):
                moments * factor
        with pytest.raises(ValueError, match=REFUSAL):
            sum([moments, whole])
        with pytest.raises(ValueError, match=REFUSAL):
            moments.relabel({moments.classes[0]: moments.classes[1]})
        with pytest.raises(ValueError, match=REFUSAL):
            moments.total()


def test_moments_tell_their_gaps(case):
    moments = gapped(case).moments_
    assert "rows with gaps" in repr(moments)
    assert moments == pickle.loads(pickle.dumps(moments))  # noqa: S301 - our own
    structure = moments.structure
    assert moments != gauda.Moments.from_data(WHOLE, Y, structure=structure)
    assert not gauda.Moments.from_data(WHOLE, Y).has_gaps


@pytest.mark.parametrize("other", [gauda.LDA, gauda.GaussianNB])
def test_moments_serve_a_model_of_their_structure_only(other):
    moments = gapped(MODELS["QDA"]).moments_
    with pytest.raises(ValueError, match="cannot be reduced to"):
        other.from_moments(moments)
    with pytest.raises(ValueError, match="cannot be reduced to"):
        moments.to("tied")


def test_moments_give_the_model_back(case, again):
    estimator, parameters = case
    model = gapped(case)
    same = estimator.from_moments(again(model.moments_), missing="marginalize", **parameters)
    np.testing.assert_allclose(
        same.predict_log_proba(GAPPED), model.predict_log_proba(GAPPED), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    [
        (gauda.QDA, {"conjugate_prior": "empirical"}),
        (gauda.RDA, {"shrinkage": "oas"}),
    ],
)
def test_regularization_set_after_a_fit_acts_at_the_next(estimator, parameters):
    model = estimator(missing="marginalize").fit(GAPPED, Y)
    model.set_params(**parameters, priors=[0.2, 0.3, 0.5])  # of which only the priors act at once
    plain = estimator(missing="marginalize", priors=[0.2, 0.3, 0.5]).fit(GAPPED, Y)
    np.testing.assert_array_equal(model.predict_proba(GAPPED), plain.predict_proba(GAPPED))
    expected = estimator(missing="marginalize", priors=[0.2, 0.3, 0.5], **parameters)
    expected.fit(GAPPED, Y)
    np.testing.assert_array_equal(
        model.fit(GAPPED, Y).predict_proba(GAPPED), expected.predict_proba(GAPPED)
    )
    assert not np.allclose(expected.predict_proba(GAPPED), plain.predict_proba(GAPPED))


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    [
        (gauda.QDA, {"solver": "eigen", "shrinkage": "auto"}),
        (gauda.LDA, {"solver": "lsqr", "shrinkage": "auto"}),
        (gauda.RDA, {"shrinkage": "ledoit_wolf"}),
    ],
)
def test_estimates_that_take_complete_rows_are_refused(estimator, parameters):
    model = estimator(missing="marginalize", **parameters)
    with pytest.raises(ValueError, match="where values of X are missing"):
        model.fit(GAPPED, Y)
    assert not hasattr(model, "classes_")


# Diagnostics and leaving rows out


def derived(case):
    """Return models that come from a fit with gaps by other ways than the fit."""
    estimator, parameters = case
    model = gapped(case)
    moments = model.moments_
    return [
        model,
        model.marginal([0, 2]),
        model.marginal([1]),
        model.marginal([0, 1]).marginal([0]),
        estimator.from_moments(moments, **parameters),
        estimator.from_moments(moments.select([1, 0]), **parameters),
        model.set_params(cost=1 - np.eye(3)),
    ]


def test_figures_of_rows_with_gaps_are_refused(case, again):
    for model in map(again, derived(case)):
        diagnostics = model.diagnostics()
        for figure in ("log_likelihood", "aic", "bic", "box_m"):
            with pytest.raises(ValueError, match="Values of the rows were missing"):
                getattr(diagnostics, figure)
        assert "unknown. Values of the rows were missing" in str(diagnostics)


def test_gapped_moments_judge_no_other_model(case):
    estimator, parameters = case
    model = estimator(**parameters).fit(WHOLE, Y)
    with pytest.raises(ValueError, match="Values of the rows were missing"):
        _ = model.diagnostics(gapped(case).moments_).log_likelihood


def test_complete_rows_judge_a_model_fitted_to_gapped_ones(case):
    model = gapped(case)
    expected = model.predict_joint_log_proba(WHOLE)[np.arange(120), Y].sum()
    judged = model.diagnostics(gauda.Moments.from_data(WHOLE, Y))
    np.testing.assert_allclose(judged.log_likelihood, expected, rtol=1e-11)


def test_no_row_can_be_left_out(case):
    for model in derived(case):
        rows = WHOLE[:, : model.n_features_in_]
        with pytest.raises(ValueError, match="Values of the rows of this model were missing"):
            model.loo_log_proba(rows, Y)


# Priors of rows of which nothing is known


@pytest.mark.parametrize("missing", ["marginalize", "propagate"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n_rows", [1, 7])
def test_rows_of_which_nothing_is_known_leave_the_priors(case, missing, dtype, n_rows):
    estimator, parameters = case
    model = estimator(missing=missing, **parameters).fit(WHOLE[:100], Y[:100])
    nothing = np.full((n_rows, 3), np.nan, dtype=dtype)
    priors, n_iter = model.adapt_priors(nothing)
    expected = model.class_prior_ if estimator is gauda.GaussianNB else model.priors_
    np.testing.assert_allclose(priors, expected, rtol=1e-6 if dtype == "f4" else 1e-12)
    assert n_iter >= 1


@pytest.mark.parametrize("missing", ["marginalize", "propagate"])
def test_rows_of_which_nothing_is_known_outvote_no_others(case, missing):
    estimator, parameters = case
    model = estimator(missing=missing, **parameters).fit(WHOLE, Y)
    alone = model.adapt_priors(WHOLE[:40], tol=1e-12).priors
    among = model.adapt_priors(np.vstack([WHOLE[:40], np.full((40, 3), np.nan)]), tol=1e-12).priors
    np.testing.assert_allclose(among, alone, atol=1e-9)


def test_priors_adapted_to_far_rows_are_numbers(case):
    estimator, parameters = case
    model = estimator(**parameters).fit(WHOLE, Y)
    priors, _ = model.adapt_priors(np.vstack([np.full((3, 3), 1e6), np.full((2, 3), -1e6)]))
    assert np.isfinite(priors).all()
    assert priors.sum() == pytest.approx(1)


def test_the_only_class_keeps_its_prior():
    model = gauda.GaussianNB(missing="propagate").fit(WHOLE, np.zeros(120, dtype=int))
    assert model.adapt_priors(GAPPED).priors == [1.0]
    assert model.adapt_priors(np.full((2, 3), np.nan)).priors == [1.0]


def test_no_rows_speak_for_no_priors(case):
    estimator, parameters = case
    with pytest.raises(ValueError, match="0 sample"):
        estimator(**parameters).fit(WHOLE, Y).adapt_priors(WHOLE[:0])
