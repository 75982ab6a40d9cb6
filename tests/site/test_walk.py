"""The walk notices what readers would."""

import pytest
from walk import Walk, listening_page, served, visit

PAGE = """<!doctype html><meta charset="utf-8"><title>t</title><body style="margin: 0">
<article id="all"><h1>Words</h1><p>Some words</p>{}</article></body>"""
DEFECTS = {
    "too wide": ('<div style="width: 5000px">wide</div>', "clipped"),
    "cut off": (
        '<div style="width: 90px; overflow: hidden; white-space: nowrap">%s</div>',
        "clipped",
    ),
    "left of the page": ('<p style="position: absolute; left: -60px">left</p>', "clipped"),
    "a lost picture": ('<img src="missing.png" width="50" height="50">', "blank"),
    "a formula that was not set": ('<span class="math">x^2</span>', "blank"),
    "gray on gray": ('<p style="color: #999; background: #888">faint</p>', "faint"),
}
FINE = """<pre style="overflow: auto; white-space: pre">{0}</pre>
<table style="display: block; overflow: auto"><tr><td style="white-space: nowrap">{0}</table>"""


@pytest.fixture
def look(browser, tmp_path):
    """Give a function: what is in a page -> how it looks, and the walk it is part of."""
    found = Walk()
    page = listening_page(browser, found)

    def visited(text):
        (tmp_path / "page.html").write_text(PAGE.format(text), encoding="utf-8")
        with served(tmp_path) as address:
            return visit(page, f"{address}page.html"), found

    yield visited
    page.close()


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_noticed(look, name):
    text, kind = DEFECTS[name]
    seen, _ = look(text.replace("%s", "long " * 50))
    assert all(view[kind] for view in seen.looks.values())


def test_what_scrolls_by_itself_is_no_defect(look):
    seen, found = look(FINE.format("long " * 500))
    for view in seen.looks.values():
        assert not view["clipped"] + view["blank"] + view["faint"]
    assert [text for text in found.complaints if "favicon" not in text and "404" not in text] == []


def test_errors_and_requests_are_noticed(look):
    _, found = look('<script>undefined_name()</script><img src="http://elsewhere.invalid/a.png">')
    assert any("undefined_name" in text for text in found.complaints)
    assert "http://elsewhere.invalid/a.png" in found.requests
