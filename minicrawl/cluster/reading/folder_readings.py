"""What the dashboard reads of a crawl in partitions: lists and curves of all, as if there were one store.

What is worked out of the links of one store is not told of several; a sentence says so.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.status import CrawlAtRest
from minicrawl.analysis.top.expected import Order
from minicrawl.analysis.top.top_list import Line, TopList
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.merged import ranked_pages, states_of_all, sums_of
from minicrawl.cluster.reading.course import course_of_all
from minicrawl.cluster.reading.explanation import explain_one
from minicrawl.cluster.reading.search import search_all
from minicrawl.cluster.reading.status import part_status, status_of_all
from minicrawl.crawler.books.stored_forms import banned_hosts, earlier_runs
from minicrawl.errors import SettingError, StoreError
from minicrawl.model import READ, State, Sums
from minicrawl.search.searching import Asked, Found
from minicrawl.settings import RANKINGS, CrawlSettings
from minicrawl.store.read.hosts import HostPages
from minicrawl.store.read.refreshes import RisenPage
from minicrawl.store.reader import Store
from minicrawl.store.rows import HostRow, RankedPage

FloatArray = npt.NDArray[np.float64]
_MARGIN = 4
"""So many times the pages asked for are looked at, as some were not read; then as many times more."""


class FolderReadings:
    """The readings of a crawl in a folder, which is looked for each time: partitions may be moved meanwhile."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError where there is no crawl."""
        found(path)
        self.path = path
        self._at_rest: tuple[object, CrawlAtRest] | None = None

    def has_begun(self) -> bool:
        return True

    def is_in_use(self) -> bool:
        return found(self.path).is_in_use

    def at_rest(self) -> CrawlAtRest:
        """Added up over the partitions whose stores are on this machine.

        That looks at all their pages, so it is remembered until a file has changed.
        """
        folder = found(self.path)
        files = _as_they_are(folder)
        if self._at_rest is None or self._at_rest[0] != files:
            self._at_rest = files, _at_rest(folder)
        return self._at_rest[1]

    def partitions(self) -> list[Mapping[str, object]]:
        """Of each partition its `number`; `machine`, where that is another one; else what its store has.

        `known`, `read`: pages at home; `states`: all of them; `waiting`: rows of its outbox, as of a running one.
        """
        folder = found(self.path)
        with folder.opened_some(folder.here) as stores:
            rows = {number: _row(store) for number, store in zip(folder.here, stores, strict=True)}
        return [
            {"number": number, "machine": place.machine, **rows.get(number, {})}
            for number, place in enumerate(folder.places)
        ]

    def top(self, by: str | None, n: int) -> TopList:
        """By importance among all pages; none is counted with another that says the same."""
        if by not in (None, RANKINGS[0]):
            raise SettingError(f"pages of all partitions are ordered by {RANKINGS[0]}, not by {by}")
        with self._opened() as (folder, stores):
            pages, unread = _first_read(stores, n)
            counted = states_of_all(stores)
            lines = [Line(page, _number(folder, stores, page.url)) for page in pages]
        read = sum(counted[state] for state in READ)
        return TopList(lines, unread, Order(RANKINGS[0], read, counted.total(), counted[State.WAITING] > 0))

    def collected(self) -> tuple[FloatArray, FloatArray]:
        with self._opened() as (_, stores):
            sums = sums_of(stores)
            read = [store.at_home.read(*sums) for store in stores]
            known = np.sort(np.concatenate([store.at_home.importance(*sums) for store in stores]))[::-1]
        # A page that was fetched again had its first answer no later than any behind it had theirs.
        firsts = [np.minimum.accumulate(rows[::-1, 0])[::-1] for rows in read]
        order = np.argsort(np.concatenate(firsts), kind="stable")
        return np.concatenate(read)[order, 1], known

    def rising(self, since: float, n: int) -> list[RisenPage]:
        """None: how important pages were before is not known over partitions."""
        return []

    def hosts(self, n: int) -> tuple[list[tuple[HostPages, HostRow]], int]:
        some: list[tuple[HostPages, HostRow]] = []
        with self._opened() as (_, stores):
            for store in stores:
                rows = {row.name: row for row in store.hosts.all()}
                some += [(host, rows[host.name]) for host in store.hosts.pages(n)]
            in_all = sum(store.at_home.hosts() for store in stores)
        return sorted(some, key=lambda one: (-one[0].known, one[0].name))[:n], in_all

    def why(self, url: str) -> Mapping[str, object]:
        """And the `partition` that has it, and which others have links to it: `mirrors`."""
        with self._opened() as (folder, stores):
            placed = explain_one(folder.homes, stores, url)
        return {**placed.explanation.as_json(), "partition": placed.home, "mirrors": placed.mirrors}

    def search(self, words: str, n: int) -> Found:
        with self._opened() as (_, stores):
            return search_all(stores, words, Asked(n))

    def course(self) -> Mapping[str, object]:
        with self._opened() as (_, stores):
            counts = sum((Counter(store.page_table.counts()) for store in stores), Counter[tuple[str, str]]())
            points = course_of_all([store.course() for store in stores])
        rows = [
            {"state": state, "reason": reason, "pages": pages}
            for (state, reason), pages in counts.most_common()
            if state != State.ELSEWHERE
        ]
        return {"states": rows, "points": points}

    def shape(self) -> Mapping[str, object]:
        raise StoreError(
            "components, bow tie, diameter, distances and degrees are worked out of the links of one store, and not "
            "over partitions"
        )

    def picture(self, of: str) -> Mapping[str, object]:
        raise StoreError(f"{of} and the links between them are drawn of one store, and not over partitions")

    def start(self, asked: object) -> Mapping[str, object]:
        raise SettingError(
            f"'minicrawl cluster crawl --store {self.path}' goes on with a crawl in partitions, and takes more seeds "
            "and other options"
        )

    @contextmanager
    def _opened(self) -> Iterator[tuple[Folder, Sequence[Store]]]:
        folder = found(self.path)
        with folder.opened() as stores:
            yield folder, stores


