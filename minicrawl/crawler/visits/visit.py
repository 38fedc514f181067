"""The turn of a page: it updates books, frontier and store, in this order, by one task only; and the request for it.

But for that, nothing here waits or touches the network; `now` is passed in.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from msgspec.structs import replace

from minicrawl import log
from minicrawl.crawler.admission.seeds import in_plain_http
from minicrawl.crawler.books.accounts import kind_of
from minicrawl.crawler.hosts.clocks import Host, HostTurn
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.known.discovery import Discovery
from minicrawl.crawler.known.known_pages import KnownUrls
from minicrawl.crawler.known.ranking import Ranking
from minicrawl.crawler.outcomes.outcome import NOT_MODIFIED, Outcome, answer_row, judge
from minicrawl.crawler.requests.request import Deliver, Kind, Refusal, Request
from minicrawl.crawler.requests.sitemap import Sitemaps
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.host_judge import HostJudge
from minicrawl.crawler.visits.host_pages import HostPages
from minicrawl.crawler.visits.step import Steps
from minicrawl.crawler.visits.turn import DeepLinks, Turn
from minicrawl.model import READ, Fetched, PageRequest, ParsedPage, State
from minicrawl.reasons import NO_HTTPS, NOT_THERE, has
from minicrawl.store.links import NOWHERE, Links, PlacedLinks, linked, packed, placed
from minicrawl.store.pages import Turn as TurnRow
from minicrawl.web.http.response_fields import LIST_TYPES, media_type
from minicrawl.web.http.transport import PARSER_FAILED
from minicrawl.web.urls.keys import origin_of, politeness_key


class SchemeGuesses:
    """The pages whose scheme was guessed, until one has been connected to, or the guess was wrong."""

    def __init__(self, urls: KnownUrls, discovery: Discovery) -> None:
        self._urls = urls
        self._discovery = discovery
        self._guessed: set[int] = set()
        self._wrong: dict[int, str] = {}

    def begin(self, guessed: Iterable[str]) -> None:
        """Note the URLs of known seeds whose https was guessed."""
        self._guessed |= {page for page in self._urls.find(list(guessed)) if page is not None}

    def doubt(self, page: int, reason: str, now: float) -> None:
        """Take in a failed connection for a page: if https was a guess, the page in plain http is a seed."""
        if page in self._guessed and has(reason, NO_HTTPS):
            self._guessed.remove(page)
            self._wrong[page] = reason
            for _ in self._discovery.know_seeds([in_plain_http(self._urls.url(page))], now, 1):
                pass

    def wrong(self, page: int) -> str | None:
        """The reason not to fetch a page, if https was a wrong guess."""
        return self._wrong.get(page)


class Visits:
    """Takes in the turns of pages: the steps of every crawl are here, others in `steps`."""

    def __init__(  # noqa: PLR0913 - the parts that it joins
        self,
        state: CrawlState,
        aliases: Aliases,
        deep_links: DeepLinks,
        sitemaps: Sitemaps,
        ranking: Ranking,
        plain_links: Callable[[ParsedPage], ParsedPage],
        steps: Steps,
    ) -> None:
        self.state = state
        self.heeds_robots = True
        """Links of pages that say nofollow do not count."""
        self.aliases, self.deep_links, self._plain_links = aliases, deep_links, plain_links
        self.guesses = SchemeGuesses(state.urls, state.discovery)
        self.sitemaps, self.ranking, self.steps = sitemaps, ranking, steps
        self.of_hosts = HostPages(state, steps.spares)
        self.judge = HostJudge(
            state.hosts,
            self.of_hosts,
            ask_witness=self._ask_witness,
            take_in=self._take_in,
            give_up=lambda page, reason, now: self.give_up(page, State.ERROR, reason, now),
            now=state.opened_at,
        )

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Take in the result of the request for `page`. The page must have been acquired from the frontier."""
        state = self.state
        had_turn = bool(state.accounts.had_turn[page])
        state.pages.refreshed += had_turn and fetched.status is not None
        was_read = had_turn and fetched.status == NOT_MODIFIED and state.pages.was_there(page)
        attempts = state.pages.attempts.get(page, 0)
        outcome = judge(
            fetched, parsed, attempts, now=now, was_read=was_read, heeds_robots=self.heeds_robots, timing=state.timing
        )
        if not outcome.is_unchanged and outcome.state is None and self.guesses.wrong(page) is not None:
            outcome = replace(outcome, state=State.ERROR)
        state.hosts.end_turn(HostTurn(state.frontier.host(page), page), fetched, now)
        turn = Turn(page, fetched, parsed, outcome, now)
        is_ours = outcome.reason == PARSER_FAILED  # a part failed over the answer, and would fail over it again
        if not is_ours and self.guesses.wrong(page) is None and self.judge.holds(turn):
            return
        self._take_in(turn, now)

    def _take_in(self, turn: Turn, now: float) -> None:
        """Take in an answer as that of its page, which no fault of the host has made."""
        turn.now = now
        if self.steps.on_answer(turn):
            return
        if turn.outcome.is_unchanged:
            self._visit_unchanged(turn)
        elif turn.outcome.state is None:
            self._try_again(turn.page, turn.outcome, now)
        else:
            self._visit(turn)
        self.of_hosts.note_look(turn)
        self._note_idle(turn.page, now)

    def _ask_witness(self, host: Host, page: int, now: float, url: str) -> None:
        request = WitnessRequest(self, host, page, url)
        self.state.frontier.add_errand(request.host, request, now, first=True)

    def absorb_unfetched(self, page: int, state: State, reason: str, until: float, now: float) -> None:
        """Take in the turn of a page that must not or cannot be fetched before `until`, or that waits."""
        frontier = self.state.frontier
        frontier.release(page, now, asked=False)
        if state is State.WAITING:
            frontier.lay_up(page)
        else:
            self.give_up(page, state, reason, now, until)
        self._note_idle(page, now)

    def _note_idle(self, page: int, now: float) -> None:
        frontier = self.state.frontier
        host = frontier.host(page)
        if not frontier.pages.has_page(host):
            self.judge.on_idle(host, now)
            self.steps.on_idle(host.id, now)

    def give_up(self, page: int, state: State, reason: str, now: float, until: float = 0.0) -> None:
        """Let a page that is not in flight have a turn without a request; its next one not before `until`."""
        fetched = Fetched(self.state.urls.url(page))
        self._visit(Turn(page, fetched, ParsedPage(), Outcome(state, reason), now, until))

    def _visit(self, turn: Turn) -> None:
        """Take the turn of a page: spend its cash along its present links, and note these."""
        state, page, now = self.state, turn.page, turn.now
        self.steps.recognise(turn)
        before = state.pages.links_row(page) if state.accounts.had_turn[page] else None
        target, turn.outcome = self.aliases.target(page, turn.outcome)
        links, placed_links = self.counted(turn, target)
        outlinks = placed_links.targets
        depths = state.accounts.depth.take(outlinks) if state.admission.scope.limits_depth else None
        links = self.deep_links.noted(turn, links, before)
        self.steps.on_links(turn)
        assert turn.outcome.state is not None
        old = NOWHERE if before is None else placed(before.targets)
        state.accounts.visit(page, placed_links, old, kind_of(turn.outcome.state, turn.fetched.status is not None))
        if turn.outcome.state is State.ERROR and has(turn.outcome.reason, NOT_THERE):  # what is not there holds nothing
            state.accounts.book.retire(page)
            if before is not None and turn.fetched.status is not None and state.pages.was_there(page):
                turn.outcome = replace(turn.outcome, state=State.GONE)
        state.pages.left_out += links.refused - (0 if before is None else before.refused)
        state.pages.nofollow += links.nofollow - (0 if before is None else before.nofollow)
        if turn.outcome.state in (State.ERROR, State.GONE, State.DISALLOWED):
            state.pages.failures[turn.outcome.reason] += 1
        state.pages.note_turn(self._row(turn), links)
        self.ranking.note_turn(len(outlinks))
        self.aliases.note_turn(turn, links, before)
        if depths is not None:
            self.deep_links.note_nearer(outlinks, depths)
        state.frontier.pages.credit(state.discovery.only_offered(outlinks))
        if state.interests.moved:
            state.frontier.pages.credit(state.discovery.only_offered(state.interests.take_moved()))
        born = state.discovery.offer_new(now)
        self.sitemaps.let_earned_in(born, now)
        is_seed = turn.outcome.state == State.FETCHED and turn.fetched.status == 200 and not state.accounts.depth[page]
        if is_seed and media_type(turn.fetched.content_type) in LIST_TYPES:
            # It may be a sitemap, a feed or a list of URLs, of any host in scope.
            self.sitemaps.queue.named_by_robots(state.frontier.host(page).id, [turn.fetched.url], page, now)
        self.steps.on_turn(turn)
        self._let_wait(turn)

    def _visit_unchanged(self, turn: Turn) -> None:
        """Take the turn of an unchanged page: spend its cash along its stored links, and change nothing else."""
        state, page = self.state, turn.page
        row = state.pages.links_row(page)
        outlinks = placed(row.targets)
        kind = kind_of(state.pages.last_state(page), is_answered=True)
        state.accounts.visit(page, outlinks, outlinks, kind)
        state.pages.note_unchanged(page)
        self.steps.on_unchanged(turn)
        self.ranking.note_turn(len(outlinks.targets))
        state.frontier.pages.credit(outlinks.targets)
        state.frontier.pages.first.discard(page)
        state.frontier.put_back(page, turn.now, had_turn=True)

    def _try_again(self, page: int, outcome: Outcome, now: float) -> None:
        log.event("page-again", url=self.state.urls.url(page), reason=outcome.reason, wait=outcome.wait)
        self.state.pages.note_failure(page, outcome.reason)
        if not self.state.accounts.had_turn[page]:  # it has this reason now
            self.state.accounts.revive(page)
        self.state.frontier.put_back(page, now, now + outcome.wait)

    def _row(self, turn: Turn) -> TurnRow:
        outcome, fetched = turn.outcome, turn.fetched
        assert outcome.state is not None
        log.event(
            "page-done",
            url=fetched.url,
            state=outcome.state,
            reason=outcome.reason,
            status=fetched.status,
            bytes=fetched.size,
            seconds=fetched.seconds,
        )
        answer = answer_row(fetched, turn.parsed, turn.now)
        return TurnRow(turn.page, str(outcome.state), outcome.reason, 0, answer)

    def _let_wait(self, turn: Turn) -> None:
        page, frontier = turn.page, self.state.frontier
        frontier.pages.first.discard(page)
        if turn.outcome.state is State.GONE:
            frontier.pages.forget(page)
        elif turn.outcome.state in READ:
            frontier.put_back(page, turn.now, had_turn=True)
        else:
            frontier.pages.set_aside(page)

    # The links of a page.

    def counted(self, turn: Turn, target: int | None) -> tuple[Links, PlacedLinks]:
        """The links that count at a turn, as the row of the store and as arrays. target: the page that an alias stands
        for: the only link then."""
        page, outcome, fetched, parsed = turn.page, turn.outcome, turn.fetched, turn.parsed
        if outcome.reason == "soft-404":
            return self._kept(page, parsed) if fetched.is_shown else Links(page, b"", parsed.nofollow, 0), NOWHERE
        urls, anchors, places, refused = self._followed(turn)
        nofollow = parsed.nofollow if outcome.follows else parsed.nofollow + self._nofollow(turn)
        if target is None and not urls:  # as in every turn without a request
            return Links(page, b"", nofollow, refused), NOWHERE
        admitted = self.state.discovery.admitted(urls, anchors, places)
        turn.targets, turn.anchors = self.state.discovery.made_known(admitted, page, "link"), admitted.anchors
        redirect = (page, fetched.url) if outcome.is_redirect else None
        self.state.interests.note_links(admitted, turn.targets, parsed.title or "", redirect)
        targets, places = turn.targets, admitted.places
        if page in targets:  # a link to itself is not counted
            at = targets.index(page)
            targets, places = [*targets[:at], *targets[at + 1 :]], places[:at] + places[at + 1 :]
        outlinks = linked(targets, places)
        left_out = refused + admitted.refused
        if target is None:
            return Links(page, packed(outlinks), nofollow, left_out), outlinks
        to_target = linked([target], b"")
        links = Links(page, packed(to_target), nofollow, left_out)
        if not outcome.is_redirect:
            links = links._replace(own=packed(outlinks))
        return links, to_target

    def _kept(self, page: int, parsed: ParsedPage) -> Links:
        """The links of a soft 404, none of which counts; those to known pages will, should it turn out to be none."""
        parsed = self._plain_links(parsed)
        found = self.state.urls.find(parsed.outlinks)
        pairs = zip(found, _places(parsed), strict=True)
        known = {other: place for other, place in pairs if other is not None and other != page}
        return Links(page, b"", parsed.nofollow, 0, packed(linked(list(known), bytes(known.values()))))

    def _nofollow(self, turn: Turn) -> int:
        """The number of outlinks in scope of a page that asks robots not to follow any."""
        if not turn.parsed.outlinks:
            return 0
        depth, admission = int(self.state.accounts.depth[turn.page]) + 1, self.state.admission
        return sum(admission.scope.follows(turn.parsed.outlinks, depth, turn.fetched.url))

    def _followed(self, turn: Turn) -> tuple[Sequence[str], Sequence[str], bytes, int]:
        """The outlinks in scope with their anchors and places, and the number of others."""
        if not turn.outcome.follows:
            return [], [], b"", 0
        depth = int(self.state.accounts.depth[turn.page]) + 1
        parsed = self._plain_links(turn.parsed)
        scope = self.state.admission.scope
        inside = scope.follows(parsed.outlinks, depth, turn.fetched.url)
        if False not in inside:
            return parsed.outlinks, parsed.anchors, _places(parsed), parsed.refused
        urls, anchors = list(compress(parsed.outlinks, inside)), list(compress(parsed.anchors, inside))
        return urls, anchors, bytes(compress(_places(parsed), inside)), len(inside) - len(urls) + parsed.refused


