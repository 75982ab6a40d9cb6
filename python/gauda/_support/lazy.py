"""Modules of others that few calls need and that take long to load: loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gauda._support.optional import need


class LazyModule:
    """Stands for a module until something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        self.__dict__[name] = value
        return value


class TableModule(LazyModule):
    """Stands for a module of a library of tables, which is there where a table of it was given."""


class OptionalModule:
    """Stands for a module that need not be installed; whoever uses it is told what brings it."""

    def __init__(self, name: str, extra: str) -> None:
        self._name, self._extra = name, extra

    def __getattr__(self, name: str) -> Any:
        return getattr(need(self._name, extra=self._extra), name)


linalg = LazyModule("scipy.linalg")
special = LazyModule("scipy.special")
stats = LazyModule("scipy.stats")
covariance = LazyModule("sklearn.covariance")
linear_model = LazyModule("sklearn.linear_model")
splitting = LazyModule("sklearn.model_selection")
pipeline = LazyModule("sklearn.pipeline")
preprocessing = LazyModule("sklearn.preprocessing")
pandas_types = TableModule("pandas.api.types")
pl = TableModule("polars")
pa = OptionalModule("pyarrow", "stream")
arrow_compute = OptionalModule("pyarrow.compute", "stream")
arrow_csv = OptionalModule("pyarrow.csv", "stream")
arrow_dataset = OptionalModule("pyarrow.dataset", "stream")
arrow_json = OptionalModule("pyarrow.json", "stream")
arrow_parquet = OptionalModule("pyarrow.parquet", "stream")
