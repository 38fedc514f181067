"""Stores on other machines give the answers that they give here; rows come, and never more than a block at once."""

import pickle
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support.cluster_runs import crawled_by_command

from minicrawl.cluster.folder import Folder, found
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.partitions import remote
from minicrawl.store.partitions.folder_store import FolderStore
from minicrawl.store.partitions.remote import Call, Databases
from minicrawl.store.reader import Store, open_store


class Line:
    """Calls databases of this process; what is asked and answered is pickled, as on its way."""

    def __init__(self) -> None:
        self.there = Databases()
        self.blocks: list[int] = []
        """Rows of each answer."""

    def __call__(self, method: str, *given: object) -> object:
        answer = pickle.loads(pickle.dumps(getattr(self.there, method)(*pickle.loads(pickle.dumps(given)))))
        if method in ("execute", "fetch"):
            self.blocks.append(len(answer if method == "fetch" else answer.rows))
        return answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    path, _ = crawled_by_command(tmp_path_factory.mktemp("crawl"), "--text", "--no-traps")
    return found(path)


def opened(folder: Folder, call: Call) -> FolderStore:
    """The crawl, as if partition 1 were on beta."""
    far = replace(folder, nodes={1: "beta"})
    return FolderStore(far, far.open(far.begun, calls={"beta": call}))


@pytest.fixture
def both(folder: Folder) -> Iterator[tuple[Store, Store]]:
    with open_store(folder.path) as here, closing(opened(folder, Line())) as there:
        yield here, there


ANSWERS: list[Callable[[Store], object]] = [
    lambda store: list(store.pages()),
    lambda store: list(store.pages("importance", 3)),
    lambda store: [store.links().indptr.tolist(), store.links().targets.tolist()],
    lambda store: store.selection.where("inlinks > 1 AND url LIKE '%.test/%'").tolist(),
    lambda store: store.hosts.all(),
    lambda store: [store.text(page.url) for page in store.pages()],
    lambda store: [store.page_table.find([page.url]) for page in list(store.pages(n=5))],
    lambda store: store.course(),
    lambda store: (store.size(), store.meta("cluster"), store.is_in_use(), store.changes()),
    lambda store: [store.page_table.facts(page) for page in range(store.size())],
]


@pytest.mark.parametrize("question", range(len(ANSWERS)))
def test_answers_are_those_of_stores_here(both: tuple[Store, Store], question: int) -> None:
    here, there = both
    assert ANSWERS[question](there) == ANSWERS[question](here)


def test_results_come_in_blocks(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(folder.path) as here:
        pages = list(here.pages())
    line = Line()
    monkeypatch.setattr(remote, "ROWS", 2)
    with closing(opened(folder, line)) as there:
        assert list(there.pages()) == pages
    assert max(line.blocks) == 2 < len(pages)


def test_query_that_is_not_allowed_is_refused_there(both: tuple[Store, Store]) -> None:
    for store in both:
        with pytest.raises(SettingError, match="not authorized to use function: randomblob"):
            store.selection.where("length(randomblob(3)) = 3")


def test_error_names_the_machine(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_bytes((folder.path / "cluster.json").read_bytes())
    (tmp_path / "000.db").write_bytes(folder.store(0).read_bytes())
    (tmp_path / "001.db").write_bytes(folder.store(1).read_bytes()[:3000] + b"\0" * 9000)
    with pytest.raises(StoreError, match=r"001\.db on beta: .* is damaged"):
        list(opened(replace(folder, path=tmp_path), Line()).pages())


def test_what_is_read_is_closed_there(folder: Folder) -> None:
    line = Line()
    with closing(opened(folder, line)) as there:
        list(there.pages(n=1))
        assert there.text(next(there.pages(n=1)).url) is not None
    assert vars(line.there)["_open"] == vars(line.there)["_texts"] == {}
