"""Extract the items of a page by selectors and structured data."""

from functools import lru_cache
from typing import NamedTuple

from minicrawl.extract.document import Document, SelectorError
from minicrawl.extract.hooks import MOST_ITEMS, Failure, as_json, within_size
from minicrawl.extract.selectors import RULE, Field, ItemRule, read_fields, read_rule
from minicrawl.extract.structured.syntaxes import SYNTAXES, structured


class Asked(NamedTuple):
    """The extraction settings: fields and rules as in the options; `structured`: structured data."""

    fields: tuple[str, ...] = ()
    structured: bool = False
    rules: tuple[str, ...] = ()


class Gathered(NamedTuple):
    """`items`: JSON objects; `failures`: pairs of rule and error."""

    items: tuple[str, ...]
    failures: tuple[tuple[str, str], ...]


def gather(asked: Asked, document: Document, url: str) -> Gathered:
    """Extract all items that the settings ask for."""
    failures: list[Failure] = []
    items = within_size(_selected(asked, document, url, failures), failures)
    return Gathered(tuple(items), tuple((failure.hook, failure.what) for failure in failures))


def _selected(asked: Asked, document: Document, url: str, failures: list[Failure]) -> list[str]:
    """The items by selectors; errors are added to `failures`."""
    items: list[dict[str, object]] = []
    try:
        items += _own_items(asked, document, url, failures)
        for rule in _rules(asked.rules):
            try:
                found = rule.items(document, url, MOST_ITEMS)
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


def _own_items(asked: Asked, document: Document, url: str, failures: list[Failure]) -> list[dict[str, object]]:
    """The item of the fields, if the page has any of them."""
    item: dict[str, object] = {field.name: field.value(document) for field in _fields(asked.fields)}
    if asked.structured:
        reasons = list[str]()
        item |= structured(document, url, reasons)
        failures += [Failure("extract.structured", reason) for reason in dict.fromkeys(reasons)]
    return [item] if any(value is not None for value in item.values()) else []


def columns_of(fields: tuple[str, ...], rules: tuple[str, ...], *, is_structured: bool) -> dict[str, type]:
    """The names of all possible fields of items, with the types of their values. Raises SettingError."""
    names = [field.name for field in _fields(fields)]
    names += [name for rule in _rules(rules) for name in (RULE, *(field.name for field in rule.fields))]
    return dict.fromkeys([*names, *(SYNTAXES if is_structured else ())], str)


@lru_cache(maxsize=8)
def _rules(texts: tuple[str, ...]) -> tuple[ItemRule, ...]:
    return tuple(map(read_rule, texts))


@lru_cache(maxsize=8)
def _fields(texts: tuple[str, ...]) -> tuple[Field, ...]:
    return read_fields(texts)
