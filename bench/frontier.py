"""The cost of a crawl that knows ten thousand, a million, ten million URLs.

    python bench/frontier.py [SIZE ...] [--keep FOLDER] [--strategy NAME]

No network: pages are made up. A web has a host for every 200 URLs, with sizes by a power law; URLs have some 69
characters. Every fourth page makes 20 URLs known, 13 of them on its host. A page links to 40 that are known: 16 times
one of those of its host that were found first together, 14 times one that was found together with it, 5 times any of
its host, 5 times any at all, the early ones (which are popular) more often. Real pages are less scattered: of a crawl
of 98,000 half the URLs were found 109 or more at a time, 64 % on the host of the page, and the links of 256 turns in a
row led to 8 different known URLs per turn at the most; here it is twice as many. A fifth of all URLs has been read.
Politeness is on, so successive turns are of different hosts.

A store of each size is filled by the real books and the real writer, in large batches. Then, in a process of its own,
a real Intake takes it up and 8,000 turns are taken, of which the last 4,000 count. Printed are the CPU per
turn by stage, what start-up takes, resident memory, and bytes on disk. With --keep the stores stay in FOLDER and are
used again. Ten million URLs need 4 GB of disk and some minutes. With --strategy the turns are taken in that order.
"""

import argparse
import functools
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored_accounts import account_columns, account_totals
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.waiting_pages import WaitingPages
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.known.ranking import Ranking
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.visits.visit import Visits
from minicrawl.model import Fetched, ParsedPage
from minicrawl.opic import GRANT, STRATEGIES
from minicrawl.opic.units import DAMPING
from minicrawl.settings import CrawlSettings
from minicrawl.store.links import LinkGraph, to_bytes
from minicrawl.store.rows import (
    CREDITED_COLUMNS,
    DomainRow,
    Fetch,
    Fingerprint,
    HostRow,
    LinkerRow,
    Links,
    NewPage,
    PatternRow,
    Turn,
)
from minicrawl.store.writer import Writer

SIZES = (10_000, 1_000_000, 10_000_000)
URLS_PER_HOST = 200
SEEDS = 100
NEW_LINKS = 5
BURST, SAME_HOST = 20, 13
WARM_UP, TURNS = 4_000, 4_000
BATCH = 256
SECONDS_PER_TURN = 0.01
FOLDERS = 4
WORDS = ("garden", "history", "manual", "weather", "library", "science", "reference", "archive")

Ints = npt.NDArray[np.int64]

spent_by_stage: dict[str, float] = {}
_stack: list[float] = []


def host_name(host: int) -> str:
    return f"{WORDS[host % len(WORDS)]}{host}.org"


def url_of(page: int, host: int) -> str:
    folder = WORDS[(host + page) % FOLDERS]
    return f"https://{host_name(host)}/{folder}/{WORDS[page % 7]}/the-{WORDS[page // 7 % 8]}-of-{page * 7919}.html"


def hosts_of(size: int, hosts: int, draw: np.random.Generator) -> npt.NDArray[np.int32]:
    """A host for each page: the first pages are one on each; then 13 of 20 are on the host of the page they are on."""
    pages = np.arange(size)
    drawn = (hosts * draw.random(size) ** 3).astype(np.int32)
    found_on = drawn[pages - pages % BURST]
    return np.where(pages < hosts, pages, np.where(pages % BURST < SAME_HOST, found_on, drawn)).astype(np.int32)


# Filling a store.


