"""The loop that joins the stages: frontier -> fetch -> parse -> absorb -> commit.

Fetching and parsing run side by side, one task per page in flight; absorbing and committing happen one at a time. The
crawl is over when nothing waits, nothing is in flight and nothing is left to absorb.

What may take long, a page of very many links or a commit, is done in a thread, and waited for: sockets, timers and
signals are attended to meanwhile. Only that thread touches the books then, so what comes of it is the same.
"""

import asyncio
import json
import logging
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.arrivals import (
    Answer,
    KnockArrival,
    LocatedArrival,
    PageArrival,
    ProbeArrival,
    RobotsArrival,
    SitemapArrival,
    SitemapUrls,
    reason_of,
)
from minicrawl.crawler.books.graph_counts import LiveGraphCounts
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.hosts.outage import HOSTS, SILENT, Outage
from minicrawl.crawler.net.addresses import Routes
from minicrawl.crawler.net.open_files import OPEN_FILES, Room, room
from minicrawl.crawler.robots.rules import RobotsState, is_unreachable
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import Fetched, PageRequest, ParsedPage, Progress, Silence, SitemapAnswer, State
from minicrawl.settings import CrawlSettings
from minicrawl.store.rows import MetaValue
from minicrawl.timing import STANDARD, Timing

_T = TypeVar("_T")
_log = logging.getLogger("minicrawl")
_OVER = object()
_BATCH = 256
_TOP = 10
_ATTEMPTS_AT_ONCE = 8  # each takes about half a millisecond
_TRAP_SECONDS = 86_400.0


