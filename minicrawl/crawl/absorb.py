"""Taking in what came back for a page: books, frontier and store, in this order, by one task only.

Nothing here waits or touches the network; `now` is passed in. What is absorbed is committed in batches:
every batch is one transaction, and the page numbers, both books and the clock in it belong together.
"""

import gc
import json
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.accounts import Accounts
from minicrawl.crawl.batch import Batch
from minicrawl.crawl.duplicates import Duplicates
from minicrawl.crawl.focus import Focus
from minicrawl.crawl.frontier import Frontier
from minicrawl.crawl.hosts import Host, HostTurn
from minicrawl.crawl.known import KnownUrls
from minicrawl.crawl.outcome import MAX_HOPS, Outcome, judge
from minicrawl.crawl.politeness import FRESH, Health, after, delay_of
from minicrawl.crawl.robots import RobotsState
from minicrawl.crawl.scope import Scope
from minicrawl.crawl.sitemap_queue import SitemapQueue
from minicrawl.crawl.soft404 import Soft404s, above, is_error_like, says_the_same
from minicrawl.crawl.traps import Traps
from minicrawl.crawl.urls import authority, normalise, origin
from minicrawl.model import Fetched, ParsedPage, SitemapAnswer, State
from minicrawl.opic import GRANT, DiscoveryBudget, Strategy, Window, seed_grant
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.opic.window import MeasureWindow
from minicrawl.settings import CrawlSettings
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.rows import (
    CREDITED_COLUMNS,
    HostRow,
    Links,
    MetaValue,
    NewPage,
    Refused,
    Restated,
    Retry,
    Told,
    Turn,
)
from minicrawl.store.writer import Writer

_NOWHERE: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
_log = logging.getLogger("minicrawl")
VIRTUAL_VISITS_PER_TURN = 4
_LET_IN_AT_ONCE = 100
_LOOKS = 4  # at the queue of URLs from sitemaps, in one turn, where many have become known otherwise
_PAGES_PER_LOOK = 1000
"""To find out which visits are worth it means a look at every page: at so many per turn, some 10 us."""


