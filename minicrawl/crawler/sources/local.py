"""Fetch and parse pages in this process."""

import asyncio
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from msgspec import Struct, field
from msgspec.structs import replace

from minicrawl import log
from minicrawl.crawler.sources.page_reading import is_large, large_pages, read_page
from minicrawl.crawler.sources.source import GiveUrls, Renderer, Wait
from minicrawl.model import Fetched, PageRequest, ParsedPage, RequisiteKind, SitemapAnswer, Wanted
from minicrawl.parts import parts, wanted_fields
from minicrawl.sandbox.sandbox import ChildDiedError, ChildError, Sandbox
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.fingerprint import Identity
from minicrawl.web.html.decode import as_utf8, encoding_of
from minicrawl.web.html.page_headers import canonicals, languages, read_refresh, with_refresh
from minicrawl.web.http.fetch import Fetcher, FetchOptions
from minicrawl.web.http.response_fields import HTML_TYPES, OF_PAGES, UTF_8, Field, media_type, refresh_value, shown
from minicrawl.web.http.transport import PARSER_FAILED, Capture, Sign, Transport, parser_failed, unread
from minicrawl.web.net.open_files import raised_limit, room
from minicrawl.web.robots.rules import MAX_BYTES
from minicrawl.web.sitemaps import SitemapReader
from minicrawl.web.urls.normalise import stripped, without_parameters

_URLS_AT_ONCE = 1_000
_NOT_PARSED = ParsedPage()
_LONG_TEXT = 100_000
"""Bytes of a text that is not HTML that are read in this process: Markdown takes 3 s a million."""
_OF_REQUISITES = {
    RequisiteKind.STYLE: Wanted(is_style=True),
    RequisiteKind.FRAME: Wanted(short_text=False, requisites=True),
}
"""The parts to gather of requisites that are read."""


def fetch_options(settings: CrawlSettings, sign: Sign | None = None) -> FetchOptions:
    """The options of a crawl's requests."""
    names = (name for name in FetchOptions.__struct_fields__ if name not in {"sign", "fields"})
    of_settings = {name: getattr(settings, name) for name in names}
    return FetchOptions(**of_settings, sign=sign, fields=wanted_fields(settings))


@dataclass(frozen=True)
class SourceSpec:
    """All that a process needs to make a LocalSource; can be pickled. `capture`: makes the observer of exchanges in the
    process that fetches. `replayed`: archive folders to read in place of the network."""

    settings: CrawlSettings
    timing: Timing = STANDARD
    seed_origins: Set[str] = frozenset()
    wanted: Wanted = Wanted()  # noqa: RUF009 (frozen)
    capture: Callable[[], Capture] | None = None
    replayed: tuple[Path, ...] = ()


Documents = Sandbox[bytes, float, tuple[bytes, bool]]
"""Makes HTML of a body in so many CPU seconds, and tells whether it is cut or damaged."""


class Equipment(Struct):
    """What parts add to a process that fetches and reads. sign: signs each request. renderer: makes what renders pages,
    whose requests a fetcher answers. documents: what reads documents in other formats than HTML, by their media
    types."""

    sign: Sign | None = None
    renderer: Callable[[Fetcher], Renderer] | None = None
    documents: dict[str, Documents] = field(default_factory=dict)


