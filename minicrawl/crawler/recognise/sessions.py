"""Find session parameters: those that identify the visitor and change nothing.

Where a page has the content of another page of its host, one of its parameters may be to blame: a token that every
answer makes up anew. So the page is fetched once more without it, in a turn of the host. The same content is a sign;
other content, or a redirect elsewhere, means that the parameter matters, and it is left alone.

Four signs make a session of a parameter, for the URLs of one pattern (traps.py), with four values, so that a default
that may be left out (?page=1) is none. Three of them must be pages that were news when they were read: pages beyond the
last (?page=99), which a host answers with the first, do not speak for those before, nor does the one that says "nothing
found" for a search. Where there is no such page, as the pattern has only ever had one content, or as they are
forgotten after a restart and it has no new content, six signs will do. A session parameter in two patterns of a host
is one in any other with one sign, as a parameter may matter in one folder only; once the host has been probed often
enough, in all of them. So is one with four signs in all patterns of a host together that matters in none: where every
page is a pattern by itself, no pattern would ever have four. Once there is a sign on a host, pages that were news are
probed first elsewhere: they would show that the parameter matters.

Links are then known without the parameter, and pages known with it stand for those without.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from minicrawl.crawler.admission.traps.traps import Novelty
from minicrawl.crawler.admission.traps.url_patterns import pattern_of
from minicrawl.crawler.outcomes.outcome import is_transient
from minicrawl.crawler.urls.keys import origin_of, politeness_key
from minicrawl.crawler.urls.parameters import with_outlinks
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.rows import ParameterRow
from minicrawl.store.writer import Writer

SIGNS = 4
NEWS = 3
"""Signs that must be pages that were news."""
SIGNS_WITHOUT_NEWS = 6
MOST_PROBES = 32
"""Per host."""
PATTERNS = 2
"""Patterns in which a parameter is a session's before it is on the whole host."""
_NEWS_KEPT = 8  # of a pattern
_PATTERNS_KEPT = 10_000


