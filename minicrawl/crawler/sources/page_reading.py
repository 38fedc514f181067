"""Read a page: parse it, extract items, take its fingerprints. Pages that take long are read in child processes.

A thread would not do for those, as a regular expression holds Python's lock to its end.
"""

import re
import time
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from minicrawl import log
from minicrawl.model import Fetched, ParsedPage, Wanted
from minicrawl.system import cores
from minicrawl.timing import Timing
from minicrawl.web.fingerprint import Identity, identity_of, shown_text
from minicrawl.web.html.decode import as_utf8, encoding_of
from minicrawl.web.html.facts import requisites_of_style
from minicrawl.web.html.page_headers import script_refresh, with_refresh
from minicrawl.web.html.parse import parse_html
from minicrawl.web.html.parser_choice import (
    attributes_at_most,
    may_explode,
    tags_at_most,
    with_few_attributes,
    within_limit,
)
from minicrawl.web.http.response_fields import HTML_TYPES, UTF_8, media_type
from minicrawl.web.lines import lines_of, pack
from minicrawl.web.marks import Marks, scripts_of
from minicrawl.web.urls.keys import authority

if TYPE_CHECKING:
    from minicrawl.sandbox.sandbox import Sandbox

_NO_IDENTITY = Identity(0, None, None, None)


def read_page(body: bytes, url: str, content_type: str | None, wanted: Wanted) -> tuple[ParsedPage, Identity]:
    """Parse a page, with its items if they are wanted, and take its fingerprints; or a file that a page needs."""
    if wanted.is_style:
        return ParsedPage(requisites=requisites_of_style(body, url, content_type)), _NO_IDENTITY
    is_page = media_type(content_type) in HTML_TYPES
    if not is_page:
        from minicrawl.web.html.plain_text import as_page  # noqa: PLC0415 - few crawls keep other texts

        body, content_type = as_page(body, content_type, url), UTF_8
        wanted = replace(wanted, facts=False, requisites=False, extract=(), structured=False)
    marks = Marks(body)
    parse = replace(wanted, kept=True, is_view=True) if wanted.hashes else wanted
    parsed = parse_html(body, url, content_type, parse, marks)
    if wanted.hashes:
        parsed = _with_hashes(parsed, body, url, content_type, wanted)
    if not is_page:
        # Markdown may have links, which are its words: they are not followed, as those of other texts are not.
        parsed = parsed._replace(outlinks=(), anchors=(), places=b"", malformed=(), canonicals=(), alternates=())
        parsed = parsed._replace(hreflang=(), refresh=None, nofollow=0)
    if wanted.forms:
        from minicrawl.web.html.forms import asks_password, buttons_of, is_filled_in  # noqa: PLC0415 - few log in

        parsed = parsed._replace(asks_password=asks_password(body), is_filled_in=is_filled_in(body, url))
        parsed = parsed._replace(buttons=buttons_of(body, url))
    if wanted.items:
        parsed = with_items(parsed, body, url, content_type, wanted)
    identity = identity_of(body, url, marks, wants_text=wanted.short_text)
    if identity.sketch is None and is_shell(marks, parsed, url):
        scripts = list(islice(scripts_of(marks), 2))
        refresh = script_refresh(body, scripts[0], url) if len(scripts) == 1 and parsed.refresh is None else None
        if refresh is None:
            parsed = parsed._replace(is_shell=True)
        else:
            parsed = with_refresh(parsed, refresh, body, places=wanted.places)
    return parsed, identity._replace(lines=pack(lines_of(marks, url))) if wanted.lines else identity


def _with_hashes(parsed: ParsedPage, body: bytes, url: str, content_type: str | None, wanted: Wanted) -> ParsedPage:
    """Add the hashes of what is compared of a page, and leave its text out if it is not kept. body: decoded."""
    from minicrawl.web.compare.hashes import pack as packed  # noqa: PLC0415 - few crawls ask again
    from minicrawl.web.compare.view import view_of  # noqa: PLC0415

    structured = with_items(parsed, body, url, content_type, replace(wanted, extract=(), structured=True))
    hashes = packed(view_of(Fetched(url, 200), structured, url, time.time()))
    if wanted.kept and (parsed.archive or wanted.is_view):
        return parsed._replace(hashes=hashes)
    return parsed._replace(hashes=hashes, kept=b"", headings=b"")


