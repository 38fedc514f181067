"""The graph of sites against counting links one by one, and against networkx."""

import random
from collections import Counter

import networkx
import numpy as np
import pytest

from minicrawl.rank import Graph, pagerank
from minicrawl.rank.sites import SiteLinks, linking_domains, site_links, sums_by_site


def random_web(seed: int, n: int = 40, sites: int = 6) -> tuple[list[list[int]], list[int]]:
    """Links of every page, some listed twice, and the site of every page."""
    rng = random.Random(seed)
    links = [[rng.randrange(n) for _ in range(rng.randrange(7))] for _ in range(n)]
    return links, [rng.randrange(sites) for _ in range(n)]


def slow_pairs(links: list[list[int]], site: list[int]) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """Links, and linking pages, of every pair of sites."""
    ends = [(page, target) for page, targets in enumerate(links) for target in targets if site[page] != site[target]]
    by_link = Counter((site[page], site[target]) for page, target in ends)
    by_page = Counter((site[page], to) for page, to in {(page, site[target]) for page, target in ends})
    return by_link, by_page


def pairs(found: SiteLinks) -> list[tuple[int, int]]:
    sources = np.repeat(np.arange(found.graph.size), found.graph.outdegrees())
    return list(zip(sources.tolist(), found.graph.targets.tolist(), strict=True))


def test_two_shops_and_a_forum() -> None:
    """Pages 0 and 1 are a shop, 2 and 3 a forum, 4 another shop; links within a site do not count."""
    links = [[1, 4], [0], [0, 1, 3, 4], [0, 2], []]
    site = np.array([0, 0, 1, 1, 2])
    found = site_links(Graph.from_links(links), site)
    assert pairs(found) == [(0, 2), (1, 0), (1, 2)]
    assert (found.links.tolist(), found.pages.tolist()) == ([1, 3, 1], [1, 2, 1])
    assert found.linking().tolist() == [1, 0, 2]
    assert sums_by_site(np.array([0.5, 0.25, 0.125, 0.125, 0.0]), site).tolist() == [0.75, 0.25, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_links_between_sites_are_those_counted_one_by_one(seed: int) -> None:
    links, site = random_web(seed)
    found = site_links(Graph.from_links(links), np.array(site, dtype=np.int32))
    by_link, by_page = slow_pairs(links, site)
    assert pairs(found) == sorted(by_link)
    assert dict(zip(pairs(found), found.links.tolist(), strict=True)) == by_link
    assert dict(zip(pairs(found), found.pages.tolist(), strict=True)) == by_page


@pytest.mark.parametrize("weights", ["none", "links", "pages"])
@pytest.mark.parametrize("seed", range(4))
def test_importance_of_sites_is_that_of_networkx(seed: int, weights: str) -> None:
    links, site = random_web(seed)
    by_link, by_page = slow_pairs(links, site)
    weight = {"none": dict.fromkeys(by_link, 1), "links": by_link, "pages": by_page}[weights]
    drawn: networkx.DiGraph[int] = networkx.DiGraph()
    drawn.add_nodes_from(range(6))
    drawn.add_weighted_edges_from((source, target, weight[source, target]) for source, target in weight)
    expected = networkx.pagerank(drawn, tol=1e-15, max_iter=1000)
    found = site_links(Graph.from_links(links), np.array(site), 6)
    ranks = pagerank(found.graph, weights={"none": None, "links": found.links, "pages": found.pages}[weights])
    assert ranks == pytest.approx([expected[site] for site in range(6)], abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_a_domain_has_one_voice_however_many_hosts_it_has(seed: int) -> None:
    """Pages of nine hosts, three to a domain."""
    links, host = random_web(seed, sites=9)
    domain = [host // 3 for host in host]
    voices = {
        (domain[page], host[target])
        for page, targets in enumerate(links)
        for target in targets
        if domain[page] != domain[target]
    }
    expected = [sum(to == host for _, to in voices) for host in range(9)]
    graph = Graph.from_links(links)
    assert linking_domains(graph, np.array(host), np.array(domain), 9).tolist() == expected


def test_sites_without_links_are_there() -> None:
    found = site_links(Graph.from_links([[1], [0]]), np.array([0, 0]), 3)
    assert (found.graph.size, found.linking().tolist()) == (3, [0, 0, 0])
    assert site_links(Graph.from_links([]), np.zeros(0, dtype=np.int64)).graph.size == 0


def test_numbers_beyond_32_bits_do_not_collide() -> None:
    """Of 100,000 sites the last links to the one before."""
    site = np.array([99_999, 99_998], dtype=np.int32)
    found = site_links(Graph.from_links([[1], []]), site)
    assert pairs(found) == [(99_999, 99_998)]
    assert linking_domains(Graph.from_links([[1], []]), site, site)[99_998] == 1


@pytest.mark.parametrize(
    ("site", "sites", "message"),
    [([0], 1, "every one of 2 pages is on one site"), ([0, 2], 2, "from 0 to 1"), ([0, -1], None, "from 0 to 0")],
)
def test_pages_without_a_site_are_refused(site: list[int], sites: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        site_links(Graph.from_links([[1], []]), np.array(site), sites)
