"""Of many stores a few are open at once, and each reads on from the commit it was opened at."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pytest
from support.cluster_folders import many_stores
from support.partition_twins import THREE, twins
from support.patience import PATIENCE
from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.analysis.explain import explain
from minicrawl.analysis.status import status
from minicrawl.analysis.top.top_list import lines_per_site, top_list
from minicrawl.analysis.verify import verify
from minicrawl.audit.auditing import audited
from minicrawl.cluster.folder import found
from minicrawl.errors import StoreError
from minicrawl.sizes import STANDARD_SIZES
from minicrawl.store.partitions.folder import folder_at
from minicrawl.store.partitions.folder_store import FolderStore
from minicrawl.store.partitions.open_stores import OpenStores
from minicrawl.store.reader import Store


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return twins(tmp_path_factory.mktemp("three"), THREE)[1]


@pytest.fixture
def files(three: Path, tmp_path: Path) -> list[Path]:
    return sorted(shutil.copytree(three, tmp_path / "three").glob("*.db"))


def opened(stack: ExitStack, files: list[Path], most: int | None) -> list[Store]:
    stores = OpenStores(most)
    some = [stack.enter_context(stores.open(file, STANDARD_SIZES)) for file in files]
    for store in some:
        store.pin()
    return some


def open_ones(files: list[Path]) -> int:
    """How many of the files this process has open."""
    links = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
    there = {os.readlink(link) for link in links if os.path.lexists(link)}
    return sum(str(file) in there for file in files)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux for open files")
@pytest.mark.parametrize(("most", "expected"), [(1, 1), (2, 2), (None, 3)])
def test_so_many_are_open_at_most(files: list[Path], most: int | None, expected: int) -> None:
    with ExitStack() as stack:
        stores = opened(stack, files, most)
        for _ in range(2):
            urls = [list(store.page_table.urls()) for store in stores]
            assert open_ones(files) == expected
        assert urls == [[url for (url,) in rows(file, "SELECT url FROM pages ORDER BY id")] for file in files]
    assert open_ones(files) == 0


def test_rows_that_are_being_read_are_read_to_the_end(files: list[Path]) -> None:
    with ExitStack() as stack:
        stores = opened(stack, files, 1)
        reads = [store.page_table.urls() for store in stores]
        first = [list(islice(read, 1)) for read in reads]
        for store, urls, read in zip(stores, first, reads, strict=True):
            assert [*urls, *read] == list(store.page_table.urls())
        assert list(islice(stores[0].page_table.urls(), 1)) == first[0]
        assert sum(map(len, first)) >= 2


def test_views_are_there_again(files: list[Path]) -> None:
    with ExitStack() as stack:
        stores = opened(stack, files, 1)
        for store in stores:
            store.united.adopt([])
        for store in stores:
            assert all(state != "elsewhere" for state, _ in store.page_table.states())


def test_a_store_that_has_changed_meanwhile_is_not_read_on(files: list[Path]) -> None:
    with ExitStack() as stack:
        stores = opened(stack, files, 1)
        rows(files[0], "INSERT OR REPLACE INTO meta VALUES ('run_at', 7e9)")
        with pytest.raises(StoreError, match=r"a crawl began to write to .*000\.db while it was read; run"):
            stores[0].size()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux for open files")
def test_what_was_asked_beforehand_opens_no_store(files: list[Path]) -> None:
    with ExitStack() as stack:
        stores = opened(stack, files, 1)
        for store in stores:
            store.prepare(lambda of: (of.size(), of.hosts.all()))
        (last,) = (place for place, file in enumerate(files) if open_ones([file]))
        said = [(store.size(), store.hosts.all()) for store in stores]
        assert [open_ones([file]) for file in files] == [place == last for place in range(len(files))]
        for store, (size, hosts) in zip(stores, said, strict=True):
            assert len(list(store.page_table.urls())) == size
            assert [host.name for host in hosts] == [name for (name,) in rows(store.path, "SELECT name FROM hosts")]


def test_views_change_what_was_asked_beforehand(files: list[Path]) -> None:
    with ExitStack() as stack:
        stores = opened(stack, files, 1)
        for store in stores:
            store.prepare(lambda of: of.page_table.states())
        for store in stores:
            store.united.adopt([])
            assert all(state != "elsewhere" for state, _ in store.page_table.states())


QUESTIONS: dict[str, Callable[[FolderStore], object]] = {
    "audit": lambda store: audited(store).findings,
    "verify": verify,
    "why": lambda store: explain(store, next(store.page_table.urls())),
    "top": lambda store: (lines_per_site(store), top_list(store, "importance", 5)),
    "status": lambda store: status(store).states,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_those_of_stores_that_are_all_open(crawled: Path, question: str) -> None:
    answers = []
    for most in (None, 2):
        with ExitStack() as stack:
            parts = opened(stack, sorted(crawled.glob("*.db")), most)
            answers.append(QUESTIONS[question](FolderStore(folder_at(crawled), parts)))
    assert str(answers[0]) == str(answers[1])


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return many_stores(tmp_path_factory.mktemp("many") / "crawl", 6).path


def test_invariants_are_checked_alike_however_many_stores_are_open(crawled: Path, tmp_path: Path) -> None:
    folder = found(shutil.copytree(crawled, tmp_path / "crawl"))
    for store in folder.stores:
        rows(store, "UPDATE meta SET value = value + 1 WHERE key = 'virtual'")
    faults = []
    for most in (None, 2):
        with ExitStack() as stack:
            faults.append(list(all_violations(opened(stack, folder.stores, most))))
    assert faults[0] == faults[1] != []


STORES, EACH = 24, 4
"""Stores, of which some are open at once; and how often a command opens each on the average, at most."""


def test_commands_open_each_of_many_stores_a_few_times(tmp_path: Path) -> None:
    folder = str(many_stores(tmp_path / "crawl", STORES).path)
    commands = [[name, "--store", folder] for name in ("audit", "check")]
    words = [sys.executable, "-m", "support.counted_openings", json.dumps(commands)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=PATIENCE, env=paths)
    for command, (code, opened_ones) in zip(commands, json.loads(done.stdout), strict=True):
        assert code == 0, command
        assert STORES <= opened_ones <= EACH * STORES, command
