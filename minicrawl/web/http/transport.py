"""Requests and their responses, byte for byte; the interface of transports: connection_pool.py, httpx_transport.py.

Reason codes of failed requests, by exception.

An exception in code that parses a response means a bug or a lack of memory. It fails that response alone, with the
reason "parser-failed"; the traceback is logged with the URL, and the crawl continues.
"""

import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from msgspec import Struct, field

from minicrawl import log
from minicrawl.errors import FetchError
from minicrawl.model import ArchiveRecord, Exchange, Fetched, ParsedPage
from minicrawl.web.http.response_fields import Field
from minicrawl.web.net.addresses import NameServerError, PrivateAddressError
from minicrawl.web.net.open_files import OPEN_FILES, OWN_TROUBLE
from minicrawl.web.net.tls import tls_reason

PROXY = "proxy"
"""The reason code of a request that no proxy could forward."""
Sign = Callable[[Sequence[Field]], Sequence[Field]]
"""Returns a request's header fields with a signature made now."""


class BrokenOffError(FetchError):
    """The connection ended or stalled before the response was complete."""


class NoHttp1Error(BrokenOffError):
    """The server may speak HTTP/2 alone: it answers like that (RFC 9113 4.1), or not at all where TLS has agreed on no
    protocol."""


class ProxyError(FetchError):
    """A proxy cannot be used. Says nothing about the host behind it."""

    def __init__(self, why: str) -> None:
        super().__init__(PROXY, why)


class Answer(Protocol):
    """A response whose head was received.

    request: as sent. head: status line, fields and empty line as received; status, fields: the same parsed, values
    stripped. Over HTTP/2, request and head are those of HTTP/1.1 with the same meaning. asked_at: when the request was
    sent, by the loop's clock. peer: address and port of the connection's other end, if known. protocol: its identifier
    (RFC 7301 6), "http/1.1" or "h2".
    """

    request: bytes
    head: bytes
    status: int
    fields: Sequence[Field]
    asked_at: float
    peer: str | None
    protocol: str

    @property
    def is_read(self) -> bool:
        """True if the body is known to be complete and read, without waiting for more."""

    @property
    def ahead(self) -> bytes:
        """The bytes of the body that have come, and that no `read` has returned."""

    async def read(self) -> bytes:
        """The next bytes of the body, without its transfer coding; empty once it is complete. Raises BrokenOffError."""

    async def aclose(self) -> None:
        """End the response. No more of its body is wanted."""


class Transport(Protocol):
    """Sends any number of GET requests concurrently."""

    async def ask(self, url: str, fields: Sequence[Field], sign: Sign | None = None) -> Answer:
        """GET a normalised URL, whose path is sent as it is spelt. sign: called each time the request is sent. Raises
        FetchError."""

    async def aclose(self) -> None: ...


def head(method: bytes, target: bytes, fields: Sequence[Field]) -> bytes:
    """The bytes of a request without body."""
    lines = b"".join([b"%b: %b\r\n" % field for field in fields])
    return b"%b %b HTTP/1.1\r\n%b\r\n" % (method, target, lines)


def target_of(url: str) -> bytes:
    """Path and query of a normalised URL."""
    return f"/{url.split('/', 3)[3]}".encode()


def as_fields(headers: Iterable[tuple[str, str]]) -> tuple[Field, ...]:
    """Headers as they are sent, in Latin-1."""
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers)


def replaced(fields: Sequence[Field], others: Sequence[Field]) -> tuple[Field, ...]:
    """The fields, with those of `others` in place of fields with the same names."""
    names = {name.lower() for name, _ in others}
    return (*(field for field in fields if field[0].lower() not in names), *others)


LENGTH, TIME, DISCONNECT, UNSPECIFIED = "length", "time", "disconnect", "unspecified"
"""Reasons why a body is truncated, in the terms of WARC 1.1: a size limit, the time limit of the page, the end of the
connection; or it was left unread, or could not be decoded."""
_MOST_BYTES = 64 * 2**20
"""Of the parts of a page in the archive."""


class Parts(Struct):
    """The exchanges that rendering a page took, of robots.txt files and others, and what was made of it: names, media
    types and bytes of screenshots. There are no exchanges without a capture. asked: the number of the page's requests
    that may have an answer; held: of those that wait for their turn at a host. data: what its scripts have fetched.
    scrolled: links that scrolling has brought; posts: requests by POST, which have no answer."""

    robots: list[Exchange] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    made: list[tuple[str, str, bytes]] = field(default_factory=list)
    asked: int = 0
    held: int = 0
    data: set[str] = field(default_factory=set)
    scrolled: int = 0
    posts: int = 0
    _bytes: int = 0

    def let_go(self) -> None:
        """One that was held has its turn, or will not have one."""
        self.held -= 1

    def keeps(self, exchanges: Sequence[Exchange]) -> bool:
        """Keep exchanges for the archive; False if that would be too much."""
        self._bytes += sum(len(exchange.body) for exchange in exchanges)
        if self._bytes > _MOST_BYTES:
            return False
        self.exchanges.extend(exchanges)
        return True


class Capture:
    """An observer of every exchange in the process that fetches: of pages, robots.txt files, sitemaps, redirects.
    Bodies of any type are read for it, up to the largest size of a page."""

    def observe(self, exchange: Exchange, parsed: ParsedPage) -> ArchiveRecord | None:
        """Called before the crawl gets the response, with the parsed page (empty for anything else). Returns the place
        of the record if it wrote one. A StoreError from it ends the crawl."""

    def part(self, exchange: Exchange) -> ArchiveRecord | None:
        """Like `observe`, for a part of a page, which is kept once."""

    def keep(self, url: str, media_type: str, body: bytes) -> ArchiveRecord | None:
        """Keep a body that is not a response."""

    def close(self) -> None:
        """The last call."""


Reasons = tuple[tuple[tuple[type[BaseException], ...], str], ...]
"""Reason codes by exception class, the most specific first."""

OF_THE_SYSTEM: Reasons = (
    ((PrivateAddressError,), "private-address"),
    ((NameServerError,), "dns-unanswered"),
    ((socket.gaierror, UnicodeError), "dns"),
    ((TimeoutError,), "timeout-read"),
    ((ConnectionRefusedError,), "refused"),
    ((ConnectionResetError,), "reset"),
)


def chain_of(error: BaseException) -> list[BaseException]:
    """An exception and its causes."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 8:
        chain.append(cause)
    return chain


def reason_of(error: BaseException, reasons: Reasons = OF_THE_SYSTEM, otherwise: str = "connection") -> str:
    """The reason code of an exception, by the most specific one in its chain of causes."""
    chain = chain_of(error)
    if any(isinstance(link, OSError) and link.errno in OWN_TROUBLE for link in chain):
        return OPEN_FILES
    failed = (link for link in chain if isinstance(link, ssl.SSLError) and not isinstance(link, ssl.SSLWantReadError))
    handshake = next(failed, None)
    if handshake is not None:
        return tls_reason(handshake)
    for kinds, reason in reasons:
        if any(isinstance(link, kinds) for link in chain):
            return reason
    return otherwise


PARSER_FAILED = "parser-failed"


def parser_failed(url: str, error: Exception) -> str:
    """Log the error, and return its reason code."""
    log.event("parser-failed", url=url, error=error)
    return PARSER_FAILED


def unread(fetched: Fetched, error: Exception) -> Fetched:
    """The response without its body, with the reason "parser-failed"."""
    return fetched._replace(body=b"", reason=parser_failed(fetched.url, error))