class LocalSource:
    """Fetches and parses in this process, large pages in children. transport: in place of the network."""

    def __init__(self, spec: SourceSpec, transport: Transport | None = None) -> None:
        settings, timing, wanted = spec.settings, spec.timing, spec.wanted
        if spec.replayed:
            from minicrawl.crawler.archiving import ArchiveTransport  # noqa: PLC0415 - few crawls read archives

            transport = ArchiveTransport(spec.replayed, settings)
        files, capture = room(raised_limit(), settings.concurrency), None if spec.capture is None else spec.capture()
        equipment = Equipment()
        for part in parts():
            part.equip(spec, equipment)
        options = fetch_options(settings, equipment.sign)
        self._fetcher = Fetcher(options, transport, timing, files, spec.seed_origins, capture)
        self.locate = self._fetcher.locate
        self._renderer = None if equipment.renderer is None else equipment.renderer(self._fetcher)
        self._documents, self._parse = equipment.documents, timing.parse
        self._types: Set[str] = HTML_TYPES | self._documents.keys()
        if wanted.kept:
            from minicrawl.web.html import plain_text  # noqa: PLC0415 - few crawls keep other texts

            self._types |= plain_text.TEXT_TYPES
            self._is_binary = plain_text.is_binary
        self._hooks = None
        if wanted.hooks:
            from minicrawl.crawler.sources.hooked import HookedPages  # noqa: PLC0415 - few crawls have hooks

            self._hooks = HookedPages(wanted.hooks, timing.hook)
        self._large_pages = large_pages(timing, max(settings.workers, 1))
        self._waits: dict[str, Wait] = {}
        self._wanted_of = {
            (blocks, lines): replace(wanted, blocks=wanted.blocks or blocks, lines=lines)
            for blocks in (False, True)
            for lines in (False, True)
        }
        self._keeps_parameters = settings.keep_parameters
        self._reads_lastmods = settings.refreshes

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        if (kind := request.requisite) is not None:
            return await self._alone(request, _OF_REQUISITES.get(kind), any_type=kind == RequisiteKind.STYLE)
        wanted, is_view = self._wanted_of[request.blocks, request.lines], request.view is not None
        if request.view is not None:
            wanted = replace(wanted, kept=True, is_view=True, extract=request.view, structured=not request.view)
        elif request.hashes and not wanted.hashes:
            wanted = replace(wanted, hashes=True)
        failures: tuple[tuple[str, str], ...] = ()
        if self._hooks is not None:
            with self._waiting(request.url, "hooks"):
                headers, failures = await self._hooks.request(request.url)
            request = request._replace(headers=(*request.headers, *headers))
        if self._renderer is not None and self._renderer.may_render(request.url):
            # An unchanged page says nothing about the resources of its scripts.
            request = request._replace(etag=None, last_modified=None)
        # The server of a route has only the document whose scripts show it.
        asked = request if "#" not in request.url else request._replace(url=request.url.partition("#")[0])
        fetched, exchange, fields = await self._fetcher.exchanged(asked, types=self._types, any_type=is_view)
        fetched = sent = fetched if asked is request else fetched._replace(url=request.url)
        parsed, parts = _NOT_PARSED, None
        try:
            renderer = self._renderer if fetched.body and _is_html(fetched) else None
            if renderer is None or not renderer.renders(fetched.url):
                fetched, parsed = await self._parsed(fields, fetched, wanted)
                if request.is_led_to and not wanted.forms:
                    from minicrawl.web.html.forms import asks_password  # noqa: PLC0415 - few pages are led to

                    parsed = parsed._replace(asks_password=asks_password(sent.body))
            if renderer is not None:
                parse = partial(self._parsed, fields)
                fetched, parsed, parts = await renderer.read(request, sent, (fetched, parsed), wanted, parse)
            if failures:
                parsed = parsed._replace(hook_failures=(*failures, *parsed.hook_failures))
        except ChildDiedError as error:
            log.event("page-parser-died", url=request.url, why=str(error))
            fetched = Fetched(request.url, reason="worker-died")
        except Exception as error:
            fetched = unread(fetched, error)
        fetched = self._fetcher.observed(fetched, exchange, parsed)
        return fetched if parts is None else self._fetcher.parts_kept(fetched, parts), parsed

    async def _alone(
        self, request: PageRequest, wanted: Wanted | None, *, any_type: bool = False
    ) -> tuple[Fetched, ParsedPage]:
        """Fetch what is not a page of the crawl. wanted: the parts to gather, if any."""
        fetched, exchange, _ = await self._fetcher.exchanged(request, any_type=any_type)
        parsed = _NOT_PARSED
        try:
            if fetched.status == 200 and fetched.body and wanted is not None:
                parsed, identity = await self._read(fetched, fetched.content_type, wanted)
                fetched = fetched._replace(digest=identity.digest)
        except ChildDiedError as error:
            log.event("page-parser-died", url=request.url, why=str(error))
        except Exception as error:
            parser_failed(request.url, error)
        kept = exchange if fetched.reason != "too-large" else None
        return self._fetcher.observed(fetched._replace(body=b""), kept, parsed), parsed

    async def _parsed(
        self, fields: Sequence[Field], page: Fetched, wanted: Wanted, *, is_rendered: bool = False
    ) -> tuple[Fetched, ParsedPage]:
        fetched, parsed = page, _NOT_PARSED
        if fetched.body and (kind := media_type(fetched.content_type)) not in HTML_TYPES:
            if kind in self._documents:
                return await self._converted(self._documents[kind], fetched, fields, wanted)
            if wanted.is_view:
                from minicrawl.web.compare.documents import lines_of  # noqa: PLC0415 - few pages are watched

                lines = lines_of(fetched.body, fetched.content_type)
                return fetched._replace(body=b"", digest=zlib.crc32(fetched.body)), parsed._replace(text=lines)
            if self._is_binary(page.body, page.content_type) or page.status not in OF_PAGES:
                page = fetched = page._replace(body=b"")
        if fetched.body:
            content_type = UTF_8 if is_rendered else page.content_type
            parsed, identity = await self._read(page, content_type, wanted)
            if self._hooks is not None and media_type(content_type) in HTML_TYPES:
                with self._waiting(page.url, "hooks"):
                    parsed = await self._hooks.page(parsed, page.body, page.url, content_type, shown(fields))
            fetched = fetched._replace(body=b"", **identity._asdict())
        value = refresh_value(fields)
        refresh = read_refresh(value, page.url) if value is not None and _is_html(page) else None
        if refresh is not None:
            body = as_utf8(page.body, encoding_of(page.body, page.content_type))
            parsed = with_refresh(parsed, refresh, body, places=wanted.places)
        if fetched.link is not None:
            named = (*parsed.canonicals, *(canonicals(fetched.link, fetched.url) if "#" not in fetched.url else ()))
            spoken = (*parsed.hreflang, *languages(fetched.link, fetched.url))
            others = () if parsed.facts is None else (target for _, target in spoken)  # only an audit asks for them
            parsed = parsed._replace(
                canonicals=tuple(dict.fromkeys(named)),
                alternates=tuple(dict.fromkeys((*parsed.alternates, *others))),
                hreflang=tuple(dict.fromkeys(spoken)),
            )
        return (fetched, parsed) if self._keeps_parameters else without_parameters(fetched, parsed)

    async def _converted(
        self, documents: Documents, page: Fetched, fields: Sequence[Field], wanted: Wanted
    ) -> tuple[Fetched, ParsedPage]:
        """`_parsed` of a document in another format, as HTML."""
        try:
            with self._waiting(page.url, "parser"):  # half of the time, so that what was read by then is not lost
                html, is_cut = await documents.call(page.body, self._parse / 2)
        except ChildDiedError:
            raise
        except ChildError as error:
            log.event("document-unread", url=page.url, why=str(error))
            fetched, parsed = await self._parsed(fields, page._replace(body=b""), wanted)
            return fetched, parsed._replace(unread=True)
        as_html = page._replace(body=html, content_type=UTF_8)
        fetched, parsed = await self._parsed(fields, as_html, replace(wanted, facts=False, requisites=False))
        parsed = parsed._replace(truncated=parsed.truncated or is_cut)
        return fetched._replace(content_type=page.content_type), parsed

    async def _read(self, page: Fetched, content_type: str | None, wanted: Wanted) -> tuple[ParsedPage, Identity]:
        """`read_page`, of a large page in a child."""
        is_long = len(page.body) > _LONG_TEXT and media_type(content_type) not in HTML_TYPES
        if not is_long and not is_large(page.body):
            return read_page(page.body, page.url, content_type, wanted)
        with self._waiting(page.url, "parser"):
            return await self._large_pages.call(page.body, page.url, content_type, wanted)

    @contextmanager
    def _waiting(self, url: str, waits_for: str) -> Iterator[None]:
        self._waits[url] = waits_for, asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self._waits.pop(url, None)

    def waits(self) -> Mapping[str, Wait]:
        return self._waits

    def children(self) -> list[int]:
        """Process ids of the children for large pages, documents and hooks."""
        of_hooks = None if self._hooks is None else self._hooks.sandbox
        sandboxes = (self._large_pages, *self._documents.values(), of_hooks)
        return [pid for sandbox in sandboxes if sandbox for pid in sandbox.pids]

    async def robots(self, url: str) -> Fetched:
        return await self._fetcher.fetch(PageRequest(url), any_type=True, at_least=MAX_BYTES)

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        reader = SitemapReader(url, dated=self._reads_lastmods)
        gathered: list[str] = []
        dates: dict[str, float] = {}

        def gather(urls: Iterable[str]) -> None:
            gathered.extend(urls if self._keeps_parameters or reader.is_index else map(stripped, urls))
            lastmods = reader.take_lastmods()
            dates.update(lastmods if self._keeps_parameters else {stripped(u): at for u, at in lastmods.items()})

        async def take(piece: bytes) -> bool:
            for urls in reader.feed(piece):
                gather(urls)
                if len(gathered) >= _URLS_AT_ONCE:
                    give(gathered.copy(), reader.is_index, dates.copy())
                    gathered.clear()
                    dates.clear()
                await asyncio.sleep(0)  # let other tasks run after every step
            return not reader.is_over

        fetched = await self._fetcher.fetch(PageRequest(url), take=take)
        try:
            if fetched.reason != PARSER_FAILED:
                for urls in reader.close(truncated=fetched.truncated or fetched.status is None):
                    gather(urls)
        except Exception as error:
            fetched = unread(fetched, error)
        if gathered or dates:
            give(gathered, reader.is_index, dates)
        return SitemapAnswer(fetched, fetched.reason or reader.reason, reader.found)

    async def __aenter__(self) -> Self:
        await self._fetcher.__aenter__()
        if self._hooks is not None:
            await self._hooks.started()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._hooks is not None:
            await self._hooks.aclose()
        if self._renderer is not None:
            await self._renderer.aclose()
        for documents in self._documents.values():
            await documents.aclose()
        await self._large_pages.aclose()
        await self._fetcher.__aexit__()


def _is_html(page: Fetched) -> bool:
    return page.status in OF_PAGES and media_type(page.content_type) in HTML_TYPES
