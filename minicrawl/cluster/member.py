"""A partition as its keeper knows it: what the keeper asks of it."""

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from minicrawl import log
from minicrawl.cluster.combined import Covered
from minicrawl.cluster.hints import voided
from minicrawl.cluster.partition import Partition, Post
from minicrawl.cluster.quotas import has_quotas
from minicrawl.cluster.settings import settings_of
from minicrawl.cluster.shared_addresses import Order, shares_addresses
from minicrawl.control.commands import done
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.reasons import ask_again
from minicrawl.crawler.run import Together, opened
from minicrawl.crawler.running_crawl import SteeredRun
from minicrawl.crawler.steps.cookies import Cookies
from minicrawl.errors import CrawlEndedError, MinicrawlError
from minicrawl.model import Progress
from minicrawl.opic.book import BookSums
from minicrawl.search.following import begin_following, end_following
from minicrawl.store.cookies import CookieRow
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD

if TYPE_CHECKING:
    from minicrawl.cluster.actor import Brief

_Answer = TypeVar("_Answer")
_OF_A_COMMIT, _LONGEST = 0.08, 5.0
"""Seconds between commits for each partition of a process, so that these take a few percent of the time; and most."""


class Report(NamedTuple):
    """Figures of a partition, in all runs.

    is_idle: see `Partition.is_idle`. counters: they grow with every page fetched, and row sent or taken. before: pages
    and bytes from before this process. quota: in force; is_short: it waits for quota. coverage: None if not all is
    known yet. size, size_then: see `KnownSites`. pages: known and read ones at home. progress: the latest, if the Brief
    asks for it. wanted, left: see `Partition.trade`.
    """

    has_crawled: bool
    is_idle: bool
    counters: tuple[int, ...]
    fetched: int
    bytes: int
    before: tuple[int, int]
    quota: int
    is_short: bool
    coverage: Covered | None
    size: int
    size_then: int
    sums: BookSums
    pages: tuple[int, int]
    left_out: int
    progress: Progress | None
    wanted: Sequence[str]
    left: dict[str, float]


class Final(NamedTuple):
    """Figures of a partition at the end. unsettled: see `certificate_of`."""

    coverage: Covered
    pages: tuple[int, int]
    left_out: int
    unsettled: tuple[float, int]
    failures: dict[str, int]
    unanswered: dict[str, int]
    cookies: Sequence[CookieRow]


