"""EM over streams: the same as a fit to all rows, whatever the batches."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from gaps import correlated, with_gaps
from models import GAUSSIAN, STEPWISE
from support import ours

from gauda import LDA, QDA, RDA, GaussianNB, NormalInverseWishart

LEARNERS = [name for name in GAUSSIAN if name in STEPWISE]
ESTIMATORS = [
    QDA(),
    LDA(),
    LDA("lsqr", 0.2, priors=[0.2, 0.5, 0.3]),
    RDA(0.3, 0.2),
    QDA(conjugate_prior=NormalInverseWishart(np.zeros(4), 1.0, np.eye(4), 7.0)),
    GaussianNB(),
]


def rows(n=300, share=0.2):
    """Return rows with gaps, and labels."""
    X, y = correlated(n, 4, 3)
    return with_gaps(X, share), np.array(["ant", "bee", "fly"])[y]


def in_batches(X, y, size, weights=None):
    """Return batches of so many rows."""
    starts = range(0, len(X), size)
    parts = [X, y] if weights is None else [X, y, weights]
    return [tuple(part[start : start + size] for part in parts) for start in starts]


def assert_same(model, expected):
    """Compare models by their moments and iterations."""
    ours, theirs = model.moments_, expected.moments_
    np.testing.assert_array_equal(ours.classes, theirs.classes)
    np.testing.assert_allclose(ours.counts, theirs.counts, rtol=1e-13)
    np.testing.assert_allclose(ours.means, theirs.means, rtol=1e-10)
    np.testing.assert_allclose(ours.scatter, theirs.scatter, rtol=1e-8, atol=1e-9)
    assert (model.n_iter_, model.converged_) == (expected.n_iter_, expected.converged_)
    np.testing.assert_allclose(model.log_likelihood_, expected.log_likelihood_, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 7, 50, 300])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_stream_gives_the_fit_to_all_rows(estimator, size, weighted):
    X, y = rows()
    weights = np.arange(300) % 4 / 2 + 0.5 if weighted else None
    estimator.set_params(missing="marginalize")
    expected = type(estimator)(**estimator.get_params()).fit(X, y, sample_weight=weights)
    estimator.fit_stream(in_batches(X, y, size, weights), batch_rows=size)
    assert_same(estimator, expected)
    np.testing.assert_allclose(
        estimator.predict_proba(X), expected.predict_proba(X), rtol=1e-6, atol=1e-12
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_nulls_of_tables_and_files_are_missing_values(name, tmp_path):
    X, y = rows()
    model = ours(name, missing="marginalize")
    expected = ours(name, missing="marginalize").fit(X, y)
    frame = pl.DataFrame(X, schema=list("abcd")).fill_nan(None).with_columns(y=pl.Series(y))
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_csv(tmp_path / "rows.csv")
    sources = [frame, frame.to_arrow(), tmp_path / "rows.parquet", tmp_path / "rows.csv"]
    for source in sources:
        assert_same(model.fit_stream(source, target="y", batch_rows=64), expected)


def test_classes_may_come_batch_after_batch():
    X, y = rows()
    order = np.argsort(y, kind="stable")
    expected = QDA(missing="marginalize").fit(X, y)
    model = QDA(missing="marginalize").fit_stream(in_batches(X[order], y[order], 60), batch_rows=60)
    assert_same(model, expected)


def test_rows_are_read_three_times_if_the_sums_of_their_patterns_are_small():
    random = np.random.default_rng(0)
    X = random.standard_normal((2800, 12))
    X[random.random(X.shape) < 0.3] = np.nan
    y = np.arange(2800) % 2
    passes = []

    class Counted:
        def __iter__(self):
            passes.append(1)
            return iter(in_batches(X, y, 100))

    settings = {"missing": "marginalize", "em_max_iter": 1000}
    model = LDA(**settings).fit_stream(Counted())
    assert_same(model, LDA(**settings).fit(X, y))
    assert len(passes) == 3  # plain sums, what is observed, and the first expectation


def test_a_complete_stream_is_read_once_and_fits_the_same_bits():
    X, y = correlated(300, 4, 3)
    batches = in_batches(X, y, 50)
    plain = QDA().fit_stream(iter(batches))
    model = QDA(missing="marginalize").fit_stream(iter(batches))
    assert model.moments_ == plain.moments_
    assert (model.n_iter_, model.converged_) == (0, True)


def test_what_gives_its_rows_once_is_refused_if_values_are_missing():
    X, y = rows()
    table = pa.table({"x": X[:, 0], "y": y})
    for source, target in ((iter(in_batches(X, y, 50)), None), (table.to_reader(), "y")):
        model = QDA(missing="marginalize")
        with pytest.raises(ValueError, match=r"EM reads the rows again, .* gives them once"):
            model.fit_stream(source, target=target)
        assert not hasattr(model, "means_")


def test_rows_that_change_between_passes_are_refused():
    X, y = rows()

    class Shrinking:
        length = 300

        def __iter__(self):
            self.length -= 10
            return iter(in_batches(X[: self.length], y[: self.length], 50))

    with pytest.raises(ValueError, match="rows must be the same each time they are read"):
        QDA(missing="marginalize").fit_stream(Shrinking())


@pytest.mark.parametrize("name", LEARNERS)
def test_infinity_is_named_with_its_row(name):
    X, y = rows()
    X[200, 2] = np.inf
    with pytest.raises(ValueError, match="infinity at row 200, column 2"):
        ours(name, missing="marginalize").fit_stream(in_batches(X, y, 50), batch_rows=50)


def test_weights_of_any_size_give_the_same_estimates():
    X, y = rows()
    models = [
        QDA(missing="marginalize", store_covariance=True).fit_stream(
            in_batches(X, y, 50, np.full(300, scale))
        )
        for scale in (1.0, 2.0**-500, 2.0**300)
    ]
    for model in models[1:]:
        np.testing.assert_allclose(model.covariance_, models[0].covariance_, rtol=1e-9)


def test_threads_change_no_bit():
    X, y = rows(3000)
    one, two = (
        QDA(missing="marginalize", n_threads=n).fit_stream(in_batches(X, y, 500)) for n in (1, 2)
    )
    assert one.moments_ == two.moments_


def test_class_weights_count():
    X, y = rows()
    weights = {"ant": 2.0, "bee": 0.5}
    settings = {"missing": "marginalize", "class_weight": weights}
    model = LDA(**settings).fit_stream(in_batches(X, y, 50))
    assert_same(model, LDA(**settings).fit(X, y))


def test_a_frame_is_streamed_with_its_names():
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    model = LDA(missing="marginalize").fit_stream(frame, target="y")
    assert list(model.feature_names_in_) == list("abcd")
