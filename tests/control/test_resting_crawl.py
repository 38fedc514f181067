"""A crawl that nobody runs is changed as a running one would be, and the next run goes on with that."""

import asyncio
from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, rows
from support.steering import kept, kept_list

from minicrawl.control.resting_crawl import RestingCrawl
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.books.audit import audit
from minicrawl.errors import ConfigError, StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

HOME = "http://a.test/"
SITE: Site = {
    HOME: ["/a", "/gone", "http://b.test/"],
    HOME + "a": [HOME],
    HOME + "gone": 404,
    "http://b.test/": [HOME],
    "http://c.test/": ["http://c.test/x"],
    "http://c.test/x": [],
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A crawl that was stopped after two pages."""
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME], pages=2, scope="site")
    return path


def next_run(store: Path) -> list[str]:
    """What the next run asks for."""
    _, server = crawl(SITE, store, [])
    return server.asked


def test_settings_are_those_of_the_next_run(store: Path) -> None:
    changed = asyncio.run(RestingCrawl(store).change_settings({"scope": "any", "delay": "2s", "concurrency": 1}))
    assert [(one.name, one.before, one.after) for one in changed] == [("scope", "site", "any"), ("delay", "0.0", "2.0")]
    assert (kept(store, "scope"), kept(store, "delay")) == ("any", 2.0)
    asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/"])))
    assert "http://c.test/x" in next_run(store)


def test_seeds_are_known_with_all_that_is_granted_to_a_page(store: Path) -> None:
    assert asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/", HOME]))) == 1
    with open_store(store) as reader:
        assert list(audit(reader)) == []
        assert reader.ranks.is_exact(reader.page_table.find(["http://c.test/"])["http://c.test/"])
    assert {"http://c.test/", "http://c.test/x"} <= set(next_run(store))


def test_a_banned_host_is_not_asked_until_that_is_taken_back(store: Path) -> None:
    asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/"])))
    assert asyncio.run(RestingCrawl(store).ban("http://C.test/x")) == "c.test"
    assert kept_list(store, "banned_hosts") == ["c.test"]
    assert not any("c.test" in url for url in next_run(store))
    assert asyncio.run(RestingCrawl(store).unban("c.test")) == "c.test"
    assert {"http://c.test/", "http://c.test/x"} <= set(next_run(store))


def test_a_page_that_was_given_up_is_asked_for_again_and_first(store: Path) -> None:
    next_run(store)
    assert asyncio.run(RestingCrawl(store).again(HOME + "gone")) == HOME + "gone"
    assert asyncio.run(RestingCrawl(store).again("a.test/a")) == HOME + "a"
    assert sorted(next_run(store)) == [HOME + "a", HOME + "gone"]


@pytest.mark.parametrize("limit", ["pages", "time", "bytes", "until_coverage", "retry"])
def test_what_is_for_one_run_is_refused(store: Path, limit: str) -> None:
    with pytest.raises(ConfigError, match="is for one run: give it to 'minicrawl crawl'"):
        asyncio.run(RestingCrawl(store).change_settings({limit: "1"}))


def test_what_is_wrong_changes_nothing(store: Path) -> None:
    before = store.read_bytes()
    resting = RestingCrawl(store)
    for change in (
        resting.change_settings({"delay": "2", "scope": "some"}),
        resting.change_settings({"timeout": "2"}),
        resting.change_settings({"x": 1}),
        resting.ban("nowhere.test"),
        resting.unban("a.test"),
        resting.again("http://a.test/unknown"),
        resting.again("mailto:x@y.test"),
    ):
        with pytest.raises(ConfigError):
            asyncio.run(change)
    assert store.read_bytes() == before


def test_certificates_and_ranks_stay_as_they_were(store: Path, tmp_path: Path) -> None:
    pem = Path(__file__).parent.parent / "support" / "tls.pem"
    crawl(SITE, store, [], pages=1, ca_file=pem, scope="site")
    before = rows(store, "SELECT url, rank, importance FROM ranks ORDER BY rank")
    asyncio.run(RestingCrawl(store).ban("a.test"))
    assert kept(store, "ca_file") == str(pem)
    assert rows(store, "SELECT url, rank, importance FROM ranks ORDER BY rank") == before
    with open_store(store) as reader:
        assert reader.meta("is_ranked")
        assert reader.meta("stopped") == "pages"


def test_a_store_that_is_in_use_or_missing_is_told(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl at"):
        RestingCrawl(tmp_path / "none.db")
    writer = Writer(store)
    with pytest.raises(StoreError, match="another crawl is using"):
        asyncio.run(RestingCrawl(store).ban("a.test"))
    writer.close()


def test_nothing_is_asked_for(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(SITE)
    asyncio.run(RestingCrawl(store).change_settings({"workers": 2}))
    asyncio.run(RestingCrawl(store).take_seeds(Seeds(["http://c.test/"], frozenset())))
    assert (server.asked, kept(store, "workers")) == ([], 2)
