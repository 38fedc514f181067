"""Fields of an item, as the option --extract names them.

title=h1                          the text of the first h1
price=css:.price::text            the same, written out
image=css:article img::attr(src)  an attribute
date=xpath://time/@datetime       an XPath
tags[]=css:.tag                   all that is found, as a list
"""

import re
from dataclasses import dataclass

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, Part, wrong_css, wrong_xpath

_FIELD = re.compile(r"(?P<name>[^=\[\]\s]+)(?P<all>\[\])?=(?:(?P<way>css|xpath):)?(?P<selector>.+)", re.DOTALL)
_PART = re.compile(r"(?P<css>.*?)::(?:text|attr\((?P<attribute>[^()]+)\))", re.DOTALL)
RESERVED = ("url", "at")
"""What every item has."""


@dataclass(frozen=True)
class Field:
    """A field of an item. `attribute`: that of the elements, None: their text; `is_xpath`: the selector is one.
    `has_all`: it is a list of all that is found, not the first."""

    name: str
    selector: str
    is_xpath: bool
    attribute: str | None
    has_all: bool

    def value(self, source: Document | Part) -> str | list[str] | None:
        """What a page, or a part of one, has for the field; None where nothing is found."""
        found = source.xpath(self.selector) if self.is_xpath else source.css(self.selector, self.attribute)
        if self.has_all:
            return found or None
        return found[0] if found else None


def read_field(
    text: str, called: str = "--extract", *, within: bool = False, reserved: tuple[str, ...] = RESERVED
) -> Field:
    """A field as it is given. Raises SettingError.

    called: what messages name; within: it is of a part of a page, which needs no selector of its own; reserved: names
    that every item has.
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
    """Fields as they are given, see `read_field`. Raises SettingError, also for two of one name."""
    fields = tuple(read_field(text, called, within=within, reserved=reserved) for text in texts)
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"{called} gives the field {name} twice; choose another name for one of them")
    return fields
