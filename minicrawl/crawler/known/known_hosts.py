"""The hosts by name, and those for the next commit."""

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.hosts.politeness import Health, HostDelays
from minicrawl.store.hosts import HostRow
from minicrawl.store.writer import Writer


class KnownHosts:
    """Every known host. `answered`: hosts that ever have. `delays`: the least seconds between two requests to one.

    `is_urgent`: a host has asked for more than its usual delay, which must not be forgotten.
    """

    def __init__(self, frontier: Frontier, delays: HostDelays) -> None:
        self._frontier = frontier
        self.delays = delays
        self._by_name: dict[str, Host] = {}
        self._changed: set[int] = set()
        self.answered: set[int] = set()
        self.is_urgent = False

    def host(self, name: str) -> Host:
        """The host of a name, made known if new."""
        host = self._by_name.get(name)
        if host is None:
            host = self._by_name[name] = self._frontier.add_host(name, self.delays.of(name))
            self._changed.add(host.id)
        return host

    def known(self, name: str) -> Host | None:
        """The host of a name, if it is known."""
        return self._by_name.get(name)

    def restore(self, row: HostRow, delay: float, health: Health, ready_at: float) -> Host:
        """Make a host of the store known."""
        host = self._by_name[row.name] = self._frontier.add_host(
            row.name, delay, crawl_delay=row.crawl_delay, ready_at=ready_at, health=health
        )
        return host

    def note_change(self, host: Host) -> None:
        """Note that the clock or the health of a host has changed."""
        self._changed.add(host.id)

    def note_crawl_delay(self, host: Host, crawl_delay: float) -> None:
        """Note the delay that the robots.txt of a host asks for."""
        self.note_change(host)
        self.is_urgent |= self.delays.of(host.name, crawl_delay) > self.delays.of(host.name)
        host.crawl_delay = crawl_delay

    def save(self, writer: Writer) -> None:
        """Write the hosts that changed since the last commit."""
        hosts = (self._frontier.hosts[number] for number in sorted(self._changed))
        writer.put(HostRow, map(_row, hosts))
        self._changed.clear()
        self.is_urgent = False


def _row(host: Host) -> HostRow:
    return HostRow(
        host.id,
        host.name,
        host.crawl_delay,
        host.ready_at,
        host.health.seconds,
        host.health.backoff,
        host.health.strains,
        host.health.dead_until,
        host.rests_until,
    )
