"""Check the values of `meta` and the JSON in columns, which SQLite does not.

A shape describes a valid value: a type; [shape], a list of any length; (shape, shape), a list of that length;
{str: shape}, an object of any names; {"name": shape}, an object with these names.
"""

import json
import math
from collections.abc import Iterator
from typing import Any  # Any: JSON

from minicrawl.errors import SettingError
from minicrawl.model import Sums
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import damaged
from minicrawl.store.reader import Store

BANNED_HOSTS, ASKED_FIRST = "banned_hosts", "asked_first"
"""Keys for the names of banned hosts, and the numbers of pages that come before all others."""
EARLIER_RUNS = "earlier_runs"
"""Key for the sums of the runs before the last one."""
_NUMBER = int | float
_SHARES = (_NUMBER, _NUMBER)
_RUN = {"fetched": int, "bytes": int, "seconds": _NUMBER, "in_flight": int, "errors": {str: int}, "coverage": _SHARES}
_OF_RUN = {"refreshed": int, "silence": {"since": _NUMBER, "pause": _NUMBER}}

_META: dict[str, Any] = {
    **dict.fromkeys(("hash_key", "stopped", "jump", "cluster"), str),
    **dict.fromkeys(("virtual", "never_visited", "births", "carried", "partition", "partitions"), int),
    **dict.fromkeys(("links_left_out", "sitemap_thirds"), int),
    **dict.fromkeys(("shared_out", "voice_level", "is_ranked", "in_doubt", "text_size", "text_made"), int),
    **dict.fromkeys(("refresh_noted", "refresh_looked_at"), int),
    **dict.fromkeys(("clock", "window"), _NUMBER),
    **dict.fromkeys(("best_floor", "total", "discovery_credit"), _NUMBER),
    **dict.fromkeys(("run_at", "asked_until"), _NUMBER),
    **dict.fromkeys(("refresh_price", "refresh_first_rate", "refresh_information"), _NUMBER),
}
_META_JSON: dict[str, Any] = {
    "settings": {str: object},
    "run": _RUN,
    EARLIER_RUNS: {"runs": int, "fetched": int, "bytes": int, "seconds": _NUMBER},
    "sitemaps_left_out": {str: int},
    "refuted_canonicals": [str],
    "items": {"path": str, "size": int},
    "hook_errors": {str: int},
    BANNED_HOSTS: [str],
    ASKED_FIRST: [int],
}
_JSON: dict[tuple[str, str], Any] = {
    ("patterns", "seen"): [str | int],
    ("patterns", "counting"): (int, int, int, {str: (int, int)}, [int]),
    ("parameters", "signs"): [(str, int)],
    ("links", "too_deep"): [str],
    ("links", "malformed"): [str],
    ("fetches", "facts"): {"h1s": int, "without_alt": int, "mixed": [str], "lacking": [str]},
}


def banned_hosts(store: Store) -> list[str]:
    """The names of the banned hosts."""
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
        yield f"its settings cannot be meant: {error}"


def wrong_meta(store: Store) -> Iterator[str]:
    """One sentence per value of `meta` that is invalid."""
    for key, shape in _META.items():
        if not _fits(value := store.meta(key), shape | None):
            yield _wrong(f"meta.{key}", value)
    for key, shape in _META_JSON.items():
        if not _is_json(value := store.meta(key), shape):
            yield _wrong(f"meta.{key}", value)
            return
    run = store.meta_json("run")
    for name, shape in _OF_RUN.items():
        if run.get(name) is not None and not _fits(run[name], shape):
            yield _wrong(f"{name} in meta.run", run[name])


def wrong_texts(store: Store) -> Iterator[str]:
    """One sentence per invalid JSON in other tables."""
    for (table, column), shape in _JSON.items():
        for text in store.soundness.texts(table, column):
            if not _is_json(text, shape):
                yield _wrong(f"{column} in {table}", text)


def _wrong(name: str, value: object) -> str:
    return f"{name} is {value!r:.60}, which cannot be meant"


def _is_json(text: object, shape: Any) -> bool:
    """True if a text is JSON of a shape; for None, too: there is nothing to read."""
    if text is None:
        return True
    try:
        return isinstance(text, str) and _fits(json.loads(text), shape)
    except ValueError:
        return False


def _fits(value: object, shape: Any) -> bool:
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(one, shape[0]) for one in value)
    if isinstance(shape, tuple):
        return isinstance(value, list) and len(value) == len(shape) and all(map(_fits, value, shape))
    if isinstance(shape, dict) and str in shape:
        return isinstance(value, dict) and all(_fits(one, shape[str]) for one in value.values())
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(name in value and _fits(value[name], one) for name, one in shape.items())
    return isinstance(value, shape) and not (isinstance(value, float) and not math.isfinite(value))
