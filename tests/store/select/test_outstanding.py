"""Pages that stand out, against the rows that they come from."""

from pathlib import Path

import numpy as np
from support.command_line import HOME
from support.sites import crawl, rows

from minicrawl.store.reader import open_store

SAME = f"<p>{' '.join(f'word{number}' for number in range(300))}</p>"


def test_columns_are_by_number_and_nan_where_there_is_no_answer(store: Path) -> None:
    expected = rows(
        store,
        "SELECT pages.host, pages.state, pages.inlinks, importance, fetches.fetched_at, fetches.seconds FROM weighed "
        "JOIN pages ON pages.id = weighed.id LEFT JOIN fetches ON fetches.id = fetch ORDER BY pages.id",
    )
    with open_store(store) as reader:
        found = reader.outstanding.columns()
        assert found.importance.tolist() == reader.ranks.importance().tolist()
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


def test_slowest_and_largest_come_first(store: Path) -> None:
    rows(store, "UPDATE fetches SET seconds = 100 - id, bytes = id")
    with open_store(store) as reader:
        seconds = [each[1] for each in reader.outstanding.slowest(3)]
        sizes = [each[1] for each in reader.outstanding.largest(3)]
    assert seconds == sorted(seconds, reverse=True)
    assert sizes == sorted(sizes, reverse=True)
    assert (len(seconds), len(sizes)) == (3, 3)


def test_untitled_are_html_pages_without_words_in_their_title(tmp_path: Path) -> None:
    site = {HOME: ["/a", "/b", "/gone", "<title>H</title>"], HOME + "a": ["<title> </title>", HOME], HOME + "b": ["/a"]}
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        assert reader.outstanding.untitled(9) == (2, [(HOME + "a", 2), (HOME + "b", 1)])
        assert reader.outstanding.untitled(1) == (2, [(HOME + "a", 2)])


def test_copied_pages_stand_with_one_of_their_copies(tmp_path: Path) -> None:
    site = {HOME: [f"/{letter}" for letter in "abc"]} | {HOME + letter: [SAME] for letter in "abc"}
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        (found,) = reader.outstanding.copied(9)
    assert found[1:3] == (2, 0)
    assert {found[0], found[3]} < {HOME + letter for letter in "abc"}


def test_robots_are_told_with_what_came(store: Path) -> None:
    with open_store(store) as reader:
        found = reader.outstanding.robots(9)
    assert {origin for origin, *_ in found} == {"http://a.test", "http://b.test"}
    assert {status for _, status, *_ in found} == {404}


def test_store_without_pages_has_none(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    rows(tmp_path / "crawl.db", "UPDATE pages SET fetch = NULL")
    with open_store(tmp_path / "crawl.db") as reader:
        assert np.isnan(reader.outstanding.columns().seconds).all()
        assert (reader.outstanding.slowest(3), reader.outstanding.largest(3)) == ([], [])
