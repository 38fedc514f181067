"""Fields of an item, in the format of --extract.

title=h1                          the text of the first h1
price=css:.price::text            the same, written out
image=css:article img::attr(src)  an attribute
date=xpath://time/@datetime       an XPath
tags[]=css:.tag                   all matches, as a list
"""

import re
from dataclasses import dataclass

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, wrong_css, wrong_xpath

_FIELD = re.compile(r"(?P<name>[^=\[\]\s]+)(?P<all>\[\])?=(?:(?P<way>css|xpath):)?(?P<selector>.+)", re.DOTALL)
_PART = re.compile(r"(?P<css>.*?)::(?:text|attr\((?P<attribute>[^()]+)\))", re.DOTALL)
_RESERVED = ("url", "at")
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
    if name in _RESERVED:
        raise SettingError(f"--extract {text!r}: every item has a field {name} already; choose another name")
    attribute = None
    if is_xpath:
        wrong = wrong_xpath(selector)
        if wrong is not None:
            raise SettingError(f"--extract {text!r}: {selector!r} is no XPath ({wrong})")
    else:
        part = _PART.fullmatch(selector)
        if part is not None:
            selector, attribute = part["css"].strip(), part["attribute"] and part["attribute"].strip()
        if wrong_css(selector):
            raise SettingError(
                f"--extract {text!r}: {selector!r} is no CSS selector; an XPath has xpath: before it, and behind a "
                "selector ::text or ::attr(NAME) may stand"
            )
    return Field(name, selector, is_xpath, attribute, match["all"] is not None)


def read_fields(texts: tuple[str, ...]) -> tuple[Field, ...]:
    """Parse fields, see `read_field`. Raises SettingError, also for two of the same name."""
    fields = tuple(map(read_field, texts))
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"--extract gives the field {name} twice; choose another name for one of them")
    return fields
