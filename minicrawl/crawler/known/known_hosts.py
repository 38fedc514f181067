"""The hosts by name, and which of them the next commit writes."""

from collections.abc import Iterable, Mapping

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.hosts.politeness import Health
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.settings import parse_host_delay
from minicrawl.store.rows import HostRow
from minicrawl.store.writer import Writer


def delays_of_hosts(rules: Iterable[str]) -> dict[str, float]:
    """Seconds by the names of hosts, of rules HOST=TIME; the first one of a host counts."""
    delays: dict[str, float] = {}
    for host, seconds in map(parse_host_delay, rules):
        url = normalise(f"http://{host.removesuffix(':443')}/")
        delays.setdefault(politeness_key(url) if url else host, seconds)
    return delays


class KnownHosts:
    """Every known host. `answered`: the hosts that have, ever. `least`: seconds between two requests to one, at least;
    0: politeness is switched off. `own`: the same of some hosts, by name.

    `is_urgent`: a host has asked for more than its usual delay, which must not be forgotten.
    """

    def __init__(self, frontier: Frontier, delay: float, own: Mapping[str, float] | None = None) -> None:
        self._frontier = frontier
        self.least = delay
        self.own = own or {}
        self._by_name: dict[str, Host] = {}
        self._changed: set[int] = set()
        self.answered: set[int] = set()
        self.is_urgent = False

    def host(self, name: str) -> Host:
        """The host of a name, which is known from now on."""
        host = self._by_name.get(name)
        if host is None:
            host = self._by_name[name] = self._frontier.add_host(name, self.least_delay(name, 0.0))
            self._changed.add(host.id)
        return host

    def known(self, name: str) -> Host | None:
        """The host of a name, if it is known."""
        return self._by_name.get(name)

    def restore(self, row: HostRow, delay: float, health: Health, ready_at: float) -> Host:
        """Make a host known as the store has it."""
        host = self._by_name[row.name] = self._frontier.add_host(
            row.name, delay, crawl_delay=row.crawl_delay, ready_at=ready_at, health=health
        )
        return host

    def least_delay(self, name: str, crawl_delay: float) -> float:
        """The least seconds between two requests to a host whose robots.txt asks for a delay."""
        least = self.own.get(name, self.least)
        return max(least, crawl_delay) if least else 0.0

    def is_asked_more_often(self, name: str) -> bool:
        """Whether a host has a shorter delay of its own than others: it need not wait for those of its IP address."""
        return self.own.get(name, self.least) < self.least

    def note_change(self, host: Host) -> None:
        """The clock of a host, or what is known of its health, is another one."""
        self._changed.add(host.id)

    def note_crawl_delay(self, host: Host, crawl_delay: float) -> None:
        """The robots.txt of a host asks for a delay."""
        self.note_change(host)
        self.is_urgent |= self.least_delay(host.name, crawl_delay) > self.least_delay(host.name, 0.0)
        host.crawl_delay = crawl_delay

    def save(self, writer: Writer) -> None:
        """Write the hosts that changed since the last commit."""
        hosts = (self._frontier.hosts[number] for number in sorted(self._changed))
        writer.save_hosts(map(_row, hosts))
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
