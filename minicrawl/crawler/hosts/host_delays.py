"""How long hosts are left alone between two requests at the least: by the settings, and by what their robots.txt asks
for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from minicrawl.crawler.urls.host_rules import by_host
from minicrawl.settings import parse_host_delay


@dataclass(frozen=True)
class HostDelays:
    """`least`: seconds between two requests to a host; 0: politeness is switched off. `own`: the same of some hosts, by
    politeness key.
    """

    least: float
    own: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def by_rules(cls, least: float, rules: Iterable[str]) -> "HostDelays":
        """rules: HOST=TIME; the first one of a host counts."""
        return cls(least, by_host(map(parse_host_delay, rules)))

    def of(self, host: str, crawl_delay: float = 0.0) -> float:
        """The seconds of a host whose robots.txt asks for a delay; 0 where its politeness is switched off."""
        least = self.own.get(host, self.least)
        return max(least, crawl_delay) if least else 0.0

    def is_shorter(self, host: str) -> bool:
        """Whether a host has a shorter delay of its own than others: it need not wait for those of its IP address."""
        return self.own.get(host, self.least) < self.least
