"""A crawl that nobody runs, changed in its store: what a running one can be asked for that outlives it."""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar  # Any: JSON

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.books.audit import damage_as_store_error
from minicrawl.crawler.changes import adjusted
from minicrawl.crawler.run import Run, opened
from minicrawl.errors import SettingError, StoreError
from minicrawl.events import SettingChanged
from minicrawl.settings import SETTINGS, CrawlSettings, lasting, option
from minicrawl.store.writer import Writer

_T = TypeVar("_T")


class RestingCrawl:
    """Each call takes the store's lock, lets those change the store who would while a crawl runs, and commits.

    Raises StoreError also when a crawl runs after all.
    """

    def __init__(self, store: Path) -> None:
        if not store.exists():
            raise StoreError(f"there is no crawl at {store} yet; run 'minicrawl crawl SEEDS --store {store}' first")
        self._store = store

    async def change_settings(self, given: Mapping[str, Any]) -> tuple[SettingChanged, ...]:
        for name in given:
            if name in SETTINGS and SETTINGS[name].is_for_one_run:
                raise SettingError(
                    f"no crawl runs on {self._store}, and {option(name)} is for one run: give it to 'minicrawl crawl'"
                )
        return self._changed(lambda run, now: run.changes.adjust(adjusted(run.changes.settings, given), now))

    async def take_seeds(self, seeds: Seeds) -> int:
        return self._changed(lambda run, now: run.changes.add_seeds(seeds, now))

    async def ban(self, host: str) -> str:
        return self._changed(lambda run, now: run.changes.ban(host, now))

    async def unban(self, host: str) -> str:
        return self._changed(lambda run, now: run.changes.unban(host, now))

    async def again(self, url: str) -> str:
        return self._changed(lambda run, now: run.changes.ask_again(url, now))

    def _changed(self, change: Callable[[Run, float], _T]) -> _T:
        with damage_as_store_error(self._store), closing(Writer(self._store)) as writer:
            run = opened(CrawlSettings(**lasting(writer.settings)), Seeds([]), writer)
            absorber, now = run.absorber, run.clock()
            absorber.start([], now)
            result = change(run, now)
            is_ranked = bool(writer.meta("is_ranked"))
            if is_ranked:
                absorber.settling.settle_fully()
            absorber.commit({}, ranks=is_ranked)
        return result
