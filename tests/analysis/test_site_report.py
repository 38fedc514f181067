"""What a report says, against what was served."""

import re
from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, rows

from minicrawl.analysis.site_report import report_on
from minicrawl.export.report_file import Cell, Report, Share, Url
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
SAME = f"<p>{' '.join(f'word{number}' for number in range(300))}</p>"
SITE: Site = {
    HOME: ["<title>Home</title>", "/on", "/gone", "/moved", "/secret", "/a", "/b"],
    HOME + "on": ["<title>On</title>", HOME, "/gone"],
    HOME + "moved": HOME + "on",
    HOME + "a": [SAME],
    HOME + "b": [SAME],
}


def reported(path: Path, site: Site = SITE) -> Report:
    crawl(Server(site, robots="User-agent: *\nDisallow: /secret"), path, [HOME])
    with open_store(path) as store:
        return report_on(store)


def table(report: Report, title: str) -> list[dict[str, Cell]]:
    (section,) = [section for section in report.sections if section.title == title]
    return [dict(zip(section.columns, row, strict=True)) for row in section.rows]


def test_tables_have_what_was_served(tmp_path: Path) -> None:
    report = reported(tmp_path / "crawl.db")
    assert report.title == "Crawl report: a.test"
    top = table(report, "The 100 most important pages")
    assert {row["page"] for row in top} == {Url(HOME + page) for page in ("", "on", "a")}  # b says what a says
    assert [row["rank"] for row in top] == [1, 2, 3]
    (error,) = table(report, "Errors by reason")
    assert (error["reason"], error["pages"], error[""]) == ("http-404", 1, Share(1.0))
    broken = table(report, "Broken links")
    assert {row["on page"] for row in broken} == {Url(HOME), Url(HOME + "on")}
    assert {row["end"] for row in broken} == {"404"}
    assert table(report, "Redirects") == [
        {"link to": Url(HOME + "moved"), "ends at": Url(HOME + "on"), "links": 1, "end": "200"}
    ]
    assert [row["page"] for row in table(report, "Pages without a title")] == [Url(HOME + "a"), Url(HOME + "b")]
    (copies,) = table(report, "Duplicates")
    assert {copies["page"], copies["one of them"]} == {Url(HOME + "a"), Url(HOME + "b")}
    (site,) = table(report, "Sites")
    assert [site[name] for name in ("site", "known", "read", "failed")] == ["a.test", 7, 5, 1]
    (robots,) = table(report, "Robots")
    assert (robots["robots.txt"], robots["answer"]) == (Url(HOME + "robots.txt"), "200")
    tiles = dict(report.tiles)
    assert (tiles["known pages"], tiles["read"], tiles["failed"]) == ("7", "5", "1")
    assert (tiles["broken links"], tiles["links to redirects"], tiles["forbidden by robots"]) == ("2", "1", "1")


def test_tables_stay_short(tmp_path: Path) -> None:
    site: Site = {HOME: [f"http://h{number}.test/" for number in range(130)]}
    site |= {f"http://h{number}.test/": ["/gone", f"<p>{number}"] for number in range(130)}
    report = reported(tmp_path / "crawl.db", site)
    assert max(len(section.rows) for section in report.sections) == 100
    assert [len(section.rows) for section in report.sections if section.title in ("Sites", "Broken links")] == [50, 25]
    assert all("<svg" in picture and len(picture) < 30_000 for _, picture in report.charts)


def test_crawl_without_an_answer_has_a_report_too(tmp_path: Path) -> None:
    report = reported(tmp_path / "crawl.db", {HOME: 404})
    assert dict(report.tiles)["read"] == "0"
    rows(tmp_path / "crawl.db", "UPDATE pages SET fetch = NULL, state = 'waiting'")
    with open_store(tmp_path / "crawl.db") as store:
        assert report_on(store).subtitle == "Nothing has been fetched yet."


def test_speed_is_drawn_where_the_crawl_has_noted_it(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({"http://a.test/": []}, store, ["http://a.test/"])
    with open_store(store) as reader:
        assert "Pages a second" not in dict(report_on(reader).charts)
    rows(store, "DELETE FROM course")
    for seconds, fetched in ((0, 0), (3600, 3600), (10800, 18000)):
        rows(store, "INSERT INTO course VALUES (?, ?, ?, 0, 9, 9, 0, 0.5)", seconds, 1e9 + seconds, fetched)
    with open_store(store) as reader:
        svg = dict(report_on(reader).charts)["Pages a second"]
    assert ">3.0 hours<" in svg
    (line,) = re.findall('class="line" points="([^"]*)"', svg)
    (x1, y1), (x2, y2) = (map(float, point.split(",")) for point in line.split())
    left, bottom, width, height = 46, 186, 320, 174  # of the picture, see charts.py
    assert (x1, x2) == pytest.approx((left + width / 3, left + width), abs=0.1)
    assert (bottom - y2) == pytest.approx(2 * (bottom - y1), abs=0.2)  # two pages a second, after one
    assert bottom - y2 == pytest.approx(height, abs=0.1)
