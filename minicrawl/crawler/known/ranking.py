"""Virtual visits: pages pass on their cash along stored links, without a request."""

from minicrawl.crawler.books.stored import JUMP
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.opic.arrays import slices
from minicrawl.opic.book import SETTLED_ERROR
from minicrawl.opic.sites import SiteShares
from minicrawl.settings import BY_SITES

VIRTUAL_VISITS_PER_TURN, _OF_A_CRAWL_BY_COVERAGE = 4, 16
"""A crawl that ends by coverage makes more of them: cash not yet passed on keeps the bound down."""
_PAGES_PER_LOOK = 1000
"""Selecting visits reads every page: this many per turn, some 10 us."""


class Ranking:
    """Keeps importance close to the links: some virtual visits while the crawl runs, all of them at its end. Where
    walkers jump to sites, births are shared out by the trust of sites first."""

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        self._accounts = state.accounts
        self._pages = state.pages
        self._writer = state.writer
        self._sites = state.sites
        self._turns = 0  # since the last virtual visits

    @property
    def is_coverage_old(self) -> bool:
        """True if a crawl that ends by coverage has grown since that was computed; a commit computes it again."""
        return self._sites is not None and self._accounts.coverage.ends_crawl and self._sites.is_due

    def keep_up(self) -> None:
        """Share births out again and make virtual visits, if the crawl has grown enough. All must be committed."""
        if self._sites is not None and self._sites.is_due:
            self._sites.work_out()
            self._note_births()
            self.settle()
        elif self.is_due:
            self.settle()

    def share_births_out(self, shares: SiteShares, *, exactly: bool) -> None:
        """Share births out as `KnownSites.share_out` does, and settle."""
        assert self._sites is not None, "walkers jump to sites"
        self._sites.share_out(shares, exactly=exactly)
        self._note_births()
        self.settle()

    def note_turn(self, links: int) -> None:
        """Count the turn of a page with `links` links; one without has nothing to pass on."""
        self._turns += links > 0

    def _note_births(self) -> None:
        """Count new births: they leave as much to pass on as turns of a twentieth of the pages."""
        self._turns += 1 + self._accounts.turns // 20

    @property
    def is_due(self) -> bool:
        """True if the crawl has grown by a tenth since the last virtual visits: a round rewrites most accounts, and
        this way a busy crawl writes each a bounded number of times."""
        return 10 * self._turns > self._accounts.turns

    def settle(self) -> int:
        """Make virtual visits along committed links: some for every turn since the last ones, the most worthy first,
        then to their receivers; and reorder the frontier. Returns their number.
        """
        most = self._turns * (
            _OF_A_CRAWL_BY_COVERAGE if self._accounts.coverage.ends_crawl else VIRTUAL_VISITS_PER_TURN
        )
        visits, is_worth_a_look = 0, most > 0 and self._turns * _PAGES_PER_LOOK >= self._accounts.size
        self._turns = 0 if is_worth_a_look else self._turns
        while is_worth_a_look:
            worthy = self._accounts.book.due(most - visits)
            # The store lacks the links of pages visited since the last commit, which the book has.
            due = [page for page in worthy.tolist() if page not in self._pages.links]
            for some in slices(len(due), self._writer.sizes.settled):
                self._accounts.settle(self._writer.link_table.graph_of(due[some]))
            visits += len(due)
            is_worth_a_look = visits < most and len(due) * _PAGES_PER_LOOK > self._accounts.size
        self._state.frontier.reorder()
        return visits

    def let_jump_alike(self) -> None:
        """Let walkers jump to all pages alike, all being committed; if they did not, settle the ranking again. The next
        commit deletes the sites and the births of all pages."""
        if self._writer.meta(JUMP) != BY_SITES:
            return
        book = self._accounts.book
        before = book.twentieths
        book.share_births_alike()
        with self._writer.link_table.kept_blocks() as blocks:
            self._accounts.resend(blocks, before)
            self._accounts.settle_fully(blocks, SETTLED_ERROR)

    def settle_fully(self, error: float = SETTLED_ERROR) -> None:
        """Make virtual visits until ranking and depths are exact for the known graph, within `error`."""
        if self._sites is not None:
            self._sites.work_out(exactly=True)
        with self._writer.link_table.kept_blocks() as blocks:
            self._accounts.settle_fully(blocks, error)
            self._accounts.shorten(blocks)
