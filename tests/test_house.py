"""The layout of gauda keeps its rules; exceptions are listed in tests/reference/house.toml.

A package uses those below it only, private names stay inside their package, modules and classes
stay short. An exception that is no longer needed fails too: take it from the list.
"""

import inspect
import tomllib
from pathlib import Path

import house
import pytest
from interface import public_interface
from sklearn.base import BaseEstimator

import gauda

REFERENCE = Path(__file__).parent / "reference"
EXCEPTIONS = tomllib.loads((REFERENCE / "house.toml").read_text(encoding="utf-8"))

MAX_MODULE_LINES = 350
MAX_CLASS_LINES = 220
MAX_ORDER = 11
MAX_ORDER_OF_LDA = 14


def check(found, section, rule):
    """Compare what breaks a rule with the exceptions on record."""
    allowed = EXCEPTIONS[section]
    assert allowed == sorted(set(allowed)), f"[{section}] of house.toml must be sorted"
    new = sorted(found - set(allowed))
    assert not new, f"{rule}; these break the rule: {new}"
    stale = sorted(set(allowed) - found)
    assert not stale, f"take these from {section} in tests/reference/house.toml: {stale}"


def test_every_package_has_its_place():
    packages = {module.package for module in house.modules()}
    assert packages <= set().union(*house.RANKS)


def test_packages_use_those_below_them_only():
    check(house.wrong_imports(), "imports", "A package must import those below it only")


def test_private_names_stay_inside_their_package():
    rule = "Private names must stay inside the package that defines them"
    check(house.foreign_names(), "private_names", rule)


def test_private_names_of_scikit_learn_are_imported_in_one_module():
    assert house.scikit_learn_imports() == {"_data/sklearn_private.py"}


def test_modules_are_short():
    found = {own.name for own in house.modules() if own.n_lines > MAX_MODULE_LINES}
    check(found, "long_modules", f"A module must have at most {MAX_MODULE_LINES} lines")


def test_classes_are_short():
    found = {
        name
        for module in house.modules()
        for name, lines in module.classes()
        if lines > MAX_CLASS_LINES
    }
    check(found, "long_classes", f"A class must have at most {MAX_CLASS_LINES} lines of code")


def test_method_resolution_orders_are_short():
    classes = {
        cls for cls in (getattr(gauda, name) for name in gauda.__all__) if inspect.isclass(cls)
    }
    found = {
        cls.__name__
        for cls in classes
        if issubclass(cls, BaseEstimator)
        and len(cls.__mro__) > (MAX_ORDER_OF_LDA if cls is gauda.LDA else MAX_ORDER)
    }
    check(found, "long_orders", f"Estimators must have at most {MAX_ORDER} classes in their order")


def test_the_public_interface_is_the_one_on_record():
    """Renew it with ``python tests/interface.py > tests/reference/public_interface.txt``."""
    text = public_interface()
    assert " at 0x" not in text
    recorded = (REFERENCE / "public_interface.txt").read_text(encoding="utf-8")
    assert text.splitlines() == recorded.splitlines()


class TestReader:
    """The reader of sources sees what the rules speak of."""

    @pytest.fixture
    def write(self, tmp_path, monkeypatch):
        monkeypatch.setattr(house, "ROOT", tmp_path)
        for package in ("_support", "_data", "_statistics"):
            (tmp_path / package).mkdir()
            (tmp_path / package / "__init__.py").touch()

        def write(name, text):
            (tmp_path / name).write_text(text, encoding="utf-8")
            return house.Module(tmp_path / name)

        return write

    @pytest.mark.parametrize(
        "text",
        [
            "import gauda._statistics.moments",
            "from gauda._statistics.moments import Moments",
            "from gauda import _statistics",
            "from .._statistics import moments",
            "def f():\n    from gauda._statistics import moments",
            "if TYPE_CHECKING:\n    from gauda._statistics import moments",
        ],
    )
    def test_imports_are_seen_wherever_they_stand(self, text, write):
        write("_data/rows.py", text)
        assert house.wrong_imports() == {"_data/rows.py -> _statistics"}

    @pytest.mark.parametrize("text", ["import gauda", "from gauda import Moments"])
    def test_gauda_itself_is_above_all_packages(self, text, write):
        write("_data/rows.py", text)
        assert house.wrong_imports() == {"_data/rows.py -> gauda"}

    def test_packages_below_may_be_used(self, write):
        write("_statistics/moments.py", "from gauda._data import rows\nfrom gauda import _core")
        assert house.wrong_imports() == set()

    @pytest.mark.parametrize(
        "text",
        [
            "moments._sums",
            "def f(x):\n    return x.y()._sums[0]",
            "getattr(moments, '_sums')",
            "from gauda._statistics.moments import _sums",
        ],
    )
    def test_private_names_of_other_packages_are_seen(self, text, write):
        write("_data/rows.py", text)
        assert house.foreign_names() == {"_data: _sums"}

    @pytest.mark.parametrize(
        "text", ["self._sums", "super()._sums()", "x.__dict__", "x._replace(a=1)", "_sums = 1"]
    )
    def test_own_and_inherited_names_are_free(self, text, write):
        write("_data/rows.py", text)
        assert house.foreign_names() == set()

    def test_names_that_a_package_defines_are_its_own(self, write):
        write("_data/rows.py", "other._sums")
        write("_data/sums.py", "class Sums:\n    def __init__(self):\n        self._sums = 0")
        assert house.foreign_names() == set()

    @pytest.mark.parametrize(
        "text",
        ["from sklearn.base import _fit_context", "from sklearn.utils._param_validation import X"],
    )
    def test_private_names_of_scikit_learn_are_seen(self, text, write):
        write("_data/rows.py", text)
        assert house.scikit_learn_imports() == {"_data/rows.py"}

    def test_lines_of_code_are_neither_blank_nor_text(self, write):
        text = (
            'class A:\n    """One.\n\n    Two."""\n\n    x = 1\n    # why\n    y = 2\n    """y."""'
        )
        assert list(write("_data/a.py", text).classes()) == [("A", 3)]
