"""Modules of others that few calls need and that take long to load: loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands for a module until something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        self.__dict__[name] = value
        return value


linalg = LazyModule("scipy.linalg")
special = LazyModule("scipy.special")
stats = LazyModule("scipy.stats")
covariance = LazyModule("sklearn.covariance")
linear_model = LazyModule("sklearn.linear_model")
splitting = LazyModule("sklearn.model_selection")
pipeline = LazyModule("sklearn.pipeline")
preprocessing = LazyModule("sklearn.preprocessing")
