"""What all partitions do or have done, added up."""

from collections import Counter
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, crawled_alone, crawled_in_parts, folder_at
from support.sites import rows

from minicrawl.analysis.status import status
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.merged import ranked_pages
from minicrawl.cluster.reading.status import WholeStatus, status_of_all
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return crawled_in_parts(tmp_path_factory.mktemp("cluster") / "web", 2, SETTINGS)


def whole(folder: Folder) -> WholeStatus:
    with folder.opened() as stores:
        return status_of_all(folder, stores)


@pytest.mark.slow
def test_the_whole_is_what_one_process_would_say(folder: Folder, tmp_path: Path) -> None:
    crawled_alone(tmp_path / "alone.db")
    with open_store(tmp_path / "alone.db") as store:
        alone = status(store)
    found = whole(folder).of_all
    same = ("known", "read", "states", "hosts", "stopped", "running", "left_out")
    assert {name: getattr(found, name) for name in same} == {name: getattr(alone, name) for name in same}
    assert found.run is not None
    assert alone.run is not None
    assert (found.run.fetched, found.run.bytes) == (alone.run.fetched, alone.run.bytes)
    assert found.store == str(folder.path)


def test_coverage_is_the_importance_of_the_pages_that_were_read(folder: Folder) -> None:
    run = whole(folder).of_all.run
    with folder.opened() as stores:
        read = sum(page.importance for page in ranked_pages(stores) if page.state == "fetched")
    assert run is not None
    assert run.coverage == pytest.approx(read)
    assert 0 < read <= 1 + 1e-9


def test_every_partition_stands_for_itself(folder: Folder) -> None:
    for store, part in zip(folder.stores, whole(folder).partitions, strict=True):
        states = Counter(state for (state,) in rows(store, "SELECT state FROM pages"))
        assert (part.mirrors, part.outbox) == (states.pop("elsewhere"), 0)
        assert part.pages == states
        assert part.last_commit is not None


def test_a_crawl_runs_while_anybody_writes(folder: Folder, tmp_path: Path) -> None:
    new = folder_at(tmp_path / "web", 2)
    assert (whole(new).of_all.running, whole(new).of_all.run, whole(new).of_all.known) == (False, None, 0)
    writer = Writer(new.stores[1])
    found = whole(new).of_all
    writer.close()
    assert (found.running, found.stopped) == (True, None)
