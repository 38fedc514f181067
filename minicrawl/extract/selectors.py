"""The item of a page by selectors and structured data (docs/extract.md), and checks of what is wanted."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, SelectorError, wrong_css, wrong_xpath
from minicrawl.extract.hooks import Failure, as_json, within_size, wrong_hook
from minicrawl.extract.item_file import OF_PAGE, check_format
from minicrawl.extract.structured import SYNTAXES, structured
from minicrawl.model import css_parts
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD

_FIELD = re.compile(r"(?P<name>[^=\[\]\s]+)(?P<all>\[\])?=(?:(?P<way>css|xpath):)?(?P<selector>.+)", re.DOTALL)


@dataclass(frozen=True)
class Field:
    """A field of an item. `attribute`: of the elements, None: their text; `is_xpath`: the selector is an XPath.
    `has_all`: the value is a list of all matches, not the first."""

    name: str
    selector: str
    is_xpath: bool
    attribute: str | None
    has_all: bool

    def value(self, source: Document) -> str | list[str] | None:
        """The value of the field in a page; None if nothing matches."""
        found = source.xpath(self.selector) if self.is_xpath else source.css(self.selector, self.attribute)
        if self.has_all:
            return found or None
        return found[0] if found else None


def read_field(text: str) -> Field:
    """Parse a field. Raises SettingError."""
    match = _FIELD.fullmatch(text)
    if match is None:
        raise SettingError(f"--extract takes NAME=SELECTOR, such as title=h1, not {text!r}")
    name, selector, is_xpath = match["name"], match["selector"].strip(), match["way"] == "xpath"
    if name in OF_PAGE:
        raise SettingError(f"--extract {text!r}: every item has a field {name} already; choose another name")
    attribute = None
    if is_xpath:
        wrong = wrong_xpath(selector)
        if wrong is not None:
            raise SettingError(f"--extract {text!r}: {selector!r} is not an XPath ({wrong})")
    else:
        selector, attribute = css_parts(selector)
        if wrong_css(selector):
            raise SettingError(
                f"--extract {text!r}: {selector!r} is not a CSS selector; write xpath: before an XPath, and "
                "::text or ::attr(NAME) after a selector"
            )
    return Field(name, selector, is_xpath, attribute, match["all"] is not None)


@lru_cache(maxsize=8)
def read_fields(texts: tuple[str, ...]) -> tuple[Field, ...]:
    """Parse fields, see `read_field`. Raises SettingError, also for two of the same name."""
    fields = tuple(map(read_field, texts))
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"--extract gives the field {name} twice; choose another name for one of them")
    return fields


def gather(
    fields: tuple[str, ...], document: Document, url: str, *, is_structured: bool
) -> tuple[list[str], list[Failure]]:
    """The item of a page, if it has any of what is wanted, as JSON; and what failed over it."""
    failures, reasons, item = list[Failure](), list[str](), dict[str, object]()
    try:
        item = {field.name: field.value(document) for field in read_fields(fields)}
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
    return dict.fromkeys([*(field.name for field in read_fields(fields)), *(SYNTAXES if is_structured else ())], str)


async def check_asked(settings: CrawlSettings) -> None:
    """Raise SettingError for invalid selectors, hooks and item files."""
    columns = check_selectors(settings)
    if settings.hook:
        await _check_hooks(settings)
    if settings.items:
        check_format(Path(settings.items), columns)
    elif settings.extracts:
        asked = "--extract" if settings.extract else "--extract-structured"
        raise SettingError(f"{asked} needs a file for what it finds: --items FILE.jsonl, .csv or .parquet")


def check_selectors(settings: CrawlSettings) -> tuple[str, ...]:
    """The names of all possible item fields. Raises SettingError for invalid selectors."""
    return tuple(columns_of(settings.extract, is_structured=settings.extract_structured))


async def _check_hooks(settings: CrawlSettings) -> None:
    """Check hooks in a child, as importing them runs foreign code."""
    from minicrawl.sandbox.cage import Cage  # noqa: PLC0415 - few crawls have hooks
    from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox  # noqa: PLC0415

    limits = Limits(STANDARD.hook, STANDARD.hook, Cage(forks=True))
    sandbox = Sandbox(wrong_hook, limits)
    try:
        wrong = await sandbox.call(settings.hook)
    except ChildError as error:
        wrong = f"--hook {', '.join(settings.hook)} cannot be imported: {error}"
    finally:
        await sandbox.aclose()
    if wrong is not None:
        raise SettingError(wrong)
