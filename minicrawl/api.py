"""What a Python program calls: `crawl`, and `acrawl` for those that have an event loop."""

from __future__ import annotations  # for help that shows types as they are written here

import asyncio
import textwrap
import time as clock
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Never, TypeVar

from minicrawl.crawler.admission.seeds import gather_seeds
from minicrawl.crawler.run import crawl_with
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import CrawlReport, Progress
from minicrawl.settings import DEFAULT_STORE, SETTINGS, AsBefore, ConnectTo, CrawlSettings
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.timing import STANDARD, Timing

AS_BEFORE = AsBefore.AS_BEFORE
_Call = TypeVar("_Call", bound=Callable[..., object])


def _explained(call: _Call) -> _Call:
    """Write the type, meaning and default of every setting behind what a call says of itself."""
    lines = [(call.__doc__ or "").rstrip(), "", "    Settings:"]
    for name, setting in SETTINGS.items():
        kind = call.__annotations__[name].replace(" | AsBefore", "")
        about = f"{name} ({kind}): {setting.meaning} Default: {setting.shown or repr(setting.default)}."
        lines += textwrap.wrap(about, 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    call.__doc__ = "\n".join(lines)
    return call


@_explained
def crawl(  # noqa: PLR0913 - one per setting, so that help() shows each
    seeds: str | Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    pages: int | str | AsBefore | None = AS_BEFORE,
    time: float | str | AsBefore | None = AS_BEFORE,
    bytes: int | str | AsBefore | None = AS_BEFORE,
    until_coverage: float | str | AsBefore | None = AS_BEFORE,
    retry: str | Iterable[str] | AsBefore = AS_BEFORE,
    scope: str | AsBefore = AS_BEFORE,
    allow: str | Iterable[str] | AsBefore = AS_BEFORE,
    deny: str | Iterable[str] | AsBefore = AS_BEFORE,
    max_depth: int | str | AsBefore | None = AS_BEFORE,
    html_only: bool | AsBefore = AS_BEFORE,
    sitemaps: bool | AsBefore = AS_BEFORE,
    traps: bool | AsBefore = AS_BEFORE,
    keep_parameters: bool | AsBefore = AS_BEFORE,
    probe: bool | AsBefore = AS_BEFORE,
    merge_duplicates: bool | AsBefore = AS_BEFORE,
    delay: float | str | AsBefore = AS_BEFORE,
    ip_delay: float | str | AsBefore | None = AS_BEFORE,
    per_host: int | str | AsBefore = AS_BEFORE,
    concurrency: int | str | AsBefore = AS_BEFORE,
    workers: int | str | AsBefore = AS_BEFORE,
    ignore_robots: bool | AsBefore = AS_BEFORE,
    strategy: str | AsBefore = AS_BEFORE,
    history: str | AsBefore = AS_BEFORE,
    window: float | str | AsBefore = AS_BEFORE,
    discovery: float | str | AsBefore = AS_BEFORE,
    boost: str | Iterable[str] | AsBefore = AS_BEFORE,
    topic: str | AsBefore = AS_BEFORE,
    intrinsic_weight: float | str | AsBefore = AS_BEFORE,
    contact: str | AsBefore = AS_BEFORE,
    user_agent: str | AsBefore = AS_BEFORE,
    header: str | Iterable[str] | AsBefore = AS_BEFORE,
    proxy: str | AsBefore | None = AS_BEFORE,
    connect_to: str | ConnectTo | Iterable[str | ConnectTo] | AsBefore = AS_BEFORE,
    ca_file: str | Path | AsBefore | None = AS_BEFORE,
    allow_private: bool | AsBefore = AS_BEFORE,
    timeout: float | str | AsBefore = AS_BEFORE,
    max_size: int | str | AsBefore = AS_BEFORE,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
    **unknown: Never,
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
    return asyncio.run(_crawled(locals()))


@_explained
async def acrawl(  # noqa: PLR0913 - one per setting, so that help() shows each
    seeds: str | Iterable[str],
    store: str | Path = DEFAULT_STORE,
    *,
    pages: int | str | AsBefore | None = AS_BEFORE,
    time: float | str | AsBefore | None = AS_BEFORE,
    bytes: int | str | AsBefore | None = AS_BEFORE,
    until_coverage: float | str | AsBefore | None = AS_BEFORE,
    retry: str | Iterable[str] | AsBefore = AS_BEFORE,
    scope: str | AsBefore = AS_BEFORE,
    allow: str | Iterable[str] | AsBefore = AS_BEFORE,
    deny: str | Iterable[str] | AsBefore = AS_BEFORE,
    max_depth: int | str | AsBefore | None = AS_BEFORE,
    html_only: bool | AsBefore = AS_BEFORE,
    sitemaps: bool | AsBefore = AS_BEFORE,
    traps: bool | AsBefore = AS_BEFORE,
    keep_parameters: bool | AsBefore = AS_BEFORE,
    probe: bool | AsBefore = AS_BEFORE,
    merge_duplicates: bool | AsBefore = AS_BEFORE,
    delay: float | str | AsBefore = AS_BEFORE,
    ip_delay: float | str | AsBefore | None = AS_BEFORE,
    per_host: int | str | AsBefore = AS_BEFORE,
    concurrency: int | str | AsBefore = AS_BEFORE,
    workers: int | str | AsBefore = AS_BEFORE,
    ignore_robots: bool | AsBefore = AS_BEFORE,
    strategy: str | AsBefore = AS_BEFORE,
    history: str | AsBefore = AS_BEFORE,
    window: float | str | AsBefore = AS_BEFORE,
    discovery: float | str | AsBefore = AS_BEFORE,
    boost: str | Iterable[str] | AsBefore = AS_BEFORE,
    topic: str | AsBefore = AS_BEFORE,
    intrinsic_weight: float | str | AsBefore = AS_BEFORE,
    contact: str | AsBefore = AS_BEFORE,
    user_agent: str | AsBefore = AS_BEFORE,
    header: str | Iterable[str] | AsBefore = AS_BEFORE,
    proxy: str | AsBefore | None = AS_BEFORE,
    connect_to: str | ConnectTo | Iterable[str | ConnectTo] | AsBefore = AS_BEFORE,
    ca_file: str | Path | AsBefore | None = AS_BEFORE,
    allow_private: bool | AsBefore = AS_BEFORE,
    timeout: float | str | AsBefore = AS_BEFORE,
    max_size: int | str | AsBefore = AS_BEFORE,
    on_progress: Callable[[Progress], None] | None = None,
    transport: Any = None,
    handle_signals: bool = False,
    timing: Timing = STANDARD,
    sizes: Sizes = STANDARD_SIZES,
    **unknown: Never,
) -> CrawlReport:
    """`crawl` for programs that have an event loop; its arguments are explained there."""
    return await _crawled(locals())


async def _crawled(call: Mapping[str, Any]) -> CrawlReport:
    """What a call of `crawl` or `acrawl` with these arguments returns."""
    started, store = clock.monotonic(), call["store"]
    given = {name: call[name] for name in SETTINGS if call[name] is not AS_BEFORE} | call["unknown"]
    CrawlSettings.of(given)
    if not isinstance(store, str | Path):
        raise SettingError(f"store is the path of a file, not {store!r}")
    return await crawl_with(
        given,
        gather_seeds(_texts(call["seeds"])),
        Path(store),
        on_progress=call["on_progress"],
        transport=call["transport"],
        handle_signals=call["handle_signals"],
        started=started,
        timing=call["timing"],
        sizes=call["sizes"],
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
