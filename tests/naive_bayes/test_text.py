"""Naive Bayes of texts against scikit-learn's, sums by a loop, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from models import MODELS, TEXT
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import naive_bayes
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import gauda
from gauda import ComplementNB, Counts, MultinomialNB

N, D, K = 400, 60, 5
TEXTS = ["cheap pills cheap", "meeting at noon", "pills for you", "noon meeting notes"] * 5
TOPICS = ["spam", "ham", "spam", "ham"] * 5


def term_counts(seed=0, n=N):
    """Draw sparse counts of terms, and classes that have terms of their own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    rates = rng.gamma(0.3, size=(K, D))
    return sp.csr_array(rng.poisson(rates[y])), np.array([f"topic {k}" for k in y])


@pytest.fixture(params=TEXT)
def name(request):
    return request.param


def pair(name, **parameters):
    return getattr(gauda, name)(**parameters), getattr(naive_bayes, name)(**parameters)


def parameters_of(name):
    yield {}
    yield {"alpha": 0.01, "fit_prior": False}
    yield {"alpha": np.linspace(0.1, 2, D)}
    yield {"class_prior": [0.1, 0.2, 0.3, 0.3, 0.1]}
    if name == "ComplementNB":
        yield {"norm": True}


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dense", "F", "int32", "float32", "uint16"])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_is_as_in_scikit_learn(name, form, weighted):
    X, y = term_counts()
    weights = np.random.default_rng(1).exponential(size=N) if weighted else None
    given = {
        "csr": lambda: X,
        "csc": X.tocsc,
        "coo": X.tocoo,
        "dense": X.toarray,
        "F": lambda: np.asfortranarray(X.toarray()),
    }.get(form, lambda: X.astype(form))()
    for parameters in parameters_of(name):
        ours, theirs = pair(name, **parameters)
        ours.fit(given, y, weights)
        theirs.fit(X, y, weights)
        for attribute in [own for own in vars(theirs) if own.endswith("_")]:
            expected = getattr(theirs, attribute)
            if np.asarray(expected).dtype.kind == "f":
                assert_allclose(getattr(ours, attribute), expected, rtol=1e-12)
            else:
                assert_array_equal(getattr(ours, attribute), expected)
        joint = theirs.predict_joint_log_proba(X)
        assert_allclose(ours.predict_joint_log_proba(given), joint, rtol=1e-12)
        assert_allclose(ours.predict_proba(given), theirs.predict_proba(X), rtol=1e-9, atol=1e-300)
        assert_array_equal(ours.predict(given), theirs.predict(X))


def test_batches_are_as_in_scikit_learn(name):
    X, y = term_counts()
    ours, theirs = pair(name)
    for part in np.array_split(np.arange(N), 7):
        for model in (ours, theirs):
            model.partial_fit(X[part], y[part], classes=np.unique(y))
        assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-12)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer])
def test_texts_are_told_apart(name, vectorizer):
    X = vectorizer().fit_transform(TEXTS)
    ours, theirs = pair(name)
    assert_allclose(
        ours.fit(X, TOPICS).predict_proba(X), theirs.fit(X, TOPICS).predict_proba(X), rtol=1e-12
    )
    assert ours.score(X, TOPICS) == 1


