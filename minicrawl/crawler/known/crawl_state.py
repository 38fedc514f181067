"""The state of a crawl in memory: books, frontier, hosts, pages, URLs and discovery."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from msgspec import Struct

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.admission.budgets import Budgets
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import imbalances, load_block, load_totals, page_blocks, stored_births
from minicrawl.crawler.books.stored_forms import wrong_meta
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.frontier import Frontier, Pace
from minicrawl.crawler.frontier.schedules import BELIEVED, schedule_of
from minicrawl.crawler.frontier.waiting_pages import Order
from minicrawl.crawler.hosts.clocks import HostDelays, delay_of
from minicrawl.crawler.known.discovery import Discovery, Interests
from minicrawl.crawler.known.known_pages import KnownHosts, KnownPages, KnownUrls, health_of
from minicrawl.crawler.known.known_sites import KnownSites
from minicrawl.crawler.sharing import Mirrors, Outbox, Share
from minicrawl.model import NOTHING_READ, State
from minicrawl.opic import STRATEGIES, DiscoveryBudget
from minicrawl.opic.arrays import Pages
from minicrawl.opic.coverage import PageKind
from minicrawl.opic.surfer import REASONABLE
from minicrawl.settings import BY_SITES, CrawlSettings
from minicrawl.store.database import damaged
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.response_fields import LONGEST_REST


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Disable the cyclic garbage collector: millions of rows pass, none of which refers to another."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Terms(Struct, frozen=True):
    """What a run is opened with besides its settings.

    locates: whether a host's address must be known before it gets a request. share: of the web, in one of several
    partitions. only: the read pages that have one more turn; no other page has one.
    """

    locates: bool = False
    share: Share | None = None
    only: Pages | None = None
    timing: Timing = STANDARD


BY_ITSELF = Terms()


class CrawlState:
    """State of a crawl in memory, equal to the store's after every commit.

    opened_at: Unix seconds. due: when pages are fetched again; sites: where walkers jump to; outbox,
    mirrors: messages to other partitions. Each is None if the crawl has no such thing.
    """

    def __init__(self, writer: Writer, settings: CrawlSettings, now: float, terms: Terms) -> None:
        """Load the state from the store. Raises StoreError for damage."""
        _check_sound(writer)
        self.writer, self.terms, self.timing = writer, terms, terms.timing
        share, timing = terms.share, terms.timing
        # Whatever the clock has done since the last run, no wait lasts longer than its own rule allows.
        self.opened_at, asked_until = now, min(float(writer.meta("asked_until") or 0.0), now + timing.lease)
        self.accounts = accounts = Accounts(REASONABLE)
        self.budget = DiscoveryBudget(settings.discovery_share, float(writer.meta("discovery_credit") or 0.0))
        self.due = _due_pages(accounts, settings, waits=terms.only is None) if settings.refreshes else None
        strategy, ip_delay = STRATEGIES[settings.strategy], settings.delay_per_address if terms.locates else 0.0
        pace = Pace(
            per_host=settings.per_host,
            ip_delay=ip_delay,
            locates=terms.locates,
            addresses_from=asked_until + ip_delay,
            on_its_way=timing.on_its_way,
        )
        order = Order(strategy, self.budget, self.due, writer.sizes.loaded, has_site_turns=settings.jump == BY_SITES)
        self.frontier = frontier = Frontier(accounts, order, pace)
        accounts.coverage.doubts = frontier.doubts
        self.hosts = KnownHosts(frontier, HostDelays.by_rules(settings.delay, settings.host_delay))
        self.pages = KnownPages(writer)
        self._load_hosts(asked_until if writer.meta("in_doubt") else 0.0)
        self._load_pages(now)
        self.sites = sites = KnownSites(accounts, frontier, writer) if settings.jump == BY_SITES else None
        self.urls = urls = KnownUrls(writer, accounts.size)
        self.outbox: Outbox | None = None
        self.mirrors: Mirrors | None = None
        if share is not None:
            accounts.has_neighbours, accounts.told = True, NOTHING_READ
            self.outbox, shared = Outbox(writer), None if sites is None else sites.shared
            self.mirrors = Mirrors(share, accounts, urls.url, self.outbox, writer, shared)
        budgets = self._load_budgets() if settings.traps else None
        refused = writer.recognised.refused()
        self.admission = Admission(settings, refused, budgets, None if share is None else share.has)
        self.interests = Interests(self.admission.focus, frontier.pages, accounts, writer)
        self.discovery = discovery = Discovery(self)
        if sites is not None:
            discovery.note_page = sites.note_page
        if strategy.follows_cash:
            accounts.note_moved = lambda moved: frontier.pages.moved(moved[moved < discovery.offered])

    def linker(self, page: int) -> str | None:
        """The URL of the page whose link made a page known, or of its host's sitemap; None: it is a seed."""
        source = self.pages.found_on(page)
        return None if source is None else self.urls.url(source)

    @_no_garbage()
    def _load_hosts(self, asked_until: float) -> None:
        """asked_until: Unix seconds until which the last run may have asked any host unrecorded."""
        writer, hosts, now = self.writer, self.hosts, self.opened_at
        healths = {row.host: health_of(row, now) for row in writer.hosts.health()}
        for number, row in enumerate(writer.hosts.all()):
            if row.id != number:
                raise damaged(writer.path, f"host {number} is missing")
            health = healths.get(number)
            delay = delay_of(hosts.delays.of(row.name, row.crawl_delay), row.seconds, health)
            next_at = min(row.next_fetch, now + delay)
            ready_at = max(next_at, asked_until + delay) if delay else next_at
            host = hosts.restore(row, delay, ready_at)
            host.health = health
            host.rests_until = min(row.rests_until, now + max(LONGEST_REST, delay))
            if (next_at, host.rests_until) != (row.next_fetch, row.rests_until):
                hosts.note_change(host)
            if row.seconds:
                hosts.answered.add(host.id)

    @_no_garbage()
    def _load_pages(self, now: float) -> None:
        """Load pages, after the hosts."""
        writer, accounts, frontier = self.writer, self.accounts, self.frontier
        size = writer.size()
        room = size + size // 4  # so that growing, which copies, is far off
        accounts.grow(room)
        frontier.pages.grow(room)
        has_answered, cited = np.zeros(len(frontier.hosts), dtype=np.bool_), np.zeros(size, dtype=np.int8)
        for rows in page_blocks(writer):
            host_of, first, end = rows["host"], int(rows["id"][0]), int(rows["id"][-1]) + 1
            if not 0 <= int(host_of.min()) <= int(host_of.max()) < len(frontier.hosts):
                raise damaged(writer.path, f"pages with numbers from {first} on are on a host that is missing")
            load_block(accounts, rows)
            frontier.pages.host_of[first:end], cited[first:end] = host_of, rows["cited"]
            has_gone = np.isin(rows["state"], [State.GONE, State.ELSEWHERE])
            frontier.pages.forget(first + np.flatnonzero(has_gone))
            has_answered[host_of[accounts.coverage.kind[first:end] == PageKind.PAGE]] = True
        self.hosts.answered.update(np.flatnonzero(has_answered).tolist())
        self.pages.attempts.update(writer.rows("SELECT id, attempts FROM pages WHERE attempts > 0"))
        accounts.book.rule = stored_births(writer, frontier.pages.host_of[:size], cited)
        if writer.meta("clock") is not None:
            load_totals(accounts, writer)
            for what in imbalances(accounts):
                raise damaged(writer.path, what)
        if size:
            if self.due is not None:
                self._load_refresh(self.due, now)
            if self.terms.only is not None:
                frontier.pages.limit_to(self.terms.only)
            frontier.load(size, now)

    def _load_refresh(self, due: DuePages, now: float) -> None:
        """Load fetch times and rates. Fetches later than `now`, as the clock was put back since, count as just done."""
        writer = self.writer
        due.price = float(writer.meta("refresh_price") or due.price)
        due.rates.load(writer)
        due.changed = writer.refreshes.changed(BELIEVED)
        for rows in writer.refreshes.schedule():
            page, ahead = rows["page"], np.maximum(rows["fetched_at"] - now, 0.0)
            due.fetched_at[page], due.rate[page] = rows["fetched_at"] - ahead, rows["rate"]
            due.due[page] = np.minimum(rows["due"] - ahead, now + due.schedule.most)
        groups = due.rates.groups(writer)
        due.group[: len(groups)] = groups

    def _load_budgets(self) -> Budgets | None:
        """Load the budgets of sites. Seeds and their targets are on the hosts of pages at depth 0."""
        accounts, frontier, sites = self.accounts, self.frontier, self.sites
        if sites is None:
            return None
        budgets = Budgets(sites.vouchers, frontier.pages.by_host())
        is_seed = accounts.depth[: accounts.size] == 0
        hosts = set(frontier.pages.host_of[: accounts.size][is_seed].tolist())
        budgets.protect(frontier.hosts[host].name for host in hosts)
        return budgets


def _due_pages(accounts: Accounts, settings: CrawlSettings, *, waits: bool) -> DuePages:
    """Due times of pages. With a budget of pages or time, all of it is spent."""
    has_budget = settings.pages is not None or settings.time is not None
    is_simple = settings.recrawl_after is not None
    waits = waits and (settings.refresh or (settings.discovery < 1.0 and has_budget))
    return DuePages(accounts.book, schedule_of(settings), waits=waits, is_patient=is_simple or not has_budget)


def _check_sound(writer: Writer) -> None:
    """Raise StoreError for damage that can be seen without reading all rows. A kill or a power cut harms no store on a
    reliable disk."""
    for what in writer.soundness.structure_errors() if writer.meta("in_doubt") else ():
        raise damaged(writer.path, what)
    for what in wrong_meta(writer):
        raise damaged(writer.path, what)
