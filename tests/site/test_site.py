"""The built site as its readers see it. Run by `make docs-test`, which builds it first."""

from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from walk import RUSTDOC, SITE, THEMES, WIDTHS, Walk, inner_path, is_own_page, listening_page

VIEWS = [(width, theme) for width in WIDTHS for theme in THEMES]
RUST_INDEX = f"{RUSTDOC}gauda/index.html"


def test_every_page_can_be_reached(site):
    built = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")}
    parts = {path for path in built if path.startswith("_")}  # templates of the theme
    assert {path for path in built - parts if is_own_page(path)} == set(site.visits)
    assert len(site.visits) > 80


def test_every_link_and_anchor_inside_the_site_resolves(site, address):
    broken = []
    for page, visit in site.visits.items():
        for link in visit.links:
            path = inner_path(link, address)
            if path is None:
                continue
            anchor = unquote(urldefrag(link).fragment)
            if not (SITE / path).is_file():
                broken.append(f"{page} -> {path}")
            elif anchor and is_own_page(path) and anchor not in site.visits[path].anchors:
                broken.append(f"{page} -> {path}#{anchor}")
    assert not broken


def test_no_page_loads_anything_from_elsewhere(site, address):
    assert [url for url in site.requests if not url.startswith((address, "data:", "blob:"))] == []
    loads = {(page, url) for page, visit in site.visits.items() for url in visit.loads}
    assert loads
    assert [load for load in loads if not load[1].startswith((address, "data:"))] == []


def test_the_browser_has_nothing_to_complain_about(site):
    assert site.complaints == []


@pytest.mark.parametrize(("width", "theme"), VIEWS)
def test_pictures_and_formulas_are_visible(site, width, theme):
    looks = {page: visit.looks[width, theme] for page, visit in site.visits.items()}
    assert {page: look["blank"] for page, look in looks.items() if look["blank"]} == {}
    counts = Counter()
    for look in looks.values():
        counts.update(pictures=look["n_pictures"], formulas=look["n_formulas"])
    assert looks["mathematics.html"]["n_formulas"] > 40
    assert looks["gallery/index.html"]["n_pictures"] >= 8
    assert counts["pictures"] > 20


@pytest.mark.parametrize(("width", "theme"), VIEWS)
def test_nothing_is_clipped(site, width, theme):
    clipped = {page: visit.looks[width, theme]["clipped"] for page, visit in site.visits.items()}
    assert {page: parts for page, parts in clipped.items() if parts} == {}


@pytest.mark.parametrize(("width", "theme"), VIEWS)
def test_words_stand_out_from_what_is_behind_them(site, width, theme):
    faint = {page: visit.looks[width, theme]["faint"] for page, visit in site.visits.items()}
    assert {page: parts for page, parts in faint.items() if parts} == {}


def test_search_finds_boundary(browser, address):
    found = Walk()
    page = listening_page(browser, found)
    page.goto(f"{address}search.html?q=boundary")
    page.wait_for_selector("#search-results ul.search li a[href*='mathematics.html']")
    results = page.eval_on_selector_all(
        "#search-results ul.search li a", "links => links.map((link) => link.href)"
    )
    page.close()
    assert all((SITE / inner_path(link, address)).is_file() for link in results)
    assert found.complaints == []


def test_rustdoc_opens(browser, address):
    found = Walk()
    page = listening_page(browser, found)
    assert page.goto(address + RUST_INDEX).ok
    assert "gauda" in page.title()
    page.close()
    assert found.complaints == []
    assert [url for url in found.requests if not url.startswith((address, "data:"))] == []


class Targets(HTMLParser):
    """Collects what a page of rustdoc links to and loads."""

    def __init__(self):
        super().__init__()
        self.links, self.loads = set(), set()

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "a" and named.get("href"):
            self.links.add(named["href"])
        elif tag in {"script", "img"} and named.get("src"):
            self.loads.add(named["src"])
        elif tag == "link" and "stylesheet" in named.get("rel", "") and named.get("href"):
            self.loads.add(named["href"])


def test_links_of_rustdoc_resolve():
    pages = sorted((SITE / RUSTDOC).rglob("*.html"))
    assert len(pages) > 50
    broken = []
    for page in pages:
        targets = Targets()
        targets.feed(page.read_text(encoding="utf-8"))
        for link in targets.links | targets.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in targets.loads:
                    broken.append(f"{page} loads {link}")
            elif parts.path and not (page.parent / unquote(parts.path)).exists():
                broken.append(f"{page} -> {link}")
    assert not broken
