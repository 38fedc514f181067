"""A run of a crawl in partitions, on one machine or several: the counterpart of crawler/run.py."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

from minicrawl import log
from minicrawl.cluster.answers import whole
from minicrawl.cluster.folder import Folder, found, found_or_made
from minicrawl.cluster.running.keeper import Ended, Keeper, Listener
from minicrawl.cluster.running.processes import wait_for_orphans
from minicrawl.cluster.running.steering import Steering
from minicrawl.cluster.settings import check_item_files, check_working, check_working_on_machines
from minicrawl.control.commands import answering
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.remembered_settings import is_nameless, resumed
from minicrawl.crawler.run import Before, Start, archives_of, check_settings, log_end
from minicrawl.errors import SeedError, SettingError
from minicrawl.model import State
from minicrawl.store.partitions.folder import is_folder, taken

if TYPE_CHECKING:
    from minicrawl.cluster.machines.ray import Nodes


@dataclass(frozen=True)
class Callbacks:
    """Callbacks of a run. on_start: before the first request; warn: with a sentence; listener: see Keeper."""

    on_start: Callable[[Start], None] | None = None
    warn: Callable[[str], None] = lambda sentence: None
    listener: Listener = field(default_factory=Listener)


async def crawl_partitions(  # noqa: PLR0913 - as `crawl_with`
    given: Mapping[str, Any],
    seeds: Seeds,
    store: Path,
    *,
    partitions: int | None,
    ray: str | None = None,
    forgotten: Iterable[str] = (),
    callbacks: Callbacks = Callbacks(),
    handle_signals: bool = False,
    started: float,
) -> Ended:
    """Start a crawl in partitions, or resume the one in a folder. Raises ConfigError, SeedError, StoreError.

    given, forgotten: as for `crawl_with`. partitions: None: as in the folder. ray: address of the Ray cluster for a new
    crawl on several machines. started: start of the run by time.monotonic().
    """
    forgotten = tuple(forgotten)
    remembered = resumed({}, given, forgotten)
    await check_settings(remembered.settings, None)
    if partitions is not None:  # report wrong settings before a folder is made
        check_working(remembered.settings, partitions)
    if not is_folder(store):
        if not seeds.urls:
            raise _seedless(store)
        check_item_files(remembered.settings, partitions or 0)
    with _nodes(store, ray) as nodes:
        folder = found_or_made(store, partitions) if nodes is None else found_or_made(store, partitions, nodes.make)
        if nodes is not None:
            folder = replace(folder, path=store.absolute())
            if ray is not None and ray != folder.ray:
                folder = folder.keep_ray(ray)
        with taken(folder.path):
            return await _crawl(folder, nodes, given, seeds, forgotten, callbacks, started, signals=handle_signals)


def _seedless(store: Path) -> SeedError:
    return SeedError(f"no seeds are given and {store} has no crawl yet; name a seed file or a URL")


@contextmanager
def _nodes(store: Path, ray: str | None) -> "Iterator[Nodes | None]":
    """Connect to the nodes of a crawl; None if this machine has all partitions. Raises SettingError, StoreError."""
    folder = found(store) if is_folder(store) else None
    if folder is not None and folder.ray is None and ray is not None:
        raise SettingError(f"the crawl in {store} is on this machine alone, and stays there; leave out --ray")
    address = ray or (None if folder is None else folder.ray)
    if address is None:
        yield None
        return
    from minicrawl.cluster.machines.ray import connected  # noqa: PLC0415 - an extra

    with connected(address) as nodes:
        yield nodes


async def _crawl(  # noqa: PLR0913 - a run, and its arguments
    folder: Folder,
    nodes: "Nodes | None",
    given: Mapping[str, Any],
    seeds: Seeds,
    forgotten: tuple[str, ...],
    callbacks: Callbacks,
    started: float,
    *,
    signals: bool,
) -> Ended:
    await wait_for_orphans(folder)
    if not (seeds.urls or folder.begun):  # killed before it had a store
        raise _seedless(folder.path)
    is_new = not folder.settings
    remembered = resumed(folder.settings_in_full, given, forgotten)
    settings = remembered.settings
    check_working(settings, folder.homes.partitions)
    if not is_new:
        await check_settings(settings, None)
    if nodes is not None:
        check_working_on_machines(settings)
        nodes.check_agreement(folder)
        for name, numbers in _away(nodes, folder).items():
            callbacks.warn(f"node {name} is away, and the crawl waits for it, with partitions {numbers}")
    if callbacks.on_start is not None:
        names_nobody = is_new and not settings.from_archive and is_nameless(settings, seeds.urls)
        before = _before(folder)
        callbacks.on_start(Start(settings, remembered.changes, 0, names_nobody, seeds, before))
    folder.keep_settings(settings)
    log.event("crawl-started", store=str(folder.path), seeds=len(seeds.urls), settings=settings.not_default())
    report: Ended | None = None
    machines = None if nodes is None else nodes.machines(folder, settings.workers)
    keeper = Keeper(folder, settings, seeds, callbacks.listener, started=started, machines=machines)
    try:
        with archives_of(settings) as keeper.replayed:
            async with answering(Steering(keeper).done, folder.path, callbacks.warn):
                report = await keeper.crawl(handle_signals=signals)
        return report
    finally:
        log_end(folder.path, report, time.monotonic() - started)


def _before(folder: Folder) -> Before | None:
    """None for a new crawl, and for one whose stores are on other machines."""
    if not folder.begun or folder.machines:
        return None
    status, *_ = whole(folder.path)
    stopped = None if status.stopped == "killed" else status.stopped
    return Before(status.known, status.read, status.states.get(State.WAITING, 0), stopped) if status.known else None


def _away(nodes: "Nodes", folder: Folder) -> Mapping[str, str]:
    """Unreachable nodes, each with its partitions as text."""
    numbers: dict[str, str] = {}
    for number, name in nodes.away(folder):
        numbers[name] = f"{numbers[name]}, {number}" if name in numbers else str(number)
    return numbers
