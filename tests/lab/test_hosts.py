"""Hosts are read from URLs, or guessed from the links."""

import numpy as np
import pytest

from minicrawl.lab.hosts import hosts_by_locality, hosts_of
from minicrawl.rank import Graph

pytestmark = pytest.mark.slow  # all of them wait for compiled loops


def test_hosts_are_those_of_the_urls() -> None:
    graph = Graph.from_links([[1], [2], [0]])
    urls = ["http://b.test/1", "https://a.test:81/", "http://b.test/2"]
    assert hosts_of(graph, urls).tolist() == [0, 1, 0]
    assert hosts_of(graph, ["Rome", "Paris", "http://b.test/2"]).tolist() == [0, 0, 0]
    assert hosts_of(graph, None).tolist() == [0, 0, 0]


@pytest.mark.parametrize("sizes", [[50, 50], [400, 30, 120, 30], [600]])
def test_hosts_are_found_as_ranges_with_few_links_between_them(sizes: list[int]) -> None:
    """Five links a page, one in twenty of them to a page anywhere."""
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    begins = np.cumsum([0, *sizes])
    links = []
    for page, host in enumerate(truth):
        inside = rng.integers(begins[host], begins[host + 1], 5)
        targets = np.where(rng.random(5) < 0.05, rng.integers(0, len(truth), 5), inside)
        links.append(sorted(set(targets.tolist()) - {page}))
    assert (hosts_by_locality(Graph.from_links(links)) == truth).mean() > 0.98


def test_pages_without_links_are_one_host() -> None:
    assert hosts_by_locality(Graph.from_links([[], [], []])).tolist() == [0, 0, 0]
