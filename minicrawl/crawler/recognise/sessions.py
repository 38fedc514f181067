"""Find session parameters: those that identify the visitor and change nothing (docs/duplicates.md).

Where a page has the content of another page of its host, it is fetched once more without one of its parameters, in a
turn of the host. The same content is a sign; other content, or a redirect elsewhere, means that the parameter matters,
and it is left alone. A parameter is renewed where its value looks made up at random, and the links of the page all have
one other value. It is probed at once, and nearly the same content below the same title is a sign, too.

Four signs make a session of a parameter, for the URLs of one pattern (traps.py), with four values, so that a default
that may be left out (?page=1) is none. Three of them must be pages that were news when they were read: a host may
answer any page beyond the last one with the first. Ten signs, as many as shut a pattern (traps.py), will do without
news if as many pages with other paths link to them: a parameter that says where a link stands has one value on each of
these, while pages of a list link to one another. But then all pages of the pattern that were news must be signs. A
parameter with four signs in several patterns of a host together, that matters in none, is a session's on the whole
host. Once there is a sign on a host, pages that were news are probed first elsewhere: they would show that the
parameter matters.
"""

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct, field

from minicrawl.crawler.admission.trap_findings import DUPLICATES, is_id, pattern_of
from minicrawl.crawler.recognise.duplicates import ALIKE
from minicrawl.model import Fetched, ParsedPage
from minicrawl.reasons import TRANSIENT, has
from minicrawl.store.recognised import ParameterRow
from minicrawl.store.writer import Writer
from minicrawl.web.fingerprint import distance
from minicrawl.web.urls.keys import origin_of, politeness_key
from minicrawl.web.urls.normalise import with_outlinks

SIGNS = 4
NEWS = 3
"""Signs that must be pages that were news."""
SIGNS_WITHOUT_NEWS = DUPLICATES
MOST_PROBES = 32
"""Per host."""
_MOST_READ = 1_000
"""Pages with parameters that are remembered of a host, once it is probed."""
_NEWS_KEPT = 8  # of a pattern
_PATTERNS_KEPT = 10_000


