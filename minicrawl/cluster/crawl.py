"""A run of a crawl in partitions: the counterpart of crawler/run.py."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any  # Any: settings as given

from minicrawl import log
from minicrawl.cluster.answers import whole
from minicrawl.cluster.keeper import Ended, Keeper, Listener
from minicrawl.cluster.partition import items_of
from minicrawl.cluster.ray import away, connected, placed
from minicrawl.cluster.steering import Steering
from minicrawl.control.commands import answering
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.remembered_settings import Resumed, is_nameless, resumed
from minicrawl.crawler.run import Before, Start, check_settings, log_end
from minicrawl.errors import SeedError, SettingError
from minicrawl.extract.item_file import check_item_file
from minicrawl.model import State
from minicrawl.setting import ALONE, ONE_MACHINE
from minicrawl.settings import SETTINGS, CrawlSettings, option
from minicrawl.settings.options import marked
from minicrawl.store.database import hold
from minicrawl.store.folder import Folder, found, is_folder, made
from minicrawl.system import cores


async def crawl_partitions(  # noqa: PLR0913 - as `crawl_with`
    given: Mapping[str, Any],
    seeds: Seeds,
    store: Path,
    *,
    partitions: int | None,
    ray: str | None = None,
    forgotten: Iterable[str] = (),
    listener: Listener,
    handle_signals: bool = False,
    started: float,
) -> Ended:
    """Start a crawl in partitions, or resume the one in a folder. Raises ConfigError, SeedError, StoreError.

    given, forgotten: as for `crawl_with`. partitions: None: as in the folder. ray: address of a Ray cluster; None: as
    in the folder, or else this machine alone. started: start of the run by time.monotonic().
    """
    folder = found(store.absolute()) if is_folder(store) else None
    count = partitions if folder is None else folder.partitions
    if count is None:
        raise SettingError(f"there is no crawl in {store} yet; set the number of partitions with --partitions N")
    if partitions not in (None, count):
        raise SettingError(
            f"the crawl in {store} has {count} partitions, a fixed number; leave out --partitions, or name another "
            "folder with --store"
        )
    remembered = resumed({} if folder is None else folder.settings_in_full, given, tuple(forgotten))
    settings = remembered.settings
    await check_settings(settings, None)  # report wrong settings before a folder is made
    check_working(settings)
    if not seeds.urls and (folder is None or not folder.settings):  # which was killed at its birth
        raise SeedError(f"you gave no seeds, and {store} has no crawl yet; name a seed file or a URL")
    for number in range(count if folder is None else 0):
        check_item_file(items_of(number, settings))  # a new crawl must not append to it
    address = ray if ray is not None or folder is None else folder.ray
    with connected(address, min(settings.workers or cores(), count)):
        if folder is None:
            folder = made(store.absolute(), count, ray, placed(count))
        elif ray not in (None, folder.ray):
            folder = folder.keep_ray(ray)
        for name in marked(ONE_MACHINE):
            if folder.nodes and getattr(settings, name):
                raise SettingError(f"{option(name)} does not work on several machines; omit it")
        with hold(folder.path / "crawl"):  # crawl.lock
            return await _crawl(folder, remembered, seeds, listener, started, signals=handle_signals)


def check_working(settings: CrawlSettings) -> None:
    """Raise SettingError for settings that partitions do not support, because they would apply to each."""
    for name, setting in SETTINGS.items():
        if ALONE in setting.marks and getattr(settings, name):
            raise SettingError(f"{option(name)} does not work in partitions; omit it, or crawl without --partitions")


async def _crawl(  # noqa: PLR0913 - a run, and its arguments
    folder: Folder, remembered: Resumed, seeds: Seeds, listener: Listener, started: float, *, signals: bool
) -> Ended:
    settings, is_new = remembered.settings, not folder.settings
    for name, numbers in away(folder).items():
        which = ", ".join(map(str, numbers))
        listener.warn(f"node {name} is down; the crawl waits for it and its partitions {which}")
    names_nobody = is_new and is_nameless(settings, seeds.urls)
    listener.on_start(Start(settings, remembered.changes, 0, names_nobody, seeds, _before(folder)))
    log.event("crawl-started", store=str(folder.path), seeds=len(seeds.urls), settings=settings.not_default())
    report: Ended | None = None
    try:
        keeper = Keeper(folder, settings, seeds, listener, started)
        async with answering(Steering(keeper).done, folder.path, listener.warn):
            report = await keeper.crawl(handle_signals=signals)
        return report
    finally:
        log_end(folder.path, report, time.monotonic() - started)


def _before(folder: Folder) -> Before | None:
    """None for a new crawl, and for one whose stores are on other machines."""
    if not folder.settings or folder.nodes:
        return None
    status, *_ = whole(folder.path)
    stopped = None if status.stopped == "killed" else status.stopped
    left_out, ill = status.unasked.known, status.unasked.ill
    waiting = status.states.get(State.WAITING, 0) - left_out
    return Before(status.known, status.read, waiting, stopped, left_out, ill) if status.known else None
