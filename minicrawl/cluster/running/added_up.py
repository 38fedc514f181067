"""What partitions that run say of themselves, added up as one crawl says it of itself: see control/commands.py."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence

from minicrawl.control.messages import Message

_REQUESTS = 20
_EVENTS = 500
_DOING = ("asked", "opening", "ready", "waiting", "banned", "idle")
"""The order in which hosts are shown."""


def part_of(number: int, status: Message, report: Message, deaths: int) -> Message:
    """A partition by itself. known: pages at home; waiting: rows of its outbox that their homes have not confirmed.

    report: all that it says beside its status; deaths: of its processes in this run.
    """
    names = ("pid", "state", "read", "fetched", "bytes", "in_flight", "cpu", "memory")
    counts = {"known": status["known"] - report["mirrors"], "waiting": report["waiting"], "mirrors": report["mirrors"]}
    return {"number": number, **counts, **{name: status[name] for name in names}, "deaths": deaths}


def status_of(parts: Sequence[Message], statuses: Sequence[Message]) -> Message:
    """Of a status what is added up. parts: of `part_of`."""
    return {
        **{name: sum(part[name] for part in parts) for name in ("known", "read", "in_flight")},
        "waits_for": counted(status["waits_for"] for status in statuses),
        "banned": sorted({host for status in statuses for host in status["banned"]}),
        "partitions": list(parts),
    }


def look_of(looks: Sequence[Message], hosts: int) -> Message:
    """Of a look what is added up: so many hosts, those that are asked or wait first. looks: those that say so much."""
    some = [look for look in looks if "requests" in look]
    silences = [look["silence"] for look in some]
    earlier = [look["earlier"] for look in some]
    requests = sorted((one for look in some for one in look["requests"]), key=lambda one: -one["seconds"])
    return {
        "errors": counted(look["errors"] for look in some),
        "silence": silences[0] if silences and None not in silences else None,
        "earlier": {name: _whole(name, [one[name] for one in earlier]) for name in (earlier[0] if earlier else ())},
        "requests": requests[:_REQUESTS],
        "hosts": _first([one for look in some for one in look["hosts"]], hosts),
        # Hosts of others, which a partition knows by links to them, are idle there, too.
        "doing": {what: of for what, of in counted(look["doing"] for look in some).items() if what != "idle"},
        **{name: counted(look[name] for look in some) for name in ("statuses", "latencies")},
        "latency": sum(look["latency"] for look in some),
        "took": sum(look["took"] for look in some),
    }


class Events:
    """What has happened lately in all partitions, numbered as it was heard of."""

    def __init__(self) -> None:
        self._log: deque[Message] = deque(maxlen=_EVENTS)
        self._number = 0
        self._seen: dict[tuple[int, int], int] = {}

    def seen(self, number: int, pid: int) -> int:
        """The number that the last event of a partition has there, in that process."""
        return self._seen.get((number, pid), 0)

    def take(self, number: int, pid: int, events: Iterable[Message]) -> None:
        for event in events:
            if event["number"] > self.seen(number, pid):
                self._seen[number, pid] = event["number"]
                self._number += 1
                self._log.append({**event, "number": self._number})

    def behind(self, after: int) -> list[Message]:
        return [event for event in self._log if event["number"] > after]


def _whole(name: str, values: Sequence[float]) -> float:
    """Runs and seconds are those of all together, pages and bytes are added up."""
    return max(values) if name in ("runs", "seconds") else sum(values)


def _first(hosts: Sequence[Message], count: int) -> list[Message]:
    """Each host once, as it is where it is at home: elsewhere it is idle."""
    found: dict[str, Message] = {}
    for host in sorted(hosts, key=lambda host: _DOING.index(host["doing"])):
        found.setdefault(host["host"], host)
    return list(found.values())[:count]


def counted(each: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """What each has counted, added up."""
    found: Counter[str] = Counter()
    for one in each:
        found.update(one)
    return dict(found)
