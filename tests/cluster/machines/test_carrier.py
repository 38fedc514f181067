"""What copies the stores of a machine, and takes in copies from others: texts go along, and nothing is left over."""

from pathlib import Path

import pytest
from support.cluster_runs import folder_at
from support.machine_calls import called
from support.sites import Site, crawl

from minicrawl.cluster.machines.carrier import Carrier
from minicrawl.cluster.machines.host import FOLDER
from minicrawl.cluster.new_store import make_store
from minicrawl.crawler.books.audit import audit
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.store.database import is_held
from minicrawl.store.reader import open_store
from minicrawl.store.upkeep import backup

HOME = "http://a.test/"
SITE: Site = {HOME: ["<p>words of home</p>", "/1"], f"{HOME}1": ["<p>words of one</p>", HOME]}
PART = 1_000
CLUSTER = "a crawl"


def brought(store: Path, to: Path, generation: int | None = None) -> None:
    """A copy of a store, brought from one machine to another."""
    source, target = called(Carrier()), called(Carrier())
    target("prepare", to, CLUSTER, 0, None)
    for ending, size in source("copy", store):
        for start in range(0, size, PART):
            target("write", to, ending, start, source("read", store, ending, start, PART))
    target("keep", to, generation)
    source("drop", store)


def texts(store: Path) -> dict[str, str]:
    with open_store(store) as reader:
        assert list(audit(reader)) == []
        kept = [(page.url, reader.text(page.url)) for page in reader.pages()]
    return {url: text.text for url, text in kept if text is not None}


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_store_is_brought_with_its_texts_and_nothing_is_left_over(tmp_path: Path) -> None:
    store, to = tmp_path / "one" / "000.db", tmp_path / "two" / "000.db"
    crawl(SITE, store, [HOME], text=True)
    before, there = texts(store), names(store.parent)
    brought(store, to)
    assert len(texts(to)) == 2
    assert texts(to) == before
    assert names(store.parent) == there
    assert names(to.parent) == {"000.db", "000.db.text"}
    assert {file.stat().st_mode & 0o077 for file in to.parent.iterdir()} == {0}, "nobody else may read it"


def test_what_a_killed_one_has_left_is_replaced(tmp_path: Path) -> None:
    """A longer copy with texts, of which nothing may stay in the next one, which has none."""
    store, to = tmp_path / "one" / "000.db", tmp_path / "two" / "000.db"
    make_store(store, CLUSTER, 0, 1)
    other = tmp_path / "other.db"
    crawl(SITE, other, [HOME], text=True)
    to.parent.mkdir()
    for left in (store.with_name(".000.db.leaving"), to.with_name(".000.db.arriving"), to):
        backup(other, left)
    to.unlink()  # its texts stay
    brought(store, to)
    assert names(to.parent) == {"000.db"}
    with open_store(to) as reader:
        assert (reader.meta("cluster"), reader.size(), list(audit(reader))) == (CLUSTER, 0, [])


def test_a_store_gets_its_generation_before_its_name_and_is_removed_by_its_generation(tmp_path: Path) -> None:
    store, to = tmp_path / "one" / "000.db", tmp_path / "two" / "000.db"
    make_store(store, CLUSTER, 0, 1)
    brought(store, to, 3)
    with open_store(to) as reader:
        assert reader.meta("generation") == 3
    call = called(Carrier())
    call("remove", to, 2)
    assert to.exists(), "it is of a later generation"
    call("remove", to, 3)
    assert names(to.parent) == set()


def test_what_is_locked_is_free_again_when_it_is_let_go(tmp_path: Path) -> None:
    folder, call = folder_at(tmp_path / "web", 2), called(Carrier())
    call("lock", folder, [0, 1])
    assert all(map(is_held, folder.stores))
    with pytest.raises(StoreError, match="another crawl is using"):
        called(Carrier())("lock", folder, [1])
    call("let_go")
    assert not any(map(is_held, folder.stores))


def test_where_stores_are_kept_is_said_by_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert called(Carrier())("home", CLUSTER) == str(tmp_path / CLUSTER)
    monkeypatch.setenv(FOLDER, "")
    with pytest.raises(MinicrawlError, match="has no folder for stores, as it was the first; name a FOLDER there"):
        called(Carrier())("home", CLUSTER)


def test_what_the_disk_refuses_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"\.000\.db\.leaving cannot be used: No such file"):
        called(Carrier())("read", tmp_path / "000.db", "", 0, PART)
