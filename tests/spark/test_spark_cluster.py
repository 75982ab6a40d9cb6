"""Executors in processes of their own give the bits of threads."""

import subprocess
import sys
from pathlib import Path

import pytest
from spark_session import NO_JAVA, has_java

FIT = """
import hashlib, sys
from spark_session import session
from pyspark.sql import functions as sql
import gauda
from gauda.spark import GaudaClassifier

with session(sys.argv[1]) as spark:
    rows = spark.range(0, 6000, 1, 5).select(
        sql.sin("id").alias("a"),
        (sql.cos(sql.col("id") * 2.0) + sql.col("id") % 3).alias("b"),
        (sql.col("id") % 3).cast("double").alias("label"),
    )
    model = GaudaClassifier(estimator=gauda.QDA(), featuresCols=["a", "b"]).fit(rows)
    moments = model.estimator.moments_
    bits = b"".join(array.tobytes() for array in (moments.counts, moments.means, moments.scatter))
    found = model.transform(rows).select("prediction").distinct().count()
    print(hashlib.sha256(bits).hexdigest(), found)
"""


def fit_on(master):
    """Return what a process prints that fits on a cluster."""
    run = subprocess.run(  # noqa: S603 (our own code)
        [sys.executable, "-W", "ignore", "-c", FIT, master],
        cwd=Path(__file__).parents[1],
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.mark.skipif(not has_java(), reason=NO_JAVA)
def test_executors_in_processes_give_the_bits_of_threads():
    first, second = fit_on("local[2]"), fit_on("local-cluster[2,1,1024]")
    assert first == second
    assert first[1] == "3"
