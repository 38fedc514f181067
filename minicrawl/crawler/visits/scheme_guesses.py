"""Seeds given without a scheme: https is tried first, then http."""

from collections.abc import Iterable

from minicrawl.crawler.admission.seeds import in_plain_http
from minicrawl.crawler.known.discovery import Discovery
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.outcomes.outcome import NO_CONNECTION


class SchemeGuesses:
    """The pages whose scheme was guessed, until one has been connected to, or the guess was wrong."""

    def __init__(self, urls: KnownUrls, discovery: Discovery) -> None:
        self._urls = urls
        self._discovery = discovery
        self._guessed: set[int] = set()
        self._wrong: dict[int, str] = {}

    def begin(self, guessed: Iterable[str]) -> None:
        """Note the URLs of known seeds whose https was guessed."""
        self._guessed |= {page for page in self._urls.find(list(guessed)) if page is not None}

    def doubt(self, page: int, reason: str, now: float) -> None:
        """Take in a failed connection for a page: if https was a guess, the page in plain http is a seed."""
        if page in self._guessed and (reason in NO_CONNECTION or reason.startswith("tls")):
            self._guessed.remove(page)
            self._wrong[page] = reason
            for _ in self._discovery.know_seeds([in_plain_http(self._urls.url(page))], now, 1):
                pass

    def wrong(self, page: int) -> str | None:
        """The reason not to fetch a page, if https was a wrong guess."""
        return self._wrong.get(page)
