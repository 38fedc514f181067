"""Extract the item of a page by selectors and structured data."""

from functools import lru_cache

from minicrawl.extract.document import Document, SelectorError
from minicrawl.extract.hooks import Failure, as_json, within_size
from minicrawl.extract.selectors import Field, read_fields
from minicrawl.extract.structured.syntaxes import SYNTAXES, structured


def gather(
    fields: tuple[str, ...], document: Document, url: str, *, is_structured: bool
) -> tuple[list[str], list[Failure]]:
    """The item of a page, if it has any of what is asked for, as JSON; and what failed over it."""
    failures, reasons, item = list[Failure](), list[str](), dict[str, object]()
    try:
        item = {field.name: field.value(document) for field in _fields(fields)}
        if is_structured:
            item |= structured(document, url, reasons)
            failures += [Failure("extract.structured", reason) for reason in dict.fromkeys(reasons)]
    except SelectorError as error:
        failures.append(Failure("extract", str(error)))
        item = {}
    items = [as_json(item)] if any(value is not None for value in item.values()) else []
    return within_size(items, failures), failures


def columns_of(fields: tuple[str, ...], *, is_structured: bool) -> dict[str, type]:
    """The names of all possible fields of items, with the types of their values. Raises SettingError."""
    return dict.fromkeys([*(field.name for field in _fields(fields)), *(SYNTAXES if is_structured else ())], str)


@lru_cache(maxsize=8)
def _fields(texts: tuple[str, ...]) -> tuple[Field, ...]:
    return read_fields(texts)
