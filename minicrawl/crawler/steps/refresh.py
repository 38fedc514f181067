"""Change rates and validators of pages, learned from repeated fetches.

A page is requested on condition that it differs from its validators (RFC 9110 13.1): then 304 says in a few bytes that
nothing has changed. Some requests are unconditional, to find servers whose validators lie (recognise/validators.py).

Two dates tell when a page changed, as far as they are believed (frontier/schedules.py): lastmod in its sitemap
makes it due sooner; Last-Modified tells its change rate, even with many changes between two fetches.

A page that differs from what is kept of it is requested again after half a minute, and once more: what its answers of
one moment have in common tells a change from noise (web/compare). Until then it has had no turn, so a kill loses
nothing.

The last answers of a page are kept, a character each: = as before, # changed, ? not found, ! failed.
"""

import json
from collections.abc import Set
from typing import Any  # Any: JSON

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
from minicrawl.crawler.recognise.changes import Difference, difference, note, of_text
from minicrawl.crawler.recognise.validators import host_doubt, is_conditional, needs, page_doubt
from minicrawl.crawler.steps.kept import HostPictures
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ, Fetched, PageRequest, State
from minicrawl.opic.refresh import PRIOR_SHAPE, learned, learned_by_date
from minicrawl.reasons import NOT_THERE, has
from minicrawl.settings import CrawlSettings
from minicrawl.store.declaration import MetaValue
from minicrawl.store.refreshes import Change, GroupRate, NotedImportance, RefreshHost, RefreshRow
from minicrawl.store.writer import Writer
from minicrawl.web.compare import hashes
from minicrawl.web.compare.view import Entry, address_key
from minicrawl.web.http.response_fields import Validators, http_date, unpacked

