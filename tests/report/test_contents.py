"""What a report says, against what was served."""

from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, rows

from minicrawl.audit.auditing import audited
from minicrawl.report import Cell, Report, Section, report_on
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


def section(report: Report, title: str) -> Section:
    (found,) = [section for section in report.sections if section.title == title]
    return found


def table(report: Report, title: str) -> list[dict[str, Cell]]:
    found = section(report, title)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_report_has_what_was_served(tmp_path: Path) -> None:
    report = reported(tmp_path / "crawl.db")
    assert report.title == "Crawl report: a.test"
    top = table(report, "The most important pages")
    assert {row["page"] for row in top} == {((HOME + page,), 1) for page in ("", "on", "a")}  # b says what a says
    assert {row["page"]: (row["title"], row["in-links"], row["depth"]) for row in top}[((HOME + "on",), 1)] == (
        "On",
        2,
        1,
    )
    (error,) = table(report, "Errors by reason")
    assert (error["reason"], error["pages"]) == ("http-404", 1)
    tiles = report.tiles
    assert (tiles["known pages"], tiles["pages read"], tiles["failed"]) == ("7", "5", "1")


def test_issues_are_those_of_the_audit_by_rule(tmp_path: Path) -> None:
    report = reported(tmp_path / "crawl.db")
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store)
    assert [issue.rule.name for issue in report.issues] == list(audit.at_stake())
    assert {issue.rule.name: issue.count for issue in report.issues} == audit.counts()
    assert report.not_checked == audit.not_checked
    (broken,) = [issue for issue in report.issues if issue.rule.name == "broken-link"]
    (finding,) = broken.findings
    assert (finding.target, finding.sources) == (HOME + "gone", 2)
    assert sum(int(report.tiles[name]) for name in ("errors", "warnings", "notices")) == len(audit.findings)


def test_report_stays_short(tmp_path: Path) -> None:
    site: Site = {HOME: [f"/{number}/{side}" for number in range(130) for side in "xy"]}
    site |= {f"{HOME}{number}/x": [f"/gone/{number}", f"<p>{number}"] for number in range(130)}
    report = reported(tmp_path / "crawl.db", site)
    assert max(len(section.rows) for section in report.sections) == 100
    (broken,) = [issue for issue in report.issues if issue.rule.name == "broken-link"]
    assert (len(broken.findings), broken.count) == (100, 260)


@pytest.mark.parametrize("site", [{HOME: 404}, {HOME: []}, {HOME: HOME + "x", HOME + "x": []}, {HOME: HOME}])
def test_crawl_of_little_has_a_report_too(tmp_path: Path, site: Site) -> None:
    assert reported(tmp_path / "crawl.db", site).title == "Crawl report: a.test"
    rows(tmp_path / "crawl.db", "UPDATE pages SET fetch = NULL, state = 'waiting'")
    with open_store(tmp_path / "crawl.db") as store:
        assert report_on(store).subtitle == "Nothing has been fetched yet."
