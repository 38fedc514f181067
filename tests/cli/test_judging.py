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