_ANSWERS = 8
_JUST_MADE = 60.0
"""Seconds: a page that has changed so shortly before its first fetch was made for it."""
_ANOTHER = 1.1
"""An importance is noted when it has changed by this factor."""
_AGAIN = 30.0
"""Seconds before a page that differs is requested again."""
_LONGEST_WAIT = 300.0
"""Seconds for which a part of the limit of a run is kept for it."""
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
        self._answers: dict[int, list[bytes]] = {}
        """By page that is to be requested again: hashes of its answers."""
        self._conditional: set[int] = set()
        """Of these the pages whose first request was conditional; those that follow are not."""
        self._found: dict[int, Difference] = {}
        """By page whose turn this is."""
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
        asked = asked._replace(hashes=True)
        last = self._pages.last_answer(page)
        if page in self._answers or last is None or last.validators is None or last.fetched_at < self._needed_since:
            return asked
        row = self._row(page) or RefreshRow(page, 0.0, 0.0, 0.0, fetches=1)
        is_settled = not row.answers.endswith((MISSING, FAILED))
        if not (is_settled and is_conditional(page + row.fetches, row.doubt, self._host(page).doubt)):
            return asked
        return asked._replace(**unpacked(last.validators)._asdict())

    def on_answer(self, turn: Turn) -> bool:
        """Put a page back for a day that is missing for the first time: that may be an accident; and for half a minute
        if it differs, and another answer must tell by what."""
        page = turn.page
        if self._accounts.had_turn.item(page):
            turn.last = self._pages.last_answer(page)
        if turn.last is not None and turn.outcome.state in READ:
            return self._asks_again(turn)
        if self._due is None or turn.fetched.status is None or not has(turn.outcome.reason, NOT_THERE):
            return False
        row = self._row(page)
        if turn.last is None or (row is not None and row.answers.endswith(MISSING)):
            return False
        self._postpone(page, turn.now, turn.now + DAY, MISSING)
        self._frontier.put_back(page, turn.now, had_turn=True)
        return True

    def _asks_again(self, turn: Turn) -> bool:
        page = turn.page
        assert turn.last is not None, "it was read"
        row = self._row(page) or RefreshRow(page, 0.0, 0.0, 0.0)
        kept, answer = row.hashes, _compared(turn)
        if turn.last.fetched_at < self._needed_since or page in self._pages.read_otherwise:
            self._pages.read_otherwise.discard(page)
            # As pages are read otherwise now, such as with their scripts, a difference is not the page's.
            note(self._pictures.picture(page), page, self._pictures.blocks(turn), answer, row.memory)
            self._found[page] = Difference(answer, row.memory)
            return False
        if not kept and turn.parsed.kept and (text := self._writer.texts.record(page)) is not None:
            kept = of_text(text, turn.fetched.url, turn.last.fetched_at)
            answer = of_text(turn.parsed.kept, turn.fetched.url, turn.now)
        if not kept:
            return False
        answers = [*self._answers.get(page, ()), answer]
        picture = self._pictures.picture(page)
        note(picture, page, self._pictures.blocks(turn), _compared(turn), row.memory)
        found = difference(kept, row.memory, answers, picture)
        if found is not None:
            self._found[page] = found if row.hashes else found._replace(hashes=_compared(turn))
            turn.fetched = turn.fetched._replace(
                is_conditional=turn.fetched.is_conditional or page in self._conditional
            )
            return False
        self._answers[page] = answers
        if turn.fetched.is_conditional:
            self._conditional.add(page)
        self._pages.again[page] = turn.now + _LONGEST_WAIT
        self._pages.asked_again += 1
        self._pages.refreshed -= 1
        frontier = self._frontier
        frontier.pages.first.add(page)
        frontier.put_back(page, turn.now, turn.now + _AGAIN)
        return True

    def on_turn(self, turn: Turn) -> None:
        page, state = turn.page, turn.outcome.state
        self._answers.pop(page, None)
        self._conditional.discard(page)
        self._pages.again.pop(page, None)
        found = self._found.pop(page, None)
        if self._due is None and turn.last is None:
            return  # its first turn, in a crawl without a schedule
        if state in READ:
            self._note_read(turn, found)
        elif state is State.GONE:
            self._changes.append(Change(page, turn.now, "gone", 0, 0))
        else:
            self._note_failed(page, turn.now, turn.not_before)

    def on_unchanged(self, turn: Turn) -> None:
        if not turn.fetched.not_modified:  # nothing was asked: nothing is known of the page
            self._note_failed(turn.page, turn.now, not_before=0.0)
            return
        if (row := self._row_of(turn, 0)) is not None:
            self._learn(row, turn, Difference(row.hashes, row.memory))

    # Learning.

    def _note_read(self, turn: Turn, found: Difference | None) -> None:
        """found: None of a page that was not compared, because nothing was kept of it: what it has is kept now."""
        now = turn.now
        kept = _compared(turn) if found is None else found.hashes
        row = self._row_of(turn, len(kept) // 4)
        if found is None:
            note(self._pictures.picture(turn.page), turn.page, self._pictures.blocks(turn), kept, b"")
        if row is None:
            self._note_first(turn.page, turn.fetched, kept, now)
            return
        before, validators = unpacked(turn.last and turn.last.validators), Validators.of(turn.fetched)
        if found is None:
            has_others = Validators() not in (before, validators) and validators != before
            is_change = has_others and SAME in row.answers  # by a server that has said 304: nobody knows in what
            found = Difference(kept, is_change=is_change, is_certain=is_change, differs=has_others)
        row = self._judged(row, turn, before, validators, found)
        dated_at = self._dated_change(row, before.last_modified, validators.last_modified, found, now)
        if dated_at is not None:  # also of a page that differs so often that it seems noisy
            found = found._replace(is_change=True, is_certain=True)
        self._learn(row, turn, found, dated_at)

    def _row_of(self, turn: Turn, lines: int) -> RefreshRow | None:
        """The row of a page that was fetched before. lines: number of them."""
        row = self._row(turn.page)
        if row is not None and row.fetches:
            return row
        if turn.last is None:
            return None
        self._changes.append(Change(turn.page, turn.last.fetched_at, "new", lines, 0))
        return RefreshRow(turn.page, turn.last.fetched_at, turn.now, 0.0, fetches=1)

    def _note_first(self, page: int, fetched: Fetched, kept: bytes, now: float) -> None:
        """Note a page read for the first time, in a crawl with a schedule."""
        self._changes.append(Change(page, now, "new", len(kept) // 4, 0))
        row = RefreshRow(page, now, now, 0.0, fetches=1, hashes=kept)
        if self._due is not None:
            group = self._due.group[page] = self._group_of(page, fetched)
            rate, information = self._dated_rate(page, group, fetched, now)
            due = self._due.fetched(page, now, rate or None)
            row = row._replace(due=due, rate=rate or self._rates.of(group), information=information)
        self._keep(row, now)

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
        self._pages.reframed += found.is_frame
        rate, information = self._rate(row, turn, found, None if dated_at is None else now - dated_at)
        row = row._replace(
            fetched_at=now,
            due=now if self._due is None else self._due.fetched(row.page, now, rate if information else None),
            rate=rate,
            information=information,
            fetches=row.fetches + 1,
            changes=row.changes + is_change,
            changed_at=now if is_change else row.changed_at,
            hashes=found.hashes,
            memory=found.memory,
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


def _compared(turn: Turn) -> bytes:
    """The hashes by which a page is compared: its lines, or its validators; and its target."""
    fetched, alias, kept = turn.fetched, turn.outcome.alias, turn.parsed.hashes
    entries = list[Entry]()
    if alias is not None:
        entries.append(Entry("canonical", alias, address_key(alias)))
    elif len(kept) < 2:
        seen = fetched.etag or fetched.last_modified or f"{fetched.content_type} {fetched.size}"
        entries.append(Entry("text", seen, seen))
    if fetched.robots_tag is not None:
        entries.append(Entry("robots", fetched.robots_tag, fetched.robots_tag))
    return hashes.add(kept, entries) if entries else kept
