"""Pages that take long to parse, in a process of their own: meanwhile this one does not stand still.

A thread would not do: a regular expression holds Python's lock to its end.
"""

import re

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.fingerprint import Identity
from minicrawl.crawler.html.parser_choice import attributes_at_most, tags_at_most
from minicrawl.model import ParsedPage, Wanted
from minicrawl.sandbox.sandbox import Limits, Sandbox
from minicrawl.timing import Timing

# Both parsers take time in the square of the tags that are inside one another, and of the attributes of one tag: with
# so many, a twentieth of a second each.
_LARGE = 256 * 1024
_MANY_TAGS = 5_000
_MANY_ATTRIBUTES = 7_000
_ROOM_FOR_THEM = 16 * 1024  # to count them takes a nanosecond a byte
_MOST_BYTES = 2 * _MANY_ATTRIBUTES  # that so few of them take, at least
# Up to its first ">", a value that goes on behind it.
_CUT_VALUE = re.compile(rb"""=[\t\n\f\r ]*+(?:"[^">]*+|'[^'>]*+)>""")
_NOT_ASCII = (b"\0", b"\x1b")  # in UTF-16, and in ISO-2022-JP: there "<" and ">" may be parts of other characters


def is_large(body: bytes) -> bool:
    """Whether parsing a page may take so long that nothing else must wait for it."""
    if len(body) > _LARGE or tags_at_most(body) > _MANY_TAGS:
        return True
    if len(body) <= _ROOM_FOR_THEM or attributes_at_most(body) <= _MANY_ATTRIBUTES:
        return False
    return _longest_tag_at_most(body) > _MOST_BYTES


def _longest_tag_at_most(body: bytes) -> int:
    """No fewer than the bytes of any tag, values with a ">" left out.

    A tag without such values stands between two ">". Each such value may join what stands before it to what follows.
    """
    if any(byte in body for byte in _NOT_ASCII):
        return len(body)
    text = np.frombuffer(body, dtype=np.uint8)
    is_end = text == ord(">")
    longest = int(np.diff(np.flatnonzero(is_end), prepend=-1, append=len(body)).max())
    at_most = longest * (1 + _cut_values_at_most(text, is_end))
    is_decided = at_most <= _MOST_BYTES or longest > _MOST_BYTES
    return at_most if is_decided else longest * (1 + len(_CUT_VALUE.findall(body)))


def _cut_values_at_most(text: npt.NDArray[np.uint8], is_end: npt.NDArray[np.bool_]) -> int:
    """No fewer than the values with a ">" in them: a quote that may begin one, behind which a ">" comes before the next
    quote of its kind. In no time against `_CUT_VALUE`, which is to be asked only where these are many."""
    number = 0
    for quote in b"\"'":
        at = np.flatnonzero(is_end | (text == quote))
        is_quote = ~is_end[at]
        before = text[at[:-1][is_quote[:-1] & ~is_quote[1:]] - 1]
        number += int(np.count_nonzero((before == ord("=")) | (before <= ord(" "))))
    return number


class LargePages:
    """Reads pages in a child process, which is started with the first of them and ends when there are none for long."""

    def __init__(self, timing: Timing) -> None:
        limits = Limits(timing.parse, timing.hang)
        self._sandbox = Sandbox("minicrawl.crawler.sources.page_reading:read_apart", limits, idle=timing.spare)

    @property
    def pids(self) -> list[int]:
        """The child, if there is one."""
        return self._sandbox.pids

    async def read(
        self, body: bytes, url: str, content_type: str | None, wanted: Wanted
    ) -> tuple[ParsedPage, Identity]:
        """As `read_page`. Raises as Sandbox.call."""
        parsed, identity = await self._sandbox.call(body, url, content_type, wanted)
        return ParsedPage(*parsed), Identity(*identity)

    async def aclose(self) -> None:
        await self._sandbox.aclose()
