"""A crawl of a web that changes (`changing`): how fresh is it kept, and what is missed?

    python bench/refresh.py [--seconds 600] [--speed 1000] [--per-interval 3] [--seed 0] [--partitions 3]
                            [--pages 180] [--wrong slow|fast|mixed] [options of 'minicrawl crawl']

The web is served here, at so many answers a second that a page could be fetched so many times in the mean time between
two changes of it: that is the budget. The crawl has `--refresh` where there is such an option, else `--discovery .3`.
--pages: a web of so many on twelve hosts, without a calendar. --wrong: the crawl's first guess of change rates is eight
times too slow, or too fast, or each on half of the hosts; else right.

All is judged from what was asked and answered, from `minicrawl status`, and from the table `changes` of the store; by
eighths of the time:

fresh         importance of the pages that are as they were last answered in full, of those read so far
best          of no schedule can more be expected, with as many fetches of these pages in that eighth
in turn       what all of them in turn would keep
conditional   share of conditional requests for pages whose last answer had a validator that is honest and not too long
told, true    what status expects, and what is so in these moments, in the mean
most          fetches of the page most often fetched; and of the ten most important ones
false alarm   a change that the crawl notes although nothing has changed since it noted the last one; a share of the
              fetches that brought nothing new
missed        a change that was fetched, and then not noted within six more fetches; a share of those fetches
"""

import argparse
import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from changing.versions import LIARS
from changing.web import MEAN_INTERVAL, ChangingWeb

from minicrawl.demo.resources import Reply
from minicrawl.demo.server import serving_answers
from minicrawl.demo.web import DemoWeb
from minicrawl.lab.refresh import LEARNED, NUTCH, World, keep_fresh, optimum
from minicrawl.settings import SETTINGS

WRONG = {"none": 1.0, "slow": 8.0, "fast": 1 / 8}
"""First guesses of the time between two changes, in terms of the true mean."""
_PATIENCE = 6
_WIDTHS = (7, 12, 11, 11, 9, 8, 8)
_SLOWEST_CHANGE = 1e-7  # of pages that never change; the lab divides by rates
_WINDOWS, _LOOKS = 8, 3
_FIRST_GUESS = 168.0  # in terms of --refresh-min
_SAY_NOTHING = LIARS | {"nothing", "long ETag"}


class Answer(NamedTuple):
    """An answer and its time. size: bytes of the body; is_conditional: whether the request had a condition, which it
    `may_be` if the last answer in full had an honest validator."""

    at: float
    status: int
    size: int
    is_conditional: bool
    may_be: bool = False


@dataclass
class Witness:
    """Answers so many requests a second, and notes what it was asked. clock: Unix seconds."""

    web: ChangingWeb
    per_second: float
    clock: Callable[[], float] = time.time
    answers: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    _free: float = 0.0
    _validated: dict[str, bool] = field(default_factory=dict)

    def respond(self, url: str, asked: Mapping[str, str]) -> Reply:
        self._free = max(self._free + 1.0 / self.per_second, self.clock())
        reply = self.web.respond(url, asked, self._free)
        is_conditional = "If-None-Match" in asked or "If-Modified-Since" in asked
        may_be = self._validated.get(url, False)
        self.answers[url].append(Answer(self._free, reply.status, len(reply.body), is_conditional, may_be))
        if reply.status != 304:
            is_honest = self.web.manner(url) not in _SAY_NOTHING and self.web.has_stable_etag(url)
            self._validated[url] = is_honest and not {"ETag", "Last-Modified"}.isdisjoint(reply.headers)
        # What is said is what holds when the answer leaves.
        return Reply(reply.status, reply.headers, reply.body, self._free - self.clock())


def small_web(pages: int, seed: int = 0) -> DemoWeb:
    """A web of twelve hosts without a calendar, whose months would be most of it."""
    web = DemoWeb.generate(seed, hosts=12, pages=pages)
    kept = (
        replace(page, links={url: link for url, link in page.links.items() if not url.startswith(web.calendar)})
        for page in web.pages()
    )
    return web.with_resources({page.url: page for page in kept})


def wrongly_guessed(web: DemoWeb, seed: int, speed: float, wrong: str) -> tuple[ChangingWeb, float]:
    """The web that changes, and the least interval (--refresh-min) from which a crawl's first guess is so wrong."""
    paces = {}
    if wrong == "mixed":
        paces = {host: 1 / 8 if number % 2 else 8.0 for number, host in enumerate(web.hosts)}
    # Rates are drawn: their mean is what it is.
    lives = [ChangingWeb(web, seed, speed, paces).life(page.url) for page in web.pages()]
    mean = float(np.mean([life.rate for life in lives]))
    slower = speed / MEAN_INTERVAL / mean
    changing = ChangingWeb(web, seed, speed * slower, paces)
    guess = speed * slower / MEAN_INTERVAL if wrong == "mixed" else speed / MEAN_INTERVAL / WRONG[wrong]
    return changing, 1.0 / guess / _FIRST_GUESS


