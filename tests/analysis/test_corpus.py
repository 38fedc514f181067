"""The corpus of a crawl: the pages in it, their columns, and programs that read it."""

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from support.command_line import answer
from support.sites import Site, crawl, crawled_once

from minicrawl.analysis.page_text import COLUMNS, corpus
from minicrawl.analysis.top import best_first
from minicrawl.store.reader import open_store

HOME, BY = "http://www.a.test/", "https://creativecommons.org/licenses/by/4.0/"
COPY = "<p>" + " ".join(f"word{n} stands here" for n in range(100)) + "</p>"
SITE: Site = {
    HOME: [
        "<html lang=en><title>Home</title><nav><a href=/menu>menu</a></nav><main><h1>All\x1b</h1>",
        f"<p>of <a rel=license href={BY}>it</a><meta name=author content='Ann Lee'>",
        "<meta property=article:published_time content=2026-03-05T09:30:00+01:00>",
        *("/one", "/two", "/three", "/hidden", "/empty", "/gone", "http://b.test/", "/one", "/two"),
    ],
    f"{HOME}one": [COPY, "/two"],
    f"{HOME}two": [COPY, "/two", "/two"],
    f"{HOME}three": ["<p>three"],
    f"{HOME}hidden": ["<meta name=robots content=noindex><p>hidden"],
    f"{HOME}empty": ["<p> "],
    "http://b.test/": ["<p>b =formula", HOME],
}
store = crawled_once(SITE, [HOME], text=True)


def pages(store: Path, **given: Any) -> list[dict[str, Any]]:
    with open_store(store) as reader, reader.snapshot():
        table = corpus(reader, best_first(reader)[1], **given)
        return [dict(zip(COLUMNS, row, strict=True)) for row in table.rows]


def test_pages_with_content_are_there_once_the_most_important_first(store: Path) -> None:
    found = pages(store)
    assert sorted(page["url"] for page in found) == [
        "http://b.test/",
        HOME,
        f"{HOME}three",
        max((f"{HOME}one", f"{HOME}two"), key=lambda url: importance(store, url)),
    ]
    assert [page["importance"] for page in found] == sorted((page["importance"] for page in found), reverse=True)
    assert {page["url"]: page["copies"] for page in found if page["copies"] > 1} == {f"{HOME}two": 2}


def test_near_duplicates_stay_if_they_are_of_one_folder(tmp_path: Path) -> None:
    def own(name: str) -> str:
        return " ".join(f"{name}{n}" for n in range(12))

    one, other = (" ".join(f"{word}{n} stands here" for n in range(300)) for word in ("word", "thing"))
    near = {f"{HOME}{name}/": [f"<p>{one} {own(name)}"] for name in ("a", "b")}
    alike = {f"{HOME}shop/{name}": [f"<p>{other} {own(name)}"] for name in ("c", "d")}
    crawl({HOME: [*near, *alike]} | near | alike, tmp_path / "crawl.db", [HOME], text=True)
    found = {page["url"]: page["copies"] for page in pages(tmp_path / "crawl.db")}
    assert sorted(url for url in found if "shop" in url) == [*alike]
    assert sum(found[url] for url in alike) > len(alike)  # they are marked as near-duplicates
    assert [found[url] for url in near if url in found] == [2]


def importance(store: Path, url: str) -> float:
    return float(answer("why", url, "--store", store)["importance"])


def test_a_row_says_what_is_known_of_the_page(store: Path) -> None:
    (home,) = (page for page in pages(store) if page["url"] == HOME)
    assert home["site"] == "a.test"
    assert (home["title"], home["language"]) == ("Home", "en")
    assert home["preferences"] is None
    assert home["content"].startswith(f"# All\n\nof [it]({BY})")
    assert "menu" not in home["content"]
    assert (home["author"], home["licence"], home["published"]) == ("Ann Lee", BY, "2026-03-05T08:30:00Z")
    (three,) = (page for page in pages(store) if page["url"] == f"{HOME}three")
    assert (three["content"], three["title"]) == ("three", None)


def test_a_corpus_is_asked_for(store: Path, tmp_path: Path) -> None:
    for name in ("corpus.jsonl.gz", "pages.jsonl"):
        assert answer("export", tmp_path / name, "--text", "--store", store)["pages"] == 4
        opened = gzip.open if name.endswith("gz") else open
        with opened(tmp_path / name, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        # No null: programs that read the first rows would take the column for one without a type.
        assert rows == [
            {name: page[name] if page[name] is not None else "" for name in COLUMNS} for page in pages(store)
        ]
    for where in ("site = 'b.test'", "author = 'Ann Lee' AND published > '2026-03-05'"):
        kept = answer("export", tmp_path / "corpus.csv", "--text", "--store", store, "--where", where)["pages"]
        assert kept == 1, where
    for later in ("published > '2026-03-06'", "modified > '2026-03-05'"):
        assert answer("export", tmp_path / "ranks.csv", "--store", store, "--where", later)["pages"] == 0


def test_other_programs_read_it(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table, lines = tmp_path / "corpus.parquet", tmp_path / "corpus.jsonl.gz"
    for path in (table, lines):
        assert answer("export", path, "--text", "--store", store)["pages"] == 4
    moments = [name for name, kind in COLUMNS.items() if kind is datetime]
    read = parquet.read_table(table).to_pylist()
    for row in read:
        row |= {name: row[name] and row[name].strftime("%Y-%m-%dT%H:%M:%SZ") for name in moments}
    assert read == pages(store)
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(table)
    assert list(frame.columns) == list(COLUMNS)
    assert list(pandas.read_json(lines, lines=True)["url"]) == list(frame["url"])
    duckdb = pytest.importorskip("duckdb")
    for path in (table, lines):
        assert duckdb.sql(f"SELECT sum(copies) FROM '{path}' WHERE title > ''").fetchall() == [(1,)]
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    datasets = pytest.importorskip("datasets")
    for kind, path in (("parquet", table), ("json", lines)):
        loaded = datasets.load_dataset(kind, data_files=str(path), split="train")
        assert loaded["url"] == list(frame["url"])
        assert loaded.features["title"].dtype == "string"
