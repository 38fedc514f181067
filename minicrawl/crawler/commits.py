"""Commits of a crawl: their times, and the row of the run in each."""

from collections.abc import Callable

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.loop.arrivals import BooksThread
from minicrawl.crawler.loop.commands import Commands
from minicrawl.store.declaration import MetaValue
from minicrawl.timing import Timing


class Commits:
    """`last`: time of the last one. `asked_until`: time until which requests may leave without another one.

    meta: the run's data for the store, by `asked_until`.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        intake: Intake,
        commands: Commands,
        thread: BooksThread,
        clock: Callable[[], float],
        timing: Timing,
        meta: Callable[[], dict[str, MetaValue]],
    ) -> None:
        self._intake, self._state = intake, intake.state
        self._commands = commands
        self._thread = thread
        self._clock = clock
        self._timing = timing
        self._meta = meta
        self.last = clock()
        self.asked_until = 0.0
        self._had_news = True

    @property
    def has_news(self) -> bool:
        """True if a request has ended or a change was made since the last commit but one: the last may have left
        something to the next."""
        return self._had_news or self._is_news

    @property
    def _is_news(self) -> bool:
        return self._intake.has_news or self._commands.has_made

    def late_at(self, *, is_asking: bool) -> float:
        """Unix seconds from which the next one is late. is_asking: requests are in flight."""
        batch = self._timing.batch
        return self.last + (batch if is_asking or self.has_news else max(self._timing.quiet, batch))

    def is_due(self, now: float, *, is_asking: bool) -> bool:
        is_late = now >= self.late_at(is_asking=is_asking)
        is_full = self._intake.turns_in_batch >= self._intake.turns_per_commit
        is_awaited = self._commands.wait_for_commit or self._intake.ranking.is_coverage_old
        return is_late or is_full or is_awaited or self._state.hosts.is_urgent

    async def commit(self) -> None:
        """Commit all results taken in, in the thread, and notify those who wait for it."""
        await self._thread.do(self.write)
        self._commands.committed()

    def write(self) -> None:
        self.asked_until = self._clock() + self._timing.lease
        self._had_news = self._is_news
        self._intake.commit(self._meta())
        self.last = self._clock()
