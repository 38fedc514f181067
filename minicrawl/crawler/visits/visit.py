"""The turn of a page: books, frontier and store take note of it, in this order, by one task only.

Nothing here waits or touches the network; `now` is passed in.
"""

from dataclasses import dataclass, replace

from minicrawl import log
from minicrawl.crawler.admission.scope import HostPages
from minicrawl.crawler.admission.traps.traps import Traps
from minicrawl.crawler.archiving.records import ArchivedRecords
from minicrawl.crawler.archiving.top_share import TopShare
from minicrawl.crawler.books.accounts import Accounts, kind_of
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.html.page_headers import read_directives
from minicrawl.crawler.known.discovery import Discovery
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.known.settling import Settling
from minicrawl.crawler.known.tally import Tally
from minicrawl.crawler.outcomes.outcome import NOT_MODIFIED, Outcome, answer_row, judge
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.requests.request import HostTurns
from minicrawl.crawler.requests.sitemap import Sitemaps
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.alternates import Alternates
from minicrawl.crawler.visits.hook_failures import HookFailures
from minicrawl.crawler.visits.lookalikes import Lookalikes
from minicrawl.crawler.visits.max_depth import DeepLinks
from minicrawl.crawler.visits.outlinks import Counted, Outlinks
from minicrawl.crawler.visits.refreshing import Refreshing
from minicrawl.crawler.visits.scheme_guesses import SchemeGuesses
from minicrawl.extract.item_file import ItemFile
from minicrawl.model import READ, Fetched, PageRequest, ParsedPage, State
from minicrawl.opic.arrays import Pages
from minicrawl.opic.coverage import PageKind
from minicrawl.store.links import NOWHERE, from_bytes, placed
from minicrawl.store.rows import Links, Turn
from minicrawl.store.texts.writing import TextWriter
from minicrawl.timing import Timing

_NOT_FOUND = ("http-404", "http-410")


