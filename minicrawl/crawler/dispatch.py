"""Begin requests while there is room and a host on offer, and take in their results."""

from collections.abc import Callable
from functools import partial

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.loop.commands import EventStream
from minicrawl.crawler.loop.in_flight import InFlight, Slots
from minicrawl.crawler.loop.limits import Limits
from minicrawl.crawler.net.open_files import OPEN_FILES, Room
from minicrawl.crawler.progress import RunProgress
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.outage_watch import OutageWatch
from minicrawl.crawler.requests.request import Deliver, Request
from minicrawl.crawler.sources.workers import Source
from minicrawl.events import PageFetched
from minicrawl.model import InFlightNow
from minicrawl.settings import CrawlSettings

_OF_PAGES = frozenset({"pages", "bytes", "coverage"})
"""Limits of pages. Others end everything."""


class Dispatch:
    """It knows no kind of request: `requests` chooses them; a request sends itself, and takes in its answer.

    When the crawl has all its pages, other results are dropped, and their pages wait for the next run. `unanswered`:
    failed requests, by reason.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        intake: Intake,
        requests: DueRequests,
        source: Source,
        settings: CrawlSettings,
        progress: RunProgress,
        events: EventStream,
        *,
        files: Callable[[int], Room],
        deliver: Deliver,
        on_change: Callable[[], None],
        slots: Slots | None = None,
    ) -> None:
        """files: the room for a number of requests at once. deliver: passes an arrival to the loop. on_change: called
        when a request has ended. slots: see InFlight."""
        self._intake, self._state = intake, intake.state
        self._requests, self.unanswered = requests, requests.unanswered
        self._source = source
        self._progress = progress
        self._events = events
        self._timing = self._state.timing
        self._files = files
        self._deliver = deliver
        self.limits = Limits(settings, progress, lambda: intake.state.accounts.coverage.shares()[0])
        self.in_flight = InFlight(
            files(settings.concurrency), soon=None, one_by_one=False, on_change=on_change, slots=slots
        )
        self.outages = OutageWatch(self._state, intake.turns, self._absorb, asks_robots=not settings.ignore_robots)
        self._on_change = on_change
        self.is_over = self.is_short = False
        """is_short: True if a request is due, but the limits allow none."""
        self.adjust(settings)

    def oldest(self, number: int) -> tuple[InFlightNow, ...]:
        """The requests that have been in flight for the longest."""
        return self.in_flight.oldest(number, self._source.waits())

    def adjust(self, settings: CrawlSettings) -> None:
        """Go on with other limits and another concurrency."""
        self.limits.settings = settings
        is_limited = settings.pages is not None or self.limits.quota is not None
        soon = self._timing.soon if is_limited else None
        self.in_flight.adjust(self._files(settings.concurrency), soon=soon, one_by_one=settings.concurrency == 1)

    def let(self, pages: int) -> None:
        """Set the run's present quota of pages: other crawls share its limit."""
        is_first = self.limits.quota is None
        self.limits.let(pages, self.in_flight.pages)
        if is_first:
            self.adjust(self.limits.settings)
        self._on_change()

    def outlasts(self, limit: str) -> bool:
        """True if requests for no page go on where a limit is reached."""
        return limit in _OF_PAGES and self._requests.outlasts_pages

    def stop(self) -> None:
        """Begin no more; pages in flight are finished, and nothing else is waited for."""
        self.is_over = True
        self.in_flight.stop(has_enough=self.limits.has_enough)

    def end_waits(self) -> None:
        """Leave pages that have come and wait, as for hooks, to the next run."""
        self.in_flight.end_waits(self._source.waits())

    def may_ask(self, now: float) -> bool:
        """True if a request is in flight, or due."""
        flying = self.in_flight
        if flying:
            return True
        if self.outages.ask_at is not None:
            return now >= self.outages.ask_at
        flying.begin_attempts(now)
        return flying.has_room and self._requests.next(now, attempts=flying.has_room_for_attempts) is not None

    def begin(self, now: float) -> bool:
        """Begin requests; returns whether more could be begun at once."""
        has_more = self._begin_due(now)
        self.in_flight.pass_on()
        return has_more

    def _begin_due(self, now: float) -> bool:
        self.is_short = False
        self.limits.take_back(self.in_flight.pages)
        if self.outages.ask_at is not None:
            check = self.outages.check(now)
            if check is not None and self._begin(check, now):
                self.outages.checking()
            return False
        flying = self.in_flight
        flying.begin_attempts(now)
        while flying.has_room:
            if not self._state.frontier.errands_only and not self.limits.allow_one_more(flying.pages):
                self.is_short = self._requests.next(now, attempts=flying.has_room_for_attempts) is not None
                return False
            if self._intake.turns_in_batch >= 2 * self._intake.turns_per_commit:
                return True
            request = self._requests.next(now, attempts=flying.has_room_for_attempts)
            if request is None:
                return flying.may_begin_more_attempts
            self._begin(request, now)
        return False

    def clear_up(self, now: float, *, is_idle: bool) -> bool:
        """Settle failed requests. Returns whether there may be more to begin. is_idle: nothing else is under way."""
        is_idle = is_idle and self._requests.next_ready() is None
        return self.outages.clear_up(now, is_idle=is_idle, is_over=self.is_over)

    def next_ready(self) -> float | None:
        """Unix time at which to look for the next request; None if only an answer can make room for one."""
        if self.outages.ask_at is not None:
            return self.outages.ask_at
        flying = self.in_flight
        return self._requests.next_ready() if flying.has_room else flying.has_room_at

    def _begin(self, request: Request, now: float) -> bool:
        """Send the request that a turn is due, or one that must come before it; False if there is none."""
        begun = self._requests.begun(request, now)
        if begun is not None:
            self.in_flight.spawn(self._ask(begun), begun)
        return begun is not None

    async def _ask(self, request: Request) -> None:
        await request.ask(self._intake.steps.source(self._source), self._deliver)
        self._deliver(request.links, partial(self._take, request))

    def _take(self, request: Request, now: float) -> None:
        self._state.pages.requests_ended += 1
        if request.fetched.record is not None:
            self._intake.steps.on_record(request.fetched.record, request.page if request.is_page else None)
        for record in request.fetched.further:
            self._intake.steps.on_record(record, None)
        if request.is_page and self.limits.has_enough:
            request.put_back(0.0, now)
            return
        if request.failure is not None and request.reason != OPEN_FILES:
            self.unanswered[request.failure] += 1
        self.outages.take(request, now, is_over=self.is_over)

    def _absorb(self, request: Request, now: float) -> None:
        if request.is_page:
            fetched = request.fetched
            self._progress.add(fetched)
            if self._events.is_followed:
                came = fetched.status, fetched.reason, fetched.size, fetched.seconds
                self._events.tell(PageFetched(now, fetched.url, *came))
        if request.reason is not None and request.page is not None:
            guesses = self._intake.visits.guesses
            guesses.doubt(request.page, request.reason, now)
        request.on_answer(now)
