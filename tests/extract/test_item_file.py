"""The file of items: what is in it after commits, kills and runs that go on."""

import csv
import json
import random
import shutil
from functools import partial
from pathlib import Path

import pytest
from support.dying import killed_at

from minicrawl.errors import SettingError, StoreError
from minicrawl.extract.item_file import ItemFile
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

COLUMNS = {"title": str, "price": float}


def commit(writer: Writer, items: ItemFile, *pages: tuple[str, list[dict[str, object]]]) -> None:
    for number, (url, found) in enumerate(pages):
        items.note(url, float(number), [json.dumps(item) for item in found])
    with writer.transaction():
        items.save(writer)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_item_is_a_line(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    items = ItemFile(writer, tmp_path / "items.jsonl", COLUMNS)
    commit(writer, items, ("http://a.test/", [{"title": "A\n\u202e", "price": None}, {}]), ("http://b.test/", []))
    commit(writer, items, ("http://c.test/", [{"title": "C", "tags": ["x"]}]))
    items.finish()
    writer.close()
    assert lines(tmp_path / "items.jsonl") == [
        {"url": "http://a.test/", "at": 0.0, "title": "A\n\u202e", "price": None},
        {"url": "http://a.test/", "at": 0.0},
        {"url": "http://c.test/", "at": 0.0, "title": "C", "tags": ["x"]},
    ]
    assert "\u202e" not in (tmp_path / "items.jsonl").read_text(), "what turns the direction of writing is an escape"


def test_csv_has_a_column_a_field_and_one_for_the_rest(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    items = ItemFile(writer, tmp_path / "items.csv", dict.fromkeys(COLUMNS, str))
    commit(writer, items, ("http://a.test/", [{"title": "=A()", "tags": ["x"]}]))
    commit(writer, items, ("http://b.test/", [{"price": [1, 2]}]))
    writer.close()
    with (tmp_path / "items.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["url", "at", "title", "price", "tags", "more"],
            ["http://a.test/", "0.0", "'=A()", "", '["x"]', ""],
            ["http://b.test/", "0.0", "", "[1, 2]", "", ""],
        ]


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        ({"url": "x", "at": "noon"}, {"item_url": "x", "item_at": "noon"}),
        ({"url": None, "item_url": 1}, {"item_url": 1, "item_item_url": None}),
        ({"a": "\ud55c", "at": 1e-9, "url": {"url": 1}}, {"a": "\ud55c", "item_at": 1e-9, "item_url": {"url": 1}}),
        ({"a": {"url": "x"}, "b": '"at"'}, {"a": {"url": "x"}, "b": '"at"'}),
        ({"urls": 1, "URL": 2, "more": 3}, {"urls": 1, "URL": 2, "more": 3}),
    ],
)
def test_no_key_is_there_twice_and_the_page_keeps_its_own(
    tmp_path: Path, item: dict[str, object], kept: dict[str, object]
) -> None:
    writer = Writer(tmp_path / "crawl.db")
    items = ItemFile(writer, tmp_path / "items.jsonl", {})
    commit(writer, items, ("http://a.test/", [item]))
    writer.close()
    (line,) = (tmp_path / "items.jsonl").read_text().splitlines()
    pairs = json.loads(line, object_pairs_hook=list)
    assert len({key for key, _ in pairs}) == len(pairs)
    assert json.loads(line) == {"url": "http://a.test/", "at": 0.0} | kept


