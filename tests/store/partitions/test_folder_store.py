"""A folder of partitions says what one store says, however small the crawl."""

import json
from pathlib import Path

import numpy as np
import pytest
from support.cluster_folders import some_folder
from support.partition_twins import THREE, A, B, twins
from support.partitions import Web
from support.sites import rows

from minicrawl.analysis.explain import explain
from minicrawl.analysis.status import status
from minicrawl.analysis.verify import verify
from minicrawl.errors import StoreError
from minicrawl.model import CoursePoint
from minicrawl.store.partitions import folder_store
from minicrawl.store.partitions import pages as partition_pages
from minicrawl.store.partitions.folder_store import _course
from minicrawl.store.reader import Store, open_store

CRAWL_ONLY = {
    "FolderStore": "pin cookies",
    "_AllSites": "of_hosts doors fronts voices",
    "_AllSitemaps": "listed_urls",
    "_AllRequisites": "waiting number_of",
    "_AllTexts": "row rows of_fetched last_start added_behind records flaws versions version template host_blocks",
    "AllPages": "fetch_order interests last_turn last_answer given_up miscounted unanswered failures columns_of",
    "AllLinks": "hinted own too_deep",
    "AllRanks": "worth facts best places",
    "AllRecognised": "said_first recent_pages alternates",
    "AllRefreshes": "changes_of last_change changes_after",
}
"""Questions that are put to one store, by its crawl or for a page that it has: no folder answers them."""
BY_OTHERS = {"top", "pages", "changes", "links", "text", "ask"}
"""Questions that a store answers by others of its own."""
WEBS: list[Web] = [{}, {A: []}, THREE]


def links(store: Store) -> set[tuple[str, str]]:
    graph, urls = store.links(), list(store.page_table.urls())
    return {(urls[one], urls[other]) for one, other in zip(graph.link_sources(), graph.targets, strict=True)}


@pytest.mark.parametrize("web", WEBS, ids=["nothing", "one page", "some pages"])
def test_it_says_what_one_store_says(web: Web, tmp_path: Path) -> None:
    file, folder = twins(tmp_path, web)
    with open_store(file) as one, open_store(folder) as all_of_them:
        assert all_of_them.size() == one.size() == len(web)
        pages = [{page.url: page for page in store.pages()} for store in (one, all_of_them)]
        assert pages[0].keys() == pages[1].keys() == set(web)
        for url, page in pages[0].items():
            assert pages[1][url].importance == pytest.approx(page.importance, abs=1e-6)
            assert pages[1][url][5:9] == page[5:9]
        assert links(one) == links(all_of_them)
        assert one.page_table.counts() == all_of_them.page_table.counts()
        assert [page.rank for page in all_of_them.pages()] == list(range(1, len(web) + 1))
        found = [status(store) for store in (one, all_of_them)]
        assert (found[0].known, found[0].read, found[0].hosts) == (found[1].known, found[1].read, found[1].hosts)
        assert sum(part.known for part in found[1].partitions) == len(web)


def test_a_page_is_explained_by_the_links_of_all(three: tuple[Path, Path]) -> None:
    file, folder = three
    with open_store(file) as one, open_store(folder) as all_of_them:
        for url in THREE:
            here, there = explain(one, url).page, explain(all_of_them, url).page
            assert here is not None
            assert there is not None
            assert set(here.linked_from) == set(there.linked_from)
            assert here.links_to == there.links_to
            assert (here.ranked.depth, here.known_pages) == (there.ranked.depth, there.known_pages)
        assert explain(all_of_them, B).partition == all_of_them.partition_of(B)


@pytest.mark.parametrize("exchanges", [0, 2])
def test_what_is_on_its_way_counts_where_it_goes(exchanges: int, tmp_path: Path) -> None:
    """A page that its home was not told of yet is one of the crawl."""
    folder = some_folder(tmp_path / "web", exchanges)
    assert rows(folder.stores[0], "SELECT 1 FROM outbox") + rows(folder.stores[1], "SELECT 1 FROM outbox")
    urls = {url for store in folder.stores for (url,) in rows(store, "SELECT url FROM pages")}
    with open_store(folder.path) as store:
        assert set(store.page_table.urls()) == urls
        assert sum(store.page_table.counts().values()) == len(urls)
        assert len(links(store)) == store.link_table.count()
        found = verify(store)
        assert found.known == len(urls)
        assert found.excess() < 1e-6


def test_a_ranking_is_kept_by_the_partition_of_each_page(own: Path) -> None:
    with open_store(own) as store:
        for path, values in store.by_file(np.arange(float(store.size()))):
            rows(path, "INSERT INTO rankings SELECT 'mine', key, value FROM json_each(?)", json.dumps(values.tolist()))
    with open_store(own) as store:
        assert store.ranks.values("mine") == {url: float(at) for at, url in enumerate(store.page_table.urls())}


def test_none_is_checked_while_a_crawl_runs(three: tuple[Path, Path]) -> None:
    _, folder = three
    with open_store(folder) as store, store.files() as stores:
        assert len(stores) == 3
    with open_store(folder) as store:
        store.is_in_use = lambda: True  # type: ignore[method-assign]
        with pytest.raises(StoreError, match="a crawl uses"), store.files():
            pass


def point(seconds: float, fetched: int) -> CoursePoint:
    return CoursePoint(seconds, 1000.0 + seconds, fetched, 10 * fetched, fetched, fetched, 0, 0.5)


def test_courses_are_added_up_at_the_times_of_the_longest() -> None:
    found = _course([[point(0, 0), point(10, 100)], [], [point(0, 0), point(4, 8), point(20, 40)]])
    assert [(one.seconds, one.fetched) for one in found] == [(0, 0), (4, 48), (20, 140)]
    assert _course([[], []]) == []


def test_every_question_of_a_reader_is_answered() -> None:
    """A question that is added to a store is answered by a folder, or is listed here."""
    for module in (folder_store, partition_pages):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and kind.__module__ == module.__name__ and kind.__base__ is not object:
                asked = {key for key, value in vars(kind.__base__).items() if key[0] != "_" and callable(value)}
                assert asked - vars(kind).keys() - BY_OTHERS == set(CRAWL_ONLY.get(name, "").split()), name


def test_preferences_are_those_of_all_partitions(own: Path) -> None:
    with open_store(own) as reader:
        urls = sorted(reader.page_table.urls())
    for url in urls:
        with open_store(own) as reader:
            part = reader.parts[reader.partition_of(url) or 0]
            place, page = part.path, part.page_table.find([url])[url]
        rows(place, "UPDATE fetches SET on_use = ? WHERE page = ?", url, page)
    with open_store(own) as reader:
        page_of = reader.page_table.find(urls)
        read = {page_of[page.url]: page.url for page in reader.pages() if page.status is not None}
        assert read
        assert reader.page_table.on_use(page_of.values()) == read
