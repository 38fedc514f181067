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
from minicrawl.timing import Timing


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
class CrawlState:
    """State of a crawl in memory, equal to the store's after every commit.

    locates: whether a host's address must be known before it is asked. past: how to read times of the run before.
    due: when pages are fetched again; sites: where walkers jump to; outbox, mirrors: messages to other partitions.
    Each is None where the crawl has no such thing.
    """

    writer: Writer
    accounts: Accounts
    frontier: Frontier
    hosts: KnownHosts
    pages: KnownPages
    urls: KnownUrls
    batch: Batch
    tally: Tally
    admission: Admission
    discovery: Discovery
    interests: Interests
    budget: DiscoveryBudget
    past: Past
    locates: bool
    due: DuePages | None = None
    sites: KnownSites | None = None
    outbox: Outbox | None = None
    mirrors: Mirrors | None = None

    @classmethod
    def of(  # noqa: PLR0913 - what a crawl is opened with
        cls,
        writer: Writer,
        settings: CrawlSettings,
        now: float,
        *,
        locates: bool,
        share: Share | None,
        only: Pages | None,
        timing: Timing,
    ) -> "CrawlState":
        """Load the state from the store; for the parameters see `Intake`. Raises StoreError for damage."""
        check_sound(writer)
        strategy = STRATEGIES[settings.strategy]
        past = Past(float(writer.meta("run_at") or 0.0), now)
        asked_until = past.until(float(writer.meta("asked_until") or 0.0), timing.lease)
        accounts = Accounts(REASONABLE)
        budget = DiscoveryBudget(settings.discovery_share, float(writer.meta("discovery_credit") or 0.0))
        ip_delay = settings.delay_per_address if locates else 0.0
        due = _due_pages(accounts, settings, waits=only is None) if settings.refreshes else None
        frontier = Frontier(
            accounts,
            strategy,
            budget,
            settings.per_host,
            ip_delay=ip_delay,
            locates=locates,
            addresses_from=asked_until + ip_delay,
            on_its_way=timing.on_its_way,
            loaded_at_once=writer.sizes.loaded,
            due=due,
        )
        hosts, batch = KnownHosts(frontier, HostDelays.by_rules(settings.delay, settings.host_delay)), Batch()
        pages = KnownPages(writer, batch)
        load_hosts(writer, hosts, past, asked_until if writer.meta("in_doubt") else 0.0)
        load_pages(writer, accounts, frontier, pages, hosts, now, due, only)
        sites = KnownSites(accounts, frontier, writer) if settings.jump == BY_SITES else None
        urls = KnownUrls(writer, accounts.size)
        outbox = mirrors = None
        if share is not None:
            accounts.has_neighbours = True
            outbox = Outbox(writer)
            mirrors = Mirrors(share, accounts, urls.url, outbox, writer, None if sites is None else sites.shared)
        traps = load_traps(writer, accounts, frontier, sites) if settings.traps else None
        is_own = None if share is None else lambda url: share.home_of(url) == share.here
        admission = Admission(settings, traps, is_own)
        interests = Interests(admission.focus, frontier.pages, writer)
        discovery = Discovery(urls, accounts, frontier, hosts, batch, admission, interests, mirrors)
        if sites is not None:
            discovery.note_page = sites.note_page
        if strategy.follows_cash:
            accounts.note_moved = lambda moved: frontier.pages.moved(moved[moved < discovery.offered])
        return cls(
            writer,
            accounts,
            frontier,
            hosts,
            pages,
            urls,
            batch,
            Tally(writer),
            admission,
            discovery,
            interests,
            budget,
            past,
            locates,
            due,
            sites,
            outbox,
            mirrors,
        )


def _due_pages(accounts: Accounts, settings: CrawlSettings, *, waits: bool) -> DuePages:
    """Due times of pages. With a budget of pages or time, all of it is spent."""
    has_budget = settings.pages is not None or settings.time is not None
    is_simple = settings.recrawl_after is not None
    waits = waits and (settings.refresh or (settings.discovery < 1.0 and has_budget))
    return DuePages(
        accounts.book,
        schedule_of(settings),
        waits=waits,
        is_patient=is_simple or not has_budget,
    )
