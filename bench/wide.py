"""How near a wide and polite crawl comes to the politeness limit: hosts / delay.

    HOSTS=2000 SECONDS=40 LATENCY=.1-.3 python bench/wide.py [any option of 'minicrawl crawl' but --store, --time ...]

The web is made up (made_up.py); 1 % of its hosts never answer, or only after 5 s. Every host has a seed. The first
quarter of the time is not counted.

rate     answers a second, beside the limit: hosts that answer / delay
gap      the least time between two requests to a host, as the server sees them
regret   of one choice in 50: how much less cash the chosen page had than the best page of all hosts that could be
         asked just then, in percent; looked up among all pages known
"""

import os
import resource
import tempfile
from pathlib import Path
from sys import argv

import numpy as np
from made_up import MadeUpWeb

from minicrawl.cli import main
from minicrawl.crawler.engine import Engine
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.store.rows import MetaValue

_CHOICES = 50
_FAILING = 0.01


class Watch:
    """A crawl looked at from within."""

    def __init__(self, settled: float) -> None:
        self.regrets: list[float] = []
        self.rate = 0.0
        self._choices = 0
        self._settled = settled
        self._from: tuple[float, int] | None = None

    def attach(self) -> None:
        """Look over the shoulder of every frontier and engine."""
        hand_out, meta = Frontier.hand_out, Engine.meta

        def watched(frontier: Frontier, page: int, now: float) -> HostTurn:
            self._choices += 1
            best = _best(frontier, now) if self._choices % _CHOICES == 0 else None
            if best is not None:
                self.regrets.append(100 * (1 - int(frontier.pages._book.standing[page]) / best))
            return hand_out(frontier, page, now)

        def noted(engine: Engine) -> dict[str, MetaValue]:  # asked for at every commit
            self._note(engine)
            return meta(engine)

        Frontier.hand_out = watched  # type: ignore[assignment,method-assign]
        Engine.meta = noted  # type: ignore[assignment,method-assign]

    def _note(self, engine: Engine) -> None:
        if engine.progress.seconds < self._settled or engine.reason is not None:
            return
        if self._from is None:
            self._from = (engine.progress.seconds, engine.progress.fetched)
        elif engine.progress.seconds > self._from[0]:
            self.rate = (engine.progress.fetched - self._from[1]) / (engine.progress.seconds - self._from[0])


def _best(frontier: Frontier, now: float) -> int | None:
    """The most cash of all never-read pages whose hosts are on offer."""
    frontier._wake(now)
    size = frontier.pages._book.size
    is_offered = np.array([host.is_offered and not host.opening for host in frontier.hosts])
    may = ~frontier.pages._book.visited[:size] & is_offered[frontier.pages.host_of[:size]]
    may &= ~frontier.pages._held[:size]
    return int(frontier.pages._book.standing[:size][may].max()) if may.any() else None


def run(hosts: int, seconds: float, latency: str, options: list[str]) -> None:
    delay = float(options[options.index("--delay") + 1]) if "--delay" in options else 1.0
    web = MadeUpWeb(hosts, latency, children=8, failing=_FAILING)
    watch = Watch(seconds / 4)
    watch.attach()
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text("\n".join(web.seeds))
        command = ["crawl", str(seeds), "--store", f"{folder}/wide.db", "--connect-to", f"::127.0.0.1:{web.port}", "-q"]
        command += ["--allow-private", "--concurrency", str(hosts), "--time", f"{seconds:g}s", *options]
        main(command, standalone_mode=False)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    web.end()
    limit = hosts * (1 - _FAILING) / delay
    print(f"\n{hosts:,} hosts, delay {delay:g} s, latency {latency} s, {seconds:g} s:")
    print(f"rate    {watch.rate:,.0f} answers a second of at most {limit:,.0f}: {watch.rate / limit:.1%}")
    print(f"gap     {web.gaps[0]:.4f} s or more; the median host's least one {np.median(web.gaps):.4f} s")
    print(
        f"regret  {np.mean(watch.regrets):.4f} % in the mean of {len(watch.regrets):,} choices, "
        f"{max(watch.regrets):.4f} % at most"
    )
    print(f"CPU     {usage.ru_utime + usage.ru_stime:.1f} s, {usage.ru_maxrss // 1024} MB at the most")


if __name__ == "__main__":
    wanted = os.environ
    run(int(wanted.get("HOSTS", "2000")), float(wanted.get("SECONDS", "40")), wanted.get("LATENCY", ".1-.3"), argv[1:])
