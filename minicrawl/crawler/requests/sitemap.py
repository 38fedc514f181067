"""Requests for sitemaps, and making their URLs known. The order and the rate are in sitemap_queue.py."""

from collections.abc import Callable, Sequence
from functools import partial

from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.known.discovery import unknown
from minicrawl.crawler.outcomes.outcome import judge
from minicrawl.crawler.requests.request import Deliver, Kind, Refusal, Request
from minicrawl.crawler.requests.sitemap_queue import SitemapQueue
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import ParsedPage, SitemapAnswer, State
from minicrawl.store.sitemaps import SitemapRow
from minicrawl.web.http.transport import parser_failed
from minicrawl.web.urls.keys import politeness_key, without_www
from minicrawl.web.urls.normalise import normalise

NoteLastmods = Callable[[dict[int, float], float], None]
_LET_IN_AT_ONCE = 100
_LET_IN_SECONDS = 2.0  # several times the span between two commits, when hosts are checked
_TRIES = 4  # batches from the queue in one turn, as many URLs may have become known otherwise


class Sitemaps(Kind):
    """Requests for sitemaps, which are errands of their hosts, and the URLs that they list. plain: returns the
    URLs under which pages are known."""

    def __init__(
        self,
        state: CrawlState,
        plain: Callable[[Sequence[str]], Sequence[str]],
        note_lastmods: NoteLastmods | None,
        *,
        is_on: bool,
    ) -> None:
        """is_on: sitemaps are requested, and their URLs become known. note_lastmods: takes lastmod (Unix seconds) of
        known pages, and the time; None if no page is fetched again."""
        self.queue = SitemapQueue(state.writer)
        self._accounts, self._frontier, self.hosts = state.accounts, state.frontier, state.hosts
        self._urls, self._pages = state.urls, state.pages
        self._admission, self._discovery = state.admission, state.discovery
        self._plain = plain
        self.is_on, self._timing = is_on, state.timing
        self._note_lastmods = note_lastmods

    def name(self, page: int, origin: str, written: Sequence[str], now: float) -> None:
        """Add the sitemaps that robots.txt of `origin` names; the turn of `page` has come."""
        if self._admission.scope.only_checks(f"{origin}/"):
            return
        try:
            named = [normalise(url, f"{origin}/robots.txt") for url in written]
        except Exception as error:
            parser_failed(f"{origin}/robots.txt", error)
            return
        host = int(self._frontier.pages.host_of[page])
        self.queue.named_by_robots(host, [url for url in named if url is not None], page, now)

    def line_up(self, now: float) -> None:
        if not self.is_on:
            return
        for row in self.queue.to_ask(now):
            name = politeness_key(row.url)
            if name != self._frontier.hosts[row.host].name and not self._admission.scope.is_inside(row.url):
                self.queue.closed(row.id, f"scope-{self._admission.scope.kind}", None, 0, now)
            else:
                host = self.hosts.host(name)
                self._frontier.add_errand(host, SitemapErrand(self, host, row.url, row.id), now)

    def next_ready(self) -> float | None:
        return self.queue.next_ready()

    def absorb_urls(
        self, sitemap: int, urls: Sequence[str], is_index: bool, lastmods: dict[str, float], now: float
    ) -> None:
        """Absorb URLs that a sitemap lists, of sitemaps or of pages: those of its host, with www. or without, that are
        in scope and unknown. lastmods: of pages of its host, in Unix seconds."""
        row = self.queue.row(sitemap)
        own = without_www(self._frontier.hosts[row.host].name)
        if self._note_lastmods is not None and lastmods:
            dated = [url for url in lastmods if without_www(politeness_key(url)) == own]
            pages = zip(dated, self._urls.find(dated), strict=True)
            self._note_lastmods({page: lastmods[url] for url, page in pages if page is not None}, now)
        near = {own}
        if is_index:
            near.add(without_www(politeness_key(row.url)))
        if not self._is_seed(row):
            urls = [url for url in urls if without_www(politeness_key(url)) in near]
        if is_index:
            self.queue.named_by(sitemap, urls, now)
            return
        depth = int(self._accounts.depth[row.page]) + 1
        distinct = dict.fromkeys(urls)
        inside = [url for url in distinct if self._admission.scope.refuses(url, depth) is None]
        known = self._urls.find(inside)
        self.queue.lists(sitemap, [page for page in known if page is not None])
        self.queue.enqueue(sitemap, unknown(inside, known))

    def absorb(self, errand: "SitemapErrand", answer: SitemapAnswer, now: float) -> None:
        """Absorb the answer for a sitemap; its URLs have been absorbed."""
        sitemap = errand.sitemap
        row, fetched = self.queue.row(sitemap), answer.fetched
        outcome = judge(fetched, ParsedPage(), row.attempts, now=now, timing=self._timing)
        # What asks for a rest a second time, after the host has rested, is the sitemap alone, which waits as long.
        self.hosts.end_turn(errand.turn, fetched, now, 0.0 if row.attempts else outcome.rest)
        if outcome.state is None:
            self.queue.tried(sitemap, outcome.reason, fetched.status, now + outcome.wait)
            return
        if outcome.is_redirect and outcome.alias is not None:
            self.queue.named_by(sitemap, [outcome.alias], now)
        reason = answer.reason if fetched.status == 200 else outcome.reason
        self.queue.closed(sitemap, reason, fetched.status, answer.found, now)
        if answer.found and self._is_seed(row):
            self._pages.restate(row.page, State.FETCHED, "list-of-urls")

    def _is_seed(self, row: SitemapRow) -> bool:
        """True for a sitemap that the user named."""
        return not row.nesting and self._urls.url(row.page) == row.url

    def on_nothing_left(self, now: float) -> bool:
        """Let in some URLs of every host, because nothing else is left to do; True if any were."""
        if not self.is_on:
            return False
        waiting = None
        while self.queue.waiting != waiting:  # again if all of a batch are known by now, or in traps
            waiting = self.queue.waiting
            if sum([self._let_in_of(host, now) for host in self.queue.hosts()]):
                return True
        return False

    def on_commit(self, now: float) -> None:
        """Let in some URLs of every host that may get a request and has no page left."""
        if not (self.queue.waiting and self.is_on):
            return
        for host in self.queue.hosts():
            if self._frontier.is_idle(self._frontier.hosts[host], now):
                self._let_in_of(host, now)

    def _let_in_of(self, host: int, now: float) -> int:
        """Let in URLs of a host: as many as can be asked for until the next call, and a few more."""
        if self._frontier.hosts[host].is_banned:
            return 0
        delay = self._frontier.hosts[host].delay
        most = min(1 + int(_LET_IN_SECONDS / delay), _LET_IN_AT_ONCE) if delay else _LET_IN_AT_ONCE
        return self._let_in(most, now, host)

    def let_earned_in(self, born: int, now: float) -> None:
        """Let in the URLs from sitemaps earned by a page whose links made `born` pages known."""
        if self.queue.waiting and self.is_on:
            earned = self.queue.earned(born)
            if earned:
                self._let_in(earned, now)

    def _let_in(self, most: int, now: float, host: int | None = None) -> int:
        """Make up to `most` URLs from sitemaps known, of one host or of the next ones. Returns their number."""
        let_in = 0
        for _ in range(_TRIES):
            listed = self.queue.next_urls(most - let_in, host)
            if listed is None:
                break
            sitemap, urls = listed[0], list(dict.fromkeys(self._plain(listed[1])))
            admitted = self._discovery.admitted(urls, urls)
            pages = self._discovery.made_known(admitted, sitemap.page, "sitemap")
            born = [page for page, before in zip(pages, admitted.pages, strict=True) if before is None]
            self.queue.let_in(sitemap.id, born)
            self.queue.lists(sitemap.id, [before for before in admitted.pages if before is not None])
            let_in += self._discovery.offer_new(now)
            if let_in >= most:
                break
        return let_in


class SitemapErrand(Request):
    """A request for a sitemap, given by number. It is not content, because only the crawl uses it."""

    waits = True
    obeys_usage = False

    def __init__(self, sitemaps: Sitemaps, host: Host, url: str, sitemap: int) -> None:
        super().__init__(sitemaps.hosts, host, url)
        self.sitemap = sitemap
        self._sitemaps = sitemaps
        self._answer: SitemapAnswer | None = None

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        super().on_refusal(refusal, now)
        self._sitemaps.queue.closed(self.sitemap, refusal.reason, None, 0, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        def give(urls: list[str], is_index: bool, lastmods: dict[str, float]) -> None:
            deliver(len(urls), partial(self._sitemaps.absorb_urls, self.sitemap, urls, is_index, lastmods))

        self._answer = await source.sitemap(self.url, give)
        self.fetched = self._answer.fetched

    def on_answer(self, now: float) -> None:
        self._sitemaps.absorb(self, self._answer or SitemapAnswer(self.fetched), now)
