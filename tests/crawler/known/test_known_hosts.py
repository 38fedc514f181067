"""The hosts by name, and how long they are left alone."""

from pathlib import Path

from support.intakes import intake_of

from minicrawl.crawler.hosts import HostDelays
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.known_pages import KnownHosts


def hosts_of(path: Path, delay: float) -> tuple[Intake, KnownHosts]:
    intake = intake_of(path, delay=delay)
    return intake, KnownHosts(intake.state.frontier, HostDelays(delay))


def test_a_crawl_delay_that_makes_it_longer_is_urgent_unless_politeness_is_off(tmp_path: Path) -> None:
    intake, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    hosts.note_crawl_delay(hosts.host("a.test"), 0.5)
    assert not hosts.is_urgent
    hosts.note_crawl_delay(hosts.host("a.test"), 7.0)
    assert hosts.is_urgent
    intake.state.writer.close()
    intake, hosts = hosts_of(tmp_path / "impolite.db", 0.0)
    hosts.note_crawl_delay(hosts.host("a.test"), 7.0)
    assert not hosts.is_urgent
    intake.state.writer.close()


def test_each_change_is_written_once(tmp_path: Path) -> None:
    intake, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    hosts.note_crawl_delay(hosts.host("a.test"), 7.0)
    with intake.state.writer as writer:
        with writer.transaction():
            hosts.save(writer)
        assert [(row.name, row.crawl_delay) for row in writer.hosts.all()] == [("a.test", 7.0)]
        hosts.host("a.test").crawl_delay = 9.0  # of which nobody took note
        with writer.transaction():
            hosts.save(writer)
        assert [row.crawl_delay for row in writer.hosts.all()] == [7.0]
        assert not hosts.is_urgent
