"""What a crawl knows of the web: pages, their accounts, links and hosts, and what the next commit writes of them.

All parts that take in answers share it: they ask what is known already, and make more known.
"""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.budgets import Budgets
from minicrawl.crawler.admission.focus import Focus
from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.admission.traps import NOTHING, Said, Traps
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.best import Best
from minicrawl.crawler.books.stored_forms import wrong_meta
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.hosts.politeness import FRESH, REST_OF_THE_DEAD, Health, delay_of
from minicrawl.crawler.hosts.stored_times import Past
from minicrawl.crawler.http.retry_after import LONGEST_REST
from minicrawl.crawler.known.batch import Batch
from minicrawl.crawler.known.page_numbers import KnownUrls
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.model import READ, State
from minicrawl.opic import GRANT, DiscoveryBudget, Strategy, Window, seed_grant
from minicrawl.opic.arrays import Pages, slices
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import damaged
from minicrawl.store.links import from_bytes
from minicrawl.store.rows import CREDITED_COLUMNS, HostRow, LastTurn, Links, NewPage, PageColumns
from minicrawl.store.writer import Writer
from minicrawl.timing import Timing


class KnownWeb:
    """Every known page with its accounts, links and host, and the batch of what is not yet committed.

    `settings`, `strategy`, `focus`, `scope`, `traps`: what decides which pages become known, and with how much cash.
    `timing`: how long anything takes at most. `seeds`: all that the store ever had. `links_left_out`: links of read
    pages that are out of scope, filtered or in a trap. `answered`: hosts that have, ever. `attempts`: failed requests
    for a page in a row; `failures`: turns of this run that found nothing, by reason.

    Invariant: what the store holds after a commit is what memory holds, so that a new one on it goes on as this one
    would. `batch` is a new one after every commit: it is not to be kept.
    """

    def __init__(
        self,
        writer: Writer,
        settings: CrawlSettings,
        strategy: Strategy,
        window: Window,
        now: float,
        *,
        locates: bool,
        timing: Timing,
    ) -> None:
        """locates: whether the address of a host must be known before it is asked."""
        self.writer = writer
        self.settings = settings
        self.timing = timing
        self.strategy = strategy
        self.focus = Focus.of(settings)
        folder = None if strategy.follows_clock else writer.path.parent
        self.accounts = Accounts(window, folder=folder, most_in_memory=writer.sizes.pages)
        self._budget = DiscoveryBudget(settings.discovery, float(writer.meta("discovery_credit") or 0.0))
        self.past = Past.of(float(writer.meta("run_at") or 0.0), now)
        self._asked_until = self.past.until(float(writer.meta("asked_until") or 0.0), timing.lease)
        ip_delay = settings.delay_per_address if locates else 0.0
        self.frontier = Frontier(
            self.accounts.book,
            strategy,
            self._budget,
            settings.per_host,
            ip_delay=ip_delay,
            locates=locates,
            addresses_from=self._asked_until + ip_delay,
            on_its_way=timing.on_its_way,
            loaded_at_once=writer.sizes.loaded,
        )
        self._hosts: dict[str, Host] = {}
        self.links_left_out = int(writer.meta("links_left_out") or 0)
        self.answered: set[int] = set()
        self.attempts: dict[int, int] = {}
        self.failures: Counter[str] = Counter()
        self.batch = Batch()
        self._best = Best()
        self._load(now)
        self.known = KnownUrls(writer, self.accounts.size)
        self._committed = self.accounts.size
        self.seeds: list[str] = []
        self.scope = Scope.of(settings, ())
        self.traps = self._traps() if settings.traps else None

    def start(self, seeds: Sequence[str], now: float, allowed: Sequence[str] = ()) -> Iterator[None]:
        """Set the scope by all seeds this store ever had, and make the seeds known, those that are new, step by step.

        allowed: URLs that count as seeds for scope and traps, but are not to be known yet.
        """
        self.seeds = [*self.writer.seeds(), *seeds, *allowed]
        self.scope = Scope.of(self.settings, self.seeds)
        if self.traps is not None:
            self.traps.protect(allowed)
        yield from self._steps_of_seeds(seeds, now)

    def add_seeds(self, seeds: Sequence[str], now: float) -> None:
        """Make seeds known, those that are new."""
        for _ in self._steps_of_seeds(seeds, now):
            pass

    def _steps_of_seeds(self, seeds: Sequence[str], now: float) -> Iterator[None]:
        """After every step a commit may come, or the end: what is left is taken in when it is given again."""
        pages = self.known.find(seeds)
        unmet = pages.count(None)
        grant = seed_grant(self.strategy, self.accounts.book, unmet) if unmet else 0
        for some in slices(len(seeds), self.writer.sizes.seeds):
            if self.traps is not None:
                self.traps.protect(seeds[some])
            fresh = unknown(seeds[some], pages[some])
            if fresh:
                born = self._discover(fresh, "seed", None, 0, [grant] * len(fresh))
                self.accounts.seed(np.arange(born.start, born.stop), of=unmet)
                for page in born:
                    self.frontier.add(page, now)
            yield

    # What is known.

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks of a read page at its last visit."""
        return from_bytes(self.links_row(page).targets)

    def links_row(self, page: int) -> Links:
        row = self.batch.links.get(page) or self.writer.links_row(page)
        assert row is not None, "every read page has a row of links"
        return row

    def was_there(self, page: int) -> bool:
        """Whether the last turn of a page found something."""
        return self.last_state(page) in READ

    def last_state(self, page: int) -> str:
        if page in self.batch.restated:
            return self.batch.restated[page].state
        turn = self.batch.turns.get(page)
        return turn.state if turn else self.writer.state(page)

    def last_turn(self, page: int) -> LastTurn:
        """What came of the last turn of a page that was read."""
        turn = self.batch.turns.get(page)
        title = turn.fetch.title if turn is not None and turn.fetch else None
        last = self.writer.last_turn(page) if turn is None else LastTurn(turn.reason, title)
        restated = self.batch.restated.get(page)
        return last if restated is None else last._replace(reason=restated.reason)

    # What becomes known.

    def admitted(
        self, source: str, urls: list[str], anchors: list[str], said: Said = NOTHING
    ) -> tuple[list[str], list[str], list[int | None], int]:
        """The distinct links of the page at `source` without those to traps; also their page numbers, None where one is
        not known yet, and how many links were left out.

        said: by the page, if this is its first turn.
        """
        pages = self.known.find(urls)
        rules = self.traps.take_in(source, said, unknown(urls, pages)) if self.traps is not None else []
        if not any(rules):
            return urls, anchors, pages, 0
        of_unknown = iter(rules)
        kept = [place for place, page in enumerate(pages) if page is not None or next(of_unknown) is None]
        dropped = len(urls) - len(kept)
        return [urls[at] for at in kept], [anchors[at] for at in kept], [pages[at] for at in kept], dropped

    def made_known(
        self,
        urls: Sequence[str],
        pages: Sequence[int | None],
        source: int,
        reason: str,
        *,
        same_depth: bool = False,
        grant: int = GRANT,
    ) -> list[int]:
        """Page numbers of distinct URLs that `source` points to, making known those that have none.

        grant: the cash that these are born with, if the strategy has pages born with any.
        """
        fresh = unknown(urls, pages)
        if not fresh:
            return [page for page in pages if page is not None]
        grant = grant if self.strategy.birth_grants else 0
        grants = [grant if self.focus.is_off else int(grant * self.focus.factor(url)) for url in fresh]
        depth = int(self.accounts.depth[source]) + (0 if same_depth else 1)
        born = iter(self._discover(fresh, reason, source, depth, grants))
        return [next(born) if page is None else page for page in pages]

    def _discover(
        self, urls: Sequence[str], reason: str, found_on: int | None, depth: int, grants: Sequence[int]
    ) -> range:
        born = self.accounts.discover(depth, grants)
        self.frontier.grow(born.stop)
        for page, url in zip(born, urls, strict=True):
            self.known.add(url, page)
            host = self.host(politeness_key(url))
            self.frontier.place(page, host)
            self.batch.new.append(NewPage(page, url, host.id, found_on, reason))
        return born

    def host(self, name: str) -> Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = self.frontier.add_host(name, self.base_delay(0.0))
            self.batch.hosts.add(host.id)
        return host

    def base_delay(self, crawl_delay: float) -> float:
        """The least seconds between two requests to a host; a delay of 0 means that politeness is switched off."""
        return max(self.settings.delay, crawl_delay) if self.settings.delay else 0.0

    # The store.

    def save(self) -> None:
        """Write all that has changed since the last commit, within the transaction of the next."""
        visited, credited = (pages[pages < self._committed] for pages in self.accounts.take_touched())
        born = np.arange(self._committed, self.accounts.size)
        self._best_changed(np.concatenate([visited, credited, born]))
        self.writer.add_pages(self.batch.new, self.accounts.columns(born))
        for some in slices(len(visited), self.writer.sizes.accounts):
            self.writer.save_accounts(self.accounts.columns(visited[some]))
        for some in slices(len(credited), self.writer.sizes.accounts):
            self.writer.save_accounts(self.accounts.columns(credited[some], CREDITED_COLUMNS))
        self.batch.save(self.writer)
        if self.traps is not None:
            patterns, digests = self.traps.take_rows()
            self.writer.save_patterns(patterns)
            self.writer.save_digests(digests)
            domains, linkers = self.traps.budgets.take_rows()
            self.writer.save_domains(domains)
            self.writer.add_linkers(linkers)
        self.writer.save_hosts(self._host_rows())
        kept = {"discovery_credit": self._budget.credit, "links_left_out": self.links_left_out}
        self.writer.save_meta(self.accounts.scalars() | kept)

    def _best_changed(self, changed: Pages) -> None:
        added, is_anew = self._best.changes(self.accounts.ledger, changed)
        self.writer.save_best(added, is_anew=is_anew)
        self.writer.save_meta({"best_floor": self._best.floor, "is_ranked": 0})

    def rank(self) -> None:
        """Write down the place of every page, within the transaction of the last commit of a run."""
        self.writer.save_places(self.accounts.ledger.order().astype(np.int32))
        self.writer.save_meta({"is_ranked": 1})

    def committed(self) -> None:
        """What was saved is in the store now."""
        self.known.committed()
        self._committed = self.accounts.size
        self.batch = Batch()

    def _load(self, now: float) -> None:
        """Take over what the store holds."""
        asked_until = self._asked_until if self.writer.meta("in_doubt") else 0.0
        # A kill or a power cut harms no store on a disk that keeps its word. It takes a look at all of it to know.
        for what in self.writer.structure_errors() if self.writer.meta("in_doubt") else ():
            raise damaged(self.writer.path, what)
        for what in wrong_meta(self.writer):
            raise damaged(self.writer.path, what)
        for row in self.writer.hosts():
            if row.id != len(self.frontier.hosts):
                raise damaged(self.writer.path, f"host {len(self.frontier.hosts)} is missing")
            base = self.base_delay(row.crawl_delay)
            dead_until = self.past.until(row.dead_until, REST_OF_THE_DEAD)
            health = Health(row.seconds, row.backoff, row.strains, dead_until) if base else FRESH
            health = FRESH if health == FRESH else health  # of millions of objects one is enough
            delay = delay_of(base, health)
            next_at = self.past.until(row.next_fetch, delay)
            ready_at = max(next_at, asked_until + delay) if delay else next_at
            host = self._hosts[row.name] = self.frontier.add_host(
                row.name, delay, crawl_delay=row.crawl_delay, ready_at=ready_at, health=health
            )
            host.rests_until = self.past.until(row.rests_until, max(LONGEST_REST, delay))
            if (next_at, host.rests_until, dead_until) != (row.next_fetch, row.rests_until, row.dead_until):
                self.batch.hosts.add(host.id)
            if row.seconds:
                self.answered.add(self._hosts[row.name].id)
        gc.disable()  # millions of rows pass, none of which refers to another
        try:
            self._load_pages(now)
        finally:
            gc.enable()

    def _traps(self) -> Traps:
        """The defence as the store has it. Seeds, and what they stand for, are on the hosts of pages at depth 0."""
        budgets = Budgets(self.writer.domains(), self.writer.linkers(), self.frontier.pages_by_host())
        seeds = self.accounts.depth[: self.accounts.size] == 0
        hosts = np.unique(self.frontier.host_of[: self.accounts.size][seeds])
        budgets.protect(self.frontier.hosts[host].name for host in hosts.tolist())
        return Traps(self.writer, budgets=budgets)

    def _load_pages(self, now: float) -> None:
        size = self.writer.size()
        room = size + size // 4  # so that growing, which takes memory for copies, is far off
        self.accounts.grow(room)
        self.frontier.grow(room)
        for pages in self.writer.columns():
            self._check_rows(pages)
            self.accounts.load(pages)
            self.frontier.host_of[pages.id] = pages.host
            self.answered.update(np.unique(pages.host[pages.are(State.FETCHED)]).tolist())
            if State.GONE in pages.state:
                self.frontier.forget(pages.id[pages.are(State.GONE)])
            failed = pages.attempts > 0
            self.attempts.update(zip(pages.id[failed].tolist(), pages.attempts[failed].tolist(), strict=True))
        if not size:
            return
        if self.accounts.book.window.keeps_visits:
            self.accounts.load_measures(self.writer.measures())
        self.accounts.load_scalars({name: self.writer.meta(name) for name in self.accounts.scalars()})
        for what in self.accounts.imbalances(int(self.writer.meta("cash_total") or 0)):
            raise damaged(self.writer.path, what)
        self.frontier.load(size, now)

    def _check_rows(self, pages: PageColumns) -> None:
        """Raises StoreError if pages are missing before or among these, or are on hosts that there are none of."""
        first = self.accounts.size
        if not np.array_equal(pages.id, np.arange(first, first + len(pages.id))):
            raise damaged(self.writer.path, f"pages with numbers from {first} on are missing")
        if not 0 <= int(pages.host.min()) <= int(pages.host.max()) < len(self.frontier.hosts):
            raise damaged(self.writer.path, f"pages with numbers from {first} on are on a host that is missing")

    def _host_rows(self) -> list[HostRow]:
        hosts = (self.frontier.hosts[host_id] for host_id in sorted(self.batch.hosts))
        return [
            HostRow(
                host.id,
                host.name,
                host.crawl_delay,
                host.ready_at,
                host.health.seconds,
                host.health.backoff,
                host.health.strains,
                host.health.dead_until,
                host.rests_until,
            )
            for host in hosts
        ]


def unknown(urls: Sequence[str], pages: Sequence[int | None]) -> list[str]:
    """The URLs that have no page, in order."""
    return [url for url, page in zip(urls, pages, strict=True) if page is None]
