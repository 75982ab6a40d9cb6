"""Fits and predictions inside Spark: an estimator and a model of Spark ML.

It uses `_cluster`; needs the extra `gauda[spark]`. Rows go to Python as Arrow's record batches, and
only the columns that are needed.
"""

from gauda._support.optional import need

need("pyspark", extra="spark")

from gauda.spark._classifier import GaudaClassifier  # noqa: E402 (pyspark comes first)
from gauda.spark._model import GaudaModel  # noqa: E402 (pyspark comes first)

__all__ = ["GaudaClassifier", "GaudaModel"]
