"""The longest stalls of a crawl's event loop, and their causes.

    python bench/stalls.py page 50000 1          one page of 50,000 links to one host; or to as many as the 2nd number
    python bench/stalls.py crawl SEEDS [any option of 'minicrawl crawl' but --store and --json]

A task sleeps for 2 ms at a time; what the process spends of CPU until it is woken, the loop stood still for. (By the
wall clock a busy machine would be measured, too.) Another thread looks where all are when that gets long. The end of a
crawl is left out, when nothing is in flight and the ranking is made exact.
"""

import asyncio
import collections
import functools
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

from minicrawl import api
from minicrawl.cli import main
from minicrawl.crawler import run
from minicrawl.crawler.engine import Engine
from minicrawl.garbage import collect_seldom

LONG = 0.1
SHOWN = 12


class Meter:
    """`gaps`: CPU seconds between two turns of the loop; `places`: how often threads were found where in a long one."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.places: collections.Counter[str] = collections.Counter()
        self._woken = time.process_time()
        self._is_over = False
        self._thread = threading.get_ident()

    async def sample(self) -> None:
        while True:
            self._woken = time.process_time()
            await asyncio.sleep(0.002)
            self.gaps.append(time.process_time() - self._woken)

    def watch(self) -> None:
        while not self._is_over:
            time.sleep(0.01)
            if time.process_time() - self._woken > LONG:
                frames = sys._current_frames()
                found = {name: _place(frame) for name, frame in frames.items() if name != threading.get_ident()}
                self.places[" | ".join(found.values())] += 1

    def over(self) -> None:
        self._is_over = True


def _place(frame: FrameType) -> str:
    ours = [each for each in traceback.extract_stack(frame) if "minicrawl" in each.filename]
    return " > ".join(f"{each.name}" for each in ours[-6:])


def measured(crawl: Any, *args: Any, **options: Any) -> Meter:
    """The meter of a crawl, which is over when its engine has run."""
    meters: list[Meter] = []
    engine_run, crawl_with = Engine.run, run.crawl_with

    async def run_until_over(engine: Engine, start: Iterable[None] = ()) -> None:
        try:
            await engine_run(engine, start)
        finally:
            meters[0].over()
            tasks[0].cancel()

    tasks: list[asyncio.Task[None]] = []

    @functools.wraps(crawl_with)
    async def crawl_measured(*args: Any, **options: Any) -> Any:
        meters.append(Meter())
        tasks.append(asyncio.create_task(meters[0].sample()))
        await asyncio.sleep(0)
        threading.Thread(target=meters[0].watch, daemon=True).start()
        return await crawl_with(*args, **options)

    run.crawl_with = api.crawl_with = crawl_measured  # type: ignore[attr-defined]
    Engine.run = run_until_over  # type: ignore[method-assign,assignment]
    crawl(*args, **options)
    return meters[0]


def page_of_links(links: int, hosts: int) -> httpx.MockTransport:
    urls = (f"http://h{number % hosts}.site{number % hosts}.test/{number}" for number in range(links))
    body = "".join(f'<a href="{url}">x</a>' for url in urls)

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path != "/":
            return httpx.Response(404)
        return httpx.Response(200, headers={"content-type": "text/html"}, text=body)

    return httpx.MockTransport(answer)


def main_() -> None:
    collect_seldom()
    mode, *args = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        before = time.process_time()
        if mode == "page":
            links, hosts = map(int, args)
            transport = page_of_links(links, hosts)
            meter = measured(api.crawl, ["http://start.test/"], store, transport=transport, pages=1, ignore_robots=True)
        else:
            command = ["crawl", *args, "--store", str(store)]
            meter = measured(main, command, standalone_mode=False)
    longest = sorted(meter.gaps, reverse=True)
    print(f"CPU in all {time.process_time() - before:.2f} s; longest stalls, in ms of CPU:")
    print(", ".join(f"{1000 * gap:.0f}" for gap in longest[:SHOWN]), f"; over 100 ms: {sum(g > LONG for g in longest)}")
    for place, times in meter.places.most_common(SHOWN):
        print(f"{times:5} looks at {place}")


if __name__ == "__main__":
    main_()
