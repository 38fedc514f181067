"""Preferences on the use of pages, by all that their sites and they themselves say, and pages left out for these."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from minicrawl.analysis.top import Ranked
from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.store.reader import Store
from minicrawl.web.robots.preferences import Decision, Preferences, Statement, decisions, of_page, preferences_of
from minicrawl.web.robots.rules import RobotsRules, restored
from minicrawl.web.urls.keys import origin_of

_ORIGINS = 1_000
"""Origins whose robots.txt is in memory."""
_AT_ONCE = 500


class PageUsage:
    """The preferences of a store's pages, for the crawl's user agent. respected: uses that the crawl respects.
    left_out: read pages so far that forbid one of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        settings = kept_settings(store)
        self._agent, self.respected = settings.user_agent, settings.respect_usage
        self.left_out = 0
        self._robots = lru_cache(_ORIGINS)(self._read)

    def statements(self, url: str, said: str | None = None) -> list[Statement]:
        """All statements about a URL that count. said: the page's own, as the store keeps them."""
        origin = origin_of(url)
        robots = self._robots(origin)
        found = [] if robots is None else robots.statements(self._agent, url, f"{origin}/robots.txt")
        return [*found, *(of_page(said) if said else ())]

    def decisions(self, url: str, page: int | None = None) -> dict[str, Decision]:
        """The decision on each use of a URL, by use. page: its number, if it is known."""
        said = None if page is None else self._store.page_table.on_use([page]).get(page)
        return decisions(self.statements(url, said))

    def of_pages(self, urls: Mapping[int, str]) -> dict[int, Preferences]:
        """The preferences of some pages, by number. urls: of these."""
        said = self._store.page_table.on_use(urls)
        return {number: preferences_of(self.statements(url, said.get(number))) for number, url in urls.items()}

    def usable(self, ranked: Ranked) -> Ranked:
        """Ranked pages without those that were read and do not want a use that the crawl respects."""
        if not self.respected:
            yield from ranked
            return
        while some := list(islice(ranked, _AT_ONCE)):
            read = {number: page.url for number, page, _ in some if page.status is not None}
            unwanted = {page for page, says in self.of_pages(read).items() if says.forbids(self.respected)}
            self.left_out += len(unwanted)
            yield from (each for each in some if each[0] not in unwanted)

    def _read(self, origin: str) -> RobotsRules | None:
        """The robots.txt of an origin; None if it says nothing on use."""
        robots = self._store.hosts.robots(origin)
        says = robots is not None and b"content-" in robots.body.lower()
        return restored(*robots).rules if robots is not None and says else None