def _places(parsed: ParsedPage) -> bytes:
    """The places of the outlinks of a page; all 0 if unknown."""
    return parsed.places or bytes(len(parsed.outlinks))


_REFUSED_SECONDS = 86_400.0


class PageTurn(Request):
    """A request for the best page of a host, which waits in the frontier until it is begun; or for a probe of its
    origin, which learns how that answers for a page that cannot exist. is_allowed: True if robots.txt allows a URL."""

    is_page = True
    page: int
    _parsed = ParsedPage()
    _asked: PageRequest

    def __init__(self, visits: Visits, is_allowed: Callable[[str], bool], page: int) -> None:
        super().__init__(visits.state.hosts, visits.state.frontier.host(page), visits.state.urls.url(page), page)
        self._visits, self._urls = visits, visits.state.urls
        self._is_allowed = is_allowed

    @property
    def turn(self) -> HostTurn:
        return HostTurn(self.host, self.page)

    @property
    def links(self) -> int:
        return len(self._parsed.outlinks)

    def refusal(self, now: float) -> Refusal | None:
        wrong_guess = self._visits.guesses.wrong(self.page)
        if wrong_guess is not None:
            return Refusal(State.ERROR, wrong_guess, now + _REFUSED_SECONDS)
        banned = super().refusal(now)
        if banned is not None:
            return banned
        if self._visits.steps.lets_wait(self.page, self.url):
            return Refusal(State.WAITING, "", now)
        refused = self._visits.steps.refusal(self.page, self.url)
        return None if refused is None else Refusal(State.ERROR, refused, now + _REFUSED_SECONDS)

    def in_place(self) -> Request:
        url = self._visits.steps.due(origin_of(self.url))
        if url is None or not self._is_allowed(url):
            return self
        return Probe(self._visits, self.host, url, self.page)

    def begin(self, now: float) -> None:
        self.hosts.frontier.hand_out(self.page, now)

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self._visits.absorb_unfetched(self.page, *refusal, now)

    def prepare(self) -> None:
        self._asked = self._visits.steps.request(self.page, self.url)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self.fetched, self._parsed = await source.page(self._asked)

    def on_answer(self, now: float) -> None:
        self._visits.absorb(self.page, self.fetched, self._parsed, now)

    def put_back(self, rest: float, now: float) -> None:
        self.hosts.spare(self.turn, rest, now)
        self.hosts.frontier.put_back(self.page, now)

    def fail(self, turn: HostTurn, reason: str, now: float) -> None:
        """Fail the host's best page by now, which may be another one and is as good."""
        passed = self.hosts.frontier.pass_on(turn, None, now)
        if passed is not None and passed.page is not None:
            self.page, self.url = passed.page, self._urls.url(passed.page)
            self.fetched = Fetched(self.url, reason=reason)
            self.on_answer(now)


