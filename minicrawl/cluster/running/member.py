"""A partition as its keeper knows it: the answers to messages, each a JSON object (control/messages.py).

report     progress, see `Member.report`
stop       begin no more requests; with "now", do not wait for those in flight
links of sites, share out    trust of sites, see combined.py
hints, dead, void    pages that stand for others, see hints.py
count voices    count the sites here that link to pages of others, after the crawl
settle     make virtual visits, after the crawl, once a round in all partitions of the process
hand over  send the outbox; the answer has the `homes` that it had rows for
steer      a command of control/commands.py; the answer has its result, or its failure. With "bounds_coverage", hand
           over changes that loosen the coverage bound from now on
end        commit the end of the crawl; the answer has its figures
"""

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TypeVar

from minicrawl import log
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.combined import shared_out, site_links
from minicrawl.cluster.running.hints import of_hints
from minicrawl.cluster.running.partition import Partition, Post
from minicrawl.cluster.running.quotas import has_quotas
from minicrawl.cluster.running.shared_addresses import shares_addresses
from minicrawl.cluster.settings import settings_of
from minicrawl.control.commands import done as what_is_done
from minicrawl.control.messages import Message, done, failed
from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.reasons import ask_again
from minicrawl.crawler.parts.cookies import Cookies
from minicrawl.crawler.run import Together, opened
from minicrawl.crawler.running_crawl import SteeredRun
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError
from minicrawl.model import Progress
from minicrawl.opic.book import BookSums
from minicrawl.search.following import begin_following, end_following
from minicrawl.store.transfers import OutboxRow
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD

_T = TypeVar("_T")
_OF_A_COMMIT, _LONGEST = 0.08, 5.0
"""Seconds between commits for each partition of a process, so that these take a few percent of the time; and most."""