def test_entries_given_twice_add_up(name):
    X, y = term_counts()
    doubled = sp.csr_array(
        (np.repeat(X.data, 2) / 2, np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    model = getattr(gauda, name)().fit(X, y)
    twice = getattr(gauda, name)().fit(doubled, y)
    assert_array_equal(twice.feature_count_, model.feature_count_)
    assert_allclose(twice.predict_log_proba(doubled), model.predict_log_proba(X), rtol=1e-9)
    assert_allclose(twice.loo_log_proba(doubled, y), model.loo_log_proba(X, y), rtol=1e-9)


def test_sparse_rows_are_left_out_like_dense_ones(name):
    X, y = term_counts(n=60)
    for parameters in ({}, {"norm": True}) if name == "ComplementNB" else ({},):
        model = getattr(gauda, name)(**parameters).fit(X, y)
        found = model.loo_log_proba(X, y)
        assert_array_equal(model.loo_log_proba(X.toarray(), y), found)
        for row in range(0, 60, 7):
            rest = np.arange(60) != row
            alone = getattr(naive_bayes, name)(class_prior=np.exp(model.class_log_prior_))
            alone.set_params(**parameters).fit(X[rest], y[rest])
            expected = alone.predict_log_proba(X[[row]])[0]
            assert_allclose(found[row], expected, rtol=1e-9, atol=1e-12)


def test_counts_merge_stream_and_subtract(name):
    X, y = term_counts()
    kind = {"kind": "multinomial"}
    whole = Counts.from_data(X, y, **kind)
    assert_array_equal(
        whole.feature_count, np.stack([X.toarray()[y == c].sum(axis=0) for c in np.unique(y)])
    )
    parts = [Counts.from_data(X[part], y[part], **kind) for part in (slice(99), slice(99, N))]
    assert sum(parts) == whole
    assert whole - parts[0] == parts[1]
    dense = X.toarray()
    stream = ((dense[part], y[part]) for part in np.array_split(np.arange(N), 4))
    assert Counts.from_stream(stream, **kind) == whole
    model = getattr(gauda, name)
    assert_array_equal(model.from_counts(whole).predict(X), model().fit(X, y).predict(X))
    streamed = model().fit_stream((dense[part], y[part]) for part in [slice(99), slice(99, N)])
    assert streamed.counts_ == whole
    forgotten = model().fit(X, y).forget_rows(X[:99], y[:99])
    assert forgotten.counts_ == parts[1]


def test_what_was_not_added_is_not_subtracted():
    a = Counts.from_data([[3, 1]], ["a"], kind="multinomial")
    with pytest.raises(ValueError, match="not part of the counts"):
        a - Counts.from_data([[4, 0]], ["a"], kind="multinomial")
    with pytest.raises(ValueError, match="would have entries, but no rows"):
        a - Counts.from_data([[1, 1]], ["a"], kind="multinomial")


def test_terms_of_probability_0_rule_classes_out():
    model = MultinomialNB(alpha=0.0).fit([[2, 0, 1], [0, 3, 1]], ["a", "b"])
    for X in ([[1, 0, 0], [0, 0, 5]], sp.csr_array([[1, 0, 0], [0, 0, 5]])):
        found = model.predict_proba(X)
        # p(third term | a) = 1 / 3, p(third term | b) = 1 / 4
        odds = (4 / 3) ** 5
        assert_allclose(found, [[1, 0], [odds / (1 + odds), 1 / (1 + odds)]], rtol=1e-12)
        assert_array_equal(model.predict_log_proba(X)[0], [0, -np.inf])
    with pytest.raises(ValueError, match="Row 1 of X has probability 0 in every class"):
        model.predict([[1, 0, 0], [1, 1, 0]])
    with pytest.raises(ValueError, match="alpha must be above 0"):
        ComplementNB(alpha=0.0).fit([[2, 0, 1], [0, 3, 1]], ["a", "b"])


@pytest.mark.parametrize("alpha", [1e-10, 0.5])
@pytest.mark.parametrize("norm", [False, True])
def test_complements_of_rows_of_unlike_weights_keep_their_digits(alpha, norm):
    X = np.array([[3, 0, 1, 2], [1, 4, 0, 1], [0, 2, 5, 1], [2, 1, 1, 3], [1, 0, 2, 6]])
    y, weights = np.array([0, 1, 2, 0, 1]), np.array([1e16, 0.1, 0.3, 1e12, 1e-3])
    model = ComplementNB(alpha=alpha, norm=norm).fit(X, y, sample_weight=weights)
    exact = [
        [Fraction(weight) * int(term) for term in row]
        for weight, row in zip(weights, X, strict=True)
    ]
    for k in range(3):
        others = [row for row, label in zip(exact, y, strict=True) if label != k]
        counts = [sum(column) + Fraction(alpha) for column in zip(*others, strict=True)]
        logs = np.array([-math.log(count / sum(counts)) for count in counts])
        expected = logs / logs.sum() if norm else logs
        assert_allclose(model.feature_log_prob_[k], expected, rtol=1e-12)


def test_complements_without_a_row_keep_their_digits():
    X = np.array([[3, 0, 1, 2], [1, 4, 0, 1], [0, 2, 5, 1], [2, 1, 1, 3], [1, 0, 2, 6]])
    y, weights = np.array([0, 1, 2, 0, 1]), np.array([1e12, 0.1, 0.3, 1e12, 0.2])
    model = ComplementNB(alpha=1e-10).fit(X, y, sample_weight=weights)
    found = model.loo_log_proba(X, y, sample_weight=weights)
    for row in range(len(y)):
        rest = np.where(np.arange(len(y)) == row, 0.0, weights)
        alone = ComplementNB(alpha=1e-10).fit(X, y, sample_weight=rest)
        assert_allclose(found[row], alone.predict_log_proba(X[[row]])[0], rtol=1e-11, atol=1e-11)


def test_the_density_is_that_of_terms_in_their_order():
    model = MultinomialNB().fit([[3, 1], [1, 4]], [0, 1])
    p = np.exp(model.feature_log_prob_)
    expected = math.log(0.5 * p[0, 0] ** 2 * p[0, 1] + 0.5 * p[1, 0] ** 2 * p[1, 1])
    assert_allclose(model.score_samples([[2, 1]]), [expected], rtol=1e-14)


def test_rows_are_drawn_with_the_terms_of_their_class():
    X, y = term_counts()
    model = MultinomialNB().fit(X, y)
    drawn, labels = model.sample(y=["topic 2"] * 3000, random_state=0)
    assert set(labels) == {"topic 2"}
    length = round(float(X.toarray()[y == "topic 2"].sum(axis=1).mean()))
    assert_array_equal(drawn.sum(axis=1), length)
    p = np.exp(model.feature_log_prob_[2])
    deviation = np.sqrt(length * p * (1 - p) / 3000)
    assert (np.abs(drawn.mean(axis=0) - length * p) < 5 * deviation).all()
    again, _ = model.set_params(n_threads=1).sample(y=["topic 2"] * 3000, random_state=0)
    assert_array_equal(again, drawn)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("entry", "words"),
    [(-1.0, "Negative values in data passed to"), (np.nan, "NaN"), (np.inf, "infinity")],
)
def test_entries_that_count_nothing_are_refused(name, entry, words, sparse):
    X, y = term_counts()
    bad = X.toarray().astype(float)
    bad[7, 3] = entry
    bad = sp.csr_array(bad) if sparse else bad
    model = getattr(gauda, name)()
    with pytest.raises(ValueError, match=f"{words}.* at row 7, column 3"):
        model.fit(bad, y)
    assert not hasattr(model, "classes_")
    model.fit(X, y)
    before = model.predict_log_proba(X)
    for method in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=f"{words}.* at row 7, column 3"):
            method(bad)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(bad, y)
    assert_array_equal(model.predict_log_proba(X), before)


