"""Static rules look at a URL alone; learned rules, in their order, at what the pages of a pattern brought."""

from collections.abc import Callable

import pytest

from minicrawl.crawler.admission.trap_findings import JUDGED, Findings
from minicrawl.crawler.admission.traps import (
    MAX_LENGTH,
    MAX_PARAMETERS,
    MAX_SEGMENTS,
    NO_CONTENT,
    Admission,
    Traps,
    static_rule,
)
from minicrawl.settings import CrawlSettings

HOME = "http://a.test/"


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("", None),
        ("a/b/c?d=1", None),
        ("a" * (MAX_LENGTH - len(HOME)), None),
        ("a" * (MAX_LENGTH - len(HOME) + 1), "trap-long-url"),
        ("/".join(map(str, range(MAX_SEGMENTS))), None),
        ("/".join(map(str, range(MAX_SEGMENTS + 1))), "trap-long-url"),
        ("a/a", None),
        ("a/a/a", "trap-repeated-path"),
        ("a/a/a/", "trap-repeated-path"),
        ("a/b/a/b", None),
        ("a/b/a/b/a/b", "trap-repeated-path"),
        ("x/a/b/a/b/a/b/y", "trap-repeated-path"),
        ("a/b/c/a/b/c/a/b/c", "trap-repeated-path"),
        ("a/x/a/y/a/z", None),
        ("2011/11/11/11", None),
        ("tiles/0/0/0.png", None),
        ("x////y", "trap-repeated-path"),
        ("s?q=/a/a/a/a", None),
        ("s?" + "q" * MAX_LENGTH, None),
        ("s?" + "q" * (MAX_LENGTH + 1), "trap-long-url"),
        ("s?" + "&".join(f"q{number}" for number in range(MAX_PARAMETERS)), None),
        ("s?" + "&".join(f"q{number}" for number in range(MAX_PARAMETERS + 1)), "trap-long-url"),
        ("s?q=1&v=1&v=2&v=3", None),
        ("s?v=1&q=1&v=2&v=3&v=4", "trap-repeated-parameter"),
        ("s?v&v&v&v", "trap-repeated-parameter"),
        ("s?b=1&amp;c=2", None),
        ("s?b=1&amp;amp;c=2", "trap-escaped-again"),
        ("a%2520b", None),
        ("a%252520b", "trap-escaped-again"),
        ("s?q=a%2525b", "trap-escaped-again"),
    ],
)
def test_static_rules_look_at_the_url_alone(path: str, rule: str | None) -> None:
    assert static_rule(HOME + path) == rule


def repetitive(pages: int, *, fruitful: int = 0) -> Findings:
    findings = Findings()
    for page in range(pages):
        findings.add_page(None, is_repeated=True, is_fruitful=page < fruitful)
    return findings


@pytest.mark.parametrize(
    ("name", "findings", "rule"),
    [
        ("a.test/shop/*", repetitive(JUDGED), "trap-duplicates"),
        ("a.test/shop/{id}", repetitive(JUDGED), "trap-session"),
        ("a.test/shop?sid", repetitive(JUDGED), "trap-session"),
        ("a.test/shop/*", repetitive(JUDGED - 1), None),
        ("a.test/shop/*", repetitive(JUDGED, fruitful=JUDGED // 4), None),
        ("a.test/shop/*", Findings(), None),
    ],
)
def test_learned_rules_look_at_what_the_pages_of_a_pattern_said(
    name: str, findings: Findings, rule: str | None
) -> None:
    assert findings.rule(name) == rule


FRONT = "http://a.test/"
TRAP = FRONT + "x" * 2_000


def is_ours(url: str) -> bool:
    return "b.test" not in url


@pytest.mark.parametrize("traps", [None, Traps()], ids=["no traps", "traps"])
@pytest.mark.parametrize("is_own", [None, is_ours], ids=["all ours", "shared"])
def test_every_url_gets_its_own_answer_in_its_own_place(
    traps: Traps | None, is_own: Callable[[str], bool] | None
) -> None:
    """Traps are asked of the URLs that are ours alone, so their answers are fewer, and must not slip."""
    urls = [FRONT + "1", "http://b.test/", TRAP, FRONT + "2", TRAP.replace("a.", "b."), FRONT + "3"]
    admission = Admission(CrawlSettings(), traps, is_own)
    is_judged = [traps is not None and len(url) > 1_000 and (is_own is None or is_ours(url)) for url in urls]
    expected = ["trap-long-url" if is_trap else None for is_trap in is_judged]
    found = list(admission.refusals(FRONT, NO_CONTENT, urls))
    assert (found or [None] * len(urls)) == expected  # no answers at all: nothing is refused
    assert admission.refusal(FRONT, TRAP) == (None if traps is None else "trap-long-url")
