"""A search in the indexes of all partitions against one in the index of one process."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, WEB, folder_at, run_in_parts

from minicrawl.api import acrawl
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.merged import ranked_pages
from minicrawl.cluster.reading.search import search_all
from minicrawl.demo.server import serving
from minicrawl.errors import SettingError
from minicrawl.search.index.following import following
from minicrawl.search.searching import Asked, FoundPage, search
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store

QUERIES = ["golden island", "festival beginners", "bridge", "kitchen railway museum"]


def indexed(stores: Sequence[Path]) -> None:
    for store in stores:
        with following(store) as follower:
            follower.catch_up()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    path = tmp_path_factory.mktemp("cluster") / "web"
    asyncio.run(run_in_parts(path, 2, SETTINGS | {"text": True}))
    indexed(found(path).stores)
    return found(path)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("alone") / "crawl.db"

    async def crawl() -> None:
        async with serving(WEB) as port:
            connect_to = (ConnectTo(None, None, "127.0.0.1", port),)
            await acrawl(WEB.seeds, store, connect_to=connect_to, text=True, **SETTINGS)

    asyncio.run(crawl())
    indexed([store])
    return store


def together(folder: Folder, text: str, **asked: object) -> tuple[FoundPage, ...]:
    with folder.opened() as stores:
        return search_all(stores, text, Asked(**asked)).pages  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("text", QUERIES)
def test_texts_with_all_words_are_found_as_by_one_process(folder: Folder, alone: Path, text: str) -> None:
    """Their order is not the same, as how rare a word is differs by partition; what links say is left aside."""
    with open_store(alone) as store:
        one = search(store, text, Asked(1_000)).pages
    both = together(folder, text, n=1_000)
    assert [page.rank for page in both] == list(range(1, len(both) + 1))
    texts = [{url for page in pages if page.full for url in (page.url, *page.alike)} for pages in (both, one)]
    assert texts[0] == texts[1]
    assert len({folder.homes.home_of(url) for url in texts[0]}) == 2, "pages of both partitions"


def test_importance_is_that_among_all_and_scores_add_up(folder: Folder) -> None:
    with folder.opened() as stores:
        ranked = {page.url: page.importance for page in ranked_pages(stores)}
    pages = together(folder, QUERIES[0], n=30, weight=0.5)
    assert [page.score for page in pages] == sorted((page.score for page in pages), reverse=True)
    for page in pages:
        assert page.importance == pytest.approx(ranked[page.url])
        assert page.score == pytest.approx(0.5 * page.similarity + 0.5 * page.place)
        assert 0 <= page.similarity <= 1
        assert 0 <= page.place <= 1
    by_importance = sorted(pages, key=lambda page: page.importance)
    assert [page.place for page in by_importance] == sorted(page.place for page in pages)
    some = [page.similarity / (page.short + 0.6 * page.full) for page in pages if page.has_all]
    assert some == pytest.approx([some[0]] * len(some)), "one scale for the pages of both"


def test_fewer_are_the_first_of_more(folder: Folder) -> None:
    urls = [page.url for page in together(folder, QUERIES[1], n=20, rank="none")]
    assert [page.url for page in together(folder, QUERIES[1], n=5, rank="none")] == urls[:5]


def test_what_cannot_be_is_one_sentence(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="partitions are searched by importance"):
        together(folder, "bridge", rank="hits")
    with pytest.raises(SettingError, match="no partition has texts to search in"):
        together(folder_at(tmp_path / "web", 2), "bridge")
