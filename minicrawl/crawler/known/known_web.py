"""What a crawl knows of the web when it begins: what the store holds."""

from dataclasses import dataclass

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.schedules import rules_of, schedule_of
from minicrawl.crawler.hosts.host import Past
from minicrawl.crawler.hosts.politeness import HostDelays
from minicrawl.crawler.known.batch import Batch
from minicrawl.crawler.known.known_hosts import KnownHosts
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.known_sites import KnownSites
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.known.loading import check_sound, load_hosts, load_pages
from minicrawl.opic import Adaptive, DiscoveryBudget, DiscoveryByCash, DiscoveryRule, Strategy, Window
from minicrawl.opic.arrays import Pages
from minicrawl.opic.surfer import parse_surfer
from minicrawl.settings import BY_CREDIT, BY_EDGES, BY_SITES, CrawlSettings
from minicrawl.store.writer import Writer
from minicrawl.timing import Timing

_REACH = 0.9
"""The largest part of a page's cash that the small edges take before its links get any."""


@dataclass(frozen=True)
class KnownWeb:
    """Who keeps what. A part of the crawl is given those of them that it uses, not all.

    `past`: how to read times of the run before. `due`: when pages are fetched again, if they are.
    """

    accounts: Accounts
    frontier: Frontier
    hosts: KnownHosts
    pages: KnownPages
    urls: KnownUrls
    batch: Batch
    budget: DiscoveryRule
    past: Past
    due: DuePages | None = None
    sites: KnownSites | None = None

    @classmethod
    def of(  # noqa: PLR0913 - what a crawl is opened with
        cls,
        writer: Writer,
        settings: CrawlSettings,
        strategy: Strategy,
        window: Window,
        now: float,
        *,
        locates: bool,
        timing: Timing,
        only: Pages | None = None,
    ) -> "KnownWeb":
        """locates: whether the address of a host must be known before it is asked. only: read pages that have one turn
        more, and no other page has one. Raises StoreError for damage."""
        check_sound(writer)
        past = Past.of(float(writer.meta("run_at") or 0.0), now)
        asked_until = past.until(float(writer.meta("asked_until") or 0.0), timing.lease)
        folder = None if strategy.follows_clock else writer.path.parent
        surfer = parse_surfer(settings.surfer)
        accounts = Accounts(window, surfer, folder=folder, most_in_memory=writer.sizes.pages)
        budget = _discovery(writer, settings, accounts.book)
        ip_delay = settings.delay_per_address if locates else 0.0
        due = _due_pages(accounts, settings, waits=only is None) if settings.refreshes else None
        frontier = Frontier(
            accounts.book,
            strategy,
            budget,
            settings.per_host,
            ip_delay=ip_delay,
            locates=locates,
            addresses_from=asked_until + ip_delay,
            on_its_way=timing.on_its_way,
            loaded_at_once=writer.sizes.loaded,
            due=due,
            least_age=settings.refresh_min,
        )
        hosts, batch = KnownHosts(frontier, HostDelays.by_rules(settings.delay, settings.host_delay)), Batch()
        pages = KnownPages(writer, batch)
        accounts.anticipated = frontier.pages.anticipated
        if settings.reads_by_worth:
            frontier.pages.ledger = accounts.ledger
        load_hosts(writer, hosts, past, asked_until if writer.meta("in_doubt") else 0.0)
        load_pages(writer, accounts, frontier, pages, hosts, now, due, only)
        if settings.discovery_by == BY_CREDIT and accounts.book.unvisited_level:
            accounts.give_unvisited_level()
        sites = KnownSites(accounts, frontier, writer) if settings.jump == BY_SITES else None
        return cls(accounts, frontier, hosts, pages, KnownUrls(writer, accounts.size), batch, budget, past, due, sites)


def _discovery(writer: Writer, settings: CrawlSettings, book: Adaptive) -> DiscoveryRule:
    """What holds the share of the fetches for never read pages, as it was at the end of the run before."""
    if settings.discovery_by == BY_CREDIT:
        return DiscoveryBudget(settings.discovery_share, float(writer.meta("discovery_credit") or 0.0))
    lever = writer.meta("discovery_lever")
    reach = _REACH if settings.discovery_by == BY_EDGES else 0.0
    return DiscoveryByCash(book, settings.discovery_share, None if lever is None else float(lever), reach=reach)


def _due_pages(accounts: Accounts, settings: CrawlSettings, *, waits: bool) -> DuePages:
    """When pages are fetched again. With so many pages or so much time to spend, none of it is left over."""
    has_budget = settings.pages is not None or settings.time is not None
    is_simple = settings.recrawl_after is not None
    waits = waits and (settings.refresh or not is_simple)
    return DuePages(
        accounts.ledger,
        schedule_of(settings),
        waits=waits,
        is_patient=is_simple or not has_budget,
        rules=rules_of(settings),
    )
