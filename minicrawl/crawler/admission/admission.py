"""Admission of URLs to the known pages: scope and traps decide, in this order, once for each URL."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import compress

from minicrawl.crawler.admission.scope import Focus, Scope
from minicrawl.crawler.admission.traps import NO_CONTENT, PageContent, Traps
from minicrawl.settings import CrawlSettings


class Admission:
    """Scope, focus and traps. `scope`: set anew when the seeds are known. `traps`: None if switched off."""

    def __init__(
        self, settings: CrawlSettings, traps: Traps | None = None, is_own: Callable[[str], bool] | None = None
    ) -> None:
        """is_own: True for a URL of this partition; those of others become known, and their homes judge them. None: all
        are."""
        self._settings = settings
        self._is_own = is_own
        self.focus = Focus(settings)
        self.scope = Scope.of(settings, ())
        self.traps = traps

    def begin(self, seeds: Iterable[str]) -> None:
        """Set the scope from all seeds."""
        self.scope = Scope.of(self._settings, seeds)

    def adjust(self, settings: CrawlSettings, seeds: Iterable[str] | None) -> None:
        """Go on with another scope and focus. seeds: all of them; None keeps the seeds' places."""
        self._settings = settings
        self.focus = Focus(settings)
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

    def refusals(self, source: str, content: PageContent, urls: Sequence[str]) -> Sequence[str | None]:
        """The rule that refuses each unknown URL in scope, or None: it is known from now on.

        source: URL of the page that links to them. content: that page's, if this is its first turn.
        """
        if self.traps is None or self._is_own is None:
            return [] if self.traps is None else self.traps.refusals(source, content, urls)
        own = list(map(self._is_own, urls))
        judged = iter(self.traps.refusals(source, content, list(compress(urls, own))))
        return [next(judged, None) if is_own else None for is_own in own]

    def refusal(self, source: str, url: str) -> str | None:
        """`refusals` for one URL that the page at `source` stands for."""
        return next(iter(self.refusals(source, NO_CONTENT, [url])), None)