class Absorber:
    """The state of a crawl: accounts, known URLs and frontier, and the batch not yet committed.

    Invariant: what the store holds after a commit is what memory holds, so a new Absorber on it goes on as
    this one would.
    """

    def __init__(
        self,
        writer: Writer,
        settings: CrawlSettings,
        strategy: Strategy,
        window: Window,
        now: float,
        *,
        locates: bool = False,
    ) -> None:
        """locates: whether the address of a host must be known before it is asked."""
        self.writer = writer
        self._settings = settings
        self._strategy = strategy
        self._focus = Focus.of(settings)
        self.accounts = Accounts(window)
        self._budget = DiscoveryBudget(settings.discovery, float(writer.meta("discovery_credit") or 0.0))
        ip_delay = settings.delay_per_address if locates else 0.0
        self.frontier = Frontier(
            self.accounts.book,
            strategy,
            self._budget,
            settings.per_host,
            ip_delay=ip_delay,
            locates=locates,
            addresses_from=float(writer.meta("asked_until") or 0.0) + ip_delay,
        )
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
        self.sitemaps = SitemapQueue(writer)
        self.sitemaps.thirds = int(writer.meta("sitemap_thirds") or 0)
        self._duplicates = Duplicates(writer.fingerprints(), writer.fingerprint)
        secret = bytes.fromhex(str(writer.meta("hash_key")))
        self._soft404s = Soft404s(writer.probes(), secret) if settings.probe else None
        self._seeds: list[str] = []
        self._batch = Batch()
        self._turns_unsettled = 0

    def start(self, seeds: Sequence[str], now: float) -> None:
        """Make the seeds known, those that are new, and set the scope by all seeds this store ever had."""
        self._seeds = [*self.writer.seeds(), *seeds]
        self._scope = Scope.of(self._settings, self._seeds)
        if self._traps is not None:
            self._traps.protect(self._seeds)
        fresh = [url for url, page in zip(seeds, self.known.find(seeds), strict=True) if page is None]
        if fresh:
            grant = seed_grant(self._strategy, self.accounts.book, len(fresh))
            born = self._discover(fresh, "seed", None, 0, [grant] * len(fresh))
            self.accounts.seed(np.arange(born.start, born.stop))
            for page in born:
                self.frontier.add(page, now)
        self._follow_further(now)

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Take in what the request for `page` led to. The page must have been acquired from the frontier."""
        outcome = judge(fetched, parsed, self._attempts.get(page, 0), now=now)
        self._note_answer(HostTurn(self.frontier.host(page), page), fetched, now, outcome.rest)
        if outcome.state is None:
            self._try_again(page, outcome, now)
        else:
            self._attempts.pop(page, None)
            self._visit(page, self._recognised(page, outcome, fetched, parsed), fetched, parsed, now)

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

    def absorb_robots(
        self, turn: HostTurn, origin: str, robots: RobotsState, crawl_delay: float | None, fetched: Fetched, now: float
    ) -> None:
        """Take in a robots.txt that was asked for in the turn of a page or a sitemap, which waits again.

        crawl_delay: what it asks for; None: nothing is known of that.
        """
        if crawl_delay is not None:
            turn.host.crawl_delay = crawl_delay
            self._batch.is_urgent |= crawl_delay > self._settings.delay > 0
        self._batch.robots.append(robots.row(origin))
        self._note_answer(turn, fetched, now)
        self._put_back(turn, now)

    def locate_host(self, turn: HostTurn, address: str, until: float, now: float) -> None:
        """Take in the IP address of the host that has its turn, good until then; page or sitemap waits again."""
        self.frontier.end_turn(turn, now, asked=False)
        self.frontier.locate(turn.host, address, until, now)
        self._put_back(turn, now)

    def hold_host(self, turn: HostTurn, until: float, now: float) -> None:
        """Let the host that has its turn rest; page or sitemap waits again."""
        self.frontier.end_turn(turn, now, asked=False, not_before=until)
        self._put_back(turn, now)

    def _put_back(self, turn: HostTurn, now: float) -> None:
        if turn.page is not None:
            self.frontier.put_back(turn.page, now)
        elif turn.errand is not None:
            self.frontier.add_errand(turn.host, turn.errand, now)

    # Sitemaps: requests for them are errands, under their numbers.

    def name_sitemaps(self, page: int, site: str, written: Sequence[str], now: float) -> None:
        """Take in the sitemaps that robots.txt of `site`, scheme://host[:port], names; the turn of `page` has come."""
        named = [normalise(url, f"{site}/robots.txt") for url in written]
        self.sitemaps.name(int(self.frontier.host_of[page]), [url for url in named if url is not None], page, 0, now)

    def acquire_errand(self, now: float) -> HostTurn | None:
        """Hand out a host to be asked now, and the sitemap to ask it for. It is in flight until that is absorbed."""
        if not self._settings.sitemaps:
            return None
        for row in self.sitemaps.to_ask(now):
            name = authority(row.url)
            if name != self.frontier.hosts[row.host].name and not self._scope.is_inside(row.url):
                self.sitemaps.closed(row.id, f"scope-{self._scope.kind}", None, 0, now)
            else:
                self.frontier.add_errand(self._host(name), row.id, now)
        return self.frontier.acquire_errand(now)

    def sitemap_url(self, turn: HostTurn) -> str:
        """URL of the sitemap that a turn is for."""
        assert turn.errand is not None
        return self.sitemaps.row(turn.errand).url

    def drop_errand(self, turn: HostTurn, reason: str, now: float) -> None:
        """Take in that a sitemap whose turn has come is not to be asked for."""
        assert turn.errand is not None
        self.frontier.end_turn(turn, now, asked=False)
        self.sitemaps.closed(turn.errand, reason, None, 0, now)

    def absorb_sitemap_urls(self, sitemap: int, urls: Sequence[str], is_index: bool, now: float) -> None:
        """Take in URLs a sitemap lists, of further sitemaps or of pages: what it may speak of, and is news."""
        row = self.sitemaps.row(sitemap)
        name = self.frontier.hosts[row.host].name
        if is_index:
            near = {name, authority(row.url)}
            self.sitemaps.name(row.host, [url for url in urls if authority(url) in near], row.page, row.level + 1, now)
            return
        depth = int(self.accounts.depth[row.page]) + 1
        distinct = dict.fromkeys(url for url in urls if authority(url) == name)
        inside = [url for url in distinct if self._scope.refuses(url, depth) is None]
        self.sitemaps.enqueue(sitemap, self._unknown(inside, self.known.find(inside)))

    def absorb_sitemap(self, turn: HostTurn, answer: SitemapAnswer, now: float) -> None:
        """Take in what the request for a sitemap led to; its URLs have been absorbed."""
        sitemap = turn.errand
        assert sitemap is not None
        row, fetched = self.sitemaps.row(sitemap), answer.fetched
        outcome = judge(fetched, ParsedPage(), row.attempts, now=now)
        self._note_answer(turn, fetched, now, outcome.rest)
        if outcome.state is None:
            self.sitemaps.tried(sitemap, outcome.reason, fetched.status, now + outcome.wait)
            return
        if outcome.is_redirect and outcome.alias is not None:
            self.sitemaps.name(row.host, [outcome.alias], row.page, row.level + 1, now)
        reason = answer.reason if fetched.status == 200 else outcome.reason
        self.sitemaps.closed(sitemap, reason, fetched.status, answer.found, now)

    def let_rest_in(self, now: float) -> bool:
        """Let some URLs from sitemaps in, as there is nothing else to do; whether any were. Commit before."""
        if not self._settings.sitemaps:
            return False
        waiting = None
        while self.sitemaps.waiting != waiting:  # as long as some of them are known by now, or in traps
            waiting = self.sitemaps.waiting
            if self._let_in(_LET_IN_AT_ONCE, now):
                return True
        return False

    def _let_in(self, most: int, now: float) -> int:
        """Make URLs from sitemaps known, so many at most. Returns how many."""
        first_new = self.accounts.size
        for _ in range(_LOOKS):
            listed = self.sitemaps.next_urls(most - (self.accounts.size - first_new))
            if listed is None:
                break
            sitemap, urls = listed[0], list(dict.fromkeys(listed[1]))
            fresh = self._unknown(urls, self.known.find(urls))
            if self._traps is not None:
                traps = self._traps.take_in(sitemap.url, None, fresh)
                fresh = [url for url, rule in zip(fresh, traps, strict=True) if rule is None]
            born = self._made_known(fresh, [None] * len(fresh), sitemap.page, "sitemap")
            self.sitemaps.let_in(sitemap.id, born)
            for page in born:
                self.frontier.add(page, now)
            if self.accounts.size - first_new >= most:
                break
        return self.accounts.size - first_new

    def due_probe(self, site: str) -> str | None:
        """A page that cannot exist, to be asked for at scheme://host[:port] in place of one whose turn has come."""
        return self._soft404s.take_due(site) if self._soft404s is not None else None

    def absorb_probe(self, turn: HostTurn, fetched: Fetched, title: str | None, now: float) -> None:
        """Take in the answer for a page that cannot exist, asked for in the turn of a page, which waits again."""
        assert self._soft404s is not None, "there are probes only where soft 404s are looked for"
        verdict = self._verdict(fetched)
        for suspect in self._soft404s.take_in(fetched, title, verdict, now):
            if verdict == "soft-404":
                self._retract(suspect, fetched, title)
        self._note_answer(turn, fetched, now)
        self._put_back(turn, now)

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
    def is_urgent(self) -> bool:
        """Whether a host has asked for something that must be in the store before the crawl can be killed."""
        return self._batch.is_urgent

    @property
    def is_settling_due(self) -> bool:
        """Whether the crawl has grown by a tenth since the last virtual visits.

        A round of them writes most accounts again; this way a busy crawl writes each a bounded number of times.
        """
        return 10 * self._turns_unsettled > self.accounts.book.payees

    def settle_fully(self) -> None:
        """Virtual visits until the ranking is exact for the known graph, but for SETTLED_ERROR; so are depths then."""
        links = self.writer.links()
        self.accounts.settle_fully(links, SETTLED_ERROR)
        self.accounts.shorten(links)

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
            self._save_sitemaps()
            self.writer.save_fingerprints(self._duplicates.take_rows())
            if self._soft404s is not None:
                self.writer.save_probes(self._soft404s.take_rows())
            self.writer.save_hosts(self._host_rows())
            self.writer.save_meta(self.accounts.scalars() | self._credits() | meta)
        self.known.committed()
        self._committed = self.accounts.size
        self._batch = Batch()

    def _save_sitemaps(self) -> None:
        rows = self.sitemaps.take_rows()
        self.writer.save_sitemaps(rows.sitemaps)
        self.writer.add_listed_urls(rows.listed)
        self.writer.remove_listed_urls(rows.unlisted)
        self.writer.save_sitemap_pages(rows.made)

    def _credits(self) -> dict[str, MetaValue]:
        return {"discovery_credit": self._budget.credit, "sitemap_thirds": self.sitemaps.thirds}

    def _load(self, now: float) -> None:
        """Take over what the store holds."""
        asked_until = float(self.writer.meta("asked_until") or 0.0) if self.writer.meta("in_doubt") else 0.0
        for row in self.writer.hosts():
            base = self._base(row.crawl_delay)
            health = Health(row.seconds, row.backoff, row.strains, row.dead_until) if base else FRESH
            delay = delay_of(base, health)
            ready_at = max(row.next_at, asked_until + delay) if delay else row.next_at
            self._hosts[row.name] = self.frontier.add_host(
                row.name, delay, crawl_delay=row.crawl_delay, ready_at=ready_at, health=health
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
        is_again = bool(self.accounts.book.read[page])
        old = self._outlinks(page) if is_again else _NOWHERE
        outcome, links, weights = self._linked(page, outcome, fetched, parsed)
        if fetched.payload is not None and (outcome.state is State.FETCHED or outcome.reason == "duplicate"):
            self._note_likeness(page, fetched)
        elif is_again:
            self._duplicates.forget(page)
        is_alias = outcome.state is State.ALIAS
        targets = from_bytes(links.targets)
        depths = self.accounts.depth[targets]
        visit = self.accounts.visit(page, targets, old, alias=is_alias, weights=weights)
        if outcome.reason in ("http-404", "http-410") and self._was_there(page):
            outcome = replace(outcome, state=State.GONE)
            self.accounts.retire(page)
        self._batch.add_turn(self._turn(page, outcome, fetched, parsed, now), links)
        self._turns_unsettled += len(targets) > 0  # the others have nothing to pass on
        if links.own is not None:
            self._hinted[int(from_bytes(links.targets)[0])].append(page)
        if outcome.state in (State.ERROR, State.GONE):
            self._void_hints_to(page)
        self._note_nearer(targets, depths)
        self.frontier.credit(visit.credited[visit.credited < first_new])
        for new in range(first_new, self.accounts.size):
            self.frontier.add(new, now)
        if self.sitemaps.waiting and self._settings.sitemaps:
            earned = self.sitemaps.earned(self.accounts.size - first_new)
            if earned:
                self._let_in(earned, now)
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
        self._note_refused(page, outcome, parsed)
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

    # Pages that say the same.

    def _recognised(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage) -> Outcome:
        """The outcome in the light of what is known to say the same: a soft 404, or a page to be merged with."""
        if outcome.state is not State.FETCHED or fetched.digest is None:
            return outcome
        if self._is_soft_404(page, fetched, parsed.title):
            return Outcome(State.ERROR, "soft-404")
        if self._settings.merge_duplicates:
            found = self._duplicates.likeness(page, fetched.payload, None)
            if found is not None:
                leader = self.known.url(found.leader)
                return Outcome(State.ALIAS, "duplicate", alias=leader, follows=outcome.follows)
        return outcome

    def _note_likeness(self, page: int, fetched: Fetched) -> None:
        assert fetched.digest is not None
        assert fetched.payload is not None
        likeness = self._duplicates.likeness(page, fetched.payload, fetched.simhash)
        self._duplicates.take_in(page, fetched.digest, fetched.payload, fetched.simhash, likeness)
        if self._soft404s is None or likeness is None:
            return
        if self.frontier.host_of[page] == self.frontier.host_of[likeness.leader]:
            self._soft404s.suspect(fetched.url, self.known.url(likeness.leader), (page, likeness.leader))

    def _is_soft_404(self, page: int, fetched: Fetched, title: str | None) -> bool:
        """Whether a page says what its host says of pages that it does not have."""
        if self._soft404s is None:
            return False
        probe = self._soft404s.match(fetched, title)
        if probe is not None and self._is_surely_there(page, fetched.url, probe.url):
            self._soft404s.absolve(probe)
            return False
        return probe is not None

    def _is_surely_there(self, page: int, url: str, probe_url: str) -> bool:
        """Whether a page cannot be an error: a seed, or a folder that what was probed is in."""
        return bool(self.accounts.depth[page] == 0) or url in above(probe_url)

    def _verdict(self, answer: Fetched) -> str:
        """What the answer for a page that cannot exist tells of its host."""
        if answer.status != 200 or answer.payload is None:
            return "not-found"
        there = [*above(answer.url), *(seed for seed in self._seeds if origin(seed) == origin(answer.url))]
        rows = [self._duplicates.row(page) for page in self.known.find(there) if page is not None]
        same = any(says_the_same(answer, row) for row in rows if row is not None)
        return "catch-all" if same else "soft-404"

    def _retract(self, page: int, answer: Fetched, title: str | None) -> None:
        """Take a page that was read before its host was found out for the error it is."""
        row, url = self._duplicates.row(page), self.known.url(page)
        if row is None or not is_error_like(answer, title, row, self._told(page).title):
            return
        if self._last_state(page) != State.FETCHED or self._is_surely_there(page, url, answer.url):
            return
        links = self._links_row(page)
        self.accounts.relink(page, _NOWHERE, from_bytes(links.targets))
        self._batch.links[page] = links._replace(targets=b"")
        self._batch.restated[page] = Restated(page, State.ERROR, "soft-404")
        self._duplicates.forget(page)
        self.failures["soft-404"] += 1
        self._void_hints_to(page)

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
            return None, Outcome(State.ERROR, f"redirect-{refusal}", alias=outcome.alias)
        return None, replace(outcome, state=State.FETCHED, reason=f"{outcome.reason}-{refusal}")

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
                self._stand_for_itself(alias, "loop")
                return True
            alias = int(from_bytes(row.targets)[0])
        return False

    def _void_hints_to(self, page: int) -> None:
        """Let the pages that name `page` as canonical stand for themselves: there is nothing behind that name."""
        for alias in self._hinted.pop(page, ()):
            row = self._links_row(alias)
            if row.own is not None and from_bytes(row.targets)[0] == page:
                self._stand_for_itself(alias, "dead")

    def _stand_for_itself(self, alias: int, why: str) -> None:
        """Give an alias its own links back."""
        hint = "duplicate" if self._told(alias).reason == "duplicate" else "canonical"
        row = self._links_row(alias)
        assert row.own is not None, "only a page with links of its own can stand for itself"
        own = from_bytes(row.own)
        depths = self.accounts.depth[own]
        self.accounts.relink(alias, own, from_bytes(row.targets))
        self._batch.links[alias] = row._replace(targets=row.own, own=None)
        self._batch.restated[alias] = Restated(alias, State.FETCHED, f"{hint}-{why}")
        self._note_nearer(own, depths)

    def _told(self, page: int) -> Told:
        """What came of the last turn of a page that was read."""
        turn = self._batch.turns.get(page)
        return Told(turn.reason, turn.title) if turn else self.writer.told(page)

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

    def _note_refused(self, page: int, outcome: Outcome, parsed: ParsedPage) -> None:
        """Keep where the page would lead to if it were allowed to, and what only --max-depth keeps out."""
        leads_to = None if outcome.state is State.ALIAS else outcome.alias
        is_farthest = self._scope.max_depth is not None and self.accounts.depth[page] >= self._scope.max_depth
        beyond = [url for url in parsed.outlinks if self._scope.refuses(url, 0) is None] if is_farthest else []
        if leads_to or (beyond and outcome.follows) or self.accounts.book.read[page]:
            kept = json.dumps(beyond) if beyond and outcome.follows else None
            self._batch.refused[page] = Refused(page, leads_to, kept)

    def _follow_further(self, now: float) -> None:
        """Follow what an earlier run with a smaller --max-depth has left out."""
        first_new = self.accounts.size
        for row in list(self.writer.beyond()):
            self._follow_beyond(row.source)
        for page in range(first_new, self.accounts.size):
            self.frontier.add(page, now)

    def _note_nearer(self, pages: npt.NDArray[np.int32], depths: npt.NDArray[np.int32]) -> None:
        """Pages that were at `depths` may be nearer to a seed now: so are those behind them, and more is followed."""
        if self._scope.max_depth is None:
            return  # nothing depends on it, and in the end all are done at once
        nearer: list[int] = pages[self.accounts.depth[pages] < depths].tolist()
        while nearer:
            page = nearer.pop()
            if not self.accounts.book.read[page]:
                continue  # its links are followed when its turn comes
            self._follow_beyond(page)
            targets = self._outlinks(page)
            behind = targets[self.accounts.depth[targets] > self.accounts.reach(page)]
            self.accounts.bring_nearer(page, behind)
            nearer += behind.tolist()

    def _follow_beyond(self, page: int) -> None:
        """Follow those links of a read page that were beyond --max-depth and no longer are."""
        refused = self._batch.refused.get(page) or self.writer.refused(page)
        depth = int(self.accounts.depth[page]) + 1
        beyond = json.loads(refused.beyond or "[]") if refused else []
        urls = [url for url in beyond if self._scope.refuses(url, depth) is None]
        if refused is None or not urls:
            return
        self._batch.refused[page] = refused._replace(beyond=None)
        row = self._links_row(page)
        own = from_bytes(row.targets if row.own is None else row.own)
        known = self.known.find(urls)
        if self._traps is not None:
            traps = self._traps.take_in(self.known.url(page), None, self._unknown(urls, known))
            urls, _, known = self._without_traps(urls, urls, known, traps)
        found = np.array(self._made_known(urls, known, page, "link"), dtype=np.int32)
        found = found[(found != page) & ~np.isin(found, own)]
        row = row._replace(refused=max(row.refused - len(urls), 0))
        if row.own is None:
            self.accounts.relink(page, np.concatenate([own, found]), own)
            self._batch.links[page] = row._replace(targets=to_bytes(np.concatenate([own, found])))
        else:
            self._batch.links[page] = row._replace(own=to_bytes(np.concatenate([own, found])))

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
            host = self._hosts[name] = self.frontier.add_host(name, self._base(0.0))
            self._batch.hosts.add(host.id)
        return host

    def _base(self, crawl_delay: float) -> float:
        """The least seconds between two requests to a host; a delay of 0 means that politeness is switched off."""
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

    def _note_answer(self, turn: HostTurn, fetched: Fetched, now: float, rest: float = 0.0) -> None:
        """The request that was made in a turn is over: set its host's clock by how it was answered."""
        host = turn.host
        self._batch.hosts.add(host.id)
        base = self._base(host.crawl_delay)
        if base:
            host.health = after(host.health, fetched, base, now)
            host.delay = delay_of(base, host.health)
        self._batch.is_urgent |= rest > 0 or host.health.strains > 0
        left = now - fetched.waited if fetched.waited else math.inf
        self.frontier.end_turn(turn, now, left=left, not_before=now + rest)
        if host.health.dead_until > now:
            _log.info("dead for now: %s", host.name)
            self.frontier.free(host, now)

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
        return [
            HostRow(
                host.id,
                host.name,
                host.crawl_delay,
                host.not_before,
                host.health.seconds,
                host.health.backoff,
                host.health.strains,
                host.health.dead_until,
            )
            for host in hosts
        ]
