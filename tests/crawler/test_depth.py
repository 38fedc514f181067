"""Depth is the least over all paths, whatever the order of the crawl, and --max-depth means just that."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.sites import HOME, Reply, Site, crawl, faults_in, random_site, rows

from minicrawl.store.reader import open_store


def distances(site: Mapping[str, Reply], seeds: list[str]) -> dict[str, int]:
    """Links from the seeds to every URL, step by step; a redirect is none."""
    found = dict.fromkeys(seeds, 0)
    changed = True
    while changed:
        changed = False
        for url, depth in list(found.items()):
            said = site.get(url, 404)
            targets = [said] if isinstance(said, str) else said if isinstance(said, list) else []
            for target in targets:
                reach = depth + isinstance(said, list)
                if reach < found.get(target, 10**9):
                    found[target] = reach
                    changed = True
    return found


def depths(store: Path) -> dict[str, int]:
    assert faults_in(store) == []
    return dict(rows(store, "SELECT url, depth FROM pages"))


def winding_site(seed: int) -> tuple[Site, list[str]]:
    """A random site with long ways and short cuts, and a few redirects."""
    rng = random.Random(seed)
    urls = [f"http://h{rng.randrange(3)}.test/{page}" for page in range(40)]
    site: Site = {}
    for number, url in enumerate(urls[:-1]):
        links = [urls[number + 1], *(rng.choices(urls, k=1) if rng.random() < 0.5 else [])]
        site[url] = [link for link in dict.fromkeys(links) if link != url]
    for url in rng.sample(urls[1:-1], 6):
        site[url] = urls[urls.index(url) + 1]
    return site, urls[:1]


@pytest.mark.parametrize(("seed", "strategy"), [(0, "greedy"), (1, "random")])
def test_depth_is_the_distance_from_the_seeds(store: Path, seed: int, strategy: str) -> None:
    webs: list[tuple[Mapping[str, Reply], list[str]]] = [winding_site(seed), random_site(seed)]
    for site, seeds in webs:
        store.unlink(missing_ok=True)
        crawl(site, store, seeds, strategy=strategy)
        assert depths(store) == distances(site, seeds)


@pytest.mark.parametrize(("max_depth", "pages"), [(0, None), (3, 4), (6, None)])
def test_max_depth_lets_in_all_that_is_near_enough_in_any_order(store: Path, max_depth: int, pages: int | None) -> None:
    """A page that was first found on a long way, and read, may turn out to be nearer: then more is followed."""
    site, seeds = winding_site(1)
    expected = {url: depth for url, depth in distances(site, seeds).items() if depth <= max_depth}
    for _ in range(30):
        report, _ = crawl(site, store, seeds, strategy="random", max_depth=max_depth, pages=pages)
        if report.reason == "nothing-left":
            break
    assert depths(store) == expected


def test_what_a_later_short_cut_brings_within_reach_is_followed(store: Path) -> None:
    """Through pages that were read long ago, be they redirects, or pages that call others canonical."""
    a, b, c, moved, far, cut = (f"{HOME}{name}" for name in ("a", "b", "c", "moved", "far", "cut"))
    site: Site = {HOME: [a], a: [moved], moved: b, b: [c], c: [f'<link rel="canonical" href="{a}">', far], cut: [moved]}
    crawl(site, store, [HOME], max_depth=3)
    assert depths(store) == {HOME: 0, a: 1, moved: 2, b: 2, c: 3}
    crawl(site, store, [cut], max_depth=3)
    assert depths(store) == {HOME: 0, a: 1, moved: 1, b: 1, c: 2, far: 3, cut: 0}


@pytest.mark.parametrize("max_depth", [3, None])
def test_known_page_becomes_a_seed_when_it_is_given_as_one(tmp_path: Path, max_depth: int | None) -> None:
    """The crawl ends as if it had been one from the beginning."""
    late, early = tmp_path / "late.db", tmp_path / "early.db"
    site, seeds = winding_site(3)
    crawl(site, late, seeds, max_depth=max_depth)
    further = [*seeds, max(depths(late), key=lambda url: depths(late)[url])]
    for store in (late, early):
        crawl(site, store, further, max_depth=max_depth)
        expected = {url: depth for url, depth in distances(site, further).items() if depth <= (max_depth or 99)}
        assert depths(store) == expected
    importance = []
    for store in (late, early):
        with open_store(store) as reader:
            importance.append({page.url: page.importance for page in reader.pages()})
    assert sum(abs(importance[0][url] - importance[1][url]) for url in expected) < 1e-6


@pytest.mark.parametrize("further", [4, None])
def test_a_crawl_goes_on_where_a_smaller_max_depth_ended_it(store: Path, further: int | None) -> None:
    site, seeds = winding_site(1)
    crawl(site, store, seeds, max_depth=2)
    _, server = crawl(site, store, [], max_depth=further)
    assert depths(store) == {url: depth for url, depth in distances(site, seeds).items() if depth <= (further or 99)}
    assert len(server.asked) == len(set(server.asked))
    if further is None:
        assert rows(store, "SELECT count(*) FROM links WHERE too_deep IS NOT NULL") == [(0,)]
