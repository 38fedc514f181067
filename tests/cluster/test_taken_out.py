"""What partitions take out of pages is what one process takes: items, what hooks say, and an index of texts."""

import asyncio
import json
import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SETTINGS, WEB, run_in_parts

from minicrawl.api import acrawl
from minicrawl.cluster.running.keeper import Keeper
from minicrawl.demo.server import serving
from minicrawl.errors import MinicrawlError, SettingError
from minicrawl.search.partitions import search
from minicrawl.search.searching import Asked
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store

HOOK = "def on_page(page):\n    return [{'hooked': page.url}]\n"


def items(*files: Path) -> Counter[str]:
    """How often each item is there, whenever its page was read."""
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return Counter(json.dumps({**item, "at": None}, sort_keys=True) for item in found)


def alone(store: Path, **settings: Any) -> None:
    async def crawl() -> None:
        async with serving(WEB) as port:
            await acrawl(
                WEB.seeds, store, connect_to=(ConnectTo(None, None, "127.0.0.1", port),), **SETTINGS, **settings
            )

    asyncio.run(crawl())


@pytest.mark.slow
def test_items_are_in_files_of_the_partitions_once_although_processes_are_killed(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(HOOK)
    taken: dict[str, Any] = {"extract": ("title=title",), "hook": (str(tmp_path / "hooks.py"),)}
    alone(tmp_path / "one.db", **taken, items=str(tmp_path / "one.jsonl"))
    left = [60, 200, 350]
    died = []

    def beside(keeper: Keeper) -> None:
        def kill(fetched: int, *_: float) -> None:
            if left and fetched >= left[0]:
                os.kill(keeper.pids[len(left) % 3], signal.SIGKILL)
                left.pop(0)

        keeper.listener = replace(keeper.listener, died=lambda number, _: died.append(number), progress=kill)

    settings = {**SETTINGS, **taken, "items": str(tmp_path / "many.jsonl"), "delay": 0.02, "ip_delay": 0.0}
    ended = asyncio.run(run_in_parts(tmp_path / "web", 3, settings, beside))
    assert (ended.reason, left) == ("nothing-left", [])
    assert len(died) == 3
    files = [tmp_path / f"many.00{number}.jsonl" for number in range(3)]
    assert all(map(items, files))
    assert items(*files) == items(tmp_path / "one.jsonl")


@pytest.mark.slow
def test_an_index_follows_each_partition(tmp_path: Path) -> None:
    alone(tmp_path / "one.db", text=True)
    asyncio.run(run_in_parts(tmp_path / "web", 3, {**SETTINGS, "search": True}))
    with open_store(tmp_path / "one.db") as store:
        best = next(iter(store.pages("importance")))
        text = store.text(best.url)
    assert text is not None
    with open_store(tmp_path / "web") as store:
        pages = search(store, f'"{text.title}"', Asked(10)).pages
    assert best.url in [page.url for page in pages]


def test_a_hook_that_fails_ends_all_where_it_is_to(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text("def on_page(page):\n    raise ValueError('no')\n")
    settings = {**SETTINGS, "hook": (str(tmp_path / "hooks.py"),), "strict_hooks": True}
    with pytest.raises(MinicrawlError, match="mend it, or leave out --strict-hooks"):
        asyncio.run(run_in_parts(tmp_path / "web", 2, settings))


def test_a_file_of_items_that_is_there_already_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "many.001.jsonl").write_text("mine\n")
    settings = {**SETTINGS, "extract": ("title=title",), "items": str(tmp_path / "many.jsonl")}
    with pytest.raises(SettingError, match=r"many\.001\.jsonl is there already"):
        asyncio.run(run_in_parts(tmp_path / "web", 2, settings))
    assert (tmp_path / "many.001.jsonl").read_text() == "mine\n"
