"""What a crawl makes of the places of links: its ranking is weighted PageRank, whoever it lets weigh them, and when."""

import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.sites import Server, Site, canonical, crawl, rows

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.verify import verify
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.intake import Intake
from minicrawl.opic import STRATEGIES
from minicrawl.opic.surfer import REASONABLE, SURFERS, UNIFORM, Surfer
from minicrawl.rank import pagerank
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

HOME = "http://a.test/"
IN_TEXT, IN_LIST, IN_NAVIGATION = (
    '<p>More about it <a href="{}">here</a>, as we said.</p>',
    '<ul><li><a href="{}">it</a></li></ul>',
    '<nav><a href="{}">home</a></nav>',
)


def url(page: int) -> str:
    return f"{HOME}{page}" if page else HOME


def framed_site(seed: int, size: int = 60) -> Site:
    """Pages with links in text, lists and navigation; some redirect, some name another as canonical, some are lost."""
    draw = random.Random(seed)
    site: Site = {}
    for page in range(size):
        if page % 10 == 7:
            site[url(page)] = url(draw.randrange(page)) if page % 20 == 7 else 404
            continue
        links = [
            form.format(url(draw.randrange(size))) for form in (IN_TEXT, IN_LIST) for _ in range(draw.randrange(4))
        ]
        links += [IN_NAVIGATION.format(url(draw.randrange(6))) for _ in range(draw.randrange(5))]
        to_next = draw.choice([IN_TEXT, IN_NAVIGATION]).format(url(page + 1))
        head = [canonical(url(draw.randrange(page)))] if page % 10 == 3 else []
        site[url(page)] = [*head, f"<h1>{page}</h1>", *links, to_next]
    return site


def importance(store: Path) -> npt.NDArray[np.float64]:
    return np.array([value for (value,) in rows(store, "SELECT importance FROM ranks ORDER BY id")])


def exact(store: Path, surfer: Surfer) -> npt.NDArray[np.float64]:
    with open_store(store) as reader:
        folded = folded_store(reader)
        return pagerank(folded.graph, preference=folded.jump, weights=folded.weights(surfer))


def assert_sound(store: Path, surfer: Surfer) -> None:
    """The books belong to the links, and the ranking is that of this surfer."""
    with open_store(store) as reader:
        assert list(violations(reader)) == []
        found = verify(reader)
    assert found.surfer == surfer.name
    assert found.stored.l1 <= 2e-6
    assert found.excess() <= 0
    assert np.abs(importance(store) - exact(store, surfer)).sum() <= 2e-6


@pytest.mark.parametrize("name", SURFERS)
def test_importance_is_pagerank_of_the_surfer_that_is_asked_for(tmp_path: Path, name: str) -> None:
    store = tmp_path / "crawl.db"
    crawl(framed_site(0), store, [HOME], surfer=name)
    assert_sound(store, SURFERS[name])
    (other,) = [surfer for surfer in (UNIFORM, REASONABLE) if surfer.name != name]
    assert np.abs(importance(store) - exact(store, other)).sum() > 0.01


def test_reasonable_is_the_default_and_the_store_remembers_another(tmp_path: Path) -> None:
    store, other = tmp_path / "crawl.db", tmp_path / "other.db"
    crawl(framed_site(1), store, [HOME], pages=10)
    crawl(framed_site(1), other, [HOME], pages=10, surfer="uniform")
    for one in (store, other):
        crawl(framed_site(1), one, [])
    assert_sound(store, REASONABLE)
    assert_sound(other, UNIFORM)


def test_another_surfer_ranks_what_is_stored_anew_without_a_request(tmp_path: Path) -> None:
    store, other = tmp_path / "crawl.db", tmp_path / "other.db"
    same_order = {"strategy": "breadth-first"}
    crawl(framed_site(2), store, [HOME], pages=25, **same_order)
    crawl(framed_site(2), other, [HOME], pages=25, surfer="uniform", **same_order)
    report, server = crawl(framed_site(2), store, [], surfer="uniform", time=1e-9)
    assert server.asked == []
    assert_sound(store, UNIFORM)
    assert importance(store) == pytest.approx(importance(other), abs=2e-6)
    assert report.coverage == pytest.approx(crawl({}, other, [], time=1e-9)[0].coverage, abs=1e-3)
    crawl(framed_site(2), store, [], surfer="reasonable", time=1e-9)
    assert_sound(store, REASONABLE)


def test_crash_between_the_change_and_its_commit_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(framed_site(3), store, [HOME])
    before = rows(store, "SELECT * FROM pages")
    writer = Writer(store)
    intake = Intake(writer, CrawlSettings(surfer="uniform"), STRATEGIES["greedy"], 0.0)
    intake.ranking.let_weigh(UNIFORM)
    assert intake.state.accounts.book.surfer == UNIFORM
    writer.close()
    assert rows(store, "SELECT * FROM pages") == before
    assert_sound(store, REASONABLE)


def test_books_hold_while_pages_surfers_and_places_change(tmp_path: Path) -> None:
    """Pages fetched again, with other links in other places, between runs by several surfers."""
    store, draw = tmp_path / "crawl.db", random.Random(1)
    server = Server(framed_site(1))
    crawl(server, store, [HOME])
    for surfer in ("uniform", "reasonable", "uniform"):
        changed = framed_site(draw.randrange(10**6))
        server.site |= {page: reply for page, reply in changed.items() if draw.random() < 0.5}
        crawl(server, store, [], discovery=0.0, pages=50, surfer=surfer)
        assert_sound(store, SURFERS[surfer])
