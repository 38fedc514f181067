"""When a page that was read may be requested on condition that it has changed."""

import json
from collections.abc import Mapping
from typing import Any  # Any: JSON

from minicrawl.settings import CrawlSettings

_LINKS = ("scope", "allow", "deny", "max_depth", "host_max_depth", "html_only", "keep_parameters", "topic", "max_size")
_CONTENT = (
    *("text", "search", "extract", "extract_rule", "extract_structured", "items", "hook", "render", "render_pages"),
    *("archive", "archive_types", "archive_noarchive"),
)


def needs(settings: CrawlSettings) -> dict[str, Any]:
    """The settings that say which links and what else is taken from a page, as JSON."""
    shown = settings.shown()
    found: dict[str, Any] = json.loads(json.dumps({name: shown[name] for name in (*_LINKS, *_CONTENT)}))
    return found  # with lists for tuples, to compare with those of the store


def needs_more(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """True if pages that were read by some `needs` must be read again: they may lack links, text or items."""
    differs = {name for name in now if now[name] != before.get(name)}
    return bool(differs.intersection(_LINKS)) or any(now[name] for name in differs)
