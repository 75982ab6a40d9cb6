"""Every capability on every model: what the table promises works, what it excepts is refused."""

from pathlib import Path

import pytest
from models import CAPABILITIES, EXCEPT, MODELS, table

PAGE = Path(__file__).parents[1] / "docs" / "capabilities.md"
CELLS = [(name, model) for name in CAPABILITIES for model in MODELS]
REFUSALS = (AttributeError, NotImplementedError, TypeError, ValueError)


@pytest.mark.parametrize(("name", "model"), CELLS)
def test_a_model_can_do_what_the_table_says(name, model):
    if model in EXCEPT.get(name, {}):
        with pytest.raises(REFUSALS):
            CAPABILITIES[name](MODELS[model])
    else:
        CAPABILITIES[name](MODELS[model])


def test_exceptions_are_of_capabilities_and_models_in_the_list():
    assert set(EXCEPT) <= set(CAPABILITIES)
    assert {model for cells in EXCEPT.values() for model in cells} <= set(MODELS)


def test_the_page_shows_this_table():
    """Renew it with `python tests/models.py`."""
    assert table() in PAGE.read_text(encoding="utf-8")
