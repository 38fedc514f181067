"""URLs that become pages, seeds and those found on pages and in sitemaps; and how much more the user wants each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.scope import OFF_TOPIC, Focus
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.waiting_pages import WaitingPages
from minicrawl.crawler.sharing import UNREACHED
from minicrawl.errors import ConfigError
from minicrawl.model import State
from minicrawl.opic.arrays import Pages, slices
from minicrawl.store.pages import NewPage
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import politeness_key

if TYPE_CHECKING:
    from minicrawl.crawler.known.crawl_state import CrawlState


class Interests:
    """The factors of all pages on their priorities, while the user has boosts or a topic. A link may raise that of a
    page: the store keeps by how much, as the texts of links are not kept."""

    def __init__(self, focus: Focus, pages: WaitingPages, accounts: Accounts, writer: Writer) -> None:
        self._focus = focus
        self._pages = pages
        self._accounts = accounts
        self._raised: dict[int, float] = dict(writer.rows("SELECT id, topic FROM pages WHERE topic IS NOT NULL"))
        self._unsaved: set[int] = set()
        self.moved: list[int] = []
        """Pages raised since `take_moved`."""
        if not focus.is_off:
            self._begin(writer.page_table.urls())

    def adjust(self, focus: Focus, urls: Iterable[str]) -> None:
        """Go on with another focus. urls: of all pages. `reorder` the frontier then."""
        self._focus = focus
        self._pages.interest = self._pages.is_off_topic = None
        if not focus.is_off:
            self._begin(urls)

    def know(self, page: int, url: str) -> None:
        if self._pages.interest is not None:
            topic = self._topic(page, url)
            self._pages.interest[page] = self._focus.boost(url) * topic
            if self._pages.is_off_topic is not None:
                self._pages.is_off_topic[page] = topic <= OFF_TOPIC

    def note_links(self, found: "Admitted", pages: Sequence[int], title: str, redirect: tuple[int, str] | None) -> None:
        """Note the links of a page with this title. pages: their numbers. redirect: number and URL of the page, if it
        only leads to another: what links said of it holds for that one."""
        if self._pages.is_off_topic is None:
            return
        around = self._focus.found(title)
        least = 0.0 if redirect is None else self._topic(*redirect)
        for page, url, anchor in zip(pages, found.urls, found.anchors, strict=True):
            topic = max(self._focus.topic(url, anchor, around), least)
            if topic > self._topic(page, url):
                self._raised[page] = topic
                self._unsaved.add(page)
                self.moved.append(page)
                self.know(page, url)

    def take_moved(self) -> Pages:
        """The pages raised since the last call, which may have got no cash: links of an alias bring none."""
        moved, self.moved = self.moved, []
        return np.array(moved, dtype=np.int64)

    def save(self, writer: Writer) -> None:
        writer.update("pages", ["topic"], ((self._raised[page], page) for page in sorted(self._unsaved)))
        self._unsaved.clear()

    def _topic(self, page: int, url: str) -> float:
        if not self._focus.words:
            return 1.0
        return self._raised[page] if page in self._raised else self._focus.topic(url)

    def _begin(self, urls: Iterable[str]) -> None:
        self._pages.interest = np.ones(len(self._pages.host_of), dtype=np.float32)
        if self._focus.words:
            self._pages.is_off_topic = np.zeros(len(self._pages.host_of), dtype=np.bool_)
        for page, url in enumerate(urls):
            self.know(page, url)


Depths = npt.NDArray[np.int32]


class Admitted(NamedTuple):
    """Distinct URLs that are known or may become so, with anchors and page numbers: None for a new one. `refused`:
    number of URLs left out. `places`: of the links on the page, a byte each; b"" if unknown."""

    urls: Sequence[str]
    anchors: Sequence[str]
    pages: Sequence[int | None]
    refused: int = 0
    places: bytes = b""


class Discovery:
    """Makes URLs known. A new page waits in the frontier once the books hold its cash: from `offer_new` on; one of
    another partition never. `offered`: number of pages offered so far."""

    def __init__(self, state: "CrawlState") -> None:
        self._urls, self._accounts, self._frontier = state.urls, state.accounts, state.frontier
        self._hosts, self._pages, self._mirrors = state.hosts, state.pages, state.mirrors
        self._admission, self._interests = state.admission, state.interests
        self.offered = self._accounts.size
        self.note_page: Callable[[int, str], None] | None = None
        """Called with every new page and its URL, where sites are counted."""
        self.note_url: Callable[[str, str], None] | None = None
        """Called with host and URL of every new page, but for those of other partitions, where URLs are judged."""

    def also_note_urls(self, note: Callable[[str, str], None]) -> None:
        """Call one more function as `note_url`."""
        earlier = self.note_url

        def note_both(host: str, url: str) -> None:
            assert earlier is not None
            earlier(host, url)
            note(host, url)

        self.note_url = note if earlier is None else note_both

    def know_seeds(self, seeds: Sequence[str], now: float, at_once: int) -> Iterator[tuple[Pages, Depths]]:
        """Make seeds known, `at_once` of them at a time; not those of other partitions.

        Pages that were known before have depth 0 from then on: yields them after each step, with the depths they had.
        A commit or the end may come after every step: seeds left over are taken in when they are given again.
        """
        if self._mirrors is not None:
            seeds = [url for url, home in zip(seeds, self._mirrors.homes(seeds), strict=True) if home is None]
        pages = self._urls.find(seeds)
        for some in slices(len(seeds), at_once):
            self._admission.protect(seeds[some])
            fresh = unknown(seeds[some], pages[some])
            if fresh:
                self._discover(fresh, "seed", [None] * len(fresh), 0)
                self.offer_new(now)
            known = np.array([page for page in pages[some] if page is not None], dtype=np.int64)
            depths = self._accounts.depth[known]
            if fresh or depths.any():
                self._accounts.begin_anew()
            self._accounts.begin_at(known)
            yield known, depths

    def admitted(self, urls: Sequence[str], anchors: Sequence[str], places: bytes = b"") -> Admitted:
        """Those of the distinct links of a page that are known or may become so."""
        pages = self._urls.find(urls)
        rules = self._admission.refusals(unknown(urls, pages)) if None in pages else []
        if not any(rules):
            return Admitted(urls, anchors, pages, places=places)
        of_unknown = iter(rules)
        rule_of = [None if page is not None else next(of_unknown) for page in pages]
        kept = [at for at, rule in enumerate(rule_of) if rule is None]
        kept_urls, kept_anchors = [urls[at] for at in kept], [anchors[at] for at in kept]
        kept_places = bytes([places[at] for at in kept]) if places else b""
        return Admitted(kept_urls, kept_anchors, [pages[at] for at in kept], len(urls) - len(kept), kept_places)

    def made_known(self, found: Admitted, source: int, reason: str, *, same_depth: bool = False) -> list[int]:
        """Page numbers of the links of `source`, making unknown URLs known."""
        if None not in found.pages:
            return [page for page in found.pages if page is not None]
        fresh = unknown(found.urls, found.pages)
        depth = int(self._accounts.depth[source]) + (0 if same_depth else 1)
        born = iter(self._discover(fresh, reason, [source] * len(fresh), depth))
        return [next(born) if page is None else page for page in found.pages]

    def offer_new(self, now: float) -> int:
        """Let pages that are new since the last call wait for their turn. Returns their number."""
        if self.offered == self._accounts.size:  # as after most turns
            return 0
        born = range(self.offered, self._accounts.size)
        new = born if self._mirrors is None else self._mirrors.own(born).tolist()
        self._frontier.add(new, now)
        self.offered = self._accounts.size
        return len(new)

    def only_offered(self, pages: Pages) -> Pages:
        """Those of some pages that `offer_new` has offered."""
        return pages if self.offered == self._accounts.size else pages[pages < self.offered]

    def handed_over(self, urls: Sequence[str], found_on: Sequence[str]) -> list[int]:
        """Page numbers of distinct URLs of this partition handed over by others, making new ones known.

        found_on: the page of another partition that links to each; "" if this one knows the URL already. Raises
        ConfigError if it does not; nothing has changed then.
        """
        assert self._mirrors is not None
        pages = self._urls.find(urls)
        fresh = [at for at, page in enumerate(pages) if page is None]
        if not fresh:
            return [page for page in pages if page is not None]
        if not all(found_on[at] for at in fresh):
            raise ConfigError("it does not say where a URL was found that is not known here")
        sources = self._elsewhere(list(dict.fromkeys(found_on[at] for at in fresh)))
        new = [urls[at] for at in fresh]
        linkers = [sources[found_on[at]] for at in fresh]
        born = iter(self._discover(new, "link", linkers, UNREACHED))
        return [next(born) if page is None else page for page in pages]

    def _elsewhere(self, urls: Sequence[str]) -> dict[str, int]:
        """Page numbers of URLs of other partitions, which know them."""
        assert self._mirrors is not None
        pages = self._urls.find(urls)
        new = unknown(urls, pages)
        born = self._discover(new, "link", [0] * len(new), UNREACHED)
        self._mirrors.note_known(np.arange(born.start, born.stop))
        numbers = iter(born)
        return {url: next(numbers) if page is None else page for url, page in zip(urls, pages, strict=True)}

    def _discover(self, urls: Sequence[str], reason: str, found_on: Sequence[int | None], depth: int) -> range:
        homes = [] if self._mirrors is None else self._mirrors.homes(urls)
        born = self._accounts.discover(depth, len(urls))
        self._frontier.pages.grow(born.stop)
        for page, url, source in zip(born, urls, found_on, strict=True):
            self._urls.add(url, page)
            host = self._hosts.host(politeness_key(url))
            self._frontier.pages.host_of[page] = host.id
            self._pages.new.append(NewPage(page, url, host.id, source, reason))
            self._interests.know(page, url)
            if self.note_page is not None:
                self.note_page(page, url)
            if self.note_url is not None and (not homes or homes[page - born.start] is None):
                self.note_url(host.name, url)
        if self._mirrors is not None:
            self._mirrors.add(born, homes, found_on)
            for page in (page for page, home in zip(born, homes, strict=True) if home is not None):
                self._frontier.pages.forget(page)
                self._pages.restated[page] = State.ELSEWHERE, "elsewhere"
        return born


def unknown(urls: Sequence[str], pages: Sequence[int | None]) -> list[str]:
    """The URLs that have no page, in order."""
    return [url for url, page in zip(urls, pages, strict=True) if page is None]
