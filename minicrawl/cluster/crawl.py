"""A run of a crawl in partitions: the counterpart of crawler/run.py."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any  # Any: settings as given

from minicrawl import log
from minicrawl.cluster.answers import whole
from minicrawl.cluster.keeper import NOBODY, Ended, Keeper, Listener
from minicrawl.cluster.ray import away, connected, placed
from minicrawl.cluster.settings import check_item_files, check_working, check_working_on_machines
from minicrawl.cluster.steering import Steering
from minicrawl.control.commands import answering
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.remembered_settings import Resumed, is_nameless, resumed
from minicrawl.crawler.run import Before, Start, check_settings, log_end
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import State
from minicrawl.store.database import hold
from minicrawl.store.partitions.folder import Folder, found, is_folder, made
from minicrawl.system import cores


async def crawl_partitions(  # noqa: PLR0913 - as `crawl_with`
    given: Mapping[str, Any],
    seeds: Seeds,
    store: Path,
    *,
    partitions: int | None,
    ray: str | None = None,
    forgotten: Iterable[str] = (),
    listener: Listener = NOBODY,
    handle_signals: bool = False,
    started: float,
) -> Ended:
    """Start a crawl in partitions, or resume the one in a folder. Raises ConfigError, SeedError, StoreError.

    given, forgotten: as for `crawl_with`. partitions: None: as in the folder. ray: address of a Ray cluster; None: as
    in the folder, or else this machine alone. started: start of the run by time.monotonic().
    """
    folder = found(store.absolute()) if is_folder(store) else None
    count = _count(folder, partitions, store)
    remembered = resumed({} if folder is None else folder.settings_in_full, given, tuple(forgotten))
    settings = remembered.settings
    await check_settings(settings, None)  # report wrong settings before a folder is made
    check_working(settings)
    if not seeds.urls and (folder is None or not folder.settings):  # which was killed at its birth
        raise SeedError(f"no seeds are given and {store} has no crawl yet; name a seed file or a URL")
    if folder is None:
        check_item_files(settings, count)
    address = ray if ray is not None or folder is None else folder.ray
    with connected(address, min(settings.workers or cores(), count)):
        if folder is None:
            folder = made(store.absolute(), count, ray, placed(count))
        elif ray not in (None, folder.ray):
            folder = folder.keep_ray(ray)
        if folder.nodes:
            check_working_on_machines(settings)
        lock = hold(folder.path / "crawl")  # crawl.lock
        try:
            return await _crawl(folder, remembered, seeds, listener, started, signals=handle_signals)
        finally:
            lock.release()


def _count(folder: Folder | None, partitions: int | None, store: Path) -> int:
    """The number of partitions. Raises SettingError."""
    if folder is None:
        if partitions is None:
            raise SettingError(f"there is no crawl in {store} yet; set the number of partitions with --partitions N")
        return partitions
    if partitions not in (None, folder.partitions):
        raise SettingError(
            f"the crawl in {store} has {folder.partitions} partitions, a fixed number; leave out --partitions, or name "
            "another folder with --store"
        )
    return folder.partitions


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
    return Before(status.known, status.read, status.states.get(State.WAITING, 0), stopped) if status.known else None
