"""Sums that Spark takes itself against fits in memory, and where rows must be read in Python."""

import numpy as np
import pandas as pd
import pytest
from models import GAUSSIAN, MODELS, STEPWISE
from pyspark.errors import PythonException
from pyspark.sql import functions as sql
from spark_session import MARKS, session

import gauda
from gauda.spark import GaudaClassifier

pytestmark = MARKS

COLUMNS = ["a", "b", "c"]
LABELS = np.array(["ant", "bee", "cockatoo"])


@pytest.fixture(scope="module")
def spark():
    """Give a session of two cores."""
    with session("local[2]") as spark:
        yield spark


@pytest.fixture(scope="module")
def frame():
    """Give rows sorted by class, with integers and a column that is constant in a class."""
    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(3, size=300))
    X = rng.normal(size=(300, 3)) * [1, 1e-3, 1e6] + y[:, np.newaxis] * [3, 1e-3, 1e6]
    frame = pd.DataFrame(X, columns=COLUMNS).assign(species=LABELS[y])
    return frame.assign(count=rng.integers(9, size=300), same=np.where(y == 1, 0.1, X[:, 0]))


def rows_of(spark, frame):
    """Return a frame of Spark, whose rows are in one partition."""
    return spark.createDataFrame(frame).coalesce(1)


def classifier_of(estimator, names, **params):
    return GaudaClassifier(
        estimator=estimator, featuresCols=list(names), labelCol="species", **params
    )


def same_moments(found, expected):
    """Compare sums to twelve digits."""
    np.testing.assert_array_equal(found.classes, expected.classes)
    assert found.classes.dtype == expected.classes.dtype
    np.testing.assert_array_equal(found.class_rows, expected.class_rows)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12)


DIAGONAL = [
    name
    for name in GAUSSIAN
    if name in STEPWISE and MODELS[name].fitted().moments_.structure == "diag"
]


@pytest.mark.parametrize("name", DIAGONAL)
def test_rows_stay_where_they_are(spark, frame, passes, name):
    names = [*COLUMNS, "count"]
    model = classifier_of(MODELS[name].make(), names).fit(rows_of(spark, frame)).estimator
    expected = MODELS[name].make().fit(frame[names], frame["species"])
    assert not passes
    same_moments(model.moments_, expected.moments_)
    scores = expected.predict_log_proba(frame[names])
    np.testing.assert_allclose(model.predict_log_proba(frame[names]), scores, rtol=1e-9, atol=1e-9)


def test_labels_may_be_numbers_and_rows_may_be_skipped(spark, frame, passes):
    source = rows_of(spark, frame).withColumn("species", sql.length("species").cast("double"))
    source = source.withColumn("a", sql.when(sql.col("c") > 0, sql.col("a")))
    model = classifier_of(gauda.GaussianNB(), COLUMNS, handleInvalid="skip").fit(source)
    kept = frame[frame["c"] > 0]
    expected = gauda.GaussianNB().fit(kept[COLUMNS], kept["species"].str.len().astype(float))
    assert not passes
    same_moments(model.estimator.moments_, expected.moments_)


def test_columns_that_never_vary_in_a_class_stay_exact(spark, frame, passes):
    names = ["a", "same"]
    model = classifier_of(gauda.GaussianNB(), names).fit(rows_of(spark, frame)).estimator
    assert not passes
    assert model.moments_.scatter[1, 1] == 0
    assert model.theta_[1, 1] == pytest.approx(0.1, rel=1e-14)


def test_the_bits_are_the_same_each_time(spark, frame):
    source = spark.createDataFrame(frame)
    assert source.rdd.getNumPartitions() > 1
    first, second = (classifier_of(gauda.GaussianNB(), COLUMNS).fit(source) for _ in range(2))
    for name in ("means", "scatter"):
        one, other = (getattr(fit.estimator.moments_, name) for fit in (first, second))
        np.testing.assert_array_equal(one, other)


def test_means_far_from_zero_are_read_in_python(spark, frame, passes):
    far = frame.assign(a=frame["a"] + 1e8)
    model = classifier_of(gauda.GaussianNB(), COLUMNS).fit(rows_of(spark, far)).estimator
    assert len(passes) == 1
    same_moments(model.moments_, gauda.GaussianNB().fit(far[COLUMNS], far["species"]).moments_)


def test_values_whose_squares_underflow_are_refused_as_in_memory(spark, frame, passes):
    tiny = frame.assign(a=1e-170 * (1 + frame["b"]))
    model = gauda.GaussianNB(var_smoothing=0.0)
    message = "class ant in column 'a' are too small: their squares underflow a double"
    for fit in (
        lambda: model.fit(tiny[COLUMNS], tiny["species"]),
        lambda: classifier_of(model, COLUMNS).fit(rows_of(spark, tiny)),
    ):
        with pytest.raises(ValueError, match=message):
            fit()
    assert len(passes) == 1


def test_nan_is_refused_by_its_row(spark, frame):
    a = sql.col("a")  # made NaN by Spark, as frames of pandas may come with null instead
    hit = sql.when(a == frame["a"][179], float("nan")).otherwise(a)
    message = r"In partition 0: Input X contains NaN at row \d+, column 'a'"
    with pytest.raises(PythonException, match=message):
        classifier_of(gauda.GaussianNB(), COLUMNS).fit(rows_of(spark, frame).withColumn("a", hit))


def test_frames_without_rows_are_refused(spark, frame):
    empty = rows_of(spark, frame).limit(0)
    with pytest.raises(ValueError, match="no rows"):
        classifier_of(gauda.GaussianNB(), COLUMNS).fit(empty)
