"""What tests on Spark share: how often rows are read in Python."""

import pytest
from support import note_calls

from gauda.spark import _classifier


@pytest.fixture
def passes(monkeypatch):
    """Return a list that grows with each pass over the rows in Python."""
    return note_calls(monkeypatch, _classifier, "join_on_cluster")
