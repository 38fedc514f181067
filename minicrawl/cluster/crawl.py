"""A run of a crawl in partitions, on this machine: what crawler/run.py does for a crawl in one process."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any  # Any: settings as given

from minicrawl.cluster.folder import found_or_made, make_here
from minicrawl.cluster.running.keeper import Ended, Keeper, Listener
from minicrawl.cluster.running.processes import wait_for_orphans
from minicrawl.cluster.running.steering import Steering
from minicrawl.cluster.settings import check_item_files, check_working
from minicrawl.control.listening import answering
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.contact import is_nameless
from minicrawl.crawler.outcomes.reasons import AskedAgain
from minicrawl.crawler.remembered_settings import resumed
from minicrawl.crawler.run import Start, check_settings
from minicrawl.errors import SeedError


def is_folder(store: Path) -> bool:
    """Whether a store is the folder of a crawl in partitions."""
    return (store / "cluster.json").is_file()


@dataclass(frozen=True)
class Callbacks:
    """Callbacks of a run. on_start: before the first request. on_deaf: with the reason why the crawl cannot be steered.

    listener: deaths of processes, and the progress.
    """

    on_start: Callable[[Start], None] | None = None
    on_deaf: Callable[[str], None] = lambda why: None
    listener: Listener = field(default_factory=Listener)


async def crawl_partitions(  # noqa: PLR0913 - as `crawl_with`
    given: Mapping[str, Any],
    seeds: Seeds,
    store: Path,
    *,
    partitions: int | None,
    forgotten: Iterable[str] = (),
    callbacks: Callbacks = Callbacks(),
    handle_signals: bool = False,
    started: float,
) -> Ended:
    """Begin a crawl in partitions, or go on with the one in a folder. Raises ConfigError, SeedError, StoreError.

    given, forgotten: as `crawl_with` takes them. partitions: None for those of the folder. started: when the time of
    the run began, by time.monotonic().
    """
    forgotten = tuple(forgotten)
    remembered = resumed({}, given, forgotten)
    await check_settings(remembered.settings, None)
    if partitions is not None:  # wrong settings are reported before there is a folder
        check_working(remembered.settings, partitions)
    if not is_folder(store):
        if not seeds.urls:
            raise SeedError(f"no seeds are given and {store} has no crawl yet; name a seed file or a URL")
        check_item_files(remembered.settings, partitions or 0)
    folder = found_or_made(store, partitions, make_here)
    await wait_for_orphans(folder)
    is_new = not folder.settings
    remembered = resumed(folder.settings_in_full, given, forgotten)
    settings = remembered.settings
    check_working(settings, folder.homes.partitions)
    if callbacks.on_start is not None:
        asks_for_contact = is_new and is_nameless(settings, seeds.urls)
        callbacks.on_start(Start(settings, remembered.changes, AskedAgain(0), asks_for_contact))
    folder.keep_settings(settings)
    keeper = Keeper(folder, settings, seeds, callbacks.listener, started=started)
    async with answering(Steering(keeper).done, store, callbacks.on_deaf):
        return await keeper.crawl(handle_signals=handle_signals)
