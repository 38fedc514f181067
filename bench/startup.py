"""The cost of resuming a crawl that knows a hundred thousand, a million, ten million URLs.

    python bench/startup.py [SIZE ...] [--keep FOLDER]

No network. A store of each size is made straight by SQL: a host for every 200 URLs, a fifth of which are read, each
with a fingerprint; no links, and no hashes to find URLs by, at which no start looks. Its books add up. A real crawl is
then opened on it, in a process of its own. Printed are CPU by stage, wall, resident memory and its peak. With --keep
the stores stay in FOLDER and are used again. Ten million URLs need 3 GB of disk.
"""

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known import crawl_state
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.opic import UNIT
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.writer import Writer

SIZES = (100_000, 1_000_000, 10_000_000)
URLS_PER_HOST, READ = 200, 5
NOW = 2e9

_NUMBERS = "WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id + 1 < :count)"
_FILL = {
    "pages": f"""{_NUMBERS} INSERT INTO pages (id, url, host, found_on, state, reason, visited, depth, inlinks,
            cash, forwarded, history, clock, chain_length, attempts, fetch)
        SELECT id, 'https://garden' || (id % :hosts) || '.org/manual/science/the-history-of-' || id * 7919 || '.html',
            id % :hosts, iif(id < 100, NULL, id / 2), iif(id % {READ}, 'waiting', 'fetched'),
            iif(id % {READ}, 'link', 'ok'), id % {READ} = 0, 1 + id % 7, id % 13,
            iif(id % {READ}, id % 1000, -{UNIT}), iif(id % {READ}, 0, {UNIT} + id % 1000), id % 1000 + 0.0, id + 0.0,
            0, 0, iif(id % {READ}, NULL, id / {READ} + 1)
        FROM n""",
    "fetches": f"""{_NUMBERS} INSERT INTO fetches (id, page, status, fetched_at, seconds, bytes, content_type, title,
            digest, payload, sketch, changed)
        SELECT id + 1, id * {READ}, 200, 1.7e9 + id, 0.1, 23456, 'text/html', 'The history of number ' || id,
            random(), random(), randomblob(40), 1 FROM n""",
    "hosts": f"""{_NUMBERS} INSERT INTO hosts (id, name, crawl_delay, next_fetch, site)
        SELECT id, 'garden' || id || '.org', 0, 0, id + 1 FROM n""",
    "sites": f"""{_NUMBERS} INSERT INTO sites (id, name, trust, voice, page_level, entrance_level)
        SELECT id + 1, 'garden' || id || '.org', 1.0 / :count, 256, {UNIT}, 0 FROM n""",
}


def fill(path: Path, size: int) -> None:
    Writer(path).close()
    hosts = max(1, size // URLS_PER_HOST)
    counts = {"pages": size, "fetches": -(-size // READ), "hosts": hosts, "sites": hosts}
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA synchronous = OFF")
        for table, query in _FILL.items():
            db.execute(query, {"count": counts[table], "hosts": hosts})
        db.execute("INSERT INTO tallies SELECT state, reason, count(*) FROM pages GROUP BY state, reason")
        (cash,) = db.execute("SELECT sum(cash) FROM pages").fetchone()
        totals = {"clock": float(size), "window": 8 * UNIT * size, "virtual": -cash, "births": UNIT * size}
        totals |= dict.fromkeys(("never_visited", "total", "voice_level"), 0)
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", totals.items())
        db.execute("INSERT OR REPLACE INTO meta VALUES ('jump', ?), ('shared_out', ?)", (BY_SITES, size))
    db.close()


spent: dict[str, list[float]] = {}


def timed(stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def timing(*arguments: Any, **named: Any) -> Any:
        cpu, wall = time.process_time(), time.monotonic()
        try:
            return call(*arguments, **named)
        finally:
            spent[stage] = [time.process_time() - cpu, time.monotonic() - wall]

    return timing


STAGES: dict[str, tuple[Any, str]] = {
    "hosts": (crawl_state.CrawlState, "_load_hosts"),
    "pages": (crawl_state.CrawlState, "_load_pages"),
    "of that, sums": (crawl_state, "load_totals"),
    "of that, queues": (Frontier, "load"),
    "fingerprints": (Duplicates, "__init__"),
    "budgets": (crawl_state.CrawlState, "_load_budgets"),
}


def start(path: Path) -> dict[str, Any]:
    """Take up the store at `path`."""
    for stage, (owner, name) in STAGES.items():
        setattr(owner, name, timed(stage, getattr(owner, name)))
    before = _resident()
    intake = timed("start-up", _opened)(path)
    figures: dict[str, Any] = {f"{stage}, s of CPU": spent[stage][0] for stage in [*STAGES, "start-up"]}
    figures["start-up, s"] = spent["start-up"][1]
    size = intake.state.accounts.size
    figures["resident, bytes a URL"] = (_resident() - before) / size
    figures["peak, bytes a URL"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) / size
    intake.state.writer.close()
    return figures


def _opened(path: Path) -> Intake:
    writer = Writer(path)
    intake = Intake(writer, CrawlSettings(), NOW)
    intake.start([], NOW)
    return intake


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


TASKS = {"fill": fill, "start": start}


def _in_own_process(task: str, path: Path, *words: object) -> dict[str, float]:
    command = [sys.executable, __file__, "--task", task, str(path), *map(str, words)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(said)) if task != "fill" else {}


def _print(title: str, figures: dict[str, float]) -> None:
    print(f"\n{title}")
    for name, value in figures.items():
        print(f"    {name:<36}{value:>12.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", metavar="SIZE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task == "fill":
        fill(Path(options.sizes[0]), int(options.sizes[1]))
    elif options.task:
        print(json.dumps(TASKS[options.task](Path(options.sizes[0]))))  # type: ignore[operator]
    else:
        with tempfile.TemporaryDirectory() as folder:
            for size in map(int, options.sizes or SIZES):
                _measure((options.keep or Path(folder)) / f"startup-{size}.db", size)


def _measure(path: Path, size: int) -> None:
    if not path.exists():
        _in_own_process("fill", path, size)
    _print(f"{size:,} URLs", _in_own_process("start", path))


if __name__ == "__main__":
    main()
