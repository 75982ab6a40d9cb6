"""The site that `make docs` left, served and walked once for all tests."""

import pytest
from walk import SITE, opened, served, walk


@pytest.fixture(scope="session")
def address():
    """Address of the site on this machine."""
    if not (SITE / "index.html").is_file():
        pytest.fail("build the site first: make docs")
    with served(SITE) as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    """A browser that finds no other machine."""
    with opened() as found:
        yield found


@pytest.fixture(scope="session")
def site(browser, address):
    """All that a walk over the site found."""
    return walk(browser, address)
