"""Taking in what came back for a page: books, frontier and store, in this order, by one task only.

Nothing here waits or touches the network; `now` is passed in. What is absorbed is committed in batches:
every batch is one transaction, and the page numbers, both books and the clock in it belong together.
"""

import gc
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.accounts import Accounts
from minicrawl.crawl.batch import Batch
from minicrawl.crawl.focus import Focus
from minicrawl.crawl.frontier import Frontier, Host
from minicrawl.crawl.known import KnownUrls
from minicrawl.crawl.outcome import MAX_HOPS, Outcome, judge
from minicrawl.crawl.robots import RobotsState
from minicrawl.crawl.scope import Scope
from minicrawl.crawl.traps import Traps
from minicrawl.crawl.urls import authority
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.opic import GRANT, DiscoveryBudget, Strategy, Window, seed_grant
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.opic.window import MeasureWindow
from minicrawl.settings import CrawlSettings
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.rows import CREDITED_COLUMNS, HostRow, Links, MetaValue, NewPage, Restated, Retry, Turn
from minicrawl.store.writer import Writer

_NOWHERE: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
_log = logging.getLogger("minicrawl")
VIRTUAL_VISITS_PER_TURN = 4
_PAGES_PER_LOOK = 1000
"""To find out which visits are worth it means a look at every page: at so many per turn, some 10 us."""