def test_fields_of_hooks_are_columns_of_csv_also_of_a_run_that_goes_on(tmp_path: Path) -> None:
    """Those of the first items: a head cannot be changed. What would be a formula is none, nor what has the name of
    another column."""
    found: tuple[list[dict[str, object]], ...] = (
        [{"b": 1, "url": "x"}, {"a": [2], "=c": 3, "more": 4}],
        [{"c": 5, "b": None}],
        [{"title": "T", "d": 6}],
    )
    for number, several in enumerate(found):
        writer = Writer(tmp_path / "crawl.db")
        items = ItemFile(writer, tmp_path / "items.csv", {"title": str} if number < 2 else {})
        commit(writer, items, ("http://a.test/", several))
        writer.close()
    with (tmp_path / "items.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["url", "at", "title", "b", "item_url", "a", "more"]
    assert [row[2:] for row in rows] == [
        ["", "1", "x", "", ""],
        ["", "", "", "[2]", '{"=c": 3, "more": 4}'],
        ["", "", "", "", '{"c": 5}'],
        ["T", "", "", "", '{"d": 6}'],
    ]


def test_parquet_is_made_when_a_run_ends(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "items.parquet"
    for number in range(2):
        writer = Writer(tmp_path / "crawl.db")
        items = ItemFile(writer, path, COLUMNS)
        commit(writer, items, (f"http://{number}.test/", [{"title": f"{number}", "price": 9.5, "tags": 1}]))
        assert path.exists() == bool(number)
        items.finish()
        writer.close()
    assert pq.read_table(path).to_pylist() == [
        {"url": f"http://{number}.test/", "at": 0.0, "title": f"{number}", "price": 9.5, "more": '{"tags": 1}'}
        for number in range(2)
    ]


def test_value_that_is_no_number_has_no_column_of_numbers(tmp_path: Path) -> None:
    """A hook may give a field of its own the name of one."""
    pq = pytest.importorskip("pyarrow.parquet")
    writer = Writer(tmp_path / "crawl.db")
    items = ItemFile(writer, tmp_path / "items.parquet", COLUMNS)
    commit(writer, items, ("http://a.test/", [{"price": "9 EUR"}, {"price": 9}, {"price": None, "title": 1}]))
    items.finish()
    writer.close()
    rows = pq.read_table(tmp_path / "items.parquet").to_pylist()
    found = [(row["title"], row["price"], row["more"]) for row in rows]
    assert found == [(None, None, '{"price": "9 EUR"}'), (None, None, '{"price": 9}'), ("1", None, None)]


def rounds(folder: Path, ending: str, begun: int) -> None:
    """Commits, each with two items, the number of the commit kept in the store."""
    writer = Writer(folder / "crawl.db")
    items = ItemFile(writer, folder / f"items{ending}", COLUMNS)
    for number in range(begun, begun + 4):
        items.note(f"http://{number}.test/", 1.0, ['{"title": "one"}', '{"title": "two"}'])
        with writer.transaction():
            items.save(writer)
            writer.save_meta({"committed": number + 1})


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_every_committed_item_is_there_once_whenever_it_is_killed(tmp_path: Path, ending: str) -> None:
    """Killed at every step of writing, one after the other; each run goes on where the last commit ended."""
    done = []
    for step in range(28):
        path = tmp_path / "crawl.db"
        begun = 0
        if path.exists():
            with open_store(path) as store:
                begun = int(store.meta("committed") or 0)
        killed_at(step, ("fsync", "stat"), partial(rounds, tmp_path, ending, begun))
        if not (tmp_path / "crawl.db").exists():
            continue
        writer = Writer(tmp_path / "crawl.db")
        ItemFile(writer, tmp_path / f"items{ending}", COLUMNS)
        committed = int(writer.meta("committed") or 0)
        writer.close()
        with (tmp_path / f"items{ending}").open(newline="") as file:
            rows = list(csv.DictReader(file)) if ending == ".csv" else [json.loads(line) for line in file]
        assert [(row["url"], row["title"]) for row in rows] == [
            (f"http://{number}.test/", title) for number in range(committed) for title in ("one", "two")
        ]
        done.append(committed)
    assert done[-1] > 8


def test_file_goes_on_with_the_crawl_it_is_of(tmp_path: Path) -> None:
    rng, expected = random.Random(3), list[str]()
    for _ in range(5):
        writer = Writer(tmp_path / "crawl.db")
        items = ItemFile(writer, tmp_path / "items.jsonl", COLUMNS)
        for _ in range(rng.randrange(3)):
            url = f"http://{rng.random()}.test/"
            commit(writer, items, (url, [{"title": "x"}]))
            expected.append(url)
        items.note("http://lost.test/", 0.0, ['{"title": "never committed"}'])
        writer.close()
        with (tmp_path / "items.jsonl").open("a") as file:
            file.write("what a killed run has left")
    writer = Writer(tmp_path / "crawl.db")
    ItemFile(writer, tmp_path / "items.jsonl", COLUMNS)
    writer.close()
    assert [line["url"] for line in lines(tmp_path / "items.jsonl")] == expected


def test_copied_folder_goes_on_with_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    writer = Writer(tmp_path / "first" / "crawl.db")
    commit(writer, ItemFile(writer, tmp_path / "first" / "items.jsonl", COLUMNS), ("http://a.test/", [{}]))
    writer.close()
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    writer = Writer(tmp_path / "second" / "crawl.db")
    with pytest.raises(SettingError, match="already exists"):
        ItemFile(writer, tmp_path / "first" / "items.jsonl", COLUMNS)
    commit(writer, ItemFile(writer, tmp_path / "second" / "items.jsonl", COLUMNS), ("http://b.test/", [{}]))
    writer.close()
    assert [line["url"] for line in lines(tmp_path / "first" / "items.jsonl")] == ["http://a.test/"]
    assert [line["url"] for line in lines(tmp_path / "second" / "items.jsonl")] == ["http://a.test/", "http://b.test/"]


def test_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("letters")
    writer = Writer(tmp_path / "crawl.db")
    with pytest.raises(SettingError, match=r"items\.jsonl already exists; name another file, or move it away"):
        ItemFile(writer, path, COLUMNS)
    assert path.read_text() == "letters"
    writer.close()


def test_file_that_was_cut_is_told(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    writer = Writer(tmp_path / "crawl.db")
    commit(writer, ItemFile(writer, path, COLUMNS), ("http://a.test/", [{"title": "x"}]))
    path.write_text("")
    with pytest.raises(StoreError, match=r"has 0 bytes, but \d+ were written; restore it or name another"):
        ItemFile(writer, path, COLUMNS)
    writer.close()