class Member:
    """A partition, and its answers to messages."""

    def __init__(
        self, brief: Brief, writer: Writer, post: Post, together: Together, settle: Callable[[int], None]
    ) -> None:
        """post: to the other partitions. together: with other partitions of this process. settle: see `Worker.settle`.
        Raises MinicrawlError."""
        settings, seeds = brief.settings, brief.seeds
        brief.folder.check_is_current(brief.number, writer)
        self._brief = brief
        self.store = writer.path
        self._seeds = spelled(seeds, writer.page_table.find, keep_parameters=settings.keep_parameters)
        if brief.is_first:
            ask_again(writer, self._seeds.urls, settings.retry)
        homes = brief.folder.homes
        own = settings_of(brief.number, homes.partitions, brief.workers, settings)
        on_progress = self._note_progress if brief.shows_progress else None
        share = homes.share(brief.number)
        pace = min(_OF_A_COMMIT * (brief.beside - 1), _LONGEST)
        batch = max(STANDARD.batch, pace)
        self._run = opened(
            own,
            Seeds([*self._seeds.urls, *brief.scope]),  # secrets may go to seeds of all partitions of the process
            writer,
            share=share,
            on_progress=on_progress,
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
        self._run.intake.commit({"settings": settings.to_json(writer.path.parent), "stopped": None})
        self._post = post
        self.partition = Partition(brief.number, self._run, post, brief.workers, brief.beside)
        self._settle = settle
        self._steered = SteeredRun(self._run)
        if settings.until_coverage is not None:
            self.partition.bound_coverage()
        self._dispatch = self._run.engine.dispatch
        if shares_addresses(settings, homes.partitions):
            self.partition.share_addresses()
        if has_quotas(settings):
            self._dispatch.let(0)
        self._crawling: asyncio.Task[None] | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self.partition.has_crawled = not brief.crawls

    def begin(self) -> None:
        if self._brief.settings.search:
            self._follower = begin_following(self.store)
        if self._brief.crawls:
            if self._brief.is_paused:
                self._run.engine.pause()
            self._crawling = asyncio.create_task(self._crawl())
        else:
            self.partition.skip_crawl()

    @property
    def has_crawled(self) -> bool:
        return self.partition.has_crawled

    def take(self, source: int, rows: Sequence[OutboxRow]) -> "asyncio.Future[int]":
        """See `Partition.receive`; and a ConfigError for another source than a partition of this crawl."""
        brief = self._brief
        if source == brief.number or source >= brief.folder.homes.partitions:
            error = ConfigError(f"partition {brief.number} takes nothing of partition {source}")
            log.event("partition-refused", partition=brief.number, why=str(error))
            refused: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            refused.set_exception(error)
            return refused
        return self.partition.receive(source, rows)

    async def do(self, asked: Message) -> Message:  # noqa: PLR0911 - one for all that has an answer
        """Answer a message. Raises MinicrawlError."""
        match asked["do"]:
            case "report":
                return await self._looked_at(asked)
            case "stop":
                self._stop(str(asked["reason"]), now=bool(asked["now"]))
            case "steer":
                return await self._steer(asked["asked"], bounds_coverage=bool(asked.get("bounds_coverage")))
            case "links of sites":
                return {"links": await self._done_to_all(site_links, changes=False)}
            case "share out":
                return {"done": await self._done_to_all(partial(shared_out, asked["trust"]))}
            case "hints" | "dead" | "void":
                of_all = partial(of_hints, asked, self._run.clock())
                return {"answer": await self._done_to_all(of_all, changes=asked["do"] == "void")}
            case "count voices":
                self.partition.count_voices()
            case "settle":
                self._settle(int(asked["round"]))
            case "hand over":
                return {"homes": await self._hand_over()}
            case _:
                return self._ended(is_settled=bool(asked["settled"]))
        return {}

    async def leave(self) -> None:
        """Stop the crawl if it runs, and free its resources. Raises MinicrawlError if it has failed."""
        self.partition.has_left = True
        try:
            if self._crawling is not None:
                self._run.engine.stop("interrupted")
                await asyncio.wait([self._crawling])
                self._crawling.result()  # raises the exception that ended the crawl
        finally:
            if self._follower is not None:
                is_over = self._run.engine.reason not in (None, "interrupted")
                await asyncio.to_thread(end_following, self._follower, catch_up=is_over)

    def abort(self) -> None:
        """Stop the crawl if it runs, and wait for no answer."""
        if self._crawling is not None:
            self._stop("interrupted", now=True)

    async def _crawl(self) -> None:
        async with self._together.entered(self._run.source):
            await self.partition.crawl(self._seeds.urls, self._seeds.guessed, self._brief.scope)
        self.partition.has_crawled = True

    async def _looked_at(self, asked: Message) -> Message:
        """The report. elsewhere: the `BookSums` of the other partitions; addresses: see `Partition.trade`."""
        if "elsewhere" in asked:
            self.partition.note_elsewhere(BookSums(*asked["elsewhere"]))
        report = self._report(asked.get("pages"))  # before the trade, which wakes the engine: it would not be idle
        if "addresses" not in asked:
            return report
        wanted, left = await self.partition.trade(**asked["addresses"])
        return {**report, "addresses": {"wanted": wanted, "left": left}}

    def _report(self, pages: int | None) -> Message:
        """Figures of the partition, in all runs. `counters`: they grow with every row sent or taken. `homes`: those of
        rows in its outbox.

        pages: the quota that it may have fetched by now, in all runs; the answer has the `quota` in force, and `short`:
        True if it waits for quota. `coverage`: see `Covered`; None if not all is known yet. `size`: see `KnownSites`.
        `sums`: see `BookSums`. `earlier`: figures from before this process. `pages`: known and read pages at home.
        `progress`: the latest `Progress`, if the Brief asks for it.
        """
        if self._crawling is not None and self._crawling.done():
            self._crawling.result()  # raises the exception that ended the crawl
        dispatch, progress, intake = self._dispatch, self._run.engine.progress, self._run.intake
        sites, tally = intake.state.sites, intake.state.tally
        before = progress.earlier
        if pages is not None:
            dispatch.let(max(pages - before.fetched, 0))
        return {
            "crawled": self.has_crawled,
            "idle": self.partition.is_idle,
            "counters": [progress.fetched, *self.partition.outbox.counters],
            "homes": list(self.partition.outbox.homes()),
            "fetched": before.fetched + progress.fetched,
            "bytes": before.bytes + progress.bytes,
            "earlier": {"fetched": before.fetched, "bytes": before.bytes},
            "quota": before.fetched + (dispatch.limits.quota or 0),
            "short": dispatch.is_short,
            "coverage": self.partition.coverage,
            "size": 0 if sites is None else sites.size,
            "size_then": 0 if sites is None else sites.size_then,
            "sums": self.partition.sums,
            "pages": self.partition.pages,
            "left_out": tally.left_out,
            "progress": None if self._progress is None else asdict(self._progress),
        }

    def _note_progress(self, progress: Progress) -> None:
        self._progress = progress

    def _stop(self, reason: str, *, now: bool) -> None:
        if now:
            self._run.engine.stop(reason)
            self._run.engine.abort()
        else:
            self._run.engine.finish(reason)

    async def _steer(self, asked: Message, *, bounds_coverage: bool) -> Message:
        """Carry out a command. `answer`: the result or the failure; `mirrors`: known URLs of others; `waiting`:
        unconfirmed rows."""
        if bounds_coverage:
            self.partition.bound_coverage()
        try:
            answer = done(await what_is_done(self._steered, asked))
        except MinicrawlError as error:
            answer = failed(error)
        except Exception as error:  # no command may end the partition
            log.event("command-failed", asked=repr(asked), error=error)
            answer = failed(CrawlEndedError("minicrawl failed over this; the log of the crawl tells where"))
        # Another thread may be updating the books: the values read here stay valid when its changes are added.
        state = self._run.intake.state
        outbox, accounts, folder = self.partition.outbox, state.accounts, self._brief.folder
        book = accounts.book
        waiting = sum(len(outbox.rows(home)) for home in range(folder.homes.partitions))
        mirrors = int(book.is_mirror(slice(0, book.size)).sum())
        return {"answer": answer, "waiting": waiting, "mirrors": mirrors}

    async def _done_to_all(self, do: Callable[[Intake], _T], *, changes: bool = True) -> _T | None:
        """Run a function on the intake, and return its result, committed; None if it cannot run now. changes: False if
        it only looks."""
        if not self.has_crawled:
            return await self.partition.between_answers(do)
        done = do(self._run.intake)
        if changes:  # else all has been committed when the crawl ended
            self.partition.commit()
        return done

    async def _hand_over(self) -> Sequence[int]:
        homes = list(self.partition.outbox.homes())
        await asyncio.gather(*map(self._hand_over_to, homes))
        return homes

    async def _hand_over_to(self, home: int) -> None:
        outbox = self.partition.outbox
        try:
            number = await self._post.send(self._brief.number, home, outbox.rows(home), hurries=True)
        except MinicrawlError:
            return  # sent again in the next round
        outbox.confirm(home, number)

    def _ended(self, *, is_settled: bool) -> Message:
        self.partition.commit(ranks=is_settled)
        intake, dispatch = self._run.intake, self._run.engine.dispatch
        intake.parts.finish()
        cookies = intake.parts.find(Cookies)
        return {
            "coverage": self.partition.covered(),
            "pages": self.partition.counted(),
            "left_out": intake.state.tally.left_out,
            "unsettled": intake.state.accounts.book.unsettled_sums(),
            "failures": dict(intake.state.tally.failures),
            "unanswered": dict(dispatch.unanswered),
            "cookies": cookies.rows() if self._brief.settings.cookie_file and cookies else [],
        }
