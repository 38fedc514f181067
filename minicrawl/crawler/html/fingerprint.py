"""Whether two pages say the same: 64 bits each of their bytes and of what they say.

payload   digest of all of the body: the same bytes
digest    of the body without the targets of its links and its own path, and of its origin
wording   of the body without the targets of its links and all digits, where the URL has a number: calendars repeat it
sketch    40 bytes from which it can be told how alike two pages are, see minicrawl.crawler.html.sketch
"""

import hashlib
import re
from typing import NamedTuple

from minicrawl.crawler.html.sketch import shingles_of, sketch_of, text_of, words_of
from minicrawl.crawler.html.words import vocabulary

FEWEST = 4
"""Different words of a page that says something; what says less is like nothing else."""

_ENOUGH = 64  # words, to see whether so many are different
_LITTLE = 400  # bytes of text
_MUCH = 1 << 15  # bytes of a page whose words are not told: answers for pages that do not exist are shorter
_UNSEEN = re.compile(rb"<(title|noscript)\b.*?</\1", re.DOTALL | re.IGNORECASE)
_TARGETS = re.compile(rb"""href=("[^"]*|'[^']*|)""")
_DIGITS = b"0123456789"
_NUMBER = re.compile(r"\?.*\d|\d[^/?]*/?(?:$|\?)")


class Identity(NamedTuple):
    """64 bits each, signed. `payload`: None of a page that says nothing; `sketch`: None of one that says little.

    `wording`: None where the last segment of the URL has no digit, nor its query.
    """

    digest: int
    payload: int | None
    sketch: bytes | None
    wording: int | None
    words: bytes


def identity_of(body: bytes, url: str, *, wants_words: bool = True) -> Identity:
    """What an HTML body at a normalised URL can be told by. wants_words: else `words` is empty.

    Link targets and its own path, with and without query, are no part of what it says: they hold session ids, dates,
    and what was asked for in vain. The site's origin is: what two of them say alike is no sign of a trap.
    """
    pieces = _TARGETS.split(body)
    text = b"".join(pieces[::2])
    *origin, path = url.split("/", 3)
    raw = _sha1(text)
    own_text = text
    for own in filter(None, dict.fromkeys((path, path.partition("?")[0]))):
        own_text = own_text.replace(own.encode(), b"")
    seen = text_of(body)
    words = words_of(seen)
    return Identity(
        _signed(_sha1((raw if len(own_text) == len(text) else _sha1(own_text)) + "/".join(origin).encode())),
        _signed(_sha1(raw + b'"'.join(pieces[1::2]))) if len(set(words[:_ENOUGH].tolist())) >= FEWEST else None,
        sketch_of(shingles_of(words)),
        _signed(_sha1(text.translate(None, _DIGITS))) if is_numbered(url) else None,
        _vocabulary(seen, body) if wants_words else b"",
    )


def is_numbered(url: str) -> bool:
    """Whether the last segment of a normalised URL has a digit, or its query."""
    return _NUMBER.search(url, 8) is not None


def hash_of(text: bytes) -> int:
    """64 bits, signed, of any text."""
    return _signed(_sha1(text))


def _vocabulary(text: bytes, body: bytes) -> bytes:
    """That of a page; of one that says little without its title and what it says to readers without scripts."""
    if len(body) > _MUCH:
        return b""
    return vocabulary(text if len(text) > _LITTLE else text_of(b">" + _UNSEEN.sub(b"", body)))


def _sha1(text: bytes) -> bytes:
    return hashlib.sha1(text, usedforsecurity=False).digest()


def _signed(octets: bytes) -> int:
    """The first 64 bits, as SQLite keeps them."""
    return int.from_bytes(octets[:8], "big", signed=True)