class Sessions:
    """Signs and verdicts of parameters, by pattern and name, and the pages to be probed without one.

    verdict of a parameter    "?" while signs are gathered, "session", or "content"

    `learns`: False if it is switched off; nothing is known then.
    """

    def __init__(self, rows: Iterable[ParameterRow] = (), *, learns: bool = True) -> None:
        self.learns = learns
        self._rows: dict[tuple[str, str], ParameterRow] = {}  # by pattern and name
        self._found: defaultdict[tuple[str, str], _Found] = defaultdict(_Found)  # by host and name
        self._sessions: defaultdict[str, set[str]] = defaultdict(set)  # by host: session parameters of any pattern
        self._asked: Counter[str] = Counter()  # probes by host
        self.wanted: dict[str, str] = {}
        """By origin the URL to probe; who asks for it takes it out, and puts it back if that comes to nothing."""
        self._probes: dict[str, tuple[tuple[str, str], str, _Page]] = {}
        """By URL of the probe: pattern and name of the parameter, its value, and the page with it."""
        self._answers: dict[str, int | None] = {}  # by URL of a probe: digest
        self._linkers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """By pattern and name: paths of pages that link to signs that were no news."""
        self._dropped: dict[str, set[str]] = {}
        """By pattern: the parameters without which its last copy says the same."""
        self._news: dict[str, list[_Page]] = {}  # by pattern: pages that were news
        self._changed: dict[tuple[str, str], ParameterRow] = {}
        self._read: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))  # by host: pages with parameters
        for row in rows if learns else ():
            self._take(row)

    def plain(self, url: str) -> str:
        """The normalised URL without the session parameters of its host."""
        if not self._sessions or "?" not in url:
            return url
        host = politeness_key(url)
        names = self._sessions.get(host)
        if not names:
            return url
        pattern = pattern_of(url).name
        return _without(url, {name for name in names if self._found[host, name].is_session(pattern)})

    def plain_links(self, parsed: ParsedPage) -> ParsedPage:
        """The page with outlinks without session parameters."""
        if not self._sessions:
            return parsed
        outlinks = tuple(map(self.plain, parsed.outlinks))
        return parsed if outlinks == parsed.outlinks else with_outlinks(parsed, outlinks)

    def found_on(self, host: str) -> int:
        """Number of session parameters of a host."""
        return len(self._sessions.get(host, ()))

    def alike(self, url: str) -> str:
        """The URL without the parameters without which pages of its pattern say the same, whatever their values."""
        pattern = pattern_of(url).name
        rows = (self._row(pattern, name) for name in _parameters(url))
        several = {row.name for row in rows if row.verdict != "content" and len(json.loads(row.signs)) > 1}
        return _without(url, self._dropped.get(pattern) or several)

    def answers(self, url: str) -> bool:
        """True if a probe was made with this URL, and said the same."""
        return url in self._answers

    def note_copy(self, url: str, digest: int, same_as: str | None, linker: str, news: int) -> bool:
        """Take in a page that says what was said before; True if it proves a session. same_as: the URL of a page that
        says the same, if it is known. linker: the URL of a page that links to it. news: number of pages of its pattern
        that were news."""
        stem, path, pattern = url.partition("?")[0], linker.partition("?")[0], pattern_of(url).name
        values, is_proof = _parameters(url), False
        dropped = set() if same_as is None else values.keys() - _parameters(same_as).keys()
        if dropped and len(self._dropped) < _PATTERNS_KEPT:
            self._dropped[pattern] = dropped
        for name, value in values.items():
            if path == stem or not (name in dropped or self._answers.get(_without(url, {name})) == digest):
                continue
            row, linkers = self._row(pattern, name), self._linkers[pattern, name]
            if path not in linkers and row.verdict == "?" and len(linkers) < MOST_PROBES:
                linkers.add(path)
                signs = {_hash(value): False} | dict(json.loads(row.signs))
                is_session = min(len(linkers), len(signs)) >= SIGNS_WITHOUT_NEWS and news <= sum(signs.values())
                is_proof |= is_session
                self._take(row._replace(verdict="session" if is_session else "?", signs=json.dumps([*signs.items()])))
        return is_proof

    def note_page(self, number: int, fetched: Fetched, parsed: ParsedPage, *, is_news: bool) -> None:
        """Take in a page that was read. is_news: its content is new on its host."""
        url, values = fetched.url, _parameters(fetched.url)
        renewed = [name for name, value in values.items() if is_id(value) and _is_renewed(name, value, parsed.outlinks)]
        page = _Page(url, fetched.digest, fetched.sketch, parsed.title, is_news, renewed)
        pattern, host = pattern_of(url).name, politeness_key(url)
        news = self._news.get(pattern, [])
        has_signs = any((host, name) in self._found for name in values)
        names = list(values) if has_signs or not is_news else renewed
        if names and self._asked[host] < MOST_PROBES and origin_of(url) not in self.wanted:
            self._ask(pattern, names, [*news, page] if has_signs else [page, *news])
        if (has_signs or self._asked[host]) and len(self._read[host]) < _MOST_READ:
            self._read[host].append(number)
        if page.is_news and len(news) < _NEWS_KEPT and (news or len(self._news) < _PATTERNS_KEPT):
            self._news[pattern] = [*news, page]

    def _ask(self, pattern: str, names: Sequence[str], pages: Sequence["_Page"]) -> None:
        """Want one of these pages without one of its parameters, if that can tell something: a page that was news, or
        any for the first sign."""
        parameters = _parameters(pages[0].url)
        for name in sorted(names, key=lambda name: -len(parameters.get(name, ""))):
            row = self._row(pattern, name)
            values = {value for value, _ in json.loads(row.signs)}
            if row.verdict != "?":
                continue
            for page in pages:
                value, probe = _parameters(page.url).get(name, ""), _without(page.url, {name})
                value = _hash(value)
                if (
                    (page.is_news or not values)
                    and probe != page.url
                    and value not in values
                    and probe not in self._probes
                ):
                    self.wanted[origin_of(page.url)] = probe
                    self._probes[probe] = (pattern, name), value, page
                    self._take(row._replace(probes=row.probes + 1))
                    return

    def take_outdated(self, host: str, url_of: Callable[[int], str]) -> list[int]:
        """The pages that were read with what is a session parameter of their host now, each once."""
        read = self._read[host] if self.found_on(host) else ()  # as after most answers: no URL is looked up then
        outdated = {page for page in read if self.plain(url := url_of(page)) != url}
        if outdated:
            self._read[host] = array("I", (page for page in read if page not in outdated))
        return sorted(outdated)

    def note_answer(self, fetched: Fetched, title: str | None) -> None:
        """Take in the answer for a page without one of its parameters."""
        parameter, value, page = self._probes.pop(fetched.url)
        row = self._rows[parameter]
        if fetched.status is None or has(f"http-{fetched.status}", TRANSIENT) or row.verdict != "?":
            return  # an overloaded server says nothing of the parameter
        is_near = parameter[1] in page.renewed and title == page.title and page.is_near(fetched)
        if fetched.digest != page.digest and not is_near:
            self._take(row._replace(verdict="content"))
            return
        signs = [*json.loads(row.signs), [value, page.is_news]]
        is_session = _are_enough([is_news for _, is_news in signs])
        self._take(row._replace(verdict="session" if is_session else "?", signs=json.dumps(signs)))
        self._answers[fetched.url] = fetched.digest

    def take_rows(self) -> list[ParameterRow]:
        """Rows that changed since the last call."""
        rows, self._changed = list(self._changed.values()), {}
        return rows

    def save(self, writer: Writer) -> None:
        writer.put(ParameterRow, self.take_rows())

    def _row(self, pattern: str, name: str) -> ParameterRow:
        return self._rows.get((pattern, name)) or ParameterRow(pattern, name, "?", 0, "[]")

    def _take(self, row: ParameterRow) -> None:
        key, host = (row.pattern, row.name), row.pattern.partition("/")[0]
        before = self._rows.get(key)
        self._asked[host] += row.probes - (before.probes if before else 0)
        self._rows[key] = self._changed[key] = row
        if row.signs == "[]" and row.verdict != "content":
            return
        found = self._found[host, row.name]
        found.signs[row.pattern], found.verdicts[row.pattern] = dict(json.loads(row.signs)), row.verdict
        is_any = "session" in found.verdicts.values() or found.is_on_host()
        (self._sessions[host].add if is_any else self._sessions[host].discard)(row.name)


