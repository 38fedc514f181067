"""Call functions in child processes under limits: for parsing foreign bytes at length, and for foreign code.

A call is limited by the CPU time of its child, not by wall-clock time, so the result does not depend on the load of the
machine. A child whose CPU clock stands still, as in a sleep, is given up after a while. An answer is decoded by the
type that the function is declared to return: whatever foreign code makes of its process, it can answer nothing else.
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from codecs import getincrementaldecoder
from collections.abc import AsyncIterator, Callable
from functools import cache, cached_property
from typing import Any, Generic, NamedTuple, TypeVar, TypeVarTuple, get_type_hints  # Any: messages

from msgspec import Raw

from minicrawl import log
from minicrawl.sandbox.cage import OPEN, Cage, cage_of, environment
from minicrawl.sandbox.child import LENGTH, decoder, line_of, packed
from minicrawl.system import cpu_seconds, kill_group, running

_AWAKE = 0.01
"""CPU share below which a process stands still; one of 50 that share a CPU is above."""
_BUFFER = 2**20
_START = 60.0
"""Seconds for which the clock of a child may stand still until it is ready."""
_GRACE = 5.0
"""Seconds that an idle child has to end by itself."""
_LAST_WORDS = 1.0
"""Seconds in which a child that has ended may have printed."""
_READY, _IS_READY = 100, tuple[bool, None]
"""Bytes and type of the answer that says no more than that the child is ready."""
_WORTH_A_START = 0.2
"""Seconds that a call waits for a busy child before another one is started, which takes about as much CPU time."""


Given = TypeVarTuple("Given")
Answer = TypeVar("Answer")
Decode = Callable[[bytes], Any]


class Limits(NamedTuple):
    """Limits of one call. `cpu`: seconds of the child's CPU time; `still`: seconds for which its CPU clock may stand
    still. `cage`: limits of the child; the processes that it starts are killed with it. `answer`: bytes of an
    answer."""

    cpu: float
    still: float
    cage: Cage = Cage()
    answer: int = 2**28


class ChildError(Exception):
    """A call without a result: the function raised an exception, whose traceback is in a note, or took too much CPU
    time. A repetition would fail as well."""


class ChildDiedError(ChildError):
    """The child died during a call, or was killed as it stood still or gave an invalid answer. Another try may
    succeed."""


class Sandbox(Generic[*Given, Answer]):
    """Calls one function in up to `most` children, each one call at a time; calls begin in the order of their arrival.

    The first child starts with the first call, further ones when calls have waited for a while, and others in place of
    those that died. One that is idle for `idle` seconds ends; with None it never does: a function may keep state
    between calls.
    """

    def __init__(
        self, function: Callable[[*Given], Answer], limits: Limits, *, most: int = 1, idle: float | None = None
    ) -> None:
        """function: of a module. Its arguments can be pickled; what it returns is of types that msgspec knows."""
        self._function = function
        self._limits = limits
        self._idle = idle
        self._most = most
        self._allowed = 1
        self._turns = asyncio.Semaphore(self._allowed)
        self._free: list[_Child] = []
        self._busy: set[_Child] = set()
        self._look = min(1.0, limits.still / 10)
        self._looking: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def pids(self) -> list[int]:
        """Process ids of the children."""
        return [child.process.pid for child in (*self._busy, *self._free)]

    async def call(self, *arguments: *Given) -> Answer:
        """Call the function in a child. Raises ChildError, ChildDiedError."""
        async with self._turn():
            child = self._free.pop() if self._free else await self._started()
            answer, raised = await self._asked(child, arguments, self._decode, self._limits.answer)
            self._free.append(child)
        if raised is not None:
            error = ChildError(raised[0])
            error.add_note(raised[1])
            raise error
        result: Answer = answer
        return result

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait until a child is free, or may be started."""
        if self._turns.locked() and self._allowed < self._most:
            waiting = asyncio.get_running_loop().call_later(_WORTH_A_START, self._allow_another)
            try:
                await self._turns.acquire()
            finally:
                waiting.cancel()
        else:
            await self._turns.acquire()
        try:
            yield
        finally:
            self._turns.release()

    def _allow_another(self) -> None:
        if self._allowed < self._most:
            self._allowed += 1
            self._turns.release()

    async def aclose(self) -> None:
        """End all children; busy ones are killed."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        free, self._free = self._free, []
        for child in self._busy:
            child.give_up(ChildDiedError("nobody waits for it any more"))
        await asyncio.gather(*self._ending, *(child.end() for child in free))

    async def _started(self) -> "_Child":
        cage = self._limits.cage._replace(parent=os.getpid())
        printed, to_print = os.pipe()
        try:
            printing = _Printing()
            await asyncio.get_running_loop().connect_read_pipe(lambda: printing, os.fdopen(printed, "rb", 0))
            process = await asyncio.create_subprocess_exec(
                *running("minicrawl.sandbox.child"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=to_print,
                env=None if cage.forks or cage.network else environment(),
                limit=_BUFFER,
                start_new_session=True,  # its own children end with it; and only the crawl decides what Ctrl-C means
            )
        finally:
            os.close(to_print)
        child = _Child(process, printing)
        name = f"{self._function.__module__}:{self._function.__name__}"
        is_fenced, _ = await self._asked(child, (name, sys.path, cage), decoder(_IS_READY), _READY, is_opening=True)
        if not is_fenced:
            _tell_unfenced()
        if not cage.network and cage_of(child.process.pid) == OPEN:
            _tell_exposed()
        return child

    async def _asked(
        self, child: "_Child", message: object, decode: Decode, most: int, *, is_opening: bool = False
    ) -> Any:
        """The answer of a child, which is killed if there is none. most: its bytes."""
        self._busy.add(child)
        self._watch()
        try:
            answer = await child.ask(message, decode, most, is_opening=is_opening)
        except BaseException:
            self._busy.discard(child)
            await child.kill()
            raise
        self._busy.discard(child)
        return answer

    @cached_property
    def _decode(self) -> Decode:
        """Decodes answers. Raises ValueError for what is none: also for no result where the function returns one."""
        result = decoder(get_type_hints(self._function)["return"])
        parts = decoder(tuple[Raw, tuple[str, str] | None])

        def decode(answer: bytes) -> tuple[Any, tuple[str, str] | None]:
            returned, raised = parts(answer)
            return (result if raised is None else decoder(None))(returned), raised

        return decode

    def _watch(self) -> None:
        """Stop calls over a limit, and idle children."""
        if self._looking is None:
            loop = asyncio.get_running_loop()
            self._looking = loop.call_later(self._look, self._watched)

    def _watched(self) -> None:
        self._looking = None
        for child in self._busy:
            child.look(self._limits, self._look)
        for child in self._free.copy():
            child.idle += self._look
            if self._idle is not None and child.idle > self._idle:
                self._free.remove(child)
                task = asyncio.get_running_loop().create_task(child.end())
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)
        if self._busy or (self._free and self._idle is not None):
            self._watch()


class _Child:
    """A child process and its call. `idle`: seconds since its last call; `still`: seconds in which its clock stood
    still during the call; `used`: its CPU time at the last check, `before`: at the start of the call."""

    def __init__(self, process: Process, printing: "_Printing") -> None:
        self.process, self._printing = process, printing
        self.idle = self.still = self.used = self.before = 0.0
        self._is_opening = False
        self._given_up: Exception | None = None
        self._looked_at = time.monotonic()

    async def ask(self, message: object, decode: Decode, most: int, *, is_opening: bool = False) -> Any:
        """What the child answers. most: bytes. Raises ChildError, ChildDiedError."""
        self._is_opening = is_opening
        self.idle = self.still = 0.0
        self._looked_at = time.monotonic()
        self.before = self.used = cpu_seconds(self.process.pid)
        reader, writer = self.process.stdout, self.process.stdin
        assert reader is not None
        assert writer is not None
        try:
            writer.write(packed(message))
            await writer.drain()
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            if length > most:
                raise ChildDiedError(f"its answer has {length:,} bytes, but at most {most:,} are allowed")
            return decode(await reader.readexactly(length))
        except (ValueError, RecursionError) as error:
            raise ChildDiedError(f"its answer is not valid: {line_of(error)}") from error
        except (OSError, EOFError) as error:
            await self._ended(1.0)
            raise self._given_up or ChildDiedError(_fate(self.process.returncode)) from error

    def look(self, limits: Limits, seconds: float) -> None:
        """Stop the call if it is over a limit. seconds: the most to count since the last check: in a longer gap the
        crawl itself stood still."""
        now, used = time.monotonic(), cpu_seconds(self.process.pid)
        passed = min(now - self._looked_at, seconds)
        self._looked_at = now
        if used - self.used < _AWAKE * passed:
            self.still += passed
        self.used = used
        still = _START if self._is_opening else limits.still
        if used - self.before > limits.cpu and not self._is_opening:
            self.give_up(ChildError(f"it took more than {limits.cpu:g} s of CPU time"))
        elif self.still > still:
            self.give_up(ChildDiedError(f"it stood still for {still:g} s"))

    async def end(self) -> None:
        """Let an idle child end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self._ended(_GRACE)

    async def _ended(self, grace: float) -> None:
        """Wait up to `grace` seconds for its end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), grace)
        await self.kill()

    async def kill(self) -> None:
        """Kill the child, and its own children."""
        kill_group(self.process.pid)
        await self.process.communicate()
        await self._printing.end()

    def give_up(self, why: Exception) -> None:
        self._given_up = why
        kill_group(self.process.pid)


class _Printing(asyncio.Protocol):
    """Prints what a child prints, on standard error: a terminal gets no control characters of it."""

    def __init__(self) -> None:
        self._text = getincrementaldecoder("utf-8")("replace")
        self._ended = asyncio.get_running_loop().create_future()
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        lines = self._text.decode(data).split("\n")
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            sys.stderr.write("\n".join(map(log.printable, lines)))
            sys.stderr.flush()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    async def end(self) -> None:
        """Print what is left of a child that has ended. Without a cage, children of its own may keep the pipe open."""
        await asyncio.wait([self._ended], timeout=_LAST_WORDS)
        if self._transport is not None:
            self._transport.close()


@cache
def _tell_unfenced() -> None:
    log.event("child-unfenced")


@cache
def _tell_exposed() -> None:
    log.event("child-exposed")


def _fate(code: int | None) -> str:
    """A sentence on the end of a process."""
    if code is None or code >= 0:
        return f"its process ended (exit code {code})"
    return f"its process was killed ({signal.Signals(-code).name})"
