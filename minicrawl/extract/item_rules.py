"""Items of the pages whose URL matches: a rule says which, and what of them is an item, the page or each of its parts.

    {"name": "product", "match": "/shop/", "each": ".product", "fields": {"title": "h2", "price": ".price::text"}}

Rules stand in files of options, as [extract.product]; what they say is checked in their shape by the settings, and in
their selectors here.
"""

import json
import re
from dataclasses import dataclass

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, wrong_css, wrong_xpath
from minicrawl.extract.hooks import within
from minicrawl.extract.selectors import Field, read_fields

RULE = "rule"
"""The field of an item that says by which rule it was made."""
LONGEST_MATCH = 1.0
"""Seconds for which a pattern is tried on a URL: one that repeats a repeat, as (a+)+ does, may come to no end."""


@dataclass(frozen=True)
class ItemRule:
    """`match`: pattern of the URLs whose pages it is for; `each`: selector of the parts that are an item each, by XPath
    if `is_xpath`; None: the whole page is one."""

    name: str
    match: re.Pattern[str]
    each: str | None
    is_xpath: bool
    fields: tuple[Field, ...]

    def items(self, document: Document, url: str, most: int) -> list[dict[str, object]]:
        """The items of a page, as far as it has something for one of the fields; no more than one too many.

        Raises TimeoutError where `match` does not come to an end.
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
    """A rule as the settings have it. Raises SettingError for selectors that cannot be meant."""
    given = json.loads(text)
    name, each = given["name"], given.get("each")
    called = f"[extract.{name}]"
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
