"""What is taken out of one page: the item of --extract, items of hooks, and the links that hooks keep."""

import json
from functools import lru_cache
from typing import NamedTuple

from minicrawl.extract.hooks import Failure, load_hooks
from minicrawl.extract.page import Page
from minicrawl.extract.selectors import Field, read_fields
from minicrawl.extract.structured import STRUCTURED, structured

MOST_BYTES = 4_000_000
"""Characters of the items of one page."""


class Asked(NamedTuple):
    """What is asked for of every page: fields and hooks as the options name them; `structured`: see that module;
    `longest`: seconds of one call of a hook."""

    fields: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    structured: bool = False
    longest: float | None = None


class Gathered(NamedTuple):
    """`items`: JSON objects; `kept`: the links to be followed, None: all; `failures`: what hooks did wrong."""

    items: tuple[str, ...]
    kept: frozenset[str] | None
    failures: tuple[Failure, ...]


def gather(asked: Asked, page: Page) -> Gathered:
    """Take out of a page what is asked for."""
    items = _own_item(asked, page)
    hooks = load_hooks(asked.hooks, asked.longest)
    kept, failures = hooks.links(page) if hooks.has("links") else (None, [])
    if hooks.has("on_page"):
        more, failed = hooks.on_page(page)
        items += more
        failures += failed
    if sum(map(len, items)) > MOST_BYTES:
        items = []
        failures.append(
            Failure("items", f"the items of {page.url} are longer than {MOST_BYTES:,} characters: left out")
        )
    return Gathered(tuple(items), kept, tuple(failures))


def _own_item(asked: Asked, page: Page) -> list[str]:
    """The item of the fields; none where the page has nothing for any of them."""
    item: dict[str, object] = {field.name: field.value(page.document) for field in _fields(asked.fields)}
    if asked.structured:
        item |= structured(page.document, page.url)
    return [json.dumps(item, ensure_ascii=False)] if any(value is not None for value in item.values()) else []


def columns_of(fields: tuple[str, ...], is_structured: bool) -> tuple[str, ...]:
    """The names of what every item may have. Raises SettingError."""
    return (*(field.name for field in _fields(fields)), *(STRUCTURED if is_structured else ()))


@lru_cache(maxsize=8)
def _fields(texts: tuple[str, ...]) -> tuple[Field, ...]:
    return read_fields(texts)
