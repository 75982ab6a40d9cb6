"""The estimator of Spark ML: statistics on the executors, joined by a tree, solved here."""

from __future__ import annotations

from typing import Any, cast

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.param import Param, Params
from pyspark.ml.util import MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql
from sklearn.base import clone

from gauda._cluster.tasks import join_states
from gauda._cluster.tree import FAN_IN, join_by_tree
from gauda._estimators.learner import Learner
from gauda._estimators.parts import adopt_parts, settings_for_parts
from gauda.discriminant_analysis import QuadraticDiscriminantAnalysis
from gauda.spark._columns import Features, check_column, lacks_value, quoted
from gauda.spark._files import ClassifierReader, ClassifierWriter
from gauda.spark._model import GaudaModel
from gauda.spark._params import GaudaParams
from gauda.spark._tasks import PARTS, join_groups, states_of, sum_partitions

MAX_GATHERED = 64 * 2**20
"""Bytes of statistics that the driver joins by itself."""


class GaudaClassifier(Estimator[GaudaModel], GaudaParams, MLReadable[Any], MLWritable):
    """Fits an estimator of gauda to a data frame of Spark, in one pass on the executors.

    Parameters
    ----------
    estimator : estimator of gauda, default=QuadraticDiscriminantAnalysis()
        What to fit.

    featuresCol : str, default="features"
        The column of vectors or arrays of numbers.

    featuresCols : list of str, default=None
        Columns of numbers, or for MixedNB of text too, one for each feature; instead of
        `featuresCol`.

    labelCol : str, default="label"
        The column of labels: numbers or text.

    weightCol : str, default=None
        The column of weights.

    predictionCol : str, default="prediction"
        The column of labels that the model adds; of numeric labels it holds doubles, as Spark's
        evaluators expect. Empty for none, as the next two.

    probabilityCol : str, default="probability"
        The column of vectors of posteriors that it adds, in the order of `classes_`.

    rawPredictionCol : str, default="rawPrediction"
        The column of vectors of log p(x, k) that it adds.

    handleInvalid : {'error', 'skip', 'keep'}, default='error'
        What becomes of rows with nulls or NaN: an error that names one, they are left out, or
        missing values are integrated out.

    Examples
    --------
    >>> from gauda.spark import GaudaClassifier
    >>> GaudaClassifier(featuresCols=["a", "b"], labelCol="species").getLabelCol()
    'species'
    """

    estimator: Param[Any] = Param(Params._dummy(), "estimator", "what to fit.")

    @keyword_only
    def __init__(  # noqa: PLR0913 (as Spark's estimators)
        self,
        *,
        estimator: Learner | None = None,
        featuresCol: str = "features",  # noqa: ARG002 (as Spark names parameters)
        featuresCols: list[str] | None = None,  # noqa: ARG002 (as above)
        labelCol: str = "label",  # noqa: ARG002 (as above)
        weightCol: str | None = None,  # noqa: ARG002 (as above)
        predictionCol: str = "prediction",  # noqa: ARG002 (as above)
        probabilityCol: str = "probability",  # noqa: ARG002 (as above)
        rawPredictionCol: str = "rawPrediction",  # noqa: ARG002 (as above)
        handleInvalid: str = "error",  # noqa: ARG002 (as above)
    ) -> None:
        super().__init__()
        given: dict[str, Any] = vars(self)["_input_kwargs"]
        self._set(**{name: value for name, value in given.items() if value is not None})
        del estimator

    def getEstimator(self) -> Any:  # noqa: N802 (as Spark names methods)
        """Return what is fitted.

        Returns
        -------
        estimator of gauda
            The estimator, which is not fitted itself.

        Examples
        --------
        >>> from gauda.spark import GaudaClassifier
        >>> GaudaClassifier().getEstimator()
        QuadraticDiscriminantAnalysis()
        """
        chosen = self.isDefined(self.estimator)
        return self.getOrDefault(self.estimator) if chosen else QuadraticDiscriminantAnalysis()

    def _fit(self, dataset: DataFrame) -> GaudaModel:
        estimator = clone(self.getEstimator())
        settings = settings_for_parts(as_handled(estimator, self), "GaudaClassifier.fit")
        rows = rows_to_fit(dataset, self)
        features = Features.of(dataset, self)
        parts = rows.mapInArrow(cast("Any", sum_partitions(settings, features)), PARTS)
        state = join_on_cluster(parts, settings)
        adopt_parts(estimator, settings, state)
        return GaudaModel(estimator).adopt(self)

    def write(self) -> MLWriter:
        """Return what saves this estimator with its parameters.

        Returns
        -------
        MLWriter
            With `save(path)`.

        Examples
        --------
        >>> from gauda.spark import GaudaClassifier
        >>> type(GaudaClassifier().write()).__name__
        'ClassifierWriter'
        """
        return ClassifierWriter(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        """Return what loads an estimator that was saved.

        Returns
        -------
        MLReader
            With `load(path)`.

        Examples
        --------
        >>> from gauda.spark import GaudaClassifier
        >>> type(GaudaClassifier.read()).__name__
        'ClassifierReader'
        """
        return ClassifierReader(cls)


def as_handled(estimator: Learner, params: GaudaParams) -> Learner:
    """Return the estimator, which integrates missing values out if they are kept."""
    keeps = params.getHandleInvalid() == "keep" and "missing" in estimator.get_params()
    return estimator.set_params(missing="marginalize") if keeps else estimator


def rows_to_fit(dataset: DataFrame, params: GaudaParams) -> DataFrame:
    """Return the columns that are needed, without the rows that are skipped."""
    label, weight = params.getLabelCol(), params.chosen("weightCol")
    features = Features.of(dataset, params)
    others = [name for name in (label, weight) if name is not None]
    for name in others:
        check_column(dataset, name)
        if name in features.names:
            raise ValueError(
                f"The column {name!r} must be either a feature or a label or weight; got both."
            )
    if params.getHandleInvalid() == "skip":
        invalid: Column = features.incomplete(dataset)
        for name in others:
            invalid = invalid | lacks_value(dataset, name)
        dataset = dataset.filter(~invalid)
    columns = [*features.columns(dataset), dataset[quoted(label)]]
    if weight is not None:
        columns.append(dataset[quoted(weight)].cast("double"))
    return dataset.select(*[column.alias(f"column {at}") for at, column in enumerate(columns)])


def join_on_cluster(parts: DataFrame, settings: Learner) -> Any:
    """Return what all partitions give together, by a tree of fixed shape.

    While the statistics of all partitions are too many for the driver, neighbors are joined on
    the executors.
    """
    summed = parts.cache()
    try:
        sizes = summed.select(sql.length("state")).collect()
        total, count, level = sum(row[0] for row in sizes), len(sizes), summed
        while total > MAX_GATHERED and count > FAN_IN:
            group = sql.floor(level["part"] / FAN_IN).cast("long")
            joined = level.withColumn("group", group).groupBy("group")
            level = joined.applyInArrow(cast("Any", join_groups(settings)), PARTS)
            total, count = total // FAN_IN, -(-count // FAN_IN)
        states = states_of(level.toArrow())
    finally:
        summed.unpersist()
    return join_by_tree(states, lambda few: join_states(settings, few))
