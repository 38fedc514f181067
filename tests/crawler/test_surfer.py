"""What a crawl makes of the places of links: its ranking is weighted PageRank, also when they change."""

import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
from support.sites import HOME, Server, Site, canonical, crawl, rows

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.verify import verify
from minicrawl.crawler.books.invariants import violations
from minicrawl.opic.surfer import REASONABLE, UNIFORM, Surfer
from minicrawl.store.reader import open_store

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
        return folded_store(reader).importance(surfer)


def assert_sound(store: Path) -> None:
    """The books belong to the links, and the ranking is that of the reasonable surfer."""
    with open_store(store) as reader:
        assert list(violations(reader)) == []
        found = verify(reader)
    assert found.stored.l1 <= 2e-6
    assert found.excess() <= 0
    assert np.abs(importance(store) - exact(store, REASONABLE)).sum() <= 2e-6


def test_importance_is_pagerank_of_the_reasonable_surfer_while_pages_and_places_change(store: Path) -> None:
    """Pages fetched again, with other links in other places."""
    draw = random.Random(1)
    server = Server(framed_site(1))
    crawl(server, store, [HOME])
    assert_sound(store)
    assert np.abs(importance(store) - exact(store, UNIFORM)).sum() > 0.01
    for _ in range(3):
        changed = framed_site(draw.randrange(10**6))
        server.site |= {page: reply for page, reply in changed.items() if draw.random() < 0.5}
        crawl(server, store, [], discovery=0.0, pages=50)
        assert_sound(store)
