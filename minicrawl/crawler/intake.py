"""Take in results of requests, and commit them.

Each batch is one transaction: page numbers, the book and its clock in it belong together.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

import numpy as np

from minicrawl.crawler.admission.seeds import in_plain_http
from minicrawl.crawler.books.stored import JUMP, SHARED_BY, SHARED_OUT, account_rows, account_totals
from minicrawl.crawler.known.crawl_state import BY_ITSELF, CrawlState, Terms
from minicrawl.crawler.known.ranking import Ranking
from minicrawl.crawler.loop.measurements import CommitCounts
from minicrawl.crawler.requests.robots import RobotsFiles
from minicrawl.crawler.requests.sitemap import Sitemaps
from minicrawl.crawler.steps import STEPS
from minicrawl.crawler.steps.refresh import Refresh
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.step import Opening, Step, Steps
from minicrawl.crawler.visits.turn import DeepLinks
from minicrawl.crawler.visits.visit import Visits
from minicrawl.opic.arrays import slices
from minicrawl.setting import BOUNDS, FAVOURS, PACES, REREADS
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.settings.options import BY_PAGES, marked
from minicrawl.store.declaration import MetaValue
from minicrawl.store.pages import CREDITED_COLUMNS, Account
from minicrawl.store.writer import Writer
from minicrawl.system import give_memory_back

_FEWEST_TURNS, _MOST_TURNS, _PART = 256, 1_024, 4
_PACES = marked(PACES)
_BOUNDS = marked(BOUNDS)
_FAVOURS = marked(FAVOURS)
_ASKS = _BOUNDS | marked(REREADS) | {"ignore_robots", "jump", "sitemaps", "traps"}
"""Settings that say which pages and links there are, and what walkers do."""


class Intake:
    """`visits` takes in answers for pages, `robots` and `sitemaps` theirs, `steps` those to probes.

    savers: called by a commit, in this order, to write all changes since the last one, within its transaction.
    """

    def __init__(
        self,
        writer: Writer,
        settings: CrawlSettings,
        now: float,
        terms: Terms = BY_ITSELF,
        kinds: Iterable[type[Step]] = STEPS,
    ) -> None:
        """kinds: of steps, in order. Raises SettingError, StoreError."""
        state = self.state = CrawlState(writer, settings, now, terms)
        kept, given = writer.meta_json("settings"), json.loads(settings.to_json(writer.path.parent))
        if all(kept.get(name) == given[name] for name in _ASKS):
            state.accounts.take_share(writer.coverage())
        deep_links = DeepLinks(state)
        aliases = Aliases(state, deep_links)
        opening = Opening(state, settings, aliases, now, [])
        steps = self.steps = Steps(kinds, opening)
        ranking = self.ranking = Ranking(state)
        refresh = steps.find(Refresh)
        lastmods = None if refresh is None or state.due is None else refresh.note_lastmods
        sitemaps = self.sitemaps = Sitemaps(state, opening.plain, lastmods, is_on=settings.sitemaps)
        self.robots = RobotsFiles(state, settings)
        self.visits = Visits(state, aliases, deep_links, sitemaps, ranking, opening.plain_links, steps)
        self.robots.judge = self.visits.judge.on_robots
        self.visits.judge.is_on = not settings.from_archive
        self.visits.heeds_robots = not settings.ignore_robots
        of_state = [state.outbox, state.pages, state.hosts, state.interests, state.sites, state.admission]
        parts = [*of_state, sitemaps.queue, self.robots]
        self.savers: list[Callable[[Writer], None]] = [one.save for one in [*parts, *steps] if one is not None]
        self._committed = state.accounts.size
        self.commits = CommitCounts(lambda: writer.rows_written)
        self._scope: list[str] = []  # seeds that it does not make known: other partitions', or in plain HTTP

    # Seeds.

    def start(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> None:
        """Run `starting` to the end."""
        for _ in self.starting(seeds, now, guessed):
            pass

    def starting(
        self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset(), scope: Sequence[str] = ()
    ) -> Iterator[None]:
        """Set the scope by all seeds this store ever had, and make the new ones known, step by step.

        Known pages may be committed after every step. No request may leave before the last one.
        guessed: seeds whose https was guessed. scope: more seeds, which other partitions have.
        """
        state, writer = self.state, self.state.writer
        in_http = list(map(in_plain_http, guessed))
        self._scope = [*scope, *in_http]
        state.admission.begin([*writer.page_table.roots(), *seeds, *self._scope])
        state.admission.protect(in_http)
        for known, depths in state.discovery.know_seeds(seeds, now, writer.sizes.seeds):
            self.visits.deep_links.note_nearer(known, depths)
            yield
        self.visits.guesses.begin(guessed)
        self.visits.deep_links.follow_further(now)
        if state.sites is not None:
            state.sites.begin()
        state.frontier.reorder()
        self.visits.judge.begin(now)
        give_memory_back()  # all rows are in arrays by now: this frees a fifth with ten million pages

    def seeds(self) -> list[str]:
        """All seeds that set the scope, and the pages that they lead to."""
        writer = self.state.writer
        uncommitted = [page.url for page in self.state.pages.new if page.found_on is None]
        return [*writer.page_table.roots(), *uncommitted, *self._scope]

    def add_seeds(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> None:
        """Make more seeds known while the crawl runs. guessed: as in `starting`, which is over."""
        state, in_http = self.state, list(map(in_plain_http, guessed))
        self._scope += in_http
        state.admission.widen([*seeds, *in_http])
        state.admission.protect(in_http)
        for known, depths in state.discovery.know_seeds(seeds, now, state.writer.sizes.seeds):
            self.visits.deep_links.note_nearer(known, depths)
        if state.sites is not None:
            state.sites.size_then = 0  # trust starts at their sites, too, before it has grown
        self.visits.guesses.begin(guessed)

    # Settings.

    def on_settings(self, settings: CrawlSettings, changed: Set[str], now: float) -> None:
        """Go on with other settings. changed: the names of those that differ."""
        state = self.state
        self.sitemaps.is_on = settings.sitemaps
        if changed & _PACES:
            state.frontier.adjust(settings.per_host, settings.delay_per_address if state.terms.locates else 0.0, now)
            state.hosts.set_least_delay(settings.delay, now)
        if changed & _BOUNDS:
            state.admission.adjust(settings, self.seeds() if "scope" in changed else None)
        if changed & _FAVOURS:
            state.interests.adjust(state.admission.focus, map(state.urls.url, range(state.accounts.size)))
            state.frontier.reorder()
        if "max_depth" in changed:
            self.visits.deep_links.follow_further(now)
        if changed & _ASKS:
            state.accounts.begin_anew()
        if settings.until_coverage is not None:
            state.accounts.coverage.ends_crawl = True
        for step in self.steps:
            step.on_settings(settings, changed, now)

    # Commits.

    @property
    def turns_in_batch(self) -> int:
        return self.state.pages.turns_taken

    @property
    def has_news(self) -> bool:
        """True if a turn was taken or a request has ended since the last commit."""
        return self.state.pages.turns_taken + self.state.pages.requests_ended > 0

    @property
    def turns_per_commit(self) -> int:
        """Number of turns that make a commit due: a quarter of the pages that had one, but from 256 to 1,024. A page
        that changes in many turns is written once a commit; but the order rests on what is committed."""
        visited = self.state.accounts.turns
        return min(max(visited // _PART, _FEWEST_TURNS), _MOST_TURNS)

    def commit(self, meta: dict[str, MetaValue], *, ranks: bool = False) -> None:
        """Write everything since the last commit, all or nothing. ranks: also the place of every page."""
        state, writer = self.state, self.state.writer
        with self.commits.counting(), writer.transaction():
            self._save_accounts(writer)
            for save in self.savers:
                save(writer)
            if ranks:
                writer.save_places(state.accounts.book.order().astype(np.int32))
                writer.save_meta({"is_ranked": 1})
            writer.save_meta(meta)
        state.urls.committed()
        if state.outbox is not None:
            state.outbox.committed()

    def _save_accounts(self, writer: Writer) -> None:
        """Write new pages and changed accounts. Cash and links gathered by mirrors are handed over first."""
        accounts, mirrors = self.state.accounts, self.state.mirrors
        visited, credited = (pages[pages < self._committed] for pages in accounts.take_touched())
        born = np.arange(self._committed, accounts.size)
        if mirrors is not None:
            emptied = mirrors.hand_over(writer, np.concatenate([visited, credited, born]))
            visited = np.union1d(visited, emptied[emptied < self._committed])
        if accounts.book.are_born_alike and writer.meta(JUMP) == BY_SITES:
            writer.forget_sites()
            writer.save_meta({JUMP: BY_PAGES, SHARED_OUT: None, SHARED_BY: None})
        writer.save_meta({"is_ranked": 0})
        writer.add_pages(self.state.pages.new, account_rows(accounts, born))
        for some in slices(len(visited), writer.sizes.accounts):
            writer.update("pages", Account._fields, account_rows(accounts, visited[some]))
        for some in slices(len(credited), writer.sizes.accounts):
            writer.update("pages", CREDITED_COLUMNS, account_rows(accounts, credited[some], CREDITED_COLUMNS))
        writer.save_meta(account_totals(accounts) | {"discovery_credit": self.state.budget.credit})
        self._committed = accounts.size
