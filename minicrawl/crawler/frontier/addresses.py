"""The clocks of the IP addresses that hosts share, and the trade in addresses between the partitions of a crawl."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from minicrawl.crawler.hosts.clocks import Address, Host

_FIRST_LOOKUPS, _LEAST_LOOKUPS, _MOST_LOOKUPS = 16, 4, 256  # look-ups in flight
_LOOKUP_SECONDS = 5.0


Trade = tuple[list[str], dict[str, float]]
"""The requests of a crawl that shares addresses with others: addresses that it would ask and does not hold; and those
that it gives up, each with the seconds for which nobody may ask it yet."""


class Addresses:
    """The clocks of IP addresses, by number and by name; number 0 is the name server's, which stands in for the address
    of all hosts that have not been looked up.

    Where several partitions share addresses, one at a time holds each; in the others its hosts wait.

    delay: seconds between two requests to an address; most: requests in flight; asked_from: Unix seconds before which
    no address gets a request.
    """

    def __init__(self, *, delay: float, most: int, asked_from: float) -> None:
        self._delay, self._most, self._asked_from = delay, most, asked_from
        self.name_server = Address(id=0, name="", delay=0.0, most=_FIRST_LOOKUPS, is_offered=True)
        self._looked_up, self._unanswered, self._judged_at = 0, 0, 0.0  # look-ups since the number was adapted
        self._addresses = [self.name_server]
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

    def looked_up(self, is_answered: bool, now: float) -> None:
        """Adapt the number of look-ups in flight, every 5 s: half as many if a fifth failed, else a quarter more.

        An overloaded name server drops look-ups; but some names always fail by their own servers.
        """
        if not self._looked_up:
            self._judged_at = now + _LOOKUP_SECONDS
        self._looked_up += 1
        self._unanswered += not is_answered
        if now >= self._judged_at:
            most = self.name_server.most
            too_many = 5 * self._unanswered >= self._looked_up
            most = most // 2 if too_many else most + most // 4
            self.name_server.most = min(max(most, _LEAST_LOOKUPS), _MOST_LOOKUPS)
            self._looked_up = self._unanswered = 0

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
        back. Yields all of them. Addresses that only an earlier process knew are left in time, too."""
        for name, seconds in granted.items():
            address = self.named(name) or self.add(name)
            address.is_held, address.ready_at = True, max(address.ready_at, now + seconds)
            del self._elsewhere[name]
            yield address
        for name in wanted_back:
            address = self.named(name) or self.add(name)
            self._leaving.add(name)
            self._elsewhere[name] = None
            address.is_held = False
            yield address

    def trade(self, has_work: Callable[[Host], bool], now: float) -> Trade:
        """The next trade. An address is left once no request to it is in flight."""
        left = {name: self._by_name[name] for name in self._leaving if not self._by_name[name].in_flight}
        self._leaving -= left.keys()
        wanted = [
            name
            for name in self._elsewhere
            if name not in self._leaving
            and any(host.address is self._by_name[name] and has_work(host) for host in self._hosts.get(name, ()))
        ]
        return wanted, {name: max(address.ready_at - now, 0.0) for name, address in left.items()}
