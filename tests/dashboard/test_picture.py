"""The picture of pages and hosts, and its layout."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, random_site, rows

from minicrawl.dashboard.picture import laid_out, picture_of_hosts, picture_of_pages, picture_of_sites
from minicrawl.errors import StoreError
from minicrawl.sizes import Sizes
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("n", [0, 1, 60])
def test_all_nodes_stand_in_the_picture_and_stay_there(n: int) -> None:
    rng = np.random.default_rng(3)
    links = rng.integers(0, n, (2 * n, 2)) if n else np.empty((0, 2), np.int64)
    places = laid_out(n, links)
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    assert ((places >= 0) & (places <= 1)).all()
    assert (laid_out(n, links) == places).all()


def test_two_groups_stand_apart() -> None:
    """Two rings of ten with all links within: each node is nearer to its own group's middle than to the other's."""
    within = [(group * 10 + a, group * 10 + b) for group in (0, 1) for a in range(10) for b in range(a)]
    places = laid_out(20, np.array([*within, (0, 10)]))
    middles = places.reshape(2, 10, 2).mean(axis=1)
    for node, place in enumerate(places):
        own, other = middles[node // 10], middles[1 - node // 10]
        assert np.linalg.norm(place - own) < np.linalg.norm(place - other)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "crawl.db"
    site, seeds = random_site(5)
    crawl(site, path, seeds)
    return path


def all_links(store: Path) -> list[tuple[int, int]]:
    with open_store(store) as reader:
        numbers = [number for (number,) in rows(store, "SELECT source FROM links")]
        return [(page, int(target)) for page in numbers for target in reader.link_table.outlinks(page)]


def test_pages_have_their_links(store: Path) -> None:
    found = picture_of_pages(store)
    names = [node["url"] for node in found["nodes"]]
    weights = [node["weight"] for node in found["nodes"]]
    assert weights == sorted(weights, reverse=True)
    urls = dict(rows(store, "SELECT id, url FROM pages"))
    expected = {
        (urls[source], urls[target])
        for source, target in all_links(store)
        if source != target and urls[source] in names and urls[target] in names
    }
    assert {(names[source], names[target]) for source, target, _ in found["links"]} == expected
    assert found["all_links"] == len(expected) > 20
    assert {number for _, _, number in found["links"]} == {1}


def test_hosts_have_the_links_between_their_pages(store: Path) -> None:
    found = picture_of_hosts(store)
    names = [node["name"] for node in found["nodes"]]
    hosts = dict(rows(store, "SELECT pages.id, name FROM pages JOIN hosts ON hosts.id = host"))
    expected = Counter((hosts[source], hosts[target]) for source, target in all_links(store))
    expected = Counter({pair: number for pair, number in expected.items() if pair[0] != pair[1]})
    assert {(names[source], names[target]): number for source, target, number in found["links"]} == expected
    weights = dict(
        rows(
            store,
            "SELECT name, sum(importance) FROM ranks JOIN pages USING (id) JOIN hosts ON hosts.id = host GROUP BY 1",
        )
    )
    assert {node["name"]: pytest.approx(node["weight"]) for node in found["nodes"]} == weights


@pytest.mark.parametrize("pictured", [7, 1_000])
def test_links_of_hosts_are_read_of_so_many_pages_at_most(store: Path, pictured: int) -> None:
    found = picture_of_hosts(store, Sizes(pictured=pictured))
    asked = rows(store, "SELECT sum(state <> 'waiting') FROM pages")[0][0]
    assert found["apart"] == -(-asked // pictured)
    names = [node["name"] for node in found["nodes"]]
    hosts = dict(rows(store, "SELECT pages.id, name FROM pages JOIN hosts ON hosts.id = host"))
    links = [(hosts[one], hosts[other]) for one, other in all_links(store) if one % found["apart"] == 0]
    expected = Counter((one, other) for one, other in links if one != other)
    assert {(names[source], names[target]): number for source, target, number in found["links"]} == expected


def test_sites_have_their_trust_else_the_importance_of_their_pages(store: Path, tmp_path: Path) -> None:
    found = picture_of_sites(store)
    names = [node["name"] for node in found["nodes"]]
    assert found["by"] == "trust"
    trust = dict(rows(store, "SELECT name, trust FROM sites WHERE trust > 0"))
    assert {node["name"]: node["weight"] for node in found["nodes"]} == pytest.approx(trust)
    assert {(names[source], names[target]) for source, target, _ in found["links"]}
    alike = tmp_path / "crawl.db"
    site = {"http://www.a.test/": ["http://b.test/", "http://x.a.test/"], "http://b.test/": ["http://www.a.test/"]}
    crawl({**site, "http://x.a.test/": []}, alike, ["http://www.a.test/"], jump="pages")
    found = picture_of_sites(alike)
    names = [node["name"] for node in found["nodes"]]
    assert (found["by"], sorted(names)) == ("importance", ["a.test", "b.test"])
    assert sorted((names[source], names[target], number) for source, target, number in found["links"]) == [
        ("a.test", "b.test", 1),
        ("b.test", "a.test", 1),
    ]
    of_hosts = {node["name"]: node["weight"] for node in picture_of_hosts(alike)["nodes"]}
    assert found["nodes"][names.index("b.test")]["weight"] == pytest.approx(of_hosts["b.test"])
    assert sum(node["weight"] for node in found["nodes"]) == pytest.approx(1)


def test_of_nothing_there_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl at"):
        picture_of_pages(tmp_path / "none.db")
    crawl({"http://a.test/": 500}, tmp_path / "crawl.db", ["http://a.test/"])
    assert picture_of_pages(tmp_path / "crawl.db")["nodes"] == []