def fill(path: Path, size: int) -> None:
    """A store that knows `size` URLs, of which a fifth was read."""
    writer = Writer(path)
    writer._db.execute("PRAGMA cache_size = -1000000")
    writer._db.execute("PRAGMA journal_mode = MEMORY")
    writer._db.execute("PRAGMA synchronous = OFF")
    draw = np.random.default_rng(1)
    hosts = max(200, size // URLS_PER_HOST)
    accounts = Accounts()
    host_of: npt.NDArray[np.int32] = hosts_of(size, hosts, draw)
    digests = draw.integers(-(2**63), 2**63, size // NEW_LINKS + 1).tolist()
    with writer.transaction():
        writer.save_hosts(HostRow(host, host_name(host), 0.0, 0.0) for host in range(hosts))
        writer.save_patterns(_patterns(host_of, hosts))
        writer.save_domains(DomainRow(host, host_name(host), None) for host in range(hosts))
        writer.add_linkers(LinkerRow(host, bit) for host in range(hosts) for bit in draw.integers(0, 256, 8).tolist())
        writer.save_digests(digests)
        writer.save_meta({"discovery_credit": 0.0})
    step = max(1000, min(200_000, size // 10))
    for start in range(0, size, step):
        born = accounts.discover(1 + start * 6 // size, [GRANT] * min(step, size - start))
        turns = np.unique(draw.integers(0, born.stop, len(born) // NEW_LINKS * 5 // 4))
        turns = turns[~accounts.had_turn[turns]][: len(born) // NEW_LINKS]
        graph = _links(turns, hosts + 20 * host_of[turns].astype(np.int64), born.stop, draw)
        _visit_many(accounts, graph)
        visited, credited = (pages[pages < start] for pages in accounts.take_touched())
        with writer.transaction():
            writer.page_rows.add(
                [
                    NewPage(page, url_of(page, host), host, int(source) if page >= SEEDS else None, "link")
                    for page, host, source in zip(
                        born, host_of[born.start : born.stop].tolist(), draw.integers(0, start + 1, step), strict=False
                    )
                ],
                account_columns(accounts, np.arange(born.start, born.stop)),
            )
            writer.page_rows.save_accounts(account_columns(accounts, visited))
            writer.page_rows.save_accounts(account_columns(accounts, credited, CREDITED_COLUMNS))
            writer.page_rows.save_turns(
                [
                    Turn(page, "fetched", "ok", 0, Fetch(200, 1.7e9 + page / 7, 0.123, 23456, "text/html", title))
                    for page, title in zip(turns.tolist(), map(_title, turns.tolist()), strict=True)
                ]
            )
            writer.save_fingerprints({page: _fingerprint(page, draw) for page in turns.tolist()})
            writer.save_links(
                Links(source, to_bytes(graph.targets[first:last]), 0, 0)
                for source, first, last in zip(
                    graph.sources.tolist(), graph.indptr.tolist(), graph.indptr[1:].tolist(), strict=False
                )
            )
            writer.save_meta(account_totals(accounts))
    writer._db.execute("PRAGMA journal_mode = WAL")
    writer.close()


def _fingerprint(page: int, draw: np.random.Generator) -> Fingerprint:
    digest, payload = draw.integers(-(2**63), 2**63, 2).tolist()
    return Fingerprint(page, digest, payload, draw.bytes(40), None, None)


def _title(page: int) -> str:
    return f"The {WORDS[page // 7 % 8]} of {WORDS[page % 8]}: number {page} of the collection"


def _patterns(host_of: npt.NDArray[np.int32], hosts: int) -> Iterator[PatternRow]:
    for host, known in enumerate(np.bincount(host_of, minlength=hosts).tolist()):
        name = host_name(host)
        for folder in range(FOLDERS):
            pattern = f"{name}/{WORDS[folder]}/{WORDS[folder]}/*{{n}}"
            yield PatternRow(pattern, 0, known // 20, 0, 0, known // 20, 0, 0, None, None)


def _links(sources: Ints, first: Ints, size: int, draw: np.random.Generator) -> LinkGraph:
    """Links as in a crawl, as far as the places of their targets in the store go; on which hosts they are is not
    looked at. first: the first of the early pages of each source's host."""
    shape = (len(sources), 1)
    targets = np.concatenate(
        [
            first[:, None] + draw.integers(0, 20, (len(sources), 16)),
            sources[:, None] + draw.integers(-10, 10, (len(sources), 14)),
            draw.integers(0, size, (len(sources), 5)),
            (size * draw.random((len(sources), 5)) ** 4).astype(np.int64),
        ],
        axis=1,
    )
    targets = np.sort(np.where((targets < 0) | (targets >= size), 0, targets), axis=1)
    is_link = np.concatenate([np.ones(shape, dtype=bool), np.diff(targets, axis=1) > 0], axis=1)
    is_link &= targets != sources[:, None]
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_link.sum(axis=1))])
    return LinkGraph(sources, indptr, targets[is_link].astype(np.int32), size)


def _visit_many(accounts: Accounts, graph: LinkGraph) -> None:
    """First visits of all sources at once, in both books: the virtual page keeps what it gets."""
    book, pages, outdegrees = accounts.book, graph.sources, np.diff(graph.indptr)
    cash = book.standing[pages].copy()
    shares = np.where(outdegrees > 0, 17 * cash // 20 // np.maximum(outdegrees, 1), 0)
    np.add.at(book.standing, graph.targets, np.repeat(shares, outdegrees))
    book.standing[pages] -= cash
    book.visited[pages] = True
    book.payees += len(pages)
    book.income += int(cash.sum()) - int((shares * outdegrees).sum())
    book.clock += int(cash.sum())
    book.last[pages] = book.clock
    book.history[pages] = np.rint(cash / DAMPING)
    book.newcomer_history = float(cash.mean()) if len(cash) else 0.0
    np.add.at(accounts.inlinks, graph.targets, 1)
    accounts.settle(graph)


# Measuring.


class Web:
    """Pages with 5 new URLs and links to known pages."""

    def __init__(self, host_of: npt.NDArray[np.int32]) -> None:
        self._host_of = host_of
        self._by_host = np.argsort(host_of, kind="stable").astype(np.int32)
        self._bounds = np.searchsorted(host_of[self._by_host], np.arange(int(host_of.max()) + 2))
        together = np.flatnonzero(np.arange(len(host_of)) % BURST < SAME_HOST)
        of_host, places = np.unique(host_of[together], return_index=True)
        self._menu = dict(zip(of_host.tolist(), together[places].tolist(), strict=True))
        self._draw = np.random.default_rng(2)
        self._next = self._size = len(host_of) // BURST * BURST

    def answer(self, page: int, url: str, host: int) -> tuple[Fetched, ParsedPage]:
        draw = self._draw
        anywhere = self._by_host[draw.integers(self._bounds[host], self._bounds[host + 1], 5)]
        popular = (self._size * draw.random(5) ** 4).astype(np.int64)
        menu, beside = self._menu.get(host, page) // BURST * BURST, page // BURST * BURST
        known = [
            *(menu + draw.integers(0, SAME_HOST, 16)).tolist(),
            *(beside + draw.integers(0, SAME_HOST, 14)).tolist(),
            *anywhere.tolist(),
            *popular.tolist(),
        ]
        urls = [
            url_of(target, int(self._host_of[target])) for target in known if target != page and target < self._size
        ]
        fresh = []
        if draw.random() < NEW_LINKS / BURST:
            others = self._host_of[draw.integers(0, self._size, BURST - SAME_HOST)]
            hosts = [host] * SAME_HOST + others.tolist()
            fresh = [url_of(self._next + k, its_host) for k, its_host in enumerate(hosts)]
            self._next += BURST
        outlinks = tuple(dict.fromkeys(urls + fresh))
        digest, payload = draw.integers(-(2**63), 2**63, 2).tolist()
        said = {"digest": digest, "payload": payload, "sketch": draw.bytes(40)}
        fetched = Fetched(url, 200, size=23456, seconds=0.123, content_type="text/html", **said)
        return fetched, ParsedPage(outlinks, ("a link",) * len(outlinks), title=_title(page))


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
    (Frontier, "best_page", "choose"),
    (Frontier, "hand_out", "hand out"),
    (KnownUrls, "url", "url of the page"),
    (KnownUrls, "find", "look up URLs"),
    (Duplicates, "likeness", "look up duplicates"),
    (Accounts, "visit", "both books"),
    (WaitingPages, "credit", "frontier: credit"),
    (Frontier, "add", "frontier: add"),
    (Frontier, "end_turn", "frontier: end of turn"),
    (Visits, "absorb", "absorb: the rest"),
    (Intake, "commit", "commit"),
    (Ranking, "settle", "virtual visits"),
)


def table_sizes(store: Path) -> dict[str, int]:
    """Bytes on disk of every table and index."""
    with sqlite3.connect(store) as db:
        return dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))


def measure(path: Path, strategy: str) -> dict[str, float]:
    """Takes up the store at `path`, and takes turns."""
    for owner, name, stage in STAGES:
        setattr(owner, name, timed(stage, getattr(owner, name)))
    figures: dict[str, float] = {}
    before, cpu, started = _resident(), time.process_time(), time.monotonic()
    writer = Writer(path)
    now = 2e9 + writer.size()  # later than what another run left behind
    intake = Intake(writer, CrawlSettings(), STRATEGIES[strategy], now)
    intake.start([], now)
    figures["start-up, s"] = time.monotonic() - started
    figures["start-up, CPU s"] = time.process_time() - cpu
    figures["resident at start, MB"] = _resident()
    figures["of which Python and libraries, MB"] = before
    figures["peak of start-up, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    known = intake.state.accounts.size
    before = _resident()
    web = Web(intake.state.frontier.pages.host_of[:known])
    of_web = _resident() - before
    taken = _take_turns(intake, web, min(WARM_UP, known // 20), now)
    spent_by_stage.clear()
    _take_turns(intake, web, TURNS, now + taken * SECONDS_PER_TURN)
    for stage, spent in spent_by_stage.items():
        figures[stage + ", us"] = 1e6 * spent / TURNS
    absorbing = sum(spent for stage, spent in spent_by_stage.items() if stage not in ("choose", "hand out"))
    figures["absorb and commit in all, us"] = 1e6 * absorbing / TURNS
    figures["resident after, less the made-up web, MB"] = _resident() - of_web
    writer.close()
    sizes = table_sizes(path)
    db = sqlite3.connect(path)
    (links, pages, urls) = db.execute(
        "SELECT (SELECT sum(length(targets)) / 4 FROM links), (SELECT count(*) FROM pages),"
        " (SELECT avg(length(url)) FROM pages WHERE id % 101 = 0)"
    ).fetchone()
    figures["bytes of a URL"] = urls
    figures["bytes of disk per known URL: table pages"] = sizes["pages"] / pages
    figures["bytes of disk per known URL: answers"] = sizes["fetches"] / pages
    figures["bytes of disk per known URL: hashes"] = sizes["url_hashes"] / pages
    figures["bytes of disk per known URL: all but links"] = (sum(sizes.values()) - sizes["links"]) / pages
    figures["bytes of disk per link"] = sizes["links"] / links
    figures["known"], figures["hosts"], figures["links"] = pages, len(intake.state.frontier.hosts), links
    return figures


def next_page(frontier: Frontier, now: float) -> int | None:
    """The best page, handed out; None where there is none."""
    page = frontier.best_page(now)
    if page is not None:
        frontier.hand_out(page, now)
    return page


def _take_turns(intake: Intake, web: Web, turns: int, now: float) -> int:
    for turn in range(turns):
        now += SECONDS_PER_TURN
        page = next_page(intake.state.frontier, now)
        while page is None:
            now = max(now, intake.state.frontier.next_ready() or now)
            page = next_page(intake.state.frontier, now)
        url = intake.state.urls.url(page)
        intake.visits.absorb(page, *web.answer(page, url, int(intake.state.frontier.pages.host_of[page])), now)
        if turn % BATCH == BATCH - 1:
            intake.commit({})
            if intake.ranking.is_due:
                intake.ranking.settle()
    intake.commit({})
    return turns


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _table(columns: list[dict[str, float]]) -> str:
    def cell(value: float) -> str:
        return f"{value:>14,.0f}" if value >= 100 else f"{value:>14.1f}"

    names = ["known", *(name for name in columns[-1] if name not in ("known",))]
    return "\n".join(f"{name:<44}" + "".join(cell(column.get(name, 0.0)) for column in columns) for name in names)


def _in_own_process(task: str, path: Path, *words_of_task: str) -> str:
    words = [sys.executable, __file__, f"--{task}", str(path), *words_of_task]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, metavar="SIZE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--strategy", choices=sorted(STRATEGIES), default="greedy", metavar="NAME")
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill, options.sizes[0])
    elif options.measure:
        print(json.dumps(measure(options.measure, options.strategy)))
    else:
        columns = []
        for size in options.sizes or SIZES:
            columns.append(_run(size, options.strategy, options.keep))
            print(f"\n{_table(columns)}", flush=True)


def _run(size: int, strategy: str, keep: Path | None) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = (keep or Path(folder)) / f"frontier-{size}.db"
        if not path.exists():
            started = time.monotonic()
            _in_own_process("fill", path, str(size))
            print(f"{path.name} filled in {time.monotonic() - started:.0f} s", file=sys.stderr)
        figures: dict[str, float] = json.loads(_in_own_process("measure", path, "--strategy", strategy))
        return figures


if __name__ == "__main__":
    main()
