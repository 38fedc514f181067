"""What a running crawl is asked to do: it is done between two answers, and said to be done once a commit holds it."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar  # Any: callables

from minicrawl.crawler.requests.request import Arrival, Deliver
from minicrawl.errors import CrawlEndedError, MinicrawlError

_T = TypeVar("_T")
_ENDED = "the crawl has ended; start it again to change it"


class Commands:
    """Changes to the crawl, and who waits for them.

    Invariant: a change that was said to be done is in the store; one that failed has changed nothing.
    """

    def __init__(self, deliver: Deliver) -> None:
        """deliver: lets the loop take something in."""
        self._deliver = deliver
        self._waiting: set[asyncio.Future[Any]] = set()
        self._made: list[tuple[asyncio.Future[Any], Callable[[], None]]] = []
        self._is_hurried = False
        self._is_over = False

    async def done(self, change: Callable[[float], _T], links: int = 0, *, hurries: bool = True) -> _T:
        """Have a change made, at a time that it is told, and wait for the commit that holds it; what it returns.

        links: on how much it works, in URLs: what takes long is done in the thread. hurries: whether that commit is to
        be made at once, or when one is due anyway. Raises MinicrawlError where the change does; CrawlEndedError where
        the crawl ends before.
        """
        return await self._answer(partial(self._make, hurries), change, links)

    async def seen(self, look: Callable[[float], _T], links: int = 0) -> _T:
        """What a look comes to, which changes nothing: between two answers, without a wait for a commit."""
        return await self._answer(self._look, look, links)

    @property
    def wait_for_commit(self) -> bool:
        """Whether somebody waits for the next commit, and is to wait no longer than it takes."""
        return self._is_hurried

    def committed(self) -> None:
        """Everything that was done so far is in the store."""
        made, self._made = self._made, []
        self._is_hurried = False
        for answer, tell in made:
            if not answer.done():  # whoever asked may wait no more
                tell()

    def end(self, failure: BaseException | None = None) -> None:
        """The crawl has ended, or has failed: nothing more is done."""
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
        """What work comes to, which is run between two answers."""
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
    if not answer.done():  # whoever asked may wait no more
        answer.set_result(found)
