"""How deep the tags of a page are inside one another, for pages of many tags whose markup is in order.

A browser's parser searches the elements that are open at most tags, and copies formatting elements that were not closed
into every block that follows. Pages of many tags mostly do neither: their tags close one another.

Elements that a browser closes by itself count as open, and an end tag that closes less than it seems to closes nothing.
So the depth is no less than a browser's, but for what tables add: three elements that have no tags.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.crawler.html.trees.tree import FORMATS

_FORMATTING = frozenset(FORMATS) | {b"a"}
_SLASH = ord("/")
_VOID = frozenset(
    b"area base basefont bgsound br col embed hr img input keygen link meta param source track wbr".split()
)
# In elements of these names no tag is one.
_RAW = b"iframe|noembed|noframes|script|style|textarea|title|xmp"
# In elements of these, tags mean something else; but an image of few lines, as an icon is, holds nothing.
_OTHERWISE = frozenset(b"frame frameset math plaintext select svg".split())
# An end tag closes only those elements that are not around one of these (HTML 13.2.4.2, to have an element in scope).
_SCOPES = frozenset(b"applet caption html marquee object table td template th".split())
_TABLE_SCOPES = frozenset(b"html template".split())
# An end tag of any other name closes none that are around one of these either (HTML 13.2.4.2, special).
_SPECIAL = _SCOPES.union(
    b"address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption".split(),
    b"figure footer form h1 h2 h3 h4 h5 h6 head header hgroup li listing main menu nav noscript ol p pre".split(),
    b"search section summary tbody tfoot thead tr ul".split(),
)
# Elements that a browser may have closed, or leaves open, whatever their end tags say: these close the innermost alone.
_CLOSED_OTHERWISE = frozenset(
    b"a body caption colgroup dd dt form h1 head html li noscript optgroup option p rb rp rt rtc tbody td"
    b" tfoot th thead tr".split()
) | frozenset(FORMATS)
_LINES = b"circle|defs|ellipse|g|line|path|polygon|polyline|rect|symbol|use"
# The end tag of any heading closes any other.
_ALIKE = {b"%s%s" % (slash, heading): slash + b"h1" for heading in b"h2 h3 h4 h5 h6".split() for slash in (b"", b"/")}
_ATTRIBUTE = (
    rb"""[\t\n\f\r /]+(?:[^\t\n\f\r "'<>/=]++(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\t\n\f\r "'<>=`]++))?+)?+"""
)
_TOKEN = re.compile(
    rb"<(/?(?!(?:svg|%b)[\t\n\f\r />])[a-z][^\t\n\f\r \"'<>/=]*+)(?:%b)*+>|("
    rb"<svg(?:%b)*+(?<!/)>(?:[^<]*+<(?:/?(?:%b)(?:%b)*+>|title>[^<]*+</title>)){0,50}+[^<]*+</svg>"
    rb"|<(?P<raw>%b)(?:%b)*+>[^<]*+(?:<(?!/?(?P=raw)|!--)[^<]*+)*+</(?P=raw)[\t\n\f\r ]*+>"
    rb"|<!doctype[^<>]*+>"
    rb"|<!--(?!-?>)(?:(?!--!?>|<!--).)*+-->)" % (_RAW, _ATTRIBUTE, _ATTRIBUTE, _LINES, _ATTRIBUTE, _RAW, _ATTRIBUTE),
    re.DOTALL,
)
"""A tag, of which the first group is the name, or else what the second group is: an icon, an element without tags, a
comment. What is cut off is looked through up to the next that begins like it: the time follows the length of a page."""
_LEAF = re.compile(
    rb"<(a|b|big|cite|code|dd|div|dt|em|font|h[1-6]|i|kbd|li|p|s|samp|small|span|strong|sub|sup|td|th|tt|u|var)(?:%b)*+>"
    rb"[^<>]*+</\1>" % _ATTRIBUTE
)
"""Most tags of a page: an element that is closed as soon as it is opened changes nothing of what follows."""


class Nesting(NamedTuple):
    """deepest: elements inside one another at most, but for copies. unclosed: formatting elements not closed where they
    were opened, which are copied."""

    deepest: int
    unclosed: int


def nesting(body: bytes) -> Nesting | None:
    """How deep the elements of a page are; None where its markup leaves a doubt of what is a tag."""
    body, leaves = _LEAF.subn(b"", body.lower())
    found = _TOKEN.findall(body)
    tags = [_ALIKE.get(tag, tag) for tag, *_ in found if tag]
    others = b"".join(other for _, other, _ in found if other)
    if len(tags) + others.count(b"<") != body.count(b"<") or not _OTHERWISE.isdisjoint(tags):
        return None
    deepest, unclosed = _nesting_of(tags)
    return Nesting(deepest + (leaves > 0), unclosed)


def _nesting_of(tags: Iterable[bytes]) -> Nesting:
    """The same of a page's tags, as lower-case names: an end tag with its slash."""
    opened: list[bytes] = []
    number: Counter[bytes] = Counter()
    deepest = unclosed = doubtful = 0
    for tag in tags:
        if tag[0] != _SLASH:
            if tag not in _VOID:
                opened.append(tag)
                number[tag] += 1
                unclosed += tag in _FORMATTING
                deepest = max(deepest, len(opened))
            continue
        name = tag[1:]
        if not number[name]:
            continue
        if opened[-1] == name:
            unclosed -= name in _FORMATTING
            number[opened.pop()] -= 1
            doubtful = min(doubtful, len(opened))
        elif closed := _closed_by(name, opened, doubtful):
            for _ in range(closed):
                number[opened.pop()] -= 1
        else:
            doubtful = len(opened)  # a browser may have closed any of them
    return Nesting(deepest, unclosed)


def _closed_by(name: bytes, opened: list[bytes], doubtful: int) -> int:
    """How many of the open elements an end tag closes that is not the innermost's, of the first `doubtful` none."""
    if name in _CLOSED_OTHERWISE:
        return 0
    around = _TABLE_SCOPES if name == b"table" else _SCOPES if name in _SPECIAL else _SPECIAL
    for at in range(len(opened) - 1, doubtful - 1, -1):
        if opened[at] == name:
            return len(opened) - at
        if opened[at] in around:
            break
    return 0
