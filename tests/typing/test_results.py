"""What public methods take and return can be named by those who call them."""

import ast
import inspect
import re

import pytest

import gauda

PUBLIC = {name: getattr(gauda, name) for name in gauda.__all__}


def functions_of(cls):
    """Give the public functions of a class, also those that are there on a condition."""
    for name in dir(cls):
        held = inspect.getattr_static(cls, name)
        held = getattr(held, "fget", getattr(held, "__func__", getattr(held, "fn", held)))
        if not name.startswith("_") and inspect.isfunction(held):
            yield held


def words_of(function):
    """Return the names in what a function says that it returns."""
    hint = function.__annotations__.get("return", "")
    text = hint if isinstance(hint, str) else repr(hint)
    return set(re.findall(r"\w+", text))


def is_ours(function, word):
    """Return the class of gauda that a word names where a function is defined, if it does."""
    found = function.__globals__.get(word)
    return inspect.isclass(found) and found.__module__.startswith("gauda.")


@pytest.mark.parametrize("name", [name for name, held in PUBLIC.items() if inspect.isclass(held)])
def test_what_methods_return_can_be_imported_from_gauda(name):
    known = set(PUBLIC.values())
    hidden = {
        word
        for function in functions_of(PUBLIC[name])
        if function.__module__.startswith("gauda")
        for word in words_of(function)
        if is_ours(function, word) and function.__globals__[word] not in known
    }
    assert not hidden


def test_all_names_of_types_are_listed():
    lines = ast.parse(inspect.getsource(gauda.typing)).body
    classes = [line.name for line in lines if isinstance(line, ast.ClassDef)]
    aliases = [line.target.id for line in lines if isinstance(line, ast.AnnAssign)]
    assert sorted([*classes, *aliases]) == gauda.typing.__all__
