"""Domains that link to sites, against counting links one by one."""

import random

import numpy as np
import pytest

from minicrawl.rank import Graph
from minicrawl.rank.graph import linking_domains


def random_web(seed: int, n: int = 40, sites: int = 6) -> tuple[list[list[int]], list[int]]:
    """Links of every page, some listed twice, and the site of every page."""
    rng = random.Random(seed)
    links = [[rng.randrange(n) for _ in range(rng.randrange(7))] for _ in range(n)]
    return links, [rng.randrange(sites) for _ in range(n)]


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


def test_numbers_beyond_32_bits_do_not_collide() -> None:
    """Of 100,000 sites the last links to the one before."""
    site = np.array([99_999, 99_998], dtype=np.int32)
    assert linking_domains(Graph.from_links([[1], []]), site, site, 100_000)[99_998] == 1
