"""The state of a crawl in memory: books, frontier, hosts, pages, URLs and discovery."""

from collections import Counter
from dataclasses import dataclass

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.schedules import schedule_of
from minicrawl.crawler.hosts import HostDelays, Past
from minicrawl.crawler.known.batch import Batch
from minicrawl.crawler.known.discovery import Discovery, Interests
from minicrawl.crawler.known.known_pages import KnownHosts, KnownPages, KnownUrls
from minicrawl.crawler.known.known_sites import KnownSites
from minicrawl.crawler.known.loading import check_sound, load_hosts, load_pages, load_traps
from minicrawl.crawler.sharing import Mirrors, Outbox, Share
from minicrawl.opic import STRATEGIES, DiscoveryBudget
from minicrawl.opic.arrays import Pages
from minicrawl.opic.surfer import REASONABLE
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD, Timing


class Tally:
    """`left_out`: links of visited pages that are out of scope, filtered or in a trap. `failures`: turns of this run
    that found nothing, by reason. `refreshed`: answers of this run for pages that had their turn before.
    """

    def __init__(self, writer: Writer) -> None:
        self.left_out = int(writer.meta("links_left_out") or 0)
        self.failures = Counter[str]()
        self.refreshed = 0

    def save(self, writer: Writer) -> None:
        writer.save_meta({"links_left_out": self.left_out})


@dataclass(frozen=True)
class Terms:
    """What a run is opened with beside its settings.

    locates: whether a host's address must be known before it is asked. share: of the web, in one of several partitions.
    only: the read pages that have one more turn; no other page has one.
    """

    locates: bool = False
    share: Share | None = None
    only: Pages | None = None
    timing: Timing = STANDARD


BY_ITSELF = Terms()


class CrawlState:
    """State of a crawl in memory, equal to the store's after every commit.

    past: how to read times of the run before. due: when pages are fetched again; sites: where walkers jump to; outbox,
    mirrors: messages to other partitions. Each is None where the crawl has no such thing.
    """

    def __init__(self, writer: Writer, settings: CrawlSettings, now: float, terms: Terms) -> None:
        """Load the state from the store. Raises StoreError for damage."""
        check_sound(writer)
        self.writer, self.terms, self.timing = writer, terms, terms.timing
        share, timing = terms.share, terms.timing
        self.past = past = Past(float(writer.meta("run_at") or 0.0), now)
        asked_until = past.until(float(writer.meta("asked_until") or 0.0), timing.lease)
        self.accounts = accounts = Accounts(REASONABLE)
        self.budget = DiscoveryBudget(settings.discovery_share, float(writer.meta("discovery_credit") or 0.0))
        self.due = _due_pages(accounts, settings, waits=terms.only is None) if settings.refreshes else None
        strategy, ip_delay = STRATEGIES[settings.strategy], settings.delay_per_address if terms.locates else 0.0
        self.frontier = frontier = Frontier(
            accounts,
            strategy,
            self.budget,
            settings.per_host,
            ip_delay=ip_delay,
            locates=terms.locates,
            addresses_from=asked_until + ip_delay,
            on_its_way=timing.on_its_way,
            loaded_at_once=writer.sizes.loaded,
            due=self.due,
        )
        accounts.coverage.doubts = frontier.doubts
        self.batch = Batch()
        self.hosts = KnownHosts(frontier, HostDelays.by_rules(settings.delay, settings.host_delay))
        self.pages = KnownPages(writer, self.batch)
        load_hosts(writer, self.hosts, past, asked_until if writer.meta("in_doubt") else 0.0)
        load_pages(writer, accounts, frontier, self.pages, self.hosts, now, self.due, terms.only)
        self.sites = sites = KnownSites(accounts, frontier, writer) if settings.jump == BY_SITES else None
        self.urls = urls = KnownUrls(writer, accounts.size)
        self.outbox: Outbox | None = None
        self.mirrors: Mirrors | None = None
        if share is not None:
            accounts.has_neighbours = True
            self.outbox, shared = Outbox(writer), None if sites is None else sites.shared
            self.mirrors = Mirrors(share, accounts, urls.url, self.outbox, writer, shared)
        traps = load_traps(writer, accounts, frontier, sites) if settings.traps else None
        self.admission = Admission(settings, traps, None if share is None else share.has)
        self.interests = Interests(self.admission.focus, frontier.pages, writer)
        self.discovery = discovery = Discovery(
            urls, accounts, frontier, self.hosts, self.batch, self.admission, self.interests, self.mirrors
        )
        self.tally = Tally(writer)
        if sites is not None:
            discovery.note_page = sites.note_page
        if strategy.follows_cash:
            accounts.note_moved = lambda moved: frontier.pages.moved(moved[moved < discovery.offered])


def _due_pages(accounts: Accounts, settings: CrawlSettings, *, waits: bool) -> DuePages:
    """Due times of pages. With a budget of pages or time, all of it is spent."""
    has_budget = settings.pages is not None or settings.time is not None
    is_simple = settings.recrawl_after is not None
    waits = waits and (settings.refresh or (settings.discovery < 1.0 and has_budget))
    return DuePages(accounts.book, schedule_of(settings), waits=waits, is_patient=is_simple or not has_budget)
