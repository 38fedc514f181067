"""Change rates and validators of pages, learned from repeated fetches.

A page is requested on condition that it differs from its validators (RFC 9110 13.1): then 304 says in a few bytes that
nothing has changed. Every eighth request is unconditional. A server that answers this with another page under the same
validators is not believed: after two such answers its host gets no conditions.

Two dates tell when a page changed, as far as they are believed (frontier/schedules.py): lastmod in its sitemap
makes it due sooner; Last-Modified tells its change rate, even with many changes between two fetches.

The last answers of a page are kept, a character each: = as before, # changed, ? not found, ! failed.
"""

from typing import Self

from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.schedules import BELIEVED, after_proof
from minicrawl.crawler.html.page_text import block_hashes
from minicrawl.crawler.http.response_fields import http_date
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.recognise.changes import Difference, compared, first_seen, unchanged
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import NOT_FOUND, Turn
from minicrawl.model import READ, Fetched, PageRequest, ParsedPage, State
from minicrawl.opic.refresh import learned, learned_by_date
from minicrawl.store.rows import Change, NotedImportance, RefreshHost, RefreshRow
from minicrawl.store.writer import Writer

_UNCONDITIONAL = 8
"""Every eighth request for a page is unconditional."""
_LIES = 2
_LONGEST_VALIDATOR = 1000
_ANSWERS = 8
_ANOTHER = 1.1
"""An importance is noted when it has changed by this factor."""
DAY = 86_400.0
SAME, CHANGED, MISSING, FAILED = "=#?!"


