"""Pages by URL and URLs by page; hosts by name; results of the last turns of pages, and their links.

The store finds a URL by its hash, and a URL by its page. Most links lead to recently used URLs, and most pages whose
turn comes became known a short while ago: both are kept in memory. Results that the batch lacks are read from
the store.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from msgspec.structs import astuple, replace

from minicrawl import log
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.clocks import Host, HostDelays, HostTurn, delay_of
from minicrawl.crawler.hosts.health import Health
from minicrawl.model import READ, Fetched, State
from minicrawl.reasons import EITHER, OF_HOST, columns_of
from minicrawl.store.hosts import HealthRow, HostRow
from minicrawl.store.links import Links, from_bytes, to_bytes
from minicrawl.store.pages import Fetch, NewPage, Turn
from minicrawl.store.writer import Writer
from minicrawl.web.http.response_fields import LONGEST_REST

_GENERATION = 100_000


class KnownUrls:
    """URL to page number and back. URLs not yet committed are known here only."""

    def __init__(self, writer: Writer, committed: int, *, generation: int = _GENERATION) -> None:
        """committed: number of pages in the store. generation: number of URLs in one of two."""
        self._writer = writer
        self._generation = generation
        self._stored_url = lru_cache(maxsize=1_000)(writer.page_table.url)  # needed more than once in a page's turn
        self._committed = committed
        # URLs of the latest pages, by number from `_first` on.
        self._first = committed
        self._latest: list[str] = []
        # Two generations make a cheap cache of recently used URLs: a hit in the old one moves to the young one; when
        # the young one is full it becomes the old one. The young one has all that are not committed.
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._has_all = not committed
        """True if both generations together have every known URL, so that the store knows no other."""

    def find(self, urls: Sequence[str]) -> list[int | None]:
        """Page number of each URL, None if it is unknown."""
        pages = list(map(self._young.get, urls))
        if None not in pages:  # as for most pages
            return pages
        unmet = [place for place, page in enumerate(pages) if page is None]
        if self._old:
            for place in unmet:
                page = pages[place] = self._old.get(urls[place])
                if page is not None:
                    self._remember(urls[place], page)
            unmet = [place for place in unmet if pages[place] is None]
        if unmet and not self._has_all:
            found = self._writer.page_table.find([urls[place] for place in unmet])
            for url, page in found.items():
                self._remember(url, page)
            for place in unmet:
                pages[place] = found.get(urls[place])
        return pages

    def add(self, url: str, page: int) -> None:
        """Make a URL known; page numbers rise by one from call to call."""
        self._young[url] = page
        self._latest.append(url)

    def url(self, page: int) -> str:
        return self._latest[page - self._first] if page >= self._first else self._stored_url(page)

    def committed(self) -> None:
        self._committed = self._first + len(self._latest)
        surplus = len(self._latest) - self._generation
        if 2 * surplus > self._generation:
            del self._latest[:surplus]
            self._first += surplus
        self._age()

    def _remember(self, url: str, page: int) -> None:
        self._young[url] = page
        self._age()

    def _age(self) -> None:
        """Drop the old generation once the young one is full."""
        new = self._committed - self._first
        if len(self._young) - (len(self._latest) - new) > self._generation:
            self._has_all = self._has_all and not self._old
            self._old = self._young
            self._young = {url: page for page, url in enumerate(self._latest[new:], self._committed)}


class KnownHosts:
    """Every known host, whose clocks are set by the answers. `answered`: hosts that ever have. `delays`: the least
    seconds between two requests to one. `is_urgent`: a host has asked for more than its usual delay, which must not be
    forgotten."""

    def __init__(self, frontier: Frontier, delays: HostDelays) -> None:
        self.frontier = frontier
        self.delays = delays
        self._by_name: dict[str, Host] = {}
        self._changed: set[int] = set()
        self.answered: set[int] = set()
        self.is_urgent = False

    def host(self, name: str) -> Host:
        """The host of a name, made known if new."""
        host = self._by_name.get(name)
        if host is None:
            host = self._by_name[name] = self.frontier.add_host(name, self.delays.of(name))
            self._changed.add(host.id)
        return host

    def known(self, name: str) -> Host | None:
        return self._by_name.get(name)

    def restore(self, row: HostRow, delay: float, ready_at: float) -> Host:
        """Make a host of the store known."""
        host = self._by_name[row.name] = self.frontier.add_host(
            row.name, delay, crawl_delay=row.crawl_delay, ready_at=ready_at, seconds=row.seconds
        )
        return host

    def note_change(self, host: Host) -> None:
        """Note that the clock or the health of a host has changed."""
        self._changed.add(host.id)

    def set_least_delay(self, delay: float, now: float) -> None:
        """Change the least delay of all hosts; delays that hosts or their robots.txt ask for still hold."""
        self.delays = replace(self.delays, least=delay)
        for host in self.frontier.hosts:
            self.set_delay(host, now)

    def set_delay(self, host: Host, now: float) -> None:
        """Set the delay of a host by its politeness and its health."""
        delay = delay_of(self.delays.of(host.name, host.crawl_delay), host.seconds, host.health)
        if delay != host.delay:
            self.frontier.set_delay(host, delay, now)
            self.note_change(host)

    def rest(self, host: Host, seconds: float, now: float, *, is_asked: bool = True) -> None:
        """Let a host rest; a kill must not make it forgotten. is_asked: the host asks for it."""
        self.note_change(host)
        self.is_urgent = True
        self.frontier.rest(host, now + seconds, now)
        if is_asked:
            log.event("host-resting", host=host.name, seconds=seconds)

    def set_crawl_delay(self, host: Host, crawl_delay: float, now: float) -> None:
        """Set the delay that a host's robots.txt asks for; a longer delay runs from now on."""
        before = host.delay
        self.note_change(host)
        self.is_urgent |= self.delays.of(host.name, crawl_delay) > self.delays.of(host.name)
        host.crawl_delay = crawl_delay
        host.delay = delay_of(self.delays.of(host.name, crawl_delay), host.seconds, host.health)
        if host.delay > before:
            self.frontier.rest(host, now + host.delay, now)

    def located(self, host: Host, address: str, until: float, now: float) -> None:
        """Set the IP address of a host, good until `until`."""
        clock = "" if self.delays.is_shorter(host.name) else address
        self.frontier.locate(host, clock, until, now)

    def end_turn(self, turn: HostTurn, fetched: Fetched, now: float, rest: float = 0.0) -> None:
        """End a turn with an answer, or without one, and set the host's clock by it."""
        host = turn.host
        self.note_change(host)
        if fetched.status is not None:
            self.answered.add(host.id)
            if fetched.status < 400 or not columns_of(fetched.status) & (EITHER | OF_HOST):
                host.seconds = fetched.seconds
        base = self.delays.of(host.name, host.crawl_delay)
        if base:
            host.delay = delay_of(base, host.seconds, host.health)
        left = now - fetched.waited if fetched.waited else math.inf
        self.frontier.end_turn(turn, now, left=left)
        if rest > 0:
            self.rest(host, rest, now)

    def spare(self, turn: HostTurn, rest: float, now: float) -> None:
        """End a turn as if it had not been, but for the host's clock: it failed for no fault of the host."""
        self.note_change(turn.host)
        self.frontier.end_turn(turn, now, not_before=rest and now + rest)

    def save(self, writer: Writer) -> None:
        hosts = (self.frontier.hosts[number] for number in sorted(self._changed))
        changed = list(hosts)
        writer.put(HostRow, map(_row, changed))
        writer.put(HealthRow, (_health_row(host) for host in changed if host.health is not None))
        self._changed.clear()
        self.is_urgent = False


