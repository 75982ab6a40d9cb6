"""Rows left out of discrete and mixed models one by one, against fits to all other rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from models import DISCRETE, MODELS

import gauda
from gauda import BernoulliNB, CategoricalNB, MixedNB


def others(X, row):
    """Return a table without a row."""
    return X.drop(index=row) if isinstance(X, pd.DataFrame) else np.delete(X, row, axis=0)


def refits(model, X, y, weights=None, *, refit_priors=False, **fixed):
    """Return the log-posteriors of each row under a fit to the others, in the order of classes."""
    parameter = "priors" if "priors" in model.get_params() else "class_prior"
    kept = np.exp(getattr(model, "class_log_prior_", None)) if parameter == "class_prior" else None
    kept = model.class_prior_ if kept is None else kept
    out = np.full((len(y), len(model.classes_)), -np.inf)
    for row in range(len(y)):
        w = None if weights is None else np.delete(weights, row)
        params = model.get_params() | fixed
        rest = np.delete(y, row)
        there = np.isin(model.classes_, rest)
        if not refit_priors:
            assert there.all()
            params[parameter] = kept
        fitted = type(model)(**params).fit(others(X, row), rest, sample_weight=w)
        one = X.iloc[row : row + 1] if isinstance(X, pd.DataFrame) else X[row : row + 1]
        out[row, there] = fitted.predict_log_proba(one)[0]
    return out


@pytest.fixture(params=DISCRETE)
def entry(request):
    """Give each discrete or mixed model."""
    return MODELS[request.param]


@pytest.mark.parametrize("refit_priors", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_posteriors_are_those_of_fits_to_the_others(entry, refit_priors, weighted):
    X, y = entry.data(40)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y)) if weighted else None
    model = entry.make().fit(X, y, sample_weight=weights)
    found = model.loo_log_proba(X, y, refit_priors, sample_weight=weights)
    fixed = {"min_categories": 3} if isinstance(model, CategoricalNB) else {}
    expected = refits(model, X, y, weights, refit_priors=refit_priors, **fixed)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def test_weights_of_0_change_nothing(entry):
    X, y = entry.data(30)
    weights = np.ones(30)
    weights[::5] = 0.0
    model = entry.make().fit(X, y, sample_weight=weights)
    found = model.loo_log_proba(X, y, sample_weight=weights)
    np.testing.assert_allclose(found[::5], model.predict_log_proba(X)[::5], rtol=1e-9)


@pytest.mark.parametrize("heavy", [1e6, 1e15, 1e300])
def test_heavy_rows_leave_the_others_their_digits(entry, heavy):
    X, y = entry.data(24)
    weights = np.ones(24)
    weights[4] = heavy
    model = entry.make().fit(X, y, sample_weight=weights)
    found = model.loo_log_proba(X, y, sample_weight=weights)[4]
    fixed = {"min_categories": 3} if isinstance(model, CategoricalNB) else {}
    expected = refits(model, X, y, weights, **fixed)[4]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_threads_change_nothing(entry):
    X, y = entry.data(3000)
    found = [entry.fitted(3000, n_threads=n).loo_log_proba(X, y) for n in (1, 2, 5)]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


class TestRareLevels:
    """Levels and classes that one row alone has."""

    X = np.array([[0, 0], [1, 0], [0, 1], [1, 3], [2, 1], [0, 0]])
    y = np.array([0, 0, 0, 1, 1, 1])

    def test_levels_stay_known(self):
        model = CategoricalNB().fit(self.X, self.y)
        expected = refits(model, self.X, self.y, min_categories=[3, 4])
        np.testing.assert_allclose(model.loo_log_proba(self.X, self.y), expected, rtol=1e-12)

    def test_levels_that_are_ignored_are_forgotten_with_their_row(self):
        for refit_priors in (False, True):
            model = CategoricalNB(handle_unknown="ignore").fit(self.X, self.y)
            found = model.loo_log_proba(self.X, self.y, refit_priors)
            expected = refits(model, self.X, self.y, refit_priors=refit_priors)
            np.testing.assert_allclose(found[3:5], expected[3:5], rtol=1e-12)

    def test_mixed_levels_that_are_ignored_are_forgotten(self):
        frame = pd.DataFrame(
            {
                "size": [1.0, 2.0, 4.0, 2.5, 7.0, 8.0],
                "wood": ["oak", "oak", "fir", "elm", "fir", "ash"],
            }
        )
        model = MixedNB(handle_unknown="ignore").fit(frame, self.y)
        found, expected = model.loo_log_proba(frame, self.y), refits(model, frame, self.y)
        np.testing.assert_allclose(found[[3, 5]], expected[[3, 5]], rtol=1e-9)

    def test_a_level_of_a_mixed_model_stays_known(self):
        frame = pd.DataFrame({"wood": ["oak", "oak", "fir", "elm", "fir", "fir"]})
        model = MixedNB(alpha=0.5).fit(frame, self.y)
        found = model.loo_log_proba(frame, self.y)[3]
        # Without the elm its class has two firs, the other two oaks and a fir.
        chances = 0.5 * np.array([0.5 / 4.5, 0.5 / 3.5])
        np.testing.assert_allclose(found, np.log(chances / chances.sum()), rtol=1e-12)

    def test_the_last_row_of_a_class_leaves_a_class_without_rows(self):
        y = np.array(["a", "a", "a", "b", "b", "c"])
        model = CategoricalNB().fit(self.X, y)
        found = model.loo_log_proba(self.X, y, refit_priors=True)
        expected = refits(model, self.X, y, refit_priors=True, min_categories=[3, 4])
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        # With its prior kept, all that is known of the class is what is added to counts.
        rest = CategoricalNB(class_prior=[3 / 6, 2 / 6, 1 / 6], min_categories=[3, 4])
        rest.partial_fit(self.X[:5], y[:5], classes=["a", "b", "c"])
        kept = model.loo_log_proba(self.X, y)[5]
        np.testing.assert_allclose(kept, rest.predict_log_proba(self.X[5:])[0], rtol=1e-12)

    def test_numbers_of_a_class_without_rows_are_unknown(self):
        X, y = [[1.0], [2.0], [4.0], [5.0], [7.0]], ["a", "a", "b", "b", "c"]
        model = MixedNB().fit(X, y)
        with pytest.raises(ValueError, match="Class c has one row only"):
            model.loo_log_proba(X, y)
        found = model.loo_log_proba(X, y, refit_priors=True)
        expected = refits(model, np.array(X), np.array(y), refit_priors=True)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_gaps_say_nothing():
    frame, y = MODELS["MixedNB"].data(30)
    frame.loc[::4, "weight"] = np.nan
    frame.loc[1::5, "size"] = None
    model = MixedNB().fit(frame, y)
    expected = refits(model, frame, y)
    np.testing.assert_allclose(model.loo_log_proba(frame, y), expected, rtol=1e-9, atol=1e-11)


def test_sparse_rows_and_shares_are_left_out_too():
    X, y = MODELS["BernoulliNB"].data(30)
    dense = BernoulliNB().fit(X, y).loo_log_proba(X, y)
    sparse = scipy.sparse.csr_array(X)
    np.testing.assert_array_equal(BernoulliNB().fit(sparse, y).loo_log_proba(sparse, y), dense)
    shares = np.random.default_rng(0).random((12, 3))
    model = BernoulliNB(binarize=None).fit(shares, y[:12])
    expected = refits(model, shares, y[:12])
    np.testing.assert_allclose(model.loo_log_proba(shares, y[:12]), expected, rtol=1e-10)


def test_other_rows_and_missing_weights_are_refused(entry):
    X, y = entry.data(30)
    with pytest.raises(ValueError, match="rows that the model was fitted to"):
        entry.make().fit(X[:15], y[:15]).loo_log_proba(X, y)
    weighted = entry.make().fit(X, y, sample_weight=np.full(30, 0.5))
    with pytest.raises(ValueError, match="give them as sample_weight"):
        weighted.loo_log_proba(X, y)


def test_some_of_the_rows_are_enough(entry):
    X, y = entry.data(60)
    model = entry.make().fit(X, y)
    every = model.loo_log_proba(X, y)
    np.testing.assert_array_equal(model.loo_log_proba(X[:20], y[:20]), every[:20])


def test_a_model_of_one_row_has_no_others():
    with pytest.raises(ValueError, match="without it there is none"):
        gauda.CategoricalNB().fit([[1]], ["a"]).loo_log_proba([[1]], ["a"], refit_priors=True)
