"""What a report says, against what was served; and its file: small, and inert whatever the web has put into it."""

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.hostile import HostileServer
from support.sites import HOME, Server, Site, crawl, rows

from minicrawl.audit.auditing import audited
from minicrawl.audit.rules import Rule
from minicrawl.audit.words import share, summary, to_do_first
from minicrawl.dashboard.readings import Reading, Readings
from minicrawl.report import report_on, write_report
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

SITE: Site = {
    HOME: ["<title>Home</title>", "/on", "/gone", "/moved", "/secret"],
    HOME + "on": ["<title>On</title>", HOME, "/gone"],
    HOME + "moved": HOME + "on",
}


class Document(HTMLParser):
    """Reads a document: its elements, links, and the text of each element by its name; all that opens is closed."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.attributes: set[str] = set()
        self.feed(file.read_text("utf-8"))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def reported(path: Path, site: Site = SITE) -> Reading:
    crawl(Server(site, robots="User-agent: *\nDisallow: /secret"), path, [HOME])
    with open_store(path) as store:
        return report_on(store)


def test_report_has_what_was_served(tmp_path: Path) -> None:
    report = reported(tmp_path / "crawl.db")
    assert report["title"] == "Crawl report: a.test"
    assert re.fullmatch(r"Made on [\d-]+ [\d:]+ UTC\. Fetched (on|between) [\d: and-]+ UTC\.", report["subtitle"])
    best = {page["url"]: page["title"] for page in report["/api/top"]["pages"]}
    assert best == {HOME: "Home", HOME + "on": "On"}
    failed = {each["reason"]: each for each in report["/api/course"]["states"]}
    assert (failed["http-404"]["pages"], failed["http-404"]["meaning"]) == (1, "the answer was 404 Not Found")
    assert (report["/api/now"]["known"], report["/api/now"]["read"]) == (5, 3)


def test_answers_are_those_of_the_dashboard(tmp_path: Path) -> None:
    report, asked = reported(tmp_path / "crawl.db"), Readings(tmp_path / "crawl.db")
    assert report["/api/pages"] == asked.pages("", 100)
    assert report["/api/hosts"] == asked.hosts()
    assert report["/api/sites"] == asked.sites()
    assert report["/api/course"] == asked.course()


def test_issues_are_those_of_the_audit_by_rule(tmp_path: Path) -> None:
    found = reported(tmp_path / "crawl.db")["issues"]
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store)
    assert [issue["rule"] for issue in found["issues"]] == list(audit.at_stake())
    assert {issue["rule"]: issue["count"] for issue in found["issues"]} == audit.counts()
    assert {issue["rule"]: issue["at_stake"] for issue in found["issues"]} == {
        rule: share(stake) for rule, stake in audit.at_stake().items()
    }
    assert (found["summary"], found["do_first"]) == (summary(audit), to_do_first(audit))
    assert found["not_checked"] == audit.not_checked
    assert found["checked"] == len(audit.rules) - len(audit.not_checked)
    assert sum(found["counts"].values()) == len(audit.findings)
    (broken,) = [issue for issue in found["issues"] if issue["rule"] == "broken-link"]
    (finding,) = broken["findings"]
    assert (finding["target"], finding["sources"]) == (HOME + "gone", 2)
    assert finding["detail"] == "the answer was 404 Not Found"  # readers know no codes


def test_report_has_a_users_own_rules(tmp_path: Path) -> None:
    store, config, file = (tmp_path / name for name in ("crawl.db", "own.toml", "report.html"))
    crawl(SITE, store, [HOME])
    rule = "[audit.titled]\nselect = \"SELECT url, title FROM page WHERE title <> ''\"\nwhy = 'Nobody wants titles.'"
    config.write_text(rule)
    assert run("report", file, "--store", store, "--config", config).exit_code == 0
    answers, _ = Document(file).texts["script"]
    issues = {issue["rule"]: issue for issue in json.loads(answers)["issues"]["issues"]}
    assert (issues["titled"]["why"], issues["titled"]["count"]) == ("Nobody wants titles.", 2)
    further = tmp_path / "further.toml"
    further.write_text("[read]\nselect = \"SELECT url FROM page WHERE state = 'fetched'\"")
    assert run("report", file, "--rules", further, "--store", store, "--config", config).exit_code == 0
    more, _ = Document(file).texts["script"]
    assert {issue["rule"] for issue in json.loads(more)["issues"]["issues"]} - issues.keys() == {"read"}
    audit = answer("audit", "--store", store, "--config", config)
    assert {rule: issue["count"] for rule, issue in issues.items()} == Counter(
        found["rule"] for found in audit["findings"]
    )


@pytest.mark.parametrize("site", [{HOME: 404}, {HOME: []}, {HOME: HOME + "x", HOME + "x": []}, {HOME: HOME}])
def test_crawl_of_little_has_a_report_too(tmp_path: Path, site: Site) -> None:
    assert reported(tmp_path / "crawl.db", site)["title"] == "Crawl report: a.test"
    rows(tmp_path / "crawl.db", "UPDATE pages SET fetch = NULL, state = 'waiting'")
    with open_store(tmp_path / "crawl.db") as store:
        assert report_on(store)["subtitle"].endswith(" UTC. Fetched nothing yet.")


def test_report_of_a_running_crawl_says_so(tmp_path: Path) -> None:
    reported(tmp_path / "crawl.db")
    writer = Writer(tmp_path / "crawl.db")
    with open_store(tmp_path / "crawl.db") as store:
        report = report_on(store)
    writer.close()
    assert report["subtitle"].endswith(" The crawl was still running.")
    assert (report["/api/now"]["crawl"], report["/api/now"]["state"]) == ("resting", "running")


def test_what_the_web_says_is_text_and_nothing_else(tmp_path: Path) -> None:
    """Markup that it may hold ends no element of the file; browsers show it as text (test_browser.py)."""
    path, file = tmp_path / "crawl.db", tmp_path / "report.html"
    crawl(HostileServer(100), path, [HOME], traps=False)
    rows(path, "UPDATE pages SET url = 'http://<script>\u202e&/' WHERE found_on IS NULL")
    with open_store(path) as store:
        report = report_on(store)
    assert write_report(report, file) == file.stat().st_size
    read = Document(file)
    assert sorted(set(read.tags)) == [
        *("body", "h1", "head", "header", "html", "main", "meta", "noscript", "p", "script", "style", "title")
    ]
    assert (read.tags.count("script"), read.links) == (2, [])
    assert not {name for name in read.attributes if name.startswith("on")} | ({"style"} & read.attributes)
    answers, _ = read.texts["script"]
    assert "<" not in answers
    assert json.loads(answers) == json.loads(json.dumps(report))
    assert "</title><script>" in json.dumps(report)
    assert read.texts["title"] == read.texts["h1"] == ["Crawl report: <script>\ufffd&"]


def test_file_is_small_however_much_was_found(tmp_path: Path) -> None:
    """More rules than there are, each with many targets, as long as they get."""
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149)"
    select = f"{numbers} SELECT 'http://a.test/' || i || hex(zeroblob(1500)), hex(zeroblob(1500)), 0 FROM n"
    with open_store(tmp_path / "crawl.db") as store:
        report = report_on(store, {f"rule-{number}": Rule(f"rule-{number}", select) for number in range(60)})
    assert write_report(report, tmp_path / "report.html") < 2_000_000
    shown = [len(issue["findings"]) for issue in report["issues"]["issues"]]
    assert [issue["count"] for issue in report["issues"]["issues"]] == [150] * 60
    assert min(shown) >= 1
    with open_store(tmp_path / "crawl.db") as store:
        few = report_on(store, {"rule": Rule("rule", select.replace("1500", "50"))})
    assert len(few["issues"]["issues"][0]["findings"]) == 100


def test_policy_names_script_and_style_by_their_digests(tmp_path: Path) -> None:
    write_report(reported(tmp_path / "crawl.db"), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert text.index("Content-Security-Policy") < text.index("<title>")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name in ("script", "style"):
        (body,) = re.findall(f"<{name}>(.*?)</{name}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}';" in policy
        assert not re.search(r"^(import|export) |url\(|@import", body, re.MULTILINE)
