"""What a store says to a page is what its commands say on the terminal."""

import json
from pathlib import Path

import httpx
import numpy as np
import numpy.typing as npt
import pytest
from support.command_line import answer
from support.intakes import PATIENT
from support.refreshed import HOME
from support.sites import Server, crawl, random_site, rows

from minicrawl.dashboard import readings
from minicrawl.dashboard.readings import Readings
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.store.read.ranks import Ranks


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


def test_importance_is_read_once_for_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, reads = tmp_path / "crawl.db", list[Ranks]()
    site, seeds = random_site(5)
    crawl(site, path, seeds, pages=10)
    read = Ranks.importance

    def counted(ranks: Ranks) -> npt.NDArray[np.float64]:
        reads.append(ranks)
        return read(ranks)

    monkeypatch.setattr(Ranks, "importance", counted)
    found = Readings(path)
    first = [readings.importance(found), *(readings.pages(found, {"where": f"depth < {n}"}, 7) for n in range(3))]
    assert len(reads) == 1
    crawl(site, path, seeds, pages=10)
    reads.clear()
    assert readings.importance(found)["read"] > first[0]["read"]
    assert len(reads) == 1
    assert readings.importance(found) == readings.importance(Readings(path))


def test_importance_collected_is_that_of_the_pages_read_in_their_order(store: Path) -> None:
    found = readings.importance(Readings(store))
    query = """SELECT importance FROM ranks JOIN pages USING (id)
               WHERE pages.state IN ('fetched', 'alias') ORDER BY pages.fetch"""
    shares = [share for (share,) in rows(store, query)]
    best = sorted((share for (share,) in rows(store, "SELECT importance FROM ranks")), reverse=True)
    assert found["read"] == len(shares) > 20
    assert found["known"] == len(best)
    for name, values in (("collected", shares), ("possible", best)):
        assert found["curves"][name][-1][1] == pytest.approx(sum(values[: len(shares)]))
        for k, total in found["curves"][name]:
            assert total == pytest.approx(sum(values[:k]))
    assert all(one[1] <= other[1] + 1e-12 for one, other in zip(*found["curves"].values(), strict=True))


def test_changes_are_those_of_the_command_line(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"

    class Edited(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            answered, count = super()._answer(request), self.asked.count(str(request.url))
            text = f"edition {count // 9} {'word ' * 1000}"
            return answered if answered.status_code == 404 else httpx.Response(200, html=f"<p>{text}")

    crawl(Edited({HOME: []}), store, [HOME], refresh=True, text=True, pages=90, probe=False, timing=PATIENT)
    (page,) = readings.changes(Readings(store), "")["pages"]
    assert (page["url"], page["what"]) == (HOME, "changed")
    found = json.loads(json.dumps(readings.changes(Readings(store), HOME)))["changes"]
    expected = answer("changes", HOME, "--diff", "--store", store)[::-1][:8]
    assert [change["at"] for change in found] == [change["at"] for change in expected]
    for one, other in zip(found, expected, strict=True):
        blocks = [{**line, "text": line["text"][:2000]} for line in other["diff"] or ()]
        assert (one["diff"] or []) == blocks
    assert found[0]["diff"]
    with pytest.raises(SettingError, match="not known"):
        readings.changes(Readings(store), "http://nowhere.test/")


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
    """But for mirrors of its host, for which the command alone reads all pages."""
    url = rows(store, "SELECT url FROM pages WHERE state = 'fetched' LIMIT 1")[0][0]
    found = json.loads(json.dumps(readings.why(Readings(store), url)))
    assert found | {"mirror": None} == answer("why", url, "--store", store)


@pytest.mark.parametrize(
    "reading",
    [
        lambda store: readings.top(Readings(store), "url; DROP TABLE pages", 9),
        lambda store: readings.top(Readings(store), "", 10**6),
        lambda store: readings.pages(Readings(store), {"colour": "red"}, 9),
        lambda store: readings.pages(Readings(store), {"host": "a," * 999}, 9),
        lambda store: readings.why(Readings(store), ""),
        lambda store: readings.why(Readings(store), "http://a.test/" + "x" * 9999),
        lambda store: readings.search(Readings(store), "x" * 9999, 9),
    ],
)
def test_what_cannot_be_read_is_one_sentence(store: Path, reading) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MinicrawlError) as refusal:
        reading(store)
    assert "\n" not in str(refusal.value)


def test_without_a_store_or_an_index_there_is_a_sentence(tmp_path: Path, store: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl at"):
        readings.hosts(Readings(tmp_path / "none.db"))
    with pytest.raises(SettingError, match="--search"):
        readings.search(Readings(store), "words", 9)


def test_a_crawl_may_begin_later(tmp_path: Path) -> None:
    later = Readings(tmp_path / "crawl.db")
    assert not later.has_begun()
    with pytest.raises(StoreError, match="there is no crawl at"):
        later.at_rest()
    crawl({"http://a.test/": ["/a"]}, later.path, ["http://a.test/"], delay=0.25)
    assert later.has_begun()
    found = later.at_rest()
    assert (found.status.known, found.earlier.runs, found.settings.delay, list(found.banned)) == (2, 0, 0.25, [])
    crawl({"http://a.test/b": []}, later.path, ["http://a.test/b"], delay=0.5)
    found = later.at_rest()
    assert (found.status.known, found.earlier.runs, found.settings.delay) == (3, 1, 0.5)
