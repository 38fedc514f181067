"""SARIF and JUnit files of an audit."""

import json
import re
from pathlib import Path
from typing import Any  # Any: JSON
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from minicrawl.audit.auditing import Audit, Finding
from minicrawl.audit.ci_files import write_junit, write_sarif
from minicrawl.audit.rules import RULES

URL = "http://a.test/<&>\x1b]]>"
FOUND = Audit(
    {name: RULES[name] for name in ("broken-link", "page-slow", "orphan")},
    [
        Finding("broken-link", "http://a.test/x", 0.5, 2, ("http://a.test/", URL), "http-404"),
        Finding("page-slow", "a.test\x00", 0.1, 1, (), "<b>\ud800"),
    ],
    not_checked={"orphan": "3 pages still wait"},
)


def test_sarif_has_a_result_for_each_finding(tmp_path: Path) -> None:
    write_sarif(FOUND, tmp_path / "a.sarif")
    sarif = json.loads((tmp_path / "a.sarif").read_text())
    (run,) = sarif["runs"]
    assert sarif["version"] == "2.1.0"
    rules = run["tool"]["driver"]["rules"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("broken-link", "error"),
        ("page-slow", "warning"),
    ]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["broken-link", "page-slow"]
    assert "orphan" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    broken, slow = run["results"]
    assert file_of(broken["locations"][0]) == "a.test/x"
    assert broken["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "http://a.test/x"}]
    assert broken["properties"]["url"] == "http://a.test/x"
    assert broken["message"]["text"] == f"{RULES['broken-link'].why} http://a.test/x: http-404 (2 pages)"
    assert [location["message"]["text"] for location in broken["relatedLocations"]] == ["http://a.test/", URL]
    assert slow["message"]["text"].startswith(RULES["page-slow"].why)
    known = {result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]}
    assert len(known) == 2


def file_of(location: dict[str, Any]) -> str:
    """The file of a location of SARIF, whose URI is in the grammar of a relative path (RFC 3986)."""
    uri: str = location["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"(?!/)([\w.~!$&'()*+,;=@/-]|%[0-9A-Fa-f]{2})+", uri, re.ASCII)
    assert not {".", ".."} & set(unquote(uri).split("/"))
    return uri


@pytest.mark.parametrize(("target", "file"), [
    ("https://a.test:8080/a?b=c&d#e", "a.test%3A8080/a%3Fb=c&d%23e"),
    ("http://a.test/../x/%2e%2E/..%2fy", "a.test/%252E%252E/x/%252e%252E/%252E%252E%252fy"),
    ("http://[::1]/é%|", "%5B%3A%3A1%5D/%C3%A9%25%7C"),
    ("file:///etc/hosts", "etc/hosts"),
    ("en-UK", "en-UK"),
])  # fmt: skip
def test_target_is_a_file_below_the_checkout(tmp_path: Path, target: str, file: str) -> None:
    write_sarif(Audit(FOUND.rules, [Finding("orphan", target, 0.5, 0, (target,), "")]), tmp_path / "a.sarif")
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert [file_of(each) for each in (*result["locations"], *result["relatedLocations"])] == [file, file]


def test_junit_has_a_case_for_each_rule(tmp_path: Path) -> None:
    write_junit(FOUND, tmp_path / "a.xml")
    (suite,) = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "2",
        "skipped": "1",
    }
    cases = {case.get("name"): case for case in suite}
    assert cases["broken-link"][0].text == "http://a.test/x: http-404 (2 pages)"
    assert cases["page-slow"][0].text == "a.test\ufffd: <b>\ufffd (1 page)"
    assert cases["orphan"][0].tag == "skipped"


def test_junit_fails_for_what_a_gate_finds_and_says_the_rest(tmp_path: Path) -> None:
    write_junit(FOUND, tmp_path / "a.xml", [FOUND.findings[0]], ["orphan"])
    (suite,) = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("2", "0")
    assert {case.get("name"): [part.tag for part in case] for case in suite} == {
        "broken-link": ["failure"],
        "page-slow": ["system-out"],
        "orphan": ["failure"],
    }
