"""How much more the user wants each page than others: by its URL, and by the links to it."""

from collections.abc import Iterable, Sequence

import numpy as np

from minicrawl.crawler.admission.focus import MOST, Focus
from minicrawl.crawler.frontier.waiting_pages import WaitingPages
from minicrawl.store.pages import Interest
from minicrawl.store.writer import Writer


class Interests:
    """The factors of all pages on their priorities, while the user has boosts or a topic.

    A link may raise the factor of a page: the store keeps by how much, as the texts of links are not kept.
    """

    def __init__(self, focus: Focus, pages: WaitingPages, writer: Writer) -> None:
        self._focus = focus
        self._pages = pages
        self._raised = {row.page: row.topic for row in writer.page_table.interests()}
        self._unsaved: set[int] = set()
        if not focus.is_off:
            self._begin(writer.page_table.urls())

    def adjust(self, focus: Focus, urls: Iterable[str]) -> None:
        """Go on with another focus. urls: of all pages. `reorder` the frontier then."""
        self._focus = focus
        self._pages.interest = None
        if not focus.is_off:
            self._begin(urls)

    def know(self, page: int, url: str) -> None:
        """Note a new page."""
        if self._pages.interest is not None:
            self._pages.interest[page] = self._of(page, url)

    def note_links(self, pages: Sequence[int], urls: Sequence[str], anchors: Sequence[str], title: str) -> None:
        """Note the links of a page with this title."""
        if self._pages.interest is None or not self._focus.words:
            return
        for page, url, anchor in zip(pages, urls, anchors, strict=True):
            topic = self._focus.topic(url, anchor, title)
            if topic > self._raised.get(page, self._focus.topic(url)):
                self._raised[page] = topic
                self._unsaved.add(page)
                self.know(page, url)

    def save(self, writer: Writer) -> None:
        writer.put(Interest, (Interest(page, self._raised[page]) for page in sorted(self._unsaved)))
        self._unsaved.clear()

    def _begin(self, urls: Iterable[str]) -> None:
        self._pages.interest = np.ones(len(self._pages.host_of), dtype=np.float32)
        for page, url in enumerate(urls):
            self.know(page, url)

    def _of(self, page: int, url: str) -> float:
        topic = self._raised[page] if page in self._raised and self._focus.words else self._focus.topic(url)
        return min(self._focus.boost(url) * topic, MOST)