@dataclass(frozen=True, kw_only=True)
class Visits:
    """Everybody whom the turn of a page concerns, and in which order they take note of it."""

    accounts: Accounts
    frontier: Frontier
    pages: KnownPages
    urls: KnownUrls
    discovery: Discovery
    settling: Settling
    tally: Tally
    turns: HostTurns
    traps: Traps | None
    host_pages: HostPages
    sessions: Sessions
    sitemaps: Sitemaps
    guesses: SchemeGuesses
    deep_links: DeepLinks
    aliases: Aliases
    lookalikes: Lookalikes
    outlinks: Outlinks
    alternates: Alternates
    refreshing: Refreshing | None
    texts: TextWriter | None
    items: ItemFile | None
    hook_failures: HookFailures
    archived: ArchivedRecords | None
    top_share: TopShare | None
    timing: Timing

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Take in what the request for `page` led to. The page must have been acquired from the frontier."""
        self.hook_failures.note(fetched.url, parsed.hook_failures)
        turn = HostTurn(self.frontier.host(page), page)
        self.tally.refreshed += int(fetched.status is not None and self.accounts.book.visited[page])
        was_read = fetched.status == NOT_MODIFIED and self._was_read(page)
        attempts = self.pages.attempts.get(page, 0)
        outcome = judge(fetched, parsed, attempts, now=now, was_read=was_read, timing=self.timing)
        if not outcome.is_unchanged and outcome.state is None and self.guesses.wrong(page) is not None:
            outcome = replace(outcome, state=State.ERROR)
        self.turns.answered(turn, fetched, now, outcome.rest)
        if outcome.is_unchanged:
            self._visit_unchanged(page, fetched, now)
        elif outcome.state is None:
            self._try_again(page, outcome, now)
        elif self.refreshing is not None and self._is_first_miss(page, outcome, self.refreshing):
            self.refreshing.note_missing(page, now)
            self.frontier.put_back(page, now)
        else:
            outcome = self.lookalikes.recognised(page, outcome, fetched, parsed)
            self._visit(page, outcome, fetched, parsed, now)

    def absorb_unfetched(self, page: int, state: State, reason: str, until: float, now: float) -> None:
        """Take in the turn of a page that must not or cannot be fetched before `until`. No cash must be stuck.

        A page in a trap of duplicates waits until others of its pattern may have shown that it is none.
        """
        self.frontier.release(page, now, asked=False)
        if reason == "trap-duplicates" and self.frontier.pages.let_others_first(page):
            self.frontier.put_back(page, now)
            return
        if not self.accounts.book.visited[page]:
            self.host_pages.give_back(self.frontier.host(page).name, page)
        self.give_up(page, state, reason, now, until)

    def give_up(self, page: int, state: State, reason: str, now: float, until: float = 0.0) -> None:
        """Let a page that is not in flight have a turn without a request; its next one not before `until`."""
        url, outcome = self.urls.url(page), Outcome(state, reason)
        if reason == "trap-session" and (plain := self.sessions.plain(url)) != url:
            outcome = Outcome(State.ALIAS, "session", alias=plain, is_redirect=True)
        self._visit(page, outcome, Fetched(url), ParsedPage(), now, until)

    def trap(self, page: int, url: str) -> str | None:
        """The rule by which an acquired page, no seed and never found anything at, is not to be fetched, or None."""
        has_place = self.host_pages.has_place(self.frontier.host(page).name, page)
        if self.accounts.depth[page] == 0:
            return None
        if not has_place:
            return "host-pages"
        if self.traps is None:
            return None
        if self._was_read(page):
            return None
        if self.sessions.plain(url) != url:
            return "trap-session"
        return self.traps.turns_away(url)

    def request(self, page: int, url: str) -> PageRequest:
        """How to ask for a page."""
        asked = PageRequest(url) if self.refreshing is None else self.refreshing.request(page, url)
        if self.top_share is not None and not self.top_share.has(page):
            return asked._replace(archives=False)
        if asked.is_conditional and self.archived is not None and not self.archived.has(page):
            return PageRequest(url)  # a 304 would leave the archive without the page
        return asked

    def _was_read(self, page: int) -> bool:
        """Whether a page was read, and was still there the last time."""
        return bool(self.accounts.book.visited[page]) and self.pages.was_there(page)

    def _visit(  # noqa: PLR0913 - all that one turn has brought
        self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage, now: float, not_before: float = 0.0
    ) -> None:
        """The turn of a page: it spends its cash along the links it has now, and those are noted.

        not_before: when it may have its next turn, if it is to have one.
        """
        before = self.pages.links_row(page) if self.accounts.book.visited[page] else None
        target, outcome = self.aliases.target(page, outcome)
        counted = self.outlinks.counted(page, target, outcome, fetched, parsed)
        outlinks = from_bytes(counted.links.targets)
        depths = self.accounts.depth[outlinks]
        self.deep_links.note_refused(page, outcome, parsed)
        self.lookalikes.note(page, outcome, fetched)
        credited = self._spend(page, outcome, counted, before, is_answered=fetched.status is not None)
        outcome = self._retired_if_gone(page, outcome)
        self._count(outcome, counted, before)
        self.pages.note_turn(self._turn(page, outcome, fetched, parsed, now), counted.links)
        self.settling.note_turn(len(outlinks))
        if self.accounts.has_neighbours and outcome.state is State.ALIAS:
            self.aliases.lengthen(outlinks.tolist())
        self._note_hints(page, outcome, counted.links, before)
        self.lookalikes.note_reinstated()
        self.deep_links.note_nearer(outlinks, depths)
        self.frontier.pages.credit(credited[credited < self.discovery.offered])
        born = self.discovery.offer_new(now)
        self.sitemaps.let_earned_in(born, now)
        self._note_alternates(page, outcome, fetched.url, parsed, now)
        if self.texts is not None:
            is_kept = read_directives(fetched.robots_tag or "").archive
            self.texts.note(page, parsed.kept if is_kept else b"")
        if self.items is not None and outcome.state in READ:
            self.items.note(fetched.url, now, parsed.items)
        if self.refreshing is not None:
            self._note_refresh(self.refreshing, page, outcome, fetched, parsed, now, not_before)
        self._let_wait(page, outcome, now, not_before)

    def _visit_unchanged(self, page: int, fetched: Fetched, now: float) -> None:
        """The turn of a page that is as it was: it spends its cash along the links it had, and nothing else changes."""
        outlinks = self.pages.placed_outlinks(page)
        kind = kind_of(self.pages.last_state(page), is_answered=True)
        weights = self.outlinks.weights_again(fetched.url, outlinks.targets.tolist()) if kind is PageKind.PAGE else None
        visit = self.accounts.visit(page, outlinks, outlinks, kind, weights=weights)
        self.pages.note_unchanged(page, self.accounts.measures(page))
        if self.refreshing is not None:
            if fetched.not_modified:
                self.refreshing.note_unchanged(page, now)
            else:  # nobody had asked: nothing is known of the page
                self.refreshing.note_failed(page, now, not_before=0.0)
        self.settling.note_turn(len(outlinks.targets))
        self.frontier.pages.credit(visit.credited)
        self.frontier.had_turn(page)
        self.frontier.put_back(page, now, is_read=True)

    def _try_again(self, page: int, outcome: Outcome, now: float) -> None:
        log.page_again(url=self.urls.url(page), reason=outcome.reason, wait=outcome.wait)
        self.pages.note_failure(page, outcome.reason)
        self.frontier.put_back(page, now, now + outcome.wait)

    # The steps of a visit.

    def _spend(
        self, page: int, outcome: Outcome, counted: Counted, before: Links | None, *, is_answered: bool
    ) -> Pages:
        """Both books note the visit. Returns the pages whose cash has risen."""
        assert outcome.state is not None
        outlinks = placed(counted.links.targets, counted.links.places)
        old = NOWHERE if before is None else placed(before.targets, before.places)
        kind = kind_of(outcome.state, is_answered)
        return self.accounts.visit(page, outlinks, old, kind, weights=counted.weights).credited

    def _is_first_miss(self, page: int, outcome: Outcome, refreshing: Refreshing) -> bool:
        """Whether a page that was there is not found, for the first time: that may be an accident."""
        return outcome.reason in _NOT_FOUND and self.pages.was_there(page) and refreshing.is_first_miss(page)

    def _retired_if_gone(self, page: int, outcome: Outcome) -> Outcome:
        """A page that was there and is not found any more is gone."""
        if outcome.reason not in _NOT_FOUND or not self.pages.was_there(page):
            return outcome
        self.accounts.retire(page)
        return replace(outcome, state=State.GONE)

    def _count(self, outcome: Outcome, counted: Counted, before: Links | None) -> None:
        self.tally.left_out += counted.links.refused - (before.refused if before is not None else 0)
        self.tally.elsewhere += counted.elsewhere
        if outcome.state in (State.ERROR, State.GONE, State.DISALLOWED):
            self.tally.failures[outcome.reason] += 1

    def _turn(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage, now: float) -> Turn:
        """The row that says what became of a page's turn."""
        assert outcome.state is not None
        log.page_done(
            url=fetched.url,
            state=outcome.state,
            reason=outcome.reason,
            status=fetched.status,
            bytes=fetched.size,
            seconds=fetched.seconds,
        )
        answer = answer_row(fetched, parsed, now)
        return Turn(page, str(outcome.state), outcome.reason, 0, self.accounts.measures(page), answer)

    def _note_hints(self, page: int, outcome: Outcome, links: Links, before: Links | None) -> None:
        """Note which page this one stands for by a hint, and that nothing is behind hints that lead here."""
        is_known = before is not None and before.own is not None and before.targets == links.targets
        if links.own is not None and links.targets and not is_known:
            self.aliases.note_hint(page, int(from_bytes(links.targets)[0]))
        if outcome.state in (State.ERROR, State.GONE):
            self.aliases.void_hints_to(page)

    def _note_alternates(self, page: int, outcome: Outcome, url: str, parsed: ParsedPage, now: float) -> None:
        if parsed.alternates and outcome.state is State.FETCHED:
            self.alternates.note(page, url, parsed.alternates, now)

    def _note_refresh(  # noqa: PLR0913 - all that one turn has brought
        self,
        refreshing: Refreshing,
        page: int,
        outcome: Outcome,
        fetched: Fetched,
        parsed: ParsedPage,
        now: float,
        not_before: float,
    ) -> None:
        """Take note of when the page is to be fetched again."""
        if outcome.state in READ:
            refreshing.note_read(page, fetched, parsed, outcome.alias, now)
        elif outcome.state is State.GONE:
            refreshing.note_gone(page, now)
        else:
            refreshing.note_failed(page, now, not_before)

    def _let_wait(self, page: int, outcome: Outcome, now: float, not_before: float) -> None:
        """Let the page wait for another turn, if it is to have one."""
        self.frontier.had_turn(page)
        if outcome.state is State.GONE:
            self.frontier.pages.forget(page)
        elif outcome.state in READ:
            self.frontier.put_back(page, now, is_read=True)
        else:
            self.frontier.pages.set_aside(page, max(not_before, now + self.timing.found_nothing))
