"""Whether a URL may become known, and with how much cash.

Whether: scope, ownership and traps, asked in this order, of each URL once. How much: the strategy and the focus.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress

from minicrawl.crawler.admission.focus import Focus, SeenTypes
from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.admission.traps.traps import NO_CONTENT, PageContent, Traps
from minicrawl.opic import Adaptive, Strategy, seed_grant
from minicrawl.settings import CrawlSettings

ELSEWHERE = "elsewhere"
"""The answer for a URL that this crawl does not own: its pages are the business of another one."""
Owns = Callable[[str], bool]
"""Whether a normalised URL is this crawl's own. All URLs with one partition key have one owner."""


class Admission:
    """Scope, focus, ownership and traps. `scope`: set anew when the seeds are known. `traps`: None if switched off."""

    def __init__(  # noqa: PLR0913 - what it may be told, the rest by name
        self,
        settings: CrawlSettings,
        strategy: Strategy,
        traps: Traps | None = None,
        owns: Owns | None = None,
        *,
        mirrors: bool = False,
        types: SeenTypes | None = None,
    ) -> None:
        """owns: None if every URL is this crawl's own. mirrors: whether those that are not become known all the same,
        for who owns them to judge. types: of pages that were read, where some are wanted."""
        self._of_others = None if mirrors else ELSEWHERE
        self._settings = settings
        self._strategy = strategy
        self._owns = owns
        self.focus = Focus.of(settings, types)
        self.scope = Scope.of(settings, ())
        self.traps = traps

    def begin(self, seeds: Iterable[str]) -> None:
        """Set the scope by all seeds there are."""
        self.scope = Scope.of(self._settings, seeds)

    def adjust(self, settings: CrawlSettings, seeds: Iterable[str] | None) -> None:
        """Go on with another scope and focus. seeds: all there are; None where their places stay the same."""
        self._settings = settings
        self.focus = Focus.of(settings, self.focus.types)
        places = self.scope.places
        self.scope = Scope.of(settings, seeds or ())
        if seeds is None:
            self.scope = replace(self.scope, places=places)

    def widen(self, seeds: Iterable[str]) -> None:
        """Let the scope have the places of more seeds."""
        more = Scope.of(self._settings, seeds)
        self.scope = replace(more, places=self.scope.places | more.places)

    def protect(self, urls: Iterable[str]) -> None:
        """The domains of these URLs, which are seeds or stand for seeds, have no budget."""
        if self.traps is not None:
            self.traps.protect(urls)

    def owned(self, urls: Sequence[str]) -> Sequence[str]:
        """The URLs that are this crawl's own, or become known though they are not."""
        return urls if self._owns is None or self._of_others is None else list(filter(self._owns, urls))

    def refusals(self, source: str, content: PageContent, urls: Sequence[str]) -> Sequence[str | None]:
        """Per unknown URL in scope the rule by which it may not become known, or None: it is known from now on.

        source: the URL of the page with links to them. content: of that page, if this is its first turn.
        """
        if self._owns is None:
            return [] if self.traps is None else self.traps.refusals(source, content, urls)
        own = list(map(self._owns, urls))
        of_own = [] if self.traps is None else self.traps.refusals(source, content, list(compress(urls, own)))
        judged = chain(of_own, iter(lambda: None, 0))
        return [next(judged) if is_own else self._of_others for is_own in own]

    def refusal(self, source: str, url: str) -> str | None:
        """The same for one URL that the page at `source` stands for."""
        return next(iter(self.refusals(source, NO_CONTENT, [url])), None)

    def note_links(self, host: str, others: Iterable[str]) -> None:
        """Pages on a host link to these other hosts, whose domains may have more pages by that."""
        if self.traps is not None:
            self.traps.budgets.linked(host, others)

    def note_address(self, host: str, address: str) -> None:
        """A name server gave the IP address of a host."""
        if self.traps is not None:
            self.traps.budgets.located(host, address)

    def seed_grant(self, book: Adaptive, seeds: int) -> int:
        """The cash that each of so many new seeds is born with."""
        return seed_grant(self._strategy, book, seeds)

    def grants(self, urls: Sequence[str], grant: int, listed_by: str = "") -> list[int]:
        """The cash that new pages are born with, of `grant` each, if the strategy has pages born with any. listed_by:
        the sitemap that names them all."""
        grant = grant if self._strategy.birth_grants else 0
        if self.focus.is_off:
            return [grant] * len(urls)
        return [int(grant * self.focus.factor(url, listed_by=listed_by)) for url in urls]

    def note_read(self, url: str, content_type: str | None) -> None:
        """A page was read for the first time."""
        if self.focus.types is not None:
            self.focus.types.note(url, content_type)
