"""Two rankings compared, from files, stores and names."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.sites import Site, crawl, random_site, rows

from minicrawl.report.contents import report_on
from minicrawl.report.document import Url
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


def test_page_that_cannot_be_opened_any_more_is_gone_in_store_file_and_report(tmp_path: Path) -> None:
    """/d is 404 now, /l has not been asked for, /u is unknown to B, and /r redirected in A."""
    home = "http://a.test/"
    old: Site = {home: ["/d", "/k", "/l", "/r", "/u"], f"{home}r": f"{home}k"}
    old |= {f"{home}{name}": [f"<p>{name}"] for name in "dklu"}
    new: Site = {**old, home: ["/d", "/k", "/l", "/r"], f"{home}d": 404, f"{home}r": ["<p>r"]}
    stores = tmp_path / "a.db", tmp_path / "b.db"
    for store, site in zip(stores, (old, new), strict=True):
        crawl(site, store, [home])
        assert run("export", store.with_suffix(".csv"), "--store", store).exit_code == 0
    rows(stores[1], f"UPDATE pages SET state = 'waiting', fetch = NULL WHERE url = '{home}l'")
    assert run("export", stores[1].with_suffix(".csv"), "--store", stores[1]).exit_code == 0
    for a in (stores[0], stores[0].with_suffix(".csv")):
        for b in (stores[1], stores[1].with_suffix(".csv")):
            found = told(a, b)
            assert {page["url"] for page in found["gone"]["best"]} == {f"{home}d", f"{home}u"}
            assert [page["url"] for page in found["new"]["best"]] == [f"{home}r"]
    printed = run("compare", *stores).output
    assert "gone: opened in A, not in B, 2 pages" in printed
    assert "no states" not in printed
    with open_store(stores[1]) as newer, open_store(stores[0]) as older:
        sections = {section.title: section for section in report_on(newer, older).sections}
    assert {(row[0], row[2]) for row in sections["Pages gone"].rows} == {
        (Url(f"{home}d"), "http-404"),
        (Url(f"{home}u"), "unknown"),
    }
    assert [row[0] for row in sections["New pages"].rows] == [Url(f"{home}r")]
    moved = [row[0] for title in ("Pages that rose", "Pages that fell") for row in sections[title].rows]
    assert moved == [Url(page["url"]) for way in ("risen", "fallen") for page in told(*stores, "--n", "25")[way]]


@pytest.mark.parametrize(("ending", "by"), [(".csv", "importance"), (".jsonl", "cash")])
def test_exported_file_does_not_differ_from_its_store(store: Path, tmp_path: Path, ending: str, by: str) -> None:
    file = tmp_path / f"ranks{ending}"
    assert run("export", file, "--store", store).exit_code == 0
    pairs: list[tuple[str | Path, str | Path]] = [(file, store), (store, file), (file, by)]
    for a, b in pairs:
        found = told(a, b, "--by", by, "--store", store)
        assert found["pages"]["common"] == found["pages"]["a"] == found["pages"]["b"] > 20
        assert (found["l1"], found["tau"]) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))
        assert (found["risen"], set(found["overlap"].values())) == ([], {1.0})


def test_stores_whose_links_are_weighed_differently_say_so(tmp_path: Path) -> None:
    site, seeds = random_site(4)
    stores = tmp_path / "one.db", tmp_path / "two.db"
    for store, surfer in zip(stores, ("uniform", "reasonable"), strict=True):
        crawl(site, store, seeds, surfer=surfer)
    one, two = stores
    said = run("compare", one, two).stdout.splitlines()[-1]
    alike, apart = "uniform", "reasonable"
    assert said == f"A weighs links by --surfer {alike}, B by {apart}: not all that moved has changed"
    assert told(one, two)["surfers"] == [alike, apart]
    assert "--surfer" not in run("compare", one, one).stdout
    assert told(one, two, "--by", "inlinks")["surfers"] == [None, None]


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
