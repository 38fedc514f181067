"""Taking in what came back for a page: books, frontier and store, in this order, by one task only.

Nothing here waits or touches the network; `now` is passed in. What is absorbed is committed in batches:
every batch is one transaction, and the page numbers, both books and the clock in it belong together.
"""

import logging
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.seeds import in_plain_http
from minicrawl.crawler.admission.traps import NOTHING
from minicrawl.crawler.books.accounts import found_in
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.crawler.outcomes.outcome import NO_CONNECTION, NOT_MODIFIED, Outcome, judge
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.liveness import Liveness
from minicrawl.crawler.requests.robots import RobotsFiles
from minicrawl.crawler.requests.sitemap import Sitemaps
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.alternates import Twins
from minicrawl.crawler.visits.max_depth import Beyond
from minicrawl.crawler.visits.same_page import Repeats
from minicrawl.model import READ, Fetched, ParsedPage, State
from minicrawl.opic import Strategy, Window
from minicrawl.opic.coverage import Found
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.opic.shares import slices
from minicrawl.settings import CrawlSettings
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.rows import Fetch, Links, MetaValue, Retry, Turn
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD, Timing

_NOWHERE: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
_log = logging.getLogger("minicrawl")
VIRTUAL_VISITS_PER_TURN = 4
_PAGES_PER_LOOK = 1000
"""To find out which visits are worth it means a look at every page: at so many per turn, some 10 us."""


