"""One run of a crawl, from seeds to report: opens its parts, runs the engine, settles the ranking, closes."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol  # Any: settings as given

import numpy as np
from msgspec import Struct, structs

from minicrawl import log
from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.assemble import Means, Run, assemble
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.crawler.engine import Engine
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.retries import ask_again
from minicrawl.crawler.remembered_settings import Resumed, is_nameless, refuse_partition, resumed
from minicrawl.crawler.sources.local import fetch_options
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport
from minicrawl.opic.arrays import Pages
from minicrawl.parts import figures_of, pages_left_out, parts
from minicrawl.settings import CrawlSettings
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer
from minicrawl.system import STOPPING, give_memory_back, on_signals
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.net.open_files import raised_limit

_UNANSWERED = """
    SELECT reason, count(*) FROM (
        SELECT reason FROM pages WHERE attempts > 0 UNION ALL SELECT reason FROM robots WHERE attempts > 0
    ) GROUP BY reason"""
"""Failed pages and robots.txt files that are to be retried."""
OWN_TRANSPORT = "a custom transport works in this process only: workers must be 0"


class Before(Struct, frozen=True):
    """A crawl before its next run. known, read, waiting: numbers of pages; left_out: pages that wait but will not be
    read, which `waiting` does not count; ill: those of `waiting` whose host is ill. stopped: why the last run did;
    None: it was killed."""

    known: int
    read: int
    waiting: int
    stopped: str | None
    left_out: int = 0
    ill: int = 0

    @property
    def is_finished(self) -> bool:
        """True if nothing was left to fetch."""
        return not self.waiting and self.stopped == "nothing-left"

    @classmethod
    def of(cls, store: Store) -> "Before | None":
        """None for a crawl without a page."""
        totals, stopped = store.page_table.totals(), store.meta("stopped")
        left_out = pages_left_out(figures_of(store))
        waiting, why = totals.waiting - left_out, None if stopped is None else str(stopped)
        ill = sum(host.waiting for host in store.hosts.ill())
        return cls(totals.known, totals.read, waiting, why, left_out, ill) if totals.known else None


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


class Caller(Means, frozen=True, kw_only=True):
    """What the caller of a crawl may hand in beside its settings, seeds and store.

    forgotten: settings that have their defaults again, see remembered_settings.py. refreshed: number of read pages to
    fetch again, those with the largest gain; no other page is fetched. on_start: called once before the first request.
    beside: runs along. handle_signals: an interrupt ends the crawl in order.
    """

    forgotten: tuple[str, ...] = ()
    refreshed: int | None = None
    on_start: Callable[[Start], None] | None = None
    beside: Beside | None = None
    handle_signals: bool = False
    sizes: Sizes = STANDARD_SIZES


async def crawl_with(
    given: Mapping[str, Any], seeds: Seeds, store: Path, caller: Caller, on_begin: Callable[[Run], None] | None = None
) -> CrawlReport:
    """Run a crawl. Raises ConfigError, SeedError, StoreError.

    given: settings by name; the store remembers the others. on_begin: called once the run can be steered.
    """
    is_new = not store.exists()
    if is_new:  # report faults in the arguments before there is a store
        settings = CrawlSettings.of(given)
        await check_settings(settings, caller.transport)
        if settings.items:
            from minicrawl.extract.item_file import check_item_file  # noqa: PLC0415 - few crawls extract items

            check_item_file(settings.items)
        _check_seeds(seeds, store)
    report: CrawlReport | None = None
    began, has_begun = time.monotonic(), False
    try:
        with damage_as_store_error(store), closing(Writer(store, caller.sizes)) as writer:
            refuse_partition(writer)
            remembered = resumed(writer.settings, given, caller.forgotten)
            settings = remembered.settings
            if not is_new:
                await check_settings(settings, caller.transport)
            start = _start(writer, remembered, seeds, retries=not caller.refreshed)
            if caller.on_start is not None:
                caller.on_start(start)
            log.event("crawl-started", store=str(store), seeds=len(start.seeds.urls), settings=settings.not_default())
            has_begun = True
            if caller.beside is not None:
                caller.beside.begin(store, settings)
            with archives_of(settings) as replayed:
                in_round, only = _round(writer, settings, caller.refreshed)
                run = assemble(in_round, start.seeds, writer, structs.replace(caller, only=only, replayed=replayed))
                run.intake.commit({"settings": settings.to_json(writer.path.parent), "stopped": None})
                report = await _crawled(run, start.seeds, on_begin, handle_signals=caller.handle_signals)
        return report
    finally:
        if caller.beside is not None:
            await caller.beside.end(is_over=report is not None and report.reason != "interrupted")
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
    try:
        async with run.together.entered(run.source):
            if on_begin is not None:
                on_begin(run)
            loop = asyncio.get_running_loop()
            with on_signals(loop, STOPPING, engine.interrupt) if handle_signals else nullcontext():
                await engine.run(intake.starting(seeds.urls, run.clock(), seeds.guessed))
    finally:
        await run.together.aclose()
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


def _report(engine: Engine, intake: Intake) -> CrawlReport:
    accounts = intake.state.accounts
    asked_for = engine.limits.now.until_coverage or 0.0
    is_over = engine.reason in (None, "nothing-left")
    # Its time was up before any request could leave: those of earlier runs tell more.
    is_late = engine.reason == "time" and not (engine.progress.fetched or engine.unanswered)
    ill_hosts, ill_pages = engine.progress.ill_in_all()
    return CrawlReport(
        reason=engine.reason or "nothing-left",
        fetched=engine.progress.fetched,
        bytes=engine.progress.bytes,
        seconds=engine.progress.seconds,
        known=accounts.size,
        read=accounts.coverage.collected,
        **accounts.share().figures(),
        error=accounts.book.certificate(),
        failures=dict(intake.state.pages.failures),
        left_out=intake.state.pages.left_out,
        unanswered=dict(intake.state.writer.rows(_UNANSWERED) if is_late else engine.unanswered),
        out_of_reach=engine.progress.out_of_reach(asked_for) if is_over else None,
        refreshed=intake.state.pages.refreshed,
        reframed=intake.state.pages.reframed,
        resting=engine.left_to_next_round,
        ill_hosts=ill_hosts,
        ill_pages=ill_pages,
    )


def _check_seeds(seeds: Seeds, store: Path) -> None:
    if not seeds.urls:
        raise SeedError(f"you gave no seeds, and {store} has no pages yet; name a seed file or a URL")


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
    if settings.items or settings.hook or settings.extracts:
        from minicrawl.extract.selectors import check_asked  # noqa: PLC0415

        await check_asked(settings)
    if settings.from_archive:
        from minicrawl.archive.collection import check_there  # noqa: PLC0415

        check_there(settings.from_archive)
        if settings.archive is not None or has_transport:
            raise SettingError(
                "a crawl of an archive cannot write one, whose dates would be wrong, nor use a custom transport: "
                "leave out --archive, or --forget archive"
            )
    for part in parts():
        part.check(settings)