def fresh_seconds(answers: list[Answer], changes: list[int], since: float, until: float) -> float:
    """Seconds from `since` to `until` for which a page was as last answered in full."""
    reads = [answer.at for answer in answers if answer.status != 304]
    fresh = 0.0
    for read, after in pairwise([*reads, until]):
        place = bisect_right(changes, read)
        stale = changes[place] if place < len(changes) else until
        fresh += max(0.0, min(stale, after, until) - max(read, since))
    return fresh


def is_fresh(answers: list[Answer], changes: list[int], at: float) -> bool:
    """Whether a page is as last answered in full before a time, and was answered at all."""
    read = max((answer.at for answer in answers if answer.status != 304 and answer.at <= at), default=None)
    return read is not None and bisect_right(changes, read) == bisect_right(changes, at)


class Window(NamedTuple):
    """A stretch of time until `until`, see above. answers: fetches again; top: fetches of the most important pages."""

    until: float
    answers: int
    fresh: float
    best: float
    in_turn: float
    conditional: float
    told: float
    true: float
    most: int
    top: list[int]


def windows(
    witness: Witness, began: float, ended: float, told: Sequence[tuple[float, float]], number: int = _WINDOWS
) -> list[Window]:
    """The windows of a crawl. told: times, and the freshness that the crawl expected then."""
    web, found = witness.web, []
    changes = {url: web.life(url).changes(began, ended) for url in witness.answers}
    ends = np.linspace(began, ended, number + 1).tolist()
    for since, until in pairwise(ends):
        every = {url: share for url, share in web.importance((since + until) / 2).items() if share > 0.0}
        pages = {url: witness.answers.get(url, []) for url in every}
        pages = {url: answers for url, answers in pages.items() if answers and answers[0].at < until}
        if not pages:
            continue
        shares = np.array([every[url] for url in pages])
        known = np.array([until - max(since, answers[0].at) for answers in pages.values()])
        fresh = np.array([fresh_seconds(answers, changes[url], since, until) for url, answers in pages.items()])
        again = {url: [one for one in answers[1:] if since <= one.at < until] for url, answers in pages.items()}
        count = sum(map(len, again.values()))
        rates = np.array([max(web.life(url).rate, _SLOWEST_CHANGE) for url in pages])
        world = World(shares / shares.sum(), rates, np.array([0, len(pages)]))
        x = rates * len(pages) * (until - since) / max(count, 1)
        asked = [one.is_conditional for answers in again.values() for one in answers if one.may_be]
        looks = [(at, expected) for at, expected in told if since <= at < until]
        found.append(
            Window(
                until - began,
                count,
                float(shares @ fresh / (shares @ known)),
                optimum(world, count / (until - since) / len(pages)).freshness if count else 0.0,
                float(world.importance @ (-np.expm1(-x) / x)),
                sum(asked) / max(len(asked), 1),
                _mean(expected for _, expected in looks),
                _mean(
                    sum(
                        share * is_fresh(pages[url], changes[url], at) for url, share in zip(pages, shares, strict=True)
                    )
                    / sum(share for url, share in zip(pages, shares, strict=True) if pages[url][0].at <= at)
                    for at, _ in looks
                ),
                max(map(len, again.values())),
                [len(again[url]) for url in sorted(pages, key=every.__getitem__, reverse=True)[:10]],
            )
        )
    return found


def _mean(values: Iterable[float]) -> float:
    return float(np.mean([*values] or [np.nan]))


def window_table(found: list[Window]) -> list[str]:
    lines = [
        f"{'until':>6}{'again':>7}{'fresh':>7}{'best':>7}{'in turn':>9}{'conditional':>13}{'told':>7}{'true':>7}  most"
    ]
    for one in found:
        shares = f"{one.fresh:>7.3f}{one.best:>7.3f}{one.in_turn:>9.3f}{one.conditional:>13.1%}{one.told:>7.3f}"
        lines.append(f"{one.until:>6.0f}{one.answers:>7}{shares}{one.true:>7.3f}{one.most:>6}: {one.top}")
    return lines


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