_FEW_LINKS, _FEW_WORDS, _LITTLE_TEXT = 3, 30, 600
"""Links of a page within its host, its words, and bytes of its text, from which on it is not a shell: of 3,394 pages of
documentation 43 have fewer than 50 words and scripts. Languages without spaces have few words, and many bytes."""
_MOST_COUNTED = 1_000
"""Links that are looked at."""


def is_shell(marks: Marks, parsed: ParsedPage, url: str) -> bool:
    """True if a page with few words has scripts, and next to no words, links and forms of its own: they may make it. A
    form that is posted, such as one that asks for an address, is what its page is for."""
    if next(scripts_of(marks), None) is None:
        return False
    host = authority(url)
    if sum(authority(link) == host for link in parsed.outlinks[:_MOST_COUNTED]) >= _FEW_LINKS:
        return False
    text = shown_text(marks.body)
    if len(text) >= _LITTLE_TEXT or len(text.split()) >= _FEW_WORDS:
        return False
    from minicrawl.web.html.forms import asks_something  # noqa: PLC0415 - few pages have next to no words

    return not asks_something(marks.body, url)


def with_items(parsed: ParsedPage, body: bytes, url: str, content_type: str | None, wanted: Wanted) -> ParsedPage:
    """Add the page's items. body: decoded."""
    from minicrawl.extract.document import Document  # noqa: PLC0415 - few crawls extract items
    from minicrawl.extract.selectors import gather  # noqa: PLC0415

    html = shown_html(body, url, content_type)
    if html is None:
        return parsed
    items, failures = gather(wanted.extract, Document(html), url, is_structured=wanted.structured)
    return parsed._replace(items=tuple(items), hook_failures=tuple((each.hook, each.what) for each in failures))


def shown_html(body: bytes, url: str, content_type: str | None) -> bytes | None:
    """A page in UTF-8 for selectors and hooks, of very many attributes the first ones of each tag; None if it could
    overload a browser's parser."""
    html = with_few_attributes(within_limit(as_utf8(body, encoding_of(body, content_type))))
    if may_explode(Marks(html)):
        log.event("page-not-extracted", url=url)
        return None
    return html


# The parser takes time quadratic in the nesting of tags, and in the attributes of a tag: 160 and 150 ms at most.
_LARGE = 512 * 1024
_MANY_TAGS = 12_000
_MANY_ATTRIBUTES = 10_000
_SMALL = 2 * _MANY_ATTRIBUTES  # the least bytes that so many attributes take; they have no room for so many tags
# A value with a ">" in it, up to that.
_CUT_VALUE = re.compile(rb"""=[\t\n\f\r ]*+(?:"[^">]*+|'[^'>]*+)>""")
_NOT_ASCII = (b"\0", b"\x1b")  # in UTF-16 and ISO-2022-JP, where "<" and ">" may be parts of other characters


def is_large(body: bytes) -> bool:
    """True if a page may take too long to parse to let everything else wait."""
    if len(body) <= _SMALL:
        return False
    if len(body) > _LARGE or tags_at_most(body) > _MANY_TAGS:
        return True
    return attributes_at_most(body) > _MANY_ATTRIBUTES and _may_have_long_tag(body)


def _may_have_long_tag(body: bytes) -> bool:
    """True if a tag may have more than `_SMALL` bytes, values with a ">" left out: a tag without such values lies
    between two ">", and each such value may join two of these pieces."""
    if any(byte in body for byte in _NOT_ASCII):
        return True
    ends = np.flatnonzero(np.frombuffer(body, dtype=np.uint8) == ord(">"))
    longest = int(np.diff(ends, prepend=-1, append=len(body)).max())
    return longest * (1 + len(_CUT_VALUE.findall(body))) > _SMALL


def large_pages(
    timing: Timing, processes: int
) -> "Sandbox[bytes, str, str | None, Wanted, tuple[ParsedPage, Identity]]":
    """`read_page` in child processes, which start when pages wait for one and end after an idle time. processes: that
    fetch and parse for this crawl, and share its cores."""
    from minicrawl.sandbox.sandbox import Limits, Sandbox  # noqa: PLC0415 - the children need none of it

    limits = Limits(timing.parse, timing.hang)
    return Sandbox(read_page, limits, most=max(1, cores() // processes), idle=timing.spare)
