"""Fields of an item, in the format of --extract, and rules for the pages that they apply to.

title=h1                          the text of the first h1
price=css:.price::text            the same, written out
image=css:article img::attr(src)  an attribute
date=xpath://time/@datetime       an XPath
tags[]=css:.tag                   all matches, as a list

A rule selects pages by URL; the page, or each of its parts, becomes an item:

    {"name": "product", "match": "/shop/", "each": ".product", "fields": {"title": "h2", "price": ".price::text"}}

Rules come from --extract-rule. The settings check their shape, this module their selectors.
"""

import json
import re
from dataclasses import dataclass

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, Part, wrong_css, wrong_xpath
from minicrawl.extract.hooks import within

_FIELD = re.compile(r"(?P<name>[^=\[\]\s]+)(?P<all>\[\])?=(?:(?P<way>css|xpath):)?(?P<selector>.+)", re.DOTALL)
_PART = re.compile(r"(?P<css>.*?)::(?:text|attr\((?P<attribute>[^()]+)\))", re.DOTALL)
RESERVED = ("url", "at")
"""Fields of every item."""


@dataclass(frozen=True)
class Field:
    """A field of an item. `attribute`: of the elements, None: their text; `is_xpath`: the selector is an XPath.
    `has_all`: the value is a list of all matches, not the first."""

    name: str
    selector: str
    is_xpath: bool
    attribute: str | None
    has_all: bool

    def value(self, source: Document | Part) -> str | list[str] | None:
        """The value of the field in a page or part; None if nothing matches."""
        found = source.xpath(self.selector) if self.is_xpath else source.css(self.selector, self.attribute)
        if self.has_all:
            return found or None
        return found[0] if found else None


def read_field(
    text: str, called: str = "--extract", *, within: bool = False, reserved: tuple[str, ...] = RESERVED
) -> Field:
    """Parse a field. Raises SettingError.

    called: name of the option in messages; within: the field is of a part of a page, and needs no selector; reserved:
    names of fields that every item has.
    """
    match = _FIELD.fullmatch(text)
    if match is None:
        raise SettingError(f"{called} takes NAME=SELECTOR, such as title=h1, not {text!r}")
    name, selector, is_xpath = match["name"], match["selector"].strip(), match["way"] == "xpath"
    if name in reserved:
        raise SettingError(f"{called} {text!r}: every item has a field {name} already; choose another name")
    attribute = None
    if is_xpath:
        wrong = wrong_xpath(selector)
        if wrong is not None:
            raise SettingError(f"{called} {text!r}: {selector!r} is no XPath ({wrong})")
    else:
        part = _PART.fullmatch(selector)
        if part is not None:
            selector, attribute = part["css"].strip(), part["attribute"] and part["attribute"].strip()
        is_itself = within and not selector and part is not None
        if not is_itself and wrong_css(selector):
            raise SettingError(
                f"{called} {text!r}: {selector!r} is no CSS selector; an XPath has xpath: before it, and behind a "
                "selector ::text or ::attr(NAME) may stand"
            )
    return Field(name, selector, is_xpath, attribute, match["all"] is not None)


def read_fields(
    texts: tuple[str, ...], called: str = "--extract", *, within: bool = False, reserved: tuple[str, ...] = RESERVED
) -> tuple[Field, ...]:
    """Parse fields, see `read_field`. Raises SettingError, also for two of the same name."""
    fields = tuple(read_field(text, called, within=within, reserved=reserved) for text in texts)
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"{called} gives the field {name} twice; choose another name for one of them")
    return fields


RULE = "rule"
"""The field of an item with the name of its rule."""
LONGEST_MATCH = 1.0
"""Maximum seconds to match a pattern against a URL: nested repeats, as (a+)+, may never end."""


@dataclass(frozen=True)
class ItemRule:
    """A rule. `match`: pattern of the URLs of its pages; `each`: selector of the parts that are an item each, by XPath
    if `is_xpath`; None: the whole page is one item."""

    name: str
    match: re.Pattern[str]
    each: str | None
    is_xpath: bool
    fields: tuple[Field, ...]

    def items(self, document: Document, url: str, most: int) -> list[dict[str, object]]:
        """The items of a page that have at least one field, at most `most` + 1 of them.

        Raises TimeoutError if matching `match` takes too long.
        """
        if not self._is_for(url):
            return []
        parts = [document] if self.each is None else document.parts(self.each, is_xpath=self.is_xpath)[: most + 1]
        found = ([(field.name, field.value(part)) for field in self.fields] for part in parts)
        return [{RULE: self.name, **dict(item)} for item in found if any(value is not None for _, value in item)]

    def _is_for(self, url: str) -> bool:
        found: list[object] = []
        within(LONGEST_MATCH, lambda: found.append(self.match.search(url)))
        return found[0] is not None


def read_rule(text: str) -> ItemRule:
    """Parse a rule of the settings. Raises SettingError for invalid selectors."""
    given = json.loads(text)
    name, each = given["name"], given.get("each")
    called = f"--extract-rule {name}"
    is_xpath = False
    if each is not None:
        is_xpath, each = each.startswith("xpath:"), each.removeprefix("xpath:").removeprefix("css:").strip()
        wrong = wrong_xpath(each) if is_xpath else "no CSS selector" if wrong_css(each) else None
        if wrong is not None:
            raise SettingError(f"{called} each: {each!r} cannot be read ({wrong}); it is a CSS selector, or xpath:PATH")
    texts = tuple(f"{field}={selector}" for field, selector in given["fields"].items())
    fields = read_fields(texts, called, within=each is not None, reserved=("url", "at", RULE))
    for field in fields:
        if each is not None and field.is_xpath != is_xpath:
            way = "XPath" if is_xpath else "CSS"
            raise SettingError(f"{called} {field.name}: where each is by {way}, all fields are by {way}")
    return ItemRule(name, re.compile(given.get("match", "")), each, is_xpath, fields)
