"""Requests for three pages of a host, begun and answered by hand; whoever wants a probe in their place gets it once."""

from pathlib import Path

from support.absorbing import HOME, absorber_of
from support.sites import rows

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.requests.page import Pages, PageTurn
from minicrawl.model import Fetched

A, B = HOME + "a", HOME + "b"
PROBED = HOME + "cannot-exist"


class Probing:
    """Wants one URL of every origin, once."""

    def __init__(self) -> None:
        self.due_urls = {HOME.rstrip("/"): PROBED}
        self.answers: list[Fetched] = []

    def due(self, origin: str) -> str | None:
        return self.due_urls.pop(origin, None)

    def put_back(self, url: str) -> None:
        self.due_urls[HOME.rstrip("/")] = url

    def absorb(self, fetched: Fetched, now: float) -> None:
        self.answers.append(fetched)


class Asking:
    def __init__(self, store: Path, allowed: bool = True) -> None:
        self.absorber: Absorber = absorber_of(store, ignore_robots=True)
        self.absorber.start([HOME, A, B], 0.0)
        self.probes = Probing()
        urls, guesses = self.absorber.urls, self.absorber.guesses
        self.pages = Pages(self.absorber.visits, guesses, self.probes, lambda url: allowed, self.absorber.turns, urls)

    def next(self, now: float = 0.0) -> PageTurn:
        page = self.absorber.frontier.best_page(now)
        assert page is not None
        return self.pages.request(page)

    def state(self, url: str) -> tuple[str, str]:
        self.absorber.commit({})
        (found,) = rows(self.absorber.writer.path, "SELECT state, reason FROM pages WHERE url = ?", url)
        return found[0], found[1]
