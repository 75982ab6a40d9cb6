"""The one-standard-error rule, and that what is said of a choice agrees with it."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, cross_val_predict

from gauda import LDA, QDA, RDA, GaussianNB, RegularizedDiscriminantAnalysisCV, select_model
from gauda.model_selection import Candidate, Selection
from gauda.model_selection._complexity import complexity
from gauda.model_selection._selection import HeldOut

NAMES = ("QDA", "LDA", "GaussianNB", "RDA", "forest")


def synthetic(name, losses, n_parameters, same_as="", covariances=""):
    """Return a candidate of some losses of rows, in splits of two rows."""
    losses = np.array(losses, dtype=float)
    n = len(losses)
    held_out = HeldOut(np.arange(n), np.full(n, 1 / n))
    return Candidate(
        name,
        None,
        losses.reshape(-1, 2).mean(axis=1),
        np.ones(n // 2),
        row_loss=losses,
        n_parameters=n_parameters,
        same_as=same_as,
        covariances=covariances,
        held_out=held_out,
        fitted=name,
    )


def select(candidates, p_value=None):
    candidates = sorted(candidates, key=lambda own: own.log_loss.mean())
    test = None if p_value is None else SimpleNamespace(p_value=p_value)
    return Selection(candidates, test)


@st.composite
def candidates(draw):
    """Draw two to five candidates on the same rows, whose losses may be very near."""
    n_rows = 2 * draw(st.integers(2, 6))
    loss = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5])
    base = np.array(draw(st.lists(loss, min_size=n_rows, max_size=n_rows)))
    found = []
    for name in NAMES[: draw(st.integers(2, 5))]:
        scale = draw(st.sampled_from([0.0, 1e-3, 0.1, 1.0]))
        own = np.array(draw(st.lists(loss, min_size=n_rows, max_size=n_rows)))
        free = draw(st.integers(1, 4) | st.just(np.inf))
        same = draw(st.sampled_from(["", "QDA", "LDA"])) if name == "RDA" else ""
        kind = draw(st.sampled_from(["", "common", "per class", "between"]))
        found.append(synthetic(name, base + scale * own, free, same, kind))
    return found


@given(candidates(), st.none() | st.sampled_from([0.0, 1e-20, 0.009, 0.01, 0.7]))
def test_the_simplest_within_one_paired_standard_error_is_recommended(found, p_value):
    selection = select(found, p_value)
    best = min(found, key=lambda own: own.log_loss.mean())
    near = []
    for own in found:
        apart = own.row_loss - best.row_loss
        error = stats.sem(apart)
        if apart.mean() <= max(error, 1e-9):
            near.append(own)
    chosen = selection.recommended
    assert chosen in near
    assert chosen.n_parameters == min(own.n_parameters for own in near)
    twins = [own for own in near if own.name == chosen.same_as]
    assert all(own.n_parameters != chosen.n_parameters for own in twins)
    assert selection.estimator == chosen.name


@given(candidates(), st.none() | st.sampled_from([0.0, 1e-20, 0.009, 0.01, 0.7]))
def test_the_words_do_not_contradict_the_figures(found, p_value):
    selection = select(found, p_value)
    best, chosen = selection.best, selection.recommended
    text = selection.recommendation
    assert text.startswith(f"Use {chosen.name}: ")
    choice = text.splitlines()[0]
    assert ("has fewer parameters" in choice) == (
        chosen is not best
        and chosen.n_parameters < best.n_parameters < np.inf
        and best.same_as != chosen.name
    )
    assert "speaks for" not in text
    if "assumes" in text:
        assert chosen.covariances == ("per class" if p_value < 0.01 else "common")
    if "does about as well or better" in text:
        assert chosen.covariances == "common"
    for line in (choice, *text.splitlines()[1:]):
        assert line.endswith(".")


def test_a_row_that_is_held_out_twice_counts_once():
    losses = np.array([0.1, 0.5, 0.2, 0.9])
    once = HeldOut(np.arange(4), np.full(4, 1 / 4))
    twice = HeldOut(np.tile(np.arange(4), 2), np.full(8, 1 / 8))
    assert once.mean_with_error(losses) == pytest.approx((losses.mean(), stats.sem(losses)))
    assert twice.mean_with_error(np.tile(losses, 2)) == pytest.approx(
        once.mean_with_error(losses), rel=1e-12
    )


def test_a_single_row_has_no_standard_error():
    mean, error = HeldOut(np.zeros(2, dtype=int), np.full(2, 0.5)).mean_with_error(np.arange(2.0))
    assert mean == 0.5
    assert np.isnan(error)


def test_differences_are_those_of_the_log_losses_also_in_unequal_folds():
    X, y = load_wine(return_X_y=True)  # 178 rows in 10 folds
    selection = select_model(X, y)
    for own in selection.candidates:
        apart = own.log_loss.mean() - selection.best.log_loss.mean()
        assert own.behind(selection.best)[0] == pytest.approx(apart, abs=1e-12)


def test_paired_differences_are_those_of_cross_val_predict(iris):
    X, y = iris
    y = np.unique(y, return_inverse=True)[1]
    selection = select_model(X, y, cv=5, others=[])
    found = {own.name: own for own in selection.candidates}
    rows = np.arange(len(y))
    losses = {
        name: -np.log(cross_val_predict(model, X, y, cv=5, method="predict_proba")[rows, y])
        for name, model in (("QDA", QDA()), ("LDA", LDA()))
    }
    apart = losses["LDA"] - losses["QDA"]
    expected = apart.mean(), stats.sem(apart)
    assert found["LDA"].behind(found["QDA"]) == pytest.approx(expected, rel=1e-7)


def test_repeated_folds_do_not_shrink_the_standard_error(iris):
    X, y = iris
    folds = [RepeatedStratifiedKFold(n_splits=5, n_repeats=n, random_state=0) for n in (1, 9)]
    once, often = (select_model(X, y, cv=own, others=[]) for own in folds)
    errors = [
        {own.name: own.behind(selection.best)[1] for own in selection.candidates}["GaussianNB"]
        for selection in (once, often)
    ]
    assert errors[1] > errors[0] / 2  # by a third if each of the nine times counted


def test_one_split_is_shown_without_a_standard_error(iris):
    splits = ShuffleSplit(n_splits=1, test_size=0.4, random_state=0)
    selection = select_model(*iris, cv=splits)
    assert "nan" not in str(selection)
    assert selection.recommended is not None


@pytest.mark.parametrize(
    ("rda", "pure", "name"),
    [
        (RDA(0, 0), QDA(), "QDA"),
        (RDA(1, 0), LDA(), "LDA"),
        (RDA(covariance="full"), QDA(), "QDA"),
        (RDA(covariance="tied"), LDA(), "LDA"),
        (RDA(covariance="diag"), GaussianNB(var_smoothing=0), "GaussianNB"),
        (RDA(0, 1, target="diagonal"), GaussianNB(var_smoothing=0), "GaussianNB"),
    ],
)
def test_the_ends_of_the_shares_are_pure_models(rda, pure, name, iris):
    X, y = iris
    rda.fit(X, y)
    pure.fit(X, y)
    found = complexity(rda)
    assert found.same_as == name
    assert found.n_parameters == complexity(pure).n_parameters
    assert found.covariances == complexity(pure).covariances
    np.testing.assert_allclose(rda.predict_proba(X), pure.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pooling", ["covariance", "scatter"])
@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
@pytest.mark.parametrize(("alpha", "gamma"), [(0.3, 0.6), (1, 0.5), (0, 1), (0.5, 0)])
def test_effective_parameters_are_the_trace_of_the_regularization(alpha, gamma, target, pooling):
    """The covariances are linear in those of the classes: probe each free element in turn."""
    counts, d = np.array([4.0, 6.0, 10.0]), 2
    elements = [(0, 0), (0, 1), (1, 1)]

    def regularized(covariances):
        if pooling == "scatter":
            scatters = counts[:, None, None] * covariances
            divisors = (1 - alpha) * counts + alpha * counts.sum()
            mixed = ((1 - alpha) * scatters + alpha * scatters.sum(axis=0)) / divisors[
                :, None, None
            ]
        else:
            pooled = np.tensordot(counts / counts.sum(), covariances, axes=1)
            mixed = (1 - alpha) * covariances + alpha * pooled
        goal = {
            "spherical": [np.trace(own) / d * np.eye(d) for own in mixed],
            "diagonal": [np.diag(np.diag(own)) for own in mixed],
            "identity": [np.zeros((d, d)) for _ in mixed],  # does not depend on the covariances
        }[target]
        return (1 - gamma) * mixed + gamma * np.array(goal)

    trace = 0.0
    for k in range(3):
        for i, j in elements:
            probe = np.zeros((3, d, d))
            probe[k, i, j] = probe[k, j, i] = 1.0
            trace += regularized(probe)[k, i, j]
    y = np.repeat([0, 1, 2], counts.astype(int))
    X = np.random.default_rng(0).normal(size=(20, d))
    model = RDA(alpha, gamma, target=target, pooling=pooling).fit(X, y)
    assert complexity(model).n_parameters == pytest.approx(2 + 3 * d + trace, rel=1e-12)


def test_criteria_of_regularized_models_count_effective_parameters(iris):
    X, y = iris
    found = {own.name: own for own in select_model(X, y, cv=5, others=[]).candidates}["RDA"]
    search = RegularizedDiscriminantAnalysisCV(cv="loo").fit(X, y)
    expected = (2 + 12 + (3 - 2 * search.alpha_) * 10) * np.log(150)
    expected -= 2 * search.diagnostics().log_likelihood
    assert (search.gamma_, found.bic) == (0.0, pytest.approx(expected))
    assert search.diagnostics().bic == pytest.approx(expected)


def test_softmax_has_no_parameters_for_one_of_the_classes(iris):
    found = {own.name: own.n_parameters for own in select_model(*iris, cv=3).candidates}
    assert found["logistic regression"] == (3 - 1) * (4 + 1)
    X, y = load_breast_cancer(return_X_y=True)
    found = {own.name: own.n_parameters for own in select_model(X, y, cv=3).candidates}
    assert found["logistic regression"] == 30 + 1


def test_of_equal_models_the_plain_one_is_recommended(iris):
    twins = {"shares": RDA(1, 0), "structure": RDA(covariance="tied")}
    selection = select_model(*iris, cv=3, others=twins)
    assert selection.recommended.name == "LDA"
    assert {own.same_as for own in selection.candidates if own.name in twins} == {"LDA"}
    choice = selection.recommendation.splitlines()[0]
    assert "the same model" in choice or "fitted to all rows it is LDA" in choice


def test_no_difference_is_not_called_one():
    losses = [0.1, 0.2, 0.3, 0.4]
    selection = select([synthetic("QDA", losses, 9), synthetic("LDA", losses, 5)])
    assert selection.recommendation == (
        "Use LDA: QDA has the smallest log-loss (0.25), but LDA has fewer parameters (5, not 9) "
        "and is as good on held-out rows."
    )


def test_one_column_makes_naive_bayes_qda(iris):
    X, y = iris
    found = {own.name: own for own in select_model(X[:, :1], y, cv=5).candidates}
    assert found["GaussianNB"].same_as == "QDA"
    assert found["GaussianNB"].n_parameters == found["QDA"].n_parameters == 2 + 3 + 3
    np.testing.assert_allclose(found["GaussianNB"].row_loss, found["QDA"].row_loss, rtol=1e-6)


def test_models_without_known_parameters_are_never_called_simpler(iris):
    forest = RandomForestClassifier(10, random_state=0)
    selection = select_model(*iris, cv=3, others={"forest": forest})
    found = {own.name: own for own in selection.candidates}
    assert found["forest"].n_parameters == np.inf
    assert selection.recommended.name != "forest"


def test_on_iris_the_choice_of_lda_stands_beside_the_test_of_covariances(iris):
    lines = select_model(*iris).recommendation.splitlines()
    assert lines[0].startswith("Use LDA: QDA has the smallest log-loss")
    assert lines[1].startswith("The covariances of the classes differ (Box's M, p = 3.4e-20")
    assert lines[1].endswith("but on held-out rows a common one does about as well or better.")


def test_the_table_in_html_escapes_what_models_say(iris):
    class Odd(RandomForestClassifier):
        def fit(self, _X, _y):
            raise ValueError("a < b & c")

    html = select_model(*iris, cv=3, others={"<odd>": Odd()})._repr_html_()
    assert "&lt;odd&gt;" in html
    assert "a &lt; b &amp; c" in html
