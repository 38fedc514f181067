"""IP addresses of hosts, shared between partitions or not; and the name server, with an adaptive number of look-ups."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from minicrawl.crawler.hosts.host import Address, Host

_FIRST_LOOKUPS, _LEAST_LOOKUPS, _MOST_LOOKUPS = 16, 4, 256  # look-ups in flight
_LOOKUP_SECONDS = 5.0


class NameServer:
    """Stands in for the address of all hosts that have not been looked up."""

    def __init__(self) -> None:
        self.address = Address(id=0, name="", delay=0.0, most=_FIRST_LOOKUPS, is_offered=True)
        self._looked_up = self._unanswered = 0  # look-ups since the number was adapted
        self._judged_at = 0.0

    def looked_up(self, is_answered: bool, now: float) -> None:
        """Adapt the number of look-ups in flight, every 5 s: half as many if a fifth failed, else a quarter more.

        An overloaded name server drops look-ups; but some names always fail by their own servers.
        """
        if not self._looked_up:
            self._judged_at = now + _LOOKUP_SECONDS
        self._looked_up += 1
        self._unanswered += not is_answered
        if now >= self._judged_at:
            most = self.address.most
            too_many = 5 * self._unanswered >= self._looked_up
            most = most // 2 if too_many else most + most // 4
            self.address.most = min(max(most, _LEAST_LOOKUPS), _MOST_LOOKUPS)
            self._looked_up = self._unanswered = 0


class Trade(NamedTuple):
    """The requests of a crawl that shares addresses with others.

    wanted: addresses that it would ask and does not hold. left: addresses that it gives up, each with the seconds for
    which nobody may ask it yet.
    """

    wanted: list[str]
    left: dict[str, float]


class Addresses:
    """The clocks of IP addresses, by number and by name; number 0 is the name server's.

    Where several partitions share addresses, one at a time holds each; in the others its hosts wait.

    delay: seconds between two requests to an address; most: requests in flight; asked_from: Unix seconds before which
    no address is asked.
    """

    def __init__(self, name_server: Address, *, delay: float, most: int, asked_from: float) -> None:
        self._delay, self._most, self._asked_from = delay, most, asked_from
        self._addresses = [name_server]
        self._by_name: dict[str, Address] = {}
        self._is_shared = False
        self._hosts: dict[str, list[Host]] = {}  # hosts by address, if addresses are shared
        self._elsewhere: dict[str, None] = {}  # addresses that are not held
        self._leaving: set[str] = set()  # those among them with requests still in flight

    def __getitem__(self, number: int) -> Address:
        return self._addresses[number]

    def __iter__(self) -> Iterator[Address]:
        """All but the name server's."""
        return iter(self._addresses[1:])

    def adjust(self, delay: float, most: int) -> Iterator[Address]:
        """Change the delay and the requests at once of all addresses, and yield them."""
        for address in self:
            address.ready_at += delay - address.delay
            address.delay, address.most = delay, most
            yield address
        self._delay, self._most = delay, most

    def named(self, name: str) -> Address | None:
        """The address of that name; None for a new one."""
        return self._by_name.get(name)

    def add(self, name: str) -> Address:
        address = Address(
            id=len(self._addresses),
            name=name,
            delay=self._delay,
            most=self._most,
            ready_at=self._asked_from,
            is_held=not self._is_shared,
        )
        self._by_name[name] = address
        self._addresses.append(address)
        if self._is_shared:
            self._elsewhere[name] = None
        return address

    def share(self) -> None:
        """Share addresses with other partitions: none is held before it is granted. Called before the first one."""
        assert not self._by_name, "addresses are shared from the first one on"
        self._is_shared = True

    def add_host(self, host: Host) -> None:
        """Record a host whose address is known now."""
        if self._is_shared and host.address is not None:
            self._hosts.setdefault(host.address.name, []).append(host)

    def change(self, granted: Mapping[str, float], wanted_back: Iterable[str], now: float) -> Iterator[Address]:
        """Take over granted addresses, which may not be asked for so many seconds, and begin to leave those wanted
        back. Yields all of them."""
        for name, seconds in granted.items():
            address = self._by_name[name]
            address.is_held, address.ready_at = True, max(address.ready_at, now + seconds)
            del self._elsewhere[name]
            yield address
        for name in wanted_back:
            self._leaving.add(name)
            self._elsewhere[name] = None
            self._by_name[name].is_held = False
            yield self._by_name[name]

    def trade(self, has_work: Callable[[Host], bool], now: float) -> Trade:
        """The next trade. An address is left once no request to it is in flight."""
        left = {name: self._by_name[name] for name in self._leaving if not self._by_name[name].in_flight}
        self._leaving -= left.keys()
        wanted = [
            name
            for name in self._elsewhere
            if name not in self._leaving
            and any(host.address is self._by_name[name] and has_work(host) for host in self._hosts[name])
        ]
        return Trade(wanted, {name: max(address.ready_at - now, 0.0) for name, address in left.items()})
