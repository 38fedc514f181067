"""Requests that are begun: as many as there is room for, and as the limits of now allow."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sites import html
from support.skipping import looks, run_apart
from support.steering import HOME, Steered, pages, steered, wide

from minicrawl.api import acrawl


@pytest.mark.parametrize(("before", "after"), [(1, 6), (6, 1)])
def test_requests_at_once(tmp_path: Path, before: int, after: int) -> None:
    server = Steered(wide(60))

    async def main() -> None:
        settings = {"delay": 0, "concurrency": before, "per_host": 50}
        async with steered(server, tmp_path / "crawl.db", **settings) as crawl:
            await server.until(10)
            assert server.most == before
            await crawl.adjust(concurrency=after)
            await server.until(20)
            server.most = 0
        assert server.most == after

    run_apart(main())


def test_requests_at_once_per_host(tmp_path: Path) -> None:
    server = Steered(wide(60))

    async def main() -> None:
        async with steered(server, tmp_path / "crawl.db", delay=0, per_host=4) as crawl:
            await server.until(10)
            assert server.most == 4
            await crawl.adjust(per_host=2)
            await server.until(20)
            server.most = 0
        assert server.most == 2

    run_apart(main())


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"pages": 7}, "pages"),
        ({"time": 8}, "time"),
        ({"bytes": 1500}, "bytes"),
        ({"until_coverage": 0.75}, "coverage"),
    ],
)
def test_limits_are_set_and_taken_away(tmp_path: Path, limit: dict[str, Any], reason: str) -> None:
    """A limit that was given at the start and is taken away holds nobody; one that is given later does."""
    server = Steered({HOME: pages(40)} | {url: [HOME] for url in pages(40)})

    async def main(first: dict[str, Any], then: dict[str, Any], asked: int) -> str:
        async with steered(server, tmp_path / f"{asked}.db", delay=1, **first) as crawl:
            await server.until(asked)
            await crawl.adjust(**then)
            assert crawl.status.limits._asdict() == dict.fromkeys(crawl.status.limits._fields) | then
            return (await crawl.finished()).reason

    assert run_apart(main({}, limit, 2)) == reason
    assert 2 < len(server.asked) < 41
    server.asked.clear()
    assert run_apart(main(limit, dict.fromkeys(limit), 1)) == "nothing-left"
    assert len(server.asked) == 41


def test_limit_that_was_passed_long_ago_stops_the_crawl_at_once(tmp_path: Path) -> None:
    server = Steered(wide(40))

    async def main() -> None:
        async with steered(server, tmp_path / "crawl.db", delay=1) as crawl:
            await server.until(10)
            await crawl.adjust(pages=5)
            report = await crawl.finished()
        assert (report.reason, report.fetched) == ("pages", 10)

    run_apart(main())


def test_while_all_slots_are_taken_a_crawl_waits_for_answers_and_commits_alone(tmp_path: Path) -> None:
    """A host whose delay is over is no reason to look."""
    urls = [f"http://h{number}.test/{page}" for page in range(4) for number in range(4)]
    looked: list[int] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        before = looks()
        await asyncio.sleep(10.0)
        looked.append(looks() - before)
        return httpx.Response(200, html=html(urls))

    run_apart(
        acrawl(
            urls, tmp_path / "crawl.db", transport=httpx.MockTransport(answer), concurrency=2, delay=0.1,
            ignore_robots=True, probe=False, pages=8,
        )
    )  # fmt: skip
    assert len(looked) >= 8
    assert max(looked) < 200
