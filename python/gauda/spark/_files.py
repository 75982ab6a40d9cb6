"""Files of the estimator and the model: Spark's metadata, and gauda's own safe file inside."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter
from pyspark.sql import SparkSession

from gauda._storage.json_values import from_json, to_json
from gauda._storage.loading import load
from gauda._storage.saveable import REGISTER, saved_name

ESTIMATOR = "estimator"
DATA = "data"


class ClassifierWriter(MLWriter):
    """Saves a `GaudaClassifier`: its estimator by name and parameters."""

    def __init__(self, instance: Any) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:  # noqa: N802 (as Spark names methods)
        """Write to a folder."""
        estimator = self.instance.getEstimator()
        described = {
            "class": saved_name(type(estimator)),
            "parameters": to_json(estimator.get_params(deep=False)),
        }
        params = {
            param.name: value
            for param, value in self.instance.extractParamMap().items()
            if self.instance.isSet(param) and param.name != ESTIMATOR
        }
        DefaultParamsWriter.saveMetadata(
            self.instance, path, self.sparkSession, {ESTIMATOR: described}, params
        )


class ClassifierReader(MLReader[Any]):
    """Loads a `GaudaClassifier`."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> Any:
        """Read from a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        described = metadata[ESTIMATOR]
        kind: Any = REGISTER[described["class"]]
        estimator = kind(**from_json(described["parameters"]))
        return self.cls(estimator=estimator).restore(metadata)


class ModelWriter(MLWriter):
    """Saves a `GaudaModel`: its estimator in gauda's own format."""

    def __init__(self, instance: Any) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:  # noqa: N802 (as Spark names methods)
        """Write to a folder of any file system that Spark knows."""
        if self.instance.estimator is None:
            raise ValueError("The model holds no estimator; make it with GaudaClassifier.fit.")
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.gauda")
            self.instance.estimator.save(file)
            content = file.read_bytes()
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession)
        rows = self.sparkSession.createDataFrame([(bytearray(content),)], "content binary")
        rows.coalesce(1).write.parquet(f"{path}/{DATA}")


class ModelReader(MLReader[Any]):
    """Loads a `GaudaModel`."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> Any:
        """Read from a folder."""
        session: SparkSession = self.sparkSession
        metadata = DefaultParamsReader.loadMetadata(path, session)
        (row,) = session.read.parquet(f"{path}/{DATA}").collect()
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.gauda")
            file.write_bytes(bytes(row["content"]))
            instance = self.cls(load(file))
        return instance.restore(metadata)
