"""A crawl that respects a use: what its sites forbid is not fetched."""

from functools import partial
from pathlib import Path

import pytest
from support.preferring import FREE, HOME, SIGNAL, SITE, preferring
from support.sites import crawl, faults_in, rows

from minicrawl.analysis.explain import explain
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

OK, REFUSED, FORBIDDEN = ("fetched", "ok"), ("disallowed", "usage"), ("disallowed", "robots")
respecting = partial(crawl, respect_usage="ai-train", timing=Timing(robots_retry=0.001), traps=False)


def states(store: Path) -> dict[str, tuple[str, str]]:
    assert faults_in(store) == []
    return {url: (state, reason) for url, state, reason in rows(store, "SELECT url, state, reason FROM pages")}


def why(store: Path, url: str) -> str | None:
    with open_store(store) as reader:
        return explain(reader, url).rule


ONE_REFUSED = {url: REFUSED if url == FREE else OK for url in SITE}


@pytest.mark.parametrize("line", ["Content-Usage: /free train-ai=n", "Content-Signal: /free ai-train=no"])
def test_what_robots_txt_forbids_is_not_fetched(store: Path, line: str) -> None:
    server = preferring(robots=f"User-agent: *\n{line}")
    respecting(server, store, [HOME])
    assert states(store) == ONE_REFUSED
    assert FREE not in server.asked
    assert why(store, FREE) == f"'{line}' of {HOME}robots.txt"


@pytest.mark.parametrize(
    ("respected", "refused"),
    [((), []), ("search", [SIGNAL]), ("ai-input", []), (("search", "ai-train"), [SIGNAL, FREE]), ("ai-train", [FREE])],
)
def test_only_uses_that_are_respected_count(store: Path, respected: str | tuple[str, ...], refused: list[str]) -> None:
    server = preferring(robots="User-agent: *\nContent-Usage: /signal search=n\nContent-Usage: /free train-ai=n")
    respecting(server, store, [HOME], respect_usage=respected)
    assert states(store) == {url: REFUSED if url in refused else OK for url in SITE}


def test_what_robots_txt_forbids_stays_forbidden(store: Path) -> None:
    """A preference that allows a use widens nothing, and what may not be fetched has none."""
    robots = "User-agent: *\nContent-Usage: train-ai=y\nDisallow: /free\nContent-Usage: /free train-ai=n\n"
    server = preferring(robots=robots, headers={FREE: [("Content-Usage", "train-ai=y")]})
    respecting(server, store, [HOME])
    assert states(store) == {url: FORBIDDEN if url == FREE else OK for url in SITE}
    assert FREE not in server.asked


def test_a_use_is_respected_by_what_robots_txt_says(store: Path) -> None:
    with pytest.raises(SettingError, match=r"^--respect-usage needs robots\.txt, and --ignore-robots ignores it"):
        respecting(preferring(), store, [HOME], ignore_robots=True)
    refusal = r"^--respect-usage is one of search, ai-input, ai-train, not 'train'; did you mean 'ai-train'\?$"
    with pytest.raises(SettingError, match=refusal):
        respecting(preferring(), store, [HOME], respect_usage="ai-train,train")
