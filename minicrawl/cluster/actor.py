"""The actor of some partitions: their stores, what they have in common, and the rows that it sends to other actors.

Rows for partitions of one actor travel in one call. A call may fail although it was carried out: rows are sent again,
and taken once. A killed actor restarts empty; then the keeper starts its partitions again.
"""

import asyncio
import contextlib
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple  # Any: messages

from minicrawl import log
from minicrawl.cluster.partition import Partition
from minicrawl.cluster.ray import GoneError, Where
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.crawler.loop.together import Together
from minicrawl.errors import CrawlEndedError, MinicrawlError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.sizes import STANDARD_SIZES
from minicrawl.store.database import is_held
from minicrawl.store.folder import Folder, make_store
from minicrawl.store.transfers import OutboxRow, Traffic
from minicrawl.store.writer import Writer
from minicrawl.system import keep_time, manage_memory
from minicrawl.timing import STANDARD, Timing

_MOST_BYTES = 4 * 2**20
"""Maximum bytes of the rows of a parcel; a single row may be larger."""
_GATHERED = 0.2
"""Seconds for which rows wait for others to the same actor."""
_SECONDS, _APART = 60.0, 0.1
"""Seconds until the actor of a killed keeper must have released a store, and between two checks."""
_LEAST_CACHE = 1_000  # kilobytes


@dataclass(frozen=True)
class Brief:
    """What a partition needs to start or continue. seeds: those at home in it.

    beside: number of partitions in its actor. crawls: False: it only settles. is_first: no restart. is_paused: it makes
    no requests until resumed. shows_progress: its reports have a `Progress`. logs: outputs of the log. followed: events
    that its reports tell.
    """

    folder: Folder
    number: int
    where: Where
    settings: CrawlSettings
    seeds: Seeds
    beside: int = 1
    crawls: bool = True
    is_first: bool = True
    is_paused: bool = False
    shows_progress: bool = False
    logs: tuple[log.Output, ...] = ()
    followed: frozenset[str] = frozenset()
    timing: Timing = STANDARD


class Parcel(NamedTuple):
    """Rows of one partition for another."""

    source: int
    home: int
    rows: Sequence[OutboxRow]


class Actor:
    """Partitions of one process: `partitions` by number. Its public methods are called by Ray."""

    def __init__(self) -> None:
        self.partitions: dict[int, Partition] = {}
        self._open: dict[int, contextlib.AsyncExitStack] = {}
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By partition: a `begin` that is repeated waits for the one before."""
        self._where = Where([], [], [])
        self._gathered: dict[int, list[tuple[Parcel, asyncio.Future[int]]]] = {}
        """Rows that wait to be sent, by actor."""
        self._together: Together | None = None
        self._told: list[log.Told] = []
        """Events that no report has told yet."""
        self._following = contextlib.ExitStack()

    async def prepare(self, folder: Folder, number: int) -> Traffic:
        """The traffic of a partition whose crawl begins; its store is made before the first run. Raises
        MinicrawlError."""
        store = folder.store(number)
        await _released(store)
        if not folder.settings:
            make_store(store, folder.cluster, number, folder.partitions)
        with folder.open(number) as reader:
            return reader.transfers.traffic()

    async def begin(self, brief: Brief) -> int:
        """Start a partition, or restart it. Returns the id of this process. Raises MinicrawlError."""
        manage_memory()
        keep_time(asyncio.get_running_loop())  # Ray's is uvloop, too
        async with self._turns[brief.number]:
            await self.leave(brief.number)
            store = brief.folder.store(brief.number)
            await _released(store)
            brief.folder.check_is_there(brief.number)
            log.log_only_to(brief.logs)
            self._following.close()
            self._following.enter_context(log.following(brief.followed, self._note))
            log.PARTITION.set(brief.number)
            self._where = brief.where
            if self._together is None:
                self._together = Together(brief.beside)
            sizes = replace(STANDARD_SIZES, cache=max(STANDARD_SIZES.cache // brief.beside, _LEAST_CACHE))
            async with contextlib.AsyncExitStack() as stack:
                stack.enter_context(damage_as_store_error(store))
                books = stack.enter_context(contextlib.closing(Writer(store, sizes)))
                member = Partition(brief, books, self._send, self._together, self._tell)
                self.partitions[brief.number] = member
                stack.callback(self.partitions.pop, brief.number)
                stack.push_async_callback(member.leave)
                member.begin()
                self._open[brief.number] = stack.pop_all()
        return os.getpid()

    async def ask(self, number: int, what: str, *given: object) -> Any:
        """Call a method of a `Partition`. Returns its answer. Raises MinicrawlError, a GoneError if it is not here, as
        after a death."""
        log.PARTITION.set(number)
        member = self.partitions.get(number)
        if member is None:
            raise GoneError(f"partition {number} is not in this process")
        with damage_as_store_error(member.store):
            return await getattr(member, what)(*given)

    def _note(self, name: str, sentence: str, keys: Mapping[str, object]) -> None:
        number = log.PARTITION.get()
        self._told.append((name, f"partition {number}: {sentence}", {"partition": number, **keys}))

    def _tell(self) -> Sequence[log.Told]:
        told, self._told = self._told, []
        return told

    async def take(self, parcels: Sequence[Parcel]) -> list[int | BaseException]:
        """Let partitions here take rows. Returns for each parcel the number of the last one committed, or an error."""

        async def taken(parcel: Parcel) -> int:
            if parcel.home not in self.partitions:
                raise CrawlEndedError(f"partition {parcel.home} is not in this process")
            return await self.partitions[parcel.home].receive(parcel.source, parcel.rows)

        return await asyncio.gather(*map(taken, parcels), return_exceptions=True)

    async def leave(self, number: int) -> None:
        """Stop a partition, which commits, and close its store."""
        opened = self._open.pop(number, None)
        if opened is None:
            return
        with contextlib.suppress(MinicrawlError):  # it has failed, and the keeper knows
            await opened.aclose()
        if not self._open and self._together is not None:
            together, self._together = self._together, None
            await together.aclose()

    async def _send(self, source: int, home: int, rows: Sequence[OutboxRow], hurries: bool) -> int:
        """See partition.py; partitions here get their rows directly."""
        sizes = accumulate(len(row.records) for row in rows)
        rows = rows[: max(sum(size <= _MOST_BYTES for size in sizes), 1)]
        if home in self.partitions:
            return await self.partitions[home].receive(source, rows)
        actor, confirmed = self._where.places[home], asyncio.Future[int]()
        gathered = self._gathered.setdefault(actor, [])
        gathered.append((Parcel(source, home, rows), confirmed))
        if len(gathered) == 1:  # the first sends for all
            await asyncio.sleep(0.0 if hurries else _GATHERED)
            await self._carry(actor, self._gathered.pop(actor))
        return await confirmed

    async def _carry(self, actor: int, batch: Sequence[tuple[Parcel, "asyncio.Future[int]"]]) -> None:
        answers: Sequence[int | BaseException]
        try:
            answers = await self._where.actors[actor]("take", [parcel for parcel, _ in batch])
        except MinicrawlError as error:
            answers = [error] * len(batch)
        for (_, confirmed), answer in zip(batch, answers, strict=True):
            if isinstance(answer, int):
                confirmed.set_result(answer)
            else:
                confirmed.set_exception(answer)


async def _released(store: Path) -> None:
    """Wait until the actor of a killed keeper has released a store. Raises StoreError."""
    for _ in range(int(_SECONDS / _APART)):
        if not is_held(store):
            return
        await asyncio.sleep(_APART)
    raise StoreError(f"another crawl is using {store}; wait for it, or name another folder with --store")
