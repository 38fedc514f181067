"""The errands that wait for a turn of their hosts: what hosts are asked for that is no page."""

from collections import deque
from collections.abc import Iterable

from minicrawl.crawler.hosts.host import TURNS_PER_ERRAND, Address, Errand, Host


class WaitingErrands:
    """Each host has its errands, in order; here stand the hosts that came on offer with some to run."""

    def __init__(self) -> None:
        self._hosts: deque[Host] = deque()
        self._waiting = 0

    def waiting(self, but_for: Iterable[Host]) -> int:
        """How many wait, but for those of some hosts."""
        return self._waiting - sum(len(host.errands) for host in but_for)

    def add(self, host: Host, errand: Errand, *, first: bool) -> None:
        """Let an errand wait; `offer` its host then. first: for the next turn."""
        if first:
            host.errands.insert(0, errand)
            host.pages_since_errand = TURNS_PER_ERRAND
        else:
            host.errands.append(errand)
        self._waiting += 1

    def remove(self, host: Host, errand: Errand) -> None:
        """An errand that waited has its turn."""
        host.errands.remove(errand)
        self._waiting -= 1

    def offer(self, host: Host) -> None:
        """A host with errands has come on offer."""
        self._hosts.append(host)

    def offer_address(self, address: Address) -> None:
        """An address has come on offer, and its hosts that waited for it."""
        self._hosts += address.with_errands
        address.with_errands.clear()

    def offered(self) -> Host | None:
        """The host that came on offer first."""
        return self._hosts[0] if self._hosts else None

    def skip(self, *, until_address: bool) -> None:
        """Leave out the first host. until_address: until its address is on offer, too."""
        host = self._hosts.popleft()
        if until_address and host.address is not None:
            host.address.with_errands.append(host)
