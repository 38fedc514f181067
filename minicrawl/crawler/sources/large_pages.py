"""Pages that take long to parse, in a process of their own: meanwhile this one does not stand still.

    python -m minicrawl.crawler.sources.large_pages

reads (body, URL, Content-Type, what of it is wanted, header) from standard input, and writes what parsing it led to, or
the exception; each a pickle behind its length. A thread would not do: a regular expression holds Python's lock to its
end.
"""

import asyncio
import contextlib
import pickle
import re
import signal
import struct
import sys
import traceback
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.elements import attributes_at_most, tags_at_most
from minicrawl.crawler.html.fingerprint import Identity, identity_of
from minicrawl.crawler.html.parse import parse_html
from minicrawl.model import ParsedPage, Wanted

if TYPE_CHECKING:
    from minicrawl.crawler.sources.gathered import Headers

_LENGTH = struct.Struct(">Q")
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

_parsed_fields = attrgetter(*(field.name for field in fields(ParsedPage)))


class PageDiedError(Exception):
    """The process that parsed a page has died over it."""


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


def read_page(
    body: bytes, url: str, content_type: str | None, wanted: Wanted, headers: "Headers" = ()
) -> tuple[ParsedPage, Identity]:
    """What a page says, and what it can be told by."""
    parsed = parse_html(body, url, content_type, wanted)
    if wanted.items:
        from minicrawl.crawler.sources.gathered import Sent, with_gathered  # noqa: PLC0415 - few crawls take anything out

        parsed = with_gathered(parsed, Sent(body, url, content_type, headers), wanted)
    return parsed, identity_of(body, url, wants_words=wanted.words)


class LargePages:
    """Reads pages one by one in a process that is started with the first of them."""

    def __init__(self, longest: float) -> None:
        """longest: seconds that one page may take; where memory runs out, a parser may go round in circles for ever."""
        self._longest = longest
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def read(
        self, body: bytes, url: str, content_type: str | None, wanted: Wanted, headers: "Headers" = ()
    ) -> tuple[ParsedPage, Identity]:
        """As `read_page`, whose exceptions are raised here.

        Raises TimeoutError for a page that takes too long, as it would again; PageDiedError where that process died.
        """
        async with self._turn:
            try:
                async with asyncio.timeout(self._longest):
                    answer = await self._asked((body, url, content_type, wanted, headers))
            except TimeoutError as error:
                await self._stop()
                raise TimeoutError(f"parsing it takes more than {self._longest:g} s") from error
            except (OSError, asyncio.IncompleteReadError) as error:
                await self._stop()
                raise PageDiedError(url) from error
            except BaseException:
                await self._stop()
                raise
        if isinstance(answer, Exception):
            raise answer
        parsed, identity = answer
        return ParsedPage(*parsed), Identity(*identity)

    async def aclose(self) -> None:
        await self._stop()

    async def _asked(self, request: tuple[Any, ...]) -> Any:
        process = self._process or await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        pickled = pickle.dumps(request)
        process.stdin.write(_LENGTH.pack(len(pickled)))
        process.stdin.write(pickled)
        await process.stdin.drain()
        (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
        return pickle.loads(await process.stdout.readexactly(length))

    async def _started(self) -> asyncio.subprocess.Process:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "minicrawl.crawler.sources.large_pages",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        return self._process

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate(b"")


def main() -> None:
    # Ctrl-C reaches the whole group; only the crawl itself decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(BrokenPipeError, EOFError):  # nobody waits for it any more
        serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Read pages until there are no more."""
    while len(head := requests.read(_LENGTH.size)) == _LENGTH.size:
        (length,) = _LENGTH.unpack(head)
        request = requests.read(length)
        if len(request) < length:  # the crawl was killed as it sent this
            return
        asked = pickle.loads(request)
        try:
            parsed, identity = read_page(*asked)
            answer: Any = _parsed_fields(parsed), tuple(identity)
        except Exception as error:
            error.add_note(traceback.format_exc())  # of itself no traceback travels
            answer = error
        pickled = pickle.dumps(answer)
        answers.write(_LENGTH.pack(len(pickled)))
        answers.write(pickled)
        answers.flush()


if __name__ == "__main__":
    main()
