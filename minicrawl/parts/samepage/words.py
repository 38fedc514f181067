"""What the judge of URLs has found, in words: for `status`, the end of a crawl, and `why`."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple  # Any: JSON

from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import State
from minicrawl.parts.part import own
from minicrawl.parts.samepage import SamePageSettings
from minicrawl.parts.samepage.judge import DRY, GAIN, KINDS, NOW
from minicrawl.parts.samepage.pairs import DIFFERING, VOID, exact, plainer
from minicrawl.parts.samepage.stored import load_judge, load_pairs
from minicrawl.parts.samepage.tables import PairRow, PatternRow
from minicrawl.store.reader import Store
from minicrawl.web.urls.keys import politeness_key

_SHOWN, _LISTED = 3, 1_000
"""Patterns, and parameters, in a text and in JSON; most first."""
_SAYS = {
    "error": ("is an error", "are errors"),
    "redirect": ("redirects", "redirect"),
    "noindex": ("keeps robots out (noindex)", "keep robots out (noindex)"),
    "canonical": ("names another page as canonical", "name another page as canonical"),
    "same": ("says what another page says", "say what other pages say"),
    "same-list": ("lists what another page lists", "list what other pages list"),
    "near": ("says nearly what another page says", "say nearly what other pages say"),
    "copy": ("repeats a page under another path", "repeat pages under other paths"),
    "file": ("is not HTML", "are not HTML"),
    "numbers": ("differs from others by numbers only", "differ from others by numbers only"),
    "nothing": ("says nothing that other pages do not", "say nothing that other pages do not"),
    "little": ("says little that is new", "say little that is new"),
    "gain": ("says something new", "say something new"),
}
"""What one page, or several, said: by kind, or that most gains are dull."""
_SPELLINGS = {
    "?": "an empty query",
    "case": "the case of letters",
    ".": "a dot after the host",
    "www.": "www.",
    "order": "the order of parameters",
    "front": "the name of the front page",
}
_HELD = "patterns WHERE waiting > 0 AND key GLOB 'F *'"
_LINKER = """
    SELECT it.depth, linker.url FROM pages AS it LEFT JOIN pages AS linker ON linker.id = it.found_on WHERE it.id = ?"""


class _Count(NamedTuple):
    """What was read of some URLs. said: pages by kind; example: the URL of one; dry: pages since the last gain."""

    read: int
    said: Mapping[str, int]
    example: str
    dry: int = 0

    @classmethod
    def of(cls, row: PatternRow) -> "_Count":
        kinds = json.loads(row.kinds)
        said = {kind: kinds[kind] for kind in KINDS if kinds.get(kind)}
        if row.dry < DRY and row.gains < NOW * row.n and 2 * said.get(GAIN, 0) > row.read:
            said["little"] = said.pop(GAIN)
        return cls(row.read, said, row.example, row.dry)

    def __str__(self) -> str:
        first = printable(self.example)
        match sorted(self.said.items(), key=lambda each: -each[1]):
            case []:
                return "none read, as URLs like them say nothing new"
            case [(kind, number)]:
                return f"{number:,} of {self.read:,} read {_SAYS[kind][number != 1]}, for example {first}"
            case several:
                each = ", ".join(f"{number:,} {_SAYS[kind][number != 1]}" for kind, number in several)
                last = f"; the last {self.dry:,} say nothing new" if self.dry > 1 and GAIN in self.said else ""
                return f"of {self.read:,} read, such as {first}, {each}{last}"


def figures(store: Store) -> Mapping[str, Any]:
    """Patterns whose URLs wait behind all others or are left out, and what changes nothing on a host, most first.

    `left_out`, `later`: pages of these patterns; they are left out once nothing else was left to fetch.
    """
    patterns, urls = store.row(f"SELECT count(*), coalesce(sum(waiting), 0) FROM {_HELD}")
    urls = min(urls, store.page_table.totals().waiting)  # some may have turned out to be other pages since
    is_over = store.is_exhausted
    held = store.records(PatternRow, f"{_HELD} ORDER BY waiting DESC, host, key LIMIT {_LISTED}")
    void = store.records(PairRow, "pairs WHERE is_void ORDER BY agree DESC, host, name")
    return {
        "left_out": urls if is_over else 0,
        "later": 0 if is_over else urls,
        "patterns": patterns,
        "waiting": [_waiting(store, row, is_over=is_over) for row in held],
        "parameters": len(void),
        "void": list(map(_void_row, void[:_LISTED])),
    }


def _waiting(store: Store, row: PatternRow, *, is_over: bool) -> dict[str, Any]:
    """A pattern as JSON. like: what was read of others with the same parameters or end, if none of its own was."""
    place, mark, names = row.key[2:].partition("?")
    found = {"pattern": f"{row.host}{row.key[2:]}", "urls": row.waiting, "is_left_out": is_over}
    found |= _Count.of(row)._asdict()
    if not row.read:
        coarse = f"W {place.removeprefix('/…/')}" if place.startswith("/…/") else f"C {names}"
        like = store.record(PatternRow, "patterns WHERE host = ? AND key = ?", row.host, coarse) if mark else None
        found["like"] = _Count.of(like)._asdict() if like is not None else None
    return found


def _void_row(row: PairRow) -> dict[str, Any]:
    """What changes nothing, as JSON."""
    return {name: getattr(row, name) for name in ("host", "name", "agree", "differ", "example")}


def _evidence(pattern: Mapping[str, Any]) -> str:
    if pattern.get("like"):
        return f"none read, as elsewhere on the host {_Count(**pattern['like'])}"
    return str(_Count(pattern["read"], pattern["said"], pattern["example"], pattern.get("dry", 0)))


def status_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Lines for `status`. found: see `figures`."""
    for pattern in _most(found, "waiting", "urls"):
        label = "left out" if pattern["is_left_out"] else "later"
        yield f"{label:<10}{_urls(pattern)}: {_evidence(pattern)}"
    yield from (f"          and {more}: see --json" for more in _more(found, "patterns", "waiting"))
    for pair in _most(found, "void", "agree"):
        yield f"same      {_void(pair)}"
    yield from (f"          and {more}: see --json" for more in _more(found, "parameters", "void"))


