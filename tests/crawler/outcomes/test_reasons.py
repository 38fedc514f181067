"""Every reason code has a sentence for people."""

import re
from pathlib import Path

import pytest

import minicrawl
from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.net.tls import REASONS
from minicrawl.crawler.outcomes.reasons import MEANINGS, meaning, why_so
from minicrawl.model import State
from minicrawl.settings import SCOPES, CrawlSettings

SCOPE = Scope.of(CrawlSettings(), ())
# Reason codes as the source has them: behind a state, in tables of exceptions, and those of traps.
_IN_SOURCE = re.compile(
    r"""(?:State\.[A-Z]+,\s|reason=|Error,?\),\s|FetchError\()"([a-z]+(?:-[a-z0-9]+)*)"|"(trap-[a-z-]+)\""""
)


def codes() -> set[str]:
    """The reason codes that the source of the crawl speaks of."""
    files = Path(minicrawl.__file__).parent.joinpath("crawler").rglob("*.py")
    found = {match[1] or match[2] for file in files for match in _IN_SOURCE.finditer(file.read_text("utf-8"))}
    return found | REASONS | {f"scope-{kind}" for kind in SCOPES if kind != "any"}


@pytest.mark.parametrize(
    "reason", sorted(codes() | {"http-404", "http-799", "redirect-301", "redirect-loop", "canonical-scope-site"})
)
def test_every_code_has_a_meaning(reason: str) -> None:
    assert meaning(reason)


@pytest.mark.parametrize("reason", [*MEANINGS, "http-503", "redirect-308", "meta-refresh-trap-long-path"])
def test_a_meaning_is_one_clause(reason: str) -> None:
    text = meaning(reason)
    assert text
    assert text == text.strip()
    assert not text.endswith(".")


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("http-404", "the answer was 404 Not Found"),
        ("http-799", "the answer was 799"),
        ("redirect-301", "it redirects to another page (301 Moved Permanently)"),
        ("redirect-loop", "it redirects, but that leads back here"),
        ("canonical-dead", "it names another page as the one it stands for (rel=canonical), but that is a page where"),
        ("redirect-scope-site", "it redirects, but of that: it is on none of the seeds' sites (--scope site)"),
    ],
)
def test_codes_of_families_say_which_one(reason: str, text: str) -> None:
    assert (meaning(reason) or "").startswith(text)


def test_what_an_alias_made_known_waits() -> None:
    assert meaning("redirect-301", State.WAITING) == (
        "a page that stands for it made it known, and it has had no turn yet"
    )
    assert meaning("http-503", State.WAITING) == "the answer was 503 Service Unavailable"


@pytest.mark.parametrize("reason", ["", "http", "http-", "nonsense", "canonical-nonsense", "redirect-"])
def test_what_is_no_code_has_no_meaning(reason: str) -> None:
    assert meaning(reason) is None


@pytest.mark.parametrize(
    ("reason", "option"),
    [("tls-authority", "--ca-file"), ("private-address", "--allow-private"), ("dns", "--connect-to")],
)
def test_the_option_that_helps_is_named(reason: str, option: str) -> None:
    assert option in (why_so(reason, 1, None, SCOPE, None) or "")


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_what_was_wrong_with_tls_is_told(reason: str) -> None:
    assert why_so(reason, 1, None, SCOPE, None)