class Probe(Request):
    """A request for a page that cannot exist, in place of one for a page, which waits on; or an errand, if no page is
    left."""

    def __init__(self, visits: Visits, host: Host, url: str, page: int | None = None) -> None:
        super().__init__(visits.state.hosts, host, url, page)
        self.waits = page is None
        self._steps = visits.steps
        self._title: str | None = None

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.event("asking-for-missing", url=self.url)
        self.fetched, parsed = await source.page(PageRequest(self.url))
        self._title = parsed.title

    def on_answer(self, now: float) -> None:
        self._steps.absorb(self.fetched, self._title, now)
        self.hosts.end_turn(self.turn, self.fetched, now)

    def put_back(self, rest: float, now: float) -> None:
        if not self.waits:
            self._steps.put_back(self.url)
        super().put_back(rest, now)


class WitnessRequest(Request):
    """A request for a page as witness of its host, or for a URL to which it leads; the host is closed until the judge
    has the answer. It is not a turn of the page."""

    opens = waits = True

    def __init__(self, visits: Visits, host: Host, page: int, url: str) -> None:
        super().__init__(visits.state.hosts, visits.state.hosts.host(politeness_key(url)), url)
        self._judge, self._of, self._witness, self._parsed = visits.judge, host, page, ParsedPage()

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        super().on_refusal(refusal, now)
        self._judge.dismiss(self._of, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.event("asking-witness", url=self.url)
        self.fetched, self._parsed = await source.page(PageRequest(self.url))

    def on_answer(self, now: float) -> None:
        self.hosts.end_turn(self.turn, self.fetched, now)
        self._judge.on_witness(self._of, self._witness, self.fetched, self._parsed, now)


class LastProbes(Kind):
    """Probes of origins whose last page made them due: no page is left in whose place they could be made; and soft 404s
    of earlier runs that are requested again. is_allowed: True if robots.txt allows a URL."""

    def __init__(self, visits: Visits, is_allowed: Callable[[str], bool]) -> None:
        self._visits = visits
        self._is_allowed = is_allowed

    def on_nothing_left(self, now: float) -> bool:
        steps, state = self._visits.steps, self._visits.state
        urls = [steps.due(origin) for origin in steps.origins_due()]
        allowed = [url for url in urls if url is not None and self._is_allowed(url)]
        for url in allowed:
            host = state.hosts.host(politeness_key(url))
            state.frontier.add_errand(host, Probe(self._visits, host, url), now)
        has_looks = state.terms.only is None and self._visits.of_hosts.ask_for_looks(now)
        return bool(allowed) or has_looks
