"""What one writer promises: a batch is whole or not there, and nobody else writes meanwhile."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from support.sites import rows
from support.stored_pages import add_pages

from minicrawl.errors import StoreError
from minicrawl.store.hosts import HostRow
from minicrawl.store.links import from_bytes
from minicrawl.store.ranks import PLACES
from minicrawl.store.writer import Writer


def test_a_batch_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, ["http://a.test/"])
        with pytest.raises(ZeroDivisionError), writer.transaction():
            writer.put(HostRow, [HostRow(1, "b.test", 0.0, 0.0)])
            writer.save_meta({"level": 1 // 0})
        assert [host.name for host in writer.hosts.all()] == ["a.test"]
        with writer.transaction():  # and the next one is as if that had not been
            writer.put(HostRow, [HostRow(1, "c.test", 0.0, 0.0)])
        assert [host.name for host in writer.hosts.all()] == ["a.test", "c.test"]


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with Writer(path):
        with pytest.raises(StoreError):
            Writer(path)
        assert rows(path, "SELECT count(*) FROM pages") == [(0,)]  # reading goes on
    Writer(path).close()


def test_a_file_that_was_replaced_is_not_written_to(tmp_path: Path) -> None:
    path, other = tmp_path / "crawl.db", tmp_path / "other.db"
    Writer(path).close()
    shutil.copy(path, other)
    writer = Writer(path)
    other.replace(path)
    with pytest.raises(StoreError), writer.transaction():
        writer.save_meta({"level": 1})
    writer.close()
    assert rows(path, "SELECT count(*) FROM meta WHERE key = 'level' AND value = 1") == [(0,)]


def test_the_key_of_hashes_is_made_once(tmp_path: Path) -> None:
    """With another key no page would be found again."""
    path = tmp_path / "crawl.db"
    with Writer(path) as writer:
        add_pages(writer, ["http://a.test/"])
    with Writer(path) as writer:
        assert writer.page_table.find(["http://a.test/"]) == {"http://a.test/": 0}
    with Writer(tmp_path / "other.db") as other:
        assert other.meta("hash_key") != rows(path, "SELECT value FROM meta WHERE key = 'hash_key'")[0][0]


def test_places_are_kept_in_rows_of_one_length(tmp_path: Path) -> None:
    order = np.random.default_rng(1).permutation(2 * PLACES + 5).astype(np.int32)
    path = tmp_path / "crawl.db"
    with Writer(path) as writer, writer.transaction():
        writer.save_places(order[:3])
        writer.save_places(order)
    kept = rows(path, "SELECT first, pages FROM places ORDER BY first")
    assert [first for first, _ in kept] == [0, PLACES, 2 * PLACES]
    assert np.concatenate([from_bytes(pages) for _, pages in kept]).tolist() == order.tolist()


def test_rankings_of_a_name_are_replaced_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with Writer(path) as writer, writer.transaction():
        writer.save_ranking("hits", np.array([0.5, 0.25, 0.25]))
        writer.save_ranking("trust", np.array([1.0]))
        writer.save_ranking("hits", np.array([0.75, 0.25]))
        writer.save_best([1, 2], is_anew=False)
        writer.save_best([2, 3], is_anew=False)
    query = "SELECT name, page, value FROM rankings ORDER BY name, page"
    assert rows(path, query) == [("hits", 0, 0.75), ("hits", 1, 0.25), ("trust", 0, 1.0)]
    assert rows(path, "SELECT page FROM best ORDER BY page") == [(1,), (2,), (3,)]
    with Writer(path) as writer, writer.transaction():
        writer.save_best([7], is_anew=True)
    assert rows(path, "SELECT page FROM best") == [(7,)]
