"""The stores of all partitions, read as one."""

from collections import Counter
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, crawled_in_parts, folder_at
from support.sites import rows

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.merged import ranked_pages, states
from minicrawl.model import State
from minicrawl.store.rows import RankedPage


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return crawled_in_parts(tmp_path_factory.mktemp("cluster") / "web", 2, SETTINGS)


@pytest.fixture(scope="module")
def pages(folder: Folder) -> list[RankedPage]:
    with folder.opened() as stores:
        return list(ranked_pages(stores))


def test_importance_is_that_of_all_sums(folder: Folder, pages: list[RankedPage]) -> None:
    """X = R + V' B / sum(B), added up here as the ledger does."""
    sums: Counter[str] = Counter()
    x: dict[str, float] = {}
    for store in folder.stores:
        names = "'ledger_virtual', 'ledger_never_visited', 'ledger_births'"
        sums.update({name: int(value) for name, value in rows(store, f"SELECT * FROM meta WHERE key IN ({names})")})
    held = (sums["ledger_virtual"] + sums["ledger_never_visited"]) / sums["ledger_births"]
    for store in folder.stores:
        for url, state, received, birth in rows(store, "SELECT url, state, received, birth FROM born"):
            if state != State.ELSEWHERE:
                x[url] = 0.0 if state == State.ALIAS else received + held * birth
    whole = sum(x.values())
    assert {page.url for page in pages} == x.keys()
    for page in pages:
        assert page.importance == pytest.approx(x[page.url] / whole, rel=1e-9, abs=1e-15)
    assert sum(page.importance for page in pages) == pytest.approx(1.0)


def test_order_is_by_importance_then_url_and_ranks_count_on(pages: list[RankedPage]) -> None:
    best_first = sorted(pages, key=lambda page: (-page.importance, page.url))
    assert [(page.rank, page) for page in pages] == list(enumerate(best_first, start=1))
    assert len({page.importance for page in pages}) < len(pages), "some are equal, so that URLs count"


def test_the_first_are_the_first_of_all(folder: Folder, pages: list[RankedPage]) -> None:
    with folder.opened() as stores:
        for n in (0, 1, 7, len(pages) + 1):
            assert list(ranked_pages(stores, n)) == pages[:n]


def test_states_are_those_of_the_pages(folder: Folder, pages: list[RankedPage]) -> None:
    with folder.opened() as stores:
        found: Counter[str] = sum(map(states, stores), Counter())
    assert found.pop(State.ELSEWHERE) > 0
    assert found == Counter(page.state for page in pages)


def test_a_crawl_that_has_read_nothing_has_no_pages(tmp_path: Path) -> None:
    with folder_at(tmp_path / "web", 2).opened() as stores:
        assert list(ranked_pages(stores)) == []
