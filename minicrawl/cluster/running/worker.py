"""The process of one partition: it serves its keeper over a socket until that is closed.

    python -m minicrawl.cluster.running.worker FILE_DESCRIPTOR

It reads its Brief first, see `packed`, then a JSON object per line, each answered by a line (control/messages.py):

report     progress, see `Worker.report`
stop       begin no more requests; with "now", do not wait for those in flight
links of sites, share out    trust of sites, see combined.py
count voices    count the sites here that link to pages of others, after the crawl
hints, dead, void, elect    pages that stand for others, see hints.py
settle     make virtual visits, after the crawl
hand over  send the outbox; `some` in the answer: it had rows
steer      a command of control/commands.py; the answer has its result, or its failure. With "bounds_coverage", hand
           over changes that loosen the coverage bound from now on
end        commit the end of the crawl; the answer has its figures

When the keeper dies, the socket closes, and the partition stops as by Ctrl-C.
"""

import asyncio
import contextlib
import pickle
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from minicrawl import log
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.combined import shared_out, site_links
from minicrawl.cluster.running.hints import of_hints
from minicrawl.cluster.running.partition import Partition, Post, PostError
from minicrawl.cluster.running.post import VERSION, SocketPost, check_version, delivered
from minicrawl.cluster.running.quotas import has_quotas
from minicrawl.cluster.running.shared_addresses import shares_addresses
from minicrawl.cluster.settings import settings_of
from minicrawl.control.commands import done as what_is_done
from minicrawl.control.messages import Message, done, failed, line_of, message_of
from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.reasons import ask_again
from minicrawl.crawler.parts.archive import Archive
from minicrawl.crawler.parts.cookies import Cookies
from minicrawl.crawler.run import check_window, opened
from minicrawl.crawler.running_crawl import SteeredRun
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError
from minicrawl.garbage import manage_memory
from minicrawl.model import Progress
from minicrawl.opic.ledger_columns import LedgerSums
from minicrawl.search.index.beside_crawl import begin_following, end_following
from minicrawl.settings import CrawlSettings
from minicrawl.store.write.transfer_rows import OutboxRow
from minicrawl.store.writer import Writer

_T = TypeVar("_T")
_TOGETHER = 0.01
"""Seconds to wait for rows of others while the ranking is settled, so that one commit holds them all."""


@dataclass(frozen=True)
class Brief:
    """The first message to a process. crawls: False: it only settles. is_first: not restarted.

    is_paused: it makes no requests until it is resumed. shows_progress: its reports have a `Progress`. logs: the
    outputs of the keeper's log, shared by processes of its machine. replayed: folders of archives in place of the
    network.
    """

    folder: Folder
    number: int
    settings: CrawlSettings
    seeds: Seeds
    crawls: bool = True
    is_first: bool = True
    is_paused: bool = False
    shows_progress: bool = False
    logs: tuple[log.Output, ...] = ()
    replayed: tuple[Path, ...] = ()


LONGEST_OF_ALL = 2**30
"""Maximum bytes of a message: the links of millions of sites."""
_HEAD = struct.Struct(">IQ")


def packed(brief: Brief) -> bytes:
    """Encode the version of the protocol, the length of the Brief, and the Brief."""
    body = pickle.dumps(brief)
    return _HEAD.pack(VERSION, len(body)) + body


def unpacked(given: bytes) -> Brief:
    """Decode a Brief. Raises ConfigError for another version, before anything is unpickled."""
    check_version(_HEAD.unpack_from(given)[0])
    brief: Brief = pickle.loads(given[_HEAD.size :])
    return brief


