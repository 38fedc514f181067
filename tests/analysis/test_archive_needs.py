"""What the pages of an archive need, and the archive has not."""

import csv
import json
import os
from pathlib import Path
from typing import Any  # Any: settings, rows

import pytest
from support.archives import files
from support.command_line import answer, run
from support.requisites import crawl_whole

A, B = "http://a.test/", "http://b.test/"
WHOLE: dict[str, Any] = {
    A: "<link rel=stylesheet href=s.css><img src=logo.png><a href=two>2</a>",
    A + "two": f"<link rel=stylesheet href=/s.css><img src=/logo.png><iframe src={B}in></iframe>",
    A + "s.css": "@font-face { src: url(/font) }",
    A + "font": "-> /font.woff2",
    A + "font.woff2": b"font",
    A + "logo.png": b"logo",
    B + "in": "<img src=framed.png>",
    B + "framed.png": b"framed",
}
GONE = {A + "three": "<img src=/gone.png>", A + "two": WHOLE[A + "two"] + "<img src=/gone.png><a href=three>3</a>"}
ROBOTS = {B + "robots.txt": "User-agent: *\nDisallow: /secret"}
FORBIDDEN = {B + "in": f"<img src=framed.png><img src={B}secret.png>", **ROBOTS}
NOTHING, ASKED = "for an unknown reason", "'minicrawl refresh' fetches it"


@pytest.mark.parametrize("by", ["store", "folder"])
@pytest.mark.parametrize(
    ("more", "settings", "missing", "code", "verdict"),
    [
        ({}, {}, [], 0, "complete: it has 5 files that its pages need"),
        (GONE, {}, [("gone.png", 2, "http-404")], 0, "complete: it has 5 of 6 files that its pages need; the servers"),
        (FORBIDDEN, {}, [("secret.png", 1, "robots")], 1, "not complete: it lacks 1 of 6 files that its pages need"),
        ({}, {"deny": ["logo"]}, [("logo.png", 2, "deny")], 1, "not complete: it lacks 1 of 5 files"),
        ({}, {"requisites": False}, [("logo.png", 2, ""), ("s.css", 2, ""), ("in", 1, "")], 1, "not complete"),
    ],
    ids=["complete", "gone", "robots", "denied", "without --requisites"],
)
def test_what_is_missing_is_listed(  # noqa: PLR0913 - the columns of the table
    tmp_path: Path, by: str, more: dict[str, Any], settings: dict[str, Any], missing: list[Any], code: int, verdict: str
) -> None:
    crawl_whole(WHOLE | more, tmp_path, A, scope="host", **settings)
    if by == "folder":
        (tmp_path / "crawl.db").unlink()
        missing = [(name, pages, why if why.startswith("http") else "") for name, pages, why in missing]
    place = ("--archive", tmp_path / "kept") if by == "folder" else ("--store", tmp_path / "crawl.db")
    found = run("archive", "missing", *place, "--csv", tmp_path / "missing.csv")
    assert (found.exit_code, found.stdout) == (code, "")
    assert found.stderr.startswith(verdict)
    with (tmp_path / "missing.csv").open(newline="") as file:
        listed = list(csv.DictReader(file))
    assert [(row["url"].rpartition("/")[2], int(row["pages"]), row["reason"]) for row in listed] == missing
    assert all(row["why"].endswith(ASKED if by == "store" else NOTHING) == (row["reason"] == "") for row in listed)
    checked = run("archive", "check", "--deep", *place)
    assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (0, found.stderr.strip())


def test_pages_that_were_read_and_not_kept_are_missing(tmp_path: Path) -> None:
    """One that forbids copies, and those of a run before the archive began."""
    copies = '<meta name=robots content=noarchive><a href="/three">3</a>'
    site = {A: "<a href=two>2</a>", A + "two": copies, A + "three": "<img src=logo.png>", A + "logo.png": b"logo"}
    crawl_whole(site, tmp_path, A, archive=None, requisites=False, pages=1)
    crawl_whole(site, tmp_path, A)
    listed = json.loads(run("archive", "missing", "--store", tmp_path / "crawl.db", "--json").stdout)
    assert [(one["url"], one["reason"]) for one in listed] == [(A, ""), (A + "two", "noarchive")]
    assert [one["kind"] for one in listed] == ["page", "page"]
    assert "before it had an archive" in listed[0]["why"]
    said = run("archive", "missing", "--store", tmp_path / "crawl.db").stderr
    assert said == "not complete: it lacks 2 pages that the crawl has read\n"


def test_damage_is_said_and_the_rest_is_read(tmp_path: Path) -> None:
    crawl_whole(WHOLE, tmp_path, A, scope="host")
    (file,) = files(tmp_path / "kept")
    (two,) = answer("archive", "list", A + "two", "--store", tmp_path / "crawl.db")
    os.truncate(file, two["start"] + 10)
    found = run("archive", "missing", "--store", tmp_path / "crawl.db")
    assert found.exit_code == 1
    assert f"{A}two cannot be read" in found.stderr
    assert f"{A} cannot" not in found.stderr
