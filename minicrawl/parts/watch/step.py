"""Takes the answers for watched pages in a crawl of these alone; a page that redirects has the answer of its target."""

from collections import defaultdict

from minicrawl.crawler.admission.seeds import in_plain_http
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.visits.step import Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import PageRequest, State
from minicrawl.parts.watch import DUE, ROUND
from minicrawl.parts.watch.tables import AnswerRow, HostRow
from minicrawl.store.writer import Writer
from minicrawl.web.compare.view import JSON, OF_SELECTOR, View, view_of
from minicrawl.web.urls.keys import politeness_key
from minicrawl.web.urls.normalise import forget_references

_MOST_REDIRECTS = 10
_WHOLE_EVERY = 8
"""One request in so many is made without a condition, as validators may lie."""


class Answers(Step):
    """Takes the answers of one crawl, by the pages that are due."""

    def __init__(self, state: CrawlState) -> None:
        self._state, self._writer, self._views = state, state.writer, Views(state.writer)
        due: dict[str, str] = state.writer.meta_json(DUE)
        self._left = dict.fromkeys(due)
        self._round = int(state.writer.meta(ROUND) or 0)
        self._selectors = {url: selector for url, selector in due.items() if selector}
        self._plain = {in_plain_http(url): url for url in due if url.startswith("https:")}
        """By the plain URL that a crawl asks for where https was a wrong guess, that of the list."""
        self._for = defaultdict[int, list[tuple[str, int]]](list)
        """By page: the watched URLs whose answer it has, as these redirect there, and over how many redirects."""
        self._unsaved: list[AnswerRow] = []

    def lets_wait(self, page: int, url: str) -> bool:
        """True for a page that nobody waits for."""
        return not self._asks_for(page, url)

    def _asks_for(self, page: int, url: str) -> list[tuple[str, int]]:
        own = url if url in self._left else self._plain.get(url, url)
        return [*([(own, 0)] if own in self._left else []), *self._for.get(page, ())]

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        selector = next(
            (self._selectors[url] for url, _ in self._asks_for(page, asked.url) if url in self._selectors), ""
        )
        fields = (f"{OF_SELECTOR}[]={selector}",) if selector and not selector.startswith(JSON) else ()
        asked = asked._replace(view=fields)
        stored = self._stored(asked.url)
        is_whole = (page + self._round) % _WHOLE_EVERY == 0
        if stored is None or stored.status != 200 or stored.is_cut or is_whole:
            return asked
        return asked._replace(etag=stored.etag, last_modified=stored.last_modified)

    def _stored(self, url: str) -> View | None:
        """What a page is compared to."""
        packed = self._writer.value("SELECT view FROM watched WHERE url = ?", url)
        return self._views.unpacked(packed, url) if packed else None

    def _before(self, url: str, number: int) -> View | None:
        """The answer before the one with this number, or what is stored."""
        other = "url = ? AND number < ? AND length(view) > 0"
        packed = self._writer.value(f"SELECT view FROM watch_answers WHERE {other} ORDER BY number DESC", url, number)
        return self._views.unpacked(packed, url) if packed else self._stored(url)

    def on_answer(self, turn: Turn) -> bool:
        """Take an answer. False if it is to be tried again, as a time-out is."""
        outcome, page = turn.outcome, turn.page
        asking = self._asks_for(page, self._state.urls.url(page))
        is_answer = outcome.state is not None or outcome.is_unchanged or turn.fetched.not_modified
        if not asking or not is_answer:
            return False
        target = outcome.alias if outcome.is_redirect or outcome.reason == "meta-refresh" else None
        if (
            target is not None
            and all(hops < _MOST_REDIRECTS for _, hops in asking)
            and self._follow(turn, target, asking)
        ):
            self._lay_up(page)
            return True
        for url, _ in asking:
            self._note(url, self._view(turn, url))
        self._lay_up(page)
        return True

    def _view(self, turn: Turn, url: str) -> View:
        if turn.fetched.not_modified and (stored := self._stored(url)) is not None:
            return stored
        return view_of(turn.fetched, turn.parsed, turn.fetched.url, turn.now, self._selectors.get(url, ""))

    def _follow(self, turn: Turn, target: str, asking: list[tuple[str, int]]) -> bool:
        """Let the answer of a redirect's target be that of the pages that have led there. One that has answered is
        requested again."""
        discovery, frontier = self._state.discovery, self._state.frontier
        admitted = discovery.admitted([target], [""])
        if not admitted.urls:
            return False
        (page,) = discovery.made_known(admitted, turn.page, "redirect", same_depth=True)
        for url, hops in asking:
            self._left.pop(url, None)
            self._for[page].append((url, hops + 1))
        discovery.offer_new(turn.now)
        frontier.bring_back([page], turn.now)
        return True

    def on_turn(self, turn: Turn) -> None:
        """Note a page that could not be requested."""
        if turn.outcome.state in (State.ERROR, State.DISALLOWED):
            for url, _ in self._asks_for(turn.page, self._state.urls.url(turn.page)):
                reason = turn.outcome.reason
                self._note(url, View(turn.now, turn.fetched.url, turn.fetched.status, reason))

    def _note(self, url: str, view: View) -> None:
        self._left.pop(url, None)
        number = int(self._writer.value("SELECT count(*) FROM watch_answers WHERE url = ?", url))
        before = self._before(url, number)
        is_same = before is not None and view.says_what(before)
        self._unsaved.append(AnswerRow(url, number, b"" if is_same else self._views.packed(view, url)))

    def _lay_up(self, page: int) -> None:
        """Let a page wait for the next crawl."""
        self._for.pop(page, None)
        self._state.frontier.lay_up(page)

    def save(self, writer: Writer) -> None:
        writer.put(AnswerRow, self._unsaved)
        self._unsaved = []
        forget_references()


class Views:
    """The views in a store, packed by what the pages of their host have in common."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def _common(self, url: str) -> bytes:
        return self._writer.value("SELECT view FROM watched_hosts WHERE host = ?", politeness_key(url)) or b""

    def packed(self, view: View, url: str) -> bytes:
        return view.packed(self._common(url))

    def unpacked(self, packed: bytes, url: str) -> View:
        return View.unpacked(packed, url, self._common(url))

    def note(self, view: View, url: str) -> None:
        """Have the pages of a host packed by this one of them, if they are by none."""
        if not self._common(url):
            self._writer.put(HostRow, [HostRow(politeness_key(url), view.packed())])
