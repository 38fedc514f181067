"""Write exchanges to the archive, in the process that fetches."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from minicrawl.archive.reading import declared_type
from minicrawl.archive.record import Original, without
from minicrawl.archive.writer import Answer, ArchiveWriter, Originals, Rules
from minicrawl.crawler.html.page_headers import read_directives
from minicrawl.crawler.http.exchange import Capture, Exchange
from minicrawl.crawler.http.response_fields import ResponseFields
from minicrawl.model import ArchiveRecord, ParsedPage
from minicrawl.settings import USER_AGENT, CrawlSettings
from minicrawl.store.reader import Store, open_store

_ALWAYS_LEFT_OUT = frozenset({b"authorization", b"cookie", b"proxy-authorization"})
_SET_COOKIE = frozenset({b"set-cookie"})
_NO_PAGE = ParsedPage()
_REMEMBERED = 10_000
_FILE_SIZE = 10**9
"""Bytes after which another file of the archive begins."""
_BITS = 1 << 24
_ROBOTS_TAG = re.compile(rb"\nx-robots-tag[\t ]*:", re.IGNORECASE)


@dataclass(frozen=True)
class MakeCapture:
    """Makes the Capture of a process. prefix: first part of the names of the archive's files; store: where answers
    already archived are found."""

    settings: CrawlSettings
    store: Path
    prefix: str

    def __call__(self) -> Capture:
        archiving = Archiving(self.settings, self.store, self.prefix)
        return Capture(archiving.observe, lambda media_type: True, archiving.close, archiving.part, archiving.keep)


class Archiving:
    """Selects the exchanges to keep, and writes them."""

    def __init__(self, settings: CrawlSettings, store: Path, prefix: str) -> None:
        assert settings.archive is not None
        self._settings = settings
        self._path = store
        self._opened: Store | None = None
        self._met: bytearray | None = None
        self._parts: dict[str, None] = {}
        rules = Rules(_FILE_SIZE, settings.dedup, _description(settings), _left_out(settings))
        originals = Originals(self._with_body, self._last_of)
        self._writer = ArchiveWriter(settings.archive, prefix, rules, originals)

    def observe(self, exchange: Exchange, parsed: ParsedPage) -> ArchiveRecord | None:
        """Write an exchange, unless it is not to be kept."""
        if not (parsed.archive and _allows(exchange)):
            return None
        return self._writer.write(
            Answer(
                exchange.url,
                exchange.asked_at,
                exchange.peer,
                exchange.request,
                self._shown_head(exchange.head),
                exchange.status,
                exchange.body,
                declared_type(exchange.head),
                exchange.truncated,
                exchange.protocol,
            )
        )

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
        """Write a body that is no answer."""
        return self._writer.write_resource(url, time.time(), media_type, body)

    def _shown_head(self, head: bytes) -> bytes:
        """The head of an answer, without the cookies by which the crawl is logged in."""
        return without(head, _SET_COOKIE) if self._settings.takes_cookies else head

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
        if self._met is None:
            is_alone = self._settings.workers <= 1 and not self._store.archived.last()
            self._met = bytearray(_BITS // 8 if is_alone else 0)
        if self._met:  # most bodies are new, and no other process has written one
            place, bit = divmod(int.from_bytes(digest[:8]) % _BITS, 8)
            if not self._met[place] >> bit & 1:
                self._met[place] |= 1 << bit
                return None
        found = self._store.archived.with_body(digest)
        return None if found is None else (Original(found[0], found[1]), found[3])

    def _last_of(self, url: str) -> tuple[Original, bytes, str] | None:
        page = self._store.page_table.find([url]).get(url)
        found = None if page is None else self._store.archived.last_of(page)
        return None if found is None else (Original(found[0], found[1]), found[2], found[3])


def _allows(exchange: Exchange) -> bool:
    """True if the head allows copies to be kept."""
    if _ROBOTS_TAG.search(exchange.head) is None:
        return True
    return read_directives(ResponseFields(exchange.fields).joined(b"x-robots-tag", "\n") or "").archive


def _description(settings: CrawlSettings) -> dict[str, str]:
    """Fields of a file's warcinfo record."""
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


def _left_out(settings: CrawlSettings) -> frozenset[bytes]:
    """Names of request fields that may identify the user."""
    return _ALWAYS_LEFT_OUT | {header.name.lower().encode() for header in settings.headers if header.is_secret}
