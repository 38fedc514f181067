"""Put a run together: every part of a crawl, each made of those before it, from top to bottom.

Nothing is requested before the source of a run is entered.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any  # Any: settings as given

from msgspec import Struct, structs

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.due_requests import DueRequests
from minicrawl.crawler.engine import Engine
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.crawl_state import Terms
from minicrawl.crawler.loop.limits import SteadyClock
from minicrawl.crawler.loop.together import Together
from minicrawl.crawler.progress import RunProgress
from minicrawl.crawler.sharing import Share
from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.crawler.sources.workers import Source
from minicrawl.crawler.steering import Changes
from minicrawl.crawler.steps.archive import Archive
from minicrawl.model import Progress, Wanted
from minicrawl.opic.arrays import Pages
from minicrawl.parts import parts
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.transport import Capture
from minicrawl.web.urls.keys import origin_of


class Means(Struct, frozen=True, kw_only=True):
    """What a run is made with beside its settings, seeds and store.

    transport: of httpx, in place of the network; replayed: folders of archives in place of it. only: read pages that
    have one turn more, and no other page has one. share: of the web, where the crawl has partitions. together: with
    other runs of this process; None: there are none. started: when the run's time began, by time.monotonic(); None:
    now. on_progress: called now and then.
    """

    transport: Any = None
    replayed: tuple[Path, ...] = ()
    only: Pages | None = None
    share: Share | None = None
    together: Together | None = None
    started: float | None = None
    timing: Timing = STANDARD
    on_progress: Callable[[Progress], None] | None = None


class Run(Struct, frozen=True):
    """A run, to be steered. `given_transport`: whether the network is the caller's."""

    engine: Engine
    intake: Intake
    source: Source
    changes: Changes
    clock: Callable[[], float]
    together: Together
    given_transport: bool


def assemble(settings: CrawlSettings, seeds: Seeds, writer: Writer, means: Means) -> Run:
    """A run on the store. Raises SettingError, StoreError."""
    clock = SteadyClock()
    together = means.together or Together()
    present = settings
    timing = means.timing
    if means.replayed:  # there is no host to spare
        present = replace(settings, delay=0.0, ip_delay=0.0)
        timing = replace(timing, retry=0.0, robots_retry=0.0)
    locates = means.transport is None and not means.replayed  # a given one, and an archive, have no names
    intake = Intake(writer, present, clock(), Terms(locates, means.share, means.only, timing))
    if intake.state.sites is None:
        intake.ranking.let_jump_alike()
    source = together.source or _source(present, intake, seeds, means)
    if settings.archive is None:
        together.source = source
    requests = DueRequests(intake, present)
    waited = 0.0 if means.started is None else time.monotonic() - means.started
    engine = Engine(intake, requests, source, together, RunProgress(intake, clock, clock() - waited))
    engine.on_progress = means.on_progress
    changes = Changes(settings, intake, requests, engine)
    return Run(engine, intake, source, changes, clock, together, means.transport is not None)


def _source(settings: CrawlSettings, intake: Intake, seeds: Seeds, means: Means) -> Source:
    timing, writer = intake.state.timing, intake.state.writer
    origins = frozenset[str]()  # of all seeds, also those of earlier runs, if secrets may be for these alone
    if settings.has_secrets:
        origins = frozenset(map(origin_of, [*writer.page_table.seeds(), *seeds.urls]))
    capture: Callable[[], Capture] | None = None
    if (archive := intake.steps.find(Archive)) is not None:
        from minicrawl.crawler.archiving import Archiving  # noqa: PLC0415 - few crawls keep an archive

        capture = partial(Archiving, settings, writer.path, archive.prefix)
    spec = SourceSpec(settings, timing, origins, _wanted(settings), capture, means.replayed)

    def local() -> LocalSource:
        if means.transport is None:
            return LocalSource(spec)
        from minicrawl.web.http.httpx_transport import HttpxTransport  # noqa: PLC0415 - takes 0.1 s, few need it

        return LocalSource(spec, HttpxTransport(means.transport, timing))

    return Source(spec, local)


def _wanted(settings: CrawlSettings) -> Wanted:
    """What is gathered of every page."""
    wanted = Wanted(
        anchors=bool(settings.topic),
        places=True,
        short_text=settings.traps,
        hashes=settings.refreshes,
        kept=settings.keeps_text,
        extract=settings.extract,
        hooks=settings.hook,
        structured=settings.extract_structured,
        requisites=settings.requisites,
        facts=settings.audit,
    )
    for part in parts():
        wanted = structs.replace(wanted, **dict.fromkeys(part.gathers(settings), True))
    return wanted
