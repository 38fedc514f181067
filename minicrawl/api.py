"""What a Python program calls: `crawl`, `acrawl` for those that have an event loop, and `Crawl`, to steer one."""

from __future__ import annotations  # for help that shows types as they are written here

import asyncio
import inspect
import textwrap
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, Unpack  # Any: settings as given

from minicrawl.crawler.admission.seeds import gather_seeds
from minicrawl.crawler.run import Run
from minicrawl.crawler.running_crawl import RunningCrawl
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport, Progress
from minicrawl.search.index.beside_crawl import crawl_and_follow
from minicrawl.settings import DEFAULT_STORE, SETTINGS, AsBefore, CrawlSettings
from minicrawl.settings.given import AdjustableSettings, GivenSettings
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.timing import STANDARD, Timing

AS_BEFORE = AsBefore.AS_BEFORE
_Call = TypeVar("_Call", bound=Callable[..., object])


def _explained(call: _Call) -> _Call:
    """Let help() show every setting that a call takes by name: its type, its meaning and its default."""
    signature = inspect.signature(call)
    *own, settings = signature.parameters.values()
    group = AdjustableSettings if "Adjustable" in settings.annotation else GivenSettings
    types = {name: group.__annotations__[name].__forward_arg__ for name in SETTINGS if name in group.__annotations__}
    lines = [(call.__doc__ or "").rstrip(), "", "    Settings:"]
    for name, kind in types.items():
        setting = SETTINGS[name]
        default, given = setting.shown or repr(setting.default), kind.replace(" | AsBefore", "")
        about = f"{name} ({given}): {setting.meaning} Default: {default}."
        lines += textwrap.wrap(about, 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    call.__doc__ = "\n".join(lines)
    kind_of = inspect.Parameter.KEYWORD_ONLY
    by_name = [inspect.Parameter(name, kind_of, default=AS_BEFORE, annotation=kind) for name, kind in types.items()]
    in_order = sorted([*by_name, *own], key=lambda parameter: parameter.kind)
    call.__signature__ = signature.replace(parameters=in_order)  # type: ignore[attr-defined]
    return call


@_explained
def crawl(  # noqa: PLR0913 - what the caller of a crawl may hand in
    seeds: str | Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
    **settings: Unpack[GivenSettings],
) -> CrawlReport:
    """Crawl from `seeds` into `store`, and return when the crawl has ended.

    The most important pages come first. A store that is there is taken up where it stood. A setting that is not
    given (AS_BEFORE) is as in the run before, or has its default in the first run. Texts are taken as on the command
    line: time="30m", bytes="2GB", until_coverage="90%".

    Raises ConfigError (a setting is wrong), SeedError (a seed is), StoreError (the store cannot be used).

    Arguments:
        seeds: URLs, seed files, or "-" for standard input; none, [], where the store has pages.
        store: Path of the crawl's file.
        on_progress: Is called every half second with a `Progress`.
        transport: An httpx transport in place of the network.
        handle_signals: Let the first Ctrl-C finish what is in flight, and the second stop at once.
        timing: How long to wait for what.
        sizes: How much to do at a time.
    """
    return asyncio.run(
        acrawl(
            seeds,
            store,
            on_progress=on_progress,
            transport=transport,
            handle_signals=handle_signals,
            timing=timing,
            sizes=sizes,
            **settings,
        )
    )


@_explained
async def acrawl(  # noqa: PLR0913 - what the caller of a crawl may hand in
    seeds: str | Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
    **settings: Unpack[GivenSettings],
) -> CrawlReport:
    """`crawl` for programs that have an event loop; its arguments are explained there."""
    started = time.monotonic()
    return await _call(seeds, store, settings)(
        on_progress=on_progress,
        transport=transport,
        handle_signals=handle_signals,
        started=started,
        timing=timing,
        sizes=sizes,
    )


class Crawl(RunningCrawl):
    """A crawl that runs as long as the block does, to be watched and steered meanwhile.

        async with minicrawl.Crawl(["https://example.org/"], pages=1000) as crawl:
            async for event in crawl.events():
                print(event)

    It runs as a task of the caller's event loop. `crawl.status` and `crawl.events` say what it does; the others are
    what it may be asked to do, and return when that is in the store: what was done is there after a kill. What was
    wrong with it is a ConfigError or SeedError, and the crawl goes on; a CrawlEndedError says that it has ended before.

    The block ends when the crawl does; a crawl that is paused then is stopped. An exception in the block stops it at
    once, and nothing is lost. Where the crawl itself fails, as by a full disk, the end of the block raises that.
    """

    @_explained
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
        **by_name: Unpack[GivenSettings],
    ) -> None:
        """What `crawl` takes; its arguments are explained there.

        settings: Settings by name; those that are given as arguments come first.
        """
        call = _call(seeds, store, {**(settings or {}), **by_name})

        def crawled(on_begin: Callable[[Run], None]) -> Coroutine[Any, Any, CrawlReport]:
            return call(
                on_begin=on_begin, transport=transport, handle_signals=handle_signals, timing=timing, sizes=sizes
            )

        super().__init__(crawled)

    @_explained
    async def adjust(self, **settings: Unpack[AdjustableSettings]) -> None:
        """Change settings while the crawl runs; later runs go on with them, but for limits.

        They hold for what comes: requests in flight are finished as they were begun, pages that are known stay known.
        Limits count from the begin of the run; None takes one away. From no workers to some, and back, requests that
        were begun are answered where they were begun.

        Raises ConfigError for a setting that is wrong, or cannot change while a crawl runs.
        """
        await self.change_settings(_given(settings))

    async def add_seeds(self, seeds: str | Iterable[str]) -> int:
        """Add seeds, as `crawl` takes them; seeds that were given up are asked for again. Returns how many are new.

        Headers that may be secret go to the seeds with which the crawl has begun alone. Raises SeedError.
        """
        return await self.take_seeds(gather_seeds(_texts(seeds)))


def _call(
    seeds: str | Iterable[str], store: str | Path, settings: Mapping[str, Any]
) -> Callable[..., Coroutine[Any, Any, CrawlReport]]:
    """A call of `crawl_and_follow`, but for how it is made. Raises ConfigError, SeedError."""
    given = _given(settings)
    CrawlSettings.of(given)
    if not isinstance(store, str | Path):
        raise SettingError(f"store is the path of a file, not {store!r}")
    return partial(crawl_and_follow, given, gather_seeds(_texts(seeds)), Path(store))


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are given indeed."""
    return {name: value for name, value in settings.items() if value is not AS_BEFORE}


def _texts(seeds: str | Iterable[str]) -> list[str]:
    """Seeds as a caller may give them: several, or one."""
    if isinstance(seeds, str):
        return [seeds]
    given = list(seeds) if isinstance(seeds, Iterable) else [seeds]
    for seed in given:
        if not isinstance(seed, str):
            raise SeedError(f"seeds are texts, URLs or names of files, not {seed!r}")
    return given
