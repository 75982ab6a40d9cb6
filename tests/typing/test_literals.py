"""Strings that type checkers take are those that estimators take."""

import inspect
from dataclasses import fields
from types import UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

import pytest
from models import MODELS
from sklearn.utils._param_validation import StrOptions

import gauda
from gauda import typing as names

CLASSES = sorted({type(entry.make()) for entry in MODELS.values()}, key=lambda cls: cls.__name__)
CHOICES = [
    (cls, name, options)
    for cls in CLASSES
    for name, constraints in cls._parameter_constraints.items()
    if isinstance(constraints, list)
    for options in constraints
    if isinstance(options, StrOptions)
]


def literals(hint):
    """Return the strings that a type names, or None if it takes any."""
    if hint is str:
        return None
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    if get_origin(hint) in {Union, UnionType}:
        found = [literals(part) for part in get_args(hint)]
        return None if None in found else set().union(*found)
    return set()


@pytest.mark.parametrize(
    ("cls", "name", "options"), CHOICES, ids=[f"{cls.__name__}-{name}" for cls, name, _ in CHOICES]
)
def test_parameters(cls, name, options):
    hint = get_type_hints(cls)[name]
    if not literals(hint):  # what numpy makes an array of, splitters, lists of kinds
        assert name in {"priors", "class_prior", "kinds", "cv"}
    else:
        assert literals(hint) == set(options.options)


def test_outputs():
    assert set(get_args(names.Output)) == {field.name for field in fields(gauda.Classification)}


@pytest.mark.parametrize(
    ("kind", "make", "name"),
    [
        (names.Structure, gauda.Moments.from_data, "structure"),
        (names.CountKind, gauda.Counts.from_data, "kind"),
    ],
)
def test_statistics(kind, make, name):
    assert inspect.signature(make).parameters[name].default in get_args(kind)
    for value in get_args(kind):
        sums = make([[0, 1], [1, 0], [1, 1]], ["a", "b", "a"], **{name: value})
        assert getattr(sums, name) == value
    with pytest.raises(ValueError, match=name):
        make([[0, 1], [1, 0]], ["a", "b"], **{name: "other"})
