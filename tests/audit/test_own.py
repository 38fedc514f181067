"""Rules of the user's own: applied like ours, and harmless if they fail or do not end."""

from pathlib import Path

import pytest
from support.sites import crawl

from minicrawl.audit.own import ask
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import Limits

HOME = "http://a.test/"
RULES = """
from minicrawl.audit.findings import Fault, Severity, rule

def made(name, check):
    return rule(name, Severity.NOTICE, why="It is odd.", how="Even it.")(check)

odd = made("page-odd", lambda crawled: [Fault(page) for page in range(crawled.size) if page % 2])
bad = made("page-bad", lambda crawled: 1 / 0)
plain = len

def forever(crawled):
    while True:
        pass

endless = made("endless", forever)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    (folder / "mine.py").write_text(RULES)
    crawl({HOME: [f"{HOME}x"], f"{HOME}x": []}, folder / "crawl.db", [HOME])
    return folder / "crawl.db"


def test_rule_finds_pages(store: Path) -> None:
    spec = f"{store.parent}/mine.py:odd"
    asked = ask([spec], store)[spec]
    assert asked.rule is not None
    assert (asked.rule.name, asked.rule.subject, asked.lack) == ("page-odd", "own", None)
    assert [found.target for found in asked.findings] == [f"{HOME}x"]
    described = ask([spec], None)[spec]
    assert (described.findings, described.rule and described.rule.why) == ([], "It is odd.")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("bad", "it failed: ZeroDivisionError: division by zero"),
        ("endless", "it failed: it took more than 0.5 s of CPU time"),
        ("plain", "is no rule; put @rule of minicrawl.audit.findings before the function"),
        ("nothing", "is no rule"),
    ],
)
def test_rule_that_fails_or_does_not_end_is_told(store: Path, name: str, why: str) -> None:
    spec = f"{store.parent}/mine.py:{name}"
    asked = ask([spec], store, Limits(0.5, 5.0, Cage(forks=True)))[spec]
    assert asked.findings == ()
    assert why in (asked.lack or "")
