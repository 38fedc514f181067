"""What the dashboard reads of a folder is what `minicrawl cluster` says of it, and what all stores have together."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import crawled_by_command
from support.command_line import answer
from support.sites import rows

from minicrawl.cluster.folder import Place, found, found_or_made
from minicrawl.cluster.merged import ranked_pages
from minicrawl.cluster.reading.folder_readings import FolderReadings
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.settings import CrawlSettings

HOME = "http://h0.test/"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl in two partitions, each of which has pages, that ended before all were read; with indexes."""
    path, _ = crawled_by_command(tmp_path_factory.mktemp("cluster"), "--search", "--pages", "20", "--no-probe")
    return path


def sought(folder: Path, query: str) -> list[Any]:
    return [row for store in found(folder).stores for row in rows(store, query)]


def test_the_best_pages_are_those_of_all_that_were_read(folder: Path) -> None:
    every = answer("cluster", "top", "--n", "1000", "--store", folder)
    for n in (1, 7, 500):
        top = FolderReadings(folder).top(None, n)
        read = [page for page in every if page["state"] == "fetched"][:n]
        assert [(line.page.url, line.page.rank) for line in top.lines] == [(page["url"], page["rank"]) for page in read]
        last = read[-1]["rank"] if len(read) == n else len(every)
        assert top.unread == Counter(page["state"] for page in every[:last] if page["state"] != "fetched")
        assert top.order is not None
        assert (top.order.by, top.order.known, top.order.has_unread) == ("importance", len(every), True)
        for line in top.lines:
            home = found(folder).stores[found(folder).homes.home_of(line.page.url)]
            assert rows(home, "SELECT url FROM pages WHERE id = ?", line.number) == [(line.page.url,)]


def collected_by_hand(folder: Path) -> list[float]:
    """Importance of the pages read, by when each was first answered: no later than any that was answered behind it."""
    with found(folder).opened() as stores:
        importance = {page.url: page.importance for page in ranked_pages(stores)}
    read = []
    for store in found(folder).stores:
        answered = rows(
            store,
            """SELECT fetched_at, url FROM pages JOIN fetches ON fetches.id = pages.fetch
               WHERE state IN ('fetched', 'alias') ORDER BY pages.fetch""",
        )
        read += [(min(at for at, _ in answered[number:]), importance[url]) for number, (_, url) in enumerate(answered)]
    return [share for _, share in sorted(read, key=lambda one: one[0])]


def test_importance_collected_is_that_of_all_by_their_first_answers(folder: Path, tmp_path: Path) -> None:
    with found(folder).opened() as stores:
        importance = [page.importance for page in ranked_pages(stores)]
    read, known = FolderReadings(folder).collected()
    assert known.tolist() == pytest.approx(importance)
    assert read.tolist() == pytest.approx(collected_by_hand(folder))
    assert len(read) > 5
    again = tmp_path / "web"
    shutil.copytree(folder, again)
    for store in found(again).stores:  # the page that was first is fetched again
        rows(store, "UPDATE fetches SET fetched_at = fetched_at + 1e6 WHERE id = (SELECT min(id) FROM fetches)")
    assert FolderReadings(again).collected()[0].tolist() == pytest.approx(collected_by_hand(again))


def test_hosts_are_where_they_are_at_home(folder: Path) -> None:
    every = Counter(
        name
        for (name,) in sought(
            folder, "SELECT name FROM pages JOIN hosts ON hosts.id = host WHERE pages.state <> 'elsewhere'"
        )
    )
    first, in_all = FolderReadings(folder).hosts(500)
    assert in_all == len(first) == len(every)
    assert {pages.name: pages.known for pages, _ in first} == every
    assert [row.name for _, row in first] == [pages.name for pages, _ in first]
    best, in_all = FolderReadings(folder).hosts(2)
    assert (best, in_all) == (first[:2], len(every))


def test_why_and_search_are_those_of_the_command_line(folder: Path) -> None:
    readings = FolderReadings(folder)
    why = json.loads(json.dumps(readings.why(HOME)))
    assert why == answer("cluster", "why", HOME, "--store", folder)
    assert why["partition"] == found(folder).homes.home_of(HOME)
    said = answer("cluster", "search", "sailing", "--store", folder)
    pages = readings.search("sailing", 10).pages
    assert [(page.url, page.score) for page in pages] == [(page["url"], page["score"]) for page in said]
    assert pages


