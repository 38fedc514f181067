"""What the store promises: one file, all or nothing, a view that ranks, and a clear word when it cannot be used."""

import contextlib
import sqlite3
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl, random_site, rows

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import account_totals, load_block, load_totals, stored_births
from minicrawl.errors import StoreError
from minicrawl.opic.units import all_interpolated
from minicrawl.settings import RANKINGS
from minicrawl.store.database import SCHEMA_VERSION, open_to_read
from minicrawl.store.reader import Store, open_store
from minicrawl.store.writer import Writer

HOME = "http://a.test/"


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    store = tmp_path / "crawl.db"
    site, seeds = random_site(2)
    crawl(site, store, seeds, pages=12)
    return store


def loaded(store: Store) -> Accounts:
    accounts = Accounts()
    for pages in store.page_table.columns():
        load_block(accounts, pages)
    hosts = np.concatenate([np.array(pages.host) for pages in store.page_table.columns()])
    accounts.book.rule = stored_births(store, hosts)
    load_totals(accounts, {name: store.meta(name) for name in account_totals(accounts)})
    return accounts


def test_snapshot_is_of_one_commit_whatever_is_written_meanwhile(crawled: Path) -> None:
    with open_store(crawled) as store:
        with store.snapshot():
            before = store.size(), store.ranks.arrays()["inlinks"].tolist(), store.meta("clock")
            rows(crawled, "UPDATE pages SET inlinks = 99")
            rows(crawled, "UPDATE meta SET value = 7 WHERE key = 'clock'")
            assert (store.size(), store.ranks.arrays()["inlinks"].tolist(), store.meta("clock")) == before
        assert (set(store.ranks.arrays()["inlinks"]), store.meta("clock")) == ({99}, 7)


def test_snapshot_ends_with_its_block_also_when_that_fails(crawled: Path) -> None:
    with open_store(crawled) as store:
        for _ in range(2):
            with pytest.raises(RuntimeError), store.snapshot():
                raise RuntimeError


def test_rankings_are_the_columns_of_the_view(crawled: Path) -> None:
    ranked = rows(crawled, "SELECT importance, history, cash, inlinks FROM ranks ORDER BY id")
    with open_store(crawled) as store:
        rankings = store.ranks.arrays()
    assert tuple(rankings) == RANKINGS
    assert np.array([rankings[by] for by in RANKINGS]).T.tolist() == np.array(ranked, dtype=np.float64).tolist()


def test_view_shows_the_importance_history_and_cash_of_the_book(crawled: Path) -> None:
    with open_store(crawled) as store:
        accounts = loaded(store)
        ranked = rows(crawled, "SELECT importance, history, cash FROM ranks ORDER BY id")
    importance, history, cash = (np.array(column) for column in zip(*ranked, strict=True))
    assert importance == pytest.approx(accounts.book.importance(), rel=1e-12)
    known = slice(0, accounts.size)
    assert cash.tolist() == accounts.book.cash_of(known).tolist()
    elapsed = accounts.book.clock - accounts.book.clock_of[known]
    now = all_interpolated(accounts.book.history[known], accounts.book.cash_of(known), elapsed, accounts.book.window)
    assert history == pytest.approx(np.where(accounts.book.alias[known], 0.0, now), rel=1e-9)
    assert rows(crawled, "SELECT rank FROM ranks") == [(rank + 1,) for rank in range(len(ranked))]
    assert importance[rows(crawled, "SELECT id FROM ranks LIMIT 1")[0][0]] == importance.max()


def test_ranking_that_is_none_is_refused(crawled: Path) -> None:
    with open_store(crawled) as store, pytest.raises(ValueError, match="by must be one of"):
        list(store.pages("charm", 5))


def test_links_are_the_graph_that_was_served(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site, seeds = random_site(4)
    crawl(site, store, seeds)
    url = dict(rows(store, "SELECT id, url FROM pages"))
    with open_store(store) as reader:
        graph = reader.links()
        read = {
            url[source]: [url[target] for target in graph.targets[start:end].tolist()]
            for source, start, end in zip(graph.sources.tolist(), graph.indptr, graph.indptr[1:], strict=False)
        }
        some = np.array([0, 2, 3])
        assert graph.rows(some).targets.tolist() == [
            target for row in some for target in graph.targets[graph.indptr[row] : graph.indptr[row + 1]].tolist()
        ]
    expected = {page: [to for to in dict.fromkeys(site[page]) if to != page] for page in read}
    assert read == expected


def test_urls_that_share_a_hash_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pages", "page_writing"):
        monkeypatch.setattr(f"minicrawl.store.{module}.url_hash", lambda url, key: 7)
    store = tmp_path / "crawl.db"
    site: Site = {HOME: ["/1", "/2"], HOME + "1": ["/2", "/3"], HOME + "2": [HOME], HOME + "3": ["/1"]}
    _, server = crawl(site, store, [HOME])
    assert sorted(server.asked) == sorted(site)
    with open_store(store) as reader:
        assert reader.page_table.find([HOME + "2", HOME + "9"]) == {
            HOME + "2": rows(store, "SELECT id FROM pages WHERE url = ?", HOME + "2")[0][0]
        }


def test_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    with pytest.raises(RuntimeError, match="half way"), writer.transaction():
        writer.save_meta({"mark": 1})
        raise RuntimeError("half way")
    assert writer.meta("mark") is None
    writer.close()


def test_finished_crawl_is_one_file(crawled: Path) -> None:
    with open_store(crawled) as store:
        list(store.pages(n=3))
    assert not Path(f"{crawled}-wal").exists()
    assert rows(crawled, "PRAGMA journal_mode") == [("wal",)]
    assert rows(crawled, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_reader_cannot_write(crawled: Path) -> None:
    with contextlib.closing(open_to_read(crawled)) as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("DELETE FROM pages")


def test_readers_see_a_running_crawl_and_a_second_crawl_is_refused(crawled: Path) -> None:
    writer = Writer(crawled)
    with open_store(crawled) as store:
        assert store.is_in_use()
        assert len(list(store.pages(n=3))) == 3
    with pytest.raises(StoreError, match="another crawl is using"):
        Writer(crawled)
    writer.close()
    with open_store(crawled) as store:
        assert not store.is_in_use()


def other(path: Path, by: int) -> None:
    Writer(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + by}")
    db.close()


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    db.close()


def torn(path: Path) -> None:
    Writer(path).close()
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))


BAD_STORES = {
    "newer schema": (partial(other, by=1), "written by another minicrawl"),
    "older schema": (partial(other, by=-1), "written by another minicrawl"),
    "another program's database": (foreign, "belongs to another program"),
    "text": (lambda path: path.write_text("seeds\n" * 300), "damaged or not an SQLite file"),
    "torn": (torn, "is damaged|cannot be used"),
    "folder": (lambda path: path.mkdir(), "it is a folder, and this command needs one store"),
}


@pytest.mark.parametrize(("spoil", "message"), BAD_STORES.values(), ids=BAD_STORES.keys())
def test_store_that_cannot_be_used_is_refused_with_a_sentence(tmp_path: Path, spoil: object, message: str) -> None:
    path = tmp_path / "bad.db"
    spoil(path)  # type: ignore[operator]
    for use in (Writer, open_store):
        with pytest.raises(StoreError, match=message):
            use(path)


def test_missing_store_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="run 'minicrawl crawl SEEDS"):
        open_store(tmp_path / "none.db")