async def crawl(
    witness: Witness, seconds: float, store: Path, options: list[str], partitions: int
) -> list[tuple[float, float]]:
    """Crawl, and return what `minicrawl status` told of freshness, and when."""
    told: list[tuple[float, float]] = []
    async with serving_answers(witness.respond) as port:
        words = ["crawl", "--partitions", str(partitions)] if partitions else ["crawl"]
        command = [sys.executable, "-m", "minicrawl", *words, *witness.web.web.seeds, "--store", str(store), "-q"]
        command += ["--time", f"{seconds:g}s", "--delay", "0", "--ip-delay", "0", "--concurrency", "8"]
        command += ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", *options]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
        looking = asyncio.create_task(look(store, seconds / _WINDOWS / _LOOKS, told))
        if await process.wait():
            sys.exit(f"the crawl ended with {process.returncode}")
        looking.cancel()
    return told


async def look(store: Path, every: float, told: list[tuple[float, float]]) -> None:
    command = [sys.executable, "-m", "minicrawl", "status", "--json", "--store", str(store)]
    while True:
        await asyncio.sleep(every)
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        output, _ = await process.communicate()
        freshness = json.loads(output).get("freshness") if not process.returncode else None
        if freshness and freshness["expected"] is not None:
            told.append((time.time(), freshness["expected"]))


class Crawled(NamedTuple):
    """A crawl. told: times, and the freshness that it expected then; noted: as above; first_rate: its first guess."""

    began: float
    ended: float
    told: Sequence[tuple[float, float]]
    noted: dict[str, list[float]] | None
    first_rate: float


def report(witness: Witness, crawled: Crawled) -> list[str]:
    began, ended, told, noted, first_rate = crawled
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
        against_the_lab(pages, a_second, ended - began, first_rate),
        f"fetched again {len(again):,}: {conditional:.1%} on a condition, {not_modified:.1%} answered 304; never "
        f"fetched: {1.0 - sum(importance.values()):.1%} of all importance",
        f"answers {', '.join(f'{status}: {count:,}' for status, count in sorted(statuses.items()))}; "
        f"bodies of {sum(answer.size for answer in every) / 1e6:.1f} MB",
        "",
        *window_table(windows(witness, began, ended, told)),
        "",
        *table(pages, is_noted=noted is not None),
    ]


def against_the_lab(pages: list[Page], a_second: float, seconds: float, first_rate: float) -> str:
    """Freshness in the second half, and what the lab's schedules and the best one make of it with as many fetches."""
    rates = np.array([max(page.rate, _SLOWEST_CHANGE) for page in pages])
    shares, mean, starts = np.array([page.importance for page in pages]), float(rates.mean()), np.array([0, len(rates)])
    lab, nutch = (
        keep_fresh(
            World(shares, rates, starts),
            schedule,
            fetches_per_time=a_second,
            until=seconds,
            first_rate=first_rate,
            random=np.random.default_rng(0),
        ).freshness
        for schedule in (LEARNED, NUTCH)
    )
    budget = a_second / (len(rates) * mean)
    best = optimum(World(shares, rates / mean, starts), budget)
    return (
        f"{len(pages):,} pages, {a_second:.1f} answers a second: {budget:.2f} per page and mean time between changes, "
        f"{1 / mean:.0f} s\nsecond half {sum(page.fresh * page.importance for page in pages):.3f}; the lab's schedule "
        f"{lab:.3f}; Nutch's {nutch:.3f}; no schedule is above {best.freshness:.3f}"
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
    parser.add_argument("--pages", type=int, default=0, help="of a small web; 0: the demo's own")
    parser.add_argument("--wrong", choices=(*WRONG, "mixed"), default="none")
    asked, options = parser.parse_known_args()
    demo = small_web(asked.pages, asked.seed) if asked.pages else DemoWeb.generate(asked.seed)
    web, least = wrongly_guessed(demo, asked.seed, asked.speed, asked.wrong)
    known = len(demo.truth())
    witness = Witness(web, asked.per_interval * known * asked.speed / MEAN_INTERVAL)
    chosen = ["--refresh", "--refresh-min", f"{least:g}s"] if "refresh" in SETTINGS else ["--discovery", "0.3"]
    print(
        f"{known:,} URLs, {witness.per_second:.1f} answers a second, crawl {' '.join([*chosen, *options])}", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / ("web" if asked.partitions else "crawl.db")
        began = time.time()
        told = asyncio.run(crawl(witness, asked.seconds, store, [*chosen, *options], asked.partitions))
        noted = noted_changes(sorted(store.glob("*.db")) if asked.partitions else [store])
        ended = min(time.time(), began + asked.seconds)
        crawled = Crawled(began, ended, told, noted, 1.0 / (least * _FIRST_GUESS))
        print("\n".join(report(witness, crawled)))


if __name__ == "__main__":
    main()
