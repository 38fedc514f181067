"""Settings that crawls in partitions support, and the settings of one partition.

All others would apply per partition, so they are refused.
"""

from dataclasses import replace
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.extract.item_file import check_item_file
from minicrawl.settings import SETTINGS, CrawlSettings, option
from minicrawl.system import cores, has_local_sockets, passes_sockets

WORKING = (
    *("pages", "time", "bytes", "until_coverage", "host_pages", "max_depth"),
    *("scope", "allow", "deny", "html_only", "sitemaps", "traps", "keep_parameters", "probe", "surfer", "jump"),
    *("delay", "host_delay", "ip_delay", "per_host", "concurrency", "ignore_robots", "respect_usage"),
    *("contact", "user_agent", "header", "proxy", "connect_to", "ca_file", "allow_private", "timeout", "max_size"),
    *("sign", "signature_agent"),
    *("refresh", "refresh_min", "refresh_rule", "recrawl_after", "discovery"),
    *("boost", "topic", "strategy", "retry"),
    *("auth", "netrc", "client_cert", "cookies", "cookie_file"),
    *("extract", "extract_rule", "extract_structured", "items", "hook", "hook_timeout", "hook_network"),
    *("search", "workers"),
    *("text", "audit", "archive", "archive_size", "archive_types", "archive_noarchive", "from_archive"),
    *("dedup", "merge_duplicates"),
    *("requisites", "requisites_bytes"),
    *("render", "chromium", "render_timeout", "screenshots", "pdf"),
)
"""Supported settings; all others must have their defaults."""
_HERE_ALONE = ("archive", "from_archive", "items", "search", "cookie_file")
"""Settings supported on one machine only."""
_FOR_EVER = 1e11
"""Seconds, in place of infinity."""


def refusal(name: str) -> SettingError:
    """The error for a setting that partitions do not support."""
    return SettingError(f"{option(name)} does not work in partitions yet; leave it out, or crawl without --partitions")


def check_working(settings: CrawlSettings, partitions: int) -> None:
    """Raise SettingError for settings that `partitions` partitions do not support."""
    if not (passes_sockets() and has_local_sockets()):
        raise SettingError("partitions need Linux or macOS; leave out --partitions here")
    for name, setting in SETTINGS.items():
        if name not in WORKING and getattr(settings, name) != setting.of(setting.default):
            raise refusal(name)
    workers = workers_of(settings, partitions)
    if settings.concurrency < workers:
        raise SettingError(
            f"--concurrency {settings.concurrency} is less than one request for each of {workers} processes; "
            "give more of it, or fewer --workers"
        )


def workers_of(settings: CrawlSettings, partitions: int) -> int:
    """Number of processes on this machine for `partitions` partitions: one a core unless it is set."""
    return min(settings.workers or cores(), partitions)


def check_working_on_machines(settings: CrawlSettings) -> None:
    """Raise SettingError for settings that several machines do not support."""
    for name in _HERE_ALONE:
        if getattr(settings, name):
            raise SettingError(f"{option(name)} does not work on several machines yet; leave it out")


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
        requisites_bytes=settings.requisites_bytes and max(settings.requisites_bytes // partitions, 1),
    )


def _items_of(number: int, settings: CrawlSettings) -> str:
    """The item file of a partition: items.003.jsonl for items.jsonl."""
    if not settings.items:
        return ""
    path = Path(settings.items)
    return str(path.with_name(f"{path.stem}.{number:03}{path.suffix}"))
