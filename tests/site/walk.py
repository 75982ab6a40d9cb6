"""A walk over the built site in a browser: what each page links to, loads, reports and shows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright
from support import PATIENCE

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""What Debian and others call the browser."""
WIDTHS = (400, 1400)
THEMES = ("light", "dark")
RUSTDOC = "rust/"
"""Where rustdoc's pages are, which have a look of their own."""

LOOK = Path(__file__).with_name("look.js").read_text(encoding="utf-8")
SETTLE = """async () => {
  if (window.MathJax?.startup) await window.MathJax.startup.promise;
  for (const image of document.images) image.loading = "eager";
  await Promise.allSettled([...document.images].map((image) => image.decode()));
}"""
LINKS = """() => [...document.querySelectorAll('a[href]')]
  .map((a) => new URL(a.getAttribute('href'), document.baseURI).href)"""
LOADS = """() => [...document.querySelectorAll('[src], link[rel~=stylesheet], object[data]')]
  .map((e) => e.src || e.href || e.data)"""
ANCHORS = "() => [...document.querySelectorAll('[id], a[name]')].map((e) => e.id || e.name)"


@dataclass
class Visit:
    """What was found on one page."""

    links: set[str]
    loads: set[str]
    anchors: set[str]
    looks: dict[tuple[int, str], dict[str, Any]]


@dataclass
class Walk:
    """What was found on all of them, by their paths in the site."""

    visits: dict[str, Visit] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    requests: set[str] = field(default_factory=set)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def opened() -> Iterator[Browser]:
    """Give a browser that finds no other machine."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert path is not None, f"none of {', '.join(BROWSERS)} is installed"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            timeout=PATIENCE * 1000,
            args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        yield browser
        browser.close()


def walk(browser: Browser, address: str) -> Walk:
    """Visit every page that can be reached from the first one, and the one that finds pages."""
    found = Walk()
    page = listening_page(browser, found)
    waiting = ["index.html", "search.html"]
    while waiting:
        path = waiting.pop()
        if path in found.visits:
            continue
        found.visits[path] = visit(page, address + path)
        inside = {inner_path(link, address) for link in found.visits[path].links}
        waiting += sorted(inner for inner in inside - {None} if is_own_page(inner))
    page.close()
    return found


def listening_page(browser: Browser, found: Walk) -> Page:
    """Return a page whose complaints and requests are noted."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)  # on however slow a machine
    page.on("request", lambda request: found.requests.add(request.url))
    page.on("pageerror", lambda error: found.complaints.append(f"{page.url}: {error}"))
    page.on("requestfailed", lambda request: found.complaints.append(f"failed: {request.url}"))
    page.on(
        "console",
        lambda message: (
            found.complaints.append(f"{page.url}: {message.text}")
            if message.type == "error"
            else None
        ),
    )
    return page


def visit(page: Page, url: str) -> Visit:
    """Look at a page at every width in every theme."""
    response = page.goto(url)
    assert response is not None
    assert response.ok, url
    page.evaluate(SETTLE)
    looks = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in THEMES:
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            looks[width, theme] = page.evaluate(LOOK)
    return Visit(
        links=set(page.evaluate(LINKS)),
        loads=set(page.evaluate(LOADS)),
        anchors=set(page.evaluate(ANCHORS)),
        looks=looks,
    )


def inner_path(link: str, address: str) -> str | None:
    """Return the path of a link inside the site, without its anchor; None for one that leaves."""
    if not link.startswith(address):
        return None
    return unquote(urlsplit(urldefrag(link).url).path).lstrip("/") or "index.html"


def is_own_page(path: str) -> bool:
    """Return whether a path is a page that Sphinx wrote."""
    return path.endswith(".html") and not path.startswith(RUSTDOC) and (SITE / path).is_file()