class Refresh(Part):
    """Uncommitted rows of `refresh`, `refresh_hosts` and `changes`.

    most: most seconds after which a page that fails is fetched again.
    """

    def __init__(self, writer: Writer, due: DuePages, frontier: Frontier, pages: KnownPages, most: float) -> None:
        self._pages = pages
        self._writer = writer
        self._due = due
        self._frontier = frontier
        self._most = most
        self._rows: dict[int, RefreshRow] = {}
        self._changes: list[Change] = []
        self._importances: list[NotedImportance] = []
        self._hosts = {row.host: row for row in writer.refreshes.hosts()}
        self._changed_hosts: set[int] = set()
        self._changed_pages: list[int] = []
        self._noted = int(writer.meta("refresh_noted") or 0)
        self._noted_at_look = int(writer.meta("refresh_looked_at") or 0)

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        state = opening.state
        if state.due is None:
            return None
        return cls(state.writer, state.due, state.frontier, state.pages, opening.settings.refresh_max)

    # The turn of a page.

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        """Make the request conditional on a change of the page."""
        row = self._row(page)
        if row is None or not (row.etag or row.last_modified) or row.fetches % _UNCONDITIONAL == 0:
            return asked
        if self._host(page).lies >= _LIES or row.answers.endswith((MISSING, FAILED)):
            return asked
        return asked._replace(etag=row.etag, last_modified=row.last_modified)

    def on_answer(self, turn: Turn) -> bool:
        """Put a page back for a day that is missing for the first time: that may be an accident."""
        page = turn.page
        if turn.outcome.reason not in NOT_FOUND or not self._pages.was_there(page) or not self._is_first_miss(page):
            return False
        self.note_missing(page, turn.now)
        self._frontier.put_back(page, turn.now)
        return True

    def on_turn(self, turn: Turn) -> None:
        """Note the due time of the page."""
        page, outcome = turn.page, turn.outcome
        if outcome.state in READ:
            self.note_read(page, turn.fetched, turn.parsed, outcome.alias, turn.now)
        elif outcome.state is State.GONE:
            self._changes.append(Change(page, turn.now, "gone", 0, 0))
        else:
            self.note_failed(page, turn.now, turn.not_before)

    def on_unchanged(self, turn: Turn) -> None:
        if turn.fetched.not_modified:
            self.note_unchanged(turn.page, turn.now)
        else:  # nothing was asked: nothing is known of the page
            self.note_failed(turn.page, turn.now, not_before=0.0)

    # Learning.

    def note_read(self, page: int, fetched: Fetched, parsed: ParsedPage, alias: str | None, now: float) -> None:
        """Note a page that was read. alias: the URL it stands for, if it does."""
        blocks = _content(fetched, parsed, alias)
        etag, last_modified = _validators(fetched)
        row, read_at = self._row(page), self._due.fetched_at.item(page)
        if row is None and read_at:
            self._note_second(page, fetched, blocks, read_at, now)
            return
        if row is None or not row.fetches:
            if row is None:
                self._due.add(self._frontier.host(page))
            self._due.rule(page, fetched.url)
            self._changes.append(Change(page, now, "new", len(blocks) // 4, 0))
            row = RefreshRow(
                page,
                now,
                due=self._due.fetched(page, now),
                rate=self._first_rate(page),
                fetches=1,
                etag=etag,
                last_modified=last_modified,
                blocks=first_seen(blocks),
            )
            self._keep(row, now)
            return
        found = compared(row.blocks, blocks)
        if found.differs and (etag, last_modified) == (row.etag, row.last_modified) != (None, None):
            self._note_lie(page)
        dated_at = self._dated_change(row, last_modified, found, now)
        self._learn(row._replace(etag=etag, last_modified=last_modified), now, found, dated_at)

    def _note_second(self, page: int, fetched: Fetched, blocks: bytes, read_at: float, now: float) -> None:
        """Note a page read again whose first fetch was by a crawl without refresh. Only a digest of that is kept: so
        any difference counts as a change, this once."""
        self._changes.append(Change(page, read_at, "new", len(blocks) // 4, 0))
        kept = self._writer.recognised.fingerprint(page)
        is_change = kept is not None and fetched.digest is not None and fetched.digest != kept.digest
        etag, last_modified = _validators(fetched)
        row = RefreshRow(page, read_at, now, 0.0, fetches=1, etag=etag, last_modified=last_modified)
        memory = first_seen(blocks)
        self._learn(row, now, Difference(is_change, 0, 0, memory, is_certain=not is_change, differs=is_change))

    def note_unchanged(self, page: int, now: float) -> None:
        """Note a page that its server says is unchanged."""
        row = self._row(page)
        if row is not None:
            self._learn(row, now, unchanged(row.blocks))

    def note_lastmods(self, lastmods: dict[int, float], now: float) -> None:
        """Take in change times of pages (Unix seconds) from a sitemap: those later than the last fetch matter."""
        for page, at in lastmods.items():
            if not 0.0 < self._due.fetched_at.item(page) < at <= now:
                continue
            row = self._row(page)
            if row is None or row.answers.endswith((MISSING, FAILED)):
                continue
            self._rows[page] = row._replace(lastmod=at)
            if self._host(page).lastmods >= BELIEVED:
                self._changed_pages.append(page)

    def _is_first_miss(self, page: int) -> bool:
        """True if a page that was there and is missing now was found at its last turn."""
        row = self._row(page)
        return row is None or not row.answers.endswith(MISSING)

    def note_missing(self, page: int, now: float) -> None:
        """Put a missing page that was there off for a day."""
        self._postpone(page, now, now + DAY, MISSING)

    def note_failed(self, page: int, now: float, not_before: float) -> None:
        """Note a page where nothing was found: it is requested after a day, then after two, four and so on."""
        row = self._row(page)
        failures = 0 if row is None else len(row.answers) - len(row.answers.rstrip(FAILED))
        self._postpone(page, now, max(not_before, now + min(DAY * 2**failures, self._most)), FAILED)

    # Keeping.

    def save(self, writer: Writer) -> None:
        """Write changed rows, and the prices."""
        writer.save_refreshes(self._rows.values())
        if self._changed_pages:
            writer.save_due_times(self._frontier.pages.note_changed(self._changed_pages))
            self._changed_pages.clear()
        writer.save_changes(self._changes)
        writer.save_importances(self._importances)
        for host, price in self._due.prices.items():
            if self._hosts.setdefault(host, RefreshHost(host, 0.0)).price != price:
                self._hosts[host] = self._hosts[host]._replace(price=price)
                self._changed_hosts.add(host)
        writer.save_refresh_hosts(self._hosts[host] for host in sorted(self._changed_hosts))
        first = self._due.first_rates
        prices = {"refresh_price": self._due.price}
        writer.save_meta(prices | {"refresh_first_rate": first.rate, "refresh_information": first.information})
        self._rows.clear()
        self._changes.clear()
        self._importances.clear()
        self._changed_hosts.clear()
        # Importance has changed by then: as often as the crawl has grown by a tenth.
        if self._noted * 10 > self._noted_at_look * 11:
            writer.save_due_times(self._due.reschedule())
            self._noted_at_look = self._noted
        writer.save_meta({"refresh_noted": self._noted, "refresh_looked_at": self._noted_at_look})

    def _row(self, page: int) -> RefreshRow | None:
        return self._rows.get(page) or self._writer.refreshes.row(page)

    def _host(self, page: int) -> RefreshHost:
        host = self._frontier.host(page).id
        return self._hosts.get(host) or RefreshHost(host, 0.0)

    def _keep(self, row: RefreshRow, now: float) -> None:
        """Keep a page's row, and its importance if that has changed."""
        importance = self._due.worth(row.page) / self._due.size
        if not row.importance / _ANOTHER < importance < row.importance * _ANOTHER:
            self._importances.append(NotedImportance(row.page, now, importance))
            row = row._replace(importance=importance)
        self._noted += 1
        self._rows[row.page] = row

    def _learn(self, row: RefreshRow, now: float, found: Difference, dated_at: float | None = None) -> None:
        """Learn from the difference of two fetches. dated_at: believed time of the change."""
        is_change = found.is_change
        if row.lastmod is not None:
            self._note_proof(row.page, "lastmods", found)
        if is_change:
            self._changes.append(Change(row.page, now, "changed", found.added, found.removed))
        gap = max(now - self._due.fetched_at.item(row.page), 1.0)
        rate, information = self._rate(row, gap, found, None if dated_at is None else now - dated_at)
        row = row._replace(
            fetched_at=now,
            due=self._due.fetched(row.page, now, rate if information else None),
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

    def _rate(self, row: RefreshRow, gap: float, found: Difference, age: float | None) -> tuple[float, float]:
        """The change rate of a page and its information. gap: seconds since the last fetch; age: since the change, if
        known."""
        known = row.rate if row.information else self._first_rate(row.page)
        if not found.is_certain:
            return known, row.information
        if not row.information:
            self._due.first_rates.note_second_fetch(gap, changed=found.is_change)
        if age is None:
            rate, information = learned(known, row.information, gap, found.is_change)
        else:
            rate, information = learned_by_date(known, row.information, gap, age)
        self._note_rate(row.page, rate)
        return rate, information

    def _postpone(self, page: int, now: float, until: float, answer: str) -> None:
        row = self._row(page)
        if row is None:
            self._due.add(self._frontier.host(page))
            row = RefreshRow(page, now, until, 0.0)
        self._rows[page] = row._replace(due=until, answers=(row.answers + answer)[-_ANSWERS:])
        self._due.postpone(page, until)

    def _first_rate(self, page: int) -> float:
        """The change rate assumed before anything is known of a page."""
        return self._due.first_rates.of(self._frontier.host(page).id)

    def _note_rate(self, page: int, rate: float) -> None:
        host, first = self._host(page), self._due.first_rates
        first.note_learned(host.host, rate)
        median = first.medians[host.host]
        self._hosts[host.host] = host._replace(median=median.rate, learned=median.learned)
        self._changed_hosts.add(host.host)

    def _dated_change(self, row: RefreshRow, last_modified: str | None, found: Difference, now: float) -> float | None:
        """Time of a change since the last fetch, by a Last-Modified that is believed."""
        if row.last_modified is None or last_modified is None:
            return None
        at, is_believed = http_date(last_modified), self._host(row.page).dates >= BELIEVED
        has_moved = last_modified != row.last_modified
        may_be = at is not None and self._due.fetched_at.item(row.page) < at <= now
        if has_moved or found.is_change:
            self._note_proof(row.page, "dates", found, says_so=has_moved and may_be)
        return at if found.is_change and may_be and is_believed else None

    def _note_proof(self, page: int, dates: str, found: Difference, *, says_so: bool = True) -> None:
        """Note whether a date was right, if that can be told: noise may hide a change. says_so: it told of a change."""
        if found.differs and not found.is_change:
            return
        host = self._host(page)
        belief = after_proof(host.dates if dates == "dates" else host.lastmods, is_true=found.is_change and says_so)
        self._hosts[host.host] = host._replace(**{dates: belief})
        self._changed_hosts.add(host.host)

    def _note_lie(self, page: int) -> None:
        host = self._host(page)
        self._hosts[host.host] = host._replace(lies=host.lies + 1)
        self._changed_hosts.add(host.host)


def _content(fetched: Fetched, parsed: ParsedPage, alias: str | None) -> bytes:
    """The hashes by which a page is compared: the blocks of its text, else its target, else its validators."""
    if alias is not None and not parsed.blocks:
        return block_hashes([alias])
    if parsed.blocks:
        return parsed.blocks
    return block_hashes([fetched.etag or fetched.last_modified or f"{fetched.content_type} {fetched.size}"])


def _validators(fetched: Fetched) -> tuple[str | None, str | None]:
    """The validators of a complete page, as they came; those too long are dropped."""
    if fetched.status != 200 or fetched.truncated:
        return None, None
    etag, last_modified = (
        None if validator is None or len(validator) > _LONGEST_VALIDATOR else validator
        for validator in (fetched.etag, fetched.last_modified)
    )
    return etag or None, last_modified or None
