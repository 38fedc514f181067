"""What a Python program calls: `crawl`, and `acrawl` for those that have an event loop."""

from __future__ import annotations  # for help that shows types as they are written here

import asyncio
import inspect
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, Unpack

from minicrawl.crawler.admission.seeds import gather_seeds
from minicrawl.crawler.run import crawl_with
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport, Progress
from minicrawl.settings import DEFAULT_STORE, SETTINGS, AsBefore, CrawlSettings
from minicrawl.settings.given import GivenSettings
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.timing import STANDARD, Timing

AS_BEFORE = AsBefore.AS_BEFORE
_Call = TypeVar("_Call", bound=Callable[..., object])


def _explained(call: _Call) -> _Call:
    """Let help() show every setting that a call takes: its type, its meaning and its default."""
    types = {name: kind.__forward_arg__ for name, kind in GivenSettings.__annotations__.items()}
    lines = [(call.__doc__ or "").rstrip(), "", "    Settings:"]
    for name, setting in SETTINGS.items():
        kind = types[name].replace(" | AsBefore", "")
        about = f"{name} ({kind}): {setting.meaning} Default: {setting.shown or repr(setting.default)}."
        lines += textwrap.wrap(about, 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    call.__doc__ = "\n".join(lines)
    signature, by_name = inspect.signature(call), inspect.Parameter.KEYWORD_ONLY
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "settings"]
    given = [inspect.Parameter(name, by_name, default=AS_BEFORE, annotation=types[name]) for name in SETTINGS]
    in_order = sorted([*given, *own], key=lambda parameter: parameter.kind)
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
    given = {name: value for name, value in settings.items() if value is not AS_BEFORE}
    CrawlSettings.of(given)
    if not isinstance(store, str | Path):
        raise SettingError(f"store is the path of a file, not {store!r}")
    return await crawl_with(
        given,
        gather_seeds(_texts(seeds)),
        Path(store),
        on_progress=on_progress,
        transport=transport,
        handle_signals=handle_signals,
        started=started,
        timing=timing,
        sizes=sizes,
    )


def _texts(seeds: str | Iterable[str]) -> list[str]:
    """Seeds as a caller may give them: several, or one."""
    if isinstance(seeds, str):
        return [seeds]
    given = list(seeds) if isinstance(seeds, Iterable) else [seeds]
    for seed in given:
        if not isinstance(seed, str):
            raise SeedError(f"seeds are texts, URLs or names of files, not {seed!r}")
    return given
