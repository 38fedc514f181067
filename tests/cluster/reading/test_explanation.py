"""What is told of one URL of a crawl in partitions."""

import random
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from support.cluster_runs import SETTINGS, crawled_in_parts
from support.partitions import Partitions, random_web
from support.sites import rows

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.homes import Homes
from minicrawl.cluster.merged import ranked_pages
from minicrawl.cluster.reading.explanation import PlacedExplanation, explain_one
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store
from minicrawl.store.rows import RankedPage


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return crawled_in_parts(tmp_path_factory.mktemp("cluster") / "web", 3, SETTINGS)


@pytest.fixture(scope="module")
def pages(folder: Folder) -> list[RankedPage]:
    with folder.opened() as stores:
        return list(ranked_pages(stores))


@pytest.fixture(scope="module")
def linked_from(folder: Folder) -> dict[str, set[str]]:
    """By URL the pages that link to it, by a look at every link of every store."""
    found: dict[str, set[str]] = defaultdict(set)
    for store in folder.stores:
        urls = [url for (url,) in rows(store, "SELECT url FROM pages ORDER BY id")]
        for source, targets in rows(store, "SELECT source, targets FROM links"):
            for target in np.frombuffer(targets, "<i4").tolist():
                found[urls[target]].add(urls[source])
    return found


def explained(folder: Folder, url: str) -> PlacedExplanation:
    with folder.opened() as stores:
        return explain_one(folder.homes, stores, url)


@pytest.mark.slow
def test_rank_importance_and_links_are_those_of_all(
    folder: Folder, pages: list[RankedPage], linked_from: dict[str, set[str]]
) -> None:
    others = 0
    for ranked in [*pages[:5], *pages[5::100]]:
        placed = explained(folder, ranked.url)
        page = placed.explanation.page
        assert page is not None
        assert (page.ranked.rank, page.ranked.importance) == (ranked.rank, ranked.importance)
        assert page.known_pages == len(pages)
        sources = linked_from[ranked.url]
        assert set(page.linked_from) <= sources
        assert len(page.linked_from) == min(len(sources), 10)
        assert len(sources) == ranked.inlinks
        assert page.links_in.looked_at == len(sources) or 50 <= page.links_in.looked_at < len(sources)
        assert placed.home == folder.homes.home_of(ranked.url)
        has_mirror = [bool(rows(store, f"SELECT 1 FROM pages WHERE url = '{ranked.url}'")) for store in folder.stores]
        assert [number in (placed.home, *placed.mirrors) for number in range(3)] == has_mirror
        others += sum(folder.homes.home_of(source) != placed.home for source in sources)
    assert others, "some links come from other partitions"


def test_what_its_home_was_not_told_of_is_a_mirror_only(tmp_path: Path) -> None:
    web = random_web(random.Random(3))
    with Partitions(tmp_path, web, list(web)[:3], 2) as partitions:
        for number in partitions.numbers:
            while partitions.turn(number):
                pass
            partitions.commit(number)
    waits = "SELECT url FROM pages WHERE state = 'elsewhere' ORDER BY id"
    known = {
        url for store in partitions.stores for (url,) in rows(store, "SELECT url FROM pages WHERE state <> 'elsewhere'")
    }
    url, source = next(
        (url, number)
        for number in partitions.numbers
        for (url,) in rows(partitions.stores[number], waits)
        if url not in known
    )
    with ExitStack() as stack:
        stores = [stack.enter_context(open_store(store)) for store in partitions.stores]
        placed = explain_one(Homes(2, b"a secret"), stores, url)
    assert (placed.home, placed.mirrors) == (1 - source, (source,))
    assert (placed.explanation.page, placed.explanation.state) == (None, "unknown")


def test_a_url_that_nobody_has_heard_of_has_a_home_all_the_same(folder: Folder) -> None:
    placed = explained(folder, "http://nobody.test/")
    assert (placed.explanation.state, placed.mirrors) == ("unknown", ())
    assert placed.home == folder.homes.home_of("http://nobody.test/")
    with pytest.raises(SettingError, match="is no http or https URL"):
        explained(folder, "ftp://a.test/")
