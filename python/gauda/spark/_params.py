"""The parameters that the estimator and the model share, in the convention of Spark ML."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasHandleInvalid,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
)
from pyspark.ml.util import DefaultParamsReader
from sklearn.base import BaseEstimator

from gauda._data.sklearn_private import validate_params
from gauda._data.twins import twin

Model = TypeVar("Model", bound=BaseEstimator)

HANDLED = ("error", "skip", "keep")


def as_handling(value: Any) -> str:
    """Return how nulls are handled; refuse other words."""
    if value not in HANDLED:
        raise TypeError(f"handleInvalid must be one of {', '.join(HANDLED)}; got {value!r}.")
    return str(value)


class GaudaParams(
    HasFeaturesCol,
    HasLabelCol,
    HasWeightCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasHandleInvalid,
):
    """Names of columns, and how nulls are handled."""

    featuresCols: Param[list[str]] = Param(  # noqa: N815 (as Spark names parameters)
        Params._dummy(),
        "featuresCols",
        "names of numeric columns, one for each feature, instead of featuresCol.",
        typeConverter=TypeConverters.toListString,
    )

    handleInvalid: Param[str] = Param(  # noqa: N815 (as Spark names parameters)
        Params._dummy(),
        "handleInvalid",
        "what becomes of rows with nulls or NaN: error, skip (they are left out) or keep (missing "
        "values are integrated out).",
        typeConverter=as_handling,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(handleInvalid="error")

    def getFeaturesCols(self) -> list[str]:  # noqa: N802 (as Spark names methods)
        """Return the names of the columns of the features.

        Returns
        -------
        list of str
            The names.

        Examples
        --------
        >>> from gauda.spark import GaudaClassifier
        >>> GaudaClassifier(featuresCols=["a", "b"]).getFeaturesCols()
        ['a', 'b']
        """
        return self.getOrDefault(self.featuresCols)

    def adopt(self, other: GaudaParams) -> Self:
        """Take over the parameters that are set in another and declared here."""
        for param in other.params:
            if other.isSet(param) and self.hasParam(param.name):
                self.set(self.getParam(param.name), other.getOrDefault(param))
        return self

    def restore(self, metadata: dict[str, Any]) -> Self:
        """Take over the identifier and the parameters that a file holds."""
        self._resetUid(metadata["uid"])
        instance: Any = self
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return self


def column_name(params: GaudaParams, name: str) -> str | None:
    """Return the name of a column if one is set, and not empty."""
    param = params.getParam(name)
    value = params.getOrDefault(param) if params.isDefined(param) else None
    return value or None


def handle_gaps(estimator: Model, params: GaudaParams) -> Model:
    """Return the estimator; where missing values are kept, one that integrates them out."""
    if params.getHandleInvalid() != "keep" or "missing" not in estimator.get_params():
        return estimator
    validate_params(estimator)
    keeping = twin(estimator, missing="marginalize")
    try:
        validate_params(keeping)
    except ValueError:
        raise ValueError(
            "handleInvalid='keep' is for models that integrate missing values out, which "
            f"{type(estimator).__name__} does not; use 'error' or 'skip', or fill them in."
        ) from None
    return keeping
