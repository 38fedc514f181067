"""Seeds out of the stores of real crawls."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, random_site, rows

from minicrawl.analysis.seeding import DEPTHS, crawled_web, decided, reached
from minicrawl.rank.seeds import extract_seeds
from minicrawl.store.reader import open_store


def test_measures_are_those_of_a_plain_search(tmp_path: Path) -> None:
    """What each set of seeds reaches: by following links page by page, with importance as the store has it."""
    seed = 1
    web, seeds = random_site(seed, pages=120, hosts=12)
    store = tmp_path / "crawl.db"
    crawl(web, store, seeds)
    importance = dict(rows(store, "SELECT url, importance FROM ranks"))
    with open_store(store) as reader:
        crawled = crawled_web(reader)
        urls = list(reader.page_table.urls())
    found = [core.seed for core in extract_seeds(crawled.graph, crawled.places, 6)]
    drawn = [np.random.default_rng(number).choice(crawled.fetched, 6, replace=False) for number in range(3)]

    def levels(start: list[str]) -> list[set[str]]:
        seen, level, found = set(start), set(start), []
        for _ in range(DEPTHS + 1):
            found.append(level)
            level = {link for page in level for link in web[page]} - seen
            seen |= level
        return found

    assert len(found) >= 3
    at_each = reached(crawled.graph, crawled.ranks(), [np.array(found)])
    for pages, count, mass in zip(levels([urls[page] for page in found]), *at_each, strict=True):
        assert count == len(pages)
        assert mass / len(importance) == pytest.approx(sum(importance[page] for page in pages), abs=1e-5)
    starts = [[urls[page] for page in pages] for pages in drawn]
    for depth, count in enumerate(reached(crawled.graph, crawled.ranks(), drawn)[0]):
        assert count == pytest.approx(np.mean([len(levels(start)[depth]) for start in starts]))


def test_claims_are_decided_by_what_was_measured() -> None:
    """All fail against sets that are just as good, but for the distance; all hold against worse ones."""
    same, apart = (np.arange(2.0, 7.0), np.ones(5)), (3.0, 0.5)
    worse = same[0] - 1, same[1] / 9
    for others, held in ((same, [False, False, True, False]), (worse, [True, True, True, True])):
        assert [claim.held for claim in decided(same, others, 9.0, apart, apart)] == held
