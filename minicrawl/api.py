"""The Python interface: `crawl`, `acrawl` for programs with an event loop, and `Crawl`, a crawl to watch and steer."""

from __future__ import annotations  # for help that shows types as they are written here

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, Unpack  # Any: settings as given

from minicrawl.cluster.crawl import crawl_partitions
from minicrawl.cluster.keeper import Listener
from minicrawl.crawler.admission.seeds import gather_seeds
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.crawler.running_crawl import RunningCrawl
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport, Progress, WatchRound
from minicrawl.parts import module
from minicrawl.search.following import Indexer
from minicrawl.settings import DEFAULT_STORE, CrawlSettings
from minicrawl.settings.keywords import Keywords
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.folder import is_folder
from minicrawl.system import run_loop
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.urls.normalise import normalise


def crawl(  # noqa: PLR0913 - what the caller of a crawl may hand in
    seeds: str | Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
    partitions: int | None = None,
    ray: str | None = None,
    **settings: Unpack[Keywords],
) -> CrawlReport:
    """Crawl from `seeds` into `store`, and return when the crawl ends. Works in notebooks, too.

    The most important pages come first. An existing store is continued: settings that you leave out keep their values
    of the last run, or have their defaults. Strings are read as on the command line: time="30m", bytes="2GB",
    until_coverage="90%".

    Raises ConfigError for a wrong setting, SeedError for a wrong seed, StoreError for a store that cannot be used.

    Arguments:
        seeds: URLs, seed files, or "-" for standard input; [] if the store has pages.
        store: Path of the crawl's file, or of its folder with partitions.
        on_progress: Called every half second with a `Progress`.
        transport: An httpx transport in place of the network.
        handle_signals: The first Ctrl-C finishes the requests in flight, the second stops at once.
        timing: Time limits and intervals.
        sizes: Batch and cache sizes.
        partitions: Number of partitions, each with its own store, on Ray: see docs/cluster.md.
        ray: Address of a Ray cluster for the partitions, "auto" or "HOST:PORT"; None: this machine alone.
        settings: Options of `minicrawl crawl` by name, such as max_depth=3; docs/settings.md lists them.
    """
    return _run(
        acrawl(
            seeds,
            store,
            on_progress=on_progress,
            transport=transport,
            handle_signals=handle_signals and not _is_loop_running(),
            timing=timing,
            sizes=sizes,
            partitions=partitions,
            ray=ray,
            **settings,
        )
    )


_Result = TypeVar("_Result")


def _is_loop_running() -> bool:
    """True in a cell of a notebook, and in other code that an event loop runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run(crawling: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a crawl to its end, where an event loop runs already in a thread with one of its own.

    Interrupting a cell ends the crawl as a second Ctrl-C does.
    """
    if not _is_loop_running():
        return run_loop(crawling)
    loop = asyncio.new_event_loop()
    task = loop.create_task(crawling)
    with ThreadPoolExecutor(1) as thread:
        ended = thread.submit(loop.run_until_complete, task)
        try:
            return ended.result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(task.cancel)
            raise
        finally:
            wait([ended])
            loop.close()


async def acrawl(  # noqa: PLR0913 - what the caller of a crawl may hand in
    seeds: str | Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
    partitions: int | None = None,
    ray: str | None = None,
    **settings: Unpack[Keywords],
) -> CrawlReport:
    """Crawl in a program that has an event loop. See `crawl` for the arguments."""
    started = time.monotonic()
    given = _checked(store, settings)
    if partitions is not None or is_folder(Path(store)):
        if transport is not None:
            raise SettingError("a custom transport works in one process only; leave out partitions")
        return await crawl_partitions(
            given,
            gather_seeds(_texts(seeds)),
            Path(store),
            partitions=partitions,
            ray=ray,
            listener=Listener(shows=on_progress),
            handle_signals=handle_signals,
            started=started,
        )
    caller = Caller(
        on_progress=on_progress,
        beside=Indexer(handle_signals=handle_signals),
        transport=transport,
        handle_signals=handle_signals,
        started=started,
        timing=timing,
        sizes=sizes,
    )
    return await crawl_with(given, gather_seeds(_texts(seeds)), Path(store), caller)


