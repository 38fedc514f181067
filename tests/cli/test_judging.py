"""minicrawl search --good, --bad and --judge"""

from pathlib import Path

import pytest
from support.command_line import answer, run
from support.searching import indexed, page

A = "http://a.test/"
SITE = {
    A: page("Zebra", "zebra", (f"{A}lion", "lion")),
    f"{A}lion": page("Lion", "A lion is no zebra " + "mane " * 99),
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return indexed(SITE, tmp_path / "crawl.db")


def test_nothing_judged_is_one_sentence(store: Path) -> None:
    result = run("search", "--judge", "--store", store)
    assert result.stdout == "Nothing was judged yet; 'minicrawl search WORDS --good URL' does.\n"
    assert result.exit_code == 0


def test_judged_pages_change_places_and_the_change_is_printed(store: Path) -> None:
    told = run("search", "zebra", "--good", f"{A}lion", "--bad", A, "--store", store)
    assert told.stderr == "2 pages judged for zebra; see 'minicrawl search --judge'.\n"
    assert [page["url"] for page in answer("search", "zebra", "--store", store)] == [f"{A}lion", A]
    assert "+0.200 as judged; importance" in run("search", "zebra", "--explain", "--store", store).stdout
    lines = run("search", "--judge", "--store", store).stdout.splitlines()
    assert lines[0].startswith("zebra  [")
    assert lines[1:3] == [f"    bad     1 -> 2    {A}", f"    good    2 -> 1    {A}lion"]
    assert lines[3] == "all queries (1): nDCG@10 0.631 -> 1.000, MRR 0.500 -> 1.000, bad ones in ten 1 -> 1"
    (query,) = answer("search", "--judge", "--store", store)["queries"]
    assert query["pages"][1] == {"url": f"{A}lion", "is_good": True, "before": 2, "after": 1}


def test_good_page_without_the_words_is_told(store: Path) -> None:
    told = run("search", "mane", "--good", A, "--good", f"{A}lion", "--store", store).stderr
    assert told.splitlines()[1:] == [f"{A} is not found by these words, however good: see if it has them."]


def test_other_options_are_compared_without_judgements(store: Path) -> None:
    run("search", "zebra", "--good", f"{A}lion", "--store", store)
    assert "good    2 -> 2 " in run("search", "--judge", "--weight", "1", "--store", store).stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["zebra", "--good", A, "--bad", A], f"Error: {A} cannot be good and bad for the same words"),
        (["zebra", "--good", "http://b.test/"], "no page http://b.test/ is known; copy its URL"),
        (["zebra", "--good", A, "--facets"], "--good and --bad keep judgements; leave out --facets"),
        (["--good", A], "a search needs at least one word"),
        ([], "a search needs at least one word"),
    ],
)
def test_mistakes_are_told(store: Path, options: list[str], sentence: str) -> None:
    result = run("search", *options, "--store", store)
    assert sentence in result.stderr
    assert result.exit_code == 2
