"""A session of Spark on this machine, for the tests that need one."""

import os
import shutil
import sys
from contextlib import contextmanager

import pytest
from pyspark.sql import SparkSession

NO_JAVA = (
    "Spark needs Java 17 with the module jdk.incubator.vector, such as Debian's "
    "openjdk-17-jre-headless"
)


def has_java():
    """Tell whether there is a Java to run Spark with."""
    return shutil.which("java") is not None or "JAVA_HOME" in os.environ


MARKS = [
    pytest.mark.skipif(not has_java(), reason=NO_JAVA),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
"""Of all tests that need a session."""


@contextmanager
def session(master):
    """Give a session whose workers run this Python."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()
