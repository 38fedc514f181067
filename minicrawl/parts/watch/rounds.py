"""Rounds of checks of a watched list.

A round crawls the list once. Pages that differ from what is stored are requested again after each of the `confirm`
times, in one more crawl. Then all that was found is stored in one transaction: a kill before it loses the round's
answers alone, and the next round finds the same. Pages are compared host by host, and one is in memory at a time.
"""

import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple  # Any: settings as given

from msgspec import MsgspecError, structs
from msgspec import json as msgspec_json

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.errors import SeedError, StoreError
from minicrawl.model import WatchEvent, WatchRound
from minicrawl.parts.watch import CHECKED, DUE, NEXT, NOTHING_DUE, ROUND
from minicrawl.parts.watch.step import Views
from minicrawl.parts.watch.tables import AnswerRow, HostRow, ToldRow, WatchedRow
from minicrawl.sizes import Sizes
from minicrawl.store.upkeep import compact
from minicrawl.store.writer import Writer
from minicrawl.web.compare.comparing import GONE, SURE, Memory, Verdict, compare, first_view, has_same_lines
from minicrawl.web.compare.view import NO_MATCH, Entry, View, damaged, shape, texts_of
from minicrawl.web.urls.front import is_home
from minicrawl.web.urls.keys import politeness_key

CONFIRM = (30.0, 300.0)
"""Seconds before a page that differs is requested once more, and then again."""
_SETTINGS: Mapping[str, Any] = {
    "max_depth": 0, "scope": "any", "sitemaps": False, "traps": False, "jump": "pages", "patience": "10s",
}  # fmt: skip
"""What a crawl of a list is: its pages alone, each for itself."""
_SIZES = Sizes(cache=2_048)
"""A round reads each page of the list once: what it has read is not needed again."""
_MANY = 3
"""Pages of a host on which the same is new in one round: it is told once."""
_LOST = ("lost", "replaced")
KINDS = frozenset(
    {"added", "removed", "lost", "replaced", "back", "text", "price", "availability", "title", "description", "author"}
    | {"link", "image", "canonical", "robots", "data", "address", "unreadable", "readable"}
)
"""Kinds of changes."""


