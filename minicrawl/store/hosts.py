"""Hosts and their robots.txt files."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import SiteId, Time, table
from minicrawl.store.tables import Subject


class HostRow(NamedTuple):
    """A host, and how it has answered; see crawler/hosts/clocks.py."""

    id: int
    name: Annotated[str, "host, with port where it is not the scheme's own"]
    crawl_delay: Annotated[float, "seconds its robots.txt asks for between two requests"]
    next_fetch: Annotated[Time, "the delay is over then"]
    seconds: Annotated[float, "how long its last good answer took"] = 0.0
    backoff: Annotated[float, "seconds of delay that its strain made; 0: none"] = 0.0
    strains: Annotated[int, "429, 503, time-outs and the like in a row"] = 0
    dead_until: Annotated[Time, "until then its pages are not asked for"] = 0.0
    rests_until: Annotated[Time, "until then it is left alone for another reason"] = 0.0


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
table("robots", "robots.txt files", RobotsRow, keys="origin")


class HostPages(NamedTuple):
    """Page counts of a host: known, and of these read, waiting and given up."""

    name: str
    known: int
    read: int
    waiting: int
    given_up: int


class Hosts(Subject):
    """Reads the tables `hosts` and `robots`."""

    def all(self) -> list[HostRow]:
        return self._tables.records(HostRow, "hosts ORDER BY id")

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

    def robots(self, origin: str) -> RobotsRow | None:
        """An origin's answer for its robots.txt; None if never asked."""
        return self._tables.record(RobotsRow, "robots WHERE origin = ?", origin)