class _Found(Struct):
    """Evidence on a parameter of a host, by pattern. `signs`: whether the page was news, by value."""

    signs: dict[str, dict[str, bool]] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)

    def is_session(self, pattern: str) -> bool:
        """True if it is a session's in the URLs of a pattern."""
        verdict = self.verdicts.get(pattern, "?")
        return verdict == "session" or (verdict == "?" and self.is_on_host())

    def is_on_host(self) -> bool:
        """True if it is a session's in all URLs."""
        signs: dict[str, bool] = {}
        for of_pattern in self.signs.values():
            signs |= of_pattern
        return "content" not in self.verdicts.values() and len(self.signs) > 1 and _are_enough(signs.values())


class _Page(NamedTuple):
    """A page that was read, and its content."""

    url: str
    digest: int | None
    sketch: bytes | None
    title: str | None
    is_news: bool
    renewed: Sequence[str]

    def is_near(self, other: Fetched) -> bool:
        """True if another answer has its content but for a few words."""
        return self.sketch is not None and other.sketch is not None and distance(self.sketch, other.sketch) <= ALIKE


def _are_enough(signs: Collection[bool]) -> bool:
    """True if signs make a session, by whether each is of a page that was news."""
    return len(signs) >= SIGNS and sum(signs) >= NEWS


def _is_renewed(name: str, value: str, links: Iterable[str]) -> bool:
    """True if two links of a page or more have a parameter, all with the same value, and that is not the page's."""
    linked = {_without(link, {name}): other for link in links if (other := _parameters(link).get(name))}
    return len(linked) > 1 and len(others := set(linked.values())) == 1 and value not in others


def _hash(value: str) -> str:
    return blake2b(value.encode(), digest_size=4).hexdigest()


def _parameters(url: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in url.partition("?")[2].split("&"))


def _without(url: str, names: Container[str]) -> str:
    stem, _, query = url.partition("?")
    parts = query.split("&")
    kept = [part for part in parts if part.partition("=")[0] not in names]
    if len(kept) == len(parts):
        return url
    return f"{stem}?{'&'.join(kept)}" if kept else stem
