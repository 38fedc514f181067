"""What the store of a crawl says: each reading opens it, and is of one commit."""

from pathlib import Path

import numpy as np

from minicrawl.analysis.explain import explain
from minicrawl.analysis.status import CrawlAtRest, at_rest
from minicrawl.analysis.top.top_list import TopList, lines_per_site, top_list
from minicrawl.control.messages import Message
from minicrawl.dashboard.commands import started
from minicrawl.dashboard.picture import picture_of_hosts, picture_of_pages
from minicrawl.dashboard.readings import FloatArray, Reading
from minicrawl.dashboard.statistics import Shapes, course
from minicrawl.search import searching
from minicrawl.search.searched_store import open_store
from minicrawl.store.database import is_held
from minicrawl.store.read.hosts import HostPages
from minicrawl.store.read.refreshes import RisenPage
from minicrawl.store.rows import HostRow

_PICTURES = {"pages": picture_of_pages, "hosts": picture_of_hosts}


class StoreReadings:
    """The `Readings` of a crawl in one store, which need not be there yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._shapes = Shapes(path)

    def has_begun(self) -> bool:
        return self.path.exists()

    def is_in_use(self) -> bool:
        return is_held(self.path)

    def at_rest(self) -> CrawlAtRest:
        with open_store(self.path) as store:
            return at_rest(store)

    def partitions(self) -> None:
        return None

    def top(self, by: str | None, n: int) -> TopList:
        with open_store(self.path) as store:
            return top_list(store, by, n, per_site=lines_per_site(store), is_rough=True)

    def collected(self) -> tuple[FloatArray, FloatArray]:
        with open_store(self.path) as store, store.snapshot():
            return store.ranks.collected(), np.sort(store.ranks.importance())[::-1]

    def rising(self, since: float, n: int) -> list[RisenPage]:
        with open_store(self.path) as store:
            return store.refreshes.risen_pages(since, n)

    def hosts(self, n: int) -> tuple[list[tuple[HostPages, HostRow]], int]:
        with open_store(self.path) as store, store.snapshot():
            pages = store.hosts.pages(n)
            rows = {row.name: row for row in store.hosts.all()}
        return [(host, rows[host.name]) for host in pages], len(rows)

    def why(self, url: str) -> Reading:
        with open_store(self.path) as store:
            return explain(store, url).as_json()

    def search(self, words: str, n: int) -> searching.Found:
        with open_store(self.path) as store:
            return searching.search(store, words, searching.Asked(n))

    def course(self) -> Reading:
        return course(self.path)

    def shape(self) -> Reading:
        return self._shapes.look()

    def picture(self, of: str) -> Reading:
        return _PICTURES[of](self.path)

    def start(self, asked: object) -> Message:
        return started(self.path, asked)
