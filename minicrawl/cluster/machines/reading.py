"""Stores of other machines, read by calls: a function goes there, and what it finds comes back, some bytes at a time.

Every machine has the same minicrawl, so of a function only its name goes over the line.
"""

import contextlib
import functools
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any, NamedTuple, ParamSpec  # Any: JSON

from minicrawl.cluster.folder import Folder
from minicrawl.control.messages import Message, done, failed
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.store.reader import Answer, Given, Store, open_store
from minicrawl.store.rows import RankedPage

_ROWS = 2_000
"""Pages of an answer."""
MOST_BYTES = 8 * 2**20
"""Of an answer, and of a part of a file: Ray holds those that wait in a memory with room for a few dozen of them."""

Call = Callable[..., Any]
"""Calls something on a machine: the name of a method, and what it is given; what it answers. Raises MinicrawlError."""
_Of = ParamSpec("_Of")
_READINGS = count()
"""Two of the same store are two."""


def as_message(method: Callable[_Of, object]) -> Callable[_Of, Message]:
    """Let a method answer by a message, also where it fails: Ray writes none of it into its logs."""

    @functools.wraps(method)
    def answered(*given: _Of.args, **named: _Of.kwargs) -> Message:
        try:
            return done({"it": method(*given, **named)})
        except MinicrawlError as error:
            return failed(error)
        except OSError as error:
            return failed(StoreError(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"))
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return failed(StoreError(f"a machine failed over what it was asked: {error!r}; Ray's logs say where"))

    return answered


class Part(NamedTuple):
    """Some bytes of an answer, and how many it has."""

    some: bytes
    size: int


class Reader:
    """Reads stores of the machine where it runs. Each is read as of one commit, from when it is first asked of.

    Stores stay open until it is closed, or its process ends, as it does on another machine with the command that asks.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """most_bytes: of a part."""
        self._open = contextlib.ExitStack()
        self._stores: dict[int, Store] = {}
        self._pages: dict[int, tuple[int, Iterator[RankedPage]]] = {}
        self._answer = b""
        self._most_bytes = most_bytes

    def close(self) -> None:
        """Let go of all stores; one that is asked of again is as of a new commit."""
        self._pages.clear()
        self._stores.clear()
        self._open.close()

    @as_message
    def ask(self, folder: Folder, number: int, question: Callable[..., object], *given: object) -> Part:
        """The first part of what a function finds in the store of a partition, pickled."""
        return self._first_part(question(self._store(folder, number), *given))

    @as_message
    def pages(self, folder: Folder, number: int, reading: int, given: tuple[float, float, int]) -> Part:
        """The first part of the pages of a partition that come next. reading: another number begins with the best."""
        of, pages = self._pages.get(number, (-1, iter(())))
        if of != reading:
            pages = self._store(folder, number).at_home.first(*given)
            self._pages[number] = reading, pages
        return self._first_part(list(islice(pages, _ROWS)))

    @as_message
    def more(self, start: int) -> Part:
        """The part of the last answer that begins at a byte."""
        return self._part(start)

    def _first_part(self, answer: object) -> Part:
        self._answer = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        return self._part(0)

    def _part(self, start: int) -> Part:
        return Part(self._answer[start : start + self._most_bytes], len(self._answer))

    def _store(self, folder: Folder, number: int) -> Store:
        return self._stores.get(number) or self._opened(folder, number)

    def _opened(self, folder: Folder, number: int) -> Store:
        store = self._open.enter_context(open_store(folder.stores[number]))
        self._open.enter_context(store.snapshot())
        folder.check_is_current(number, store)
        return self._stores.setdefault(number, store)


class StoreElsewhere:
    """What a merged.AskedStore has.

    call: calls the Reader of its machine. received: bytes that have come from there.
    """

    def __init__(self, call: Call, folder: Folder, number: int) -> None:
        self._call = call
        self._of = folder, number
        self.received = 0

    @property
    def at_home(self) -> "StoreElsewhere":
        return self

    def ask(self, question: Callable[[Store, *Given], Answer], *given: *Given) -> Answer:
        answer: Answer = self._whole(self._call("ask", *self._of, question, *given))
        return answer

    def first(self, held: float, total: float, n: int = -1) -> Iterator[RankedPage]:
        reading = next(_READINGS)
        while some := self._whole(self._call("pages", *self._of, reading, (held, total, n))):
            yield from some

    def _whole(self, part: Part) -> Any:
        """An answer of which there is the first part."""
        some, size = part
        body = bytearray(some)
        while len(body) < size:
            body += self._call("more", len(body))[0]
        self.received += size
        return pickle.loads(body)


def away(machine: str) -> str:
    """What is said of a machine that is not there."""
    return f"machine {machine} is away; let it join again as it did before, and repeat this"
