"""Change rates and validators of pages, learned from repeated fetches.

A page is requested on condition that it differs from its validators (RFC 9110 13.1): then 304 says in a few bytes that
nothing has changed. Some requests are unconditional, to find servers whose validators lie (recognise/changes.py).

Two dates tell when a page changed, as far as they are believed (frontier/schedules.py): lastmod in its sitemap
makes it due sooner; Last-Modified tells its change rate, even with many changes between two fetches.

The last answers of a page are kept, a character each: = as before, # changed, ? not found, ! failed.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Set
from functools import partial
from typing import Any  # Any: JSON
from weakref import WeakKeyDictionary

import numpy as np

from minicrawl.crawler.frontier.schedules import (
    BELIEVED,
    BY_DATE,
    LONGEST,
    UNPROVED,
    ChangeRates,
    after_proof,
    first_interval,
    folder_of,
    shapes,
)
from minicrawl.crawler.outcomes.outcome import kind_hashes
from minicrawl.crawler.recognise.changes import (
    ALONE,
    Difference,
    blocks_of,
    compared,
    first_seen,
    host_doubt,
    is_conditional,
    needs,
    noted,
    page_doubt,
    unchanged,
)
from minicrawl.crawler.steps.kept import HostPictures
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import KINDS, READ, Fetched, PageRequest, ParsedPage, State
from minicrawl.opic.refresh import PRIOR_SHAPE, learned, learned_by_date
from minicrawl.reasons import NOT_THERE, has
from minicrawl.settings import CrawlSettings
from minicrawl.store.declaration import MetaValue
from minicrawl.store.refreshes import Change, GroupRate, NotedImportance, RefreshHost, RefreshRow
from minicrawl.store.writer import Writer
from minicrawl.web.html.tree import block_hashes, block_numbers, field_number, packed_numbers
from minicrawl.web.http.response_fields import Validators, http_date, unpacked

_ANSWERS = 8
_JUST_MADE = 60.0
"""Seconds: a page that has changed so shortly before its first fetch was made for it."""
_ANOTHER = 1.1
"""An importance is noted when it has changed by this factor."""
_PAGES, _FEW, _FEW_IN, _ODD_IN = "pages", 3, 8, 5
"""Few pages of a host are as many, or one in so many; at most one in `_ODD_IN` is odd."""
DAY = 86_400.0
SAME, CHANGED, MISSING, FAILED = "=#?!"


class Refresh(Step):
    """Uncommitted rows of `refresh`, `refresh_hosts` and `changes`.

    A crawl without a schedule makes the row of a page when the page is fetched for the second time.
    """

    def __init__(self, opening: Opening) -> None:
        state, settings = opening.state, opening.settings
        writer = self._writer = state.writer
        self._pages, self._due, self._frontier = state.pages, state.due, state.frontier
        self._pictures, self._accounts = opening.step(HostPictures), state.accounts
        self._rates = ChangeRates(1.0 / first_interval(settings.refresh_min)) if state.due is None else state.due.rates
        if state.due is None:
            self._rates.load(writer)
        self._unsaved: dict[str, MetaValue] = {}
        self._differing = defaultdict[int, Counter[str]](Counter)
        """By host: pages without validators that were compared to their first answers; those that differed, by kind."""
        self._blocks = WeakKeyDictionary[object, defaultdict[str, Counter[int]]]()
        """By picture of a host and kind: pages whose noise was not known, by the number of blocks that differed."""
        self._needs = writer.meta_json("needs")
        self._needed_since = float(writer.meta("needed_since") or 0.0)
        self.on_settings(settings, set(), opening.now)
        self._rows: dict[int, RefreshRow] = {}
        self._changes: list[Change] = []
        self._importances: list[NotedImportance] = []
        self._hosts = {row.host: row for row in writer.refreshes.hosts()}
        self._changed_hosts: set[int] = set()
        self._changed_pages: list[int] = []

    # The turn of a page.

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        """Make the request for a page that was read conditional on a change of the page."""
        if not self._accounts.had_turn.item(page):
            return asked
        asked = asked._replace(blocks=True)
        last = self._pages.last_answer(page)
        if last is None or last.validators is None or last.fetched_at < self._needed_since:
            return asked
        row = self._row(page) or RefreshRow(page, 0.0, 0.0, 0.0, fetches=1)
        is_settled = not row.answers.endswith((MISSING, FAILED))
        if not (is_settled and is_conditional(page + row.fetches, row.doubt, self._host(page).doubt)):
            return asked
        return asked._replace(**unpacked(last.validators)._asdict())

    def on_answer(self, turn: Turn) -> bool:
        """Put a page back for a day that is missing for the first time: that may be an accident."""
        page = turn.page
        if self._accounts.had_turn.item(page):
            turn.last = self._pages.last_answer(page)
        if self._due is None or turn.fetched.status is None or not has(turn.outcome.reason, NOT_THERE):
            return False
        row = self._row(page)
        if turn.last is None or (row is not None and row.answers.endswith(MISSING)):
            return False
        self._postpone(page, turn.now, turn.now + DAY, MISSING)
        self._frontier.put_back(page, turn.now, had_turn=True)
        return True

    def on_turn(self, turn: Turn) -> None:
        page, state = turn.page, turn.outcome.state
        if self._due is None and turn.last is None:
            return  # its first turn, in a crawl without a schedule
        if state in READ:
            self._note_read(turn)
        elif state is State.GONE:
            self._changes.append(Change(page, turn.now, "gone", 0, 0))
        else:
            self._note_failed(page, turn.now, turn.not_before)

    def on_unchanged(self, turn: Turn) -> None:
        if not turn.fetched.not_modified:  # nothing was asked: nothing is known of the page
            self._note_failed(turn.page, turn.now, not_before=0.0)
            return
        if (row := self._row_of(turn, 0)) is not None:
            self._learn(row, turn, unchanged(row.blocks))

    # Learning.

    def _note_read(self, turn: Turn) -> None:
        page, fetched, now = turn.page, turn.fetched, turn.now
        blocks = _content(fetched, turn.parsed, turn.outcome.alias)
        row = self._row_of(turn, len(blocks) // 4)
        if row is None:
            self._note_first(page, fetched, blocks, now)
            return
        before, validators = unpacked(turn.last and turn.last.validators), Validators.of(fetched)
        says = None if Validators() in (before, validators) else validators != before
        if row.blocks:
            picture = self._pictures.picture(page)
            counters = noted(picture, page, blocks, blocks_of(row.blocks))
            is_odd = partial(self._is_odd, picture, flips=_differing(turn)[2]) if says is None else None
            found = compared(row.blocks, blocks, counters, says_changed=says, pages=picture.pages, is_odd=is_odd)
        else:
            found = self._by_hashes(row, turn, blocks, says)
        row = self._judged(row, turn, before, validators, found)
        dated_at = self._dated_change(row, before.last_modified, validators.last_modified, found, now)
        if dated_at is not None:  # also of a page that differs so often that it seems noisy
            found = found._replace(is_change=True, is_certain=True)
        self._learn(row, turn, found, dated_at)

    def _row_of(self, turn: Turn, blocks: int) -> RefreshRow | None:
        """The row of a page that was fetched before. blocks: number of them."""
        row = self._row(turn.page)
        if row is not None and row.fetches:
            return row
        if turn.last is None:
            return None
        self._changes.append(Change(turn.page, turn.last.fetched_at, "new", blocks, 0))
        return RefreshRow(turn.page, turn.last.fetched_at, turn.now, 0.0, fetches=1)

    def _note_first(self, page: int, fetched: Fetched, blocks: bytes, now: float) -> None:
        """Note a page read for the first time, in a crawl with a schedule."""
        self._changes.append(Change(page, now, "new", len(blocks) // 4, 0))
        row = RefreshRow(page, now, now, 0.0, fetches=1, blocks=first_seen(blocks))
        if self._due is not None:
            group = self._due.group[page] = self._group_of(page, fetched)
            rate, information = self._dated_rate(page, group, fetched, now)
            due = self._due.fetched(page, now, rate or None)
            row = row._replace(due=due, rate=rate or self._rates.of(group), information=information)
        self._keep(row, now)

    def _by_hashes(self, row: RefreshRow, turn: Turn, blocks: bytes, says_changed: bool | None) -> Difference:
        """Difference of a page whose blocks are known for the first time: of its answer before, hashes of what it had
        are kept. A difference counts if other validators say so, or the page has but one of the kind. Under the same
        validators others are noise; without any, they count where the kind differs on few pages of the host, or more
        paragraphs than on most, and are in doubt where it does on many. says_changed: None without validators."""
        is_known, differing, flips = _differing(turn)
        differing += ["prose"] * (flips > 0)
        told, doubtful = differing if says_changed else [kind for kind in differing if kind in ALONE], list[str]()
        if says_changed is None:
            counts = self._differing[self._frontier.host(row.page).id]
            counts.update((_PAGES, *differing))
            few, many = max(_FEW, counts[_PAGES] // _FEW_IN), counts[_PAGES] // 2
            told += [kind for kind in differing if kind not in ALONE and counts[kind] <= few]
            doubtful = [kind for kind in KINDS if kind in differing and kind not in told and counts[kind] <= many]
            told += ["prose"] * self._is_odd(self._pictures.picture(row.page), "prose", flips)
        told += ["text"] * ("prose" in told)
        kinds = tuple(kind for kind in KINDS if kind in told)
        still = set(KINDS if is_known else ()).difference(differing, ["text"] if "prose" in differing else [])
        memory = first_seen(blocks, set(doubtful).difference(told), still)
        if says_changed is False or row.fetches > 1:  # the fetches before this one were answered 304
            memory = unchanged(memory).memory
        return Difference(bool(kinds), 0, 0, memory, not differing, bool(differing), kinds)

    def _is_odd(self, picture: object, kind: str, blocks: int, flips: int = 0) -> bool:
        """Note in how many blocks of a kind a page differs, and beside text in how many paragraphs. True if few of its
        host differ in more than most, as it."""
        is_odd_prose = kind == "text" and self._is_odd(picture, "prose", flips)
        counts = self._blocks.setdefault(picture, defaultdict(Counter))[kind]
        counts[blocks] += 1
        ((usual, _),) = counts.most_common(1)
        more = sum(pages for number, pages in counts.items() if number > usual)
        return is_odd_prose or (blocks > usual and _ODD_IN * more <= counts.total())

    def note_lastmods(self, lastmods: dict[int, float], now: float) -> None:
        """Take in change times of pages (Unix seconds) from a sitemap: those later than the last fetch matter."""
        assert self._due is not None, "other crawls read no lastmod"
        for page, at in lastmods.items():
            if not 0.0 < self._due.fetched_at.item(page) < at <= now:
                continue
            row = self._row(page)
            if row is None or row.answers.endswith((MISSING, FAILED)):
                continue
            self._rows[page] = row._replace(lastmod=at)
            if self._host(page).lastmods >= BELIEVED:
                self._changed_pages.append(page)

    def _note_failed(self, page: int, now: float, not_before: float) -> None:
        """Note a page where nothing was found: it is requested after a day, then after two, four and so on."""
        row = self._row(page)
        failures = 0 if row is None else len(row.answers) - len(row.answers.rstrip(FAILED))
        self._postpone(page, now, max(not_before, now + min(DAY * 2**failures, LONGEST)), FAILED)

    # Keeping.

    def save(self, writer: Writer) -> None:
        writer.save_meta(self._unsaved)
        self._unsaved.clear()
        if self._due is None and not (self._rows or self._changes):
            return
        writer.put(RefreshRow, self._rows.values())
        writer.save_changes(self._changes)
        writer.put(NotedImportance, self._importances)
        if self._due is not None:
            if self._changed_pages:
                self._frontier.pages.note_changed(self._changed_pages)
                self._changed_pages.clear()
            writer.save_meta({"refresh_price": self._due.price})
        writer.put(RefreshHost, (self._hosts[host] for host in sorted(self._changed_hosts)))
        writer.put(GroupRate, self._rates.changed())
        for saved in (self._rows, self._changes, self._importances, self._changed_hosts):
            saved.clear()

    def on_settings(self, settings: CrawlSettings, changed: Set[str], now: float) -> None:
        """Note since when pages are read under the present settings."""
        current: dict[str, Any] = needs(settings)
        if current == self._needs:
            return
        if self._needs:
            self._needed_since = now
        self._needs = current
        self._unsaved |= {"needs": json.dumps(current), "needed_since": self._needed_since}

    def _row(self, page: int) -> RefreshRow | None:
        return self._rows.get(page) or self._writer.refreshes.row(page)

    def _host(self, page: int) -> RefreshHost:
        host = self._frontier.host(page).id
        return self._hosts.get(host) or RefreshHost(host)

    def _keep(self, row: RefreshRow, now: float) -> None:
        """Keep a page's row, and its importance if that has changed."""
        if self._due is not None:
            importance = self._due.worth(row.page) / self._due.size
            if not row.importance / _ANOTHER < importance < row.importance * _ANOTHER:
                self._importances.append(NotedImportance(row.page, now, importance))
                row = row._replace(importance=importance)
        self._rows[row.page] = row

    def _learn(self, row: RefreshRow, turn: Turn, found: Difference, dated_at: float | None = None) -> None:
        """Learn from the difference of two fetches. dated_at: believed time of the change."""
        is_change, now = found.is_change, turn.now
        if row.lastmod is not None:
            self._note_proof(row.page, "lastmods", found)
        if is_change:
            self._changes.append(Change(row.page, now, "changed", found.added, found.removed, ",".join(found.kinds)))
        rate, information = self._rate(row, turn, found, None if dated_at is None else now - dated_at)
        row = row._replace(
            fetched_at=now,
            due=now if self._due is None else self._due.fetched(row.page, now, rate if information else None),
            rate=rate,
            information=information,
            fetches=row.fetches + 1,
            changes=row.changes + is_change,
            changed_at=now if is_change else row.changed_at,
            blocks=found.memory,
            lastmod=None,
            answers=(row.answers + (CHANGED if is_change else SAME))[-_ANSWERS:],
        )
        self._keep(row, now)

    def _rate(self, row: RefreshRow, turn: Turn, found: Difference, age: float | None) -> tuple[float, float]:
        """The change rate of a page and its information. age: seconds since the change, if known."""
        is_change, gap = found.is_change, turn.now - row.fetched_at
        if not found.is_certain or gap <= 0.0:  # or the clock was put back
            is_told = found.differs and turn.fetched.is_conditional and gap > 0.0
            if row.information >= PRIOR_SHAPE or not is_told:
                return row.rate, row.information
            is_change = True  # once, by its validators: else pages that have not changed would tell first
        rate, shape = row.rate, shapes(np.array([row.information])).item()
        if row.information < PRIOR_SHAPE:
            group = self._group_of(row.page, turn.fetched)
            rate = rate if row.information else self._rates.of(group)
            self._rates.note_second_fetch(group, gap, changed=is_change)
        if age is not None:
            return learned_by_date(rate, shape, age)
        return learned(rate, shape, gap, is_change)

    def _postpone(self, page: int, now: float, until: float, answer: str) -> None:
        row = self._row(page) or RefreshRow(page, now, until, 0.0)
        self._rows[page] = row._replace(due=until, answers=(row.answers + answer)[-_ANSWERS:])
        if self._due is not None:
            self._due.postpone(page, until)

    def _group_of(self, page: int, fetched: Fetched) -> int:
        """The number of the group whose rate is assumed of a page."""
        folder = folder_of(fetched.url, fetched.content_type)
        return self._rates.group(self._frontier.host(page).id, folder)

    def _dated_rate(self, page: int, group: int, fetched: Fetched, now: float) -> tuple[float, float]:
        """The change rate of a page fetched for the first time and its information, by the date of its last change; 0.0
        for both without a date, or if the host's dates have proved wrong."""
        at = http_date(fetched.last_modified) if fetched.last_modified else None
        if at is None or now - at < _JUST_MADE or self._host(page).dates < 0:
            return 0.0, 0.0
        rate, _ = learned_by_date(self._rates.of(group), PRIOR_SHAPE, now - at, UNPROVED)
        self._rates.note_date(group, now - at)
        return rate, BY_DATE

    def _dated_change(
        self, row: RefreshRow, before: str | None, last_modified: str | None, found: Difference, now: float
    ) -> float | None:
        """Time of a change since the last fetch, by a Last-Modified that is believed. before: the one before."""
        if before is None or last_modified is None:
            return None
        at, is_believed = http_date(last_modified), self._host(row.page).dates >= BELIEVED
        has_moved = last_modified != before
        may_be = at is not None and row.fetched_at < at <= now
        if has_moved or found.is_change:
            self._note_proof(row.page, "dates", found, says_so=has_moved and may_be)
        return at if found.differs and may_be and is_believed else None

    def _note_proof(self, page: int, dates: str, found: Difference, *, says_so: bool = True) -> None:
        """Note whether a date was right, if that can be told: noise may hide a change. says_so: it told of a change."""
        if found.differs and not found.is_change:
            return
        host = self._host(page)
        belief = after_proof(host.dates if dates == "dates" else host.lastmods, is_true=found.is_change and says_so)
        self._hosts[host.host] = host._replace(**{dates: belief})
        self._changed_hosts.add(host.host)

    def _judged(
        self, row: RefreshRow, turn: Turn, before: Validators, validators: Validators, found: Difference
    ) -> RefreshRow:
        """The row of a page by what a full answer proves of its validators."""
        if turn.last is None or Validators() in (before, validators):
            return row
        was_conditional = turn.fetched.is_conditional
        doubt = page_doubt(row.doubt, found, is_same=validators == before, was_conditional=was_conditional)
        host = self._host(row.page)
        of_host = host_doubt(host.doubt, row.doubt, doubt, was_conditional=was_conditional and found.differs)
        if of_host != host.doubt:
            self._hosts[host.host] = host._replace(doubt=of_host)
            self._changed_hosts.add(host.host)
        return row._replace(doubt=doubt)


def _differing(turn: Turn) -> tuple[bool, list[str], int]:
    """Whether the hashes of the answer before are known; kinds that differ from it, and bits of long paragraphs."""
    before, now = (turn.last and turn.last.kind_hashes) or b"", kind_hashes(turn.fetched, turn.parsed)
    differing = [kind for kind, old, new in zip(KINDS, before, now, strict=False) if old != new]
    old, new = (int.from_bytes(hashes[len(KINDS) :]) for hashes in (before, now))
    is_known = bool(before and now)
    return is_known, differing, is_known * (old ^ new).bit_count()


def _content(fetched: Fetched, parsed: ParsedPage, alias: str | None) -> bytes:
    """The hashes by which a page is compared: its target and its blocks, or its validators."""
    if alias is not None and (target := field_number("canonical", alias)) not in block_numbers(parsed.blocks):
        return packed_numbers([target]) + parsed.blocks
    if parsed.blocks:
        return parsed.blocks
    return block_hashes([fetched.etag or fetched.last_modified or f"{fetched.content_type} {fetched.size}"])
