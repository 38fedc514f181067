"""Admission of URLs to the known pages: scope, ownership and traps decide, in this order, once for each URL."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress

from minicrawl.crawler.admission.scope import Focus, Scope
from minicrawl.crawler.admission.traps import NO_CONTENT, PageContent, Traps
from minicrawl.settings import CrawlSettings

ELSEWHERE = "elsewhere"
"""The refusal of a URL that another crawl owns."""
Owns = Callable[[str], bool]
"""True for a normalised URL that this crawl owns. All URLs with one partition key have one owner."""


class Admission:
    """Scope, focus, ownership and traps. `scope`: set anew when the seeds are known. `traps`: None if switched off."""

    def __init__(
        self,
        settings: CrawlSettings,
        traps: Traps | None = None,
        owns: Owns | None = None,
        *,
        mirrors: bool = False,
    ) -> None:
        """owns: None if this crawl owns every URL. mirrors: URLs of others become known all the same, and their owner
        judges them."""
        self._of_others = None if mirrors else ELSEWHERE
        self._settings = settings
        self._owns = owns
        self.focus = Focus.of(settings)
        self.scope = Scope.of(settings, ())
        self.traps = traps

    def begin(self, seeds: Iterable[str]) -> None:
        """Set the scope from all seeds."""
        self.scope = Scope.of(self._settings, seeds)

    def adjust(self, settings: CrawlSettings, seeds: Iterable[str] | None) -> None:
        """Go on with another scope and focus. seeds: all of them; None keeps the seeds' places."""
        self._settings = settings
        self.focus = Focus.of(settings)
        places = self.scope.places
        self.scope = Scope.of(settings, seeds or ())
        if seeds is None:
            self.scope = replace(self.scope, places=places)

    def widen(self, seeds: Iterable[str]) -> None:
        """Add the places of more seeds to the scope."""
        more = Scope.of(self._settings, seeds)
        self.scope = replace(more, places=self.scope.places | more.places)

    def protect(self, urls: Iterable[str]) -> None:
        """Exempt the domains of these URLs, which are seeds or stand for seeds, from budgets."""
        if self.traps is not None:
            self.traps.protect(urls)

    def owned(self, urls: Sequence[str]) -> Sequence[str]:
        """The URLs that this crawl owns, or admits as mirrors."""
        return urls if self._owns is None or self._of_others is None else list(filter(self._owns, urls))

    def refusals(self, source: str, content: PageContent, urls: Sequence[str]) -> Sequence[str | None]:
        """The rule that refuses each unknown URL in scope, or None: it is known from now on.

        source: URL of the page that links to them. content: that page's, if this is its first turn.
        """
        if self._owns is None:
            return [] if self.traps is None else self.traps.refusals(source, content, urls)
        own = list(map(self._owns, urls))
        of_own = [] if self.traps is None else self.traps.refusals(source, content, list(compress(urls, own)))
        judged = chain(of_own, iter(lambda: None, 0))
        return [next(judged) if is_own else self._of_others for is_own in own]

    def refusal(self, source: str, url: str) -> str | None:
        """`refusals` for one URL that the page at `source` stands for."""
        return next(iter(self.refusals(source, NO_CONTENT, [url])), None)
