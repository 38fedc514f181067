"""One crawl from seeds to report: opens what it needs, runs the engine, settles the ranking, closes."""

import asyncio
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from minicrawl.crawl.absorb import Absorber
from minicrawl.crawl.engine import Engine, SteadyClock
from minicrawl.crawl.parameters import stripped
from minicrawl.crawl.seeds import read_seeds
from minicrawl.crawl.source import LocalSource, WorkerSource
from minicrawl.crawl.timing import STANDARD, Timing
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport, Progress
from minicrawl.opic import STRATEGIES, Window
from minicrawl.opic.window import parse_window
from minicrawl.settings import DEFAULT_STORE, CrawlSettings
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer


async def acrawl(
    seeds: Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    **settings: Any,
) -> CrawlReport:
    """Crawl from `seeds` into `store`, which is taken up where it stood if it exists.

    seeds: URLs, seed files, or "-"; may be empty when the store has pages. on_progress: called every half
    second. transport: an httpx transport to use in place of the network. handle_signals: let the first Ctrl-C
    finish what is in flight and the second stop at once. timing: how long to wait for what. settings: fields of
    `CrawlSettings`.

    Raises SettingError, SeedError, StoreError.
    """
    return await crawl_with(
        CrawlSettings(**settings),
        read_seeds([seeds] if isinstance(seeds, str) else seeds),
        Path(store),
        on_progress=on_progress,
        transport=transport,
        handle_signals=handle_signals,
        timing=timing,
    )


def crawl(seeds: Iterable[str], store: str | Path = DEFAULT_STORE, **options: Any) -> CrawlReport:
    """`acrawl` for callers without an event loop; returns when the crawl has ended."""
    return asyncio.run(acrawl(seeds, store, **options))


async def crawl_with(
    settings: CrawlSettings,
    seeds: list[str],
    store: Path,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
) -> CrawlReport:
    """`acrawl` with everything parsed."""
    if settings.workers and transport is not None:
        raise SettingError("a transport of one's own works inside this process only: workers must be 0")
    if not settings.keep_parameters:
        seeds = list(dict.fromkeys(map(stripped, seeds)))
    clock = SteadyClock()
    window = _window(settings)
    source = WorkerSource(settings, timing) if settings.workers else LocalSource(settings, transport, timing)
    writer = Writer(store)
    try:
        # A proxy looks up names itself, and a transport of one's own has none.
        locates = transport is None and settings.proxy is None
        absorber = Absorber(
            writer, settings, STRATEGIES[settings.strategy], window, clock(), locates=locates, timing=timing
        )
        if not seeds and not absorber.accounts.size:
            raise SeedError(f"no seeds are given and {store} has no pages yet; name a seed file or a URL")
        _check_window(writer, settings)
        absorber.start(seeds, clock())
        absorber.commit({"settings": settings.to_json(), "stopped": None})
        async with source:
            engine = Engine(absorber, source, settings, timing=timing, clock=clock, on_progress=on_progress)
            with _signals(engine, handle_signals):
                await engine.run()
        if not engine.is_aborted:
            absorber.settle_fully()
            absorber.commit(engine.meta())
        return _report(engine, absorber)
    finally:
        writer.close()


def _report(engine: Engine, absorber: Absorber) -> CrawlReport:
    accounts = absorber.accounts
    return CrawlReport(
        reason=engine.reason or "nothing-left",
        fetched=engine.fetched,
        bytes=engine.bytes,
        seconds=engine.seconds,
        known=accounts.size,
        read=accounts.coverage.collected,
        coverage=accounts.coverage.bound(),
        error=accounts.ledger.certificate(),
        failures=dict(absorber.failures),
        left_out=absorber.links_left_out,
        unanswered=_unanswered(engine, absorber.writer),
    )


def _unanswered(engine: Engine, store: Store) -> dict[str, int]:
    """Why requests of this run got no answer; if its time was up before any could leave, why earlier ones got none."""
    if engine.reason == "time" and not (engine.fetched or engine.unanswered):
        return store.unanswered()
    return dict(engine.unanswered)


def _window(settings: CrawlSettings) -> Window:
    try:
        return parse_window(settings.history, settings.window)
    except ValueError as error:
        raise SettingError(
            f"--history takes basic, interpolation, variable:K, fixed:T or improved-fixed:T,K: {error}"
        ) from error


def _check_window(writer: Writer, settings: CrawlSettings) -> None:
    """A store's histories are all of one window policy."""
    wanted = f"{settings.history} {settings.window}"
    kept = writer.meta("window")
    if kept is None:
        with writer.transaction():
            writer.save_meta({"window": wanted})
    elif kept != wanted:
        policy, _, turnovers = str(kept).partition(" ")
        raise SettingError(
            f"{writer.path} was begun with --history {policy} --window {turnovers}; "
            f"use the same, or another --store, for --history {settings.history} --window {settings.window}"
        )


@contextmanager
def _signals(engine: Engine, handle: bool) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop the engine: once to finish what is in flight, twice to stop at once."""
    if not handle:
        yield
        return

    def interrupt() -> None:
        if engine.reason is None:
            engine.stop("interrupted")
        else:
            engine.abort()

    loop = asyncio.get_running_loop()
    kinds = (signal.SIGINT, signal.SIGTERM)
    for kind in kinds:
        loop.add_signal_handler(kind, interrupt)
    try:
        yield
    finally:
        for kind in kinds:
            loop.remove_signal_handler(kind)
