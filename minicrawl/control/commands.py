"""The commands of a crawl, running or resting, with their answers as JSON has them; and the server in a running one.

A client of its socket costs a task, and the work for its commands. Only its own task waits for a client that is slow,
silent or sends rubbish, and not for ever.
"""

import asyncio
import contextlib
import os
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar  # Any: JSON

from msgspec import structs

from minicrawl import __version__, log, system
from minicrawl.control.messages import LONGEST, Message, bound, failed, line_of, message_of, serving
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.assemble import Means, Run, assemble
from minicrawl.crawler.books.invariants import damage_as_store_error
from minicrawl.crawler.running_crawl import SteeredRun
from minicrawl.crawler.steering import adjusted
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, SettingError, StoreError
from minicrawl.events import Event, SettingChanged
from minicrawl.model import RunState
from minicrawl.setting import LIVE, ONE_RUN
from minicrawl.settings import SETTINGS, CrawlSettings, option
from minicrawl.settings.crawl import lasting
from minicrawl.store.writer import Writer
from minicrawl.web.urls.normalise import normalise

_EVENTS = 500


async def done(crawl: "SteeredRun | RestingCrawl", asked: Message) -> Message:
    """Carry out a command in a crawl; one that rests takes changes only. Raises MinicrawlError, then nothing has
    changed."""
    do, _ = _COMMANDS[command_of(asked)]
    return await do(crawl, asked)


def command_of(asked: Message) -> str:
    """The name of a valid command. Raises ConfigError for an invalid one."""
    name = asked.get("do")
    if not isinstance(name, str) or name not in _COMMANDS:
        known = ", ".join(sorted(_COMMANDS))
        raise ConfigError(f"minicrawl {__version__} has no command {str(name)[:40]!r}; it has {known}")
    _, fields = _COMMANDS[name]
    for field in asked:
        if field != "do" and field not in fields:
            raise ConfigError(f"{name} takes no {field[:40]!r}")
    for field, fits in fields.items():
        if not fits(asked.get(field)):
            raise ConfigError(f"{name} does not accept {field} = {str(asked.get(field))[:60]!r}")
    return name


# Changes.


def adjustable(settings: CrawlSettings) -> Message:
    """The settings that can be changed in a running crawl, by name."""
    values = settings.shown()
    return {name: values[name] for name, setting in SETTINGS.items() if LIVE in setting.marks}


async def _set(crawl: "SteeredRun | RestingCrawl", asked: Message) -> Message:
    events = await crawl.change_settings(asked["settings"])
    return {"changed": [{"name": one.name, "before": one.before, "after": one.after} for one in events]}


async def _add(crawl: "SteeredRun | RestingCrawl", asked: Message) -> Message:
    urls, guessed = dict.fromkeys(asked["urls"]), frozenset(asked["guessed"])
    for url in guessed:
        if url not in urls or not url.startswith("https:"):
            raise ConfigError(f"a guessed seed must be an https URL among the added ones, not {url[:60]!r}")
    return {"seeds": len(urls), "new": await crawl.take_seeds(Seeds(list(urls), guessed))}


async def _ban(crawl: "SteeredRun | RestingCrawl", asked: Message) -> Message:
    change = crawl.ban if asked["do"] == "ban" else crawl.unban
    return {"host": await change(asked["host"])}


async def _again(crawl: "SteeredRun | RestingCrawl", asked: Message) -> Message:
    return {"url": await crawl.again(asked["url"])}


# Commands for running crawls only.


async def _pause(crawl: SteeredRun, asked: Message) -> Message:
    await (crawl.pause() if asked["do"] == "pause" else crawl.resume())
    return _state(crawl)


async def _stop(crawl: SteeredRun, asked: Message) -> Message:
    await crawl.stop(now=bool(asked.get("now")))
    return _state(crawl)


async def _status(crawl: SteeredRun, asked: Message) -> Message:
    now = crawl.status
    return {**this_process(), **asdict(now), "limits": now.limits._asdict()}


def this_process() -> Message:
    """The part of a status on the answering process."""
    pid = os.getpid()
    return {"version": __version__, "pid": pid, "cpu": time.process_time(), "memory": system.memory(pid)}


