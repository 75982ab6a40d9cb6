"""Every capability on every model: what the table promises works, what it excepts is refused."""

from pathlib import Path

import pytest
from models import CAPABILITIES, EXCEPT, MODELS, table

PAGE = Path(__file__).parents[1] / "docs" / "capabilities.md"
CELLS = [(name, model) for name in CAPABILITIES for model in MODELS]


@pytest.mark.parametrize(("name", "model"), CELLS)
def test_a_model_can_do_what_the_table_says(name, model):
    lack = EXCEPT.get(name, {}).get(model)
    if lack is None:
        CAPABILITIES[name](MODELS[model])
        return
    with pytest.raises(lack.error, match=lack.words) as raised:
        CAPABILITIES[name](MODELS[model])
    builtin = next(kind for kind in type(raised.value).__mro__ if kind.__module__ == "builtins")
    assert builtin is lack.error  # and not one that is derived from it, as UnicodeError is


def test_exceptions_are_of_capabilities_and_models_in_the_list():
    assert set(EXCEPT) <= set(CAPABILITIES)
    assert {model for cells in EXCEPT.values() for model in cells} <= set(MODELS)


def test_the_page_shows_this_table():
    """Renew it with `python tests/models.py`."""
    assert table() in PAGE.read_text(encoding="utf-8")
