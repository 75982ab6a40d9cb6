"""The model of Spark ML: an ordinary fitted estimator that answers on the executors."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.ml import Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type

from gauda._estimators.learner import Learner
from gauda.spark._columns import Features
from gauda.spark._files import ModelReader, ModelWriter
from gauda.spark._params import GaudaParams, column_name, handle_gaps
from gauda.spark._tasks import answer_batches, struct_type

ANSWER = "gauda_answer"
COLUMNS = {"predictionCol": "label", "probabilityCol": "proba", "rawPredictionCol": "joint"}
"""What is answered in which column."""


class GaudaModel(Model, GaudaParams, MLReadable[Any], MLWritable):
    """A fitted estimator of gauda inside Spark, made by `GaudaClassifier.fit`.

    Attributes
    ----------
    estimator : estimator of gauda
        The ordinary fitted estimator, with all that it can do.

    Examples
    --------
    >>> from gauda import LDA
    >>> from gauda.spark import GaudaModel
    >>> lda = LDA().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> GaudaModel(lda).numClasses
    2
    """

    def __init__(self, estimator: Learner | None = None) -> None:
        super().__init__()
        self.estimator = estimator

    @property
    def numClasses(self) -> int:  # noqa: N802 (as Spark names attributes)
        """Number of classes."""
        return len(self._get_estimator().classes_)

    @property
    def numFeatures(self) -> int:  # noqa: N802 (as Spark names attributes)
        """Number of features."""
        return int(self._get_estimator().n_features_in_)

    def _get_estimator(self) -> Any:
        if self.estimator is None:
            raise ValueError("The model holds no estimator; make it with GaudaClassifier.fit.")
        return self.estimator

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model = handle_gaps(self._get_estimator(), self)
        wanted = {param: column_name(self, param) for param in COLUMNS}
        asked = {param: name for param, name in wanted.items() if name is not None}
        taken = [name for name in asked.values() if name in dataset.columns]
        if taken:
            raise ValueError(
                f"The column {taken[0]!r} exists already. Set another name, such as "
                "predictionCol, or drop it."
            )
        features = Features.of(dataset, self)
        if self.getHandleInvalid() == "skip":
            dataset = dataset.filter(~features.incomplete(dataset))
        if not asked:
            return dataset
        outputs = tuple(COLUMNS[param] for param in asked)
        answer = answering_udf(model, features, outputs)(*features.columns(dataset))
        answered = dataset.withColumn(ANSWER, answer)
        for param, name in asked.items():
            found = sql.col(ANSWER)[COLUMNS[param]]
            vector = param != "predictionCol"
            answered = answered.withColumn(name, array_to_vector(found) if vector else found)
        return answered.drop(ANSWER)

    def write(self) -> MLWriter:
        """Return what saves this model.

        Returns
        -------
        MLWriter
            With `save(path)`.

        Examples
        --------
        >>> from gauda.spark import GaudaModel
        >>> type(GaudaModel().write()).__name__
        'ModelWriter'
        """
        return ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        """Return what loads a model that was saved.

        Returns
        -------
        MLReader
            With `load(path)`.

        Examples
        --------
        >>> from gauda.spark import GaudaModel
        >>> type(GaudaModel.read()).__name__
        'ModelReader'
        """
        return ModelReader(cls)


def answering_udf(model: Any, features: Features, outputs: tuple[str, ...]) -> Any:
    """Return a function of Spark that answers for columns of features."""
    answer = answer_batches(pickle.dumps(model), features, outputs)
    kind: Any = from_arrow_type(struct_type(model, outputs))

    def of_one(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        return answer(batches)

    def of_several(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        return answer(batches)

    function: Any = of_one if len(features.names) == 1 else of_several  # Spark reads the hints
    return arrow_udf(function, kind)
