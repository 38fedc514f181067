"""Commands to a running crawl: carried out between two answers, confirmed once a commit holds them."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar  # Any: callables

from minicrawl.crawler.requests.request import Arrival, Deliver
from minicrawl.errors import CrawlEndedError, MinicrawlError

_T = TypeVar("_T")
_ENDED = "the crawl has ended; start it again to change it"


class Commands:
    """Changes to the crawl, and the callers that wait for them.

    Invariant: a confirmed change is in the store; a failed one has changed nothing.
    """

    def __init__(self, deliver: Deliver) -> None:
        """deliver: hands an arrival to the loop."""
        self._deliver = deliver
        self._waiting: set[asyncio.Future[Any]] = set()
        self._made: list[tuple[asyncio.Future[Any], Callable[[], None]]] = []
        self._is_hurried = False
        self._is_over = False

    async def done(self, change: Callable[[float], _T], links: int = 0, *, hurries: bool = True) -> _T:
        """Make a change, which is called with the time, wait for the commit that holds it, and return its result.

        links: its work in URLs; long work is done in the thread. hurries: commit at once, not when a commit is due.
        Raises MinicrawlError if the change does; CrawlEndedError if the crawl ends before.
        """
        return await self._answer(partial(self._make, hurries), change, links)

    async def seen(self, look: Callable[[float], _T], links: int = 0) -> _T:
        """The result of a look, which changes nothing: taken between two answers, without waiting for a commit."""
        return await self._answer(self._look, look, links)

    @property
    def has_made(self) -> bool:
        """True if changes were made since the last commit."""
        return bool(self._made)

    @property
    def wait_for_commit(self) -> bool:
        """True if a caller waits for a commit at once."""
        return self._is_hurried

    def committed(self) -> None:
        """Confirm all changes made so far: they are in the store."""
        made, self._made = self._made, []
        self._is_hurried = False
        for answer, tell in made:
            if not answer.done():  # the caller may have gone
                tell()

    def end(self, failure: BaseException | None = None) -> None:
        """Refuse all further commands: the crawl has ended, or has failed."""
        self._is_over = True
        for answer in self._waiting:
            if not answer.done():
                answer.set_exception(failure or CrawlEndedError(_ENDED))

    async def _answer(
        self,
        run: Callable[[Callable[[float], _T], asyncio.Future[_T], float], None],
        work: Callable[[float], _T],
        links: int,
    ) -> _T:
        """Run work between two answers, and return its result."""
        if self._is_over:
            raise CrawlEndedError(_ENDED)
        answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._waiting.add(answer)
        self._deliver(Arrival(links, partial(run, work, answer)))
        try:
            return await answer
        finally:
            self._waiting.discard(answer)

    def _look(self, look: Callable[[float], _T], answer: asyncio.Future[_T], now: float) -> None:
        found = look(now)
        answer.get_loop().call_soon_threadsafe(_tell, answer, found)

    def _make(self, hurries: bool, change: Callable[[float], _T], answer: asyncio.Future[_T], now: float) -> None:
        try:
            tell = partial(answer.set_result, change(now))
        except MinicrawlError as error:
            tell = partial(answer.set_exception, error)
        self._made.append((answer, tell))
        self._is_hurried |= hurries


def _tell(answer: asyncio.Future[_T], found: _T) -> None:
    if not answer.done():  # the caller may have gone
        answer.set_result(found)