def sentences(found: Mapping[str, Any]) -> Iterator[str]:
    """Sentences for the end of a run. found: see `figures`."""
    for pattern in _most(found, "waiting", "urls"):
        yield f"{_urls(pattern)} {_wait(pattern)}: {_evidence(pattern)}."
    yield from (f"And {more}, which status --json lists." for more in _more(found, "patterns", "waiting"))
    for pair in _most(found, "void", "agree"):
        yield f"On {_void(pair)}."
    yield from (f"And {more}, which status --json lists." for more in _more(found, "parameters", "void"))


def _most(found: Mapping[str, Any], name: str, by: str) -> Sequence[Mapping[str, Any]]:
    return sorted(found.get(name, ()), key=lambda each: -each[by])[:_SHOWN]


def _more(found: Mapping[str, Any], number: str, name: str) -> Iterator[str]:
    """ "12 more", if there are more than are shown."""
    more = found.get(number, 0) - min(_SHOWN, len(found.get(name, ())))
    if more > 0:
        yield f"{more:,} more"


def _urls(pattern: Mapping[str, Any]) -> str:
    return f"{counted(pattern['urls'], 'URL')} of {printable(pattern['pattern'])}"


def _wait(pattern: Mapping[str, Any]) -> str:
    is_one = pattern["urls"] == 1
    if pattern["is_left_out"]:
        return "is left out" if is_one else "are left out"
    return f"wait{'s' if is_one else ''} behind all others"


def name_in_words(name: str) -> str:
    """ "?C" of a parameter; of a spelling, what differs."""
    return _SPELLINGS.get(name, name)


def _void(pair: Mapping[str, Any]) -> str:
    host, name, agree = pair["host"], pair["name"], pair["agree"]
    stand = f"{agree:,} of {agree + pair['differ']:,} read stand{'s' if agree == 1 else ''} for the plainer URL"
    example = _as(pair["example"], plainer(pair["example"]).get(name.partition("=")[0], ""))
    return f"{printable(host)} {printable(name_in_words(name))} changes nothing: {stand}, for example {example}"


def _as(url: str, plain: str) -> str:
    """ "/rose/?C=M;O=A is /rose/"; in full where the hosts differ."""
    origin = url[: url.index("/", 8)]
    if plain.startswith(f"{origin}/"):
        url, plain = url.removeprefix(origin), plain.removeprefix(origin)
    return f"{printable(url)} is {printable(plain)}"


# One page.


def known_as(store: Store, url: str) -> str:
    """The URL without what changes nothing on its host."""
    pairs = load_pairs(store, politeness_key(url))
    return pairs.plain(url, lambda other: bool(store.page_table.find([other])))


def explain(store: Store, page: int) -> Iterator[str]:
    """Lines about a page for `why`: which pattern makes it wait, or which part of its URL changes nothing."""
    url, turn = store.page_table.url(page), store.page_table.turn(page)
    if turn.state == State.ALIAS and turn.reason == VOID:
        yield from _lines_of_alias(store, url)
    elif turn.state == State.WAITING and turn.fetch is None:
        depth, linker = store.row(_LINKER, page)
        if depth:
            yield from _lines_of_waiting(store, url, linker)


def _lines_of_alias(store: Store, url: str) -> Iterator[str]:
    host = politeness_key(url)
    for name in plainer(url):
        either = host, name, exact(name, url)
        row = store.record(PairRow, "pairs WHERE host = ? AND name IN (?, ?) AND is_void", *either)
        if row is not None:
            yield f"same        {_void(_void_row(row))}"
            yield f"            it is a page of its own again if more than one in {DIFFERING} differs"


def _lines_of_waiting(store: Store, url: str, linker: str | None) -> Iterator[str]:
    settings = kept_settings(store)
    asked = own(settings, SamePageSettings).ask
    if not settings.traps or any(re.search(pattern, url) for pattern in asked):
        return
    host = politeness_key(url)
    judge = load_judge(store, host)
    row = store.record(PatternRow, "patterns WHERE host = ? AND key = ?", host, judge.pattern(url))
    if row is None or not row.waiting or judge.reads_now(url, lambda: linker):
        return
    pattern = _waiting(store, row, is_over=store.is_exhausted)
    yield f"like it     {_urls(pattern)} {_wait(pattern)}: {_evidence(pattern)}"
    yield "            minicrawl reads it when pages like it say something new, or with --ask REGEX"
