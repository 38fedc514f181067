"""Stores of other machines: read by calls, they say what they say here."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, crawled_in_parts
from support.machine_calls import called

from minicrawl.cluster.folder import Folder, Place
from minicrawl.cluster.machines.reading import Call, Reader, StoreElsewhere, away
from minicrawl.cluster.merged import ranked_pages, states
from minicrawl.cluster.reading.status import part_status
from minicrawl.errors import StoreError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return crawled_in_parts(tmp_path_factory.mktemp("cluster") / "web", 2, SETTINGS)


@pytest.fixture
def call() -> Iterator[Call]:
    """Calls a reader that answers in parts of 100 bytes."""
    reader = Reader(most_bytes=100)
    yield called(reader)
    reader.close()


def elsewhere(call: Call, folder: Folder, numbers: Sequence[int]) -> list[StoreElsewhere]:
    return [StoreElsewhere(call, folder, number) for number in numbers]


def test_they_are_ranked_as_one_with_others(folder: Folder, call: Call) -> None:
    with folder.opened() as here:
        pages = list(ranked_pages(here))
        assert list(ranked_pages(elsewhere(call, folder, [0, 1]))) == pages
        assert list(ranked_pages([here[0], *elsewhere(call, folder, [1])], 7)) == pages[:7]


def test_they_count_their_pages(folder: Folder, call: Call) -> None:
    with folder.opened() as here:
        found = [store.ask(part_status) for store in elsewhere(call, folder, [0, 1])]
        assert [{**part.pages, "elsewhere": part.mirrors} for part in found] == [dict(states(store)) for store in here]
        assert [part.outbox for part in found] == [0, 0]


def test_one_that_is_not_there_is_one_sentence(folder: Folder, call: Call, tmp_path: Path) -> None:
    moved = Folder(folder.path, folder.cluster, folder.homes, (Place(), Place(str(tmp_path))), {})
    (store,) = elsewhere(call, moved, [1])
    with pytest.raises(StoreError, match=r"001\.db"):
        store.ask(part_status)
    assert "machine beta is away; let it join again" in away("beta")