class Worker:
    """A partition, and its answers to messages."""

    def __init__(self, brief: Brief, writer: Writer, post: Post) -> None:
        """post: to the other partitions. Raises MinicrawlError."""
        settings, seeds = brief.settings, brief.seeds
        brief.folder.check_is_current(brief.number, writer)
        check_window(writer, settings)
        self._brief = brief
        self._store = writer.path
        self._seeds = spelled(seeds, writer.page_table.find, keep_parameters=settings.keep_parameters)
        if brief.is_first:
            ask_again(writer, self._seeds.urls, settings.retry)
        homes = brief.folder.homes
        own = settings_of(brief.number, homes.partitions, settings)
        on_progress = self._note_progress if brief.shows_progress else None
        share, replayed = homes.share(brief.number), brief.replayed
        self._run = opened(own, self._seeds, writer, share=share, on_progress=on_progress, replayed=replayed)
        self._progress: Progress | None = None
        parts = self._run.intake.parts
        archive = parts.find(Archive)
        self._top = None if archive is None else archive.top_of_all
        self._run.intake.commit({"settings": settings.to_json(writer.path.parent), "stopped": None})
        self._post = post
        self._partition = Partition(brief.number, self._run, post)
        self._steered = SteeredRun(self._run)
        if settings.until_coverage is not None:
            self._partition.bound_coverage()
        self._dispatch = self._run.engine.dispatch
        if shares_addresses(settings, homes.partitions):
            self._partition.share_addresses()
        if has_quotas(settings):
            self._dispatch.let(0)
        self._crawling: asyncio.Task[None] | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self._has_crawled = not brief.crawls
        self._has_taken = False  # rows taken since the last commit, after the crawl
        self._holds = 0
        self._may_take = asyncio.Event()
        self._may_take.set()

    def begin(self) -> None:
        if self._brief.settings.search:
            self._follower = begin_following(self._store)
        if self._brief.crawls:
            if self._brief.is_paused:
                self._run.engine.pause()
            self._crawling = asyncio.create_task(self._crawl())

    async def take(self, source: int, rows: Sequence[OutboxRow]) -> int:
        """Take rows of another partition, and commit. Raises ConfigError for invalid rows, and CrawlEndedError for a
        moment after the crawl."""
        brief = self._brief
        if source == brief.number or source >= brief.folder.homes.partitions:
            raise ConfigError(f"partition {brief.number} takes nothing of partition {source}")
        await self._may_take.wait()
        if not self._has_crawled:
            return await self._partition.receive(source, rows)
        number = self._partition.take(source, rows)
        self._has_taken = True
        await asyncio.sleep(_TOGETHER)
        if self._has_taken:
            self._partition.commit()
            self._has_taken = False
        return number

    @contextlib.asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Take no rows while the block runs; all rows taken before are committed when it begins.

        Senders wait meanwhile, and the crawl goes on. Raises MinicrawlError if the partition has failed.
        """
        self._holds += 1
        self._may_take.clear()
        try:
            await self._commit()
            yield
        finally:
            self._holds -= 1
            if not self._holds:
                self._may_take.set()

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
                return {"links": await self._done_to_all(site_links)}
            case "share out":
                return {"done": await self._done_to_all(partial(shared_out, asked["trust"]))}
            case "hints" | "dead" | "void" | "elect":
                return {"answer": await self._done_to_all(partial(of_hints, asked, self._run.clock()))}
            case "count voices":
                self._partition.count_voices()
            case "settle":
                self._partition.settle()
            case "hand over":
                return {"some": await self._hand_over()}
            case _:
                return self._ended(is_settled=bool(asked["settled"]))
        return {}

    async def leave(self) -> None:
        """Stop the crawl if it runs, and free its resources. Raises MinicrawlError if it has failed."""
        try:
            if self._crawling is not None:
                self._run.engine.stop("interrupted")
                await asyncio.wait([self._crawling])
                self._crawling.result()  # raises the exception that ended the crawl
        finally:
            self._partition.end()
            if self._follower is not None:
                is_over = self._run.engine.reason not in (None, "interrupted")
                await asyncio.to_thread(end_following, self._follower, catch_up=is_over)

    async def _crawl(self) -> None:
        async with self._run.source:
            await self._partition.crawl(self._seeds.urls, self._seeds.guessed)
        self._has_crawled = True

    async def _commit(self) -> None:
        """Commit the rows taken so far."""
        if not self._has_crawled:
            with contextlib.suppress(CrawlEndedError):
                await self._partition.committed()
                return
            assert self._crawling is not None, "a crawl that has ended has begun"
            await asyncio.wait([self._crawling])
            self._crawling.result()  # raises the exception that ended the crawl
        self._partition.commit()

    async def _looked_at(self, asked: Message) -> Message:
        """The report. elsewhere: the `LedgerSums` of the other partitions; addresses: see `Partition.trade`; least: of
        `TopShareOfAll`."""
        if self._top is not None:
            self._top.least = asked.get("least")
        if "elsewhere" in asked:
            self._partition.note_elsewhere(LedgerSums(*asked["elsewhere"]))
        report = self._report(asked.get("pages"))  # before the trade, which wakes the engine: it would not be idle
        if "addresses" not in asked:
            return report
        trade = await self._partition.trade(**asked["addresses"])
        return {**report, "addresses": trade._asdict()}

    def _report(self, pages: int | None) -> Message:
        """Figures of the partition, in all runs. `counters`: they grow with every row sent or taken.

        pages: the quota that it may have fetched by now, in all runs; the answer has the `quota` in force, and `short`:
        True if it waits for quota. `coverage`: see `Covered`; None if not all is known yet. `size`: see `KnownSites`.
        `sums`: see `LedgerSums`. `earlier`: figures from before this process. `pages`: known and read pages at home.
        `classes`: counts of `TopShareOfAll`. `progress`: the latest `Progress`, if the Brief asks for it.
        """
        if self._crawling is not None and self._crawling.done():
            self._crawling.result()  # raises the exception that ended the crawl
        dispatch, progress, intake = self._dispatch, self._run.engine.progress, self._run.intake
        sites, tally = intake.state.sites, intake.state.tally
        before = progress.earlier
        if pages is not None:
            dispatch.let(max(pages - before.fetched, 0))
        return {
            "crawled": self._has_crawled,
            "idle": self._partition.is_idle,
            "counters": [progress.fetched, *self._partition.outbox.counters],
            "fetched": before.fetched + progress.fetched,
            "bytes": before.bytes + progress.bytes,
            "earlier": {"fetched": before.fetched, "bytes": before.bytes},
            "quota": before.fetched + (dispatch.limits.quota or 0),
            "short": dispatch.is_short,
            "coverage": self._partition.coverage,
            "size": 0 if sites is None else sites.size,
            "sums": self._partition.sums,
            "pages": self._partition.pages,
            "left_out": tally.left_out,
            "classes": [] if self._top is None else list(self._top.counts.items()),
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
            self._partition.bound_coverage()
        try:
            answer = done(await what_is_done(self._steered, asked))
        except MinicrawlError as error:
            answer = failed(error)
        except Exception as error:  # no command may end the partition
            log.command_failed(asked=repr(asked), error=error)
            answer = failed(CrawlEndedError("minicrawl failed over this; the log of the crawl tells where"))
        # Another thread may be updating the books: the values read here stay valid when its changes are added.
        state = self._run.intake.state
        outbox, accounts, folder = self._partition.outbox, state.accounts, self._brief.folder
        ledger = accounts.ledger
        waiting = sum(len(outbox.rows(home)) for home in range(folder.homes.partitions))
        mirrors = int(ledger.is_mirror(slice(0, ledger.size)).sum())
        return {"answer": answer, "waiting": waiting, "mirrors": mirrors}

    async def _done_to_all(self, do: Callable[[Intake], _T]) -> _T | None:
        """Run a function on the intake, and return its result, committed after the crawl; None if it cannot run now."""
        if not self._has_crawled:
            return await self._partition.between_answers(do)
        done = do(self._run.intake)
        self._partition.commit()
        return done

    async def _hand_over(self) -> bool:
        homes = self._partition.outbox.homes()
        await asyncio.gather(*map(self._hand_over_to, homes))
        return bool(homes)

    async def _hand_over_to(self, home: int) -> None:
        outbox = self._partition.outbox
        with contextlib.suppress(PostError):  # sent again in the next round
            outbox.confirm(home, await self._post.send(self._brief.number, home, outbox.rows(home)))

    def _ended(self, *, is_settled: bool) -> Message:
        self._partition.commit(ranks=is_settled)
        intake, dispatch = self._run.intake, self._run.engine.dispatch
        intake.parts.finish()
        cookies = intake.parts.find(Cookies)
        return {
            "coverage": self._partition.covered(),
            "pages": self._partition.counted(),
            "left_out": intake.state.tally.left_out,
            "error": intake.state.accounts.ledger.certificate(),
            "failures": dict(intake.state.tally.failures),
            "unanswered": dict(dispatch.unanswered),
            "cookies": cookies.rows() if self._brief.settings.cookie_file and cookies else [],
        }


async def serve(line: socket.socket) -> None:
    """Answer the keeper until it closes the connection."""
    reader, writer = await asyncio.open_connection(sock=line, limit=LONGEST_OF_ALL)
    head = await reader.readexactly(_HEAD.size)
    try:
        brief = unpacked(head + await reader.readexactly(_HEAD.unpack(head)[1]))
        store = brief.folder.store(brief.number)
        log.log_partition(brief.logs, brief.number)
        with damage_as_store_error(store), contextlib.closing(Writer(store)) as books:
            worker = Worker(brief, books, SocketPost(brief.folder.stores))
            async with delivered(store, brief.number, worker.take, worker.held):
                worker.begin()
                try:
                    while asked := await _asked(reader):
                        await _say(writer, done(await worker.do(message_of(asked))))
                finally:
                    await worker.leave()
    except MinicrawlError as error:
        await _say(writer, failed(error))
        with contextlib.suppress(OSError):
            await reader.read()  # until the keeper has read it
    finally:
        writer.close()


async def _asked(reader: asyncio.StreamReader) -> bytes:
    """The next message; b"" once the keeper has closed the connection, or died."""
    with contextlib.suppress(OSError):  # also of an unread answer
        return await reader.readline()
    return b""


async def _say(writer: asyncio.StreamWriter, answer: Message) -> None:
    with contextlib.suppress(OSError):  # the keeper has died, which the next read reports
        writer.write(line_of(answer))
        await writer.drain()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the keeper decides what Ctrl-C means
    manage_memory()
    asyncio.run(serve(socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
