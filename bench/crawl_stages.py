"""CPU per page of a crawl, stage by stage.

    python bench/crawl_stages.py SEEDS [any option of 'minicrawl crawl' but --store and --json]

Runs a crawl in a temporary store with every stage's functions timed by the process's CPU clock, and prints
microseconds per fetched page. What is left is the HTTP client and the event loop. The figure to compare with
other programs is the last row, the CPU of the whole process.
"""

import functools
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minicrawl.cli import main
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.engine import Engine
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.waiting_pages import WaitingPages
from minicrawl.crawler.http import codings
from minicrawl.crawler.http.answer_reader import AnswerReader
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.known.ranking import Ranking
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.sources import page_reading
from minicrawl.crawler.visits.visit import Visits
from minicrawl.store.reader import open_store

spent_by_stage: dict[str, float] = {}
_stack: list[float] = []


def timed(stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its CPU time booked to `stage`, less what timed functions it calls take themselves."""

    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        _stack.append(0.0)
        started = time.process_time()
        try:
            return function(*args, **options)
        finally:
            spent = time.process_time() - started
            inner = _stack.pop()
            spent_by_stage[stage] = spent_by_stage.get(stage, 0.0) + spent - inner
            if _stack:
                _stack[-1] += spent

    return wrapper


STAGES: tuple[tuple[Any, str, str], ...] = (
    (page_reading, "parse_html", "parse, resolve and normalise links"),
    (page_reading, "identity_of", "digests and sketch"),
    (AnswerReader, "feed", "read heads and framing"),
    (codings._Deflate, "undo", "inflate"),
    (Duplicates, "likeness", "look up duplicates"),
    (Duplicates, "add", "look up duplicates"),
    (KnownUrls, "find", "look up URLs"),
    (Accounts, "visit", "both books: visit"),
    (WaitingPages, "credit", "frontier"),
    (Frontier, "best_errand", "frontier"),
    (Frontier, "best_page", "frontier"),
    (Frontier, "hand_out", "frontier"),
    (Frontier, "add", "frontier"),
    (Visits, "absorb", "absorb: judge, scope, discover"),
    (Visits, "absorb_unfetched", "absorb: judge, scope, discover"),
    (Intake, "commit", "commit"),
    (Ranking, "settle", "virtual visits while crawling"),
    (Ranking, "settle_fully", "virtual visits at the end"),
)


def run() -> None:
    for owner, name, stage in STAGES:
        setattr(owner, name, timed(stage, getattr(owner, name)))
    engines: list[Engine] = []
    construct = Engine.__init__

    def remember(self: Engine, *args: Any, **options: Any) -> None:
        construct(self, *args, **options)
        engines.append(self)

    Engine.__init__ = remember  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "bench.db"
        started = time.monotonic()
        main(["crawl", *sys.argv[1:], "--store", str(store), "-q"], standalone_mode=False)
        seconds = time.monotonic() - started
        sizes = table_sizes(store)
        links = len(open_store(store).links().targets)
        (of_places,) = sqlite3.connect(store).execute("SELECT coalesce(sum(length(places)), 0) FROM links").fetchone()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, pages = usage.ru_utime + usage.ru_stime, engines[0].progress.fetched
    cpu_of_workers = workers.ru_utime + workers.ru_stime
    accounts = engines[0]._intake.state.accounts
    spent_by_stage["HTTP client, event loop, start"] = cpu - sum(spent_by_stage.values())
    print(f"\n{'stage':<40} {'us/page':>9}")
    for stage, spent in sorted(spent_by_stage.items(), key=lambda item: -item[1]):
        print(f"{stage:<40} {1e6 * spent / pages:>9.0f}")
    if cpu_of_workers:
        print(f"{'worker processes':<40} {1e6 * cpu_of_workers / pages:>9.0f}")
    print(f"{'all (user + sys)':<40} {1e6 * (cpu + cpu_of_workers) / pages:>9.0f}")
    known = accounts.size
    of_urls = sizes["pages"] + sizes["url_hashes"] + sizes["fetches"]
    print(
        f"\n{pages:,} pages in {seconds:.1f} s, {pages / seconds:.0f}/s; peak memory {usage.ru_maxrss / 1024:.0f} MiB\n"
        f"{known:,} known URLs, {of_urls / known:.0f} bytes of disk each; "
        f"{links:,} links, {sizes['links'] / links:.1f} bytes each, {8 * of_places / links:.2f} bits for its place; "
        f"{sum(sizes.values()) / known:.0f} bytes per known URL in all"
    )


def table_sizes(store: Path) -> dict[str, int]:
    """Bytes on disk of every table and index."""
    with sqlite3.connect(store) as db:
        return dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))


if __name__ == "__main__":
    run()
