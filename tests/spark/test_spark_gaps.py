"""Values that are missing at the fit on Spark: the estimates of all rows in memory."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from models import GAUSSIAN, MODELS, STEPWISE, TEXT
from pyspark.errors import PythonException
from pyspark.sql import functions as sql
from spark_session import MARKS, session

import gauda
from gauda._cluster import em
from gauda.spark import GaudaClassifier

pytestmark = MARKS

COLUMNS = ["a", "b", "c"]
TAKE_GAPS = [name for name in STEPWISE if name not in TEXT]


@pytest.fixture(scope="module")
def spark():
    """Give a session of two cores, in which failed tasks are tried again."""
    with session("local[2,4]") as spark:
        yield spark


def with_gaps(name, n=240):
    """Return rows of which a seventh of the entries are missing, but none of the first 40."""
    X, y = MODELS[name].data(n)
    frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=COLUMNS)
    hidden = np.random.default_rng(5).random(frame.shape) < 1 / 7
    hidden[:40] = False
    return frame.astype(object).mask(hidden, np.nan).convert_dtypes(), y


def as_spark(spark, frame, y, n_partitions=3):
    """Return rows with nulls and labels as a frame of Spark with an index."""
    entries = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    rows = [(*entries[at], label, at) for at, label in enumerate(y.tolist())]
    source = spark.createDataFrame(rows, [*frame.columns, "species", "row"])
    return source.repartitionByRange(n_partitions, "row")


def classifier_of(estimator, names=COLUMNS, **params):
    params = {"handleInvalid": "keep"} | params
    return GaudaClassifier(
        estimator=estimator, featuresCols=list(names), labelCol="species", **params
    )


@pytest.mark.parametrize("name", TAKE_GAPS)
def test_estimates_are_those_of_the_rows_in_memory(spark, name):
    frame, y = with_gaps(name)
    rows = frame.astype("float64") if name in GAUSSIAN else frame
    expected = MODELS[name].make(missing="marginalize").fit(rows, y)
    fitted = classifier_of(MODELS[name].make(), frame.columns).fit(as_spark(spark, frame, y))
    np.testing.assert_array_equal(fitted.estimator.classes_, expected.classes_)
    np.testing.assert_allclose(
        fitted.estimator.predict_log_proba(rows),
        expected.predict_log_proba(rows),
        rtol=1e-9,
        atol=1e-9,
    )


def test_em_takes_two_passes_where_few_sets_of_columns_are_missing(spark, passes):
    frame, y = with_gaps("QDA")
    found = classifier_of(gauda.QDA()).fit(as_spark(spark, frame, y)).estimator
    assert found.n_iter_ == gauda.QDA(missing="marginalize").fit(frame.astype(float), y).n_iter_ > 1
    assert len(passes) == 2


def test_without_gaps_one_pass_gives_the_sums_of_a_plain_fit(spark, passes):
    X, y = MODELS["QDA"].data(120)
    source = as_spark(spark, pd.DataFrame(X, columns=COLUMNS), y)
    found = classifier_of(gauda.QDA()).fit(source).estimator
    assert len(passes) == 1
    plain = classifier_of(gauda.QDA(), handleInvalid="error").fit(source).estimator
    assert found.moments_ == plain.moments_


def test_weights_and_vectors_count(spark):
    frame, y = with_gaps("LDA")
    weights = 1.0 + np.arange(len(y)) % 3
    source = as_spark(spark, frame, y).withColumn("mass", 1.0 + sql.col("row") % 3)
    filled = [sql.coalesce(sql.col(name), sql.lit(float("nan"))) for name in COLUMNS]
    source = source.withColumn("features", sql.array(*filled))
    classifier = GaudaClassifier(
        estimator=gauda.LDA(), labelCol="species", weightCol="mass", handleInvalid="keep"
    )
    expected = gauda.LDA(missing="marginalize").fit(frame.astype(float), y, weights)
    np.testing.assert_allclose(
        classifier.fit(source).estimator.means_, expected.means_, rtol=1e-10, atol=1e-12
    )


def test_a_worker_that_dies_in_em_changes_no_bit(spark, tmp_path, monkeypatch):
    frame, y = with_gaps("QDA")
    source = as_spark(spark, frame, y)
    expected = classifier_of(gauda.QDA()).fit(source).estimator
    killed, expect = tmp_path / "killed", em.expect_block

    def die_once(shared, block):
        if block.partition == 1 and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return expect(shared, block)

    monkeypatch.setattr(em, "expect_block", die_once)
    found = classifier_of(gauda.QDA()).fit(source).estimator
    assert killed.exists()
    assert found.moments_ == expected.moments_
    assert found.n_iter_ == expected.n_iter_


def test_faults_are_those_of_the_fit_in_memory(spark):
    frame, y = with_gaps("QDA")
    source = as_spark(spark, frame, y)
    far = sql.when(sql.col("row") == 130, float("inf")).otherwise(sql.col("c"))
    with pytest.raises(PythonException, match=r"In partition 1: .*infinity at row \d+, column 'c'"):
        classifier_of(gauda.QDA()).fit(source.withColumn("c", far))
    frame.loc[y == y[0], "b"] = np.nan
    with pytest.raises(ValueError, match="never observed") as told:
        gauda.QDA(missing="marginalize").fit(frame.astype(float), y)
    with pytest.raises(ValueError, match="never observed") as found:
        classifier_of(gauda.QDA()).fit(as_spark(spark, frame, y))
    assert str(found.value) == str(told.value)


@pytest.mark.parametrize("name", TEXT)
def test_models_of_terms_keep_no_gaps(spark, name):
    X, y = MODELS[name].data(60)
    source = as_spark(spark, pd.DataFrame(X, columns=COLUMNS), y)
    with pytest.raises(ValueError, match=f"'keep' is for models that .* which {name} does not"):
        classifier_of(MODELS[name].make()).fit(source)