async def _workers(crawl: SteeredRun, asked: Message) -> Message:
    workers = [asdict(worker) for worker in crawl.status.workers]
    return {"workers": workers, "pid": os.getpid(), "cpu": time.process_time()}


async def _look(crawl: SteeredRun, asked: Message) -> Message:
    """The status and the rest of a dashboard's view; without the latter while the crawl begins or ends."""
    answer = {
        **await _status(crawl, asked),
        "settings": adjustable(crawl.settings),
        "processes": system.descendants(os.getpid()),
        "events": [event_as_json(number, event) for number, event in crawl.latest_events(asked.get("after") or 0)],
    }
    if crawl.status.state is RunState.STARTING:
        return answer
    try:
        return answer | await crawl.look(asked.get("hosts") or 0)
    except CrawlEndedError:
        return answer


def event_as_json(number: int, event: Event) -> Message:
    return {"number": number, "what": type(event).__name__, **structs.asdict(event)}


class EventLog:
    """The latest events of one or several processes, in rising numbers of our own; missed events have numbers, too."""

    def __init__(self) -> None:
        self._log: deque[Message] = deque(maxlen=_EVENTS)
        self._number = 0
        self.seen: Counter[object] = Counter()
        """By process the number of the last event received, in its own count."""

    def take(self, process: object, events: Iterable[Message]) -> None:
        """Add the events of a process."""
        for event in events:
            if event["number"] > self.seen[process]:
                self._number += event["number"] - self.seen[process]
                self.seen[process] = event["number"]
                self._log.append({**event, "number": self._number})

    def behind(self, after: int) -> list[Message]:
        """Events with numbers above `after`."""
        return [event for event in self._log if event["number"] > after]


def _state(crawl: SteeredRun) -> Message:
    return {"state": crawl.status.state, "in_flight": crawl.status.in_flight}


# The commands and their fields.


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_number(value: object) -> bool:
    """True for None or a whole number of at least 0."""
    return value is None or (type(value) is int and 0 <= value < 2**53)


def _are_urls(value: object) -> bool:
    """True for a list of normalised URLs."""
    return isinstance(value, list) and all(isinstance(url, str) and normalise(url) == url for url in value)


_COMMANDS: Mapping[str, tuple[Callable[[Any, Message], Awaitable[Message]], Mapping[str, Callable[[object], bool]]]] = {
    "set": (_set, {"settings": lambda value: isinstance(value, dict) and bool(value)}),
    "add": (_add, {"urls": _are_urls, "guessed": _are_urls}),
    "ban": (_ban, {"host": _is_text}),
    "unban": (_ban, {"host": _is_text}),
    "again": (_again, {"url": _is_text}),
    "pause": (_pause, {}),
    "resume": (_pause, {}),
    "stop": (_stop, {"now": lambda value: value is None or isinstance(value, bool)}),
    "status": (_status, {}),
    "workers": (_workers, {}),
    "look": (_look, {"after": _is_number, "hosts": _is_number}),
}


_T = TypeVar("_T")


class RestingCrawl:
    """A crawl that is not running, changed in its store.

    Each call takes the store's lock, applies the change as a running crawl would, and commits. Raises StoreError also
    if a crawl runs after all.
    """

    def __init__(self, store: Path) -> None:
        if not store.exists():
            raise StoreError(f"there is no crawl at {store} yet; run 'minicrawl crawl SEEDS --store {store}' first")
        self._store = store

    async def change_settings(self, given: Mapping[str, Any]) -> tuple[SettingChanged, ...]:
        for name in given:
            if name in SETTINGS and ONE_RUN in SETTINGS[name].marks:
                raise SettingError(
                    f"no crawl runs on {self._store}; {option(name)} holds for one run: give it to 'minicrawl crawl'"
                )
        return self._changed(lambda run, now: run.changes.adjust(adjusted(run.changes.settings, given), now))

    async def take_seeds(self, seeds: Seeds) -> int:
        return self._changed(lambda run, now: run.changes.add_seeds(seeds, now))

    async def ban(self, host: str) -> str:
        return self._changed(lambda run, now: run.changes.ban(host, now))

    async def unban(self, host: str) -> str:
        return self._changed(lambda run, now: run.changes.unban(host, now))

    async def again(self, url: str) -> str:
        return self._changed(lambda run, now: run.changes.ask_again(url, now))

    def _changed(self, change: Callable[[Run, float], _T]) -> _T:
        with damage_as_store_error(self._store), closing(Writer(self._store)) as writer:
            run = assemble(CrawlSettings(**lasting(writer.settings)), Seeds([]), writer, Means())
            intake, now = run.intake, run.clock()
            intake.start([], now)
            result = change(run, now)
            is_ranked = bool(writer.meta("is_ranked"))
            if is_ranked:
                intake.ranking.settle_fully()
            intake.commit({}, ranks=is_ranked)
        return result


