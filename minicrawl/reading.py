"""The read side of a store for programs, as `minicrawl.open_store` returns it.

    with minicrawl.open_store("data/crawl.db") as store:
        print(store.top(3), store.search("asyncio", n=3), store.links(broken=True)[:3])

Everything else is grouped by subject, such as `store.hosts.all()`: see minicrawl.store.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, overload  # Any: rows

from minicrawl.analysis.explain import Explanation, explain
from minicrawl.analysis.page_links import Asked as AskedLinks
from minicrawl.analysis.page_links import PageLink, make_anchors, page_links
from minicrawl.analysis.top import lines_per_site, top_list
from minicrawl.audit.auditing import Audit, audited
from minicrawl.reasons import meaning
from minicrawl.search.searching import Asked, FoundPage, search
from minicrawl.settings import RANKINGS
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.links import LinkGraph
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store


class TopPage(NamedTuple):
    """A line of `minicrawl top`. importance: share of all. state, status: by the last answer. inlinks: pages that link
    to it. read_at: UTC."""

    rank: int
    importance: float
    url: str
    title: str | None
    state: str
    status: int | None
    inlinks: int
    read_at: datetime | None


class StoreReading(Store):
    """The read side of a store, with methods for programs."""

    def top(self, n: int = 20, by: str = RANKINGS[0]) -> list[TopPage]:
        """The first n lines of `minicrawl top`: pages that can be opened, each once, and only a few of each site if
        there are many.

            pandas.DataFrame(store.top(100))

        by: one of the rankings. Raises ConfigError, StoreError.
        """
        lines = top_list(self, by, n, per_site=lines_per_site(self)).lines
        return [_shown(line.page) for line in lines]

    def search(
        self, words: str, n: int = 10, *, sites: Iterable[str] = (), since: float | None = None
    ) -> list[FoundPage]:
        """The n best pages for `words`, by match and importance, best first.

            for page in store.search('asyncio "task group" -trio site:docs.python.org', n=5):
                print(page.rank, page.url, page.snippet.text)

        sites: hosts or domains above. since: only pages that changed or were first fetched at or after these Unix
        seconds. Raises ConfigError for words that cannot be searched for, and without an index; StoreError.
        """
        return list(search(self, words, Asked(n, tuple(sites), since)).pages)

    @overload
    def links(self) -> LinkGraph: ...
    @overload
    def links(
        self, *, broken: bool = ..., redirected: bool = ..., external: bool = ..., to: str | None = ...
    ) -> list[PageLink]: ...
    def links(
        self, *, broken: bool = False, redirected: bool = False, external: bool = False, to: str | None = None
    ) -> LinkGraph | list[PageLink]:
        """The graph of counted links; with arguments, the links that match all of them, those of the most important
        pages first.

            for link in store.links(broken=True):
                print(link.source, link.target, link.status, link.anchor)

        broken: to missing pages; redirected: to pages that redirect; external: to other sites;
        to: to this page. Raises ConfigError if that page is not known, StoreError.
        """
        asked = AskedLinks(broken, redirected, external, to)
        if not any(asked):
            return self.link_table.graph()
        with self.snapshot():
            return list(page_links(self, asked).rows())

    def why(self, url: str) -> Explanation:
        """What `minicrawl why` says of a URL: its state and reason, its host's rules, importance and links.

            print(store.why("https://example.org/about").meaning)

        Raises ConfigError unless it is a URL, StoreError.
        """
        return explain(self, url)

    def sql(self, query: str, seconds: float = 60.0) -> list[dict[str, Any]]:
        """The rows of a query that only reads, by column name, as `minicrawl sql` prints them.

            pandas.DataFrame(store.sql("SELECT host, count(*) AS pages FROM page GROUP BY host"))

        seconds: time limit. Raises ConfigError for a query that fails or takes longer, StoreError.
        """
        self.define("meaning", meaning)
        make_anchors(self)
        with self.snapshot(), self.questions.asked(query, seconds) as (columns, rows):
            return [dict(zip(columns, row, strict=True)) for row in rows]

    def audit(self, *, against: Store | None = None) -> Audit:
        """The faults of the crawled sites, the worst first.

            for found in store.audit().findings:
                print(found.rule, found.target, found.sources)

        against: an earlier crawl. Raises StoreError.
        """
        with self.snapshot():
            return audited(self, against=against)


def _shown(page: RankedPage) -> TopPage:
    read_at = None if page.fetched_at is None else datetime.fromtimestamp(round(page.fetched_at), UTC)
    importance = round(page.importance, 9)
    return TopPage(page.rank, importance, page.url, page.title, page.state, page.status, page.inlinks, read_at)


def open_store(path: str | Path, sizes: Sizes = STANDARD_SIZES) -> StoreReading:
    """The read side of the store at `path`. Raises StoreError, also for a folder of partitions: gather it first."""
    return StoreReading.at(path, sizes)
