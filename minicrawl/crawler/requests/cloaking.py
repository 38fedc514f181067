"""Checks for cloaking (--check-cloaking): some pages are asked for under a browser's name, and under the crawler's.

They are errands of their hosts once no page is left, and outlast pages: delays and robots.txt, by the crawler's own
rules, hold for them. Neither asker sends credentials, cookies or headers of the user's. A redirect within a host is
followed as long as it stays in scope; one to another site is a copy by itself.
"""

from collections.abc import Callable

from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.outcomes.outcome import judge
from minicrawl.crawler.recognise.cloaking import Copy, copy_of, difference, next_asker, sample
from minicrawl.crawler.requests.request import Deliver, HostTurns, Kind, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.model import PageRequest, ParsedPage

Note = Callable[[int, str, str], None]
AT_ONCE = 10_000
"""Checks under way."""
MOST_HOPS = 3
AS_BROWSER = (
    ("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("Accept-Language", "en-US,en;q=0.5"),
    ("Upgrade-Insecure-Requests", "1"),
)


class CloakingChecks(Kind):
    """Checks of sampled pages. `note`: takes a page's number, result and difference; `headers`: of each asker."""

    outlasts_pages = True

    def __init__(self, note: Note, state: CrawlState, turns: HostTurns, agent: str) -> None:
        """agent: the crawler's User-Agent."""
        self.note = note
        self.headers = {"browser": AS_BROWSER, "crawler": (("User-Agent", agent), *AS_BROWSER[1:])}
        self._state = state
        self._turns = turns
        self._checked = -1  # pages visited when all were checked that are in the sample

    @property
    def scope(self) -> Scope:
        """The scope as it is now."""
        return self._state.admission.scope

    def on_nothing_left(self, now: float) -> bool:
        state, writer = self._state, self._state.writer
        if self._checked == state.accounts.visited:
            return False
        key, only_checks = bytes.fromhex(str(writer.meta("hash_key"))), self.scope.only_checks
        pages = (
            each
            for each in writer.recognised.comparable()
            if not (only_checks(each[1]) or state.frontier.host(each[0]).is_banned)
        )
        chosen = sample(pages, key)[:AT_ONCE]
        if not chosen:
            self._checked = state.accounts.visited
        for page in chosen:
            check = CloakingCheck(self, self._turns, state.urls.url(page), page)
            state.frontier.add_errand(check.host, check, now)
        return not state.frontier.is_empty()


class CloakingCheck(Request):
    """The check of a page: requests for its copies, one after the other."""

    waits = True
    parsed = ParsedPage()

    def __init__(self, checks: CloakingChecks, turns: HostTurns, url: str, page: int) -> None:
        super().__init__(turns, turns.frontier.host(page), url)
        self._checks = checks
        self._page, self._page_url = page, url
        self._copies: dict[str, list[Copy]] = {"browser": [], "crawler": []}
        self._asker = "crawler"
        self._hops = 0

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self.turns.frontier.end_turn(self.turn, now, asked=False)
        self._checks.note(self._page, refusal.reason, "")

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        asked = PageRequest(self.url, headers=self._checks.headers[self._asker], is_bare=True)
        self.fetched, self.parsed = await source.page(asked)

    def on_answer(self, now: float) -> None:
        outcome = judge(self.fetched, self.parsed, now=now)
        self.turns.answered(self.turn, self.fetched, now, outcome.rest)
        leads_to = outcome.alias if outcome.reason != "canonical" else None
        if leads_to is not None and self._hops < MOST_HOPS and self._may_follow(leads_to):
            self.url, self._hops = leads_to, self._hops + 1
        elif (copy := copy_of(self.fetched, self.parsed, leads_to)) is None:
            self._checks.note(self._page, outcome.reason, "")
            return
        else:
            self._copies[self._asker].append(copy)
            self.url, self._hops = self._page_url, 0
            if (asker := next_asker(**self._copies)) is None:
                told = difference(**self._copies)
                self._checks.note(self._page, "same" if told is None else "cloaked", told or "")
                return
            self._asker = asker
        self.turns.frontier.add_errand(self.host, self, now)

    def _may_follow(self, url: str) -> bool:
        is_near = politeness_key(url) == politeness_key(self.url)
        return is_near and self._checks.scope.refuses(url, 0) is None
