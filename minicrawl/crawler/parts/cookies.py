"""Cookies (--cookies), kept from run to run."""

from typing import TYPE_CHECKING, Self

from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.store.write.cookie_rows import CookieRow
from minicrawl.store.writer import Writer

if TYPE_CHECKING:
    from minicrawl.crawler.http.saved_cookies import KeptCookies


class Cookies(Part):
    """Sends cookies with requests, and saves them.

    A partition has the cookies of its own hosts. It leaves the user's file to be written with those of all partitions.
    """

    def __init__(self, kept: "KeptCookies", *, writes_file: bool) -> None:
        self._kept = kept
        self._writes_file = writes_file

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings, share = opening.settings, opening.share
        if not settings.takes_cookies:
            return None
        from minicrawl.crawler.http.saved_cookies import KeptCookies  # noqa: PLC0415 - few crawls keep cookies

        if share is None:
            return cls(KeptCookies(opening.state.writer, settings.cookie_file), writes_file=True)

        def is_own(host: str) -> bool:
            return share.home_of(f"http://{host}/") == share.here

        return cls(KeptCookies(opening.state.writer, settings.cookie_file, is_own), writes_file=False)

    def source(self, source: PageSource) -> PageSource:
        from minicrawl.crawler.sources.with_cookies import WithCookies  # noqa: PLC0415

        return WithCookies(source, self._kept.jar)

    def rows(self) -> list[CookieRow]:
        """The cookies for the user's file."""
        return self._kept.rows()

    def save(self, writer: Writer) -> None:
        self._kept.save(writer)

    def finish(self) -> None:
        if self._writes_file:
            self._kept.end()