def watch(  # noqa: PLR0913 - what the caller may hand in
    urls: str | Iterable[str],
    store: str | Path = "data/watch.db",
    *,
    every: float | None = None,
    confirm: Sequence[float] = (30.0, 300.0),
    selectors: Mapping[str, str] | None = None,
    transport: Any = None,
    **settings: Unpack[Keywords],
) -> Iterator[WatchRound]:
    """Check pages in rounds, and yield what each round finds. The first round remembers the pages.

        for done in minicrawl.watch(["https://example.org/prices"], every=3600):
            for event in done.events:
                print(event.url, event.what, event.added, event.removed)

    Raises ConfigError for a wrong setting, SeedError for a wrong URL, StoreError for a store that cannot be used.

    Arguments:
        urls: URLs, files with one URL per line, or "-" for standard input.
        store: Path of the file that remembers the pages.
        every: Seconds from one round to the next, without end; None: one round.
        confirm: Seconds after which a page that differs is fetched again; (): the first answer is reported.
        selectors: Selectors of the only part to watch, by URL as in the list; see docs/watch.md.
        transport: An httpx transport in place of the network.
        settings: Options of `minicrawl crawl` by name, such as delay=2.
    """
    rounds = module("watch.rounds")
    selected = {url: selector for name, selector in (selectors or {}).items() if (url := normalise(name))}
    watched = rounds.Watched(
        Path(store), gather_seeds(_texts(urls)), _checked(store, settings), selected, confirm, transport=transport
    )
    while True:
        began = time.monotonic()
        yield _run(watched.check(every))
        if every is None:
            return
        time.sleep(max(every - (time.monotonic() - began), 0.0))


class Crawl(RunningCrawl):
    """A crawl that runs during a block, to be watched and steered.

        async with minicrawl.Crawl(["https://example.org/"], pages=1000) as crawl:
            async for event in crawl.events():
                print(event)

    It runs as a task of the caller's event loop. `status` and `events` report its state; the other methods change it,
    and return once the change is committed, so that a kill does not undo it. A wrong argument raises ConfigError or
    SeedError, and the crawl continues; CrawlEndedError is raised once it has ended.

    The block ends when the crawl does; a paused crawl is stopped at the end of the block. An exception in the block
    stops it at once, and nothing is lost. If the crawl itself fails, for example on a full disk, the end of the block
    raises the error.
    """

    def __init__(  # noqa: PLR0913 - what the caller of a crawl may hand in
        self,
        seeds: str | Iterable[str],
        store: str | Path = DEFAULT_STORE,
        *,
        settings: Mapping[str, Any] | None = None,
        transport: Any = None,
        handle_signals: bool = False,
        timing: Timing = STANDARD,
        sizes: Sizes = STANDARD_SIZES,
        **by_name: Unpack[Keywords],
    ) -> None:
        """Prepare a crawl; `crawl` explains the arguments.

        settings: Settings by name; keyword arguments win over them.
        """
        given = _checked(store, {**(settings or {}), **by_name})
        caller = Caller(
            beside=Indexer(handle_signals=handle_signals),
            transport=transport,
            handle_signals=handle_signals,
            timing=timing,
            sizes=sizes,
        )
        super().__init__(partial(crawl_with, given, gather_seeds(_texts(seeds)), Path(store), caller))

    async def adjust(self, **settings: Unpack[Keywords]) -> None:
        """Change settings while the crawl runs; later runs keep them, except limits.

        They apply from now on: requests in flight finish as they began, known pages stay known. Limits count from the
        start of the run; None removes one. When `workers` changes, requests in flight finish in their processes.

        Raises ConfigError for a wrong setting, or one that cannot change while a crawl runs.
        """
        await self.change_settings(settings)

    async def add_seeds(self, seeds: str | Iterable[str]) -> int:
        """Add seeds, and return how many are new. Seeds that were given up are tried again.

        Secret headers go only to the seeds that the crawl began with. Raises SeedError.
        """
        return await self.take_seeds(gather_seeds(_texts(seeds)))


def _checked(store: str | Path, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings. Raises ConfigError, also for a store that is not a path."""
    CrawlSettings.of(settings)
    if not isinstance(store, str | Path):
        raise SettingError(f"store must be the path of a file, not {store!r}")
    return settings


def _texts(seeds: str | Iterable[str]) -> list[str]:
    """Seeds as a list, also of a single string. Raises SeedError."""
    if isinstance(seeds, str):
        return [seeds]
    given = list(seeds) if isinstance(seeds, Iterable) else [seeds]
    for seed in given:
        if not isinstance(seed, str):
            raise SeedError(f"seeds must be strings (URLs or names of files), not {seed!r}")
    return given