class Sessions:
    """Signs and verdicts of parameters, by pattern and name, and the pages to be probed without one.

    verdict of a parameter    "?" while signs are gathered, "session", or "content"

    `learns`: False if it is switched off; nothing is known then.
    """

    def __init__(self, rows: Iterable[ParameterRow] = (), *, learns: bool = True) -> None:
        self.learns = learns
        self._rows: dict[str, dict[str, ParameterRow]] = {}
        self._sessions: defaultdict[str, dict[str, int]] = defaultdict(dict)  # by host: patterns of each parameter
        self._found: defaultdict[tuple[str, str], _Found] = defaultdict(_Found)  # by host and name
        self._asked: defaultdict[str, int] = defaultdict(int)  # by host: probes
        self._wanted: dict[str, str] = {}  # by origin: the URL to probe
        self._probes: dict[str, _Probe] = {}  # by URL of the probe
        self._news: dict[str, list[tuple[str, int]]] = {}  # by pattern: pages that were news, and their digests
        self._changed: dict[tuple[str, str], ParameterRow] = {}
        for row in rows if learns else ():
            self._take(row)

    def plain(self, url: str) -> str:
        """The normalised URL without the session parameters of its host."""
        if not self._sessions or "?" not in url:
            return url
        on_host = self._sessions.get(politeness_key(url))
        if on_host is None:
            return url
        rows = self._rows.get(pattern_of(url).name, {})
        may_ask = self._asked[politeness_key(url)] < MOST_PROBES
        return _without(url, {name for name in on_host if self._is_session(rows.get(name), on_host[name], may_ask)})

    def plain_links(self, parsed: ParsedPage) -> ParsedPage:
        """The page with outlinks without session parameters."""
        if not self._sessions:
            return parsed
        outlinks = tuple(map(self.plain, parsed.outlinks))
        return parsed if outlinks == parsed.outlinks else with_outlinks(parsed, outlinks)

    def found_on(self, host: str) -> int:
        """Number of (pattern, session parameter) pairs of a host."""
        return sum(self._sessions.get(host, {}).values())

    def note_page(self, url: str, digest: int, novelty: Novelty) -> None:
        """Take in the digest of a page that was read."""
        pattern = pattern_of(url).name
        news = self._news.get(pattern, [])
        rows = self._rows.get(pattern, {})
        host = politeness_key(url)
        is_telling = rows or not novelty.is_news or not self._sessions.get(host, {}).keys().isdisjoint(_parameters(url))
        is_due = is_telling and self._asked[host] < MOST_PROBES
        if is_due and origin_of(url) not in self._wanted:
            # A page that was news proves more; but any page will do for the first sign.
            pages = [(url, digest, novelty.is_news), *((page, digest, True) for page, digest in news)]
            if any((host, name) in self._found for name in _parameters(url)):
                pages = [*pages[1:], pages[0]]
            self._ask(pattern, pages, is_enough=novelty.says_one_thing or (novelty.is_little and not news))
        if novelty.is_news and len(news) < _NEWS_KEPT and (news or len(self._news) < _PATTERNS_KEPT):
            self._news[pattern] = [*news, (url, digest)]

    def _ask(self, pattern: str, pages: Sequence[tuple[str, int, bool]], *, is_enough: bool) -> None:
        """Want one of these pages without one of its parameters, if that can tell something.

        pages: URL, digest, and whether it was news. is_enough: whether pages that were no news will do.
        """
        for name in sorted(parameters := _parameters(pages[0][0]), key=lambda name: -len(parameters[name])):
            row = self._rows.get(pattern, {}).get(name) or ParameterRow(pattern, name, "?", 0, "[]")
            values = {value for value, _ in json.loads(row.signs)}
            if row.verdict != "?":
                continue
            for url, digest, is_news in pages:
                value, probe = _hashed(_parameters(url).get(name, "")), _without(url, {name})
                is_of_use = is_news or is_enough or not values
                if is_of_use and probe != url and value not in values and probe not in self._probes:
                    self._wanted[origin_of(url)] = probe
                    self._probes[probe] = _Probe(row, value, digest, is_news, is_enough)
                    self._take(row._replace(probes=row.probes + 1))
                    return

    def take_due(self, site: str) -> str | None:
        """Take the URL that an origin is to be asked for now; or None."""
        return self._wanted.pop(site, None)

    def put_back(self, url: str) -> None:
        """Make a URL that was taken due again: the request came to nothing."""
        self._wanted.setdefault(origin_of(url), url)

    def note_answer(self, fetched: Fetched) -> None:
        """Take in the answer for a page without one of its parameters."""
        probe = self._probes.pop(fetched.url)
        row = self._rows[probe.row.pattern][probe.row.name]
        if fetched.status is None or is_transient(f"http-{fetched.status}") or row.verdict != "?":
            return  # an overloaded server says nothing of the parameter
        if fetched.digest != probe.digest:
            self._take(row._replace(verdict="content"))
            return
        signs = [*json.loads(row.signs), [probe.value, probe.is_news]]
        is_session = _are_enough([is_news for _, is_news in signs]) or (
            probe.is_enough and len(signs) >= SIGNS_WITHOUT_NEWS
        )
        self._take(row._replace(verdict="session" if is_session else "?", signs=json.dumps(signs)))

    def take_rows(self) -> list[ParameterRow]:
        """Rows that changed since the last call."""
        rows, self._changed = list(self._changed.values()), {}
        return rows

    def save(self, writer: Writer) -> None:
        writer.save_parameters(self.take_rows())

    @staticmethod
    def _is_session(row: ParameterRow | None, patterns: int, may_ask: bool) -> bool:
        """True for a session parameter, by its row for a pattern and its number of session patterns on the host."""
        if row is not None and row.verdict != "?":
            return row.verdict == "session"
        has_sign = row is not None and row.signs != "[]"
        return patterns >= PATTERNS and (has_sign or not may_ask)

    def _take(self, row: ParameterRow) -> None:
        before = self._rows.setdefault(row.pattern, {}).get(row.name)
        host = row.pattern.partition("/")[0]
        self._asked[host] += row.probes - (before.probes if before else 0)
        if row.verdict == "session":
            self._sessions[host][row.name] = self._sessions[host].get(row.name, 0) + 1
        if row.signs != "[]" or row.verdict == "content":
            found = self._found[host, row.name]
            found.signs |= dict(json.loads(row.signs))
            found.patterns.add(row.pattern)
            found.matters |= row.verdict == "content"
            if _are_enough(found.signs.values()) and not found.matters:
                self._sessions[host][row.name] = max(PATTERNS, len(found.patterns))
        self._rows[row.pattern][row.name] = self._changed[row.pattern, row.name] = row


@dataclass
class _Found:
    """Evidence on a parameter from all patterns of a host. `signs`: by value whether the page was news;
    `patterns`: those with evidence; `matters`: whether it does in one of them."""

    signs: dict[str, bool] = field(default_factory=dict)
    patterns: set[str] = field(default_factory=set)
    matters: bool = False


class _Probe(NamedTuple):
    """A page fetched again without a parameter: its value, and the digest with it."""

    row: ParameterRow
    value: str
    digest: int
    is_news: bool
    is_enough: bool


def _are_enough(signs: Collection[bool]) -> bool:
    """True if signs make a session, by whether each is of a page that was news."""
    return len(signs) >= SIGNS and sum(signs) >= NEWS


def _parameters(url: str) -> dict[str, str]:
    """Values of the parameters of a URL, by name."""
    return dict(part.partition("=")[::2] for part in url.partition("?")[2].split("&"))


def _without(url: str, names: Container[str]) -> str:
    """The URL without the parameters of these names."""
    stem, _, query = url.partition("?")
    parts = query.split("&")
    kept = [part for part in parts if part.partition("=")[0] not in names]
    if len(kept) == len(parts):
        return url
    return f"{stem}?{'&'.join(kept)}" if kept else stem


def _hashed(value: str) -> str:
    return blake2b(value.encode(), digest_size=4).hexdigest()
