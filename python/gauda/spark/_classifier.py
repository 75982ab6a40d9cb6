"""The estimator of Spark ML: statistics on the executors, joined by a tree, solved here."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any, cast

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql
from sklearn.base import clone

from gauda._cluster.em import fit_with_gaps
from gauda._cluster.folds import join_folds, parts_of_folds
from gauda._cluster.search import Search, join_tried_folds, try_folds
from gauda._cluster.tasks import join_parts, part_of_block
from gauda._cluster.tree import FAN_IN, join_by_tree
from gauda._estimators.gappy_parts import may_take_em
from gauda._estimators.joining import Part, adopt
from gauda._estimators.learner import Learner
from gauda._estimators.parts import settings_for_parts
from gauda.discriminant_analysis import QuadraticDiscriminantAnalysis
from gauda.spark._columns import Features, check_roles, lacks_value, quote
from gauda.spark._files import ClassifierReader, ClassifierWriter
from gauda.spark._model import GaudaModel
from gauda.spark._params import GaudaParams, column_name, handle_gaps
from gauda.spark._sums import sum_in_engine
from gauda.spark._tasks import PARTS, Layout, Pass, parts_in

MAX_GATHERED = 64 * 2**20
"""Bytes of statistics that the driver joins by itself."""

MAX_INLINE = 64 * 2**10
"""Bytes of statistics that a partition sends with their size, for which there is one job only."""

FIT = "GaudaClassifier.fit"


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

    groupCol : str, default=None
        For an estimator that cross-validates, such as `RegularizedDiscriminantAnalysisCV`: the
        column of groups whose rows stay in one fold; by default folds follow from the positions of
        rows in their partitions, which must be the same when they are computed again.

    predictionCol : str, default="prediction"
        The column of labels that the model adds; of numeric labels it holds doubles, as Spark's
        evaluators expect. Empty for none, as the next two.

    probabilityCol : str, default="probability"
        The column of vectors of posteriors that it adds, in the order of `classes_`.

    rawPredictionCol : str, default="rawPrediction"
        The column of vectors of log p(x, k) that it adds.

    handleInvalid : {'error', 'skip', 'keep'}, default='error'
        What becomes of rows with nulls or NaN: an error that names one, they are left out, or
        missing values are integrated out, also in the fit. Where that takes EM, as with QDA, LDA
        and RDA, the frame is read again: once where rows lack few different sets of columns, else
        for each iteration.

    Examples
    --------
    >>> from gauda.spark import GaudaClassifier
    >>> GaudaClassifier(featuresCols=["a", "b"], labelCol="species").getLabelCol()
    'species'
    """

    estimator: Param[Any] = Param(Params._dummy(), "estimator", "what to fit.")

    groupCol: Param[str] = Param(  # noqa: N815 (as Spark names parameters)
        Params._dummy(),
        "groupCol",
        "column of groups whose rows stay in one fold, where the estimator cross-validates.",
        typeConverter=TypeConverters.toString,
    )

    @keyword_only
    def __init__(  # noqa: PLR0913 (as Spark's estimators)
        self,
        *,
        estimator: Learner | None = None,
        featuresCol: str = "features",  # noqa: ARG002 (as Spark names parameters)
        featuresCols: list[str] | None = None,  # noqa: ARG002 (as above)
        labelCol: str = "label",  # noqa: ARG002 (as above)
        weightCol: str | None = None,  # noqa: ARG002 (as above)
        groupCol: str | None = None,  # noqa: ARG002 (as above)
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
        estimator = handle_gaps(clone(self.getEstimator()), self)
        search = Search.of(estimator, FIT)
        group = column_name(self, "groupCol")
        if search is None and group is not None:
            raise ValueError(
                f"groupCol is for estimators that cross-validate, which {type(estimator).__name__} "
                "does not; leave it out."
            )
        rows, layout = rows_to_fit(dataset, self, group)
        try:
            if search is not None:
                fitted = fit_search(search, estimator, rows, layout)
            else:
                fitted = fit_parts(estimator, rows, layout)
        except ValueError as error:
            if self.getHandleInvalid() == "skip" and rows.isEmpty():
                raise ValueError(
                    "handleInvalid='skip' leaves no rows: the frame has none, or each lacks a "
                    "value. Leave out columns that are null, or use 'keep'."
                ) from error
            raise
        return GaudaModel(fitted).adopt(self)

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


def rows_to_fit(
    dataset: DataFrame, params: GaudaParams, group: str | None
) -> tuple[DataFrame, Layout]:
    """Return the columns that are needed, without the rows that are skipped."""
    label, weight = params.getLabelCol(), column_name(params, "weightCol")
    features = Features.of(dataset, params)
    given = {"labelCol": label, "weightCol": weight, "groupCol": group}
    roles = {role: name for role, name in given.items() if name is not None}
    check_roles(dataset, features.names, roles)
    if params.getHandleInvalid() == "skip":
        invalid: Column = features.incomplete(dataset)
        for name in roles.values():
            invalid = invalid | lacks_value(dataset, name)
        dataset = dataset.filter(~invalid)
    columns = [*features.columns(dataset), dataset[quote(label)]]
    if weight is not None:
        columns.append(dataset[quote(weight)].cast("double"))
    if group is not None:
        columns.append(dataset[quote(group)])
    named = [column.alias(f"column {at}") for at, column in enumerate(columns)]
    return dataset.select(*named), Layout(features, weight is not None, group is not None)


def join_on_cluster(rows: DataFrame, layout: Layout, one_pass: Pass) -> Any:
    """Return what all partitions give together, by a tree of fixed shape; None without rows.

    While what all partitions give is too much for the driver, neighbors are joined on the
    executors.
    """
    summed = rows.mapInArrow(cast("Any", one_pass.over(layout)), PARTS).cache()
    try:
        size = sql.length("found")
        inline = sql.when(size <= MAX_INLINE, summed["found"]).alias("found")
        table = summed.select("part", size.alias("size"), inline).toArrow()
        total, count, level = sum(table["size"].to_pylist()), len(table), summed
        if not count:  # Spark knows of some frames that they are empty
            return None
        if total <= MAX_GATHERED and not table["found"].null_count:
            return join_by_tree(parts_in(table), one_pass.join_some)
        while total > MAX_GATHERED and count > FAN_IN:
            group = sql.floor(level["part"] / FAN_IN).cast("long")
            joined = level.withColumn("group", group).groupBy("group")
            level = joined.applyInArrow(cast("Any", one_pass.over_groups()), PARTS)
            total, count = total // FAN_IN, -(-count // FAN_IN)
        found = parts_in(level.toArrow())
    finally:
        summed.unpersist()
    return join_by_tree(found, one_pass.join_some)


def fit_parts(estimator: Any, rows: DataFrame, layout: Layout) -> Any:
    """Fit an estimator to all partitions."""
    settings = settings_for_parts(estimator, FIT)
    summed = sum_in_engine(rows, layout, settings)
    if summed is not None:
        return adopt(estimator, settings, summed)

    def over_all(shared: Any, of_block: Any, join: Any) -> Any:
        return join_on_cluster(rows, layout, Pass(partial(of_block, shared), partial(join, shared)))

    if may_take_em(settings):
        return fit_with_gaps(estimator, settings, over_all)
    whole = over_all(settings, part_of_block, join_parts)
    return adopt(estimator, settings, Part() if whole is None else whole.found)


def fit_search(search: Search, estimator: Any, rows: DataFrame, layout: Layout) -> Any:
    """Return an estimator at the point of its grid that does best on rows held out."""
    folds = search.folds
    sums = Pass(partial(parts_of_folds, search.sums, folds), partial(join_folds, search.sums))
    summed = join_on_cluster(rows, layout, sums)
    parts = [Part()] if summed is None else summed.found
    start, ready = perf_counter(), search.learn(parts)
    trying = Pass(partial(try_folds, ready, folds), join_tried_folds)
    tallies = join_on_cluster(rows, layout, trying)
    return search.fit(estimator, parts, ready.choose(tallies, perf_counter() - start))
