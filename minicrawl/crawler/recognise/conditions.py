"""When a page that was read may be requested on condition that it has changed, by what its server was found to say.

lie      the page has changed beyond its noise, and has the same validators
late     the page has changed, by other validators, and its last answer was a 304. Of an honest server that is chance: a
         change usually comes in answer to a condition. No date of the answer puts the change behind the 304
honest   the page has changed, has other validators, and the request was conditional

Evidence adds up to doubt, in pages and in their hosts. A page under suspicion is checked more often, one of a host that
was honest often enough more rarely. Of a host that was never honest, late answers count twice. A doubted page, or any
of a doubted host, is requested unconditionally, but for every eighth time: so a repaired server can prove it. A host is
doubted once it has lied on three pages more than it was honest.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple  # Any: JSON

from minicrawl.crawler.recognise.changes import Difference
from minicrawl.settings import CrawlSettings

_LINKS = ("scope", "allow", "deny", "max_depth", "keep_parameters", "topic", "max_size")
_CONTENT = (
    *("text", "search", "extract", "extract_rule", "extract_structured", "items", "hook", "render"),
    *("screenshots", "archive", "pdf", "respect_usage"),
)
_LEAVING_OUT = frozenset({"respect_usage"})
"""Settings without which more is taken."""


def needs(settings: CrawlSettings) -> dict[str, Any]:
    """The settings that say which links and what else is taken from a page, as JSON."""
    shown = settings.shown()
    found: dict[str, Any] = json.loads(json.dumps({name: shown[name] for name in (*_LINKS, *_CONTENT)}))
    return found  # with lists for tuples, to compare with those of the store


def needs_more(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """True if pages that were read by some `needs` must be read again: they may lack links, text or items."""
    differs = {name for name in now if now[name] != before.get(name)}
    asks_more = any(now[name] or (before.get(name) and name in _LEAVING_OUT) for name in differs)
    return asks_more or bool(differs.intersection(_LINKS))


class Evidence(NamedTuple):
    """Steps of the doubt in a page and in its host."""

    of_page: int
    of_host: int


LIE, LATE, HONEST = Evidence(2, 2), Evidence(1, 1), Evidence(-2, -1)
_DOUBTED, _MOST_DOUBT = 2, 4
_HOST_TRUSTED, _HOST_SUSPECTED, _HOST_DOUBTED, _MOST_HOST_DOUBT = -4, 2, 6, 12
_CHECKED, _HONEST_CHECKED, _TRUSTED_CHECKED, _SUSPECT_CHECKED = 11, 16, 32, 4
"""Every such request is unconditional."""
_PROBED = 8
"""Under doubt, every such request is conditional."""
_KNOWN, _MOST_REPEATS = 4, 15
"""Repeats by which a page's noise is known."""


def is_conditional(turn: int, repeats: int, of_page: int, of_host: int) -> bool:
    """True if a request is to have the page's validators. turn: of the page, counted from another number on each.
    repeats: see `repeated`. of_page, of_host: doubts."""
    if of_page >= _DOUBTED or of_host >= _HOST_DOUBTED:
        return turn % _PROBED == 0
    if 1 < repeats < _KNOWN:  # a lie or noise, which is another at the next fetch
        return False
    if of_page > 0 or of_host >= _HOST_SUSPECTED:
        return turn % _SUSPECT_CHECKED != 0
    if of_host >= 0:
        return turn % _CHECKED != 0
    return turn % (_TRUSTED_CHECKED if of_host <= _HOST_TRUSTED else _HONEST_CHECKED) != 0


def evidence(
    found: Difference, repeats: int, *, is_same: bool, was_conditional: bool, after_304: bool
) -> Evidence | None:
    """What a full answer proves. repeats: as of the answer before. is_same: it has the same validators. after_304: the
    answer before was a 304, and no date puts the change behind it."""
    if is_same:
        return LIE if found.is_change and found.is_certain and repeats >= _KNOWN else None
    if not found.differs:
        return None
    if was_conditional:
        return HONEST
    return LATE if after_304 else None


def repeated(repeats: int, found: Difference, *, is_same: bool) -> int:
    """Full answers in a row under the same validators; one with the same blocks, which shows no noise, counts for
    many."""
    return min(repeats + (1 if found.differs else _KNOWN), _MOST_REPEATS) if is_same else 1


def page_doubt(doubt: int, proof: Evidence | None) -> int:
    """The doubt in a page after an answer."""
    return doubt if proof is None else max(min(doubt + proof.of_page, _MOST_DOUBT), 0)


def host_doubt(doubt: int, proof: Evidence | None, of_page: int) -> int:
    """The doubt in a host after an answer. of_page: doubt in the page before; a doubted page has been counted."""
    if proof is None or (of_page >= _DOUBTED and proof is not HONEST):
        return doubt
    step = 2 * proof.of_host if proof is LATE and doubt >= 0 else proof.of_host
    return max(min(doubt + step, _MOST_HOST_DOUBT), _HOST_TRUSTED)
