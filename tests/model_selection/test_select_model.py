"""Several classifiers on the same folds, and what is said of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from support import by_name

from gauda import LDA, QDA, GaussianNB, Moments, RegularizedDiscriminantAnalysisCV, select_model

OWN = {"QDA", "LDA", "GaussianNB", "RDA"}


@pytest.fixture
def gaussian():
    """Give three classes of 60 rows with one covariance."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 60)
    means = np.repeat([[0, 0], [2, 0], [0, 2]], 60, axis=0)
    return means + random.normal(size=(180, 2)) @ [[1, 0.8], [0, 0.6]], y


def squares(X):
    """Return columns and their squares."""
    return np.hstack([X, X**2])


def quadratic(features):
    """Return logistic regression on further features, all standardized."""
    logistic = LogisticRegression(max_iter=1000)
    return make_pipeline(StandardScaler(), features, StandardScaler(), logistic)


def test_columns_of_0_and_1_call_for_bernoulli():
    random = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = (random.random((120, 4)) < np.where(y, 0.8, 0.3)[:, np.newaxis]).astype(float)
    folds = StratifiedKFold(3)
    found = by_name(select_model(X, y, cv=folds))
    losses = -cross_val_score(BernoulliNB(), X, y, cv=folds, scoring="neg_log_loss")
    np.testing.assert_allclose(found["BernoulliNB"].log_loss, losses, rtol=1e-12)
    assert "BernoulliNB" not in by_name(select_model(X + 1, y, cv=folds, others=[]))


def test_products_that_are_too_many_are_not_tried():
    X = np.random.default_rng(0).standard_normal((60, 24))
    found = by_name(select_model(X, np.arange(60) % 2, cv=2))
    assert "logistic regression, squares" in found
    assert "logistic regression, products" not in found


def test_figures_are_those_of_cross_val_score(iris):
    X, y = iris
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    found = by_name(select_model(X, y, cv=folds))
    known = {
        "QDA": QDA(),
        "LDA": LDA(),
        "GaussianNB": GaussianNB(),
        "RDA": RegularizedDiscriminantAnalysisCV(cv="loo"),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "logistic regression, squares": quadratic(FunctionTransformer(squares)),
        "logistic regression, products": quadratic(PolynomialFeatures(include_bias=False)),
    }
    assert found.keys() == known.keys()
    for name, model in known.items():
        losses = -cross_val_score(model, X, y, cv=folds, scoring="neg_log_loss")
        hits = cross_val_score(model, X, y, cv=folds, scoring="accuracy")
        np.testing.assert_allclose(found[name].log_loss, losses, rtol=1e-9)
        np.testing.assert_allclose(found[name].accuracy, hits, rtol=1e-12)


def test_the_smallest_log_loss_comes_first(iris):
    selection = select_model(*iris, cv=5)
    losses = [candidate.log_loss.mean() for candidate in selection.candidates]
    assert losses == sorted(losses)
    assert selection.best is selection.candidates[0]


def test_fit_measures_are_those_of_the_models(iris):
    X, y = iris
    selection = select_model(X, y, cv=5)
    found = by_name(selection)
    for name, model in [("QDA", QDA()), ("LDA", LDA()), ("GaussianNB", GaussianNB())]:
        assert found[name].bic == pytest.approx(model.fit(X, y).diagnostics().bic)
    assert np.isnan(found["logistic regression"].bic)
    assert selection.box_m == QDA().fit(X, y).diagnostics().box_m


def test_other_classifiers_join_by_name_or_by_class(iris):
    X, y = iris
    assert by_name(select_model(X, y, cv=3, others=[])).keys() == OWN
    given = by_name(select_model(X, y, cv=3, others=[DummyClassifier()]))
    assert given.keys() == OWN | {"DummyClassifier"}
    given = by_name(select_model(X, y, cv=5, others={"prior": DummyClassifier()}))
    assert given["prior"].log_loss.mean() == pytest.approx(np.log(3), rel=1e-6)


def test_a_simpler_model_that_is_as_good_is_recommended(gaussian):
    selection = select_model(*gaussian)
    assert selection.recommendation.startswith("Use LDA")
    assert "Nothing says that covariances differ" in selection.recommendation


def test_different_covariances_speak_for_qda():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = random.normal(size=(400, 3)) * np.where(y == 0, 1.0, 4.0)[:, np.newaxis]
    selection = select_model(X, y)
    assert "The covariances of the classes differ" in selection.recommendation
    found = by_name(selection)
    assert found["QDA"].log_loss.mean() < found["LDA"].log_loss.mean() - 0.3


def test_classes_too_small_for_qda_are_said_and_not_raised(iris):
    X, y = iris
    kept = np.r_[0:4, 50:150]
    selection = select_model(X[kept], y[kept], cv=StratifiedKFold(2))
    found = by_name(selection)
    assert np.isnan(found["QDA"].log_loss).all()
    assert selection.candidates[-1].name == "QDA"
    assert (
        "QDA could not be fitted: The covariance matrix of class setosa" in selection.recommendation
    )
    assert "Whether covariances differ is unknown" in selection.recommendation
    assert selection.box_m is None