class Member(Partition):
    """A partition in an actor, and what its keeper asks of it: every public coroutine."""

    def __init__(self, brief: "Brief", writer: Writer, post: Post, together: Together) -> None:
        """post: to the other partitions. together: with other partitions of this process. Raises MinicrawlError."""
        settings, partitions, beside = brief.settings, brief.folder.partitions, brief.beside
        brief.folder.check_is_current(brief.number, writer)
        self._brief = brief
        self.store = writer.path
        self._seeds = spelled(brief.seeds, writer.page_table.find, keep_parameters=settings.keep_parameters)
        if brief.is_first:
            ask_again(writer, self._seeds.urls, settings.retry)
        pace = min(_OF_A_COMMIT * (beside - 1), _LONGEST)
        batch = max(STANDARD.batch, pace)
        workers = len(brief.where.actors)
        run = opened(
            settings_of(brief.number, partitions, workers, settings),
            Seeds([*self._seeds.urls, *brief.folder.seeds]),  # secrets may go to seeds of all partitions of the process
            writer,
            share=brief.folder.homes.share(brief.number),
            on_progress=self._note_progress if brief.shows_progress else None,
            timing=replace(
                STANDARD,
                batch=batch,
                quiet=STANDARD.paused,
                lease=batch + STANDARD.lease - STANDARD.batch,
                idle=max(STANDARD.idle, pace),
            ),
            together=together,
            replayed=brief.replayed,
        )
        self._together = together
        self._progress: Progress | None = None
        run.intake.commit({"settings": settings.to_json(writer.path.parent), "stopped": None})
        super().__init__(brief.number, run, post, workers, beside)
        self._steered = SteeredRun(run)
        if settings.until_coverage is not None:
            self.bound_coverage()
        if shares_addresses(settings, partitions):
            self.share_addresses()
        if has_quotas(settings):
            run.engine.dispatch.let(0)
        self._crawling: asyncio.Task[None] | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self.has_crawled = not brief.crawls

    # For the actor.

    def begin(self) -> None:
        if self._brief.settings.search:
            self._follower = begin_following(self.store)
        if self._brief.crawls:
            if self._brief.is_paused:
                self._engine.pause()
            self._crawling = asyncio.create_task(self._crawl())
        else:
            self._engine.commands.end()  # no moment of the crawl comes

    async def leave(self) -> None:
        """Stop the crawl if it runs, and free its resources. Raises MinicrawlError if it has failed."""
        self.has_left = True
        try:
            if self._crawling is not None:
                self._engine.stop("interrupted")
                await asyncio.wait([self._crawling])
                self._crawling.result()  # raises the exception that ended the crawl
        finally:
            if self._follower is not None:
                is_over = self._engine.reason not in (None, "interrupted")
                await asyncio.to_thread(end_following, self._follower, catch_up=is_over)

    async def _crawl(self) -> None:
        async with self._together.entered(self.run.source):
            await self.crawl(self._seeds.urls, self._seeds.guessed, self._brief.folder.seeds)
        self.has_crawled = True

    # For the keeper.

    async def report(self, pages: int | None, elsewhere: BookSums | None, addresses: Order | None) -> Report:
        """Its figures. pages: it may have fetched so many by now, in all runs. elsewhere: of the other partitions.
        addresses: see `Partition.trade`."""
        if elsewhere is not None:
            self.note_elsewhere(elsewhere)
        report = self._report(pages)  # before the trade, which wakes the engine: it would not be idle
        if addresses is None:
            return report
        wanted, left = await self.trade(**addresses)
        return report._replace(wanted=wanted, left=left)

    def _report(self, pages: int | None) -> Report:
        if self._crawling is not None and self._crawling.done():
            self._crawling.result()  # raises the exception that ended the crawl
        dispatch, progress, intake = self._engine.dispatch, self._engine.progress, self._intake
        sites, before = intake.state.sites, progress.earlier
        if pages is not None:
            dispatch.let(max(pages - before.fetched, 0))
        return Report(
            has_crawled=self.has_crawled,
            is_idle=self.is_idle,
            counters=(progress.fetched, *self.outbox.counters),
            fetched=before.fetched + progress.fetched,
            bytes=before.bytes + progress.bytes,
            before=(before.fetched, before.bytes),
            quota=before.fetched + (dispatch.limits.quota or 0),
            is_short=dispatch.is_short,
            coverage=self.coverage,
            size=0 if sites is None else sites.size,
            size_then=0 if sites is None else sites.size_then,
            sums=self.sums,
            pages=self.pages,
            left_out=intake.state.tally.left_out,
            progress=self._progress,
            wanted=(),
            left={},
        )

    async def stop(self, reason: str, *, now: bool) -> None:
        """Begin no more requests; now: do not wait for those in flight."""
        if now:
            self._engine.stop(reason)
            self._engine.abort()
        else:
            self._engine.finish(reason)

    async def steer(self, asked: Message, *, bounds_coverage: bool = False) -> tuple[Message, int, int]:
        """Carry out a command of control/commands.py. Returns its answer, and the numbers of mirrors and unconfirmed
        rows. bounds_coverage: changes that loosen the coverage bound are handed over from now on. Raises
        MinicrawlError."""
        if bounds_coverage:
            self.bound_coverage()
        try:
            answer = await done(self._steered, asked)
        except MinicrawlError:
            raise
        except Exception as error:  # no command may end the partition
            log.event("command-failed", asked=repr(asked), error=error)
            raise CrawlEndedError("minicrawl failed on this command; see the log of the crawl") from error
        # Another thread may be updating the books: the values read here stay valid when its changes are added.
        outbox = self.outbox
        return answer, self.mirrors, sum(len(outbox.rows(home)) for home in outbox.homes())

    async def on_intake(self, do: Callable[[Intake], _Answer], *, changes: bool = True) -> _Answer | None:
        """Run a function on the intake, and return its result, committed; None if it cannot run now. changes: False if
        it only looks."""
        if not self.has_crawled:
            return await self.between_answers(do)
        answer = do(self._intake)
        if changes:  # else all has been committed when the crawl ended
            self.commit()
        return answer

    async def void_hints(self, urls: Sequence[str]) -> int | None:
        """See hints.py; None as above."""
        return await self.on_intake(partial(voided, urls, self.run.clock()))

    async def hand_over(self) -> bool:
        """After the crawl: send the outbox. Returns True if it had rows."""
        homes = list(self.outbox.homes())
        await asyncio.gather(*map(self._hand_over_to, homes))
        return bool(homes)

    async def _hand_over_to(self, home: int) -> None:
        outbox = self.outbox
        try:
            number = await self._post.send(self._brief.number, home, outbox.rows(home), hurries=True)
        except MinicrawlError:
            return  # sent again in the next round
        outbox.confirm(home, number)

    async def end(self) -> Final:
        """Commit the end of the crawl, which has settled."""
        self.commit(ranks=True)
        intake = self._intake
        intake.steps.finish()
        cookies = intake.steps.find(Cookies)
        return Final(
            coverage=self.covered(),
            pages=self.counted(),
            left_out=intake.state.tally.left_out,
            unsettled=self.unsettled,
            failures=dict(intake.state.tally.failures),
            unanswered=dict(self._engine.dispatch.unanswered),
            cookies=cookies.rows() if self._brief.settings.cookie_file and cookies else (),
        )

    def _note_progress(self, progress: Progress) -> None:
        self._progress = progress
