"""What users take out of a page, where the page is parsed: items, and the links that their hooks keep."""

import logging
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

from minicrawl.crawler.html.decode import as_utf8, encoding_of
from minicrawl.crawler.html.elements import Marks, may_explode, within_limit
from minicrawl.extract.gathering import Asked, gather
from minicrawl.extract.page import Page, by_name
from minicrawl.model import ParsedPage, Wanted

_log = logging.getLogger("minicrawl")


Headers = tuple[tuple[str, str], ...]
"""Names in lower case, and values."""


class Sent(NamedTuple):
    """A page as it was sent. body: without its content coding; headers: only where hooks are to see them."""

    body: bytes
    url: str
    content_type: str | None
    headers: Headers = ()


def with_gathered(parsed: ParsedPage, sent: Sent, wanted: Wanted) -> ParsedPage:
    """The parsed page with what is taken out of it. Nothing is, of one that a browser's parser would choke on."""
    html = within_limit(as_utf8(sent.body, encoding_of(sent.body, sent.content_type)))
    if may_explode(Marks(html)):
        _log.warning("nothing is taken out of %s: its tags could make a tree of any size", sent.url)
        return parsed
    asked = Asked(wanted.extract, wanted.hooks, wanted.structured, wanted.hook_timeout, wanted.extract_rules)
    headers = by_name(sent.headers)
    page = Page(sent.url, 200, sent.content_type, html, parsed.title, parsed.outlinks, sent.body, headers)
    found = gather(asked, page)
    failures = tuple((failure.hook, failure.what) for failure in found.failures)
    parsed = replace(parsed, items=found.items, hook_failures=failures)
    return parsed if found.kept is None else _with_links(parsed, found.kept)


def _with_links(parsed: ParsedPage, kept: frozenset[str]) -> ParsedPage:
    """The page with these of its links alone."""
    is_kept = [link in kept for link in parsed.outlinks]
    return replace(
        parsed,
        outlinks=tuple(compress(parsed.outlinks, is_kept)),
        anchors=tuple(compress(parsed.anchors, is_kept)),
        places=bytes(compress(parsed.places, is_kept)),
        refused=len(is_kept) - sum(is_kept),
    )
