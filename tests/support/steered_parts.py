"""A slow crawl in two partitions, a process each, that is steered while it runs."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from support.cluster_runs import SEEDS, SETTINGS, folder_at, keeper_at
from support.counted_web import CountedWeb, counted_web
from support.gathered import all_violations
from support.lines import Line, asked
from support.sites import rows

from minicrawl.cluster.keeper import Ended, Keeper
from minicrawl.cluster.steering import Steering
from minicrawl.control.commands import answering
from minicrawl.store.partitions.folder import Folder

Steer = Callable[[Folder, Keeper, CountedWeb], Awaitable[None]]


async def _steered(folder: Folder, web: CountedWeb, steer: Steer, given: dict[str, Any]) -> Ended:
    keeper = keeper_at(folder, web.port, SEEDS, SETTINGS | {"scope": "host", **given})
    async with answering(Steering(keeper).done, folder.path):
        crawl = asyncio.create_task(keeper.crawl())
        try:
            await until(folder, lambda status: status["state"] == "running" and status["fetched"] > 0)
            await steer(folder, keeper, web)
            await asked(folder.path, "stop")
        except BaseException:
            keeper.interrupt()
            keeper.interrupt()
            raise
        finally:
            await asyncio.wait([crawl])
        return crawl.result()


def steered(tmp_path: Path, steer: Steer, **settings: Any) -> tuple[Ended, CountedWeb, Folder]:
    """A slow run in two partitions that is steered and stopped; what all stores promise must hold then."""
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=2000) as web:
        ended = asyncio.run(_steered(folder, web, steer, {"delay": 0.2, "ip_delay": 0.0} | settings))
    assert all_violations(folder.path) == []
    return ended, web, folder


async def until(folder: Folder, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Ask until the crawl says so. While one that has died begins, it says to ask later."""
    async with Line(folder.path) as line:
        while True:
            answer = await line.asks("status")
            if "ask later" not in answer.get("failed", "") and is_so(answer["done"]):
                return dict(answer["done"])


def sought(folder: Folder, query: str) -> list[Any]:
    return [row for store in folder.here for row in rows(store, query)]
