"""Commands to a crawl in partitions, forwarded to the partitions concerned, with their answers combined.

all           pause, resume, set, add; status, workers and look
home          ban, unban, again
keeper alone  stop, and limits, which apply to all together

Changed settings are in cluster.json before any partition hears of them: a restarted partition begins with them, and so
does the next run.
"""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence

from minicrawl.cluster.combined import Events, look_of, part_of, status_of
from minicrawl.cluster.keeper import Keeper, rest_of
from minicrawl.cluster.quotas import Quotas, has_quotas
from minicrawl.cluster.settings import check_working
from minicrawl.cluster.shared_addresses import shares_addresses
from minicrawl.control.commands import Do, adjustable, command_of, this_process
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds, guesses
from minicrawl.crawler.changes import adjusted
from minicrawl.crawler.remembered_settings import shown
from minicrawl.errors import CrawlEndedError, SettingError, StoreError
from minicrawl.model import RunState
from minicrawl.settings import SETTINGS, CrawlSettings
from minicrawl.system import descendants

_TRIES = 3
"""Tries of a command to a partition that dies meanwhile; commands are idempotent."""

_ENDED = "the crawl has ended meanwhile; start it again to change it"
_ANY_TIME = ("status", "workers", "look", "stop")


class Steering:
    """Carries out commands to a keeper's crawl, also before it has begun."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._folder = keeper.folder
        self._events = Events()
        self._parts: Sequence[Message] = ()
        self._statuses: Sequence[Message] = ()
        """The latest statuses: partitions are not asked while they settle."""
        self._since: dict[tuple[object, ...], float] = {}
        """Unix seconds at which each partition was first seen in its state; by number, process and state."""
        self._commands: Mapping[str, Do] = {
            **dict.fromkeys(("pause", "resume"), self._pause),
            **dict.fromkeys(("ban", "unban", "again"), self._at_home),
            "stop": self._stop,
            "set": self._set,
            "add": self._add,
            "status": self._status,
            "workers": self._workers,
            "look": self._look,
        }

    async def done(self, asked: Message) -> Message:
        """Carry out a command. Returns its answer; raises MinicrawlError, which names any changes made."""
        command = command_of(asked)
        if command not in _ANY_TIME and not self._keeper.is_crawling:
            raise CrawlEndedError("the crawl begins or ends just now; ask again, or start it again to change it")
        return await self._commands[command](asked)

    # Changes.

    async def _pause(self, asked: Message) -> Message:
        """Pause or resume. The keeper changes first, for partitions that are restarted."""
        clock = self._keeper.clock
        clock.pause() if asked["do"] == "pause" else clock.resume()
        await self._all(asked)
        return await self._state()

    async def _stop(self, asked: Message) -> Message:
        for _ in range(2 if asked.get("now") else 1):
            self._keeper.interrupt()
        return await self._state()

    async def _set(self, asked: Message) -> Message:
        given: Mapping[str, object] = asked["settings"]
        before = self._keeper.settings
        settings = adjusted(before, given)
        partitions = self._folder.homes.partitions
        check_working(settings, partitions)
        if "workers" in given:
            raise SettingError("--workers cannot change while partitions run; stop the crawl, and go on with --workers")
        _adjust(self._keeper, settings)
        own = {name: getattr(settings, name) for name in given if not SETTINGS[name].is_for_one_run}
        if "concurrency" in own:
            own["concurrency"] = max(settings.concurrency // len(self._keeper.where.actors), 1)
        bounds_coverage = settings.until_coverage is not None
        if own or bounds_coverage:
            change = {"do": "set", "settings": own} if own else {"do": "status"}
            await self._all(change, bounds_coverage=bounds_coverage)
        values = [(name, getattr(before, name), getattr(settings, name)) for name in SETTINGS]
        changed = [
            {"name": name, "before": shown(name, old), "after": shown(name, new)}
            for name, old, new in values
            if old != new
        ]
        return {"changed": changed}

    async def _add(self, asked: Message) -> Message:
        """Add seeds to their homes, and to the scope of all."""
        seeds = Seeds(list(dict.fromkeys(asked["urls"])), frozenset(asked["guessed"]))
        self._keeper.know(seeds)
        return {"seeds": len(seeds.urls), "new": sum(answer["new"] for answer in await self._all(asked))}

    async def _at_home(self, asked: Message) -> Message:
        text = str(asked.get("host") or asked.get("url"))
        meant = guesses(text)
        if not meant:
            raise SettingError(f"{text[:60]!r} is neither a host nor a URL")
        home = self._folder.homes.home_of(meant[0])
        answer, *_ = await self._answer(home, asked)
        return answer

    # State.

    async def _status(self, asked: Message | None = None) -> Message:
        if self._keeper.is_crawling:
            await self._ask_each({number: {"do": "status"} for number in self._keeper.numbers})
        return self._whole()

    async def _workers(self, asked: Message) -> Message:
        """The status, with each partition in the form of a worker process."""
        status = await self._status()
        since = ({"doing": part["state"], "since": self._since[_doing(part)]} for part in self._parts)
        parts = zip(self._parts, since, strict=True)
        return {**status, "workers": [{**part, **doing, "pages": part["fetched"]} for part, doing in parts]}

    async def _look(self, asked: Message) -> Message:
        hosts, looks = int(asked.get("hosts") or 0), list[Message]()
        if self._keeper.is_crawling:
            pids = {int(part["number"]): int(part["pid"]) for part in self._parts}
            each = await self._ask_each(
                {
                    number: {"do": "look", "after": self._events.seen(number, pids.get(number, 0)), "hosts": hosts}
                    for number in self._keeper.numbers
                }
            )
            for number, look in each.items():
                self._events.take(number, look["pid"], look["events"])
                looks.append(look)
        found = look_of(looks, hosts)
        return {
            **self._whole(),
            **({**found, "coverage": self._keeper.figures["coverage"]} if found else {}),
            "processes": descendants(os.getpid()),
            "settings": adjustable(self._keeper.settings),
            "events": self._events.behind(int(asked.get("after") or 0)),
        }

    async def _state(self) -> Message:
        status = await self._status()
        return {"state": status["state"], "in_flight": status["in_flight"]}

    def _whole(self) -> Message:
        """The status of all partitions, from the latest reports."""
        keeper, figures = self._keeper, self._keeper.figures
        is_starting = not self._parts or any(part["state"] == RunState.STARTING for part in self._parts)
        return {
            **this_process(),
            "state": RunState.STARTING if keeper.state == RunState.RUNNING and is_starting else keeper.state,
            **{name: figures[name] for name in ("reason", "fetched", "bytes", "seconds")},
            "workers": [],
            "limits": keeper.limits._asdict(),
            **status_of(self._parts, self._statuses),
        }

    # Messages to partitions.

    async def _all(self, asked: Message, *, bounds_coverage: bool = False) -> list[Message]:
        """Send all partitions a command. Returns their answers; raises the first error."""
        asking = (self._answer(number, asked, bounds_coverage=bounds_coverage) for number in self._keeper.numbers)
        return [answer for answer, *_ in await asyncio.gather(*asking)]

    async def _ask_each(self, each: Mapping[int, Message]) -> Mapping[int, Message]:
        """Ask partitions, and keep their statuses."""
        answers = dict(zip(each, await asyncio.gather(*map(self._answer, each.keys(), each.values())), strict=True))
        self._statuses = [answer for answer, *_ in answers.values()]
        self._parts = [part_of(number, *given, self._keeper.deaths[number]) for number, given in answers.items()]
        now = time.time()
        self._since = {key: self._since.get(key, now) for key in map(_doing, self._parts)}
        return {number: answer for number, (answer, *_) in answers.items()}

    async def _answer(self, number: int, asked: Message, *, bounds_coverage: bool = False) -> tuple[Message, int, int]:
        """See `Member.steer`."""
        for _ in range(_TRIES):
            try:
                answer: tuple[Message, int, int] | None
                answer = await self._keeper.ask(number, "steer", asked, bounds_coverage=bounds_coverage)
            except StoreError as error:
                if self._keeper.is_crawling:
                    raise
                raise CrawlEndedError(_ENDED) from error
            if answer is not None:
                return answer
        machine = self._folder.nodes.get(number)
        away = "" if machine is None else f", or start Ray on node {machine} again if it is away"
        raise CrawlEndedError(f"partition {number} has died and is not there again yet; ask later{away}")


def _adjust(keeper: Keeper, settings: CrawlSettings) -> None:
    """Change the settings of the keeper and of later runs. Raises SettingError before any change."""
    if keeper.addresses is None and shares_addresses(settings, keeper.folder.partitions):
        raise SettingError(
            "this run began with no delay between requests to an IP address, so its partitions have no clock in "
            "common: set ip-delay=0 with it, or stop the crawl and let it go on with --delay"
        )
    keeper.folder = keeper.folder.keep_settings(settings)
    if keeper.addresses is not None:
        keeper.addresses.adjust(rest_of(settings))
    if keeper.quotas is not None:
        keeper.quotas.adjust(settings.pages)
    elif has_quotas(settings):
        before = {number: fetched for number, (fetched, _) in keeper.before.items()}
        keeper.quotas = Quotas(settings.pages, keeper.numbers, before)
    keeper.settings = settings
    keeper.look_soon()


def _doing(part: Message) -> tuple[object, ...]:
    return part["number"], part["pid"], part["state"]
