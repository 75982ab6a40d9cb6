"""Reading in the background: the next item is fetched while the last one is worked on."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def one_ahead(items: Generator[Item]) -> Generator[Item]:
    """Yield the same items, each fetched by a thread that ends with this generator."""
    with ThreadPoolExecutor(1, thread_name_prefix="gauda-reader") as reader:
        try:
            coming = reader.submit(next, items, None)
            while (item := coming.result()) is not None:
                coming = reader.submit(next, items, None)
                yield item
        finally:
            reader.submit(items.close)  # after the fetch under way: a generator runs once at a time
