"""Little is asked of a store without a look at all of it, ranks are true at every commit, and rankings that
are kept come back."""

import re
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import run
from support.sites import Site, crawl, faults_in, random_site, rows

from minicrawl.errors import StoreError
from minicrawl.store.declaration import columns
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

BIG = ("pages", "fetches", "links", "url_hashes")
ALL_MAY_BE_SEEN = {"pages_seeds", "fetches_duplicates", "links_too_deep"}
"""Indexes of few rows: of seeds, of duplicates, of pages at the end of --max-depth."""


@pytest.mark.parametrize("words", ["why {url}", "why {url}/no/such/page", "top --n 5", "status"])
def test_no_question_looks_at_all_pages(crawled: Path, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a run has ended."""
    ((url,),) = rows(crawled, "SELECT url FROM pages WHERE id = 7")
    asked: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*arguments, **options)
        db.set_trace_callback(asked.append)
        return db

    monkeypatch.setattr(sqlite3, "connect", traced)
    result = run(*words.format(url=url).split(), "--store", crawled)
    monkeypatch.undo()
    assert result.exit_code == (2 if "/no/such" in words else 0), result.output
    queries = [query for query in asked if query.lstrip().upper().startswith(("SELECT", "WITH"))]
    assert queries
    for query in queries:
        for *_, step in rows(crawled, f"EXPLAIN QUERY PLAN {query}"):
            found = re.match(r"SCAN (\w+)(?:.* INDEX (\w+))?", step)
            assert found is None or found[1] not in BIG or found[2] in ALL_MAY_BE_SEEN, (step, query)


@pytest.mark.parametrize("is_ranked", [0, 1])
def test_ranks_are_those_of_the_view(crawled: Path, is_ranked: int) -> None:
    """Whether the order of the pages is stored, or worked out."""
    rows(crawled, "UPDATE meta SET value = ? WHERE key = 'is_ranked'", is_ranked)
    with open_store(crawled) as reader:
        ranked = rows(crawled, f"SELECT id, {columns(RankedPage)} FROM ranks")
        assert [(page, *row) for page, row, _ in reader.ranks.best_first("importance")] == ranked
        assert [(page, *reader.ranks.page(page)) for page, *_ in ranked] == ranked


def view_is_right(store: Path) -> None:
    """The view against its own columns, in an order that is worked out anew."""
    ranked = rows(store, "SELECT rank, id, importance FROM ranks")
    x = dict(rows(store, "SELECT id, x FROM weighed"))
    assert [page for _, page, _ in ranked] == sorted(x, key=lambda page: (-x[page], page))
    assert [rank for rank, _, _ in ranked] == list(range(1, len(ranked) + 1))
    if ranked:  # the settings are committed before the seeds
        assert sum(importance for _, _, importance in ranked) == pytest.approx(1.0)


@pytest.mark.parametrize("jump", ["sites", "pages"])
@pytest.mark.parametrize("seed", range(4))
def test_view_is_right_at_every_commit(tmp_path: Path, seed: int, jump: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "crawl.db"
    site, seeds = random_site(seed)
    web: Site = {**site}
    counted, transaction = [0], Writer.transaction

    def looked_at(self: Writer) -> object:
        if counted[0] > 2:
            view_is_right(path)
        counted[0] += 1
        return transaction(self)

    monkeypatch.setattr(Writer, "transaction", looked_at)
    for pages in (5, 10, 20, 50):
        crawl(web, path, seeds, pages=pages, jump=jump, discovery=0.6)
        web = {url: links if number % 7 else 404 for number, (url, links) in enumerate(web.items())}
        view_is_right(path)
        assert faults_in(path) == []
    assert counted[0] > 8


def test_wrong_tally_is_told(crawled: Path) -> None:
    ((reason, count),) = rows(crawled, "SELECT reason, count(*) FROM pages WHERE state = 'fetched' GROUP BY reason")
    rows(crawled, "UPDATE tallies SET pages = pages + 1 WHERE state = 'fetched'")
    assert faults_in(crawled) == [f"{count + 1} pages are counted as fetched ({reason}) instead of {count}"]


def test_some_pages_that_link_to_one_are_found(crawled: Path) -> None:
    with open_store(crawled) as reader:
        graph = reader.link_table.graph()
        sources = np.repeat(graph.sources, np.diff(graph.indptr))
        for page in range(reader.size()):
            expected = set(sources[graph.targets == page].tolist())
            assert set(reader.link_table.some_sources(page, 100)) == expected


def test_kept_ranking_comes_back_best_first(tmp_path: Path) -> None:
    store, home = tmp_path / "crawl.db", "http://a.test/"
    crawl({home: ["/b", "/c"], home + "b": [home], home + "c": ["/b"]}, store, [home])
    with Writer(store) as writer, writer.transaction():
        writer.save_ranking("mine", np.array([0.25, 0.5, 0.25]))
        writer.save_ranking("other", np.array([1.0, 2.0, 3.0]))
    with open_store(store) as reader:
        ranked = [(page.url, value) for _, page, value in reader.ranks.best_first("mine")]
        others = [home, home + "c"] if reader.ranks.page(0).rank < reader.ranks.page(2).rank else [home + "c", home]
        assert ranked == [(home + "b", 0.5), *((url, 0.25) for url in others)]
        assert [page.url for _, page, _ in reader.ranks.best_first("other")] == [home + "c", home + "b", home]


def test_pages_in_many_rows_of_places_keep_their_order(tmp_path: Path) -> None:
    """However many are read at a time, and in whatever order they stand in the file."""
    path = tmp_path / "crawl.db"
    site, seeds = random_site(5)
    crawl(site, path, seeds)
    with open_store(path) as reader:
        assert reader.meta("is_ranked")
        ranked = [(page, row) for page, row, _ in reader.ranks.best_first("importance")]
        order = np.concatenate([pages for _, pages in reader.ranks.places()])
        assert [page for page, _ in ranked] == [page for (page,) in rows(path, "SELECT id FROM ranks")]
        assert [row for _, row in ranked] == list(reader.pages())
    rows(path, "DELETE FROM places")
    for first in range(0, len(order), 3):
        rows(path, "INSERT INTO places VALUES (?, ?)", first, order[first : first + 3].tobytes())
    with open_store(path) as reader:
        assert [(page, row) for page, row, _ in reader.ranks.best_first("importance")] == ranked
    rows(path, "UPDATE places SET pages = ? WHERE first = 0", np.array([0, 1, 10**6], dtype=np.int32).tobytes())
    with open_store(path) as reader, pytest.raises(StoreError, match="a page that has a rank is missing"):
        list(reader.ranks.best_first("importance"))
