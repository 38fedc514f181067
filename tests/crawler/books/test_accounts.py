"""Depths, in-links and chains of aliases, against a slow look at all links there are; and who has to be written."""

import random
from collections import deque

import numpy as np
import pytest

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.opic.coverage import PageKind
from minicrawl.store.links import LinkGraph, PlacedLinks

PAGES = 40


def links(targets: list[int]) -> PlacedLinks:
    return PlacedLinks(np.array(targets, dtype=np.int32))


class Model:
    """Links as plain lists."""

    def __init__(self) -> None:
        self.outlinks: dict[int, list[int]] = {}
        self.aliases: set[int] = set()

    def inlinks(self) -> list[int]:
        targets = [target for targets in self.outlinks.values() for target in targets]
        return [targets.count(page) for page in range(PAGES)]

    def depths(self, noted: list[int]) -> list[int]:
        """The least over all paths from pages at these depths; a link is one step, an alias none."""
        found = list(noted)
        queue = deque(sorted(range(PAGES), key=found.__getitem__))
        while queue:
            page = queue.popleft()
            for target in self.outlinks.get(page, []):
                depth = found[page] + (page not in self.aliases)
                if depth < found[target]:
                    found[target] = depth
                    queue.append(target)
        return found


def random_turns(accounts: Accounts, seed: int, turns: int) -> Model:
    model, rng = Model(), random.Random(seed)
    for _ in range(turns):
        page = rng.randrange(PAGES)
        old = model.outlinks.get(page, [])
        later = range(page + 1, PAGES)  # aliases that lead on only: no loop closes
        if later and rng.random() < 0.3:
            outlinks, kind = [rng.choice(later)], PageKind.ALIAS
            model.aliases.add(page)
        else:
            outlinks, kind = (
                rng.sample([other for other in range(PAGES) if other != page], rng.randrange(6)),
                PageKind.PAGE,
            )
            model.aliases.discard(page)
        accounts.visit(page, links(outlinks), links(old), kind)
        model.outlinks[page] = outlinks
    return model


@pytest.fixture
def accounts() -> Accounts:
    accounts = Accounts()
    accounts.discover(0, 2)
    for _ in range(2, PAGES):
        accounts.discover(9)
    return accounts


def test_inlinks_and_depths_are_those_of_all_links(accounts: Accounts) -> None:
    model = random_turns(accounts, 1, 200)
    assert accounts.inlinks[:PAGES].tolist() == model.inlinks()
    sources = sorted(model.outlinks)
    counts = [len(model.outlinks[page]) for page in sources]
    graph = LinkGraph(
        np.array(sources, dtype=np.int64),
        np.concatenate([[0], np.cumsum(counts)]),
        links([target for page in sources for target in model.outlinks[page]]).targets.astype(np.int32),
        PAGES,
    )
    noted = accounts.depth[:PAGES].tolist()
    accounts.shorten(lambda: [graph.rows(some) for some in np.array_split(np.arange(len(sources)), 5)])
    # Links that are gone may have brought a page nearer than those that are left, and nobody is brought farther.
    assert accounts.depth[:PAGES].tolist() == model.depths(noted)


def test_no_cash_is_lost_over_any_turns(accounts: Accounts) -> None:
    model = random_turns(accounts, 2, 300)
    book = accounts.book
    assert int(book.cash_of(slice(0, PAGES)).sum()) + book.virtual == book.births
    assert accounts.turns == len(model.outlinks)
    assert np.flatnonzero(accounts.had_turn[:PAGES]).tolist() == sorted(model.outlinks)