class Absorber:
    """The state of a crawl: accounts, known URLs and frontier, and the batch not yet committed.

    Invariant: what the store holds after a commit is what memory holds, so a new Absorber on it goes on as
    this one would.
    """

    def __init__(self, writer: Writer, settings: CrawlSettings, strategy: Strategy, window: Window, now: float) -> None:
        self.writer = writer
        self._settings = settings
        self._strategy = strategy
        self._focus = Focus.of(settings)
        self.accounts = Accounts(window)
        self._budget = DiscoveryBudget(settings.discovery, float(writer.meta("discovery_credit") or 0.0))
        self.frontier = Frontier(self.accounts.book, strategy, self._budget, settings.per_host)
        self._hosts: dict[str, Host] = {}
        self._attempts: dict[int, int] = {}
        # Pages that stand for another one by their own word only (canonical, meta refresh), by that other one.
        self._hinted: defaultdict[int, list[int]] = defaultdict(list)
        self.failures: Counter[str] = Counter()
        self._load(now)
        self.known = KnownUrls(writer, self.accounts.size)
        self._committed = self.accounts.size
        self._scope = Scope.of(settings, ())
        self._traps = Traps(writer) if settings.traps else None
        self._batch = Batch()
        self._turns_unsettled = 0

    def start(self, seeds: Sequence[str], now: float) -> None:
        """Make the seeds known, those that are new, and set the scope by all seeds this store ever had."""
        earlier = self.writer.seeds()
        self._scope = Scope.of(self._settings, [*earlier, *seeds])
        if self._traps is not None:
            self._traps.protect([*earlier, *seeds])
        fresh = [url for url, page in zip(seeds, self.known.find(seeds), strict=True) if page is None]
        if fresh:
            grant = seed_grant(self._strategy, self.accounts.book, len(fresh))
            born = self._discover(fresh, "seed", None, 0, [grant] * len(fresh))
            self.accounts.seed(np.arange(born.start, born.stop))
            for page in born:
                self.frontier.add(page, now)

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Take in what the request for `page` led to. The page must have been acquired from the frontier."""
        outcome = judge(fetched, parsed, self._attempts.get(page, 0), now=now)
        self._note_request(page)
        self.frontier.release(page, now, not_before=now + outcome.rest)
        if outcome.state is None:
            self._try_again(page, outcome, now)
        else:
            self._attempts.pop(page, None)
            self._visit(page, outcome, fetched, parsed, now)

    def absorb_unfetched(self, page: int, state: State, reason: str, until: float, now: float) -> None:
        """Take in the turn of a page that must not or cannot be fetched before `until`. No cash must be stuck."""
        self.frontier.release(page, now, asked=False)
        self._visit(page, Outcome(state, reason), Fetched(self.known.url(page)), ParsedPage(), now, until)

    def trap(self, page: int, url: str) -> str | None:
        """The rule by which an acquired page, no seed and never found anything at, is not to be fetched, or None."""
        if self._traps is None or self.accounts.depth[page] == 0:
            return None
        if self.accounts.book.read[page] and self._was_there(page):
            return None
        found = self._traps.verdict(url)
        return found[0] if found is not None else None

    def absorb_robots(self, origin: str, robots: RobotsState, crawl_delay: float, page: int, now: float) -> None:
        """Take in a robots.txt that was asked for because the turn of `page` had come; it waits again."""
        host = self.frontier.hosts[self.frontier.host_of[page]]
        host.crawl_delay = crawl_delay
        host.delay = self._delay(crawl_delay)
        self._note_request(page)
        self._batch.robots.append(robots.row(origin))
        self.frontier.release(page, now)
        self.frontier.put_back(page, now)

    def hold_host(self, page: int, until: float, now: float) -> None:
        """Let the host of an acquired page rest; the page waits again."""
        self.frontier.release(page, now, asked=False, not_before=until)
        self.frontier.put_back(page, now)

    def settle(self) -> int:
        """Virtual visits along committed links: some for every turn since the last ones, the most worthy first.

        Returns how many.
        """
        if self._turns_unsettled * _PAGES_PER_LOOK < self.accounts.size or not self._turns_unsettled:
            return 0
        worthy = self.accounts.ledger.due(VIRTUAL_VISITS_PER_TURN * self._turns_unsettled)
        # Of pages visited since the last commit the store does not know the links that the ledger knows.
        due = [page for page in worthy.tolist() if page not in self._batch.links]
        self._turns_unsettled = 0
        if due:
            self.accounts.settle(self.writer.links_of(due))
        return len(due)

    @property
    def turns_in_batch(self) -> int:
        """How many pages had their turn since the last commit."""
        return self._batch.turns_taken

    @property
    def is_settling_due(self) -> bool:
        """Whether the crawl has grown by a twentieth since the last virtual visits.

        A round of them writes most accounts again; this way a busy crawl writes each a bounded number of times.
        """
        return 20 * self._turns_unsettled > self.accounts.book.payees

    def settle_fully(self) -> None:
        """Virtual visits until the ranking is exact for the known graph, but for SETTLED_ERROR."""
        self.accounts.settle_fully(self.writer.links(), SETTLED_ERROR)

    def commit(self, meta: dict[str, MetaValue]) -> None:
        """Write everything since the last commit, all or nothing."""
        visited, credited = (pages[pages < self._committed] for pages in self.accounts.take_touched())
        born = np.arange(self._committed, self.accounts.size)
        with self.writer.transaction():
            self.writer.add_pages(self._batch.new, self.accounts.columns(born))
            self.writer.save_accounts(self.accounts.columns(visited))
            self.writer.save_accounts(self.accounts.columns(credited, CREDITED_COLUMNS))
            self._batch.save(self.writer)
            if self._traps is not None:
                patterns, digests = self._traps.take_rows()
                self.writer.save_patterns(patterns)
                self.writer.save_digests(digests)
            self.writer.save_hosts(self._host_rows())
            self.writer.save_meta(self.accounts.scalars() | {"discovery_credit": self._budget.credit} | meta)
        self.known.committed()
        self._committed = self.accounts.size
        self._batch = Batch()

    def _load(self, now: float) -> None:
        """Take over what the store holds."""
        for row in self.writer.hosts():
            self._hosts[row.name] = self.frontier.add_host(
                row.name, self._delay(row.crawl_delay), crawl_delay=row.crawl_delay, ready_at=row.next_at
            )
        gc.disable()  # millions of rows pass, none of which refers to another
        try:
            self._load_pages(now)
        finally:
            gc.enable()

    def _load_pages(self, now: float) -> None:
        size = self.writer.size()
        self.accounts.grow(size)
        self.frontier.grow(size)
        gone: list[int] = []
        for pages in self.writer.columns():
            self.accounts.load(pages)
            self.frontier.host_of[pages.id] = pages.host
            if State.GONE in pages.state:
                gone += pages.id[list(map(State.GONE.value.__eq__, pages.state))].tolist()
            failed = pages.attempts > 0
            self._attempts.update(zip(pages.id[failed].tolist(), pages.attempts[failed].tolist(), strict=True))
        if not size:
            return
        if isinstance(self.accounts.book.window, MeasureWindow):
            self.accounts.load_measures(self.writer.measures())
        self.accounts.load_scalars({name: self.writer.meta(name) for name in self.accounts.scalars()})
        for alias, target in self.writer.hinted():
            self._hinted[target].append(alias)
        waiting = np.ones(size, dtype=np.bool_)
        waiting[gone] = False
        self.frontier.forget(np.array(gone, dtype=np.int64))
        self.frontier.load(np.flatnonzero(waiting).astype(np.int32), now)

    def _visit(
        self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage, now: float, not_before: float = 0.0
    ) -> None:
        """The turn of a page: it spends its cash along the links it has now, and those are noted.

        not_before: when it may have its next turn, if it is to have one.
        """
        first_new = self.accounts.size
        old = self._outlinks(page) if self.accounts.book.read[page] else _NOWHERE
        outcome, links, weights = self._linked(page, outcome, fetched, parsed)
        is_alias = outcome.state is State.ALIAS
        visit = self.accounts.visit(page, from_bytes(links.targets), old, alias=is_alias, weights=weights)
        if outcome.reason in ("http-404", "http-410") and self._was_there(page):
            outcome = replace(outcome, state=State.GONE)
            self.accounts.retire(page)
        self._batch.add_turn(self._turn(page, outcome, fetched, parsed, now), links)
        self._turns_unsettled += 1
        if links.own is not None:
            self._hinted[int(from_bytes(links.targets)[0])].append(page)
        if outcome.state in (State.ERROR, State.GONE):
            self._void_hints_to(page)
        self.frontier.credit(visit.credited[visit.credited < first_new])
        for new in range(first_new, self.accounts.size):
            self.frontier.add(new, now)
        if outcome.state is State.GONE:
            self.frontier.forget(page)
        else:
            self.frontier.put_back(page, now, not_before)

    def _linked(
        self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage
    ) -> tuple[Outcome, Links, npt.NDArray[np.int64] | None]:
        """The outcome in the light of what is known, the links of the page, and their weights in the cash book."""
        target, outcome = self._alias_target(page, outcome)
        urls, anchors, refused = self._followed(page, outcome, parsed)
        pages = self.known.find(urls)
        if self._traps is not None:
            is_news = fetched.status == 200 and not self.accounts.book.read[page]
            digest = fetched.digest if is_news else None
            traps = self._traps.take_in(fetched.url, digest, self._unknown(urls, pages))
            urls, anchors, pages = self._without_traps(urls, anchors, pages, traps)
            refused += sum(rule is not None for rule in traps)
        outlinks = np.array(self._made_known(urls, pages, page, "link"), dtype=np.int32)
        if self._traps is not None:
            self._note_hosts(page, outlinks)
        others = outlinks != page  # a link to itself is not counted
        own = to_bytes(outlinks[others])
        if target is None:
            weights = self._focus.weights(self.known.url(page), urls, anchors) if urls else None
            weights = None if weights is None else weights[others]
            return outcome, Links(page, own, parsed.nofollow, refused), weights
        to_target = to_bytes(np.array([target], dtype=np.int32))
        return outcome, Links(page, to_target, parsed.nofollow, refused, None if outcome.is_redirect else own), None

    def _was_there(self, page: int) -> bool:
        """Whether the last turn of a page found something."""
        return self._last_state(page) in (State.FETCHED, State.ALIAS)

    def _last_state(self, page: int) -> str:
        turn = self._batch.turns.get(page)
        return turn.state if turn else self.writer.state(page)

    def _alias_target(self, page: int, outcome: Outcome) -> tuple[int | None, Outcome]:
        """The page that `page` stands for, if it may, and the outcome in the light of that."""
        if outcome.alias is None:
            return None, outcome
        found: int | None = None
        refusal = self._scope.refuses(outcome.alias, int(self.accounts.depth[page]))
        if refusal is None:
            # A target that is not known yet cannot lead back here.
            found = self.known.find([outcome.alias])[0]
            refusal = self._chain(page, found) if found is not None else self._long_chain(page)
            if refusal is None and found is None and self._traps is not None:
                refusal = self._traps.take_in(self.known.url(page), None, [outcome.alias])[0]
            if refusal == "loop" and outcome.is_redirect and found is not None and self._void_hint(found, page):
                refusal = self._chain(page, found)
            if refusal is None and not outcome.is_redirect and found is not None and self._is_dead(found):
                refusal = "dead"
        if refusal is None:
            if found is None:
                found = self._made_known([outcome.alias], [None], page, outcome.reason, same_depth=True)[0]
            return found, outcome
        if outcome.is_redirect:
            return None, Outcome(State.ERROR, f"redirect-{refusal}")
        return None, Outcome(State.FETCHED, f"{outcome.reason}-{refusal}", follows=outcome.follows)

    def _chain(self, page: int, target: int) -> str | None:
        """What is wrong with letting `page` stand for `target`: a loop, or a chain of too many hops."""
        for _ in range(MAX_HOPS):
            if target == page:
                return "loop"
            if not self.accounts.ledger.alias[target]:
                return self._long_chain(page)
            target = int(self._outlinks(target)[0])
        return "chain"

    def _void_hint(self, alias: int, page: int) -> bool:
        """Let the first page in the chain from `alias` to `page` that is an alias by a mere hint stand for itself.

        That is a page whose rel=canonical names `page`, which in turn redirects to it, as on sites that moved to
        https: the redirect is a fact, the canonical a hint. False where there is none: the loop is of redirects.
        """
        while alias != page:
            row = self._links_row(alias)
            if row.own is not None:
                self._stand_for_itself(alias, "canonical-loop")
                return True
            alias = int(from_bytes(row.targets)[0])
        return False

    def _void_hints_to(self, page: int) -> None:
        """Let the pages that name `page` as canonical stand for themselves: there is nothing behind that name."""
        for alias in self._hinted.pop(page, ()):
            row = self._links_row(alias)
            if row.own is not None and from_bytes(row.targets)[0] == page:
                self._stand_for_itself(alias, "canonical-dead")

    def _stand_for_itself(self, alias: int, reason: str) -> None:
        """Give an alias its own links back."""
        row = self._links_row(alias)
        assert row.own is not None, "only a page with links of its own can stand for itself"
        self.accounts.relink(alias, from_bytes(row.own), from_bytes(row.targets))
        self._batch.links[alias] = row._replace(targets=row.own, own=None)
        self._batch.restated[alias] = Restated(alias, State.FETCHED, reason)

    def _is_dead(self, page: int) -> bool:
        """Whether the last turn of a page found nothing."""
        return self._last_state(page) in (State.ERROR, State.GONE)

    def _long_chain(self, page: int) -> str | None:
        return "chain" if self.accounts.hops[page] >= MAX_HOPS else None

    def _followed(self, page: int, outcome: Outcome, parsed: ParsedPage) -> tuple[list[str], list[str], int]:
        """The outlinks in scope with their anchors, and how many are not."""
        if not outcome.follows:
            return [], [], 0
        depth = int(self.accounts.depth[page]) + 1
        inside = [self._scope.refuses(url, depth) is None for url in parsed.outlinks]
        urls = [url for url, is_inside in zip(parsed.outlinks, inside, strict=True) if is_inside]
        anchors = [text for text, is_inside in zip(parsed.anchors, inside, strict=True) if is_inside]
        return urls, anchors, len(inside) - len(urls)

    @staticmethod
    def _unknown(urls: Sequence[str], pages: Sequence[int | None]) -> list[str]:
        return [url for url, page in zip(urls, pages, strict=True) if page is None]

    @staticmethod
    def _without_traps(
        urls: list[str], anchors: list[str], pages: list[int | None], traps: Sequence[str | None]
    ) -> tuple[list[str], list[str], list[int | None]]:
        """Links without those to traps. traps: the rule against each one that is not known, in order, or None."""
        if not any(traps):
            return urls, anchors, pages
        rules = iter(traps)
        kept = [place for place, page in enumerate(pages) if page is not None or next(rules) is None]
        return [urls[at] for at in kept], [anchors[at] for at in kept], [pages[at] for at in kept]

    def _note_hosts(self, page: int, outlinks: npt.NDArray[np.int32]) -> None:
        """Let the hosts that a page links to have more pages."""
        assert self._traps is not None
        own = int(self.frontier.host_of[page])
        for host in set(self.frontier.host_of[outlinks].tolist()):
            if host != own:
                self._traps.linked(self.frontier.hosts[host].name, self.frontier.hosts[own].name)

    def _made_known(
        self, urls: Sequence[str], pages: Sequence[int | None], source: int, reason: str, *, same_depth: bool = False
    ) -> list[int]:
        """Page numbers of distinct URLs that `source` points to, making known those that have none."""
        fresh = self._unknown(urls, pages)
        if not fresh:
            return [page for page in pages if page is not None]
        grant = GRANT if self._strategy.birth_grants else 0
        grants = [grant if self._focus.is_off else int(grant * self._focus.factor(url)) for url in fresh]
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
            host = self._host(authority(url))
            self.frontier.place(page, host)
            self._batch.new.append(NewPage(page, url, host.id, found_on, reason))
        return born

    def _host(self, name: str) -> Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = self.frontier.add_host(name, self._delay(0.0))
            self._batch.hosts.add(host.id)
        return host

    def _delay(self, crawl_delay: float) -> float:
        """Seconds between two requests to a host; a delay of 0 means that politeness is switched off."""
        return max(self._settings.delay, crawl_delay) if self._settings.delay else 0.0

    def _outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks of a read page at its last visit."""
        return from_bytes(self._links_row(page).targets)

    def _links_row(self, page: int) -> Links:
        row = self._batch.links.get(page) or self.writer.links_row(page)
        assert row is not None, "every read page has a row of links"
        return row

    def _try_again(self, page: int, outcome: Outcome, now: float) -> None:
        _log.info("again in %.0f s: %s %s", outcome.wait, outcome.reason, self.known.url(page))
        attempts = self._attempts[page] = self._attempts.get(page, 0) + 1
        self._batch.retries[page] = Retry(page, attempts, outcome.reason)
        self.frontier.put_back(page, now, now + outcome.wait)

    def _note_request(self, page: int) -> None:
        self._batch.hosts.add(int(self.frontier.host_of[page]))

    def _turn(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage, now: float) -> Turn:
        """The row that says what became of a page's turn."""
        assert outcome.state is not None
        _log.debug("%s %s %s", outcome.state, outcome.reason, fetched.url)
        if outcome.state in (State.ERROR, State.GONE, State.DISALLOWED):
            self.failures[outcome.reason] += 1
        answered = fetched.status is not None
        return Turn(
            page,
            str(outcome.state),
            outcome.reason,
            0,
            fetched.status,
            now if answered else None,
            fetched.seconds if answered else None,
            fetched.size if answered else None,
            fetched.content_type,
            parsed.title,
            self.accounts.measures(page),
        )

    def _host_rows(self) -> list[HostRow]:
        hosts = (self.frontier.hosts[host_id] for host_id in sorted(self._batch.hosts))
        return [HostRow(host.id, host.name, host.crawl_delay, host.not_before) for host in hosts]
