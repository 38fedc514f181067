"""Asking for sitemaps, and making known what they list. What is next, and when, is for `sitemap_queue` to say."""

import json
from collections.abc import Callable, Sequence
from functools import partial

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.http.unread import parser_failed
from minicrawl.crawler.known.known_web import KnownWeb, unknown
from minicrawl.crawler.outcomes.outcome import judge
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.request import Arrival, Deliver, Kind, Refusal, Request
from minicrawl.crawler.sitemaps.queue import SitemapQueue
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import ParsedPage, SitemapAnswer

_LET_IN_AT_ONCE = 100
_LET_IN_SECONDS = 2.0  # some times as long as between two commits, when hosts are looked at
_LOOKS = 4  # at the queue of URLs from sitemaps, in one turn, where many have become known otherwise


class Sitemaps(Kind):
    """Requests for sitemaps, which are errands of their hosts, and what they list.

    plain: gives a URL without what is a session's.
    """

    def __init__(self, web: KnownWeb, turns: HostTurns, plain: Callable[[str], str]) -> None:
        self._web, self._plain = web, plain
        self._turns = turns
        self.queue = SitemapQueue(web.writer)
        self.queue.thirds = int(web.writer.meta("sitemap_thirds") or 0)

    def name(self, page: int, site: str, written: Sequence[str], now: float) -> None:
        """Take in the sitemaps that robots.txt of `site`, scheme://host[:port], names; the turn of `page` has come."""
        try:
            named = [normalise(url, f"{site}/robots.txt") for url in written]
        except Exception as error:
            parser_failed(f"{site}/robots.txt", error)
            return
        host = int(self._web.frontier.host_of[page])
        self.queue.named_by_robots(host, [url for url in named if url is not None], page, now)

    def line_up(self, now: float) -> None:
        """Let hosts be asked for the sitemaps that are next, when their turns come."""
        if not self._web.settings.sitemaps:
            return
        for row in self.queue.to_ask(now):
            name = politeness_key(row.url)
            if name != self._web.frontier.hosts[row.host].name and not self._web.scope.is_inside(row.url):
                self.queue.closed(row.id, f"scope-{self._web.scope.kind}", None, 0, now)
            else:
                host = self._web.host(name)
                self._web.frontier.add_errand(host, SitemapErrand(self, self._turns, host, row.url, row.id), now)

    def next_ready(self) -> float | None:
        return self.queue.next_ready()

    def drop(self, errand: "SitemapErrand", reason: str, now: float) -> None:
        """Take in that a sitemap whose turn has come is not to be asked for."""
        self._web.frontier.end_turn(errand.turn, now, asked=False)
        self.queue.closed(errand.sitemap, reason, None, 0, now)

    def absorb_urls(self, sitemap: int, urls: Sequence[str], is_index: bool, now: float) -> None:
        """Take in URLs a sitemap lists, of further sitemaps or of pages: what it may speak of, and is news."""
        row = self.queue.row(sitemap)
        name = self._web.frontier.hosts[row.host].name
        if is_index:
            near = {name, politeness_key(row.url)}
            self.queue.named_by(sitemap, [url for url in urls if politeness_key(url) in near], now)
            return
        depth = int(self._web.accounts.depth[row.page]) + 1
        distinct = dict.fromkeys(url for url in urls if politeness_key(url) == name)
        inside = [url for url in distinct if self._web.scope.refuses(url, depth) is None]
        self.queue.enqueue(sitemap, unknown(inside, self._web.known.find(inside)))

    def absorb(self, errand: "SitemapErrand", answer: SitemapAnswer, now: float) -> None:
        """Take in what the request for a sitemap led to; its URLs have been absorbed."""
        sitemap = errand.sitemap
        row, fetched = self.queue.row(sitemap), answer.fetched
        outcome = judge(fetched, ParsedPage(), row.attempts, now=now, timing=self._web.timing)
        self._turns.answered(errand.turn, fetched, now, outcome.rest)
        if outcome.state is None:
            self.queue.tried(sitemap, outcome.reason, fetched.status, now + outcome.wait)
            return
        if outcome.is_redirect and outcome.alias is not None:
            self.queue.named_by(sitemap, [outcome.alias], now)
        reason = answer.reason if fetched.status == 200 else outcome.reason
        self.queue.closed(sitemap, reason, fetched.status, answer.found, now)

    def on_nothing_left(self, now: float) -> bool:
        """Let some URLs of every host in, as there is nothing else to do; whether any were."""
        if not self._web.settings.sitemaps:
            return False
        waiting = None
        while self.queue.waiting != waiting:  # as long as some of them are known by now, or in traps
            waiting = self.queue.waiting
            if sum([self._let_in_of(host, now) for host in self.queue.hosts()]):
                return True
        return False

    def on_commit(self, now: float) -> None:
        """Let in some URLs of every host that may be asked and has no page left, whatever others do."""
        if not (self.queue.waiting and self._web.settings.sitemaps):
            return
        for host in self.queue.hosts():
            if self._web.frontier.is_idle(self._web.frontier.hosts[host], now):
                self._let_in_of(host, now)

    def _let_in_of(self, host: int, now: float) -> int:
        """Let in URLs of a host, as many as it may be asked for until this is looked at again, and a few more."""
        delay = self._web.frontier.hosts[host].delay
        most = min(1 + int(_LET_IN_SECONDS / delay), _LET_IN_AT_ONCE) if delay else _LET_IN_AT_ONCE
        return self._let_in(most, now, host)

    def let_earned_in(self, born: int, now: float) -> None:
        """Let in as many URLs from sitemaps as a page has earned whose links made `born` pages known."""
        if self.queue.waiting and self._web.settings.sitemaps:
            earned = self.queue.earned(born)
            if earned:
                self._let_in(earned, now)

    def save(self) -> None:
        """Write all that has changed since the last commit, within the transaction of the next."""
        rows = self.queue.take_rows()
        self._web.writer.save_sitemaps(rows.sitemaps)
        self._web.writer.add_listed_urls(rows.listed)
        self._web.writer.remove_listed_urls(rows.unlisted)
        self._web.writer.save_sitemap_pages(rows.made)
        self._web.writer.save_meta({"sitemap_thirds": self.queue.thirds})
        if rows.left_out is not None:
            self._web.writer.save_meta({"sitemaps_left_out": json.dumps(rows.left_out)})

    def _let_in(self, most: int, now: float, host: int | None = None) -> int:
        """Make URLs from sitemaps known, so many at most, of one host or of the next ones. Returns how many."""
        first_new = self._web.accounts.size
        for _ in range(_LOOKS):
            listed = self.queue.next_urls(most - (self._web.accounts.size - first_new), host)
            if listed is None:
                break
            sitemap, urls = listed[0], list(dict.fromkeys(map(self._plain, listed[1])))
            urls, _, known, _ = self._web.admitted(sitemap.url, urls, urls)
            fresh = unknown(urls, known)
            born = self._web.made_known(fresh, [None] * len(fresh), sitemap.page, "sitemap")
            self.queue.let_in(sitemap.id, born)
            for page in born:
                self._web.frontier.add(page, now)
            if self._web.accounts.size - first_new >= most:
                break
        return self._web.accounts.size - first_new


class SitemapErrand(Request):
    """A request for the sitemap of this number."""

    waits = True

    def __init__(self, sitemaps: Sitemaps, turns: HostTurns, host: Host, url: str, sitemap: int) -> None:
        super().__init__(turns, host, url)
        self.sitemap = sitemap
        self._sitemaps = sitemaps
        self._answer: SitemapAnswer | None = None

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self._sitemaps.drop(self, refusal.reason, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        def give(urls: list[str], is_index: bool) -> None:
            take = partial(self._sitemaps.absorb_urls, self.sitemap, urls, is_index)
            deliver(Arrival(len(urls), take))

        self._answer = await source.sitemap(self.url, give)
        self.fetched = self._answer.fetched

    def on_answer(self, now: float) -> None:
        self._sitemaps.absorb(self, self._answer or SitemapAnswer(self.fetched), now)
