"""A partition without a store is an empty one, unless another store has had messages of it."""

import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.gathered import gathered
from support.partition_twins import twins, unmade
from support.partitions import Web, random_web
from support.sites import rows

from minicrawl.analysis.verify import verify
from minicrawl.cli import main
from minicrawl.cluster.backup import backup
from minicrawl.cluster.folder import found
from minicrawl.crawler.books.invariants import violations
from minicrawl.errors import StoreError
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.reader import open_store

PARTITIONS = 16


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    web: Web = random_web(random.Random(5), pages=20, hosts=3)
    file, folder = twins(tmp_path_factory.mktemp("crawls"), web, PARTITIONS)
    assert len(unmade(folder)) >= PARTITIONS - 3
    return file, folder


@pytest.fixture
def crawls(made: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """A file, and a folder of which most stores were never made."""
    return made[0], Path(shutil.copytree(made[1], tmp_path / "web"))


def test_the_others_say_what_all_would(crawls: tuple[Path, Path]) -> None:
    with open_store(crawls[0]) as one, gathered(crawls[1]) as some:
        pages = [{page.url: page for page in store.pages()} for store in (one, some)]
        assert pages[0].keys() == pages[1].keys()
        for url, page in pages[0].items():
            assert pages[1][url].importance == pytest.approx(page.importance, abs=1e-6)
        assert verify(some).excess() < 1e-6
        assert list(violations(some)) == []
    check_agreement(found(crawls[1]))


def test_lost_cash_is_found_beside_them(crawls: tuple[Path, Path]) -> None:
    store = next(iter(sorted(crawls[1].glob("*.db"))))
    rows(store, "UPDATE meta SET value = value - 3 WHERE key = 'virtual'")
    with gathered(crawls[1]) as some:
        assert [fault for fault in violations(some) if "-3" in fault]


@pytest.mark.parametrize("words", [["top"], ["status"]])
def test_commands_read_them_as_empty(crawls: tuple[Path, Path], words: list[str]) -> None:
    done = CliRunner().invoke(main, [*words, "--store", str(crawls[1])])
    assert done.exit_code == 0, done.output


def test_a_store_that_others_have_had_messages_of_is_missing(crawls: tuple[Path, Path]) -> None:
    stores = sorted(crawls[1].glob("*.db"))
    gone = next(store for store in stores if rows(store, "SELECT 1 FROM neighbours WHERE taken OR sent"))
    gone.unlink()
    with pytest.raises(StoreError, match=rf"{gone.name} is missing or empty, which has a part of the crawl; mount"):
        check_agreement(found(crawls[1]))


def test_they_are_left_out_of_a_copy(crawls: tuple[Path, Path], tmp_path: Path) -> None:
    folder, made = found(crawls[1]), found(crawls[1]).made
    backup(folder.path, tmp_path / "copy")
    assert found(tmp_path / "copy").made == made
