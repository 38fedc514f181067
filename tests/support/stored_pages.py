"""Pages in a store, as a crawl writes them: for tests of the store that need no crawl."""

from collections.abc import Sequence

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import account_totals
from minicrawl.store.hosts import HostRow
from minicrawl.store.pages import Account, Fetch, NewPage, Turn
from minicrawl.store.writer import Writer

NEWCOMER = Account(0, 0, False, 100, 0, 0.0, 0.0, 0)


def add_pages(writer: Writer, urls: Sequence[str], *, first: int = 0, found_on: int | None = None) -> None:
    """Pages with these URLs, numbered from `first` on, which wait for their first turn on host 0."""
    numbers = range(first, first + len(urls))
    reason = "seed" if found_on is None else "link"
    with writer.transaction():
        writer.put(HostRow, [HostRow(0, "a.test", 0.0, 0.0)])
        writer.add_pages(
            [NewPage(page, url, 0, found_on, reason) for page, url in zip(numbers, urls, strict=True)],
            [(*NEWCOMER, page) for page in numbers],
        )
        writer.save_meta(account_totals(Accounts()))


def answer(title: str | None = None, *, status: int = 200, at: float = 1.0) -> Fetch:
    return Fetch(status, at, 0.5, 100, "text/html", title)


def turn(page: int, state: str = "fetched", reason: str = "ok", fetch: Fetch | None = None) -> Turn:
    return Turn(page, state, reason, 0, fetch)
