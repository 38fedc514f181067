"""A running crawl as an object: its status, its events, and calls that steer it.

The crawl is a task of the caller's event loop. A change is made between two answers, and the call returns when the
commit that holds it is made: it survives a kill.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar  # Any: settings as given

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.assemble import Run
from minicrawl.crawler.loop.commands import EventReader
from minicrawl.crawler.run import OWN_TRANSPORT
from minicrawl.crawler.steering import adjusted
from minicrawl.errors import CrawlEndedError, SettingError
from minicrawl.events import Event, SettingChanged
from minicrawl.model import CrawlReport, RunState, RunStatus
from minicrawl.settings import CrawlSettings

_T = TypeVar("_T")
_ROOM = 10_000
OnBegin = Callable[[Run], None]


class SteeredRun:
    """A run that can be watched and steered. Its owner lets it crawl."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._adjusting = asyncio.Lock()

    # Watching.

    @property
    def status(self) -> RunStatus:
        """The present state and counts of the crawl."""
        engine, intake = self._run.engine, self._run.intake
        return RunStatus(
            state=engine.state,
            reason=engine.reason,
            fetched=engine.progress.fetched,
            bytes=engine.progress.bytes,
            seconds=engine.progress.seconds,
            known=intake.state.accounts.size,
            read=intake.state.accounts.coverage.collected,
            in_flight=intake.state.frontier.in_flight,
            waits_for=dict(Counter(what for what, _ in self._run.source.waits().values())),
            workers=self._run.source.workers(),
            limits=engine.limits.now,
            banned=self._run.changes.banned(),
        )

    async def look(self, hosts: int = 0, requests: int = 20) -> dict[str, Any]:
        """The crawl between two answers as JSON, with up to `hosts` of its hosts and `requests` in flight.

        Raises CrawlEndedError when the ranking is being settled, or all is over.
        """
        look, worker_of = await self._run.engine.look(hosts, requests), self._run.source.worker_of
        return look | {"requests": [{**one, "worker": worker_of(one["url"])} for one in look["requests"]]}

    def latest_events(self, after: int = 0) -> list[tuple[int, Event]]:
        """Recent events with numbers above `after`. They are kept from the first call on."""
        engine = self._run.engine
        return engine.events.latest(after)

    @property
    def settings(self) -> CrawlSettings:
        """The present settings."""
        return self._run.changes.settings

    def events(self, room: int = _ROOM) -> EventReader:
        """Events from now on, to the end of the crawl: see minicrawl.events.

        Any number of readers may read at once. A slow one does not slow the crawl: of more than `room` events that wait
        for it the oldest are dropped, and it is told how many.
        """
        if room < 1:
            raise SettingError(f"room must be at least 1, not {room}")
        engine = self._run.engine
        return engine.events.reader(room)

    # Steering.

    async def pause(self) -> None:
        """Make no more requests; those in flight are finished. All clocks of limits stand still.

        A paused crawl stays so until it is resumed or stopped. Hosts' own clocks go on: a host is not asked sooner, nor
        later. The next run of the crawl is not paused.
        """
        await self._have(lambda now: self._run.engine.pause())

    async def resume(self) -> None:
        """Go on after `pause`."""
        await self._have(lambda now: self._run.engine.resume())

    async def stop(self, *, now: bool = False) -> None:
        """Make no more requests, and end when those in flight are finished. now: do not wait for them.

        Returns when the reason is in the store; `finished` when all is. Nothing is lost: the next run continues.
        """
        engine = self._run.engine
        if now:
            engine.abort()
        else:
            engine.stop("interrupted")
        try:
            await self._have(lambda now: None)
        except CrawlEndedError:
            return

    async def change_settings(self, given: Mapping[str, Any]) -> tuple[SettingChanged, ...]:
        """Change settings by name. Returns the changes."""
        async with self._adjusting:
            settings = adjusted(self.settings, given)
            if settings.workers and self._run.given_transport:
                raise SettingError(OWN_TRANSPORT)
            if settings.workers != self.settings.workers:
                await self._run.source.set_workers(settings.workers)
            intake = self._run.intake
            return await self._have(partial(self._run.changes.adjust, settings), links=len(intake.state.frontier.hosts))

    async def take_seeds(self, seeds: Seeds) -> int:
        """Make seeds known. Returns the number of new ones."""
        return await self._have(partial(self._run.changes.add_seeds, seeds), len(seeds.urls))

    async def ban(self, host: str) -> str:
        """Ban a host; requests in flight are finished. Holds for later runs, too. Returns its name.

        host: a name, with its port unless it is the scheme's own, or a URL on it. Its pages wait; `minicrawl why` tells
        the reason.
        """
        return await self._have(partial(self._run.changes.ban, host))

    async def unban(self, host: str) -> str:
        """Lift a ban: the pages of the host have their turns again. Returns its name."""
        return await self._have(partial(self._run.changes.unban, host))

    async def again(self, url: str) -> str:
        """Request a page again, as the next one of its host: one that was read, or given up, or waits. Returns its
        known URL."""
        return await self._have(partial(self._run.changes.ask_again, url))

    async def _have(self, change: Callable[[float], _T], links: int = 0) -> _T:
        engine = self._run.engine
        return await engine.commands.done(change, links)


class RunningCrawl(SteeredRun):
    """Begins with the block, which waits for its end; a crawl that is paused then is stopped. An exception stops it at
    once."""

    def __init__(self, crawl: Callable[[OnBegin], Coroutine[Any, Any, CrawlReport]]) -> None:
        """crawl: crawls, and passes on its run once that can be steered."""
        self._crawl = crawl

    async def __aenter__(self) -> Self:
        begun: asyncio.Future[Run] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._crawl(begun.set_result), name="minicrawl")
        self._task.add_done_callback(lambda _: begun.done() or begun.cancel())
        try:
            await asyncio.wait([begun])
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait([self._task])
            raise
        if begun.cancelled():
            await self._task  # raises its failure
        super().__init__(begun.result())
        self._task.add_done_callback(lambda _: self._run.engine.end())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        engine = self._run.engine
        if error is not None:
            engine.abort()
        elif engine.state is RunState.PAUSED:
            engine.stop("interrupted")
        try:
            await asyncio.wait([self._task])
        except asyncio.CancelledError:
            engine.abort()
            self._task.cancel()
            await asyncio.wait([self._task])
            raise
        if error is None:
            self._task.result()
        elif not self._task.cancelled():
            self._task.exception()  # the block's stands for it

    async def finished(self) -> CrawlReport:
        """Wait for the end of the crawl, and return its report. Raises the crawl's failure."""
        return await asyncio.shield(self._task)
