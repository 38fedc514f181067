"""An archive (minicrawl/archive) of a crawl: written in the process that fetches, or read in place of the network.

Replayed, a host answers with its archived answers, and no request is made. The last of several answers for a URL
counts, but for a 304. A URL that is not in the archive is a failure, NOT_ARCHIVED. A missing robots.txt counts as none:
its writer may have kept those elsewhere, or nowhere.

Soft 404s are found by answers for pages that cannot exist, whose URLs nobody can guess: so another crawl asks for
others. The archive's own such answers of the same folder take their place, in their order.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from minicrawl.archive.cdxj import Captured, nearest, stamp, surt, twin
from minicrawl.archive.collection import Collection
from minicrawl.archive.reading import Record
from minicrawl.archive.record import Original, sha1, without
from minicrawl.archive.writer import ArchiveWriter, Committed, Rules
from minicrawl.errors import FetchError, StoreError
from minicrawl.model import ArchiveRecord, Exchange, ParsedPage, RecordKind
from minicrawl.parts import wanted_fields
from minicrawl.settings import USER_AGENT, CrawlSettings
from minicrawl.store.archived import FILES
from minicrawl.store.reader import Store, open_store
from minicrawl.web.html.page_headers import read_directives
from minicrawl.web.http.answer_reader import AnswerReader
from minicrawl.web.http.body import decoder
from minicrawl.web.http.response_fields import Field, ResponseFields
from minicrawl.web.http.transport import Answer, BrokenOffError, Capture, Sign, head, target_of
from minicrawl.web.net.tls import HTTP_1
from minicrawl.web.urls.keys import origin_of
from minicrawl.web.urls.normalise import normalise, unescaped


def as_captured(url: str, row: ArchiveRecord) -> Captured:
    """A row of `records` in the form of the index."""
    digest, is_revisit = sha1(row.digest), row.kind in (RecordKind.REVISIT, RecordKind.NOT_MODIFIED)
    place = row.file, row.start, row.length
    return Captured(url, stamp(row.at), row.media_type, row.status, digest, *place, is_revisit)


def committed(store: Store) -> Committed:
    """The archive files recorded in a store."""
    prefix = f"{prefix_of(str(store.meta('archive_id')))}-"
    return Committed(prefix, store.meta_json(FILES), float(store.meta("asked_until") or 0.0))


def prefix_of(archive_id: str) -> str:
    """The first part of the names of the archive's files."""
    return f"minicrawl-{archive_id}"


_ALWAYS_LEFT_OUT = frozenset({b"authorization", b"cookie", b"proxy-authorization"})
_SET_COOKIE = frozenset({b"set-cookie"})
_NO_PAGE = ParsedPage()
_REMEMBERED = 10_000
_FILE_SIZE = 10**9
"""Bytes after which another file of the archive begins."""
_ROBOTS_TAG = re.compile(rb"\nx-robots-tag[\t ]*:", re.IGNORECASE)


class Archiving(Capture):
    """Selects the exchanges to keep, and writes them. prefix: first part of the names of the archive's files; store:
    where answers already archived are found."""

    def __init__(self, settings: CrawlSettings, store: Path, prefix: str) -> None:
        assert settings.archive is not None
        self._takes_cookies = "set-cookie" in wanted_fields(settings)
        self._path = store
        self._opened: Store | None = None
        self._parts: dict[str, None] = {}
        # Fields of requests that may identify the user are left out.
        secret = {header.name.lower().encode() for header in settings.header if header.is_secret}
        rules = Rules(_FILE_SIZE, settings.dedup, _description(settings), _ALWAYS_LEFT_OUT | secret)
        self._writer = ArchiveWriter(settings.archive, prefix, rules, (self._with_body, self._last_of))

    def observe(self, exchange: Exchange, parsed: ParsedPage) -> ArchiveRecord | None:
        """Write an exchange, unless it is not to be kept."""
        if not (parsed.archive and _allows(exchange)):
            return None
        if self._takes_cookies:  # by which the crawl is logged in
            exchange = exchange._replace(head=without(exchange.head, _SET_COOKIE))
        return self._writer.write(exchange)

    def part(self, exchange: Exchange) -> ArchiveRecord | None:
        """Write an exchange for a part of a page, unless the crawl has kept its URL, or it is not to be kept."""
        if exchange.url in self._parts or self._store.archived.has(exchange.url):
            return None
        record = self.observe(exchange, _NO_PAGE)
        if record is not None:  # until the store has it
            self._parts[exchange.url] = None
            if len(self._parts) > _REMEMBERED:
                self._parts.pop(next(iter(self._parts)))
        return record

    def keep(self, url: str, media_type: str, body: bytes) -> ArchiveRecord:
        """Write a body that is not an answer."""
        return self._writer.write_resource(url, time.time(), media_type, body)

    def close(self) -> None:
        self._writer.close()
        if self._opened is not None:
            self._opened.close()

    @property
    def _store(self) -> Store:
        """Opened on first use: not every source is used."""
        if self._opened is None:
            self._opened = open_store(self._path)
        return self._opened

    def _with_body(self, digest: bytes) -> tuple[Original, str] | None:
        found = self._store.archived.with_body(digest)
        return None if found is None else (found[:2], found[3])

    def _last_of(self, url: str) -> tuple[Original, bytes, str] | None:
        page = self._store.page_table.find([url]).get(url)
        found = None if page is None else self._store.archived.last_of(page)
        return None if found is None else (found[:2], found[2], found[3])


def _allows(exchange: Exchange) -> bool:
    if _ROBOTS_TAG.search(exchange.head) is None:
        return True
    return read_directives(ResponseFields(exchange.fields).joined(b"x-robots-tag", "\n") or "").archive


