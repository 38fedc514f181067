"""Links beyond --max-depth: followed once a shorter way is found, or a later run goes deeper."""

import itertools
import random
from collections import deque
from pathlib import Path

import pytest
from support.intakes import HOME, Web, crawl_all, intake_of, page_of
from support.sites import faults_in, rows


def within(web: dict[str, list[str]], seeds: list[str], depth: int) -> set[str]:
    """The URLs that so many links from a seed lead to."""
    found, queue = dict.fromkeys(seeds, 0), deque(seeds)
    while queue:
        url = queue.popleft()
        for target in web.get(url, []):
            if target not in found and found[url] < depth:
                found[target] = found[url] + 1
                queue.append(target)
    return set(found)


def random_web(seed: int) -> dict[str, list[str]]:
    """Long ways and short cuts: a page links to the next ones, and some to one far ahead."""
    rng = random.Random(seed)
    urls = [f"{HOME}{number}" for number in range(40)]
    return {
        url: [urls[min(number + 1, 39)]] + ([urls[rng.randrange(40)]] if rng.random() < 0.4 else [])
        for number, url in enumerate(urls)
    }


@pytest.mark.parametrize("seed", range(4))
def test_known_is_what_is_near_enough_in_whatever_order_pages_are_read(tmp_path: Path, seed: int) -> None:
    """Also after the limit was raised, twice; the ways that are found later are shorter."""
    web, store = random_web(seed), tmp_path / "crawl.db"
    seeds = [f"{HOME}0", f"{HOME}20"]
    for depth in (2, 3, 6):
        intake = intake_of(store, max_depth=depth, strategy="random", discovery=1.0)
        intake.start(seeds, 0.0)
        crawl_all(intake, web)
        intake.state.writer.close()
        assert {url for (url,) in rows(store, "SELECT url FROM pages")} == within(web, seeds, depth)
        assert faults_in(store) == []


def test_a_short_cut_brings_nearer_what_is_behind_it(tmp_path: Path) -> None:
    """A page that was read before links to a far one now: what that links to is near enough at once."""
    a, b, c = (f"{HOME}{name}" for name in "abc")
    web: Web = {HOME: [a], a: [b], b: [c]}
    first = intake_of(tmp_path / "crawl.db", max_depth=2, discovery=1.0)
    first.start([HOME], 0.0)
    assert crawl_all(first, web) == [HOME, a, b]
    assert (int(first.state.accounts.depth[page_of(first, b)]), first.state.pages.left_out) == (2, 1)
    first.state.writer.close()
    again = intake_of(tmp_path / "crawl.db", max_depth=2, discovery=0.0, now=9.0)
    again.start([], 9.0)
    crawl_all(again, {**web, HOME: [a, b]}, most=9, clock=itertools.count(9.0))
    assert [int(again.state.accounts.depth[page_of(again, url)]) for url in (HOME, a, b, c)] == [0, 1, 1, 2]
    assert again.state.pages.left_out == 0
    again.state.writer.close()