class SteadyClock:
    """Unix seconds by the running event loop's clock: they never step back, whatever happens to the machine's."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._offset = time.time() - time.monotonic()  # which is the clock of every usual loop

    def __call__(self) -> float:
        return self._loop.time() + self._offset


class Engine:
    """One run of a crawl.

    Requests to hosts that have not answered yet, or not the last time, take no slot away from the others: silent hosts
    would hold all of them. They are attempts, of which many may be in flight, as they cost nothing but a connection.
    A few are begun at a time, so that between them answers are taken in, and hosts that answer are asked for more.
    One that is not answered soon does not count among the pages a crawl is to fetch. Should it be answered after all
    when these are fetched, it is dropped, and its page waits for the next run.

    Clocks of hosts are committed with their answers, so a kill loses those of the hosts that were just asked. But
    no request leaves later than a lease after the commit before it: until then, the next run takes it, any may have.
    """

    def __init__(
        self,
        absorber: Absorber,
        source: PageSource,
        settings: CrawlSettings,
        *,
        timing: Timing = STANDARD,
        files: Room | None = None,
        clock: Callable[[], float] | None = None,
        started: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """started: Unix seconds from which on the crawl's time counts; None: now."""
        self._absorber = absorber
        self._frontier = absorber.frontier
        self._source = source
        self._settings = settings
        self._timing = timing
        self._room = files or room(None, settings.concurrency)
        # How long a failure to look up a name is remembered: its host need not be asked before.
        self._stale_names = {"dns": timing.no_name, "dns-unanswered": timing.no_name_server}
        self._clock = clock or SteadyClock()
        self._on_progress = on_progress
        self._routes = Routes(settings.connect_to)
        self._tasks: set[asyncio.Task[None]] = set()
        self._named: dict[str, RobotsState] = {}  # by site, the robots.txt whose sitemaps have been noted
        self._arrived: deque[Answer | SitemapUrls] = deque()
        self._wake = asyncio.Event()
        self._beside: set[asyncio.Task[None]] = set()  # requests that are for no page
        self._locating: set[asyncio.Task[None]] = set()
        self._attempts: set[asyncio.Task[None]] = set()  # requests to hosts that did not answer the last time
        self._unlikely: set[asyncio.Task[None]] = set()  # those among them for pages that are not answered soon
        self._outage: Outage[Answer] = Outage(timing)
        self._silent_since: float | None = None  # as has been told
        self._was_full = False  # the same: too many files were open
        self._asked_until = 0.0
        self._failure: BaseException | None = None
        # Not the one of the loop, in which a slow name server may occupy all threads.
        self._thread = ThreadPoolExecutor(1, "minicrawl-books")
        self._graph_counts = LiveGraphCounts(absorber.writer.sizes.read)
        self._last_commit = self._clock()
        self._started = self._last_commit if started is None else started
        self._progress_at = self._last_commit + timing.progress
        self.fetched = 0
        self.bytes = 0
        self.unanswered: Counter[str] = Counter()
        self.reason: str | None = None
        self.is_aborted = False

    @property
    def seconds(self) -> float:
        return self._clock() - self._started

    def stop(self, reason: str) -> None:
        """Hand out no more pages; those in flight are finished, but nothing else is worth waiting for."""
        self.reason = self.reason or reason
        for task in self._beside | self._locating | (self._attempts if self._has_enough() else set()):
            task.cancel()
        self._wake.set()

    def abort(self) -> None:
        """Stop at once: pages in flight will wait for their turn in the next run."""
        self.stop("interrupted")
        self.is_aborted = True
        for task in self._tasks:
            task.cancel()

    async def run(self, start: Iterable[None] = ()) -> None:
        """Crawl until there is a reason to stop; everything absorbed is committed then.

        start: makes the seeds known, step by step, see Absorber.starting.
        A bug that breaks off absorbing leaves the batch uncommitted: half a visit must not reach the store.
        """
        try:
            await self._start(iter(start))
            while True:
                if not await self._absorb_arrived():
                    await asyncio.sleep(0)
                    continue
                now = self._clock()
                self._check_limits(now)
                if self.reason is None and now >= self._asked_until:
                    await self._aside(self._commit)
                has_more = self.reason is None and self._dispatch(now)
                has_more = self._clear_up(now, has_more=has_more) or has_more
                if self._is_commit_due(now):
                    await self._aside(partial(self._commit_and_settle, now))
                await self._show_progress(now)
                if self._failure is not None:
                    await self._aside(self._commit)
                    raise self._failure
                if not self._tasks and not self._arrived and (self.reason or self._has_nothing_left()):
                    if self.reason or not await self._aside(partial(self._let_rest_in, now)):
                        break
                    continue
                await (asyncio.sleep(0) if has_more else self._wait())
            self.stop("nothing-left")
            await self._aside(self._commit)
        except asyncio.CancelledError:
            self._commit()  # cancelled while it waited: what was absorbed is whole
            raise
        finally:
            for task in self._tasks:
                task.cancel()
            self._thread.shutdown()

    async def _start(self, steps: Iterator[None]) -> None:
        """Take in the seeds, which may be millions: the crawl can be stopped after every step."""
        while self.reason is None and await self._aside(partial(self._has_stepped, steps)):
            now = self._clock()
            self._check_limits(now)
            await self._show_progress(now)

    def _has_stepped(self, steps: Iterator[None]) -> bool:
        """Make one step more and commit it; False if there was none."""
        is_over = next(steps, _OVER) is _OVER
        self._commit()
        return not is_over

    async def _aside(self, work: Callable[[], _T]) -> _T:
        """Do in a thread what may take long, and nothing else with the books before it is done.

        What was begun is done also if this is cancelled, which comes into effect then: half a visit is none.
        """
        done = asyncio.get_running_loop().run_in_executor(self._thread, work)
        cancelled: asyncio.CancelledError | None = None
        while not done.done():
            try:
                await asyncio.wait([done])
            except asyncio.CancelledError as error:
                cancelled = error
        result = done.result()
        if cancelled is not None:
            raise cancelled
        return result

    def progress(self) -> Progress:
        """The crawl as it stands; looks at every page for the most important ones, now and then at every link."""
        absorber, accounts = self._absorber, self._absorber.accounts
        ready, waiting = self._frontier.counts()
        best, importance = accounts.ledger.most_important(_TOP)
        return Progress(
            seconds=self.seconds,
            fetched=self.fetched,
            bytes=self.bytes,
            known=accounts.size,
            never_read=accounts.size - accounts.coverage.collected,
            hosts_ready=ready,
            hosts_waiting=waiting,
            in_flight=self._frontier.in_flight,
            clock=accounts.book.clock / max(accounts.book.in_hand(), 1),
            coverage=accounts.coverage.bound(),
            errors=dict(absorber.tally.failures),
            top=tuple(zip(importance.tolist(), map(absorber.urls.url, best.tolist()), strict=True)),
            left_out=absorber.tally.left_out,
            graph=self._graph_counts.look(accounts.book.payees, int(accounts.inlinks.sum()), absorber.writer.links),
            silence=self._silence(),
        )

    # Deciding and asking.

    def _dispatch(self, now: float) -> bool:
        """Hand out pages for as long as there is room and a host on offer.

        Returns whether more could be handed out at once: turns that need no request fill a batch without waiting.
        """
        settings = self._settings
        if self._outage.ask_at is not None:
            self._knock(now)
            return False
        most_attempts = min(self._room.attempts, len(self._attempts) + _ATTEMPTS_AT_ONCE)
        while self._slots_taken() < self._room.requests:
            if settings.pages is not None and self.fetched + self._pages_expected() >= settings.pages:
                return False
            if self._absorber.turns_in_batch >= 2 * _BATCH:
                return True
            has_room = len(self._attempts) < most_attempts
            errand = self._absorber.acquire_errand(now)
            if errand is not None:
                turn, url = errand
            else:
                page = self._frontier.acquire(now, attempts=has_room)
                if page is None:
                    return len(self._attempts) == most_attempts < self._room.attempts
                turn, url = HostTurn(self._frontier.host(page), page), self._absorber.urls.url(page)
            if turn.errand is not None and not (has_room or turn.host.answers):
                self._absorber.turns.hold(turn, now + self._timing.attempt, now)
                continue
            self._take_turn(turn, url, now)
        return False

    def _take_turn(self, turn: HostTurn, url: str, now: float) -> None:
        """Ask for what a turn is for, or first for what must be known before, or see that it is not to be asked for."""
        wrong_guess = self._absorber.guesses.wrong(turn.page) if turn.page is not None else None
        if wrong_guess is not None:
            self._refuse(turn, State.ERROR, wrong_guess, now + _TRAP_SECONDS, now)
            return
        if turn.host.health.dead_until > now:
            self._refuse(turn, State.ERROR, "host-dead", turn.host.health.dead_until, now)
            return
        trap = self._absorber.visits.trap(turn.page, url) if turn.page is not None else None
        if trap is not None:
            self._refuse(turn, State.ERROR, trap, now + _TRAP_SECONDS, now)
            return
        is_hop = self._absorber.robots.hop(turn) is not None
        if not (is_hop or self._settings.ignore_robots or self._is_allowed(turn, url, now)):
            return
        if self._is_located(turn, url, now):
            self._ask(turn, url)

    def _is_allowed(self, turn: HostTurn, url: str, now: float) -> bool:
        """Whether robots.txt allows a URL; if that is not known it is asked for, and the turn comes again."""
        site = origin_of(url)
        robots = self._absorber.robots.state(site)
        if robots is None or now >= robots.expires:
            if not self._absorber.robots.is_held(turn, site, now) and self._is_located(turn, url, now):
                self._ask_beside(self._ask_robots(turn, site, f"{site}/robots.txt"), turn)
            return False
        if robots.is_undecided:
            self.unanswered[robots.reason or "connection"] += 1
            self._absorber.turns.hold(turn, robots.expires, now)
            return False
        refusal = robots.refusal(self._settings.user_agent, url)
        if refusal is not None:
            self._refuse(turn, *refusal, robots.expires, now)
            return False
        rules = robots.rules
        if turn.page is not None and rules is not None and rules.sitemaps and self._named.get(site) is not robots:
            self._named[site] = robots
            self._absorber.sitemaps.name(turn.page, site, rules.sitemaps, now)
        return True

    def _is_located(self, turn: HostTurn, url: str, now: float) -> bool:
        """Whether the address of a host is known; if not, it is asked for, and the turn comes again.

        An address that needs no asking changes nothing: the turn is as soon as the address may be asked.
        """
        if turn.host.located_until > now:
            return True
        address = self._routes.address(url)
        if address is not None:
            self._absorber.turns.locate(turn, self._clocked(url, address), math.inf, now)
        else:
            self._spawn(self._locate(turn, url), turn, self._locating)
        return False

    def _clocked(self, url: str, address: str) -> str:
        """The address whose clock a host shares; "" for a gateway to all hosts, unless there is an --ip-delay."""
        return "" if self._settings.ip_delay is None and self._routes.is_gateway(url) else address

    def _ask(self, turn: HostTurn, url: str) -> None:
        _log.debug("asking for %s", url)
        if turn.page is None:
            hop = self._absorber.robots.hop(turn)
            beside = self._ask_sitemap(turn, url) if hop is None else self._ask_robots(turn, hop.site, url)
            self._ask_beside(beside, turn)
            return
        probe = self._absorber.probes.due(origin_of(url))
        if probe is not None and self._may_be_asked_for(probe):
            self._ask_beside(self._probe(turn, probe), turn)
            return
        self._frontier.charge(turn.page)
        self._spawn(self._fetch(turn.page, url), turn)

    def _knock(self, now: float) -> None:
        """Ask somebody who has answered before whether he still does, if it is time for that."""
        if self._outage.ask_at is None or now < self._outage.ask_at:
            return
        found = self._absorber.knocks.acquire(now)
        if found is None:
            self._outage.postponed(self._absorber.hosts.answered, now)
            return
        turn, url = found
        if self._is_located(turn, url, now):
            self._outage.knocked()
            self._ask_beside(self._see(turn, url), turn)
        elif turn.host.located_until <= now:
            self._outage.knocked()  # by way of the name server

    def _may_be_asked_for(self, url: str) -> bool:
        """Whether robots.txt, which is known, allows a URL."""
        robots = None if self._settings.ignore_robots else self._absorber.robots.state(origin_of(url))
        return robots is None or robots.refusal(self._settings.user_agent, url) is None

    def _refuse(self, turn: HostTurn, state: State, reason: str, until: float, now: float) -> None:
        if turn.page is not None:
            self._absorber.visits.absorb_unfetched(turn.page, state, reason, until, now)
        elif self._absorber.robots.hop(turn) is not None:
            self._absorber.robots.drop(turn, reason, now)
        else:
            self._absorber.sitemaps.drop(turn, reason, now)

    def _ask_beside(self, coroutine: Coroutine[Any, Any, None], turn: HostTurn) -> None:
        """Make a request that is for no page."""
        self._spawn(coroutine, turn, self._beside)

    def _has_nothing_left(self) -> bool:
        return self._frontier.is_empty() and self._absorber.sitemaps.queue.next_ready() is None

    def _let_rest_in(self, now: float) -> bool:
        """Go on with what sitemaps list; whether there was any."""
        if self._absorber.sitemaps.queue.waiting:
            self._commit()
        return self._absorber.sitemaps.let_rest_in(now)

    def _pages_expected(self) -> int:
        return len(self._tasks) - len(self._beside) - len(self._locating) - len(self._unlikely)

    def _has_enough(self) -> bool:
        return self._settings.pages is not None and self.fetched >= self._settings.pages

    def _slots_taken(self) -> int:
        """Who is silent, host or name server, must not hold up the others; but one at a time is one at a time."""
        if self._settings.concurrency == 1:
            return len(self._tasks)
        return len(self._tasks) - len(self._locating) - len(self._attempts)

    def _is_attempt(self, turn: HostTurn) -> bool:
        """Whether nobody knows that the host of a turn will answer."""
        return not turn.host.answers

    def _spawn(
        self, coroutine: Coroutine[Any, Any, None], turn: HostTurn, kind: set[asyncio.Task[None]] | None = None
    ) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        if kind is not None:
            kind.add(task)
            task.add_done_callback(kind.discard)
        if kind is not self._locating and self._is_attempt(turn):
            self._attempts.add(task)
            task.add_done_callback(self._attempts.discard)
            if kind is None and self._settings.pages is not None:
                doubt = asyncio.get_running_loop().call_later(self._timing.soon, self._expect_no_more, task)
                task.add_done_callback(lambda _: doubt.cancel())
                task.add_done_callback(self._unlikely.discard)
        task.add_done_callback(self._finished)

    def _expect_no_more(self, task: asyncio.Task[None]) -> None:
        self._unlikely.add(task)
        self._wake.set()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
        self._wake.set()

    async def _fetch(self, page: int, url: str) -> None:
        self._arrived.append(PageArrival(page, *await self._source.page(PageRequest(url))))

    async def _ask_robots(self, turn: HostTurn, site: str, url: str) -> None:
        _log.debug("asking for %s", url)
        self._arrived.append(RobotsArrival(turn, site, await self._source.robots(url)))

    async def _ask_sitemap(self, turn: HostTurn, url: str) -> None:
        sitemap = turn.errand
        assert sitemap is not None

        def give(urls: list[str], is_index: bool) -> None:
            self._arrived.append(SitemapUrls(sitemap, urls, is_index))
            self._wake.set()

        self._arrived.append(SitemapArrival(turn, await self._source.sitemap(url, give)))

    async def _locate(self, turn: HostTurn, url: str) -> None:
        self._arrived.append(LocatedArrival(turn, url, await self._source.locate(url)))

    async def _probe(self, turn: HostTurn, url: str) -> None:
        _log.debug("asking for %s, which cannot exist", url)
        fetched, _ = await self._source.page(PageRequest(url))
        self._arrived.append(ProbeArrival(turn, fetched))

    async def _see(self, turn: HostTurn, url: str) -> None:
        _log.debug("asking for %s, to see whether anybody answers", url)
        fetched, _ = await self._source.page(PageRequest(url))
        self._arrived.append(KnockArrival(turn, fetched))

    # Taking in.

    async def _absorb_arrived(self) -> bool:
        """Take in what has come; returns whether that was all, or the rest must wait until others have gone on."""
        links, at_once = 0, self._timing.links_at_once
        while self._arrived:
            if links > at_once:
                return False
            arrival = self._arrived.popleft()
            its_links = _links_of(arrival)
            links += its_links
            if its_links > at_once:
                await self._aside(partial(self._take_in, arrival))
            else:
                self._take_in(arrival)
        return links <= at_once

    def _take_in(self, arrival: Answer | SitemapUrls) -> None:
        now = self._clock()
        if isinstance(arrival, SitemapUrls):
            self._absorber.sitemaps.absorb_urls(*arrival, now)
            return
        reason = reason_of(arrival)
        if reason == OPEN_FILES:
            self._put_back_untried(arrival, now)
            return
        if isinstance(arrival, PageArrival) and self._has_enough():
            self._put_back(arrival, 0.0, now)
            return
        self._note_failure(arrival, reason)
        if isinstance(arrival, LocatedArrival):
            self._frontier.looked_up(reason != "dns-unanswered", now)
        if reason in SILENT:
            self._frontier.judge(self._turn(arrival).host, False, now)
        elif not (isinstance(arrival, LocatedArrival) or reason == "worker-died"):
            self._frontier.judge(self._turn(arrival).host, True, now)
        if reason in SILENT or (reason == "worker-died" and self._turn(arrival).is_knock):
            self._doubt(arrival, now)
            return
        if not (isinstance(arrival, LocatedArrival) or reason == "worker-died"):
            self._believe(now)
        self._absorb(arrival, now)

    def _note_failure(self, arrival: Answer, reason: str | None) -> None:
        """Keep why a request got no usable answer, should the run end without any."""
        if isinstance(arrival, RobotsArrival) and reason is None and is_unreachable(arrival.fetched):
            reason = f"http-{arrival.fetched.status}"
        if reason is not None:
            self.unanswered[reason] += 1

    def _absorb(self, arrival: Answer, now: float) -> None:
        if (reason := reason_of(arrival)) is not None and (page := self._turn(arrival).page) is not None:
            self._absorber.guesses.doubt(page, reason, now)
        if isinstance(arrival, RobotsArrival):
            self._absorber.robots.absorb(*arrival, now)
        elif isinstance(arrival, LocatedArrival):
            self._absorb_located(arrival, now)
        elif isinstance(arrival, SitemapArrival):
            self._absorber.sitemaps.absorb(*arrival, now)
        elif isinstance(arrival, ProbeArrival):
            self._absorber.probes.absorb(*arrival, now)
        elif isinstance(arrival, KnockArrival):
            self._absorber.turns.answered(arrival.turn, arrival.fetched, now)
        else:
            self.fetched += arrival.fetched.status is not None
            self.bytes += arrival.fetched.size
            self._absorber.visits.absorb(arrival.page, arrival.fetched, arrival.parsed, now)

    def _doubt(self, arrival: Answer, now: float) -> None:
        """Take in a silent request: what it was for is held until it is known whether that is an outage."""
        turn = self._turn(arrival)
        answered = self._absorber.hosts.answered
        if turn.is_knock:
            self._frontier.end_turn(turn, now, not_before=now + self._stale_names.get(reason_of(arrival) or "", 0.0))
            self._absorber.knocks.over()
            self._outage.unanswered(now)
        elif self._outage.ask_at is None and len(answered) < HOSTS:
            self._absorb(arrival, now)
        else:
            self._frontier.leave_address(turn, now, asked=not isinstance(arrival, LocatedArrival))
            self._outage.failed(arrival, turn.host.id if turn.host.id in answered else None, now)

    def _believe(self, now: float) -> None:
        """Somebody has answered: what has failed by now, has failed, unless it was in an outage."""
        self._spare(now)
        if self._silent_since is not None:
            _log.warning("somebody answers again, after %.0f s", now - self._silent_since)
            self._silent_since = None
        self._absorber.knocks.all_well()
        self._absorb_failures(self._outage.answered(), now)

    def _absorb_failures(self, failures: list[Answer], now: float) -> None:
        """It was their hosts: these are no sign any more, until they answer again."""
        for arrival in failures:
            self._absorber.hosts.answered.discard(self._turn(arrival).host.id)
            self._absorb(arrival, now)

    def _clear_up(self, now: float, *, has_more: bool) -> bool:
        """Put back what failed in an outage, or take in failures that nothing throws more light on.

        Returns whether any were taken in, so that there may be more to hand out.
        """
        if self._outage.since is not None and self._silent_since is None:
            self._silent_since = self._outage.since
            began = time.strftime("%H:%M:%S", time.localtime(self._silent_since))
            _log.warning("nobody answers since %s: pausing, and trying again every now and then", began)
        self._spare(now)
        is_idle = not (has_more or self._tasks or self._arrived) and self._next_ready() is None
        overdue = self._outage.overdue(now, is_idle=is_idle)
        self._absorb_failures(overdue, now)
        return bool(overdue)

    def _spare(self, now: float) -> None:
        """Let what failed in an outage, or may have when the crawl ends, wait for its turn again."""
        for arrival in self._outage.spared(is_over=self.reason is not None):
            self._put_back(arrival, self._stale_names.get(reason_of(arrival) or "", 0.0), now)

    def _put_back(self, arrival: Answer, rest: float, now: float) -> None:
        """What a request was for waits for its turn again, as if it had not had it; its host rests as long."""
        if isinstance(arrival, ProbeArrival):
            self._absorber.probes.put_back(arrival.fetched.url)
        self._absorber.turns.spare(self._turn(arrival), rest, now)

    def _put_back_untried(self, arrival: Answer, now: float) -> None:
        """There was no room for one more open file: that is nobody's fault but ours."""
        if not self._was_full:
            self._was_full = True
            _log.warning("too many files are open: requests wait; 'ulimit -n 4096' before the crawl makes it faster")
        if self._turn(arrival).is_knock:
            self._absorber.knocks.over()
            self._outage.postponed(self._absorber.hosts.answered, now)
        self._put_back(arrival, self._timing.full, now)

    def _turn(self, arrival: Answer) -> HostTurn:
        if isinstance(arrival, PageArrival):
            return HostTurn(self._frontier.host(arrival.page), arrival.page)
        return arrival.turn

    def _silence(self) -> Silence | None:
        return None if self._outage.since is None else Silence(self._outage.since, self._outage.pause)

    def _absorb_located(self, arrival: LocatedArrival, now: float) -> None:
        """A host without address fails as the request that was to be made of it would have."""
        turn, url, located = arrival
        if located.reason is None:
            if turn.is_knock:
                self._outage.located(now)
            self._absorber.turns.locate(turn, self._clocked(url, located.address), now + self._timing.name, now)
            return
        site, hop = origin_of(url), self._absorber.robots.hop(turn)
        robots = self._absorber.robots.state(site)
        if hop is not None:
            self._absorber.robots.absorb(turn, hop.site, Fetched(url, reason=located.reason), now)
        elif not self._settings.ignore_robots and (robots is None or now >= robots.expires):
            failure = Fetched(f"{site}/robots.txt", reason=located.reason)
            self._absorber.robots.absorb(turn, site, failure, now)
        elif turn.page is not None:
            self._absorber.visits.absorb(turn.page, Fetched(url, reason=located.reason), ParsedPage(), now)
        else:
            self._absorber.sitemaps.absorb(turn, SitemapAnswer(Fetched(url, reason=located.reason)), now)

    def _is_commit_due(self, now: float) -> bool:
        is_late = now - self._last_commit >= self._timing.batch
        return is_late or self._absorber.turns_in_batch >= _BATCH or self._absorber.hosts.is_urgent

    def _commit_and_settle(self, now: float) -> None:
        self._commit()
        if self.reason is None:
            self._absorber.sitemaps.let_idle_in(now)
        if self._absorber.settling.is_due:
            self._absorber.settling.settle()

    def _commit(self) -> None:
        self._asked_until = self._clock() + self._timing.lease
        self._absorber.commit(self.meta())
        self._last_commit = self._clock()

    def meta(self) -> dict[str, MetaValue]:
        """What the store keeps of this run, for `status`."""
        state = {
            "fetched": self.fetched,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "in_flight": self._frontier.in_flight,
            "errors": dict(self._absorber.tally.failures),
            "coverage": self._absorber.accounts.coverage.bound(),
            "shape": None if self._graph_counts.latest is None else asdict(self._graph_counts.latest),
            "silence": None if (silence := self._silence()) is None else asdict(silence),
        }
        now = self._clock()
        is_over = self.reason is not None and not self._frontier.in_flight
        return {
            "run": json.dumps(state),
            "run_at": now,
            "stopped": self.reason,
            "asked_until": now if is_over else self._asked_until,
            "in_doubt": int(not is_over),
        }

    # Waiting and stopping.

    def _check_limits(self, now: float) -> None:
        settings = self._settings
        if self._has_enough():
            self.stop("pages")
        if settings.time is not None and now - self._started >= settings.time:
            self.stop("time")
        if settings.bytes is not None and self.bytes >= settings.bytes:
            self.stop("bytes")
        coverage = self._absorber.accounts.coverage
        if settings.until_coverage is not None and coverage.bound() >= settings.until_coverage:
            self.stop("coverage")

    async def _wait(self) -> None:
        """Until something arrives, a host's time comes or a commit is due."""
        self._wake.clear()
        await asyncio.sleep(0)
        if self._arrived or self._wake.is_set():
            return
        until = self._last_commit + self._timing.batch
        if self.reason is None:
            if self._settings.time is not None:
                until = min(until, self._started + self._settings.time)
            next_ready = self._outage.ask_at if self._outage.ask_at is not None else self._next_ready()
            until = until if next_ready is None else min(until, next_ready)
        pause = until - self._clock()
        if await self._woken_within(min(pause, self._timing.idle)) or pause <= self._timing.idle:
            return
        # Nothing happens for a while: a good time to commit, and for virtual visits.
        if self._absorber.turns_in_batch:
            await self._aside(self._commit)
        if not await self._aside(self._absorber.settling.settle):
            await self._woken_within(until - self._clock())

    def _next_ready(self) -> float | None:
        """Unix seconds at which something comes on offer next; None when there is nothing to wait for."""
        times = (self._frontier.next_ready(), self._absorber.sitemaps.queue.next_ready())
        return min((time for time in times if time is not None), default=None)

    async def _woken_within(self, seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(seconds, self._wake.set)
        await self._wake.wait()
        alarm.cancel()
        return loop.time() < alarm.when()

    async def _show_progress(self, now: float) -> None:
        if self._on_progress is not None and now >= self._progress_at:
            self._on_progress(await self._aside(self.progress))
            # A look at millions of pages takes a while: a twentieth of the time at most goes into looking.
            self._progress_at = now + max(self._timing.progress, self._timing.looks_apart * (self._clock() - now))


def _links_of(arrival: Answer | SitemapUrls) -> int:
    """How many URLs an answer leads to."""
    if isinstance(arrival, PageArrival):
        return len(arrival.parsed.outlinks)
    return len(arrival.urls) if isinstance(arrival, SitemapUrls) else 0
