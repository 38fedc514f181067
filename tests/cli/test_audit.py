"""minicrawl audit, as a user asks for it."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run
from support.sites import Site, crawl, crawled_once

SITE: Site = {
    HOME: ["<title>Home</title>", "/gone", "/moved", "/on", "/end"],
    HOME + "moved": HOME + "on",
    HOME + "on": ["<title>On</title>", HOME, "/gone"],
    HOME + "end": ["<title>End</title><p>\x1b[31mred"],
}
store = crawled_once(SITE, [HOME])


def test_each_target_is_told_once_with_its_pages_the_worst_first(store: Path) -> None:
    found = answer("audit", "--store", store)
    assert [(each["rule"], each["target"], each["sources"]) for each in found["findings"]] == [
        ("broken-link", HOME + "gone", 2),
        ("dead-end", HOME + "end", 0),
        ("link-to-redirect", HOME + "moved", 1),
    ]
    assert found["findings"][0]["examples"] == [HOME, HOME + "on"]
    assert {rule["name"]: rule["findings"] for rule in found["rules"] if rule["findings"]} == {
        "broken-link": 1,
        "dead-end": 1,
        "link-to-redirect": 1,
    }
    said = "2 pages link to 1 that is missing; 1 page has no link to follow; 1 page links to 1 that redirects."
    mend = "Correct the links, or redirect the address to the page that replaces it"
    lines = run("audit", "--store", store).stdout.splitlines()
    assert lines[0] == said == found["summary"]
    assert lines[1] == f"First: {mend}: {HOME}gone (2 pages)" == found["do_first"]
    assert lines[2].startswith("Judged: 3 pages of 1 host, crawled ")
    assert lines[3] == "Not judged: 1 page without an answer to read."
    assert lines[5].startswith("2 pages link to 1 that is missing. (error broken-link, ")
    assert any(line.split()[1:5] == ["%", "2", "broken-link", HOME + "gone"] for line in lines)


def test_csv_has_every_page_of_every_finding(tmp_path: Path) -> None:
    """More than the examples of the other forms, each with its title."""
    store, file = tmp_path / "crawl.db", tmp_path / "audit.csv"
    pages = [f"{HOME}p/{number}" for number in range(12)]
    site: Site = {HOME: ["<title>Home</title>", *pages]}
    crawl(site | {url: [f"<title>=On {url}</title>", "/gone", HOME] for url in pages}, store, [HOME])
    rows = list(csv.DictReader(io.StringIO(run("audit", "--csv", "--store", store).stdout)))
    found = answer("audit", "--store", store)["findings"]
    assert [(row["page"], row["title"]) for row in rows if row["rule"] == "broken-link"] == sorted(
        ((url, f"'=On {url}") for url in pages), key=lambda row: pages.index(row[0])
    )
    assert list(dict.fromkeys((row["rule"], row["target"]) for row in rows)) == [
        (each["rule"], each["target"]) for each in found
    ]
    assert {row["what"] for row in rows if row["rule"] == "broken-link"} == {"12 pages link to 1 that is missing"}
    told = run("audit", "--csv", file, "--csv-for", "excel", "--store", store).stdout
    assert told.endswith(f"{len(rows)} rows written to {file}.\n")
    assert file.read_bytes().startswith(b"\xef\xbb\xbfrule,severity,")
    assert list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig")))) == rows
    assert run("audit", "--csv", "--junit", "-", "--store", store).exit_code == 2


@pytest.mark.parametrize(
    ("words", "code"), [("broken-link", 1), ("error", 1), ("redirect-loop", 0), ("redirect-loop, dead-end", 1)]
)
def test_fail_on_names_rules_or_a_severity(store: Path, words: str, code: int) -> None:
    for form in ([], ["--json"], ["--csv"], ["-n", "1"]):
        assert run("audit", "--fail-on", words, *form, "--store", store).exit_code == code


def test_gate_on_what_was_not_checked_fails(store: Path, tmp_path: Path) -> None:
    for fail_on, code, sentence in (
        (
            ["--fail-on", "image-without-alt"],
            1,
            "--fail-on: image-without-alt was not checked: the crawl has not kept what this needs",
        ),
        (["--fail-on", "redirect-loop"], 0, ""),
        (
            ["--fail-on", "redirect-loop,error"],
            1,
            "2 rules of the severity could not be checked: file-missing, mixed-content",
        ),
    ):
        result = run("audit", *fail_on, "--junit", tmp_path / "a.xml", "--store", store)
        assert result.exit_code == code
        assert sentence in result.stderr
    assert (tmp_path / "a.xml").read_text().count("<failure") == 1


def test_files_are_printed_alone(store: Path) -> None:
    assert json.loads(run("audit", "--sarif", "-", "--store", store).stdout)["version"] == "2.1.0"
    assert run("audit", "--junit", "-", "--store", store).stdout.startswith("<?xml")
    assert run("audit", "--junit", "-", "--json", "--store", store).exit_code == 2


def test_audit_says_what_it_judged(store: Path) -> None:
    judged = answer("audit", "--store", store)["judged"]
    assert {key: judged[key] for key in ("pages", "hosts", "waiting", "failed", "robots", "traps")} == {
        "pages": 3, "hosts": 1, "waiting": 0, "failed": 1, "robots": 0, "traps": 0
    }  # fmt: skip
    assert (judged["coverage"], judged["coverage_shown"]) == (1.0, 1.0)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", judged["first"])


def test_against_an_earlier_crawl_only_what_is_new_fails(store: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.db"
    crawl({**SITE, HOME: ["<title>Home</title>", "/gone", "/moved", "/on", "/end", "/lost"]}, before, [HOME])
    found = answer("audit", "--against", before, "--store", store)
    assert (found["new"], [each["target"] for each in found["mended"]], found["same"]) == ([], [HOME + "lost"], 3)
    assert run("audit", "--against", before, "--fail-on", "error", "--store", store).exit_code == 0
    assert run("audit", "--against", store, "--fail-on", "error", "--store", before).exit_code == 1
    assert "1 new, 0 fixed, 3 unchanged." in run("audit", "--against", store, "--store", before).stdout


def test_rules_that_need_a_finished_crawl_are_told(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", [HOME], pages=1)
    found = answer("audit", "--store", tmp_path / "crawl.db")
    assert found["not_checked"].keys() >= {"orphan"}
    assert [each for each in found["findings"] if each["rule"] == "broken-link"] == []
