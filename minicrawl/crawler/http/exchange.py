"""Requests and their responses byte for byte, for archives, hooks and reports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from minicrawl.crawler.http.transport import Field
from minicrawl.crawler.net.tls import HTTP_1
from minicrawl.model import ArchiveRecord, ParsedPage


class Truncated(StrEnum):
    """Reasons why a body is truncated, in the terms of WARC 1.1."""

    LENGTH = "length"
    """A size limit was reached."""
    TIME = "time"
    """The time limit of the page was reached."""
    DISCONNECT = "disconnect"
    """The connection ended or stalled."""
    UNSPECIFIED = "unspecified"
    """It was left unread, or could not be decoded."""


class Exchange(NamedTuple):
    """A request and its response. A named tuple, as it is built for every request, in a third of a dataclass's time.

    `request`: as sent. `head`: status line, fields and empty line as received; `status`, `fields`: the same parsed,
    fields in order, values stripped. `body`: as received, without transfer coding but with content coding. `peer`:
    address and port of the server or proxy, None without a connection. `asked_at`: Unix seconds when the request was
    sent; `seconds`: from then to the last byte. `truncated`: the reason if the body is not complete. `protocol`: its
    identifier; over HTTP/2 ("h2"), `request` and `head` are those of HTTP/1.1 with the same meaning.
    """

    url: str
    request: bytes
    head: bytes
    status: int
    fields: tuple[Field, ...]
    body: bytes
    peer: str | None
    asked_at: float
    seconds: float
    truncated: Truncated | None
    protocol: str = HTTP_1


@dataclass(slots=True)
class Parts:
    """The exchanges that rendering a page took, of robots.txt files and others, and what was made of it: names, media
    types and bytes of screenshots. There are no exchanges without a capture."""

    robots: list[Exchange] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    made: list[tuple[str, str, bytes]] = field(default_factory=list)


def no_other_type(media_type: str) -> bool:
    """Read no other bodies than those that the crawl itself wants."""
    return False


def _keep_none(exchange: Exchange) -> None:
    """Keep no part of a page."""


@dataclass(frozen=True, slots=True)
class Capture:
    """An observer of every exchange in the process that fetches: of pages, robots.txt files, sitemaps, redirects.

    `observe`: called before the crawl gets the response, with the parsed page (empty for anything else); returns the
    place of the record if it wrote one. A StoreError from it ends the crawl. `reads`: True for media types whose bodies
    are read, up to the largest size of a page, although the crawl has no use for them. `close`: the last call.

    `part`: like `observe`, for a part of a page, which is kept once. `keep`: keeps a body that is no response: URL,
    media type, bytes.
    """

    observe: Callable[[Exchange, ParsedPage], ArchiveRecord | None]
    reads: Callable[[str], bool] = no_other_type
    close: Callable[[], None] = lambda: None
    part: Callable[[Exchange], ArchiveRecord | None] = _keep_none
    keep: Callable[[str, str, bytes], ArchiveRecord | None] = lambda url, media_type, body: None