class Watched:
    """A list of pages and its store. selectors: by URL, what of a page is compared alone. confirm: see the module.
    kinds: of changes that make a message; none: all."""

    def __init__(  # noqa: PLR0913 - what a user asks for
        self,
        store: Path,
        seeds: Seeds,
        settings: Mapping[str, Any],
        selectors: Mapping[str, str],
        confirm: Sequence[float] = CONFIRM,
        *,
        kinds: Set[str] = frozenset(),
        transport: Any = None,
    ) -> None:
        if not seeds.urls:
            raise SeedError("the list has no page to watch; write one URL per line")
        self.store, self._seeds, self._settings = store, seeds, {**_SETTINGS, **settings}
        self._selectors, self._confirm, self._transport = dict(selectors), confirm, transport
        self._kinds = kinds

    async def check(self, every: float | None = None) -> WatchRound:
        """Make a round. every: seconds from its beginning to that of the next, if there is to be one.

        Raises ConfigError, StoreError."""
        began = time.time()
        fresh = self._begin()
        await self._crawl()
        for pause in self._confirm:
            due = self._due()
            if not due:
                break
            await asyncio.sleep(pause)
            await self._ask(due)
            await self._ask(set(fresh).intersection(self._due()))
        done = self._conclude(fresh, None if every is None else began + every)
        if fresh:  # three answers of each stood in the store
            with suppress(StoreError):
                compact(self.store, _SIZES)
        return done

    def _begin(self) -> list[str]:
        """Let all pages of the list be requested. Returns those that are new to it."""
        with closing(Writer(self.store, _SIZES)) as writer, writer.transaction():
            is_known = "CASE length(view) WHEN 0 THEN state <> '' ELSE 1 END"
            known = dict(writer.each(f"SELECT url, {is_known} FROM watched"))
            fresh = [url for url in self._seeds.urls if not known.get(url)]  # or its first round was cut short
            writer.add(WatchedRow, [WatchedRow(url, b"", b"", "", b"", 0.0) for url in fresh if url not in known])
            writer.remove(WatchedRow, [(url,) for url in known.keys() - set(self._seeds.urls)])
            hosts = {host for (host,) in writer.rows("SELECT host FROM watched_hosts")}
            writer.remove(HostRow, [(host,) for host in hosts.difference(map(politeness_key, self._seeds.urls))])
            answers = writer.rows("SELECT url, number FROM watch_answers")
            writer.remove(AnswerRow, answers)  # of a round that was cut short
            writer.save_meta({DUE: self._asked(self._seeds.urls)})
            return fresh

    def _asked(self, urls: Iterable[str]) -> str:
        return json.dumps({url: self._selectors.get(url, "") for url in urls})

    async def _ask(self, due: Iterable[str]) -> None:
        """Ask for these pages once more, if there are any."""
        asked = self._asked(due)
        if asked != NOTHING_DUE:
            with closing(Writer(self.store, _SIZES)) as writer, writer.transaction():
                writer.save_meta({DUE: asked})
            await self._crawl()

    async def _crawl(self) -> None:
        await crawl_with(self._settings, self._seeds, self.store, Caller(transport=self._transport, sizes=_SIZES))

    def _due(self) -> list[str]:
        """The pages that are to be requested once more."""
        with closing(Writer(self.store, _SIZES)) as writer:
            return [found.row.url for found in self._found(_Known(writer), is_last=False) if found.verdict.asks]

    def _found(self, known: "_Known", *, is_last: bool) -> "Iterator[_Found]":
        """What was found of each page of the list, host by host. is_last: no other answer will come."""
        for _, urls in groupby(sorted(self._seeds.urls, key=politeness_key), politeness_key):
            of_host = list(urls)
            shared = known.shared(of_host)
            for url in of_host:
                yield self._found_of(url, known, shared, is_last=is_last)

    def _found_of(self, url: str, known: "_Known", shared: Set[int], *, is_last: bool) -> "_Found":
        row = known.row(url)
        memory = _memory(row.memory, url)
        if row.view and not row.state and known.is_as_stored(url):
            return _Found(row, known.views, memory, (), Verdict())
        every = known.answers(row)
        answers = [view for view in every if _is_readable(view)]
        is_over = is_last or len(answers) < len(every)
        if not answers:
            return _Found(row, known.views, memory, every, Verdict("unreadable"))
        if not row.view:
            view = first_view(answers, memory, is_last=is_over)
            return _Found(row, known.views, memory, answers, Verdict("first", asks=view is None, base=view))
        if row.state == "lost" and answers[0].status in GONE:
            return _Found(row, known.views, memory, answers, Verdict("still"))
        base, is_other = known.views.unpacked(row.view, url), False
        if row.state == "replaced" and not has_same_lines(base, answers[0]):
            base, is_other = known.views.unpacked(row.instead, url), True
        verdict = compare(base, answers, memory, shared, check=known.round, is_last=is_over)
        return _Found(row, known.views, memory, answers, verdict, is_other)

    def _sending(self, event: WatchEvent) -> WatchEvent:
        """An event that makes a message only if it is of the kinds that are wanted."""
        kinds = {*event.kinds, *(["added"] if event.added else []), *(["removed"] if event.removed else []), event.what}
        return structs.replace(event, sends=event.sends and (not self._kinds or not self._kinds.isdisjoint(kinds)))

    def _conclude(self, fresh: Sequence[str], next_at: float | None) -> WatchRound:
        """Store what was found, and when the next round begins. Returns it."""
        now = time.time()
        with closing(Writer(self.store, _SIZES)) as writer, writer.transaction():
            known = _Known(writer)
            events, before, states, read = list[WatchEvent](), dict[str, str](), dict[str, str](), 0
            pages_of = Counter(map(politeness_key, self._seeds.urls))
            for found in self._found(known, is_last=True):
                read += found.verdict.what != "unreadable"
                told = list(_events(found))
                events += told
                if found.verdict.base is not None and pages_of[politeness_key(found.row.url)] > 1:
                    known.views.note(found.verdict.base, found.row.url)
                row = _next_row(found, told, now)
                before[row.url], states[row.url] = found.row.state, row.state
                answers = writer.rows("SELECT url, number FROM watch_answers WHERE url = ?", (row.url,))
                writer.remove(AnswerRow, answers)
                if row != found.row:
                    writer.put(WatchedRow, [row])
            places = {url: place for place, url in enumerate(self._seeds.urls)}
            events.sort(key=lambda event: places[event.url])
            events = [self._sending(event) for event in (*_of_hosts(events, before, states), *_shared(events))]
            number, last = known.round, int(writer.value("SELECT coalesce(max(id), 0) FROM told") or 0)
            said = ((last + 1 + at, event, msgspec_json.encode(event).decode()) for at, event in enumerate(events))
            rows = [ToldRow(at, number, now, event.url, event.what, text, event.sends) for at, event, text in said]
            writer.add(ToldRow, rows)
            writer.save_meta({ROUND: number, DUE: NOTHING_DUE, CHECKED: now, NEXT: next_at})
        return WatchRound(number, now, len(self._seeds.urls), read, tuple(fresh), tuple(events))