class Absorber:
    """Takes in the turns of pages.

    Its parts take in the rest: `turns` how hosts were answered, `robots` and `sitemaps` theirs, `repeats` the answers
    for pages that cannot exist; `liveness` chooses whom to ask whether anybody answers, and `answered` are the hosts
    that ever have, and not failed since. All share one KnownWeb, committed as a whole.
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
        timing: Timing = STANDARD,
    ) -> None:
        """locates: whether the address of a host must be known before it is asked."""
        web = self._web = KnownWeb(writer, settings, strategy, window, now, locates=locates, timing=timing)
        self.writer = writer
        self.accounts, self.frontier, self.known, self.failures = web.accounts, web.frontier, web.known, web.failures
        self.turns = HostTurns(web)
        self.robots = RobotsFiles(web, self.turns)
        self._beyond = Beyond(web)
        self._aliases = Aliases(web, self._beyond)
        self.repeats = Repeats(web, self._aliases)
        self.sitemaps = Sitemaps(web, self.turns, self.repeats.plain)
        self._twins = Twins(web, self.repeats.plain)
        self.liveness = Liveness(web, self.turns)
        self.answered = web.answered
        self._turns_unsettled = 0
        self._guessed: set[int] = set()
        self._wrong_guesses: dict[int, str] = {}

    def start(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> None:
        """`starting`, to the end."""
        for _ in self.starting(seeds, now, guessed):
            pass

    def starting(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> Iterator[None]:
        """Set the scope by all seeds this store ever had, and make the seeds known, those that are new, step by step.

        After every step what is known so far may be committed. Nothing may be asked for before the last one.
        guessed: seeds of which it is not certain that https is their scheme.
        """
        yield from self._web.start(seeds, now, list(map(in_plain_http, guessed)))
        self._guessed = {page for page in self.known.find(list(guessed)) if page is not None}
        self._beyond.follow_further(now)

    def doubt_scheme(self, page: int, reason: str, now: float) -> None:
        """There was no connection for the sake of a page: if https was a guess, http may be what was meant."""
        if page in self._guessed and (reason in NO_CONNECTION or reason.startswith("tls")):
            self._guessed.remove(page)
            self._wrong_guesses[page] = reason
            self._web.add_seeds([in_plain_http(self.known.url(page))], now)

    def wrong_guess(self, page: int) -> str | None:
        """Why a page is not to be asked for, if https was a wrong guess."""
        return self._wrong_guesses.get(page)

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Take in what the request for `page` led to. The page must have been acquired from the frontier."""
        attempts = self._web.attempts.get(page, 0)
        if fetched.status == NOT_MODIFIED and self.accounts.book.visited[page] and self._web.was_there(page):
            self.turns.answered(HostTurn(self.frontier.host(page), page), fetched, now, 0.0)
            self._visit_unchanged(page, fetched.url, now)
            return
        outcome = judge(fetched, parsed, attempts, now=now, timing=self._web.timing)
        if outcome.state is None and page in self._wrong_guesses:
            outcome = replace(outcome, state=State.ERROR)
        self.turns.answered(HostTurn(self.frontier.host(page), page), fetched, now, outcome.rest)
        if outcome.state is None:
            self._try_again(page, outcome, now)
        else:
            self._web.attempts.pop(page, None)
            self._visit(page, self.repeats.recognised(page, outcome, fetched, parsed), fetched, parsed, now)

    def absorb_unfetched(self, page: int, state: State, reason: str, until: float, now: float) -> None:
        """Take in the turn of a page that must not or cannot be fetched before `until`. No cash must be stuck."""
        self.frontier.release(page, now, asked=False)
        url, outcome = self.known.url(page), Outcome(state, reason)
        if reason == "trap-session" and (plain := self.repeats.plain(url)) != url:
            outcome = Outcome(State.ALIAS, "session", alias=plain, is_redirect=True)
        self._visit(page, outcome, Fetched(url), ParsedPage(), now, until)

    def trap(self, page: int, url: str) -> str | None:
        """The rule by which an acquired page, no seed and never found anything at, is not to be fetched, or None."""
        if self._web.traps is None or self.accounts.depth[page] == 0:
            return None
        if self.accounts.book.visited[page] and self._web.was_there(page):
            return None
        if self.repeats.plain(url) != url:
            return "trap-session"
        found = self._web.traps.verdict(url)
        return found[0] if found is not None else None

    def settle(self) -> int:
        """Virtual visits along committed links: some for every turn since the last ones, the most worthy first.

        Returns how many.
        """
        if self._turns_unsettled * _PAGES_PER_LOOK < self.accounts.size or not self._turns_unsettled:
            return 0
        worthy = self.accounts.ledger.due(VIRTUAL_VISITS_PER_TURN * self._turns_unsettled)
        # Of pages visited since the last commit the store does not know the links that the ledger knows.
        due = [page for page in worthy.tolist() if page not in self._web.batch.links]
        self._turns_unsettled = 0
        for some in slices(len(due), self.writer.sizes.settled):
            self.accounts.settle(self.writer.links_of(due[some]))
        return len(due)

    @property
    def links_left_out(self) -> int:
        """Links of read pages that are out of scope, filtered or in a trap."""
        return self._web.links_left_out

    @property
    def turns_in_batch(self) -> int:
        """How many pages had their turn since the last commit."""
        return self._web.batch.turns_taken

    @property
    def is_urgent(self) -> bool:
        """Whether a host has asked for something that must be in the store before the crawl can be killed."""
        return self._web.batch.is_urgent

    @property
    def is_settling_due(self) -> bool:
        """Whether the crawl has grown by a tenth since the last virtual visits.

        A round of them writes most accounts again; this way a busy crawl writes each a bounded number of times.
        """
        return 10 * self._turns_unsettled > self.accounts.book.payees

    def settle_fully(self) -> None:
        """Virtual visits until the ranking is exact for the known graph, but for SETTLED_ERROR; so are depths then."""
        with self.writer.kept_link_blocks() as blocks:
            self.accounts.settle_fully(blocks, SETTLED_ERROR)
            self.accounts.shorten(blocks)

    def commit(self, meta: dict[str, MetaValue], *, ranks: bool = False) -> None:
        """Write everything since the last commit, all or nothing. ranks: and the place of every page."""
        with self.writer.transaction():
            self._web.save()
            self.sitemaps.save()
            self.repeats.save()
            self._twins.save()
            if ranks:
                self._web.rank()
            self.writer.save_meta(meta)
        self._web.committed()

    # The turn of a page.

    def _visit(
        self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage, now: float, not_before: float = 0.0
    ) -> None:
        """The turn of a page: it spends its cash along the links it has now, and those are noted.

        not_before: when it may have its next turn, if it is to have one.
        """
        first_new = self.accounts.size
        is_again = bool(self.accounts.book.visited[page])
        before = self._web.links_row(page) if is_again else None
        old = _NOWHERE if before is None else from_bytes(before.targets)
        outcome, links, weights = self._linked(page, outcome, fetched, parsed)
        self.repeats.note(page, outcome, fetched)
        assert outcome.state is not None
        targets = from_bytes(links.targets)
        depths = self.accounts.depth[targets]
        found = found_in(outcome.state, fetched.status is not None)
        visit = self.accounts.visit(page, targets, old, found, weights=weights)
        self._web.links_left_out += links.refused - (before.refused if before is not None else 0)
        if outcome.reason in ("http-404", "http-410") and self._web.was_there(page):
            outcome = replace(outcome, state=State.GONE)
            self.accounts.retire(page)
        self._web.batch.add_turn(self._turn(page, outcome, fetched, parsed, now), links)
        self._turns_unsettled += len(targets) > 0  # the others have nothing to pass on
        is_hinted = before is not None and before.own is not None and before.targets == links.targets
        if links.own is not None and len(targets) and not is_hinted:
            self._aliases.note_hint(page, int(targets[0]))
        if outcome.state in (State.ERROR, State.GONE):
            self._aliases.void_hints_to(page)
        self.repeats.note_reinstated()
        self._beyond.note_nearer(targets, depths)
        self.frontier.credit(visit.credited[visit.credited < first_new])
        for new in range(first_new, self.accounts.size):
            self.frontier.add(new, now)
        self.sitemaps.let_earned_in(self.accounts.size - first_new, now)
        if parsed.alternates and outcome.state is State.FETCHED:
            self._twins.note(page, parsed.alternates, now)
        if outcome.state is State.GONE:
            self.frontier.forget(page)
        elif outcome.state in READ:
            self.frontier.put_back(page, now)
        else:
            self.frontier.set_aside(page, max(not_before, now + self._web.timing.found_nothing))

    def _visit_unchanged(self, page: int, url: str, now: float) -> None:
        """The turn of a page that is as it was: it spends its cash along the links it had, and nothing else changes."""
        outlinks = self._web.outlinks(page)
        found = found_in(self._web.last_state(page), is_answered=True)
        weights = None
        if not self._web.focus.is_off and found is Found.PAGE:
            weights = self._web.focus.weights(url, list(map(self.known.url, outlinks.tolist())), [""] * len(outlinks))
        visit = self.accounts.visit(page, outlinks, outlinks, found, weights=weights)
        self._web.attempts.pop(page, None)
        self._web.batch.add_unchanged(page, self.accounts.measures(page))
        self._turns_unsettled += len(outlinks) > 0
        self.frontier.credit(visit.credited)
        self.frontier.put_back(page, now)

    def _linked(
        self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage
    ) -> tuple[Outcome, Links, npt.NDArray[np.int64] | None]:
        """The outcome in the light of what is known, the links of the page, and their weights in the cash book."""
        target, outcome = self._aliases.target(page, outcome)
        if outcome.reason == "soft-404":
            return outcome, self._kept_links(page, parsed), None
        urls, anchors, refused = self._followed(page, outcome, parsed)
        self._beyond.note_refused(page, outcome, parsed)
        is_news = fetched.status == 200 and not self.accounts.book.visited[page]
        said = self.repeats.said(page, fetched) if is_news else NOTHING
        if "?" in fetched.url:
            self.repeats.note_parameters(fetched, said)
        if target is None and not urls and said is NOTHING:  # as in every turn without a request
            return outcome, Links(page, b"", parsed.nofollow, refused), None
        urls, anchors, pages, in_traps = self._web.admitted(fetched.url, urls, anchors, said)
        outlinks = np.array(self._web.made_known(urls, pages, page, "link"), dtype=np.int32)
        self.repeats.note_links(outlinks.tolist(), anchors)
        if self._web.traps is not None and urls:
            self._note_hosts(page, outlinks)
        others = outlinks != page  # a link to itself is not counted
        own = to_bytes(outlinks[others])
        if target is None:
            weights = self._web.focus.weights(fetched.url, urls, anchors) if urls else None
            weights = None if weights is None else weights[others]
            return outcome, Links(page, own, parsed.nofollow, refused + in_traps), weights
        to_target = to_bytes(np.array([target], dtype=np.int32))
        own_links = None if outcome.is_redirect else own
        return outcome, Links(page, to_target, parsed.nofollow, refused + in_traps, own_links), None

    def _kept_links(self, page: int, parsed: ParsedPage) -> Links:
        """The links of a soft 404, none of which counts; those to known pages will, should it turn out to be none."""
        outlinks, _ = self.repeats.plain_links(parsed)
        known = [other for other in self.known.find(outlinks) if other is not None and other != page]
        return Links(page, b"", parsed.nofollow, 0, to_bytes(np.array(known, dtype=np.int32)))

    def _followed(self, page: int, outcome: Outcome, parsed: ParsedPage) -> tuple[list[str], list[str], int]:
        """The outlinks in scope with their anchors, and how many are not."""
        if not outcome.follows:
            return [], [], 0
        depth = int(self.accounts.depth[page]) + 1
        refuses = self._web.scope.refuses
        outlinks, all_anchors = self.repeats.plain_links(parsed)
        inside = [refuses(url, depth) is None for url in outlinks]
        urls, anchors = list(compress(outlinks, inside)), list(compress(all_anchors, inside))
        return urls, anchors, len(inside) - len(urls)

    def _note_hosts(self, page: int, outlinks: npt.NDArray[np.int32]) -> None:
        """Let the domains that a page links to have more pages."""
        assert self._web.traps is not None
        own, hosts = int(self.frontier.host_of[page]), self.frontier.hosts
        others = set(self.frontier.host_of[outlinks].tolist()) - {own}
        self._web.traps.budgets.linked(hosts[own].name, [hosts[host].name for host in others])

    def _try_again(self, page: int, outcome: Outcome, now: float) -> None:
        _log.info("again in %.0f s: %s %s", outcome.wait, outcome.reason, self.known.url(page))
        attempts = self._web.attempts[page] = self._web.attempts.get(page, 0) + 1
        self._web.batch.retries[page] = Retry(page, attempts, outcome.reason)
        self.frontier.put_back(page, now, now + outcome.wait)

    def _turn(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage, now: float) -> Turn:
        """The row that says what became of a page's turn."""
        assert outcome.state is not None
        _log.debug("%s %s %s", outcome.state, outcome.reason, fetched.url)
        if outcome.state in (State.ERROR, State.GONE, State.DISALLOWED):
            self.failures[outcome.reason] += 1
        answer = None
        if fetched.status is not None:
            answer = Fetch(fetched.status, now, fetched.seconds, fetched.size, fetched.content_type, parsed.title)
        return Turn(page, str(outcome.state), outcome.reason, 0, self.accounts.measures(page), answer)
