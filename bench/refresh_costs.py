"""What it costs to choose a page to fetch again, and what a 304 costs beside a page that is read.

    python bench/refresh_costs.py FILE.html [--pages 20000]

CPU time of one thread. A choice: a page is handed out of all that wait, on 200 hosts, and is put back. A 304 and a page
are taken in by the whole crawl but the network: HTML is parsed, the books and the store are written. On the wire: head
and body of a request with both validators, and of the 304, with the fields that nginx sends.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.crawler.html.parse import parse_html
from minicrawl.model import Fetched, ParsedPage, Wanted
from minicrawl.opic import STRATEGIES, Adaptive, DiscoveryBudget, Ledger
from minicrawl.opic.window import Basic
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer

_HOSTS, _CHOICES, _TURNS = 200, 20_000, 2_000
_ANSWER = (
    b"HTTP/1.1 304 Not Modified\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
    b'Last-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\nConnection: keep-alive\r\nETag: "65a1b2c3-1f40"\r\n\r\n'
)


def next_page(frontier: Frontier, now: float) -> int | None:
    """The best page, handed out; None where there is none."""
    page = frontier.best_page(now)
    if page is not None:
        frontier.hand_out(page, now)
    return page


def choice(pages: int) -> tuple[float, float]:
    """Seconds of a choice with the turn of its host, and of what it has to do with due times alone."""
    book, ledger = Adaptive(), Ledger()
    due = DuePages(ledger, ByWorth(1.0, 1e7), waits=True, is_patient=False)
    frontier = Frontier(book, STRATEGIES["greedy"], DiscoveryBudget(0.7), due=due)
    hosts = [frontier.add_host(f"h{number}", 0.0) for number in range(_HOSTS)]
    none = np.zeros(0, dtype=np.int32)
    ledger.discover(pages)
    rates = np.random.default_rng(0).lognormal(-12.0, 1.5, pages)
    book.discover([1] * pages)
    frontier.pages.grow(pages)
    for page in range(pages):
        frontier.pages.place(page, hosts[page % _HOSTS])
        book.visit(page, none)
        ledger.visit(page, none)
        due.add(hosts[page % _HOSTS])
        due.fetched(page, 0.0, float(rates[page]))
        frontier.pages.forget(page)
        frontier.put_back(page, 0.0)
    now = 1e6
    next_page(frontier, now)
    began = time.thread_time()
    for _ in range(_CHOICES):
        now += 1.0
        chosen = next_page(frontier, now)
        assert chosen is not None
        frontier.release(chosen, now)
        due.fetched(chosen, now, float(rates[chosen]))
        frontier.put_back(chosen, now)
    whole = (time.thread_time() - began) / _CHOICES
    began = time.thread_time()
    for page in range(_CHOICES):
        due.fetched(page % pages, now, 1e-5)
    alone = (time.thread_time() - began) / _CHOICES
    return whole, alone


def turns(html: bytes, folder: Path, *, is_same: bool) -> float:
    """CPU seconds of a turn of a page that is fetched again."""
    settings = CrawlSettings.of({"delay": 0.0, "refresh": True, "probe": False, "refresh_min": "1s", "pages": 10**9})
    writer = Writer(folder / f"{is_same}.db")
    absorber = Absorber(writer, settings, STRATEGIES["greedy"], Basic(), 0.0)
    home, wanted = "http://a.test/", Wanted(places=True, blocks=True)
    absorber.start([home], 0.0)
    read = Fetched(home, 200, html, content_type="text/html", size=len(html), etag='"v"')
    page = next_page(absorber.frontier, 0.0)
    assert page is not None
    absorber.visits.absorb(page, read, parse_html(html, home, "text/html", wanted), 0.0)
    absorber.commit({})
    began = time.thread_time()
    for turn in range(1, _TURNS + 1):
        now = 10.0 * turn
        while (waiting := next_page(absorber.frontier, now)) is not None:
            if waiting == page:
                if is_same:
                    unchanged = Fetched(home, 304, not_modified=True, etag='"v"')
                    absorber.visits.absorb(page, unchanged, ParsedPage(), now)
                else:
                    absorber.visits.absorb(page, read, parse_html(html, home, "text/html", wanted), now)
                break
            absorber.visits.absorb(waiting, Fetched(absorber.urls.url(waiting), 404), ParsedPage(), now)
        if turn % 200 == 0:
            absorber.commit({})
    spent = (time.thread_time() - began) / _TURNS
    writer.close()
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", type=int, default=20_000)
    asked = parser.parse_args()
    whole, alone = choice(asked.pages)
    print(
        f"a choice {1e6 * whole:.1f} us with the turn of its host; to work out when a page is due {1e6 * alone:.1f} us"
    )
    html = asked.file.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        read = turns(html, Path(folder), is_same=False)
        same = turns(html, Path(folder), is_same=True)
    print(f"a page of {len(html):,} bytes {1e6 * read:.0f} us, a 304 {1e6 * same:.0f} us: {same / read:.0%}")
    print(f"a 304 on the wire: {len(_ANSWER)} bytes")


if __name__ == "__main__":
    main()
