"""Filter of pages by state, status, reason, site, host, depth, content type, words, or an expression."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.crawler.urls.keys import is_on
from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage
from minicrawl.store.select.selection import Condition

_CLASS = re.compile(r"([1-5])xx")
_REASON = re.compile(r"[a-z0-9*-]+")
_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
_DEPTH = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?")


@dataclass(frozen=True)
class PageFilter:
    """A user's filter: a page is wanted if it matches a word of each field given.

    Words are separated by commas, except in `words` and `where`. reason: also `redirect-*`; content_type: also
    `text/*`; status: 404, 4xx, none; site: hosts or domains above; host: just these; depth: 2, 1-3, 4-; words: all of
    them stand in the URL or the title; where: see `minicrawl.store.select.expression`.
    """

    state: str | None = None
    status: str | None = None
    reason: str | None = None
    site: str | None = None
    depth: str | None = None
    content_type: str | None = None
    where: str | None = None
    host: str | None = None
    words: str | None = None

    @property
    def is_about_outcomes(self) -> bool:
        """True if the filter is about outcomes, so that unread pages are wanted, too."""
        return bool(self.state or self.status or self.reason or self.where)


def wanted(store: Store, asked: PageFilter) -> npt.NDArray[np.bool_]:
    """True for each wanted page, by number, shape (size,). Raises SettingError, StoreError."""
    conditions = list(_conditions(store, asked))
    found = store.selection.by(conditions) if conditions else np.ones(store.size(), dtype=np.bool_)
    return found & store.selection.where(asked.where) if asked.where is not None else found


def best_wanted(
    store: Store, asked: PageFilter, n: int, importance: npt.NDArray[np.float64] | None = None
) -> tuple[int, list[RankedPage]]:
    """Number of wanted pages, and the n most important ones with their ranks among all pages. importance: of every
    page by number; None: it is read. Raises SettingError, StoreError."""
    with store.snapshot():
        is_wanted = wanted(store, asked)
        order = np.argsort(-(store.ranks.importance() if importance is None else importance), kind="stable")
        places = np.flatnonzero(is_wanted[order])
        best = places[:n]
        rows = store.ranks.rows(order[best].tolist())
    return len(places), [rows[int(order[place])]._replace(rank=place + 1) for place in best.tolist()]


def _conditions(store: Store, asked: PageFilter) -> Iterator[Condition]:
    parts: dict[str, Callable[[str], Condition]] = {
        "state": _state,
        "status": _status,
        "reason": _reason,
        "site": lambda word: _site(store, word),
        "host": lambda word: Condition("host IN (SELECT id FROM hosts WHERE name = ?)", [word]),
        "depth": _depth,
        "content_type": _content_type,
    }
    for name, of_word in parts.items():
        text: str | None = getattr(asked, name)
        if text is not None:
            yield _any([of_word(word.strip().lower()) for word in text.split(",")])
    yield from map(_holds, (asked.words or "").split())


def _any(conditions: Sequence[Condition]) -> Condition:
    """The disjunction of some conditions."""
    values = [value for each in conditions for value in each.values]
    return Condition(" OR ".join(each.sql for each in conditions), values)


def _state(word: str) -> Condition:
    if word not in list(State):
        raise _refused("--state", f"one of {', '.join(State)}", word)
    return Condition("state = ?", [word])


def _status(word: str) -> Condition:
    if word == "none":
        return Condition("status IS NULL", [])
    if found := _CLASS.fullmatch(word):
        return Condition("status / 100 = ?", [int(found[1])])
    if not (word.isascii() and word.isdecimal() and len(word) == 3 and int(word) >= 100):
        raise _refused("--status", "a status (404), a class (4xx), or none", word)
    return Condition("status = ?", [int(word)])


def _reason(word: str) -> Condition:
    if not _REASON.fullmatch(word) or ("*" not in word and meaning(word) is None):
        raise _refused("--reason", "a reason code as 'minicrawl status' has them, or redirect-* for all such", word)
    return Condition("reason GLOB ?", [word])


def _site(store: Store, word: str) -> Condition:
    hosts = [host.name for host in store.hosts.all() if is_on(host.name, word)]
    if not hosts:
        raise SettingError(f"--site takes a domain or a host of which a page is known to this crawl, not {word!r}")
    by_name = "host IN (SELECT id FROM hosts WHERE name IN (SELECT value FROM json_each(?)))"
    return Condition(by_name, [json.dumps(hosts)])


def _depth(word: str) -> Condition:
    found = _DEPTH.fullmatch(word)
    if found is None:
        raise _refused("--depth", "how many links from a seed: 2, 1-3, or 4- for that and more", word)
    least, is_range, most = int(found[1]), found[2], found[3]
    if not is_range:
        return Condition("depth = ?", [least])
    return Condition("depth BETWEEN ? AND ?", [least, int(most) if most else 2**31])


def _content_type(word: str) -> Condition:
    if not _TYPE.fullmatch(word):
        raise _refused("--content-type", "a type such as text/html, or text/* for all that begin so", word)
    return Condition("lower(trim(substr(content_type, 1, instr(content_type || ';', ';') - 1))) GLOB ?", [word])


def _holds(word: str) -> Condition:
    pattern = "%" + re.sub(r"([%_\\])", r"\\\1", word) + "%"
    return Condition("url LIKE ? ESCAPE '\\' OR title LIKE ? ESCAPE '\\'", [pattern, pattern])


def _refused(option: str, takes: str, word: str) -> SettingError:
    return SettingError(f"{option} takes {takes}; not {word!r}")
