"""What went out and what came back, byte for byte, for whoever keeps or inspects it: archives, hooks, reports."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from minicrawl.archive_record import ArchiveRecord
from minicrawl.crawler.http.transport import Field
from minicrawl.model import ParsedPage


class Truncated(StrEnum):
    """Why a body is not whole, in the words of WARC 1.1."""

    LENGTH = "length"
    """No more of it was wanted."""
    TIME = "time"
    """The time for its page was up."""
    DISCONNECT = "disconnect"
    """The connection ended, or nothing more came."""
    UNSPECIFIED = "unspecified"
    """It was left unread, or could not be read on."""


class Exchange(NamedTuple):
    """One request and its answer. A named tuple, for there is one per request, and it is built in a third of the time.

    `request`: as it was sent. `head`: the answer's status line and fields as they came, with the empty line behind
    them; `status`, `fields`: what they say, fields in order, blanks around values taken off. `body`: as it came,
    without its transfer coding, but with its content coding. `peer`: address and port that the connection led to, of a
    proxy if there is one; None where there was no connection. `asked_at`: when the request left, in Unix seconds;
    `seconds`: from then until the body had come as far as it did. `truncated`: why the body is not whole, if it is not.
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

    @property
    def reason_phrase(self) -> bytes:
        """What the status line says behind the status."""
        line, _, _ = self.head.partition(b"\n")
        return line.rstrip(b"\r").partition(b"%d" % self.status)[2].strip(b"\t ")


def no_other_type(media_type: str) -> bool:
    """Read what the crawl itself wants, and leave all other bodies unread."""
    return False


def every_type(media_type: str) -> bool:
    """Read every body, of whatever type and status."""
    return True


@dataclass(frozen=True, slots=True)
class Capture:
    """Who is shown every exchange, in the process that fetches: of pages, robots.txt files, sitemaps, redirects.

    `observe`: is called before the answer goes on to the crawl, with what the page says, if it is one; returns where it
    has written it. A StoreError from there ends the crawl. `reads`: whether bodies of a media type are read, up to the
    largest size of a page, though the crawl has no use for them. `close`: nothing more is shown.
    """

    observe: Callable[[Exchange, ParsedPage], ArchiveRecord | None]
    reads: Callable[[str], bool] = no_other_type
    close: Callable[[], None] = lambda: None
