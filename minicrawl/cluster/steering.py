"""Commands to a crawl in partitions, forwarded to the partitions concerned, with their answers combined.

all           pause, resume, add; status, workers and look
home          ban, unban, again
keeper alone  stop

Settings stay as they are while partitions run.
"""

import asyncio
import os
from collections.abc import Mapping

from minicrawl.cluster.combined import added, look_of
from minicrawl.cluster.exchange import home_of
from minicrawl.cluster.keeper import Keeper
from minicrawl.control.commands import EventLog, adjustable, command_of, this_process
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds, guesses
from minicrawl.errors import CrawlEndedError, SettingError, StoreError
from minicrawl.model import RunState
from minicrawl.system import descendants

_OF_PART = ("waiting", "mirrors", "pid", "state", "read", "fetched", "bytes", "in_flight", "cpu", "memory")
_ANY_TIME = ("status", "workers", "look", "stop")


class Steering:
    """Carries out commands to a keeper's crawl, also before it has begun."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._events = EventLog()
        self._statuses: Mapping[int, Message] = {}
        """The latest statuses by partition: while partitions settle, none is asked."""

    async def done(self, asked: Message) -> Message:
        """Carry out a command. Returns its answer. Raises MinicrawlError."""
        command, keeper = command_of(asked), self._keeper
        if command not in _ANY_TIME and not keeper.is_crawling:
            raise CrawlEndedError("the crawl is starting or ending; try again later")
        match command:
            case "set":
                raise SettingError(
                    "settings cannot change while partitions run; stop the crawl and continue it with new options"
                )
            case "add":
                urls = dict.fromkeys(asked["urls"])
                keeper.know(Seeds(list(urls), frozenset(asked["guessed"])))
                return {"seeds": len(urls), "new": sum(answer["new"] for answer in await self._all(asked))}
            case "ban" | "unban" | "again":
                text = str(asked.get("host") or asked.get("url"))
                if not (meant := guesses(text)):
                    raise SettingError(f"{text[:60]!r} is neither a host nor a URL")
                return await self._answer(home_of(meant[0], keeper.folder), asked)
            case "look":
                return await self._look(asked)
            case "pause" | "resume":  # the keeper first, for partitions that begin again
                keeper.clock.pause() if command == "pause" else keeper.clock.resume()
                await self._all(asked)
            case "stop":
                for _ in range(2 if asked.get("now") else 1):
                    keeper.interrupt()
        status = await self._status({"do": "status"})
        if command == "status":
            return status
        if command == "workers":
            workers = [
                {**part, "doing": part["state"], "since": keeper.since[part["number"]], "pages": part["fetched"]}
                for part in status["partitions"]
            ]
            return {**status, "workers": workers}
        return {"state": status["state"], "in_flight": status["in_flight"]}

    async def _look(self, asked: Message) -> Message:
        hosts, after = int(asked.get("hosts") or 0), int(asked.get("after") or 0)
        seen = {number: {"after": self._events.seen[number, one["pid"]]} for number, one in self._statuses.items()}
        status = await self._status({"do": "look", "hosts": hosts}, seen)
        for number, look in self._statuses.items():
            self._events.take((number, look["pid"]), look.get("events", ()))
        found = look_of(list(self._statuses.values()), hosts)
        return {
            **status,
            **found,
            **{name: figure for name, figure in self._keeper.figures.items() if found and name.startswith("coverage")},
            "processes": descendants(os.getpid()),
            "settings": adjustable(self._keeper.settings),
            "events": self._events.behind(after),
        }

    async def _status(self, asked: Message, own: Mapping[int, Message] = {}) -> Message:
        """The status of all partitions, asked as by `_all`, and in `partitions` each. known: pages at home; waiting:
        unconfirmed rows of its outbox; deaths: of its processes in this run."""
        keeper = self._keeper
        if keeper.is_crawling:
            self._statuses = dict(enumerate(await self._all(asked, own)))
        each, figures = self._statuses.values(), keeper.figures
        is_starting = not each or any(one["state"] == RunState.STARTING for one in each)
        parts = [
            {"number": number, "known": one["known"] - one["mirrors"], "deaths": keeper.deaths[number]}
            | {name: one[name] for name in _OF_PART}
            for number, one in self._statuses.items()
        ]
        return {
            **this_process(),
            "state": RunState.STARTING if keeper.state == RunState.RUNNING and is_starting else keeper.state,
            **{name: figures[name] for name in ("reason", "fetched", "bytes", "seconds")},
            "workers": [],
            "limits": keeper.limits._asdict(),
            **{name: sum(part[name] for part in parts) for name in ("known", "read", "in_flight")},
            "waits_for": added([one["waits_for"] for one in each]) or {},
            "banned": sorted({host for one in each for host in one["banned"]}),
            "partitions": parts,
        }

    async def _all(self, asked: Message, own: Mapping[int, Message] = {}) -> list[Message]:
        """Send all partitions a command, each with fields of its own. Returns their answers; raises the first error."""
        asking = (self._answer(number, {**asked, **own.get(number, {})}) for number in self._keeper.numbers)
        return await asyncio.gather(*asking)

    async def _answer(self, number: int, asked: Message) -> Message:
        """See `Partition.steer`."""
        try:
            answer: Message | None = await self._keeper.ask(number, "steer", asked)
        except StoreError as error:
            if self._keeper.is_crawling:
                raise
            raise CrawlEndedError("the crawl has ended; start it again to change it") from error
        if answer is not None:
            return answer
        folder = self._keeper.folder
        away = f", or restart Ray on node {folder.nodes[number]} if it is down" if number in folder.nodes else ""
        raise CrawlEndedError(f"partition {number} died and has not restarted yet; try again later{away}")
