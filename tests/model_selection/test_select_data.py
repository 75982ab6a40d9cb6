"""Comparisons of classifiers on data with gaps, columns of several kinds, weights and few rows."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import naive_bayes
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import by_name

from gauda import (
    LDA,
    QDA,
    CategoricalNB,
    GaussianNB,
    MixedNB,
    RegularizedDiscriminantAnalysisCV,
    select_model,
)

OWN = {"QDA", "LDA", "GaussianNB", "RDA"}
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)
NUMBERS = ["bill", "depth", "mass"]


def losses(model, X, y, cv=FOLDS):
    return -cross_val_score(model, X, y, cv=cv, scoring="neg_log_loss")


@pytest.fixture
def gapped(iris):
    X, y = iris
    return np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X), y


@pytest.fixture
def penguins():
    """Give a frame of numbers, text, categories and truth values, with gaps of each kind."""
    random = np.random.default_rng(1)
    kind = random.integers(0, 3, 120)
    frame = pd.DataFrame(
        {
            "bill": 40 + 2 * kind + random.normal(size=120),
            "island": np.where(random.random(120) < 0.6, np.array(list("BDT"))[kind], "T"),
            "depth": 17.0 - kind + random.normal(size=120),
            "sex": pd.Categorical(random.choice(["male", "female"], 120)),
            "mass": 4000.0 + 300 * kind + 200 * random.normal(size=120),
            "tagged": random.random(120) < 0.5,
        }
    )
    frame.loc[[3, 40], "bill"] = np.nan
    frame.loc[7, "sex"] = None
    frame.loc[11, "island"] = None
    return frame, np.array(["Adelie", "Chinstrap", "Gentoo"])[kind]


class TestGaps:
    def test_go_to_models_that_integrate_them_out(self, gapped):
        X, y = gapped
        selection = select_model(X, y, cv=FOLDS)
        found = by_name(selection)
        assert found.keys() == OWN | {"logistic regression"}
        rda = partial(RegularizedDiscriminantAnalysisCV, cv="loo")
        for name, model in [("QDA", QDA), ("LDA", LDA), ("GaussianNB", GaussianNB), ("RDA", rda)]:
            expected = losses(model(missing="marginalize"), X, y)
            np.testing.assert_allclose(found[name].log_loss, expected, rtol=1e-9)
        assert selection.estimator.missing == "marginalize"
        assert selection.estimator.predict_proba(X).shape == (150, 3)

    def test_leave_others_out_with_the_reason(self, gapped):
        text = select_model(*gapped, cv=3).recommendation
        assert "logistic regression could not be fitted: Logistic regression takes complete" in text
        assert "Whether covariances differ is unknown: Box's M takes complete rows." in text

    def test_are_counted(self, gapped):
        X, y = gapped
        rows = np.isnan(X).any(axis=1).sum()
        assert f"{rows} of 150 rows have missing values" in select_model(X, y, cv=3).recommendation

    def test_are_taken_by_others_that_can(self, gapped):
        X, y = gapped
        model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
        found = by_name(select_model(X, y, cv=FOLDS, others={"imputed": model}))
        np.testing.assert_allclose(found["imputed"].log_loss, losses(model, X, y), rtol=1e-9)

    @pytest.mark.parametrize(
        ("name", "model", "free"),
        [("QDA", QDA, 44), ("LDA", LDA, 24), ("GaussianNB", GaussianNB, 26)],
    )
    def test_enter_criteria_by_what_was_observed(self, name, model, free, gapped):
        X, y = gapped
        fitted = model(missing="marginalize").fit(X, y)
        joint = fitted.predict_joint_log_proba(X)[np.arange(150), np.repeat([0, 1, 2], 50)]
        found = by_name(select_model(X, y, cv=3))[name]
        assert found.bic == pytest.approx(free * np.log(150) - 2 * joint.sum())

    def test_in_a_column_that_is_never_seen_are_told(self, iris):
        X, y = iris
        X = X.copy()
        X[:50, 2] = np.nan
        selection = select_model(X, y, cv=3)
        assert selection.recommended is None
        assert selection.recommendation.startswith("No model could be fitted.")
        assert "never observed in class setosa" in selection.recommendation
        with pytest.raises(AttributeError, match="No model could be fitted"):
            _ = selection.estimator


class TestMixedColumns:
    def test_go_to_mixed_naive_bayes(self, penguins):
        X, y = penguins
        found = by_name(select_model(X, y, cv=FOLDS))
        assert found.keys() == OWN | {"MixedNB", "logistic regression"}
        expected = losses(MixedNB(handle_unknown="ignore"), X, y)
        np.testing.assert_allclose(found["MixedNB"].log_loss, expected, rtol=1e-12)

    def test_of_numbers_go_to_gaussian_models(self, penguins):
        X, y = penguins
        selection = select_model(X, y, cv=FOLDS)
        for name, model in [("QDA", QDA), ("LDA", LDA), ("GaussianNB", GaussianNB)]:
            expected = losses(model(missing="marginalize"), X[NUMBERS], y)
            np.testing.assert_allclose(by_name(selection)[name].log_loss, expected, rtol=1e-9)
        assert "QDA, LDA, GaussianNB and RDA use the 3 columns of numbers only" in str(selection)
        assert "4 of 120 rows have missing values" in str(selection)

    def test_without_gaps_go_to_all_models(self, penguins):
        X, y = penguins
        kept = X.notna().all(axis=1).to_numpy()
        X, y = X[kept], y[kept]
        found = by_name(select_model(X, y, cv=FOLDS))
        rda = RegularizedDiscriminantAnalysisCV(cv="loo")
        logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        for name, model in [("RDA", rda), ("logistic regression", logistic)]:
            expected = losses(model, X[NUMBERS], y)
            np.testing.assert_allclose(found[name].log_loss, expected, rtol=1e-9)

    def test_names_and_kinds_are_kept_by_every_candidate(self, penguins):
        X, y = penguins
        for own in select_model(X, y, cv=3).candidates:
            if own.is_fitted:
                np.testing.assert_array_equal(own.fitted.feature_names_in_, X.columns)
                assert own.fitted.predict_proba(X).shape == (120, 3)
                with pytest.raises(ValueError, match="feature names"):
                    own.fitted.predict(X.rename(columns={"bill": "beak"}))

    @pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
    def test_of_other_libraries_give_the_same(self, convert, penguins):
        X, y = penguins
        from_pandas = by_name(select_model(X, y, cv=FOLDS))
        for name, own in by_name(select_model(convert(X), y, cv=FOLDS)).items():
            np.testing.assert_allclose(own.log_loss, from_pandas[name].log_loss, rtol=1e-12)

    def test_in_lists_and_object_arrays(self):
        rows = [[1.0, "a"], [2.0, "b"], [1.5, "a"], [3.0, "b"], [2.5, "b"], [1.7, "a"]]
        y = [0, 1, 0, 1, 1, 0]
        from_lists = by_name(select_model(rows, y, cv=3))
        from_array = by_name(select_model(np.array(rows, dtype=object), y, cv=3))
        assert from_lists["MixedNB"].n_parameters == 1 + 2 * (2 + 1)
        for name, own in from_lists.items():
            np.testing.assert_array_equal(own.log_loss, from_array[name].log_loss)

    def test_parameters_are_counted(self, penguins):
        X, y = penguins
        found = by_name(select_model(X, y, cv=3))
        assert found["MixedNB"].n_parameters == 2 + 3 * (3 * 2 + (3 - 1) + 1 + 1)
        assert found["QDA"].n_parameters == 2 + 3 * (3 + 6)

    def test_without_numbers_leave_gaussian_models_out(self, penguins):
        X, y = penguins
        selection = select_model(X[["island", "sex"]], y, cv=3)
        assert selection.recommended.name == "MixedNB"
        assert (
            "QDA, LDA, GaussianNB, RDA and logistic regression could not be fitted: X has no "
            "column of numbers." in selection.recommendation
        )
        assert "covariances" not in selection.recommendation

    def test_a_level_held_out_in_whole_is_left_out(self):
        X = pd.DataFrame({"x": np.arange(8.0), "t": list("aabbaabz")})
        found = by_name(select_model(X, [0, 1] * 4, cv=4))
        assert found["MixedNB"].is_fitted

    def test_of_text_that_reads_as_numbers_are_not_taken_for_categories(self, iris):
        X, y = iris
        with pytest.raises(ValueError, match="Convert your data to numeric values"):
            select_model(X.astype(str), y)

    @pytest.mark.parametrize("n_columns", [2, 3])
    def test_of_one_name_are_refused(self, n_columns, iris):
        X, y = iris
        table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "text": y}).iloc[:, :n_columns]
        table = table.rename(columns={"b": "a"})
        with pytest.raises(ValueError, match="must have different names; got 'a' several times"):
            select_model(table, y)

    def test_times_are_refused_by_name(self, iris):
        X, y = iris
        table = pd.DataFrame({"a": X[:, 0], "when": pd.date_range("2020-01-01", periods=150)})
        with pytest.raises(TypeError, match=r"Column 'when' of X must hold numbers.*Convert it"):
            select_model(table, y)


class TestWeights:
    def test_act_in_fits_and_in_means(self, iris):
        X, y = iris
        weights = np.random.default_rng(0).integers(1, 4, 150).astype(float)
        found = by_name(select_model(X, y, sample_weight=weights, cv=FOLDS))
        for name, model in [("QDA", QDA()), ("LDA", LDA()), ("GaussianNB", GaussianNB())]:
            for number, (train, test) in enumerate(FOLDS.split(X, y)):
                again = np.repeat(train, weights[train].astype(int))
                if name != "GaussianNB":  # whose smoothing counts rows once
                    model.fit(X[again], y[again])
                else:
                    model.fit(X[train], y[train], sample_weight=weights[train])
                expected = log_loss(
                    y[test], model.predict_proba(X[test]), sample_weight=weights[test]
                )
                assert found[name].log_loss[number] == pytest.approx(expected, rel=1e-8)

    def test_reach_the_last_step_of_a_pipeline(self, iris):
        X, y = iris
        weights = np.random.default_rng(0).random(150)
        found = by_name(select_model(X, y, sample_weight=weights, cv=FOLDS))
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        expected = []
        for train, test in FOLDS.split(X, y):
            own = {f"{step}__sample_weight": weights[train] for step, _ in model.steps}
            posteriors = model.fit(X[train], y[train], **own).predict_proba(X[test])
            expected.append(log_loss(y[test], posteriors, sample_weight=weights[test]))
        np.testing.assert_allclose(found["logistic regression"].log_loss, expected, rtol=1e-9)

    def test_of_one_change_nothing(self, iris):
        X, y = iris
        plain = by_name(select_model(X, y, cv=3, others=[]))
        weighed = by_name(select_model(X, y, cv=3, others=[], sample_weight=np.ones(150)))
        for name in ("QDA", "LDA", "GaussianNB"):
            np.testing.assert_allclose(weighed[name].log_loss, plain[name].log_loss, rtol=1e-9)
            assert weighed[name].bic == pytest.approx(plain[name].bic)

    def test_that_a_classifier_would_ignore_are_said(self, iris):
        weights = np.ones(150)
        text = select_model(
            *iris, cv=3, sample_weight=weights, others=KNeighborsClassifier()
        ).recommendation
        assert "KNeighborsClassifier could not be fitted: Its fit takes no sample_weight." in text

    def test_of_zero_for_all_that_is_held_out_are_refused(self, iris):
        X, y = iris
        weights = np.ones(150)
        weights[:5] = 0.0
        splits = [(np.arange(5, 150), np.arange(5))]
        with pytest.raises(ValueError, match="Split 0 must hold out rows that have weight"):
            select_model(X, y, cv=splits, sample_weight=weights)

    @pytest.mark.parametrize("weight", [-1.0, np.inf])
    def test_that_make_no_mean_are_refused(self, weight, iris):
        weights = np.ones(150)
        weights[7] = weight
        with pytest.raises(ValueError, match=r"(?i)weight.*(at row 7|infinity)"):
            select_model(*iris, sample_weight=weights)


class TestFewRows:
    def test_make_fewer_folds(self):
        random = np.random.default_rng(0)
        y = np.repeat(["a", "b"], 6)
        X = random.normal(size=(12, 2)) + np.repeat([[0.0], [2.0]], 6, axis=0)
        selection = select_model(X, y)
        assert "There are 6 folds instead of 10, as no class has more rows." in str(selection)
        assert len(selection.best.log_loss) == 6

    def test_one_of_each_class_is_refused(self):
        with pytest.raises(ValueError, match=r"must have at least two rows.*Give more rows"):
            select_model([[1.0], [2.0], [4.0]], [0, 1, 2])

    def test_fewer_than_columns(self):
        random = np.random.default_rng(0)
        y = np.repeat([0, 1], 10)
        selection = select_model(random.normal(size=(20, 40)) + y[:, np.newaxis], y, cv=5)
        found = by_name(selection)
        assert not found["QDA"].is_fitted
        assert all(found[name].is_fitted for name in ("LDA", "GaussianNB", "RDA"))
        assert "too few rows for so many columns" in selection.recommendation

    @pytest.mark.parametrize("n_classes", [2, 5, 10])
    def test_any_number_of_classes(self, n_classes):
        y = np.repeat(np.arange(n_classes), 20)
        X = np.random.default_rng(0).normal(size=(len(y), 2)) + 3 * y[:, np.newaxis]
        folds = KFold(5, shuffle=True, random_state=0)
        found = by_name(select_model(X, y, cv=folds, others=[]))["LDA"]
        posteriors = cross_val_predict(LDA(), X, y, cv=folds, method="predict_proba")
        expected = -np.log(posteriors[np.arange(len(y)), y])[found.held_out.rows]
        np.testing.assert_allclose(found.row_loss, expected, rtol=1e-9, atol=1e-12)


def test_a_constant_column_leaves_qda_out_only(iris):
    X, y = iris
    found = by_name(select_model(np.c_[X, np.ones(150)], y, cv=FOLDS))
    assert not found["QDA"].is_fitted
    np.testing.assert_allclose(found["LDA"].log_loss, losses(LDA(), X, y), rtol=1e-7)
    assert "no BIC: The covariance is singular" in found["LDA"].remark


def test_single_precision(iris):
    X, y = iris
    single, double = (by_name(select_model(X.astype(t), y, cv=FOLDS)) for t in ("f4", "f8"))
    for name, own in single.items():
        np.testing.assert_allclose(own.log_loss, double[name].log_loss, rtol=1e-3)


def test_warnings_of_a_model_stand_in_the_table(iris):
    hasty = LogisticRegression(max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = by_name(select_model(*iris, cv=3, others={"hasty": hasty}))
    assert "warning: lbfgs failed to converge" in found["hasty"].remark


def test_posteriors_are_taken_by_label(iris):
    class Reversed(naive_bayes.GaussianNB):
        def fit(self, X, y):
            super().fit(X, y)
            self.classes_ = self.classes_[::-1]
            return self

        def predict_proba(self, X):
            return super().predict_proba(X)[:, ::-1]

    found = by_name(select_model(*iris, cv=3, others={"reversed": Reversed()}))
    np.testing.assert_allclose(found["reversed"].log_loss, found["GaussianNB"].log_loss, rtol=1e-9)


def test_posteriors_that_are_not_numbers_are_told(iris):
    class Silent(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 3), np.nan)

    text = select_model(*iris, cv=3, others={"silent": Silent()}).recommendation
    assert "silent could not be fitted: Its posteriors must be finite; got NaN" in text


def test_posteriors_of_too_few_classes_are_told(iris):
    class Short(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, :2]

    text = select_model(*iris, cv=3, others={"short": Short()}).recommendation
    assert "short could not be fitted: Its posteriors must have a column for each of 3" in text


@pytest.mark.parametrize("n_threads", [0, 1.5, True, "2", 10**6])
def test_wrong_numbers_of_threads_are_refused(n_threads, iris):
    with pytest.raises(ValueError, match=r"n_threads must be at (least 1|most 65536)"):
        select_model(*iris, n_threads=n_threads)


def test_no_splits_are_refused(iris):
    with pytest.raises(ValueError, match="cv must give at least one split"):
        select_model(*iris, cv=[])


class TestLevels:
    """Whole numbers that may be those of categories, alone and beside text."""

    @pytest.fixture
    def levels(self):
        random = np.random.default_rng(4)
        y = random.integers(0, 2, 120)
        return (random.integers(0, 4, (120, 3)) + 3 * y[:, np.newaxis]) % 5, y

    def test_bring_categories_in(self, levels):
        X, y = levels
        found = by_name(select_model(X, y, cv=FOLDS, others=[]))
        assert found.keys() == OWN | {"CategoricalNB"}
        model = naive_bayes.CategoricalNB(min_categories=5)
        np.testing.assert_allclose(found["CategoricalNB"].log_loss, losses(model, X, y), rtol=1e-9)
        assert found["CategoricalNB"].n_parameters == 1 + 2 * 3 * 4
        assert "CategoricalNB" not in by_name(select_model(X + 0.5, y, cv=FOLDS, others=[]))
        assert "CategoricalNB" not in by_name(select_model(X * 10, y, cv=FOLDS, others=[]))

    def test_beside_text_are_levels_too(self, levels):
        X, y = levels
        names = np.array(["v", "w", "x", "y", "z"], dtype=object)
        frame = pd.DataFrame({"a": names[X[:, 0]], "b": X[:, 1], "c": X[:, 2]})
        selection = select_model(frame, y, cv=FOLDS, others=[])
        model = naive_bayes.CategoricalNB(min_categories=5)
        found = by_name(selection)["CategoricalNB"]
        np.testing.assert_allclose(found.log_loss, losses(model, X, y), rtol=1e-9)
        assert "MixedNB and CategoricalNB use all columns" in str(selection)

    def test_with_gaps_are_left_out_of_their_columns(self, levels):
        X, y = levels
        gappy = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
        found = by_name(select_model(gappy, y, cv=FOLDS, others=[]))["CategoricalNB"]
        model = CategoricalNB(missing="marginalize", handle_unknown="ignore")
        np.testing.assert_allclose(found.log_loss, losses(model, gappy, y), rtol=1e-12)

    def test_of_presence_may_have_gaps(self, levels):
        X, y = levels
        present = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X > 2)
        found = by_name(select_model(present, y, cv=FOLDS, others=[]))
        assert found["BernoulliNB"].is_fitted
        assert "CategoricalNB" not in found