def health_of(row: HealthRow, now: float) -> Health:
    """The health of a host of the store. now: no wait lasts longer than its own rule allows, whatever the clock has
    done since."""
    witnesses = tuple(from_bytes(row.witnesses).tolist())
    asked_until = min(row.asked_until, now + LONGEST_REST)
    return Health(*row[1:9], asked_until, row.own_delay, row.acquitted, witnesses, row.failed_runs, row.failed_at)


def _health_row(host: Host) -> HealthRow:
    health = host.health
    assert health is not None
    witnesses = to_bytes(np.array(health.witnesses, dtype=np.int64))
    values = astuple(health)
    return HealthRow._make((host.id, *values[:11], witnesses, health.failed_runs, health.failed_at))


def _row(host: Host) -> HostRow:
    return HostRow(host.id, host.name, host.crawl_delay, host.ready_at, host.seconds, host.rests_until)


class KnownPages:
    """The pages that had a turn, and the rows by page that the next commit writes.

    `attempts`: failed requests in a row, by page. `new`: rows in the order of discovery. `unanswered`: pages whose last
    answer is dropped, because they wait for their turn again. `turns_taken`, `requests_ended`: since the last commit.
    `left_out`: links of visited pages that are out of scope, filtered or refused; `nofollow`: that they or their pages
    ask not to follow. `failures`: turns of this run that found nothing, by reason; `refreshed`: its answers for pages
    that had their turn before; `reframed`: those that differ beside the content alone; `again`: pages that are to be
    requested again, as an answer told nothing alone, and the Unix seconds until which a run waits for them;
    `asked_again`: such answers. `read_otherwise`: pages that are to be read otherwise than before.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.attempts: dict[int, int] = {}
        self.new: list[NewPage] = []
        self.turns: dict[int, Turn] = {}
        self.retries: dict[int, tuple[int, str]] = {}
        self.restated: dict[int, tuple[str, str]] = {}
        self.links: dict[int, Links] = {}
        self.unanswered: set[int] = set()
        self.turns_taken = self.requests_ended = self.refreshed = self.reframed = self.asked_again = 0
        self.again: dict[int, float] = {}
        self.read_otherwise = set[int]()
        self.left_out = int(writer.meta("links_left_out") or 0)
        self.nofollow = int(writer.meta("links_nofollow") or 0)
        self.failures = Counter[str]()

    def end_waiting(self, now: float) -> None:
        """Wait no longer for pages that should have been requested again by now, as those of a host that has gone."""
        for page in [page for page, until in self.again.items() if until <= now]:
            del self.again[page]

    def save(self, writer: Writer) -> None:
        """Write the results of turns; the new pages themselves must be in the store."""
        writer.save_retries(self.retries)
        writer.forget_answers(self.unanswered)
        writer.save_turns(list(self.turns.values()))
        writer.update("pages", ["state", "reason"], ((*state, page) for page, state in self.restated.items()))
        writer.save_links(self.links.values())
        writer.save_meta({"links_left_out": self.left_out, "links_nofollow": self.nofollow})
        for rows in (self.new, self.turns, self.retries, self.restated, self.links, self.unanswered):
            rows.clear()
        self.turns_taken = self.requests_ended = 0

    # Reading.

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks of a visited page at its last visit."""
        return from_bytes(self.links_row(page).targets)

    def links_row(self, page: int) -> Links:
        row = self.links.get(page) or self._writer.link_table.row(page)
        assert row is not None, "every visited page has a row of links"
        return row

    def with_deep_links(self) -> list[int]:
        """Pages with links that only --max-depth keeps out."""
        uncommitted = [page for page, row in self.links.items() if row.too_deep]
        query = "SELECT source FROM links WHERE too_deep IS NOT NULL ORDER BY source"
        return [*(page for (page,) in self._writer.rows(query)), *uncommitted]

    def was_there(self, page: int) -> bool:
        """True if the last turn of a page found something."""
        return self.last_state(page) in READ

    def found_on(self, page: int) -> int | None:
        """The page whose link made a page known, or its host's sitemap; None: it is a seed."""
        new = self.new[page - self.new[0].id] if self.new and page >= self.new[0].id else None
        return self._writer.value("SELECT found_on FROM pages WHERE id = ?", page) if new is None else new.found_on

    def last_state(self, page: int) -> str:
        return self.last_turn(page).state

    def last_turn(self, page: int) -> Turn:
        """The last turn of a page, in the state that the page has by now."""
        turn = self.turns.get(page) or self._writer.page_table.turn(page)
        restated = self.restated.get(page)
        return turn if restated is None else turn._replace(state=restated[0], reason=restated[1])

    def title(self, page: int) -> str | None:
        answer = self.last_turn(page).fetch
        return answer and answer.title

    def last_answer(self, page: int) -> Fetch | None:
        """The last answer of a page that was there, but for those that said it was unchanged."""
        turn = self.last_turn(page)
        return turn.fetch if turn.state in READ else None

    # Writing.

    def note_turn(self, turn: Turn, links: Links) -> None:
        """Note the last turn of a page; it replaces earlier notes on the page."""
        self.attempts.pop(turn.id, None)
        self.turns_taken += 1
        self.turns[turn.id] = turn
        self.links[turn.id] = links
        self.retries.pop(turn.id, None)
        self.restated.pop(turn.id, None)

    def note_unchanged(self, page: int) -> None:
        """Note a page that is as at its last turn: this one changes only its account."""
        self.attempts.pop(page, None)
        self.turns_taken += 1
        self.retries[page] = 0, ""

    def note_failure(self, page: int, reason: str) -> None:
        """Note a failed request for a page; another will follow."""
        attempts = self.attempts[page] = self.attempts.get(page, 0) + 1
        self.retries[page] = attempts, reason

    def ask_again(self, page: int) -> None:
        """Let a page that was given up wait as if it had never had a turn."""
        reason = self.last_turn(page).reason
        self.unanswered.add(page)
        self.retries.pop(page, None)
        self.turns.pop(page, None)
        self.attempts.pop(page, None)
        self.restate(page, State.WAITING, reason)

    def relink(self, row: Links) -> None:
        """Replace the links of a page outside its turn."""
        self.links[row.source] = row

    def restate(self, page: int, state: State, reason: str) -> None:
        """Change the state of a page outside its turn."""
        self.restated[page] = state, reason