def test_scores_that_overflow_are_refused(name):
    X, y = term_counts()
    model = getattr(gauda, name)().fit(X, y)
    huge = np.zeros((2, D))
    huge[1, :5] = 1e308
    for rows in (huge, sp.csr_array(huge)):
        with pytest.raises(ValueError, match="Row 1 of X is so far from the classes"):
            model.predict_proba(rows)
    with pytest.raises(ValueError, match=r"too large|more than a float"):
        model.fit(np.full((4, D), 1e308), [0, 0, 1, 1])


@pytest.mark.parametrize("alpha", [[1.0] * 3, np.ones((D, 2)), -1.0, np.nan])
def test_impossible_smoothing_is_refused(name, alpha):
    X, y = term_counts()
    model = getattr(gauda, name)(alpha=alpha)
    with pytest.raises(ValueError, match="alpha"):
        model.fit(X, y)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("own", ["QDA", "LDA", "RDA", "GaussianNB", "MixedNB", "CategoricalNB"])
def test_others_refuse_sparse_rows_and_name_who_takes_them(own):
    X, y = MODELS[own].data()
    sparse = sp.csr_array(np.abs(np.asarray(X, dtype=object if own == "MixedNB" else None) == 1))
    for call in (
        lambda: MODELS[own].make().fit(sparse, y),
        lambda: MODELS[own].fitted().predict(sparse),
    ):
        with pytest.raises(TypeError, match="sparse") as refusal:
            call()
        for other in ("MultinomialNB", "ComplementNB", "BernoulliNB", "MixedNB"):
            assert other in str(refusal.value)
        assert "toarray" not in str(refusal.value)