def test_the_table_shows_means_with_standard_errors(iris):
    selection = select_model(*iris, cv=5)
    losses = selection.best.log_loss
    figure = f"{losses.mean():.4f} ± {losses.std(ddof=1) / np.sqrt(5):.4f}"
    lines = str(selection).splitlines()
    assert lines[0].split()[:4] == ["model", "log-loss", "accuracy", "BIC"]
    assert figure in lines[1]
    assert figure in selection._repr_html_()
    assert selection.recommendation in str(selection)
    assert repr(selection) == f"<Selection of 7 models, best {selection.best.name}>"


def test_labels_may_be_text_and_rows_a_table(iris):
    X, y = iris
    from_table = select_model(pd.DataFrame(X), pd.Series(y), cv=3, others=[])
    from_array = select_model(X, y, cv=3, others=[])
    for ours, theirs in zip(from_table.candidates, from_array.candidates, strict=True):
        np.testing.assert_array_equal(ours.log_loss, theirs.log_loss)


def test_a_fold_in_which_a_class_vanishes_is_named(iris):
    with pytest.raises(ValueError, match="Class setosa has no rows to learn from in split 0"):
        select_model(*iris, cv=KFold(3))


def test_classifiers_without_posteriors_are_refused(iris):
    with pytest.raises(TypeError, match="Perceptron has no predict_proba"):
        select_model(*iris, others=[Perceptron()])


def test_classifiers_of_one_kind_are_numbered(iris):
    flat, likeliest = DummyClassifier(strategy="uniform"), DummyClassifier(strategy="prior")
    found = by_name(select_model(*iris, cv=3, others=[flat, likeliest]))
    assert set(found) == OWN | {"DummyClassifier", "DummyClassifier 2"}
    assert found["DummyClassifier 2"].estimator is likeliest


def test_a_classifier_of_the_name_of_ours_is_compared_too(iris):
    found = by_name(select_model(*iris, cv=3, others=GaussianNB(var_smoothing=0.1)))
    assert found["GaussianNB 2"].log_loss.mean() != found["GaussianNB"].log_loss.mean()


def test_names_of_our_models_are_not_given_away(iris):
    with pytest.raises(ValueError, match="others has 'QDA', a name of gauda's own models"):
        select_model(*iris, others={"QDA": DummyClassifier()})


def test_one_class_is_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="greater than one"):
        select_model(X[:50], y[:50])


def test_infinity_is_named(iris):
    X, y = iris
    X = X.copy()
    X[3, 1] = np.inf
    X[0, 0] = np.nan
    with pytest.raises(
        ValueError, match=r"infinity at row 3, column 1\. select_model takes finite"
    ):
        select_model(X, y)
    table = pd.DataFrame(X, columns=list("abcd")).assign(text=y)[["text", *"abcd"]]
    with pytest.raises(ValueError, match="infinity at row 3, column 'b'"):
        select_model(table, y)


def test_the_test_is_that_of_all_rows(gaussian):
    X, y = gaussian
    moments = Moments.from_data(X, y)
    expected = QDA.from_moments(moments).diagnostics().box_m
    assert select_model(X, y, cv=3, others=[]).box_m.statistic == pytest.approx(expected.statistic)


def test_rows_are_compared_in_pairs(iris):
    selection = select_model(*iris, cv=5)
    best = selection.best
    for candidate in selection.candidates[1:]:
        apart = candidate.row_loss - best.row_loss
        error = apart.std(ddof=1) / np.sqrt(len(apart))
        assert candidate.behind(best) == pytest.approx((apart.mean(), error))
        assert f"{apart.mean():.4f} ± {error:.4f}" in str(selection)
    near = [c for c in selection.candidates if c is best or np.less_equal(*c.behind(best))]
    fewest = min(candidate.n_parameters for candidate in near)
    assert selection.recommended in near
    assert selection.recommended.n_parameters == fewest


@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_ends_at_qda_is_not_called_simpler(seed):
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1], 150)
    X = random.normal(size=(300, 2)) @ [[1, 0.9], [0, 0.4]]
    X[y == 1] = random.normal(size=(150, 2)) * [3.0, 0.3] + 0.5
    selection = select_model(X, y, cv=5, others=[])
    found = by_name(selection)
    if found["RDA"].remark == "alpha = 0, gamma = 0, which is QDA":
        assert found["RDA"].n_parameters == found["QDA"].n_parameters
        assert selection.recommended.name != "RDA"


def test_the_recommended_model_is_kept_with_the_names_of_columns(iris):
    X, y = iris
    table = pd.DataFrame(X, columns=list("abcd"))
    selection = select_model(table, y, cv=3)
    np.testing.assert_array_equal(selection.estimator.feature_names_in_, list("abcd"))
    assert selection.estimator is selection.recommended.fitted
    assert selection.estimator.score(table, y) > 0.9
