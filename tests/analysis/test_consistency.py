"""The check of all stores finds what no store knows by itself."""

import random
import shutil
import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.partitions import Partitions, random_web, settle

from minicrawl.analysis.consistency import all_violations
from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three partitions, of whose outboxes one has rows that were not taken."""
    tmp_path = tmp_path_factory.mktemp("partitions")
    web = random_web(random.Random(4))
    with Partitions(tmp_path, web, list(web)[:3], 3) as partitions:
        partitions.crawl()
        partitions.settle(1e-3)
        for number in partitions.numbers:
            settle(partitions.open[number], 1e-6)
        assert partitions.faults() == []
        assert any(partitions.outbox(number).homes() for number in partitions.numbers)
    return tmp_path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def faults(folder: Path) -> list[str]:
    with ExitStack() as stack:
        return list(all_violations([stack.enter_context(open_store(store)) for store in sorted(folder.glob("*.db"))]))


def change(folder: Path, number: int, statement: str) -> None:
    with sqlite3.connect(folder / f"{number:03}.db") as db:
        assert db.execute(statement).rowcount > 0
    db.close()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE outbox SET received = received + 1 WHERE number = (SELECT max(number) FROM outbox)", "+1"),
        ("UPDATE neighbours SET taken = taken - 1 WHERE taken > 0", "which has thrown it"),
        ("UPDATE mirrors SET inlinks = inlinks + 1", "in-links, but"),
    ],
)
def test_what_does_not_add_up_is_found(statement: str, found: str, folder: Path) -> None:
    busy = next(n for n in range(3) if _rows(folder, n, "outbox") and _rows(folder, n, "mirrors"))
    change(folder, busy, statement)
    with open_store(folder / f"{busy:03}.db") as store:
        assert list(violations(store)) == [], "nothing is wrong with the store by itself"
    assert any(found in fault for fault in faults(folder)), faults(folder)


def test_store_of_an_older_backup_is_found(folder: Path) -> None:
    change(folder, 1, "UPDATE neighbours SET sent = 0")
    assert any("has taken" in fault for fault in faults(folder))


def _rows(folder: Path, number: int, table: str) -> int:
    with sqlite3.connect(folder / f"{number:03}.db") as db:
        (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
    db.close()
    return int(count)
