"""Hosts, their health and their robots.txt files."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from minicrawl.model import IllHost
from minicrawl.store.declaration import HostId, PageIds, SiteId, Time, table
from minicrawl.store.tables import Subject


class HostRow(NamedTuple):
    """A host, and how it has answered; see crawler/hosts/clocks.py."""

    id: int
    name: Annotated[str, "host, with port where it is not the scheme's own"]
    crawl_delay: Annotated[float, "seconds its robots.txt asks for between two requests"]
    next_fetch: Annotated[Time, "the delay is over then"]
    seconds: Annotated[float, "how long its last good answer took"] = 0.0
    rests_until: Annotated[Time, "until then it is left alone for another reason"] = 0.0


ILL = "ill", "gone"
"""States of hosts that are ill."""


class HealthRow(NamedTuple):
    """The health of a host that was in doubt at some time; see crawler/hosts/health.py."""

    host: HostId
    state: Annotated[str, "well, ill, back or gone"]
    kind: Annotated[str, "how it is or was ill: busy, refusing, walled, down; empty if it never was"]
    reason: Annotated[str, "code of the answer behind its last illness"]
    since: Annotated[Time, "its last illness began"]
    well_at: Annotated[Time, "its last well answer before that"]
    tries: Annotated[int, "requests for a witness in its last illness"]
    rest: Annotated[float, "seconds of its last rest"]
    next_at: Annotated[Time, "the witness is asked again"]
    asked_until: Annotated[Time, "until then it has asked to be left alone (Retry-After)"]
    own_delay: Annotated[float, "seconds between two requests that it has shown to need"]
    acquitted: Annotated[int, "how often a witness acquitted it, 4 bits for each sort of answer"]
    witnesses: PageIds
    failed_runs: Annotated[int, "runs, a day apart, that ended with it ill"]
    failed_at: Annotated[Time, "the last of them ended"]

    @property
    def is_ill(self) -> bool:
        return self.state in ILL


class RobotsRow(NamedTuple):
    """The answer of an origin for its robots.txt."""

    origin: Annotated[str, "scheme://host[:port]"]
    status: Annotated[int | None, "HTTP status"]
    reason: Annotated[str | None, "why there was no usable answer"]
    body: bytes
    fetched_at: Time
    expires: Time
    attempts: Annotated[int, "failures in a row"]


table("hosts", "hosts, and how they have answered", HostRow, keys="id", unique="name", site=SiteId | None)
table("health", "health of hosts that were in doubt", HealthRow, keys="host")
table("robots", "robots.txt files", RobotsRow, keys="origin")


_ILL = f"""
    WITH them AS MATERIALIZED (SELECT * FROM health WHERE state IN {ILL}),
    waits AS MATERIALIZED (
        SELECT host, count(*) AS pages FROM pages
        WHERE state = 'waiting' AND host IN (SELECT host FROM them) GROUP BY host)
    SELECT name, them.state, kind, reason, since, tries, next_at, coalesce(pages, 0) AS waiting
    FROM them JOIN hosts ON id = host LEFT JOIN waits USING (host) ORDER BY waiting DESC, name"""


class HostPages(NamedTuple):
    """Page counts of a host: known, and of these read, waiting and given up."""

    name: str
    known: int
    read: int
    waiting: int
    given_up: int


class Hosts(Subject):
    """Reads the tables `hosts`, `health` and `robots`."""

    def all(self) -> list[HostRow]:
        return self._tables.records(HostRow, "hosts ORDER BY id")

    def health(self) -> list[HealthRow]:
        """The health of all hosts that were ever in doubt."""
        return self._tables.records(HealthRow, "health ORDER BY host")

    def health_of(self, host: int) -> HealthRow | None:
        """The health of a host, by its number; None if it was never in doubt."""
        return self._tables.record(HealthRow, "health WHERE host = ?", host)

    def ill(self) -> list[IllHost]:
        """The hosts that are ill, first those for which most pages wait. Scans all pages if there are any."""
        if not self._tables.value(f"SELECT 1 FROM health WHERE state IN {ILL}"):
            return []
        return list(map(IllHost._make, self._tables.rows(_ILL)))

    def pages(self, n: int) -> list[HostPages]:
        """The n hosts with the most known pages. Scans all pages.

        Hosts of other partitions are excluded.
        """
        query = """
            SELECT name, count(*) AS known, sum(state IN ('fetched', 'alias')), sum(state = 'waiting'),
                sum(state IN ('error', 'disallowed', 'gone'))
            FROM pages JOIN hosts ON hosts.id = host WHERE state <> 'elsewhere' GROUP BY host
            ORDER BY known DESC, name LIMIT ?"""
        return list(map(HostPages._make, self._tables.rows(query, (n,))))

    def robots_in_html(self, before: float) -> Iterator[tuple[str, bytes]]:
        """Origins whose answer for robots.txt, given before a time, seems to be HTML, with its body."""
        query = "SELECT origin, body FROM robots WHERE fetched_at < ? AND instr(substr(body, 1, 9), '<')"
        return self._tables.each(query, before)

    def robots(self, origin: str) -> RobotsRow | None:
        """An origin's answer for its robots.txt; None if never asked."""
        return self._tables.record(RobotsRow, "robots WHERE origin = ?", origin)
