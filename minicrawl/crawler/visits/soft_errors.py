"""Pages that are soft 404s: they are errors from then on, and pages again should they turn out to be none.

How they are recognised is in `soft404`; here is what the crawl does about it.
"""

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.tally import Tally
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.recognise.soft404 import Judged, Soft404s, comparable
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.model import Fetched, State
from minicrawl.opic.coverage import PageKind
from minicrawl.store.links import NOWHERE, placed


class SoftErrors:
    """Takes pages that were read before for errors, or for none any more, as it is found out."""

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        soft404s: Soft404s,
        accounts: Accounts,
        pages: KnownPages,
        aliases: Aliases,
        duplicates: Duplicates,
        tally: Tally,
    ) -> None:
        self._soft404s = soft404s
        self._accounts = accounts
        self._pages = pages
        self._aliases = aliases
        self._duplicates = duplicates
        self._tally = tally

    def is_soft_404(self, page: int, fetched: Fetched) -> bool:
        """Whether a page that was just read is one that its host does not have; what follows for others is seen to."""
        answer, is_seed = comparable(fetched), bool(self._accounts.depth[page] == 0)
        if answer is None or (is_seed and answer is not fetched):
            return False
        judged = self._soft404s.read(page, answer, is_there=is_seed)
        self._restate(judged, but=page)
        return self._soft404s.is_soft_404(page, fetched.url)

    def note_probe(self, fetched: Fetched, now: float) -> None:
        """Note what a host answered for a page that cannot exist."""
        self._restate(self._soft404s.note_answer(fetched, now))

    def _restate(self, judged: Judged, but: int = -1) -> None:
        """but: the page whose turn it is."""
        for page in judged.lost:
            if page != but and self._is_read_or_redirect(page):
                self._take_for_error(page)
        for page in judged.regained:
            is_error = page != but and self._pages.last_state(page) == State.ERROR
            if is_error and self._pages.last_turn(page).reason == "soft-404" and self._own(page) is not None:
                self._take_for_page(page)

    def _own(self, page: int) -> bytes | None:
        """The links of a page itself where others count in their place, or none; None: it is or was a redirect."""
        return self._pages.links_row(page).own

    def _is_read_or_redirect(self, page: int) -> bool:
        state = self._pages.last_state(page)
        return state == State.FETCHED or (state == State.ALIAS and self._own(page) is None)

    def _take_for_error(self, page: int) -> None:
        row = self._pages.links_row(page)
        self._accounts.relink(page, NOWHERE, placed(row.targets, row.places), PageKind.NOTHING)
        if self._pages.last_state(page) == State.ALIAS:
            row = row._replace(targets=b"", places=None)
        else:
            row = row._replace(targets=b"", own=row.targets, places=None, own_places=row.places)
        self._pages.relink(row)
        self._pages.restate(page, State.ERROR, "soft-404")
        self._duplicates.forget(page)
        self._tally.failures["soft-404"] += 1
        self._aliases.void_hints_to(page)

    def _take_for_page(self, page: int) -> None:
        self._aliases.give_links_back(page, "ok")
        self._tally.failures["soft-404"] -= 1