def _at_rest(folder: Folder) -> CrawlAtRest:
    with folder.opened_some(folder.here) as here:
        if not here:
            folder.check_is_here()
        whole = status_of_all(folder, here).of_all
        earlier = [earlier_runs(store) for store in here]
        banned = sorted({host for store in here for host in banned_hosts(store)})
    before = Sums(
        runs=max(one.runs for one in earlier),
        fetched=sum(one.fetched for one in earlier),
        bytes=sum(one.bytes for one in earlier),
        seconds=max(one.seconds for one in earlier),
    )
    settings = CrawlSettings.from_json(folder.settings_in_full)
    return CrawlAtRest(whole, before, banned, settings, is_whole=not folder.machines)


def _as_they_are(folder: Folder) -> object:
    """What differs when a store has changed since, or a crawl has begun or ended."""
    found: list[object] = [folder, folder.is_in_use]
    for path, place in zip(folder.stores, folder.places, strict=True):
        if place.machine is None:
            log = Path(f"{path}-wal")
            found.append((path.stat().st_mtime_ns, log.stat().st_size if log.exists() else 0))
    return found


def _row(store: Store) -> Mapping[str, object]:
    part = part_status(store)
    return {
        "known": part.known,
        "read": part.read,
        "states": part.pages,
        "waiting": part.outbox,
        "mirrors": part.mirrors,
        "last_commit": part.last_commit,
    }


def _first_read(stores: Sequence[Store], n: int) -> tuple[list[RankedPage], dict[str, int]]:
    """The n best pages that were read; how many before the last of them were not, by state."""
    looked_at = n
    while True:
        looked_at *= _MARGIN
        pages = list(ranked_pages(stores, looked_at))
        read = [page for page in pages if page.state == State.FETCHED][:n]
        if len(read) == n or len(pages) < looked_at:
            break
    last = read[-1].rank if len(read) == n else len(pages)
    before = takewhile(lambda page: page.rank <= last, pages)
    return read, dict(Counter(page.state for page in before if page.state != State.FETCHED))


def _number(folder: Folder, stores: Sequence[Store], url: str) -> int:
    """That of a page in its partition."""
    return stores[folder.homes.home_of(url)].page_table.find([url])[url]
