"""What a store says to a page is what its commands say on the terminal."""

import json
from pathlib import Path

import pytest
from support.command_line import answer
from support.sites import crawl, random_site, rows

from minicrawl.dashboard import readings
from minicrawl.dashboard.readings import Readings
from minicrawl.errors import MinicrawlError, StoreError


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "crawl.db"
    site, seeds = random_site(5)
    crawl(site, path, seeds, pages=40)
    return path


def test_top_is_that_of_the_command_line(store: Path) -> None:
    for by in ("importance", "inlinks"):
        found = readings.top(Readings(store), by, 9)
        assert [page["url"] for page in found["pages"]] == [
            page["url"] for page in answer("top", "--n", "9", "--by", by, "--store", store)
        ]
        assert found["by"] == by


def test_pages_are_those_of_the_command_line(store: Path) -> None:
    for given in ({"where": "status = 200", "words": "h1.test"}, {"where": "inlinks > 1"}, {"site": " "}):
        found = readings.pages(Readings(store), given, 7)
        asked = [f"--{name}={text}" for name, text in given.items() if text.strip() and name != "words"]
        expected = answer("top", "--where", "1", "--by", "importance", "--n", "999", *asked, "--store", store)
        urls = [page["url"] for page in expected if given.get("words", "") in page["url"]]
        assert found["count"] == len(urls) > 2
        assert [page["url"] for page in found["pages"]] == urls[:7]


def test_hosts_have_all_pages(store: Path) -> None:
    found = readings.hosts(Readings(store))
    assert found["count"] == len(found["hosts"]) == 4
    for host in found["hosts"]:
        states = dict(
            rows(
                store,
                "SELECT state, count(*) FROM pages JOIN hosts ON hosts.id = host WHERE name = ? GROUP BY 1",
                host["name"],
            )
        )
        assert host["known"] == sum(states.values())
        assert host["read"] == states.get("fetched", 0) + states.get("alias", 0)
        assert host["waiting"] == states.get("waiting", 0)
        assert host["given_up"] == host["known"] - host["read"] - host["waiting"]


def test_why_is_that_of_the_command_line(store: Path) -> None:
    url = rows(store, "SELECT url FROM pages WHERE state = 'fetched' LIMIT 1")[0][0]
    found = json.loads(json.dumps(readings.why(Readings(store), url)))
    assert found == answer("why", url, "--store", store)


@pytest.mark.parametrize(
    "reading",
    [
        lambda store: readings.top(Readings(store), "url; DROP TABLE pages", 9),
        lambda store: readings.top(Readings(store), "", 10**6),
        lambda store: readings.pages(Readings(store), {"colour": "red"}, 9),
        lambda store: readings.pages(Readings(store), {"host": "a," * 999}, 9),
        lambda store: readings.why(Readings(store), ""),
        lambda store: readings.why(Readings(store), "http://a.test/" + "x" * 9999),
    ],
)
def test_what_cannot_be_read_is_one_sentence(store: Path, reading) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MinicrawlError) as refusal:
        reading(store)
    assert "\n" not in str(refusal.value)


def test_without_a_store_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl at"):
        readings.hosts(Readings(tmp_path / "none.db"))


def test_a_crawl_may_begin_later(tmp_path: Path) -> None:
    later = Readings(tmp_path / "crawl.db")
    assert not later.has_begun()
    with pytest.raises(StoreError, match="there is no crawl at"):
        later.at_rest()
    crawl({"http://a.test/": ["/a"]}, later.path, ["http://a.test/"], delay=0.25)
    assert later.has_begun()
    status, earlier, banned, settings = later.at_rest()
    assert (status.known, earlier.runs, settings.delay, list(banned)) == (2, 0, 0.25, [])
    crawl({"http://a.test/b": []}, later.path, ["http://a.test/b"], delay=0.5)
    status, earlier, _, settings = later.at_rest()
    assert (status.known, earlier.runs, settings.delay) == (3, 1, 0.5)
