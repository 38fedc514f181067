"""Walkers that jump to sites in partitions: what all find is what one process finds, whatever dies on the way."""

import random
from collections import Counter, defaultdict
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from support.partitions import Partitions, Web, answer, plain_absorber
from support.sites import rows

from minicrawl.analysis.verify import verify
from minicrawl.cluster.merged import ranked_pages
from minicrawl.cluster.reading.verification import verify_all
from minicrawl.cluster.running.trust_of_all import trust_of_all
from minicrawl.crawler.known.known_sites import is_front
from minicrawl.crawler.urls.keys import hostname, owner_of
from minicrawl.store.reader import open_store


def owner(url: str) -> str:
    return owner_of(hostname(url))


def web_of(seed: int, sites: int = 9) -> tuple[dict[str, list[str] | str], list[str]]:
    """Sites of some pages, some on two hosts, that link to one another; some pages redirect, also to other sites."""
    draw = random.Random(seed)
    urls = [
        f"http://{'www.' if page % 3 == 2 else ''}s{site}.test/{f'p{page}' if page else ''}"
        for site in range(sites)
        for page in range(draw.randrange(1, 12))
    ]
    web: dict[str, list[str] | str] = {}
    for number, url in enumerate(urls):
        own = [other for other in urls if owner(other) == owner(url)]
        links = draw.sample(own, min(len(own), 4)) + draw.sample(urls, draw.choice([0, 0, 1, 3]))
        links += draw.sample(urls, 5) if not number else []
        redirects = number and draw.random() < 0.1 and not is_front(url)
        web[url] = urls[draw.randrange(number)] if redirects else links  # one before it: no chain of these comes back
    return web, urls[:2]


def alone(store: Path, web: Web, seeds: list[str]) -> dict[str, float]:
    """Importance by URL, as one process finds it."""
    absorber = plain_absorber(store, jump="sites")
    absorber.start(seeds, 0.0)
    while (page := absorber.frontier.acquire(0.0)) is not None:
        absorber.visits.absorb(page, *answer(web, absorber.urls.url(page)), 0.0)
    absorber.commit({})
    absorber.settling.settle_fully()
    absorber.commit({})
    absorber.writer.close()
    with open_store(store) as reader:
        assert verify(reader).stored.l1 < 1e-6
    return dict(rows(store, "SELECT url, importance FROM ranks"))


def together(partitions: Partitions) -> dict[str, float]:
    """The same of partitions that have settled, checked against exact PageRank with the jumps of their births."""
    assert partitions.faults() == []
    with ExitStack() as stack:
        stores = [stack.enter_context(open_store(store)) for store in partitions.stores]
        found = verify_all(stores)
        assert max(found.stored.l1, found.settled.l1) < 1e-6
        return {page.url: page.importance for page in ranked_pages(stores)}


def apart(one: dict[str, float], other: dict[str, float]) -> float:
    assert one.keys() == other.keys()
    return sum(abs(share - other[url]) for url, share in one.items())


def linkers(partitions: Partitions) -> dict[str, int]:
    """How many other sites link to each page that any does to, by the links in all stores."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for store in partitions.stores:
        urls = dict(rows(store, "SELECT id, url FROM pages"))
        for source, targets in rows(store, "SELECT source, targets FROM links"):
            for target in np.frombuffer(targets, "<i4").tolist():
                if owner(urls[source]) != owner(urls[target]):
                    found[urls[target]].add(owner(urls[source]))
    return {url: len(sites) for url, sites in found.items()}


def heard(partitions: Partitions) -> dict[str, int]:
    """The same, by what the home of each page counts itself and has heard of others."""
    found: Counter[str] = Counter()
    query = """SELECT url, CASE site WHEN 0 THEN links ELSE 1 END FROM voices JOIN pages ON id = page
               WHERE state <> 'elsewhere'"""
    for store in partitions.stores:
        for url, count in rows(store, query):
            found[url] += count
    return dict(found)


@pytest.mark.parametrize("seed", range(6))
def test_partitions_find_what_one_process_finds(seed: int, tmp_path: Path) -> None:
    web, seeds = web_of(seed)
    expected = alone(tmp_path / "one.db", web, seeds)
    for count in (1, 2, 4):
        (folder := tmp_path / str(count)).mkdir()
        with Partitions(folder, web, seeds, count, jump="sites") as partitions:
            partitions.crawl()
            partitions.share_births_out()
            partitions.settle()
            assert heard(partitions) == linkers(partitions)
            assert apart(together(partitions), expected) < 1e-6, f"{count} partitions"


@pytest.mark.parametrize("seed", range(3))
def test_who_dies_on_the_way_changes_nothing(seed: int, tmp_path: Path) -> None:
    """At any commit, hand-over or share-out; and every partition dies once after the last of them."""
    web, seeds = web_of(seed)
    expected = alone(tmp_path / "one.db", web, seeds)
    rng = random.Random(seed)
    with Partitions(tmp_path, web, seeds, 3, jump="sites") as partitions:
        for step, number in product(range(12), partitions.numbers):
            partitions.turn(number)
            if rng.random() < 0.3:
                partitions.kill(number)
                partitions.start(number)
            if rng.random() < 0.5:
                partitions.commit(number)
            if step % 4 == 3 and number == 0:
                partitions.share_births_out()
            for source in set(partitions.numbers) - {number}:
                if rng.random() < 0.5:
                    last = partitions.take(number, source, partitions.outbox(source).rows(number))
                    if rng.random() < 0.5:
                        partitions.commit(number)
                        partitions.outbox(source).confirm(number, last)
                    elif rng.random() < 0.5:
                        partitions.kill(number)
                        partitions.start(number)
                    else:
                        partitions.commit(number)
            assert partitions.faults() == []
        partitions.crawl()
        partitions.share_births_out()
        for number in partitions.numbers:
            partitions.kill(number)
            partitions.start(number)
        partitions.settle()
        assert heard(partitions) == linkers(partitions)
        assert apart(together(partitions), expected) < 1e-6


def test_link_that_goes_takes_its_voice_from_another_partition(tmp_path: Path) -> None:
    web: dict[str, list[str]] = {"http://a.test/": [f"http://b{at}.test/x" for at in range(8)]}
    web |= {f"http://b{at}.test/x": [] for at in range(8)}
    with Partitions(tmp_path, web, ["http://a.test/"], 2, discovery=0.5, jump="sites") as partitions:
        for _ in range(20):
            partitions.turn(partitions.homes.home_of("http://a.test/"))
        partitions.share_births_out()
        assert heard(partitions) == dict.fromkeys(web.keys() - {"http://a.test/"}, 1)
        web["http://a.test/"] = web["http://a.test/"][:4]
        for _ in range(40):
            for number in partitions.numbers:
                partitions.turn(number)
        partitions.share_births_out()
        assert heard(partitions) == {f"http://b{at}.test/x": 1 for at in range(4)}
        assert partitions.faults() == []


def test_trust_is_that_of_one_graph_whatever_the_numbers_are() -> None:
    """b has links from a in one partition and c in another; each is told its sites in its own order."""
    one = {"names": ["b", "a"], "roots": [1], "source": [1, 0], "target": [0, 1], "links": [3, 1]}
    other = {"names": ["c", "b"], "roots": [], "source": [0], "target": [1], "links": [1]}
    (b, a), (c, b_again) = trust_of_all([one, other])
    assert b == b_again
    assert a > b > c == 0.0
    assert a + b == pytest.approx(1.0)
