"""Rows drawn from discrete and mixed models, gaps filled in, and models of some columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from models import LABELS, LEVELED, MODELS
from scipy import stats

import gauda

N = 60_000
LEAST_P = 1e-4
"""Seeds are fixed: a test that passes once passes always."""

LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def distributions(model, column):
    """Return the levels of a column and their probabilities, class by level; none for numbers."""
    if isinstance(model, gauda.BernoulliNB):
        present = np.exp(model.feature_log_prob_[:, column])
        return [0, 1], np.column_stack([1 - present, present])
    if isinstance(model, gauda.CategoricalNB):
        table = np.exp(model.feature_log_prob_[column])
        return model.categories_.get(column, list(range(table.shape[1]))), table
    if column in model.categories_:
        return model.categories_[column], np.exp(model.feature_log_prob_[column])
    return None


def column_of(X, column):
    """Return a column of an array or a frame as an array."""
    return X.iloc[:, column].to_numpy() if isinstance(X, pd.DataFrame) else X[:, column]


@pytest.fixture(params=LEVELED)
def entry(request):
    """Give each model of levels."""
    return MODELS[request.param]


class TestSample:
    def test_classes_come_with_their_priors(self, entry):
        priors = [0.5, 0.2, 0.3]
        parameter = "priors" if "priors" in entry.make().get_params() else "class_prior"
        model = entry.fitted().set_params(**{parameter: priors})
        _, y = model.sample(N, random_state=0)
        counts = [np.sum(y == label) for label in LABELS]
        assert stats.chisquare(counts, N * np.array(priors)).pvalue > LEAST_P

    def test_columns_have_the_distributions_of_the_classes(self, entry):
        model = entry.fitted()
        for code, label in enumerate(LABELS):
            X, y = model.sample(y=[label] * N, random_state=code)
            assert (y == label).all()
            for column in range(3):
                drawn, known = column_of(X, column), distributions(model, column)
                if known is None:
                    mean, deviation = model.theta_[column][code], model.var_[column][code] ** 0.5
                    test = stats.kstest((drawn - mean) / deviation, "norm")
                else:
                    levels, table = known
                    counts = [np.sum(drawn == level) for level in levels]
                    test = stats.chisquare(counts, N * table[code] / table[code].sum())
                assert test.pvalue > LEAST_P

    def test_columns_of_a_class_are_independent(self, entry):
        model = entry.fitted()
        X, _ = model.sample(y=["bee"] * N, random_state=1)
        first, second, third = (
            pd.factorize(column_of(X, column) > column_of(X, column)[0])[0] for column in range(3)
        )
        for one, other in [(first, second), (first, third), (second, third)]:
            table = pd.crosstab(one, other).to_numpy()
            assert table.shape[1] == 1 or stats.chi2_contingency(table).pvalue > LEAST_P

    def test_threads_change_nothing(self, entry):
        draws = [entry.fitted(n_threads=n).sample(20_000, random_state=3) for n in (1, 2, 5)]
        for X, y in draws[1:]:
            np.testing.assert_array_equal(np.asarray(X), np.asarray(draws[0][0]))
            np.testing.assert_array_equal(y, draws[0][1])

    def test_rows_can_be_learnt_from_and_scored(self, entry):
        model = entry.fitted()
        X, y = model.sample(2000, random_state=5)
        again = entry.make().fit(X, y)
        assert again.score(X, y) > 0.5
        model.predict(X)

    def test_levels_of_probability_0_are_never_drawn(self):
        model = gauda.CategoricalNB(alpha=0.0).fit([[0, 1], [2, 1], [1, 0]], ["a", "a", "b"])
        X, y = model.sample(3000, random_state=0)
        assert set(map(tuple, X[y == "a"].tolist())) == {(0, 1), (2, 1)}
        assert set(map(tuple, X[y == "b"].tolist())) == {(1, 0)}

    def test_present_is_above_the_threshold(self):
        X = np.array([[0.0, 9.0], [7.0, 3.0], [1.0, 8.0], [9.0, 9.0]])
        model = gauda.BernoulliNB(binarize=5.0).fit(X, [0, 0, 1, 1])
        drawn, _ = model.sample(500, random_state=0)
        assert set(np.unique(drawn)) == {0.0, 10.0}

    def test_classes_without_rows_or_chances_are_refused(self):
        model = gauda.CategoricalNB(alpha=0.0).partial_fit([[0], [1]], [0, 1], classes=[0, 1, 2])
        with pytest.raises(ValueError, match=r"knows nothing: \[2\]"):
            model.sample(y=[0, 2])
        with pytest.raises(ValueError, match="Class 2 has no rows"):
            model.set_params(class_prior=[0.0, 0.0, 1.0]).sample(5)

    @pytest.mark.parametrize("library", LIBRARIES)
    def test_mixed_rows_come_in_the_library_of_the_fit(self, library, tmp_path):
        frame, y = MODELS["MixedNB"].data()
        table = LIBRARIES[library](frame)
        model = gauda.MixedNB().fit(table, y)
        model.save(tmp_path / "model.gauda")
        for own in (model, gauda.load(tmp_path / "model.gauda"), model.marginal([0, 2])):
            X, _ = own.sample(50, random_state=0)
            assert type(X) is type(table)
            assert (
                list(getattr(X, "column_names", None) or X.columns)
                == own.feature_names_in_.tolist()
            )
            own.predict(X)

    def test_mixed_rows_of_arrays_are_arrays(self):
        X, y = [[1.5, "red"], [1.0, "blue"], [7.0, "red"], [8.0, "red"]], [0, 0, 1, 1]
        drawn, _ = gauda.MixedNB().fit(X, y).sample(20, random_state=0)
        assert drawn.dtype == object
        assert set(drawn[:, 1]) <= {"red", "blue"}
        truth, _ = gauda.MixedNB().fit(np.array([[True], [False]]), [0, 1]).sample(9)
        assert truth.dtype == bool
        kinds = ["gaussian", "categorical"]
        numbers, _ = (
            gauda.MixedNB(kinds=kinds).fit([[1.5, 3], [2.0, 4], [5.0, 3]], [0, 0, 0]).sample(9)
        )
        assert numbers.dtype == float
        assert set(numbers[:, 1]) <= {3.0, 4.0}


def with_gaps(X, rng):
    """Return rows in which a third of all entries is missing, and where."""
    gaps = rng.random((len(X), 3)) < 1 / 3
    rows = X.astype(object if isinstance(X, pd.DataFrame) else float).copy()
    if isinstance(X, pd.DataFrame):
        numbers = X.select_dtypes("number")
        rows[numbers.columns] = numbers
        return rows.mask(pd.DataFrame(gaps, columns=X.columns)), gaps
    rows[gaps] = np.nan
    return rows, gaps


def log_likelihoods(model, X, gaps):
    """Return log p(observed entries | class), written out, row by class."""
    logs = np.zeros((len(gaps), 3))
    for column in range(3):
        entries, known = column_of(X, column), distributions(model, column)
        for row in np.flatnonzero(~gaps[:, column]):
            if known is None:
                scale = np.sqrt(model.var_[column])
                logs[row] += stats.norm.logpdf(entries[row], model.theta_[column], scale)
            else:
                logs[row] += np.log(known[1][:, known[0].index(entries[row])])
    return logs


class TestImpute:
    @pytest.fixture
    def case(self, entry):
        """Give a model, complete rows, the same with gaps, where these are, and posteriors."""
        model = entry.fitted()
        X, _ = entry.data(40, seed=1)
        rows, gaps = with_gaps(X, np.random.default_rng(2))
        joint = np.exp(log_likelihoods(model, X, gaps)) / 3
        return model, X, rows, gaps, joint / joint.sum(axis=1, keepdims=True)

    def test_gaps_become_the_likeliest_level_or_the_mean(self, case):
        model, X, rows, gaps, posteriors = case
        filled = model.impute(rows)
        for column in range(3):
            known, entries = distributions(model, column), column_of(filled, column)
            for row in range(len(gaps)):
                if not gaps[row, column]:
                    assert entries[row] == column_of(X, column)[row]
                elif known is None:
                    mean = posteriors[row] @ model.theta_[column]
                    np.testing.assert_allclose(entries[row], mean, rtol=1e-12)
                else:
                    chances = posteriors[row] @ known[1]
                    assert entries[row] == known[0][int(chances.argmax())]

    def test_known_labels_leave_one_class(self, case):
        model, _, rows, gaps, _ = case
        filled = model.impute(rows, ["bee"] * len(gaps))
        for column in range(3):
            known = distributions(model, column)
            expected = model.theta_[column][1] if known is None else known[0][known[1][1].argmax()]
            entries = column_of(filled, column)[gaps[:, column]]
            assert all(entry == pytest.approx(expected) for entry in entries)

    def test_draws_have_the_distribution_of_the_mixture(self, case):
        model, _, rows, gaps, posteriors = case
        copies = model.sample_missing(rows[:8], 4000, random_state=0)
        for row, column in np.argwhere(gaps[:8])[:6]:
            known = distributions(model, column)
            drawn = np.array([column_of(copy, column)[row] for copy in copies])
            if known is None:
                mean = posteriors[row] @ model.theta_[column]
                spread = model.var_[column] + (model.theta_[column] - mean) ** 2
                error = np.sqrt(posteriors[row] @ spread / len(drawn))
                assert abs(drawn.astype(float).mean() - mean) < 4.5 * error
            else:
                counts = [np.sum(drawn == level) for level in known[0]]
                chances = posteriors[row] @ known[1]
                assert stats.chisquare(counts, len(drawn) * chances).pvalue > LEAST_P

    def test_missing_entries_of_a_row_share_its_class(self):
        X = np.repeat([[0, 0], [1, 1]], 50, axis=0)
        model = gauda.CategoricalNB(alpha=1e-9).fit(X, X[:, 0])
        copies = model.sample_missing([[np.nan, np.nan]], 500, random_state=0)
        assert set(map(tuple, copies[:, 0].tolist())) == {(0.0, 0.0), (1.0, 1.0)}

    def test_threads_change_nothing(self, case):
        model, _, rows, _, _ = case
        found = []
        for n_threads in (1, 2, 5):
            model.set_params(n_threads=n_threads)
            found.append(
                (np.asarray(model.impute(rows)), np.asarray(model.sample_missing(rows, 3, 0)))
            )
        for filled, copies in found[1:]:
            np.testing.assert_array_equal(filled, found[0][0])
            np.testing.assert_array_equal(copies, found[0][1])

    def test_rows_without_gaps_stay_as_they_are(self, entry):
        X, _ = entry.data()
        np.testing.assert_array_equal(np.asarray(entry.fitted().impute(X)), np.asarray(X))

    def test_deviations_are_those_of_numbers(self):
        frame, y = MODELS["MixedNB"].data()
        model = gauda.MixedNB().fit(frame, y)
        rows = frame[:2].astype(object)
        rows.iloc[0, :2] = None
        _, std = model.impute(rows, ["ant", "bee"], return_std=True)
        expected = [[model.var_[0][0] ** 0.5, np.nan, 0.0], [0.0, 0.0, 0.0]]
        np.testing.assert_allclose(std, expected, rtol=1e-14)

    @pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB"])
    def test_levels_have_no_deviations(self, name):
        entry = MODELS[name]
        with pytest.raises(ValueError, match="levels have no standard deviation"):
            entry.fitted().impute(entry.data()[0], return_std=True)

    @pytest.mark.parametrize("library", LIBRARIES)
    def test_frames_keep_their_library_and_types(self, library):
        frame, y = MODELS["MixedNB"].data()
        frame["size"] = frame["size"].astype("category")
        frame["legs"] = np.arange(len(frame)) % 4
        model = gauda.MixedNB().fit(LIBRARIES[library](frame), y)
        gappy = frame[:4].copy()
        gappy.loc[0, "size"] = None
        gappy["legs"] = pd.array([1, None, 3, 2], dtype="Int64")
        table = LIBRARIES[library](gappy)
        filled = model.impute(table)
        assert type(filled) is type(table)
        as_pandas = filled if library == "pandas" else filled.to_pandas()
        assert as_pandas["size"].dtype == "category"
        assert as_pandas["size"].tolist()[1:] == frame["size"].tolist()[1:4]
        assert as_pandas["legs"].tolist()[2:] == [3.0, 2.0]
        assert not as_pandas.isna().any(axis=None)
        assert len(model.sample_missing(table, 3)) == 3

    def test_sparse_rows_have_no_gaps(self):
        entry = MODELS["BernoulliNB"]
        X, _ = entry.data()
        with pytest.raises(TypeError, match="X must be dense"):
            entry.fitted().impute(scipy.sparse.csr_array(X))


class TestParts:
    def test_a_marginal_model_is_that_of_a_fit_to_the_columns(self, entry):
        X, y = entry.data()
        columns = [2, 0]
        part = X.iloc[:, columns] if isinstance(X, pd.DataFrame) else X[:, columns]
        marginal, fitted = entry.fitted().marginal(columns), entry.make().fit(part, y)
        np.testing.assert_allclose(
            marginal.predict_log_proba(part), fitted.predict_log_proba(part), rtol=1e-9, atol=1e-12
        )
        batch = entry.make().fit(part, y)
        marginal.partial_fit(part, y)
        batch.partial_fit(part, y)
        np.testing.assert_allclose(
            marginal.predict_proba(part), batch.predict_proba(part), rtol=1e-9
        )

    def test_parameters_of_columns_follow_them(self):
        X, y = np.array([[0, 2, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]]), [0, 0, 1, 1]
        alpha = [[0.5, 0.5, 2.0], 0.1, [1.0, 3.0]]
        model = gauda.CategoricalNB(alpha=alpha, min_categories=[3, 4, 2]).fit(X, y)
        part = model.marginal([2, 1])
        for own, whole in ((0, 2), (1, 1)):
            np.testing.assert_array_equal(
                part.feature_log_prob_[own], model.feature_log_prob_[whole]
            )
        model = gauda.BernoulliNB(prior_a=[2.0, 3.0, 4.0], prior_b=2.0).fit(X, y)
        np.testing.assert_array_equal(
            model.marginal([1, 0]).feature_log_prob_, model.feature_log_prob_[:, [1, 0]]
        )

    def test_smoothing_of_a_mixed_model_stays(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"wide": rng.normal(0, 1e4, 60), "narrow": rng.normal(0, 1, 60)})
        model = gauda.MixedNB(var_smoothing=1e-3).fit(X, np.arange(60) % 2)
        part = model.marginal(["narrow"])
        np.testing.assert_allclose(part.var_[0], model.var_[1], rtol=1e-14)

    def test_given_columns_leave_posteriors_as_priors(self, entry):
        model = entry.fitted()
        X, _ = entry.data(20, seed=3)
        for row in range(5):
            first = column_of(X, 1)[row]
            rest = (
                X.iloc[row : row + 1, [0, 2]]
                if isinstance(X, pd.DataFrame)
                else X[[row]][:, [0, 2]]
            )
            one = X.iloc[row : row + 1] if isinstance(X, pd.DataFrame) else X[[row]]
            np.testing.assert_allclose(
                model.condition({1: first}).predict_proba(rest),
                model.predict_proba(one),
                rtol=1e-12,
            )

    def test_bad_columns_and_levels_are_refused(self, entry):
        model = entry.fitted()
        with pytest.raises(ValueError, match="once only"):
            model.marginal([0, 0])
        with pytest.raises(ValueError, match="no column is left"):
            model.condition(dict(enumerate(np.asarray(entry.data()[0])[0])))
        with pytest.raises(TypeError, match="takes a dict"):
            model.condition([1, 2])
        with pytest.raises(ValueError, match="column"):
            model.condition({1: "none such"})
