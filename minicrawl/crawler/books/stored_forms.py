"""Check the values of `meta` and the JSON in columns, which SQLite does not."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, NotRequired, TypedDict  # Any: JSON

from msgspec import Meta, ValidationError, convert

from minicrawl.errors import SettingError
from minicrawl.model import Sums
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import damaged
from minicrawl.store.declaration import json_columns
from minicrawl.store.reader import Store

BANNED_HOSTS, ASKED_FIRST = "banned_hosts", "asked_first"
"""Keys for the names of banned hosts, and the numbers of pages that come before all others."""
EARLIER_RUNS = "earlier_runs"
"""Key for the sums of the runs before the last one."""
_Number = Annotated[float, Meta(ge=-1e300, le=1e300)]  # finite


class _Silence(TypedDict):
    since: _Number
    pause: _Number


class _Run(TypedDict):
    fetched: int
    bytes: int
    seconds: _Number
    in_flight: int
    errors: dict[str, int]
    coverage: tuple[_Number, _Number, _Number]
    refreshed: NotRequired[int | None]
    silence: NotRequired[_Silence | None]


class _Items(TypedDict):
    path: str
    size: int


class _Facts(TypedDict):
    h1s: int
    without_alt: int
    mixed: list[str]
    lacking: list[str]
    parts: NotRequired[str | None]
    to_parts: NotRequired[list[tuple[str, str]]]
    canonicals: NotRequired[list[str]]
    feeds: NotRequired[list[str]]
    shared: NotRequired[list[str]]
    no_urls: NotRequired[list[str]]


_META: dict[str, Any] = {
    **dict.fromkeys(("hash_key", "stopped", "jump", "cluster"), str),
    **dict.fromkeys(("virtual", "never_visited", "births", "carried", "partition", "partitions", "shared_out"), int),
    **dict.fromkeys(("voice_level", "shared_by", "links_left_out", "links_nofollow"), int),
    **dict.fromkeys(("sitemap_thirds", "is_ranked", "in_doubt"), int),
    "text_size": int,
    **dict.fromkeys(("clock", "window", "total", "discovery_credit"), _Number),
    **dict.fromkeys(("run_at", "asked_until", "refresh_price"), _Number),
}
_META_JSON: dict[str, Any] = {
    "settings": dict[str, object],
    "run": _Run,
    EARLIER_RUNS: dict[str, _Number],
    "sitemaps_left_out": dict[str, int],
    "refuted_canonicals": list[str],
    "items": _Items,
    "late_turns": tuple[_Number, _Number, _Number],
    "hook_errors": dict[str, int],
    BANNED_HOSTS: list[str],
    ASKED_FIRST: list[int],
}
_JSON: dict[tuple[str, str], Any] = {
    ("links", "too_deep"): list[str],
    ("links", "malformed"): list[str],
    ("fetches", "facts"): _Facts,
}


def banned_hosts(store: Store) -> list[str]:
    names: list[str] = json.loads(str(store.meta(BANNED_HOSTS) or "[]"))
    return names


def asked_first(store: Store) -> list[int]:
    """The pages that come before all others."""
    pages: list[int] = json.loads(str(store.meta(ASKED_FIRST) or "[]"))
    return pages


def earlier_runs(store: Store) -> Sums:
    """The sums of the runs before the last one."""
    kept = store.meta_json(EARLIER_RUNS)
    return Sums(**{name: kept[name] for name in Sums._fields if name in kept})


def kept_settings(store: Store) -> CrawlSettings:
    """The settings of the last run. Raises StoreError if they are invalid."""
    for what in wrong_settings(store):
        raise damaged(store.path, what)
    return CrawlSettings.from_json(store.settings)


def wrong_settings(store: Store) -> Iterator[str]:
    """Faults of the last run's settings. The next run can be given others: no reason to refuse."""
    try:
        CrawlSettings.from_json(store.settings)
    except SettingError as error:
        yield f"its settings are not valid: {error}"


def wrong_meta(store: Store) -> Iterator[str]:
    """One sentence per value of `meta` that is invalid."""
    for key, kind in _META.items():
        yield from _wrong(f"meta.{key}", store.meta(key), kind)
    for key, kind in _META_JSON.items():
        yield from _wrong(f"meta.{key}", store.meta(key), kind, is_json=True)


def wrong_texts(store: Store) -> Iterator[str]:
    """One sentence per invalid JSON in other tables."""
    for (table, column), kind in (_JSON | json_columns()).items():
        for text in store.soundness.texts(table, column):
            yield from _wrong(f"{column} in {table}", text, kind, is_json=True)


def _wrong(name: str, value: Any, kind: Any, *, is_json: bool = False) -> Iterator[str]:
    try:
        convert(json.loads(value) if is_json and value is not None else value, kind | None)
    except (ValidationError, ValueError, TypeError):
        yield f"{name} is {value!r:.60}, which is not valid"
