"""What is taken out of one page: items of selectors and of hooks, and the links that hooks keep."""

from functools import lru_cache
from typing import NamedTuple

from minicrawl.extract.document import SelectorError
from minicrawl.extract.hooks import MOST_ITEMS, Failure, as_json, load_hooks
from minicrawl.extract.item_rules import RULE, ItemRule, read_rule
from minicrawl.extract.page import Page
from minicrawl.extract.selectors import Field, read_fields
from minicrawl.extract.structured import STRUCTURED, structured

MOST_BYTES = 4_000_000
"""Characters of the items of one page."""


class Asked(NamedTuple):
    """What is asked for of every page: fields, hooks and rules as the options name them; `structured`: see that module;
    `longest`: seconds of one call of a hook."""

    fields: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    structured: bool = False
    longest: float | None = None
    rules: tuple[str, ...] = ()


class Gathered(NamedTuple):
    """`items`: JSON objects; `kept`: the links to be followed, None: all; `failures`: what hooks did wrong."""

    items: tuple[str, ...]
    kept: frozenset[str] | None
    failures: tuple[Failure, ...]


def gather(asked: Asked, page: Page) -> Gathered:
    """Take out of a page what is asked for."""
    failures: list[Failure] = []
    items = _selected(asked, page, failures)
    hooks = load_hooks(asked.hooks, asked.longest)
    kept = None
    if hooks.has("links"):
        kept, failed = hooks.links(page)
        failures += failed
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


def _selected(asked: Asked, page: Page, failures: list[Failure]) -> list[str]:
    """The items that selectors find; what goes wrong is added to `failures`."""
    items: list[dict[str, object]] = []
    try:
        items += _own_item(asked, page)
        for rule in _rules(asked.rules):
            try:
                found = rule.items(page.document, page.url, MOST_ITEMS)
            except TimeoutError as error:
                failures.append(Failure(f"extract.{rule.name}", f"match = {rule.match.pattern!r} over a URL: {error}"))
                continue
            if len(found) > MOST_ITEMS:
                what = f"more than {MOST_ITEMS:,} items of one page; the rest is left out"
                failures.append(Failure(f"extract.{rule.name}", what))
            items += found[:MOST_ITEMS]
    except SelectorError as error:
        failures.append(Failure("extract", str(error)))
    return list(map(as_json, items))


def _own_item(asked: Asked, page: Page) -> list[dict[str, object]]:
    """The item of the fields; none where the page has nothing for any of them."""
    item: dict[str, object] = {field.name: field.value(page.document) for field in _fields(asked.fields)}
    if asked.structured:
        item |= structured(page.document, page.url)
    return [item] if any(value is not None for value in item.values()) else []


def columns_of(fields: tuple[str, ...], rules: tuple[str, ...], *, is_structured: bool) -> tuple[str, ...]:
    """The names of what every item may have. Raises SettingError."""
    names = [field.name for field in _fields(fields)]
    names += [name for rule in _rules(rules) for name in (RULE, *(field.name for field in rule.fields))]
    return tuple(dict.fromkeys((*names, *(STRUCTURED if is_structured else ()))))


@lru_cache(maxsize=8)
def _rules(texts: tuple[str, ...]) -> tuple[ItemRule, ...]:
    return tuple(map(read_rule, texts))


@lru_cache(maxsize=8)
def _fields(texts: tuple[str, ...]) -> tuple[Field, ...]:
    return read_fields(texts)