def test_terms_of_a_contrast_add_up_to_the_expected_log_ratio():
    X, y = term_counts()
    model = MultinomialNB().fit(X, y)
    p, q = np.exp(model.feature_log_prob_[[1, 3]])
    length = X.toarray()[y == "topic 1"].sum(axis=1).mean()
    found = model.contrast("topic 1", "topic 3")
    assert (found.expected >= 0).all()
    assert_allclose(found.total, length * (p * np.log(p / q)).sum(), rtol=1e-12)


def test_empty_texts_have_the_priors_as_posteriors():
    X, y = term_counts()
    model = MultinomialNB().fit(X, y)
    nothing = sp.csr_array((3, D))
    expected = np.broadcast_to(np.exp(model.class_log_prior_), (3, K))
    assert_allclose(model.predict_proba(nothing), expected, rtol=1e-12)


def test_complements_have_no_density_and_say_so():
    X, y = term_counts()
    model = ComplementNB().fit(X, y)
    for method in ("score_samples", "sample", "diagnostics", "contrast"):
        assert not hasattr(model, method)
        with pytest.raises(AttributeError, match="Use MultinomialNB"):
            getattr(model, method)
    with pytest.raises(ValueError, match="Use MultinomialNB"):
        model.classify(X, ("label", "log_density"))
    with pytest.raises(ValueError, match="norm=False"):
        ComplementNB(norm=True).fit([[1], [2]], [0, 1])


def test_priors_for_a_call_multiply_what_complements_say():
    X, y = term_counts()
    model = ComplementNB().fit(X, y)
    priors = np.array([0.1, 0.2, 0.3, 0.3, 0.1])
    odds = model.predict_proba(X) * priors
    assert_allclose(
        model.predict_proba(X, priors=priors), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9
    )


# Names of terms


@pytest.mark.parametrize("kind", [MultinomialNB, ComplementNB, gauda.BernoulliNB])
def test_sparse_frames_of_pandas_name_the_terms(kind):
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(TEXTS)
    counts.sort_indices()  # as frames have them: terms of a text are summed up in this order
    terms = vectorizer.get_feature_names_out()
    frame = pd.DataFrame.sparse.from_spmatrix(counts, columns=terms)
    model, plain = kind().fit(frame, TOPICS), kind().fit(counts, TOPICS)
    assert_array_equal(model.predict_log_proba(frame), plain.predict_log_proba(counts))
    assert_array_equal(model.feature_names_in_, terms)
    assert "pills" in str(model.summary())
    assert model.explain(frame.iloc[[0]]).features == terms.tolist()
    assert_array_equal(
        model.partial_fit(frame, TOPICS).predict_proba(frame),
        plain.partial_fit(counts, TOPICS).predict_proba(counts),
    )
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("kind", [MultinomialNB, gauda.BernoulliNB])
def test_frames_that_are_not_sparse_throughout_are_read_as_dense(kind):
    counts, y = term_counts(n=30)
    dense = pd.DataFrame(counts.toarray()).add_prefix("t")
    partly = dense.astype({"t0": pd.SparseDtype("int64", 0)})
    expected = kind().fit(dense, y).predict_proba(dense)
    with pytest.warns(UserWarning, match="will be converted to a dense numpy array"):
        model = kind().fit(partly, y)
    assert_array_equal(model.predict_proba(dense), expected)
    filled = dense.astype(pd.SparseDtype("int64", fill_value=1))
    assert_array_equal(kind().fit(filled, y).predict_proba(filled), expected)


def test_a_sparse_frame_is_refused_where_zeros_are_values():
    counts, y = term_counts(n=30)
    frame = pd.DataFrame.sparse.from_spmatrix(counts).add_prefix("t")
    with pytest.raises(TypeError, match=r"must be given a dense X.* got a sparse DataFrame"):
        gauda.GaussianNB().fit(frame, y)
