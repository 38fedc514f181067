"""One run of a crawl, from seeds to report: opens its parts, runs the engine, settles the ranking, closes."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, closing, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol  # Any: settings as given

import numpy as np
from msgspec import Struct

from minicrawl import log
from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.crawler.changes import Changes
from minicrawl.crawler.due_requests import DueRequests
from minicrawl.crawler.engine import Engine
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.crawl_state import Terms
from minicrawl.crawler.loop.in_flight import BooksThread, Slots
from minicrawl.crawler.loop.limits import SteadyClock
from minicrawl.crawler.outcomes.reasons import ask_again
from minicrawl.crawler.remembered_settings import Resumed, is_nameless, refuse_partition, resumed
from minicrawl.crawler.sharing import Share
from minicrawl.crawler.sources.local import LocalSource, SourceSpec, fetch_options
from minicrawl.crawler.sources.workers import Source
from minicrawl.crawler.steps.archive import Archive
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport, Progress, Wanted
from minicrawl.opic.arrays import Pages
from minicrawl.parts import parts
from minicrawl.settings import CrawlSettings
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer
from minicrawl.system import STOPPING, give_memory_back, on_signals
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.http.transport import Capture
from minicrawl.web.net.open_files import raised_limit, room
from minicrawl.web.urls.keys import origin_of

_UNANSWERED = """
    SELECT reason, count(*) FROM (
        SELECT reason FROM pages WHERE attempts > 0 UNION ALL SELECT reason FROM robots WHERE attempts > 0
    ) GROUP BY reason"""
"""Failed pages and robots.txt files that are to be retried."""
OWN_TRANSPORT = "a transport of one's own works inside this process only: workers must be 0"


class Run(Struct, frozen=True):
    """A run, to be steered. `given_transport`: whether the network is the caller's."""

    engine: Engine
    intake: Intake
    source: Source
    changes: Changes
    clock: Callable[[], float]
    given_transport: bool


