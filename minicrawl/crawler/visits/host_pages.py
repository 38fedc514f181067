"""The pages of a host, as its judge sees them: witnesses, pages to request again, soft 404s that may be walls."""

from collections.abc import Callable, Sequence, Set
from functools import cached_property

import numpy as np

from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.recognise.looks import Look
from minicrawl.crawler.recognise.soft404 import folder_of
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ, Fetched, State
from minicrawl.opic.coverage import PageKind
from minicrawl.store.pages import Fetch
from minicrawl.store.recognised import Fingerprint
from minicrawl.web.fingerprint import Identity, identity_of
from minicrawl.web.http.response_fields import HTML_TYPES, media_type
from minicrawl.web.urls.keys import politeness_key
from minicrawl.web.urls.shapes import shape_of, word_of

_MOST_LOOKED_AT = 64


class HostPages:
    """Looks up pages of hosts, and lets some wait again. spares: True for pages not to be asked ahead of their turn."""

    def __init__(self, state: CrawlState, spares: Callable[[int, str], bool]) -> None:
        self._spares = spares
        self._accounts, self._frontier, self._hosts = state.accounts, state.frontier, state.hosts
        self._waiting, self._coverage = state.frontier.pages, state.accounts.coverage
        self._pages, self._writer, self._opened_at = state.pages, state.writer, state.opened_at
        self.url = state.urls.url
        self._looks: dict[int, bool] = {}  # pages that are requested again in this run: whether they were answered

    def last_answer(self, page: int) -> Fetch | None:
        """The last answer of a page that was there; None if it was not."""
        return self._pages.last_answer(page)

    def has_failed(self, page: int) -> bool:
        """True if the last request for a page has failed, and it is to be tried again."""
        return page in self._pages.attempts

    def well_read(self, host: Host) -> list[int]:
        """Some pages of a host that were read, in this run or before."""
        size = self._accounts.size
        is_read = (self._coverage.kind[:size] == PageKind.PAGE) & (self._waiting.host_of[:size] == host.id)
        pages = np.flatnonzero(is_read)[:_MOST_LOOKED_AT].tolist()
        return [page for page in pages if self._pages.last_state(page) == State.FETCHED]

    def new(self, host: Host, failed: Set[str]) -> int | None:
        """A page of a host that was never read, and has not failed: of a folder and a name of which others are well, or
        none have failed. failed: URLs of pages and folders."""
        size = self._accounts.size
        pages = np.flatnonzero(~self._accounts.had_turn[:size] & (self._waiting.host_of[:size] == host.id))
        some: Sequence[int] = pages[:: max(len(pages) // _MOST_LOOKED_AT, 1)].tolist()
        well = list(map(self.url, self.well_read(host)))
        kinds = {(folder_of(url), _name(url)) for url in well}
        folders, names = {*failed, *map(folder_of, failed)}, {*map(_name, failed)} - {*map(_name, well)}
        for page in some:
            folder, name = folder_of(url := self.url(page)), _name(url)
            is_apart = folder not in folders and name not in names
            is_new = url not in failed and not self.has_failed(page)
            if is_new and (is_apart or (folder, name) in kinds) and not self._spares(page, url):
                return page
        return None

    def take_back(self, page: int, now: float) -> None:
        """Let a page that was taken in wait again as if it had not been asked."""
        self._pages.attempts.pop(page, None)
        if not self._accounts.had_turn[page]:
            return
        is_given_up = self._pages.last_state(page) not in READ
        if is_given_up:
            self._accounts.unvisit(page)
            self._pages.ask_again(page)
        self._frontier.put_first(page, now, is_new=is_given_up)

    def ask_for_looks(self, now: float) -> bool:
        """Ask again for one of each look of the soft 404s of runs before, and of the pages of each host that said there
        nothing, or nothing but what it says for robots.txt: a wall may have stood before them. Returns True if there
        are any."""
        has_any = self._writer.page_table.counts().get((State.ERROR, "soft-404"), 0)
        pages = self._writer.page_table.one_of_each_look(self._opened_at) if has_any else ()
        new = [page for page in (*pages, *self._walls) if page not in self._looks]
        for page in new:
            self._looks[page] = False
            self.take_back(page, now)
        return bool(new)

    def note_look(self, turn: Turn) -> None:
        """If a page that was asked for again is no soft 404 now, or says something new, let those that said the same
        before wait again."""
        if self._looks.get(turn.page) is not False:
            return  # as mostly
        self._looks[turn.page] = True
        if turn.outcome.state is not State.FETCHED:
            return
        wall, pages = self._walls.get(turn.page, (None, ()))
        if wall is None:
            pages = self._writer.page_table.soft_404s(self._frontier.host(turn.page).id)
        elif turn.fetched.digest is None or turn.parsed.is_shell or _look(turn.fetched).is_like(wall):
            return  # what is drawn in the browser may have another shell from now on
        for page in pages:
            self._looks[page] = True
            self.take_back(page, turn.now)

    @cached_property
    def _walls(self) -> dict[int, tuple[Look, list[int]]]:
        """By the first page of each host where all said in runs before what robots.txt says, or where the first seed is
        no HTML, or leads to a page without links: that, and the others."""
        walls = dict[int, tuple[Look, list[int]]]()
        for origin, body in self._writer.hosts.robots_in_html(self._opened_at):
            look = _look(identity_of(body, f"{origin}/robots.txt", wants_text=False))
            walls[self._hosts.host(politeness_key(origin)).id] = look, []
        host_of, kind = self._waiting.host_of[: self._accounts.size], self._coverage.kind[: self._accounts.size]
        for page in np.flatnonzero((kind == PageKind.PAGE) & np.isin(host_of, list(walls))).tolist():
            host = host_of.item(page)
            if host in walls and (answer := self.last_answer(page)) and answer.fetched_at < self._opened_at:
                walls[host][1].append(page)
                if not _look(self._writer.recognised.fingerprint(page)).is_like(walls[host][0]):
                    del walls[host]
        for host, pages in self._without_links().items():
            answer, leads_to = self.last_answer(pages[0]), self._pages.outlinks(pages[0]).tolist()
            if answer is None or answer.fetched_at >= self._opened_at:
                continue
            is_alias = self._pages.last_state(pages[0]) == State.ALIAS
            is_mute = is_alias or media_type(answer.content_type) not in HTML_TYPES
            if is_mute and all(host_of[page] == host for page in leads_to):
                walls[host] = Look(0, "empty"), pages
        return {pages[0]: (wall, pages[1:]) for wall, pages in walls.values() if pages}

    def _without_links(self) -> dict[int, list[int]]:
        """The pages of each host that all are seeds or stand behind their redirects, and had their turns."""
        size = self._accounts.size
        host_of, depth = self._waiting.host_of[:size], self._accounts.depth[:size]
        has_more = np.bincount(host_of, (depth > 0) | ~self._accounts.had_turn[:size]) > 0
        hosts = dict[int, list[int]]()
        for page in np.flatnonzero(~has_more[host_of]).tolist():
            hosts.setdefault(host_of.item(page), []).append(page)
        return hosts


def _name(url: str) -> tuple[str, ...]:
    """What pages of one kind share: the last segment of the path but for its numbers, and the names of parameters."""
    shape = shape_of(url)
    return *map(word_of, shape.segments[-1:]), *shape.names


def _look(shown: Fetched | Fingerprint | Identity | None) -> Look:
    """The look of an answer but for its title, which robots.txt has not; None: of one without a word."""
    if shown is None or shown.payload is None:
        return Look(0, "empty")
    return Look(0, "alike", sketch=shown.sketch, digest=shown.digest)
