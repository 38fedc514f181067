"""The hosts by name, and how long they are left alone."""

from pathlib import Path

from absorbing import absorber_of

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.known.known_hosts import KnownHosts, delays_of_hosts


def hosts_of(path: Path, delay: float) -> tuple[Absorber, KnownHosts]:
    absorber = absorber_of(path, delay=delay)
    return absorber, KnownHosts(absorber.frontier, delay)


def test_name_is_one_host(tmp_path: Path) -> None:
    absorber, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    assert hosts.host("a.test") is hosts.host("a.test")
    assert hosts.host("b.test").id == 1
    absorber.writer.close()


def test_longer_delay_counts_unless_politeness_is_off(tmp_path: Path) -> None:
    absorber, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    assert (hosts.least_delay("a.test", 0.5), hosts.least_delay("a.test", 7.0)) == (1.0, 7.0)
    hosts.note_crawl_delay(hosts.host("a.test"), 0.5)
    assert not hosts.is_urgent
    hosts.note_crawl_delay(hosts.host("a.test"), 7.0)
    assert hosts.is_urgent
    absorber.writer.close()
    absorber, hosts = hosts_of(tmp_path / "impolite.db", 0.0)
    assert hosts.least_delay("a.test", 7.0) == 0.0
    absorber.writer.close()


def test_each_change_is_written_once(tmp_path: Path) -> None:
    absorber, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    hosts.note_crawl_delay(hosts.host("a.test"), 7.0)
    with absorber.writer as writer:
        with writer.transaction():
            hosts.save(writer)
        assert [(row.name, row.crawl_delay) for row in writer.hosts.all()] == [("a.test", 7.0)]
        hosts.host("a.test").crawl_delay = 9.0  # of which nobody took note
        with writer.transaction():
            hosts.save(writer)
        assert [row.crawl_delay for row in writer.hosts.all()] == [7.0]
        assert not hosts.is_urgent


def test_a_host_has_the_delay_of_its_own_by_whatever_it_is_called(tmp_path: Path) -> None:
    own = delays_of_hosts(["Own.test=5s", "own.test=9s", "h.test:443=2", "h.test:8080=3m", "bücher.test=0", "[::1]=4"])
    assert own == {"own.test": 5.0, "h.test": 2.0, "h.test:8080": 180.0, "xn--bcher-kva.test": 0.0, "[::1]": 4.0}
    absorber = absorber_of(tmp_path / "crawl.db", delay=1.0)
    hosts = KnownHosts(absorber.frontier, 1.0, own)
    assert hosts.host("own.test").delay == 5.0
    assert [hosts.least_delay("own.test", asked) for asked in (0.0, 7.0)] == [5.0, 7.0]
    assert hosts.least_delay("xn--bcher-kva.test", 7.0) == 0.0  # politeness is off, for this one
    assert hosts.least_delay("www.own.test", 0.5) == 1.0
    assert hosts.is_asked_more_often("xn--bcher-kva.test")
    assert not any(map(hosts.is_asked_more_often, ("own.test", "a.test")))
    hosts.note_crawl_delay(hosts.host("own.test"), 4.0)
    assert not hosts.is_urgent
    absorber.writer.close()