class Together:
    """The resources that runs in one process have in common: slots of requests, the thread for long work, and the
    source, which the first run makes, unless each has an archive to write to. runs: their greatest number."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.slots = Slots()
        self.thread = BooksThread()
        self.source: Source | None = None
        self._entering = asyncio.Lock()
        self._open = AsyncExitStack()
        self._is_open = False

    @asynccontextmanager
    async def entered(self, source: Source) -> AsyncIterator[None]:
        """Fetch from a source during the block; the common one stays open until `aclose`."""
        if source is not self.source:
            async with source:
                yield
            return
        async with self._entering:
            if not self._is_open:
                await self._open.enter_async_context(source)
                self._is_open = True
        yield

    async def aclose(self) -> None:
        self.thread.end()
        await self._open.aclose()


class Before(Struct, frozen=True):
    """A crawl before its next run. known, read, waiting: numbers of pages. stopped: why the last run did; None: it was
    killed."""

    known: int
    read: int
    waiting: int
    stopped: str | None

    @property
    def is_finished(self) -> bool:
        """True if nothing was left to fetch."""
        return not self.waiting and self.stopped == "nothing-left"

    @classmethod
    def of(cls, store: Store) -> "Before | None":
        """None for a crawl without a page."""
        totals, stopped = store.page_table.totals(), store.meta("stopped")
        return cls(*totals, None if stopped is None else str(stopped)) if totals.known else None


class Start(Struct, frozen=True):
    """The start of a run.

    changes: settings that differ from the run before, or from those of a new crawl, in lines for people. again: pages
    that were given up and are requested again; not_given_up: reasons behind --retry for which none was. is_nameless:
    whether a new crawl names no contact to other people's hosts. seeds: the given ones. before: None for a new crawl.
    """

    settings: CrawlSettings
    changes: tuple[str, ...]
    again: int
    is_nameless: bool
    seeds: Seeds
    before: Before | None
    not_given_up: tuple[str, ...] = ()


class Beside(Protocol):
    """Work that another process does while a crawl runs, such as indexing: it only reads the store."""

    def begin(self, store: Path, settings: CrawlSettings) -> None:
        """Start, before the first request. settings: of this run."""

    async def end(self, *, is_over: bool) -> None:
        """Finish, after the store is closed. is_over: the crawl has ended, so do all that is left."""


async def crawl_with(  # noqa: PLR0913 - what the caller of a crawl may hand in
    given: Mapping[str, Any],
    seeds: Seeds,
    store: Path,
    *,
    forgotten: Iterable[str] = (),
    refreshed: int | None = None,
    on_start: Callable[[Start], None] | None = None,
    on_begin: Callable[[Run], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    beside: Beside | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    started: float | None = None,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
) -> CrawlReport:
    """Run a crawl. Raises ConfigError, SeedError, StoreError.

    given: settings by name; the store remembers the others, but for `forgotten` ones, see remembered_settings.py.
    refreshed: number of read pages to fetch again, those with the largest gain; no other page is fetched.
    on_start: called once before the first request; on_begin: once the run can be steered. beside: runs along.
    started: when the crawl's time began to run, by time.monotonic().
    """
    is_new = not store.exists()
    if is_new:  # report faults in the arguments before there is a store
        settings = CrawlSettings.of(given)
        await check_settings(settings, transport)
        if settings.items:
            from minicrawl.extract.item_file import check_item_file  # noqa: PLC0415 - few crawls extract items

            check_item_file(settings.items)
        _check_seeds(seeds, store)
    report: CrawlReport | None = None
    began, has_begun = time.monotonic(), False
    try:
        with damage_as_store_error(store), closing(Writer(store, sizes)) as writer:
            refuse_partition(writer)
            remembered = resumed(writer.settings, given, forgotten)
            settings = remembered.settings
            if not is_new:
                await check_settings(settings, transport)
            start = _start(writer, remembered, seeds, retries=not refreshed)
            if on_start is not None:
                on_start(start)
            log.event("crawl-started", store=str(store), seeds=len(start.seeds.urls), settings=settings.not_default())
            has_begun = True
            if beside is not None:
                beside.begin(store, settings)
            with archives_of(settings) as replayed:
                in_round, only = _round(writer, settings, refreshed)
                run = opened(
                    in_round,
                    start.seeds,
                    writer,
                    only=only,
                    on_progress=on_progress,
                    transport=transport,
                    replayed=replayed,
                    started=started,
                    timing=timing,
                )
                run.intake.commit({"settings": settings.to_json(writer.path.parent), "stopped": None})
                report = await _crawled(run, start.seeds, on_begin, handle_signals=handle_signals)
        return report
    finally:
        if beside is not None:
            await beside.end(is_over=report is not None and report.reason != "interrupted")
        if has_begun:
            log_end(store, report, time.monotonic() - began)


def _start(writer: Writer, remembered: Resumed, seeds: Seeds, *, retries: bool) -> Start:
    """What a run starts with. retries: pages that were given up may wait again. Raises SeedError, StoreError."""
    settings, before = remembered.settings, Before.of(writer)
    seeds = spelled(seeds, writer.page_table.find, keep_parameters=settings.keep_parameters)
    if before is None:
        _check_seeds(seeds, writer.path)
    again, not_given_up = ask_again(writer, seeds.urls, settings.retry) if retries else (0, ())
    names_nobody = before is None and not settings.from_archive and is_nameless(settings, seeds.urls)
    return Start(settings, remembered.changes, again, names_nobody, seeds, before, not_given_up)


def log_end(store: Path, report: CrawlReport | None, seconds: float) -> None:
    """Log the end of a crawl. report: None for one that failed, after these seconds."""
    reason, pages, took = (report.reason, report.fetched, report.seconds) if report else ("failed", None, seconds)
    log.event("crawl-ended", store=str(store), reason=reason, pages=pages, seconds=took)


def archives_of(settings: CrawlSettings) -> AbstractContextManager[tuple[Path, ...]]:
    """Make ready what a crawl reads of other archives. Returns the folders of those in place of the network, during the
    block."""
    if not settings.from_archive:
        return nullcontext(())
    from minicrawl.archive.collection import indexed  # noqa: PLC0415 - few crawls read archives

    return indexed(settings.from_archive)


async def _crawled(
    run: Run, seeds: Seeds, on_begin: Callable[[Run], None] | None, *, handle_signals: bool
) -> CrawlReport:
    """Crawl to the end of a run, and settle the ranking."""
    engine, intake = run.engine, run.intake
    async with run.source:
        if on_begin is not None:
            on_begin(run)
        with on_signals(asyncio.get_running_loop(), STOPPING, engine.interrupt) if handle_signals else nullcontext():
            await engine.run(intake.starting(seeds.urls, run.clock(), seeds.guessed))
    if not engine.is_aborted:
        _settle(engine, intake)
    intake.steps.finish()
    return _report(engine, intake)


def _settle(engine: Engine, intake: Intake) -> None:
    """Make the ranking exact for the whole known graph, and commit it. The links take the memory of the requests."""
    intake.state.writer.forget_cached()
    give_memory_back()
    intake.ranking.settle_fully()
    for step in intake.steps:
        step.on_settled()
    intake.commit(engine.meta(), ranks=True)


def _round(writer: Writer, settings: CrawlSettings, refreshed: int | None) -> tuple[CrawlSettings, Pages | None]:
    """The settings of a run, and the only pages that it fetches; None: any."""
    if refreshed is None:
        return settings, None
    from minicrawl.crawler.frontier.due_pages import most_worth  # noqa: PLC0415 - only `minicrawl refresh` chooses

    pages = [choice.page for choice in most_worth(writer, refreshed, time.time())]
    return replace(settings, refresh=True, discovery=0.0), np.array(pages, dtype=np.int64)


def opened(  # noqa: PLR0913 - what the caller of a crawl may hand in
    settings: CrawlSettings,
    seeds: Seeds,
    writer: Writer,
    *,
    only: Pages | None = None,
    share: Share | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    replayed: tuple[Path, ...] = (),
    started: float | None = None,
    timing: Timing = STANDARD,
    together: Together | None = None,
) -> Run:
    """A run on the store: nothing is requested before its source is entered.

    only: read pages that have one turn more, and no other page has one. share: of the web, where the crawl has
    partitions. replayed: folders of archives in place of the network. started: when the run's time began, by
    time.monotonic(); None: now. together: with other runs of this process.
    """
    clock, remembered = SteadyClock(), settings
    if replayed:  # there is no host to spare
        settings = replace(settings, delay=0.0, ip_delay=0.0)
        timing = replace(timing, retry=0.0, robots_retry=0.0)
    locates = transport is None and not replayed  # a given one, and an archive, have no names
    intake = Intake(writer, settings, clock(), Terms(locates, share, only, timing))
    if intake.state.sites is None:
        intake.ranking.let_jump_alike()
    source = None if together is None else together.source
    if source is None:
        source = _source(settings, intake, seeds, transport, replayed)
        if together is not None and settings.archive is None:
            together.source = source
    requests = DueRequests(intake, settings)
    engine = Engine(
        intake,
        requests,
        source,
        settings,
        files=partial(room, raised_limit(1 if together is None else together.runs)),
        clock=clock,
        started=clock() - (0.0 if started is None else time.monotonic() - started),
        on_progress=on_progress,
        slots=None if together is None else together.slots,
        thread=None if together is None else together.thread,
    )
    changes = Changes(remembered, intake, requests, engine)
    return Run(engine, intake, source, changes, clock, transport is not None)


def _source(
    settings: CrawlSettings, intake: Intake, seeds: Seeds, transport: Any, replayed: tuple[Path, ...]
) -> Source:
    timing, writer = intake.state.timing, intake.state.writer
    origins = frozenset[str]()  # of all seeds, also those of earlier runs, if secrets may be for these alone
    if settings.has_secrets:
        origins = frozenset(map(origin_of, [*writer.page_table.seeds(), *seeds.urls]))
    wanted = Wanted(
        anchors=bool(settings.topic),
        places=True,
        short_text=settings.traps,
        blocks=settings.refreshes or bool(settings.watch),
        watch=settings.watch,
        kept=settings.keeps_text,
        extract=settings.extract,
        hooks=settings.hook,
        structured=settings.extract_structured,
        requisites=settings.requisites,
        facts=settings.audit,
    )
    capture: Callable[[], Capture] | None = None
    if (archive := intake.steps.find(Archive)) is not None:
        from minicrawl.crawler.archiving import Archiving  # noqa: PLC0415 - few crawls keep an archive

        capture = partial(Archiving, settings, writer.path, archive.prefix)
    spec = SourceSpec(settings, timing, origins, wanted, capture, replayed)

    def local() -> LocalSource:
        if transport is None:
            return LocalSource(spec)
        from minicrawl.web.http.httpx_transport import HttpxTransport  # noqa: PLC0415 - takes 0.1 s, few need it

        return LocalSource(spec, HttpxTransport(transport, timing))

    return Source(spec, local)


def _report(engine: Engine, intake: Intake) -> CrawlReport:
    accounts = intake.state.accounts
    coverage, shown = accounts.coverage.shares()
    asked_for = engine.limits.now.until_coverage or 0.0
    is_over = engine.reason in (None, "nothing-left")
    # Its time was up before any request could leave: those of earlier runs tell more.
    is_late = engine.reason == "time" and not (engine.progress.fetched or engine.unanswered)
    return CrawlReport(
        reason=engine.reason or "nothing-left",
        fetched=engine.progress.fetched,
        bytes=engine.progress.bytes,
        seconds=engine.progress.seconds,
        known=accounts.size,
        read=accounts.coverage.collected,
        coverage=coverage,
        coverage_shown=shown,
        error=accounts.book.certificate(),
        failures=dict(intake.state.pages.failures),
        left_out=intake.state.pages.left_out,
        unanswered=dict(intake.state.writer.rows(_UNANSWERED) if is_late else engine.unanswered),
        out_of_reach=engine.progress.out_of_reach(asked_for) if is_over else None,
        refreshed=intake.state.pages.refreshed,
    )


def _check_seeds(seeds: Seeds, store: Path) -> None:
    if not seeds.urls:
        raise SeedError(f"no seeds are given and {store} has no pages yet; name a seed file or a URL")


async def check_settings(settings: CrawlSettings, transport: Any) -> None:
    """Raise SettingError for settings that no crawl can be made with here, before any of them is remembered. A Fetcher
    reports faults in how to connect when it is made, in workers too late."""
    raised_limit()
    await _check_capabilities(settings, has_transport=transport is not None)
    if transport is None:
        async with Fetcher(fetch_options(settings)):
            return
    if settings.workers:
        raise SettingError(OWN_TRANSPORT)


async def _check_capabilities(settings: CrawlSettings, *, has_transport: bool) -> None:
    """Check the settings of capabilities that few crawls have, whose modules the others do not load."""
    if settings.items or settings.hook or settings.extracts or settings.watch:
        from minicrawl.extract.selectors import check_asked  # noqa: PLC0415

        await check_asked(settings)
    if settings.from_archive:
        from minicrawl.archive.collection import check_there  # noqa: PLC0415

        check_there(settings.from_archive)
        if settings.archive is not None or has_transport:
            raise SettingError(
                "a crawl that reads an archive keeps none, whose dates would be wrong: leave out --archive, or "
                "--forget archive; nor has it a transport of one's own"
            )
    if settings.screenshots and not (settings.render and settings.archive):
        raise SettingError("--screenshots needs --render REGEX, the pages to show, and --archive DIR, to keep them in")
    if settings.render:
        from minicrawl.crawler.rendering.chromium import find_chromium  # noqa: PLC0415

        find_chromium(settings.chromium)
    for part in parts():
        part.check(settings)
