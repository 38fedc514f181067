"""Results of a page's last turn, in the store or on their way there."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.intakes import intake_of, next_page
from support.sites import crawl, rows
from support.stored_pages import add_pages, answer, turn

from minicrawl.crawler.hosts.clocks import HostDelays
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.known_pages import KnownHosts, KnownPages, KnownUrls
from minicrawl.errors import StoreError
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.store.links import Links, to_bytes
from minicrawl.store.writer import Writer


class Known:
    """A store of three pages, and what is noted of them."""

    def __init__(self, path: Path) -> None:
        self.writer = Writer(path)
        add_pages(self.writer, [f"http://a.test/{page}" for page in range(3)])
        self.pages = KnownPages(self.writer)

    def commit(self) -> None:
        with self.writer.transaction():
            self.pages.save(self.writer)


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Known]:
    known = Known(tmp_path / "crawl.db")
    yield known
    known.writer.close()


def linking(page: int, *targets: int) -> Links:
    return Links(page, to_bytes(np.array(targets, dtype=np.int32)), 0, 0)


@pytest.mark.parametrize("commits", [False, True], ids=["in the batch", "in the store"])
def test_the_last_turn_of_a_page(known: Known, commits: bool) -> None:
    pages = known.pages
    assert (pages.last_state(1), pages.was_there(1)) == ("waiting", False)
    pages.note_turn(turn(1, fetch=answer("One")), linking(1, 2, 0))
    if commits:
        known.commit()
    assert (pages.last_state(1), pages.was_there(1)) == ("fetched", True)
    assert pages.last_turn(1) == turn(1, fetch=answer("One"))
    assert pages.outlinks(1).tolist() == [2, 0]
    pages.restate(1, State.ERROR, "soft-404")
    pages.relink(pages.links_row(1)._replace(targets=b""))
    if commits:
        known.commit()
    assert (pages.last_state(1), pages.was_there(1)) == ("error", False)
    assert pages.last_turn(1) == turn(1, "error", "soft-404", answer("One"))
    assert pages.outlinks(1).tolist() == []


@pytest.mark.parametrize("commits", [False, True], ids=["in the batch", "in the store"])
def test_a_turn_outdoes_what_was_noted_before_it(known: Known, commits: bool) -> None:
    known.pages.note_turn(turn(1, fetch=answer("Old")), linking(1, 2))
    known.pages.restate(1, State.ERROR, "soft-404")
    if commits:
        known.commit()
    known.pages.note_turn(turn(1, "alias", "canonical"), linking(1, 0))
    known.commit()
    assert known.pages.last_turn(1) == known.writer.page_table.turn(1) == turn(1, "alias", "canonical")
    assert known.pages.outlinks(1).tolist() == [0]


def test_failures_in_a_row_are_counted_until_a_turn_ends_them(known: Known) -> None:
    for _ in range(3):
        known.pages.note_failure(2, "timeout")
    known.commit()
    assert known.pages.attempts == {2: 3}
    known.pages.note_turn(turn(2, fetch=answer()), linking(2))
    known.commit()
    assert known.pages.attempts == {}
    known.pages.note_failure(2, "timeout")
    known.pages.note_unchanged(2)
    assert known.pages.attempts == {}


# Page numbers by URL and URLs by page number, from memory or from the store.


HOME, OTHER, NEW = "http://a.test/", "http://a.test/b", "http://a.test/new"


def test_committed_and_new_urls_are_found(tmp_path: Path) -> None:
    crawl({HOME: [OTHER], OTHER: []}, tmp_path / "crawl.db", [HOME])
    with Writer(tmp_path / "crawl.db") as writer:
        urls = KnownUrls(writer, writer.size())
        assert urls.find([OTHER, NEW, HOME]) == [1, None, 0]
        urls.add(NEW, 2)
        assert urls.find([NEW, NEW, OTHER]) == [2, 2, 1]
        assert [urls.url(page) for page in range(3)] == [HOME, OTHER, NEW]


def test_urls_that_memory_has_dropped_are_found_in_the_store(tmp_path: Path) -> None:
    pages = [f"http://a.test/{number}" for number in range(40)]
    crawl({HOME: pages, **{page: [] for page in pages}}, tmp_path / "crawl.db", [HOME])
    with Writer(tmp_path / "crawl.db") as writer:
        size = writer.size()
        urls = KnownUrls(writer, 0, generation=8)  # as in the run that found them
        for page, url in enumerate(writer.page_table.urls()):
            urls.add(url, page)
            if page % 5 == 0:
                urls.committed()
        urls.committed()
        urls.add(NEW, size)
        assert urls.find([HOME, *pages, NEW, OTHER]) == [*range(size), size, None]
        assert [urls.url(page) for page in range(size + 1)] == [HOME, *pages, NEW]


# The hosts by name, and how long they are left alone.


def hosts_of(path: Path, delay: float) -> tuple[Intake, KnownHosts]:
    intake = intake_of(path, delay=delay)
    return intake, KnownHosts(intake.state.frontier, HostDelays(delay))


def test_a_crawl_delay_that_makes_it_longer_is_urgent_unless_politeness_is_off(tmp_path: Path) -> None:
    intake, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    hosts.set_crawl_delay(hosts.host("a.test"), 0.5, 0.0)
    assert not hosts.is_urgent
    hosts.set_crawl_delay(hosts.host("a.test"), 7.0, 0.0)
    assert hosts.is_urgent
    intake.state.writer.close()
    intake, hosts = hosts_of(tmp_path / "impolite.db", 0.0)
    hosts.set_crawl_delay(hosts.host("a.test"), 7.0, 0.0)
    assert not hosts.is_urgent
    intake.state.writer.close()


def test_each_change_is_written_once(tmp_path: Path) -> None:
    intake, hosts = hosts_of(tmp_path / "crawl.db", 1.0)
    hosts.set_crawl_delay(hosts.host("a.test"), 7.0, 0.0)
    with intake.state.writer as writer:
        with writer.transaction():
            hosts.save(writer)
        assert [(row.name, row.crawl_delay) for row in writer.hosts.all()] == [("a.test", 7.0)]
        hosts.host("a.test").crawl_delay = 9.0  # of which nobody took note
        with writer.transaction():
            hosts.save(writer)
        assert [row.crawl_delay for row in writer.hosts.all()] == [7.0]
        assert not hosts.is_urgent


def test_pages_go_on_with_the_attempts_they_had(tmp_path: Path) -> None:
    first = intake_of(tmp_path / "crawl.db")
    first.start(["http://a.test/"], 0.0)
    page = next_page(first.state.frontier, 0.0)
    assert page is not None
    first.visits.absorb(page, Fetched("http://a.test/", status=503), ParsedPage(), 0.0)
    first.commit({})
    first.state.writer.close()
    again = intake_of(tmp_path / "crawl.db")
    assert again.state.pages.attempts == {page: 1}
    again.state.writer.close()


DAMAGE = {
    "DELETE FROM hosts WHERE id = 0": "host 0 is missing",
    "UPDATE pages SET host = 99 WHERE id = 2": "pages with numbers from 0 on are on a host that is missing",
    "UPDATE pages SET host = -1 WHERE id = 2": "pages with numbers from 0 on are on a host that is missing",
    "DELETE FROM pages WHERE id = 1": "pages with numbers from 0 on are missing",
    "DELETE FROM meta WHERE key = 'virtual'": "a number that importance depends on is missing",
    "UPDATE pages SET cash = cash + 5 WHERE id = 1": "the book holds",
    "UPDATE meta SET value = value - 1 WHERE key = 'virtual'": "the book holds",
    "UPDATE meta SET value = 'much' WHERE key = 'virtual'": "meta.virtual is 'much', which is not valid",
}


@pytest.mark.parametrize(("deed", "sentence"), DAMAGE.items())
def test_what_a_store_lacks_is_a_sentence(store: Path, deed: str, sentence: str) -> None:
    first = intake_of(store)
    first.start([f"http://{host}.test/" for host in "abc"], 0.0)
    first.commit({})
    first.state.writer.close()
    rows(store, deed)
    with pytest.raises(StoreError, match=sentence):
        intake_of(store)