def watched_urls(store: Path) -> list[str]:
    """The URLs that a store watches. Raises StoreError."""
    with closing(Writer(store)) as writer:
        return [url for (url,) in writer.rows("SELECT url FROM watched ORDER BY url")]


class _Found(NamedTuple):
    """What a round has found of a page. answers: those that say something of it, or if there is none, all; none of a
    page that is as stored. is_other: it was compared to the page that has come in its place."""

    row: WatchedRow
    views: Views
    memory: Memory
    answers: Sequence[View]
    verdict: Verdict
    is_other: bool = False

    @property
    def is_passing(self) -> bool:
        """True if a page stands in its place that did before, and went, as a wall does."""
        row = self.row
        if row.state or not row.instead:
            return False
        before, now = self.views.unpacked(row.instead, row.url), self.answers[-1]
        return shape(before.title) == shape(now.title) and has_same_lines(before, now)


class _Known:
    """What is stored of the pages. round: number of this one."""

    def __init__(self, writer: Writer) -> None:
        self._writer, self.views = writer, Views(writer)
        self.round = int(writer.meta(ROUND) or 0) + 1

    def row(self, url: str) -> WatchedRow:
        (row,) = self._writer.records(WatchedRow, "watched WHERE url = ?", url)
        return row

    def is_as_stored(self, url: str) -> bool:
        """True if all answers for a page in this round say what is stored."""
        numbers = "SELECT count(*), sum(length(view)) FROM watch_answers WHERE url = ?"
        ((answers, size),) = self._writer.rows(numbers, (url,))
        return bool(answers) and not size

    def answers(self, row: WatchedRow) -> list[View]:
        """The answers for a page in this round, in order."""
        views, stored = list[View](), row.view
        for answer in self._writer.records(AnswerRow, "watch_answers WHERE url = ? ORDER BY number", row.url):
            if answer.view or not views:
                views.append(self.views.unpacked(answer.view or stored, row.url))
            else:
                views.append(views[-1])
        return views

    def shared(self, urls: Iterable[str]) -> set[int]:
        """Noise that two pages of a host have: all of its pages may. urls: of the host."""
        noise = Counter[int]()
        for url in urls:
            packed = self._writer.value("SELECT memory FROM watched WHERE url = ?", url)
            noise.update(set(_memory(packed, url).noise))
        return {number for number, pages in noise.items() if pages > 1}


def _memory(packed: bytes, url: str) -> Memory:
    try:
        return msgspec_json.decode(packed, type=Memory) if packed else Memory()
    except MsgspecError as error:
        raise damaged(url, error) from error


def _is_readable(view: View) -> bool:
    """True for an answer that says something of its page: it is there, or gone."""
    return view.status is not None and (view.status < 400 or view.status in GONE)


def _reason(views: Sequence[View]) -> str:
    if not views:
        return "no-answer"
    return views[-1].reason or f"http-{views[-1].status}"


def _events(found: _Found) -> Iterator[WatchEvent]:
    """What is told of a page."""
    row, verdict = found.row, found.verdict
    if verdict.what == "unreadable":
        if row.state not in (*_LOST, _reason(found.answers)):
            yield WatchEvent("unreadable", row.url, why=_reason(found.answers))
        return
    if not found.answers:
        return
    last = found.answers[-1]
    if row.state and row.state not in _LOST:
        yield WatchEvent("readable", row.url)
    if verdict.base is not None and verdict.what == "first" and verdict.base.entries[:1] == (NO_MATCH,):
        yield WatchEvent("selector", row.url)
    if verdict.what == "lost" or (verdict.what == "first" and last.status in GONE):
        if row.state != "lost":
            yield WatchEvent("lost", row.url, why=f"http-{last.status}")
    elif verdict.what == "replaced" and not found.is_passing:
        address = last.address if last.address != found.views.unpacked(row.view, row.url).address else ""
        yield WatchEvent("replaced", row.url, why=last.title, address=address)
    elif row.state in _LOST and verdict.what in ("first", "same", "changed", "moved") and not found.is_other:
        yield WatchEvent("back", row.url, title=last.title)
    if verdict.what == "moved":
        yield WatchEvent("changed", row.url, title=last.title, kinds=("address",), added=(last.address,))
    if verdict.what == "changed":
        yield _changed(row.url, last.title, verdict.added, verdict.removed)
    for behind in verdict.habits:
        yield WatchEvent("habit", row.url, why=behind, sends=False)


