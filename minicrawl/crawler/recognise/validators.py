"""When a page that was read may be requested on condition that it has changed, by what its server was found to say.

A server lies if a page has changed beyond its noise and has the same validators, and is honest if they are others and
the request was conditional. After a lie, a page is in doubt until its server is honest; so is every page of a host
that lied on three more pages than it was honest on.
"""

import json
from typing import Any  # Any: JSON

from minicrawl.crawler.recognise.changes import Difference
from minicrawl.setting import REREADS
from minicrawl.settings import CrawlSettings
from minicrawl.settings.options import marked


def needs(settings: CrawlSettings) -> dict[str, Any]:
    """The settings that decide what is read from a page, as JSON. If they change, all pages are read again."""
    shown = settings.shown()
    found: dict[str, Any] = json.loads(json.dumps({name: shown[name] for name in sorted(marked(REREADS))}))
    return found  # with lists for tuples, to compare with those of the store


_CHECKED, _PROBED = 11, 8
_LIES = 3
"""Lies from which on a host is doubted."""
_TRUSTED, _SUSPECT, LIED = range(3)
"""Doubts in a page. A suspect has other lines under the same validators, which may be noise."""


def is_conditional(turn: int, of_page: int, of_host: int) -> bool:
    """True if a request is to have the page's validators. turn: of the page, counted from another number on each.
    of_page, of_host: doubts."""
    if of_page or of_host >= _LIES:
        return turn % _PROBED == 0
    return turn % _CHECKED != 0


def page_doubt(doubt: int, found: Difference, *, is_same: bool, was_conditional: bool) -> int:
    """The doubt in a page after a full answer. is_same: it has the same validators."""
    if not is_same:
        return _TRUSTED if found.differs and was_conditional else doubt
    if found.is_change and found.is_certain:
        return LIED
    return max(doubt, _SUSPECT * (not found.is_certain)) if doubt == LIED or not found.is_certain else _TRUSTED


def host_doubt(doubt: int, of_page: int, now: int, *, was_conditional: bool) -> int:
    """The doubt in a host after an answer that has changed the doubt in a page."""
    if now == LIED:
        return doubt + (of_page != LIED)
    return max(doubt - 1, 0) if now == _TRUSTED and was_conditional else doubt
