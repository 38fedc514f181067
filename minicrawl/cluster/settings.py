"""Settings that crawls in partitions support, and the settings of one partition.

All others would apply per partition, so they are refused.
"""

from dataclasses import replace
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.extract.item_file import check_item_file
from minicrawl.settings import SETTINGS, CrawlSettings, option

_HERE_ALONE = ("archive", "items", "cookie_file")
"""Settings supported on one machine only."""
_FOR_EVER = 3e9
"""Seconds, in place of infinity: 95 years."""


def check_working(settings: CrawlSettings) -> None:
    """Raise SettingError for settings that partitions do not support."""
    for name, setting in SETTINGS.items():
        if setting.is_alone and getattr(settings, name):
            wrong = f"{option(name)} does not work in partitions"
            raise SettingError(f"{wrong}; omit it, or crawl without --partitions")


def check_working_on_machines(settings: CrawlSettings) -> None:
    """Raise SettingError for settings that several machines do not support."""
    for name in _HERE_ALONE:
        if getattr(settings, name):
            raise SettingError(f"{option(name)} does not work on several machines; omit it")


def check_item_files(settings: CrawlSettings, partitions: int) -> None:
    """Raise SettingError if a file of items exists already: a new crawl must not append to it."""
    for number in range(partitions):
        check_item_file(_items_of(number, settings))


def settings_of(number: int, partitions: int, workers: int, settings: CrawlSettings) -> CrawlSettings:
    """The settings of one of `partitions` partitions in `workers` processes.

    The keeper enforces the limits of a run; partitions of a process share its part of the requests in flight. With a
    budget of pages or time, no partition waits for pages to be due.
    """
    has_budget = settings.pages is not None or settings.time is not None
    return replace(
        settings,
        concurrency=max(settings.concurrency // workers, 1),
        workers=0,
        pages=None,
        time=_FOR_EVER if has_budget else None,
        bytes=None,
        until_coverage=None,
        items=_items_of(number, settings),
    )


def _items_of(number: int, settings: CrawlSettings) -> str:
    """The item file of a partition: items.003.jsonl for items.jsonl."""
    if not settings.items:
        return ""
    path = Path(settings.items)
    return str(path.with_name(f"{path.stem}.{number:03}{path.suffix}"))