def _changed(url: str, title: str, added: Sequence[Entry], removed: Sequence[Entry]) -> WatchEvent:
    kinds = tuple(dict.fromkeys(entry.kind for entry in (*removed, *added)))
    sends = not all(entry.is_beside for entry in (*removed, *added))
    return WatchEvent(
        "changed", url, title=title, kinds=kinds, removed=texts_of(removed), added=texts_of(added), sends=sends
    )


def _next_row(found: _Found, told: Sequence[WatchEvent], now: float) -> WatchedRow:
    """What is stored of a page from now on."""
    verdict, base = found.verdict, found.verdict.base
    row = found.row._replace(memory=msgspec_json.encode(found.memory))
    if any(event.what in ("changed", *_LOST) for event in told):
        row = row._replace(changed_at=now)
    match verdict.what:
        case "unreadable":
            return row if row.state in _LOST else row._replace(state=_reason(found.answers))
        case "lost" | "first" if found.answers[-1].status in GONE or verdict.what == "lost":
            return row._replace(state="lost")
        case "replaced" if not found.is_passing:
            return row._replace(state="replaced", instead=found.views.packed(found.answers[-1], row.url))
        case "replaced" | "unsure" | "still":
            return row
    packed = b"" if base is None else found.views.packed(base, row.url)
    if found.is_other:
        return row._replace(instead=packed or row.instead)
    return row._replace(state="", view=packed or row.view)


def _of_hosts(events: list[WatchEvent], before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[WatchEvent]:
    """Events of hosts, in place of those of their pages that could not be checked, or can be again; they are taken out
    of `events`. Nor could many pages be checked that have one page in their place, such as a login; they are lost if it
    is the front page, and another page of the host is well. before, now: states of the pages by URL."""
    is_ours = {"unreadable": 1, "readable": 1, "replaced": _MANY, "back": _MANY}
    every = defaultdict[tuple[str, str, str], list[WatchEvent]](list)
    for event in events:
        if event.what in is_ours:
            page = event.why if event.what == "replaced" else ""
            every[event.what, politeness_key(event.url), page].append(event)
    groups = {key: of_host for key, of_host in every.items() if len(of_host) >= is_ours[key[0]]}
    taken = {id(event) for of_host in groups.values() for event in of_host}
    events[:] = [event for event in events if id(event) not in taken]
    ill_before, ill_now = (
        {politeness_key(url) for url, state in states.items() if state and state not in _LOST}
        for states in (before, now)
    )
    well = {politeness_key(url) for url, state in now.items() if not state and not is_home(url)}
    for (what, host, _), of_host in groups.items():
        front = of_host[0].address if all(event.address and is_home(event.address) for event in of_host) else ""
        is_ill = what in ("unreadable", "replaced")
        if not (what == "unreadable" and host in ill_before) and not (what == "readable" and host in ill_now):
            told = "replaced" if front and host in well else "unreadable" if is_ill else "readable"
            urls = tuple(event.url for event in of_host)
            yield WatchEvent(told, host, why=of_host[0].why, address=front, pages=urls)


def _shared(events: Sequence[WatchEvent]) -> Iterator[WatchEvent]:
    """The events, what is new on many pages of one host told once."""
    numbers = defaultdict[tuple[str, str, str], list[str]](list)
    for event in events:
        if event.what == "changed" and SURE.isdisjoint(event.kinds):
            for sign, lines in (("+", event.added), ("-", event.removed)):
                for line in lines:
                    numbers[politeness_key(event.url), sign, line].append(event.url)
    many = {key: pages for key, pages in numbers.items() if len(pages) >= _MANY}
    for event in events:
        if event.what != "changed" or not many:
            yield event
            continue
        host = politeness_key(event.url)
        added = tuple(line for line in event.added if (host, "+", line) not in many)
        removed = tuple(line for line in event.removed if (host, "-", line) not in many)
        if added or removed or not (event.added or event.removed):
            yield structs.replace(event, added=added, removed=removed)
    together = defaultdict[tuple[str, tuple[str, ...]], tuple[list[str], list[str]]](lambda: ([], []))
    for (host, sign, line), urls in many.items():
        together[host, tuple(urls)][sign == "-"].append(line)
    for (host, where), (came, went) in together.items():
        # What is beside the content of one of them is so of all, whatever else has changed there.
        sends = all(event.sends for event in events if event.what == "changed" and event.url in where)
        yield WatchEvent("changed", host, added=tuple(came), removed=tuple(went), pages=where, sends=sends)
