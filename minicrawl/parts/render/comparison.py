"""What the scripts of a page add to it: words, compared as runs of three, and links.

Words are runs of letters and digits in lower case, so that coloured code has the same. A character of a script that
has no spaces between words is a word.
"""

import html
import re
import zlib
from collections.abc import Sequence
from itertools import islice

import numpy as np

from minicrawl.model import Fetched, PageScripts, ParsedPage
from minicrawl.parts.render.choice import has_own_words
from minicrawl.web.fingerprint import placed_words, shingles_of, shown_text
from minicrawl.web.html.decode import as_utf8, encoding_of
from minicrawl.web.marks import Marks, scripts_of
from minicrawl.web.urls.normalise import normalise
from minicrawl.web.urls.shapes import looks_random

_LONGEST = 2**20
"""Bytes of a page that are compared, and characters of the scripts in it."""
_MOST_FILES = 100
_ALONE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_SOURCE = re.compile(rb"""<script\b[^>]{0,1000}?\ssrc\s*+=\s*+["']?\s*+([^"'\s>]++)""", re.IGNORECASE)
_VALUES = re.compile(rb""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|\d+""")


def scripts_before(page: Fetched, parsed: ParsedPage) -> PageScripts | None:
    """The scripts of a page as it was sent; None without any. Pages that load the same files, and have the same code
    in them but for its strings and numbers, have one number: a file of the page's own host is the same if its name
    looks made of its bytes."""
    marks = Marks(page.body)
    names = set()
    for at in islice(scripts_of(marks), _MOST_FILES):
        if source := _SOURCE.match(page.body, at):
            url = normalise(source[1].decode("utf-8", "replace"), page.url) or ""
            name = url.rpartition("/")[2]
            names.add((name if looks_random(name) else url).encode())
        else:
            begin, end = page.body.find(b">", at), page.body.find(b"</", at)
            names.add(_VALUES.sub(b"", page.body[begin : end if end > 0 else None][:_LONGEST]))
    return PageScripts(zlib.crc32(b"\n".join(sorted(names))), parsed.is_shell) if names else None


def compared(before: tuple[Fetched, ParsedPage], after: tuple[Fetched, ParsedPage], seconds: float) -> PageScripts:
    """What the scripts of a page have added, which are known. before: the page as it was sent; after: as it is shown,
    in UTF-8."""
    (sent, plain), (page, shown) = before, after
    assert plain.scripts is not None
    old = _runs(as_utf8(sent.body[:_LONGEST], encoding_of(sent.body, sent.content_type)))
    new = _runs(page.body[:_LONGEST])
    known = set(plain.outlinks)
    return plain.scripts._replace(
        seconds=seconds,
        runs=np.setdiff1d(new, old).tobytes(),
        words=len(new),
        links=tuple(link for link in shown.outlinks if link not in known),
    )


def are_pages(page: str, routes: Sequence[str]) -> bool:
    """True if routes to which a page links show pages: texts that neither the page has nor another route. One at which
    the page shows what it did, as at its own route, says nothing."""
    first = known = _runs(page.encode("utf-8", "replace")[:_LONGEST])
    for route in routes:
        shown = _runs(route.encode("utf-8", "replace")[:_LONGEST])
        if has_own_words(len(np.setdiff1d(shown, first)), len(shown)):
            if not has_own_words(len(np.setdiff1d(shown, known)), len(shown)):
                return False
            known = np.union1d(known, shown)
    return len(known) > len(first)


def _runs(body: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """A hash of each run of three words of a page; of each of its words with those beside it, in order."""
    words = _WORD.findall(html.unescape(shown_text(body).decode("utf-8", "replace")).lower())
    return shingles_of(placed_words(f" . {' '.join(words)} . ".encode())[0])
