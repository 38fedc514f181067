"""Which URLs may become known: those within the scope, of a bearable length, and of sites that have room."""

from collections.abc import Callable, Iterable, Sequence

from minicrawl.crawler.admission.budgets import Budgets
from minicrawl.crawler.admission.scope import Focus, Scope
from minicrawl.settings import CrawlSettings
from minicrawl.store.recognised import RefusedRow
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import politeness_key
from minicrawl.web.urls.normalise import MAX_URL_LENGTH

_MOST_COUNTED = 100_000


class Admission:
    """Scope, focus and budgets. `scope`: set again when the seeds are known. `budgets`: None if sites have none."""

    def __init__(
        self,
        settings: CrawlSettings,
        refused: Iterable[RefusedRow] = (),
        budgets: Budgets | None = None,
        is_own: Callable[[str], bool] | None = None,
    ) -> None:
        """refused: rows of the store. is_own: True for a URL of this partition; those of others become known, and their
        homes judge them. None: all are."""
        self._settings = settings
        self._is_own = is_own
        self.focus = Focus(settings)
        self.scope = Scope(settings, ())
        self.budgets = budgets
        self._refused = {(row.name, row.rule): row for row in refused}
        self._changed: set[tuple[str, str]] = set()
        self._counted: set[int] = set()  # refused URLs of this run, so that each counts once

    def begin(self, seeds: Iterable[str]) -> None:
        self.scope = Scope(self._settings, seeds)

    def adjust(self, settings: CrawlSettings, seeds: Iterable[str] | None) -> None:
        """Go on with another scope and focus. seeds: all of them; None keeps the seeds' places."""
        self._settings = settings
        self.focus = Focus(settings)
        places = self.scope.places
        self.scope = Scope(settings, seeds or ())
        if seeds is None:
            self.scope.places = places

    def widen(self, seeds: Iterable[str]) -> None:
        """Add the places of more seeds to the scope."""
        self.scope.places |= Scope(self._settings, seeds).places

    def protect(self, urls: Iterable[str]) -> None:
        """Exempt the domains of these URLs, which are seeds or stand for seeds, from budgets."""
        if self.budgets is not None:
            self.budgets.protect(map(politeness_key, urls))

    def refusals(self, urls: Sequence[str]) -> list[str | None]:
        """The rule that refuses each unknown URL in scope, or None: it is known from now on."""
        return list(map(self.refusal, urls))

    def refusal(self, url: str) -> str | None:
        """`refusals` for one URL."""
        if len(url) > MAX_URL_LENGTH:
            return self._note_refused(politeness_key(url), "too-long", url)
        if self.budgets is None or (self._is_own is not None and not self._is_own(url)):
            return None
        host = politeness_key(url)
        if (refusal := self.budgets.refusal(host)) is not None:
            rule, name = refusal
            return self._note_refused(name, rule, url)
        self.budgets.add(host)
        return None

    def _note_refused(self, name: str, rule: str, url: str) -> str:
        if (hashed := hash(url)) in self._counted:
            return rule
        if len(self._counted) < _MOST_COUNTED:
            self._counted.add(hashed)
        row = self._refused.get((name, rule)) or RefusedRow(name, rule, 0, url)
        self._refused[name, rule] = row._replace(urls=row.urls + 1)
        self._changed.add((name, rule))
        return rule

    def save(self, writer: Writer) -> None:
        writer.put(RefusedRow, (self._refused[key] for key in sorted(self._changed)))
        self._changed.clear()