Do = Callable[[Message], Awaitable[Message]]
"""Carries out a command and returns its answer. Raises MinicrawlError."""


_END = 5.0
"""Seconds at the end for answers under way."""


@contextlib.asynccontextmanager
async def listening(
    crawl: SteeredRun, store: Path, on_deaf: Callable[[str], None] = lambda why: None, **limits: Any
) -> AsyncIterator[None]:
    """Let a crawl be steered from other shells during the block. on_deaf: called with the reason if it cannot be.
    limits: as in `answering`."""
    async with answering(partial(done, crawl), store, on_deaf, **limits):
        yield


@contextlib.asynccontextmanager
async def answering(
    do: Do, store: Path, on_deaf: Callable[[str], None] = lambda why: None, *, silent: float = 60.0, clients: int = 12
) -> AsyncIterator[None]:
    """Answer commands at the socket of a store, or of a folder, during the block."""
    try:
        file = bound(store)
    except StoreError as error:
        on_deaf(str(error))
        yield
        return
    steering = _Clients(do, silent, clients)
    async with serving(file, steering.serve, steering.end):
        yield


class _Clients:
    """The connected clients."""

    def __init__(self, do: Do, silent: float, most: int) -> None:
        self._do = do
        self._silent, self._most = silent, most
        self._is_answering: dict[asyncio.Task[None], bool] = {}  # else it waits for a command of its client

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it goes, or is silent for too long."""
        task = asyncio.current_task()
        assert task is not None
        is_one_too_many = len(self._is_answering) >= self._most
        self._is_answering[task] = False
        try:
            if is_one_too_many:
                await self._say(writer, failed(CrawlEndedError("too many commands at once; try again")))
                return
            while (line := await self._line(reader, writer)) is not None:
                self._is_answering[task] = True
                await self._say(writer, await self._answer(line))
                self._is_answering[task] = False
        except (OSError, TimeoutError, asyncio.CancelledError):  # the client has gone or is too slow, or the crawl ends
            pass
        finally:
            del self._is_answering[task]
            writer.transport.abort()

    async def end(self) -> None:
        """Let clients that have asked get their answers, and drop the others."""
        answering = {task for task, is_answering in self._is_answering.items() if is_answering}
        for task in self._is_answering.keys() - answering:
            task.cancel()
        if answering:
            await asyncio.wait(answering, timeout=_END)
        for task in answering:
            task.cancel()

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
        """The next command of a client; None if it has gone, or its line is too long."""
        try:
            async with asyncio.timeout(self._silent):
                line = await reader.readline()
        except ValueError:
            await self._say(writer, failed(ConfigError(f"a message has {LONGEST:,} bytes at most")))
            return None
        return line if line.endswith(b"\n") else None

    async def _say(self, writer: asyncio.StreamWriter, message: Message) -> None:
        writer.write(line_of(message))
        async with asyncio.timeout(self._silent):
            await writer.drain()

    async def _answer(self, line: bytes) -> Message:
        try:
            return {"done": await self._do(message_of(line))}
        except MinicrawlError as error:
            return failed(error)
        except Exception as error:  # no command ends the crawl
            log.event("command-failed", asked=repr(line[:200]), error=error)
            return failed(CrawlEndedError("minicrawl failed on this command; see the log of the crawl"))
