"""What has a partition on a machine: its keeper and the other partitions call it.

It may be killed at any time. Then it is there again, and has no partition before its keeper lets it begin once more.
"""

import asyncio
import contextlib
import gc
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from minicrawl.cluster.folder import store_of
from minicrawl.cluster.machines.hosted import Call, CallPost
from minicrawl.cluster.new_store import make_store
from minicrawl.cluster.running.post import delivered
from minicrawl.cluster.running.worker import Worker, unpacked
from minicrawl.control.messages import Message, done, failed
from minicrawl.crawler.books.audit import damage_as_store_error
from minicrawl.errors import CrawlEndedError, MinicrawlError, StoreError
from minicrawl.store.database import is_held
from minicrawl.store.write.transfer_rows import OutboxRow
from minicrawl.store.writer import Writer

FOLDER = "MINICRAWL_FOLDER"
"""In a machine's environment: where stores are kept there of crawls that another machine has begun."""
_SECONDS, _APART = 60.0, 0.1
"""Until a store must be free that a host of a keeper before may still have, and between two looks whether it is."""


class Host:
    """Every answer is a message, and so is what was wrong: Ray writes none of it into its logs."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._open = contextlib.AsyncExitStack()
        self._store = Path()
        self._turn = asyncio.Lock()  # whoever lets it begin waits until one that it had has left: both use the store

    async def make(self, cluster: str, number: int, partitions: int) -> Message:
        """The empty store of a partition of a new crawl, in this machine's folder; the folder that it is in."""
        folder = Path(os.environ[FOLDER], cluster)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            make_store(store_of(folder, number), cluster, number, partitions)
        except OSError as error:
            return failed(StoreError(f"{folder} cannot be written: {error.strerror}; join with another --folder"))
        except MinicrawlError as error:
            return failed(error)
        return done({"folder": str(folder)})

    async def begin(self, brief: bytes, others: Sequence[Call]) -> Message:
        """Let a partition run. brief: of worker.packed. others: who has each partition, by their numbers."""
        async with self._turn:
            await self._leave()
            gc.set_threshold(100_000, 20, 50)  # as minicrawl crawl does
            return await self._answer(self._begin, brief, others)

    async def ask(self, message: Message) -> Message | None:
        """What the partition answers to its keeper; None while there is none, as its host has died."""
        worker = self._worker
        if worker is None:
            return None

        async def ask() -> Message:
            with damage_as_store_error(self._store):
                return await worker.do(message)

        return await self._answer(ask)

    async def take(self, source: int, rows: Sequence[OutboxRow]) -> Message:
        """Take rows of another partition, and commit; the number of the last one that it has of these."""
        worker = self._worker
        if worker is None:
            return failed(CrawlEndedError("the partition does not run yet"))

        async def take() -> Message:
            return {"number": await worker.take(source, rows)}

        return await self._answer(take)

    async def leave(self) -> None:
        """Nobody asks the partition any more: it stops, commits and ends."""
        async with self._turn:
            await self._leave()

    async def _leave(self) -> None:
        worker, self._worker = self._worker, None
        try:
            if worker is not None:
                with contextlib.suppress(MinicrawlError):  # it has failed, and nobody is there to know
                    await worker.leave()
        finally:
            await self._open.aclose()

    async def _begin(self, given: bytes, others: Sequence[Call]) -> Message:
        brief = unpacked(given)
        store = self._store = brief.folder.stores[brief.number]
        if not store.exists():
            raise StoreError(f"{store} is missing, which has a part of the crawl; restore all from one backup")
        for _ in range(int(_SECONDS / _APART)):
            if not is_held(store):
                break
            await asyncio.sleep(_APART)
        with damage_as_store_error(store):
            writer = self._open.enter_context(contextlib.closing(Writer(store)))
            worker = Worker(brief, writer, CallPost(others))
            # Who makes a backup here holds it as a partition without Ray. Rows come by calls.
            await self._open.enter_async_context(delivered(store, brief.number, worker.take, worker.held))
            self._worker = worker
            worker.begin()
        return {"pid": os.getpid()}

    async def _answer(self, act: Callable[..., Awaitable[Message]], *given: object) -> Message:
        try:
            return done(await act(*given))
        except MinicrawlError as error:
            return failed(error)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return failed(StoreError(f"{self._store} cannot be crawled on: {error!r}; Ray's logs say where it failed"))