def test_partitions_and_the_whole_are_those_of_status(folder: Path) -> None:
    readings, said = FolderReadings(folder), answer("cluster", "status", "--store", folder)
    parts = readings.partitions()
    for part, row in zip(parts, said["partitions"], strict=True):
        assert (part["number"], part["machine"], part["waiting"]) == (row["partition"], None, row["outbox"])
        assert [part[name] for name in ("states", "mirrors", "last_commit")] == [
            row[name] for name in ("pages", "mirrors", "last_commit")
        ]
        assert part["known"] == sum(row["pages"].values())
    whole = readings.at_rest()
    assert json.loads(json.dumps(whole.status.as_json())) == {
        name: value for name, value in said.items() if name != "partitions"
    }
    assert sum(part["read"] for part in parts) == whole.status.read  # type: ignore[misc]
    assert (whole.is_whole, whole.settings.pages, whole.settings.delay) == (True, 20, 0.0)


def test_what_all_have_done_is_looked_at_again_when_a_store_has_changed(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "web")
    readings = FolderReadings(tmp_path / "web")
    first = readings.at_rest()
    assert readings.at_rest() is first
    rows(found(tmp_path / "web").stores[1], "INSERT OR REPLACE INTO meta VALUES ('banned_hosts', '[\"h9.test\"]')")
    assert readings.at_rest().banned == ["h9.test"]


def test_states_and_the_course_are_added_up(folder: Path) -> None:
    course = json.loads(json.dumps(FolderReadings(folder).course()))
    states = Counter(sought(folder, "SELECT state, reason FROM pages WHERE state <> 'elsewhere'"))
    assert {(one["state"], one["reason"]): one["pages"] for one in course["states"]} == states
    last = course["points"][-1]
    [(size, answers)] = [
        tuple(map(sum, zip(*sought(folder, "SELECT total(bytes), count(*) FROM fetches"), strict=True)))
    ]
    assert (last["fetched"], last["bytes"]) == (answers, size)
    assert last["read"] == sum(states[state] for state in states if state[0] in ("fetched", "alias")) > 5


def test_a_partition_on_another_machine_is_named_and_not_read(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "web")
    kept = found(tmp_path / "web").keep_place(1, Place("/elsewhere", 0, "other"))
    readings = FolderReadings(kept.path)
    here, away = readings.partitions()
    assert away == {"number": 1, "machine": "other"}
    whole = readings.at_rest()
    assert (whole.is_whole, whole.status.known, whole.status.read) == (False, here["known"], here["read"])
    for reading in (readings.collected, readings.course, lambda: readings.top(None, 9), lambda: readings.why(HOME)):
        with pytest.raises(StoreError, match="partition 1 is on machine other"):
            reading()
    kept.keep_place(0, Place("/elsewhere", 0, "other"))
    assert [part["machine"] for part in readings.partitions()] == ["other"] * 2
    with pytest.raises(StoreError, match="partition 0 is on machine other"):
        readings.at_rest()


def test_what_is_not_told_over_partitions_is_one_sentence(folder: Path) -> None:
    readings = FolderReadings(folder)
    assert readings.rising(0.0, 9) == []
    for reading in (
        readings.shape,
        lambda: readings.picture("pages"),
        lambda: readings.top("history", 9),
        lambda: readings.start({}),
    ):
        with pytest.raises(MinicrawlError) as refusal:
            reading()
        assert "\n" not in str(refusal.value)


def test_before_the_first_run_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl in partitions at"):
        FolderReadings(tmp_path)
    readings = FolderReadings(found_or_made(tmp_path / "web", 3).path)
    assert (readings.has_begun(), readings.is_in_use(), readings.top(None, 9).lines) == (True, False, [])
    assert (readings.at_rest().status.known, readings.at_rest().settings) == (0, CrawlSettings())
    assert [list(shares) for shares in readings.collected()] == [[], []]
    assert (readings.hosts(9), readings.course()) == (([], 0), {"states": [], "points": []})
    assert [part["known"] for part in readings.partitions()] == [0, 0, 0]
