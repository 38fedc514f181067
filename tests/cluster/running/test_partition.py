"""Partitions that crawl over HTTP: what they find together is what one process finds."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.live_partitions import Crawled, crawl_together
from support.sites import rows

from minicrawl.api import acrawl
from minicrawl.cluster.homes import Homes
from minicrawl.cluster.running.partition import seconds_apart
from minicrawl.demo.server import serving
from minicrawl.demo.web import DemoWeb
from minicrawl.settings import ConnectTo

WEB = DemoWeb.generate(seed=3, hosts=8, pages=150)
SETTINGS: dict[str, Any] = dict.fromkeys(("traps", "sitemaps", "probe"), False)
SETTINGS |= {"allow_private": True, "delay": 0.0, "scope": "any"}


def crawled(folder: Path, count: int, *, breaks: tuple[int, ...] = (), loss: float = 0.0) -> Crawled:
    """breaks: after how many answers a run is broken off, and goes on as another."""

    async def crawl() -> Crawled:
        async with serving(WEB) as port:
            settings = {**SETTINGS, "connect_to": (ConnectTo(None, None, "127.0.0.1", port),)}
            for most in breaks:
                part = await crawl_together(folder, WEB.seeds, count, settings, loss=loss, most=most)
                assert part.faults() == []
            return await crawl_together(folder, WEB.seeds, count, settings, loss=loss)

    return asyncio.run(crawl())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, ...]]:
    """What one process finds: state, in-links, depth and importance by URL."""
    store = tmp_path_factory.mktemp("alone") / "crawl.db"

    async def crawl() -> None:
        async with serving(WEB) as port:
            mapping = (ConnectTo(None, None, "127.0.0.1", port),)
            await acrawl(WEB.seeds, store, connect_to=mapping, **SETTINGS)

    asyncio.run(crawl())
    return {
        url: tuple(values) for url, *values in rows(store, "SELECT url, state, inlinks, depth, importance FROM ranks")
    }


@pytest.mark.parametrize(
    ("count", "breaks", "loss"),
    [
        (2, (), 0.0),
        pytest.param(1, (), 0.0, marks=pytest.mark.slow),
        pytest.param(4, (), 0.0, marks=pytest.mark.slow),
        pytest.param(3, (10, 40, 30), 0.0, marks=pytest.mark.slow),
        pytest.param(3, (60,), 0.3, marks=pytest.mark.slow),
    ],
)
def test_partitions_find_what_one_process_finds(
    count: int, breaks: tuple[int, ...], loss: float, alone: dict[str, tuple[Any, ...]], tmp_path: Path
) -> None:
    found = crawled(tmp_path, count, breaks=breaks, loss=loss)
    assert found.faults() == []
    assert found.pages("state, inlinks, depth") == {url: values[:3] for url, values in alone.items()}
    importance = found.importance()
    assert sum(abs(importance[url] - values[3]) for url, values in alone.items()) <= 1e-6
    for number, store in enumerate(found.stores):
        asked = rows(store, "SELECT url FROM pages WHERE fetch IS NOT NULL") + rows(store, "SELECT origin FROM robots")
        homes = Counter(Homes(count, b"a secret").home_of(url) for (url,) in asked)
        assert set(homes) <= {number}, "a host is asked by its home alone"


@pytest.mark.parametrize(
    ("so_far", "apart"), [(0, 0.5), (150, 0.5), (300, 1.0), (600, 2.0), (86_400, 2.0)], ids=lambda value: f"{value} s"
)
def test_hand_overs_are_a_three_hundredth_of_the_crawl_apart_between_half_a_second_and_two(
    so_far: float, apart: float
) -> None:
    assert seconds_apart(so_far) == apart
