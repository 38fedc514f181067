"""New pages: only those that this crawl owns, where several share the web."""

from collections.abc import Callable
from pathlib import Path

from support.intakes import intake_of, next_page
from support.sites import rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.urls.keys import hostname
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.reader import open_store

HOSTS = [f"http://h{number}.test/" for number in range(8)]


def is_even(url: str) -> bool:
    return int(hostname(url).removeprefix("h").removesuffix(".test")) % 2 == 0


def crawled(intake: Intake, answer: Callable[[str], tuple[Fetched, ParsedPage]]) -> list[str]:
    """Every page in turn until none waits; the URLs asked for."""
    asked = []
    while (page := next_page(intake.state.frontier, 0.0)) is not None:
        asked.append(intake.state.urls.url(page))
        intake.visits.absorb(page, *answer(asked[-1]), 0.0)
    intake.commit({})
    intake.state.writer.close()
    return asked


def links_to_all(url: str) -> tuple[Fetched, ParsedPage]:
    outlinks = tuple(f"{host}{name}" for host in HOSTS for name in ("", "a", "b"))
    return Fetched(url, status=200, content_type="text/html"), ParsedPage(outlinks, anchors=("",) * len(outlinks))


def test_what_others_own_does_not_become_known_and_is_counted_apart(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    intake = intake_of(store, owns=is_even, scope="any", discovery=1.0, deny=(r"/b$",))
    intake.start(HOSTS, 0.0)
    asked = crawled(intake, links_to_all)
    assert sorted(asked) == sorted(f"{host}{name}" for host in HOSTS[::2] for name in ("", "a"))
    known = {url for (url,) in rows(store, "SELECT url FROM pages")}
    assert known == set(asked)
    # Each of 8 pages has 4 links of hosts of ours to /b, which are denied, as 4 of others are; 8 links lead elsewhere.
    assert (intake.state.tally.left_out, intake.state.tally.elsewhere) == (8 * 8, 8 * 8)
    with open_store(store) as reader:
        assert list(violations(reader)) == []
        assert (reader.meta("links_left_out"), reader.meta("links_elsewhere")) == (64, 64)
