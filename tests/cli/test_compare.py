"""Two rankings compared, from files, stores and names."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.sites import crawl, random_site

from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

HEAD = "rank,url,importance,inlinks"


def told(*words: str | Path) -> dict[str, Any]:
    result = run("compare", *words, "--json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def ranks(path: Path, importance: dict[str, float]) -> Path:
    """A file such as 'minicrawl export' writes, with the columns that matter here."""
    lines = [f"{rank},http://{page}.test/,{value},{rank}" for rank, (page, value) in enumerate(importance.items(), 1)]
    path.write_text("\n".join([HEAD, *lines]) + "\n")
    return path


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return ranks(tmp_path / "before.csv", {"a": 0.5, "b": 0.25, "c": 0.125, "d": 0.125})


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return ranks(tmp_path / "after.csv", {"c": 0.5, "e": 0.25, "b": 0.25})


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare") / "crawl.db"
    site, seeds = random_site(2)
    crawl(site, path, seeds)
    return path


def test_what_is_printed(before: Path, after: Path) -> None:
    result = run("compare", before, after)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"A {before}: 4 pages; B {after}: 3 pages; in both: 2",
        "",
        "overlap of the first 10         66.7%",
        "overlap of the first 100        66.7%",
        "overlap of the first 1,000      66.7%",
        "tau of the common pages            -1",
        "L1 distance                      1.25",
        "",
        "  rank A   rank B  share A  share B  factor  risen",
        "       3        1    33.3%    66.7%       2  http://c.test/",
        "",
        "  rank A   rank B  share A  share B  factor  fallen",
        "       2        2    66.7%    33.3%     0.5  http://b.test/",
        "",
        "  rank A  share A  gone: only in A, 2 pages",
        "       1      50%  http://a.test/",
        "       3    12.5%  http://d.test/",
        "",
        "  rank B  share B  new: only in B, 1 page",
        "       2      25%  http://e.test/",
        "",
        "There are no states of pages in A and B: what cannot be opened any more is not told",
    ]


def test_kept_ranking_is_compared_by_its_name(store: Path, tmp_path: Path) -> None:
    with open_store(store) as reader:
        inlinks = reader.ranks.arrays()["inlinks"]
    writer = Writer(store)
    with writer.transaction():
        writer.save_ranking("mine", 3.0 * inlinks)
    writer.close()
    assert told("mine", "inlinks", "--store", store)["l1"] == pytest.approx(0.0, abs=1e-12)
    assert told("mine", store, "--store", store, "--by", "mine")["l1"] == 0.0
    file = tmp_path / "mine.csv"
    assert run("export", file, "--by", "mine", "--store", store).exit_code == 0
    with file.open(newline="") as lines:
        exported = list(csv.DictReader(lines))
    assert list(exported[0])[-1] == "mine"
    assert [float(row["mine"]) for row in exported] == sorted((3.0 * inlinks).tolist(), reverse=True)
    assert told(file, "mine", "--by", "importance", "--store", store)["l1"] > 0.1
    assert told(file, store, "--by", "mine")["l1"] == 0.0


MISTAKES = {
    "no such file": ("nowhere.csv", 2, "nowhere.csv cannot be read: No such file or directory; name another file"),
    "no such store": ("data/nowhere.db", 2, "there is no file data/nowhere.db; name one that exists, or a ranking"),
    "no such ranking": (
        "charm",
        2,
        "a ranking is one of importance, history, cash, inlinks, and none is kept in",
    ),
    "no such column": ("NOCOLUMN.csv", 2, "has no column 'importance', but rank, url"),
    "no JSON": ("NOJSON.jsonl", 2, "NOJSON.jsonl:1: no JSON object with 'url' and 'importance'; export it again"),
    "text": ("README", 3, "is damaged or no SQLite file"),
}
FILES = {
    "NOCOLUMN.csv": "rank,url\n",
    "NOJSON.jsonl": "[1]\n",
    "README": "words\n" * 300,
}


@pytest.mark.parametrize(("given", "code", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_gets_one_sentence(  # noqa: PLR0913 - a table's columns and a fixture
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="latin-1")
    for words in ([given, "importance"], ["importance", given]):
        result = run("compare", *words, "--store", store)
        assert result.exit_code == code
        assert message in result.stderr
        assert result.stderr.startswith("Error: ")
