"""Send a request and return a `Fetched`.

Redirects are not followed, because their targets are pages of their own, and nothing is retried: that is decided
elsewhere.
"""

import asyncio
import time
from collections.abc import Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import Self

from msgspec import Struct

from minicrawl.errors import FetchError
from minicrawl.model import Exchange, Fetched, Located, PageRequest, ParsedPage
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.body import ACCEPTED, Body, Take
from minicrawl.web.http.connection_pool import ConnectionPool, WireTransport
from minicrawl.web.http.credentials import Headers, Proxies, proxies_of_environment
from minicrawl.web.http.header import Header
from minicrawl.web.http.response_fields import (
    HTML_TYPES,
    OF_PAGES,
    XML_TYPES,
    Field,
    ResponseFields,
    media_type,
    type_inside,
)
from minicrawl.web.http.transport import (
    DISCONNECT,
    PARSER_FAILED,
    TIME,
    Answer,
    Capture,
    Parts,
    Sign,
    Transport,
    as_fields,
    parser_failed,
    reason_of,
    replaced,
)
from minicrawl.web.net.addresses import Resolver, endpoint, has_bad_port
from minicrawl.web.net.open_files import MOST_IDLE, Room
from minicrawl.web.net.routes import ConnectTo, ProxyRule
from minicrawl.web.net.tls import TlsClient
from minicrawl.web.urls.keys import authority, origin_of

Exchanged = tuple[Fetched, Exchange | None, Sequence[Field]]
"""A result with its exchange, None without a capture, and the response's header fields in order."""


class FetchOptions(Struct, frozen=True):
    """How requests are made, by the names of the options.

    `agent`, `sender`: the headers User-Agent and From. `sign`: adds a signature to the header fields of a request.
    `fields`: names, in lower case, of the header fields that answers are to have.
    `timeout`: seconds for a whole request. `max_size`: bytes of a body, before and after decoding.
    """

    agent: str
    sender: str | None = None
    header: Sequence[Header] = ()
    auth: Sequence[Header] = ()
    sign: Sign | None = None
    proxy: Sequence[ProxyRule] = ()
    connect_to: Sequence[ConnectTo] = ()
    ca_file: Path | None = None
    client_cert: Path | None = None
    allow_private: bool = False
    fields: Sequence[str] = ()
    timeout: float = 60.0
    max_size: int = 16 * 10**6


def own_fields(options: FetchOptions) -> tuple[Field, ...]:
    """The header fields that all requests have, but for the host."""
    sender = [("From", options.sender)] if options.sender else []
    accepts = [("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"), ("Accept-Encoding", ACCEPTED)]
    return as_fields([("User-Agent", options.agent), *sender, *accepts])


def tls_client(options: FetchOptions, seed_origins: Set[str]) -> TlsClient:
    """The state of all TLS connections; the origins of seeds alone may see the client's certificate."""
    seeds = {endpoint(f"{origin}/") for origin in seed_origins if origin.startswith("https:")}
    return TlsClient(options.ca_file, options.client_cert, seeds)


