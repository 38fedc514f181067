"""Pages a second and CPU of one process, and of the same crawl in partitions on 1 and 2 workers, by turns.

    python bench/partitions.py 20000 [--partitions 16] [--workers 1 2] [--runs 3] [--hosts 400]

Each crawl begins with an empty store, on a web that is made up (made_up.py), politeness off. CPU of the crawl, start
and settling included, and of the server are told apart; the two share the cores of the machine. "Beside one process" is
CPU over that of one process in the same turn; "a core" is pages for each second of CPU. Figures are medians of the
turns. Without --workers the crawl itself decides on its processes.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from made_up import MadeUpWeb


@dataclass(frozen=True)
class Crawl:
    """One crawl. seconds: of wall; cpu, server: CPU seconds; largest: MB of the largest process."""

    pages: int
    seconds: float
    cpu: float
    server: float
    largest: float


def crawled(pages: int, hosts: int, options: Sequence[str]) -> Crawl:
    """Crawl a new made-up web of `hosts` hosts."""
    web = MadeUpWeb(hosts)
    folder = Path(tempfile.mkdtemp())
    try:
        seeds = folder / "seeds.txt"
        seeds.write_text("\n".join(web.seeds))
        command = [sys.executable, "-m", "minicrawl", "crawl", str(seeds), "--store", str(folder / "web"), "-q"]
        command += ["--pages", str(pages), "--delay", "0", "--connect-to", f"::127.0.0.1:{web.port}", "--allow-private"]
        began = time.monotonic()
        process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)  # with the processes that it has started and waited for
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"the crawl {' '.join(options)} has ended with {process.returncode}")
        return Crawl(pages, seconds, used.ru_utime + used.ru_stime, web.cpu, used.ru_maxrss / 1024)
    finally:
        web.end()
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int)
    parser.add_argument("--partitions", type=int, nargs="+", default=[16])
    parser.add_argument("--workers", type=int, nargs="*", default=[])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=400)
    options = parser.parse_args()
    crawls: dict[str, list[str]] = {"one process": []}
    for partitions in options.partitions:
        inside = ["--partitions", str(partitions)]
        if not options.workers:
            crawls[f"{partitions} partitions"] = inside
        for workers in options.workers:
            crawls[f"{partitions} partitions, {workers} workers"] = [*inside, "--workers", str(workers)]
    done: dict[str, list[Crawl]] = {name: [] for name in crawls}
    for turn in range(options.runs):
        for name in list(crawls)[:: 1 if turn % 2 == 0 else -1]:
            done[name].append(crawled(options.pages, options.hosts, crawls[name]))
            print(f"turn {turn + 1}, {name}: {done[name][-1]}", file=sys.stderr, flush=True)
    print("| | pages/s | CPU, ms a page | of the server | largest process, MB | beside one process | a core, pages/s |")
    print("|---|---|---|---|---|---|---|")
    for name, some in done.items():
        ratios = [crawl.cpu / one.cpu for crawl, one in zip(some, done["one process"], strict=True)]
        figures = (
            *(statistics.median(crawl.pages / crawl.seconds for crawl in some),),
            *(statistics.median(1e3 * crawl.cpu / crawl.pages for crawl in some),),
            *(statistics.median(1e3 * crawl.server / crawl.pages for crawl in some),),
            *(max(crawl.largest for crawl in some), statistics.median(ratios)),
            *(statistics.median(crawl.pages / crawl.cpu for crawl in some),),
        )
        shown = ("{:,.0f}", "{:.2f}", "{:.2f}", "{:,.0f}", "{:.2f}", "{:,.0f}")
        print(
            f"| {name} | " + " | ".join(form.format(figure) for form, figure in zip(shown, figures, strict=True)) + " |"
        )


if __name__ == "__main__":
    main()
