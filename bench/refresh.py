"""A crawl of the web that changes (`minicrawl demo --serve --changing`): how fresh is it kept, and what is missed?

    python bench/refresh.py [--seconds 600] [--speed 1000] [--per-interval 3] [--seed 0] [--partitions 3]
                            [options of 'minicrawl crawl']

The web is served here, at so many answers a second that a page could be fetched so many times in the mean time between
two changes of it: that is the budget. The crawl has `--refresh` where there is such an option, else `--discovery .3`.
All is judged from what was asked and answered, and from the table `changes` of the store:

freshness     importance of the pages that are as they were last answered in full, in the second half of the time;
              beside it what the lab's schedule makes of the same importance, rates and budget, and what none can pass
false alarm   a change that the crawl notes although nothing has changed since it noted the last one; a share of the
              fetches that brought nothing new
missed        a change that was fetched, and then not noted within six more fetches; a share of those fetches
"""

import argparse
import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minicrawl.demo.changing.truth import answering
from minicrawl.demo.changing.versions import LIARS
from minicrawl.demo.changing.web import ChangingWeb
from minicrawl.demo.resources import Reply
from minicrawl.demo.server import serving_answers
from minicrawl.demo.web import DemoWeb
from minicrawl.lab.refresh import LEARNED, World, keep_fresh, optimum
from minicrawl.settings import SETTINGS

_PATIENCE = 6
_WIDTHS = (7, 12, 11, 11, 9, 8, 8)
_SLOWEST_CHANGE = 1e-7  # of pages that never change; the lab divides by rates


class Answer(NamedTuple):
    """An answer and its time. size: bytes of the body; is_conditional: whether the request had a condition."""

    at: float
    status: int
    size: int
    is_conditional: bool


@dataclass
class Witness:
    """Answers so many requests a second, and notes what it was asked."""

    web: ChangingWeb
    per_second: float
    answers: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    _free: float = 0.0

    def respond(self, url: str, asked: Mapping[str, str]) -> Reply:
        self._free = max(self._free + 1.0 / self.per_second, time.time())
        reply = answering(self.web, lambda: self._free)(url, asked)
        is_conditional = "If-None-Match" in asked or "If-Modified-Since" in asked
        self.answers[url].append(Answer(self._free, reply.status, len(reply.body), is_conditional))
        # What is said is what holds when the answer leaves.
        return Reply(reply.status, reply.headers, reply.body, self._free - time.time())


def fresh_seconds(answers: list[Answer], changes: list[int], since: float, until: float) -> float:
    """Seconds from `since` to `until` for which a page was as last answered in full."""
    reads = [answer.at for answer in answers if answer.status != 304]
    fresh = 0.0
    for read, after in pairwise([*reads, until]):
        place = bisect_right(changes, read)
        stale = changes[place] if place < len(changes) else until
        fresh += max(0.0, min(stale, after, until) - max(read, since))
    return fresh


class Verdicts(NamedTuple):
    """unchanged, changed: fetches again that brought nothing new, or something. false, missed: as above."""

    unchanged: int
    changed: int
    false: int
    missed: int


def judged(answers: list[Answer], changes: list[int], noted: list[float]) -> Verdicts:
    """Compare the changes a crawl noted of one page with the true ones. noted: times of its notes."""
    times = [answer.at for answer in answers]
    real = [bisect_right(changes, after) > bisect_right(changes, before) for before, after in pairwise(times)]
    # A note belongs to the answer before it; answers are numbered from the second on.
    notes = sorted({bisect_right(times, at + 0.01) - 2 for at in noted} - {-1, -2})
    false = missed = 0
    accounted = 0
    for note in notes:
        false += not any(real[accounted : note + 1])
        accounted = note + 1
    for number, is_real in enumerate(real):
        if is_real and number + _PATIENCE < len(real):
            following = bisect_left(notes, number)
            missed += following == len(notes) or notes[following] > number + _PATIENCE
    return Verdicts(len(real) - sum(real), sum(real), false, missed)


class Page(NamedTuple):
    """A page at the end. rate: changes per second; fresh: share of the second half of the time."""

    kind: str
    importance: float
    rate: float
    fresh: float
    verdicts: Verdicts


def noted_changes(stores: Sequence[Path]) -> dict[str, list[float]] | None:
    """Times of the noted changes by URL; None if the store has no such table."""
    rows: list[tuple[str, float]] = []
    for store in stores:
        with closing(sqlite3.connect(store)) as db:
            try:
                rows += db.execute("SELECT url, at FROM changes JOIN pages ON pages.id = page WHERE what <> 'new'")
            except sqlite3.OperationalError:
                return None
    noted = defaultdict(list)
    for url, at in rows:
        noted[url].append(at)
    return noted


async def crawl(witness: Witness, seconds: float, store: Path, options: list[str], partitions: int) -> None:
    async with serving_answers(witness.respond) as port:
        words = ["crawl", "--partitions", str(partitions)] if partitions else ["crawl"]
        command = [sys.executable, "-m", "minicrawl", *words, *witness.web.web.seeds, "--store", str(store), "-q"]
        command += ["--time", f"{seconds:g}s", "--delay", "0", "--ip-delay", "0", "--concurrency", "8"]
        command += ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", *options]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
        if await process.wait():
            sys.exit(f"the crawl ended with {process.returncode}")