class Fetcher:
    """Fetches any number of URLs concurrently.

    transport: None for our own connections, configured by the options. seed_origins: scheme://host[:port] of the seeds,
    the only ones that secret headers go to. capture: observes every exchange.
    """

    def __init__(  # noqa: PLR0913 - each is a part of its own, by name
        self,
        options: FetchOptions,
        transport: Transport | None = None,
        timing: Timing = STANDARD,
        files: Room | None = None,
        seed_origins: Set[str] = frozenset(),
        capture: Capture | None = None,
    ) -> None:
        self._resolver = Resolver(options.connect_to, options.allow_private, timing)
        self._proxies: Proxies | None = None
        if transport is None:
            tls = tls_client(options, seed_origins)
            idle = MOST_IDLE if files is None else files.idle
            proxies = Proxies(options.proxy, proxies_of_environment(), self._resolver.is_taken_elsewhere)
            self._proxies = proxies or None
            transport = WireTransport(ConnectionPool(self._resolver, tls, timing, idle), self._proxies)
        self._transport = transport
        self._capture = capture
        self._fields_of = lru_cache(maxsize=1000)(self._prepared)
        self._max_size = options.max_size
        self._wanted = [(name, name.encode()) for name in options.fields]
        self._of_walls = [(name, name.encode()) for name in {*options.fields, "set-cookie"}]
        self._timeout = options.timeout
        self._fields = own_fields(options)
        self._given = Headers(options.header, seed_origins, options.auth)
        self._sign = options.sign

    async def fetch(
        self, request: PageRequest, *, any_type: bool = False, at_least: int = 0, take: Take | None = None
    ) -> Fetched:
        """GET a normalised URL. Bodies that are not HTML are left unread, unless `any_type`.

        at_least: bytes of the body that are read even if the options allow fewer. take: gets the decoded body of a 200
        in pieces until it returns False, without another limit.

        Failures do not raise: they are a `Fetched` with a reason.
        """
        fetched, exchange, _ = await self.exchanged(request, any_type=any_type, at_least=at_least, take=take)
        return self.observed(fetched, exchange, ParsedPage())

    async def exchanged(
        self,
        request: PageRequest,
        *,
        types: Set[str] = HTML_TYPES,
        any_type: bool = False,
        at_least: int = 0,
        take: Take | None = None,
    ) -> Exchanged:
        """Like `fetch`, but the exchange is not yet shown to the capture. types: media types that are read. A requisite
        with a Content-Length beyond the limit is not read, as half a film is of no use."""
        job = _Job(
            request, _now(), types, any_type, max(self._max_size, at_least), take, asyncio.timeout(self._timeout)
        )
        fetched = await self._fetched(job)
        return fetched, job.exchange, job.fields

    def sends_secrets_to(self, origin: str) -> bool:
        """True if requests to an origin, scheme://host[:port], carry a secret header."""
        return any(Header(name, value).is_secret for name, value in self._given.going_to(origin))

    def observed(self, fetched: Fetched, exchange: Exchange | None, parsed: ParsedPage) -> Fetched:
        """Show an exchange to the capture. Returns `fetched` with the place of its record."""
        if self._capture is None or exchange is None:
            return fetched
        record = self._capture.observe(exchange, parsed)
        return fetched if record is None else fetched._replace(record=record)

    def parts_kept(self, fetched: Fetched, parts: Parts) -> Fetched:
        """Show a page's parts to the capture; of a page that is not kept, the robots.txt files alone. Returns `fetched`
        with their records."""
        capture = self._capture
        if capture is None:
            return fetched
        records = [capture.observe(exchange, ParsedPage()) for exchange in parts.robots]
        if fetched.record is not None:
            records += map(capture.part, parts.exchanges)
            records += (capture.keep(f"urn:{name}:{fetched.url}", kind, body) for name, kind, body in parts.made)
        return fetched._replace(further=tuple(record for record in records if record is not None))

    async def locate(self, url: str) -> Located:
        """The address of a normalised URL's host, not known here behind a proxy; or the reason why a fetch would
        fail."""
        try:
            if self._proxies is not None and self._proxies.of(origin_of(url)):
                return "", None
            return await self._resolver.address(url), None
        except (OSError, ValueError) as error:
            return "", reason_of(error)
        except Exception as error:
            return "", parser_failed(url, error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()
        await self._resolver.close()
        if self._capture is not None:
            self._capture.close()

    async def _fetched(self, job: "_Job") -> Fetched:
        """Run the request within its deadline; failures become a `Fetched` with a reason."""
        url = job.request.url
        try:
            async with job.deadline:
                return await self._answered(job)
        except TimeoutError:
            if job.fetched is not None:  # only the capture needed more time
                return job.fetched
            reason = "timeout"
        except FetchError as error:
            reason = parser_failed(url, error) if error.reason == PARSER_FAILED else error.reason
        except (OSError, ValueError) as error:
            reason = reason_of(error)
        except Exception as error:
            reason = parser_failed(url, error)
        return Fetched(url, reason=reason, seconds=_now() - job.started, is_cut=reason == "undecodable")

    async def _answered(self, job: "_Job") -> Fetched:
        if has_bad_port(authority(job.request.url)):
            raise FetchError("bad-port")
        answer = await self._transport.ask(job.request.url, self._fields_for(job.request), self._sign)
        job.fields = answer.fields
        is_late = job.is_late if not job.any_type else lambda: False  # half a robots.txt allows what the rest forbids
        body = Body(answer, job.most if self._capture is not None else 0, is_late)
        try:
            return await self._read(job, answer, body)
        except ValueError as error:  # before the response it may be a bad URL; this is about the response
            raise FetchError(PARSER_FAILED) from error
        finally:
            if self._capture is not None:
                job.exchange = job.exchanged(answer, body)
            await answer.aclose()

    async def _read(self, job: "_Job", answer: Answer, body: Body) -> Fetched:
        """Read the body as far as it is wanted."""
        head = ResponseFields(answer.fields)
        status, content_type, coding = answer.status, head.content_type, head.joined(b"content-encoding")
        if status < 200:
            raise FetchError("bad-response", f"status {status}, and that is all")
        kind = media_type(content_type)
        is_open = not job.any_type and (content_type is None or kind in XML_TYPES)
        decoded, truncated = b"", False
        if job.request.requisite is not None and (head.length or 0) > job.most:
            raise FetchError("too-large")
        if job.take is not None:
            truncated = status == 200 and await body.pass_on(coding, job.take)
        elif job.any_type or ((is_open or kind in job.types) and self._is_whole(status, job.request)):
            try:
                decoded, truncated = await body.decoded(coding, job.most, only=job.types if is_open else None)
            except FetchError:
                if 200 <= status < 300:
                    raise  # for other responses the status is enough
            if is_open:
                content_type = type_inside(content_type, decoded)
                decoded = decoded if media_type(content_type) in job.types else b""
        wanted = self._of_walls if job.request.is_led_to or head.location else self._wanted
        now = _now()
        job.fetched = Fetched(
            job.request.url,
            status=status,
            body=decoded,
            content_type=content_type,
            location=head.location,
            robots_tag=head.joined(b"x-robots-tag", "\n") or None,
            on_use=head.on_use,
            link=head.joined(b"link"),
            retry_after=head.retry_after,
            etag=head.validator(b"etag"),
            last_modified=head.validator(b"last-modified"),
            is_conditional=job.request.is_conditional,
            size=body.size,
            seconds=now - job.started,
            waited=now - answer.asked_at,
            truncated=truncated,
            is_cut=truncated and body.unread in (DISCONNECT, TIME),
            fields=tuple((name, value) for name, octets in wanted for value in head.each(octets)) if wanted else (),
        )
        if self._capture is not None:
            await body.rest(job.most)
            if body.size != job.fetched.size:
                job.fetched = job.fetched._replace(size=body.size, seconds=_now() - job.started)
        return job.fetched

    def _is_whole(self, status: int, request: PageRequest) -> bool:
        """True if the body of an answer is what browsers show. With 206 it is, unless a part was asked for."""
        if status != 206:  # as mostly
            return status in OF_PAGES
        return all(name.lower() != b"range" for name, _ in self._fields_for(request))

    def _fields_for(self, request: PageRequest) -> Sequence[Field]:
        fields = self._fields_of(origin_of(request.url))
        further = list(request.headers)
        if request.etag is not None:
            further.append(("If-None-Match", request.etag))
        if request.last_modified is not None:
            further.append(("If-Modified-Since", request.last_modified))
        return replaced(fields, as_fields(further)) if further else fields

    def _prepared(self, origin: str) -> tuple[Field, ...]:
        """The header fields that all requests to an origin have."""
        host = (b"Host", authority(f"{origin}/").encode())
        return replaced((host, *self._fields), as_fields(self._given.going_to(origin)))


class _Job(Struct):
    """A request in flight with its options (see `Fetcher.exchanged`), and its results."""

    request: PageRequest
    started: float
    types: Set[str]
    any_type: bool
    most: int
    take: Take | None
    deadline: asyncio.Timeout
    fetched: Fetched | None = None
    exchange: Exchange | None = None
    fields: Sequence[Field] = ()

    def is_late(self) -> bool:
        """True if the current task is cancelled as its time is over, and for no other reason."""
        task = asyncio.current_task()
        return task is not None and task.cancelling() == 1 and self.deadline.expired()

    def exchanged(self, answer: Answer, body: Body) -> Exchange:
        """An answer for the capture, as far as its body was read."""
        as_sent, truncated = body.as_sent()
        seconds = _now() - answer.asked_at
        return Exchange(
            self.request.url,
            answer.request,
            answer.head,
            answer.status,
            tuple(answer.fields),
            as_sent,
            answer.peer,
            time.time() - seconds,
            seconds,
            TIME if truncated is not None and self.deadline.expired() else truncated,
            answer.protocol,
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