def _description(settings: CrawlSettings) -> dict[str, str]:
    facts = {
        "software": USER_AGENT,
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": "ignore" if settings.ignore_robots else "obey",
        "http-header-user-agent": settings.agent,
    }
    if settings.contact:
        facts["operator"] = settings.contact
    return facts


NOT_ARCHIVED = "not-archived"
_VERSION = re.compile(rb"^HTTP/[\d.]+")
_PROBE = re.compile(r"(.*/)[a-p]{16}(/|\.[^/?]*)?")
_BEGINNING = 4096
_NONE = b"HTTP/1.1 404 Not Found\r\n\r\n"


class ArchiveTransport:
    """Answers out of collections. Files of one that the settings do not name are links made by us."""

    def __init__(self, folders: Sequence[Path], settings: CrawlSettings) -> None:
        given = settings.from_archive
        self._archives = [Collection(folder, follows_links=str(folder) not in given) for folder in folders]
        for archive in self._archives:
            archive.beside = [other for other in self._archives if other is not archive]
        self._probes: dict[str, Iterator[tuple[Captured, Collection]]] = {}

    async def ask(self, url: str, fields: Sequence[Field], sign: Sign | None = None) -> "ArchivedAnswer":
        request = head(b"GET", target_of(url), fields)
        found = self._last(url) or self._last(twin(url), is_twin=True) or self._probe(url)
        if found is not None:
            try:
                return ArchivedAnswer(request, *found[1].answer(found[0]))
            except StoreError as error:
                raise FetchError(NOT_ARCHIVED, str(error)) from error
        if url == f"{origin_of(url)}/robots.txt":
            return ArchivedAnswer(request, Record(0, 0, {}, _NONE), b"")
        raise FetchError(NOT_ARCHIVED, url)

    async def aclose(self) -> None:
        for archive in self._archives:
            archive.close()

    def _last(self, url: str, *, is_twin: bool = False) -> tuple[Captured, Collection] | None:
        """The last answer for a URL, in any spelling, and its collection."""
        last, ours = None, prefix_of("")  # a file of a crawl of ours has no answer of a URL that it did not ask for
        for archive in self._archives:
            some = [
                one
                for one in archive.index.with_key(surt(url))
                if not (is_twin and (one.is_redirect or ours in one.file))
            ]
            same = [one for one in some if one.url == url] or [one for one in some if normalise(one.url) == url]
            same = same or [one for one in some if unescaped(normalise(one.url) or "") == unescaped(url)]
            one = nearest(same, None)
            if one is not None and one.status != 304 and (last is None or one.stamp > last[0].stamp):
                last = one, archive
        return last

    def _probe(self, url: str) -> tuple[Captured, Collection] | None:
        """The next answer for a page that cannot exist, if the URL is a probe's."""
        form = _PROBE.fullmatch(url)
        if form is None:
            return None
        kind = f"{form[1]}*{form[2] or ''}"
        if kind not in self._probes:
            key, ending = surt(form[1]), re.escape((form[2] or "").rstrip("/").lower())
            rest = f"{'' if key.endswith('/') else '/'}[a-p]{{16}}{ending}"
            found = [(one, archive) for archive in self._archives for one in archive.index.matching(key, rest)]
            same = [pair for pair in found if _PROBE.fullmatch(pair[0].url) and pair[0].url.startswith(form[1])]
            self._probes[kind] = iter(sorted(same, key=lambda pair: (pair[0].stamp, pair[0].start)))  # the oldest first
        return next(self._probes[kind], None)


class ArchivedAnswer(Answer):
    """An archived answer. Retry-After is left out: nobody is to wait for an archive."""

    peer, protocol, ahead = None, HTTP_1, b""

    def __init__(self, request: bytes, record: Record, payload: bytes) -> None:
        """Raises FetchError for a record that is not an answer."""
        reader = AnswerReader()
        reader.feed(_VERSION.sub(b"HTTP/1.1", record.head, count=1))
        if not reader.has_head:
            raise FetchError("bad-response", "the record has no head")
        self.request, self.asked_at = request, asyncio.get_running_loop().time()
        self.head, self.status = reader.head, reader.status
        self.fields = [field for field in reader.fields if field[0].lower() != b"retry-after"]
        self._is_cut = record.is_cut or "warc-truncated" in record.fields
        self._payload = unchunked(reader, payload)
        coding = ResponseFields(self.fields).joined(b"content-encoding")
        if coding and not _is_coded(self._payload, coding):
            self.fields = [field for field in self.fields if field[0].lower() != b"content-encoding"]

    @property
    def is_read(self) -> bool:
        return not self._payload and not self._is_cut

    async def read(self) -> bytes:
        piece, self._payload = self._payload, b""
        if not piece and self._is_cut:
            raise BrokenOffError("reset", "the archive has no more of it")
        return piece

    async def aclose(self) -> None:
        """Nothing to close."""


def unchunked(reader: AnswerReader, payload: bytes) -> bytes:
    """A body without chunks, which some archives keep; as it is if the head says chunked and there are none."""
    if not any(name.lower() == b"transfer-encoding" for name, _ in reader.fields):
        return payload
    try:
        body = b"".join(reader.feed(payload))
        return body if body or reader.is_whole else payload
    except FetchError:
        return payload


def _is_coded(payload: bytes, coding: str) -> bool:
    """True if a body begins like one with this coding; some archives keep decoded bodies below the head as it came."""
    try:
        next(decoder(coding).pieces(payload[:_BEGINNING]), None)
    except FetchError:
        return False
    return True