def report(witness: Witness, began: float, ended: float, noted: dict[str, list[float]] | None) -> list[str]:
    web, half = witness.web, (began + ended) / 2
    every_importance = web.importance(ended)
    # What robots.txt or a trap's rule keeps a crawl from is nothing that it keeps fresh.
    importance = {url: share for url, share in every_importance.items() if share > 0 and witness.answers[url]}
    changes = {url: web.life(url).changes(began, ended) for url in importance}
    pages = [
        Page(
            "hosts that lie" if web.manner(url) in LIARS else web.life(url).kind,
            share / sum(importance.values()),
            web.life(url).rate,
            fresh_seconds(witness.answers[url], changes[url], half, ended) / (ended - half),
            judged(witness.answers[url], changes[url], (noted or {}).get(url, [])),
        )
        for url, share in importance.items()
    ]
    every = [answer for answers in witness.answers.values() for answer in answers]
    again = [answer for answers in witness.answers.values() for answer in answers[1:]]
    a_second = sum(answer.at >= half for answer in every) / (ended - half)
    conditional = sum(answer.is_conditional for answer in again) / max(len(again), 1)
    not_modified = sum(answer.status == 304 for answer in again) / max(len(again), 1)
    statuses = Counter(answer.status for answer in every)
    return [
        against_the_lab(pages, a_second, ended - began),
        f"fetched again {len(again):,}: {conditional:.1%} on a condition, {not_modified:.1%} answered 304; never "
        f"fetched: {1.0 - sum(importance.values()):.1%} of all importance",
        f"answers {', '.join(f'{status}: {count:,}' for status, count in sorted(statuses.items()))}; "
        f"bodies of {sum(answer.size for answer in every) / 1e6:.1f} MB",
        "",
        *table(pages, is_noted=noted is not None),
    ]


def against_the_lab(pages: list[Page], a_second: float, seconds: float) -> str:
    """Freshness, and what the lab's schedule and the best one make of the same pages with as many fetches."""
    rates = np.array([max(page.rate, _SLOWEST_CHANGE) for page in pages])
    shares, mean, starts = np.array([page.importance for page in pages]), float(rates.mean()), np.array([0, len(rates)])
    lab = keep_fresh(
        World(shares, rates, starts),
        LEARNED,
        fetches_per_time=a_second,
        until=seconds,
        first_rate=float(np.median(rates)),
        random=np.random.default_rng(0),
    )
    budget = a_second / (len(rates) * mean)
    best = optimum(World(shares, rates / mean, starts), budget)
    return (
        f"{len(pages):,} pages, {a_second:.1f} answers a second: {budget:.2f} per page and mean time between changes, "
        f"{1 / mean:.0f} s\nfreshness {sum(page.fresh * page.importance for page in pages):.3f}; the lab's schedule "
        f"{lab.freshness:.3f}; no schedule is above {best.freshness:.3f}"
    )


def table(pages: list[Page], *, is_noted: bool) -> list[str]:
    """A line for each kind of page, and for hosts that lie."""
    columns = zip(("pages", "importance", "freshness", "unchanged", "changed", "false", "missed"), _WIDTHS, strict=True)
    lines = [" " * 16 + "".join(f"{name:>{width}}" for name, width in columns)]
    for kind in (*sorted({page.kind for page in pages}), "all"):
        some = [page for page in pages if kind in (page.kind, "all")]
        held = sum(page.importance for page in some)
        fresh = sum(page.fresh * page.importance for page in some) / held
        unchanged, changed, false, missed = (
            sum(counts) for counts in zip(*(page.verdicts for page in some), strict=True)
        )
        shares = (f"{false / max(unchanged, 1):.1%}", f"{missed / max(changed, 1):.1%}") if is_noted else ("-", "-")
        lines.append(
            f"{kind:16}{len(some):>7,}{held:>12.1%}{fresh:>11.3f}{unchanged:>11,}{changed:>9,}{shares[0]:>8}{shares[1]:>8}"
        )
    if not is_noted:
        lines.append("This crawl keeps no table of changes: false alarms and missed changes cannot be told.")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--speed", type=float, default=1000.0)
    parser.add_argument("--per-interval", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--partitions", type=int, default=0, help="a process each; 0: none")
    asked, options = parser.parse_known_args()
    web = ChangingWeb(DemoWeb.generate(asked.seed), asked.seed, asked.speed)
    known = len(web.web.truth())
    witness = Witness(web, asked.per_interval * known * web.mean_rate)
    chosen = ["--refresh", "--refresh-min", "1s"] if "refresh" in SETTINGS else ["--discovery", "0.3"]
    print(
        f"{known:,} URLs, {witness.per_second:.1f} answers a second, crawl {' '.join([*chosen, *options])}", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / ("web" if asked.partitions else "crawl.db")
        began = time.time()
        asyncio.run(crawl(witness, asked.seconds, store, [*chosen, *options], asked.partitions))
        noted = noted_changes(sorted(store.glob("*.db")) if asked.partitions else [store])
        print("\n".join(report(witness, began, min(time.time(), began + asked.seconds), noted)))


if __name__ == "__main__":
    main()
