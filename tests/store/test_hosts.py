"""Hosts, their robots.txt files and the domains they belong to, as they were written."""

from pathlib import Path

from minicrawl.store.hosts import HostRow
from minicrawl.store.writer import Writer


def test_hosts_come_back_by_number_and_by_how_they_fail(tmp_path: Path) -> None:
    failing = [HostRow(number, name, 0.0, 0.0, strains=2) for number, name in ((1, "c.test"), (2, "a.test"))]
    hosts = [HostRow(0, "b.test", 1.0, 5.0), *failing]
    with Writer(tmp_path / "crawl.db") as writer:
        with writer.transaction():
            writer.put(HostRow, reversed(hosts))
        assert writer.hosts.all() == hosts
        assert [row.name for row in writer.hosts.strained()] == ["a.test", "c.test"]
        assert writer.hosts.count() == 3
        assert writer.hosts.has("b.test")
        assert not writer.hosts.has("B.test")
        assert writer.hosts.robots("http://b.test") is None
        with writer.transaction():
            writer.put(HostRow, [hosts[0]._replace(strains=9)])
        assert [row.name for row in writer.hosts.strained()] == ["b.test", "a.test", "c.test"]
