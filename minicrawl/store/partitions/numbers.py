"""Numbers of the pages and hosts of a crawl over all its partitions.

Pages have numbers from 0 on: the home pages of partition 0, in local order, then those of partition 1, and so on. A
mirror has the number of the page it stands for. A mirror still in transit to its home counts as a page of the first
partition that has it. While a crawl runs, numbers are valid for one opening of the folder.

A partition without a store has no pages, and none in transit to it is known there. Partitions are counted here by the
order of their stores: the argument `number`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minicrawl.store.hosts import HostRow
from minicrawl.store.links import LinkGraph
from minicrawl.store.partitions.records import from_bytes
from minicrawl.store.partitions.united import Sums
from minicrawl.store.reader import Store
from minicrawl.store.transfers import OutboxRow

IntArray = npt.NDArray[np.int64]
Answer = TypeVar("Answer")
UNKNOWN = -1
"""Number of a page that its home does not know."""
_UNRESOLVED = -2
_AT_ONCE = 5_000


class Some(NamedTuple):
    """Some pages of a partition. at: their indices among the pages asked for; pages: their local numbers."""

    number: int
    part: Store
    at: IntArray
    pages: IntArray


class Numbers:
    """Translates local numbers of partitions into those of the crawl, and back."""

    def __init__(self, parts: Sequence[Store], looks: "Sequence[Look]" = ()) -> None:
        """parts: by rising partition number. From then on each shows only its own pages, ranked among all. looks: at
        these, where they were had already."""
        self.parts = parts
        looks = looks or self.each(first_look)
        self._at = {look.posted.partition: number for number, look in enumerate(looks)}
        self._posted = [look.posted for look in looks]
        self._sizes = [look.size for look in looks]
        self._hidden = [look.mirrors for look in looks]
        self.host_starts: list[int] = [0, *np.cumsum([look.hosts for look in looks]).tolist()]
        """Offsets of the partitions' host numbers in those of the crawl."""
        sums, self.adopted = [look.sums for look in looks], 0
        for number, pages in self._on_their_way([look.new for look in looks]):
            self._hidden[number] = np.setdiff1d(self._hidden[number], pages, assume_unique=True)
            parts[number].united.adopt(pages)
            sums[number] = parts[number].united.sums()
            self.adopted += len(pages)
        counts = [size - len(pages) for size, pages in zip(self._sizes, self._hidden, strict=True)]
        self.starts: IntArray = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._homes: dict[int, IntArray] = {}
        self._of_mirror: dict[int, IntArray] = {}
        self.sums = _sums(sums)
        views = parts[0].united.ranking(self.sums)
        for part in parts:
            part.united.show(views)

    def each(self, ask: Callable[[Store], Answer]) -> list[Answer]:
        """The answers of all partitions, by partition number."""
        return [ask(part) for part in self.parts]

    @property
    def size(self) -> int:
        """Number of pages."""
        return int(self.starts[-1])

    # Home pages.

    def to_all(self, number: int, pages: npt.NDArray[np.integer]) -> IntArray:
        """Numbers of a partition's home pages, given by local numbers."""
        own = np.asarray(pages, dtype=np.int64)
        found: IntArray = own + self.starts[number] - np.searchsorted(self._hidden[number], own)
        return found

    def of(self, number: int, page: int) -> int:
        """The number of a partition's home page."""
        return int(self.to_all(number, np.array([page]))[0])

    def kept(self, number: int) -> IntArray:
        """Local numbers of a partition's home pages."""
        return np.setdiff1d(np.arange(self._sizes[number]), self._hidden[number], assume_unique=True)

    def at(self, page: int) -> tuple[int, Store, int]:
        """The home of a page, by number and store, and the page's local number."""
        (some,) = self.split([page])
        return some.number, some.part, int(some.pages[0])

    def split(self, pages: Sequence[int] | npt.NDArray[np.integer]) -> Iterator[Some]:
        """Group pages by their home."""
        wanted = np.asarray(pages, dtype=np.int64)
        numbers = np.searchsorted(self.starts, wanted, side="right") - 1
        for number in np.unique(numbers).tolist():
            at = np.flatnonzero(numbers == number)
            place = wanted[at] - self.starts[number]
            hidden = self._hidden[number]
            own = place + np.searchsorted(hidden - np.arange(len(hidden)), place, side="right")
            yield Some(number, self.parts[number], at, own)

    def asked(self, pages: Iterable[int], ask: Callable[[Store, list[int]], Mapping[int, Answer]]) -> dict[int, Answer]:
        """The partitions' answers for pages, by number. ask: of a partition, by local numbers."""
        return {
            self.of(some.number, own): answer
            for some in self.split(list(pages))
            for own, answer in ask(some.part, some.pages.tolist()).items()
        }

    # Mirrors.

    def ends(self, number: int, pages: npt.NDArray[np.integer]) -> IntArray:
        """Numbers of pages that a partition knows, mirrors included; UNKNOWN if the home does not know the page."""
        own = np.asarray(pages, dtype=np.int64)
        hidden = self._hidden[number]
        if not len(hidden):
            return self.to_all(number, own)
        at = np.minimum(np.searchsorted(hidden, own), len(hidden) - 1)
        is_mirror = hidden[at] == own
        self._resolve(number, np.unique(at[is_mirror]))
        return np.where(is_mirror, self._of_mirror[number][at], self.to_all(number, own))

    def end(self, number: int, page: int | None) -> int | None:
        """The number of one page that a partition knows; None if the home does not know it, and for None."""
        found = UNKNOWN if page is None else int(self.ends(number, np.array([page]))[0])
        return None if found == UNKNOWN else found

    def find(self, urls: Sequence[str]) -> dict[str, int]:
        """Page numbers of the URLs that are known."""
        found: dict[str, int] = {}
        for number, some in self._by_home(urls).items():
            known = self.parts[number].page_table.find(some)
            numbers = self.to_all(number, np.array(list(known.values()), dtype=np.int64)).tolist()
            found.update(zip(known, numbers, strict=True))
        return found

    def _by_home(self, urls: Sequence[str]) -> dict[int, list[str]]:
        """URLs by partitions that have pages of their hosts: one, unless some are in transit."""
        hashes, homes = self._homes_of_hosts
        found: defaultdict[int, list[str]] = defaultdict(list)
        for url in urls:
            host = _hash_of_host(url.split("/", 3)[2])
            first, end = (np.searchsorted(hashes, host, side=side) for side in ("left", "right"))
            for number in set(homes[first:end].tolist()):
                found[number].append(url)
        return found

    @cached_property
    def _homes_of_hosts(self) -> tuple[IntArray, IntArray]:
        """Hashes of hosts, rising, and the partitions that have their pages."""
        each = self.each(_own_hosts)
        hashes, homes = np.concatenate(each), np.repeat(np.arange(len(each)), [len(hosts) for hosts in each])
        order = np.argsort(hashes)
        return hashes[order], homes[order]

    def mirrors_of(self, number: int, url: str) -> Iterator[Some]:
        """The mirrors of a partition's page in all other partitions."""
        for other, part in enumerate(self.parts):
            page = None if other == number else part.united.mirror_of(url)
            if page is not None:
                yield Some(other, part, np.zeros(1, dtype=np.int64), np.array([page]))

    def graph(self, number: int, links: LinkGraph) -> LinkGraph:
        """A partition's links by the numbers of the crawl; links to unknown pages are left out."""
        targets = self.ends(number, links.targets)
        is_known = targets != UNKNOWN
        rows = np.repeat(np.arange(len(links.sources)), np.diff(links.indptr))
        degrees = np.bincount(rows[is_known], minlength=len(links.sources))
        return LinkGraph(
            self.to_all(number, links.sources),
            np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
            targets[is_known].astype(np.int32),
            self.size,
            None if links.places is None else links.places[is_known],
        )

    @cached_property
    def unsent(self) -> IntArray:
        """Units in transit from linking pages, by target, shape (size,): held by mirrors, and in outboxes."""
        waiting = np.zeros(self.size, dtype=np.int64)
        for number, part in enumerate(self.parts):
            mirrors = part.united.mirrors()
            self._add(waiting, self.ends(number, mirrors.page), mirrors.unsent)
        for _, row in in_flight(self.parts, self._posted):
            records = from_bytes(row.records)
            known = self.find(records.urls)
            pages = np.array([known.get(url, UNKNOWN) for url in records.urls], dtype=np.int64)
            self._add(waiting, pages, records.received)
        return waiting

    @staticmethod
    def _add(waiting: IntArray, pages: IntArray, units: IntArray) -> None:
        is_known = pages != UNKNOWN
        np.add.at(waiting, pages[is_known], units[is_known])

    def _on_their_way(self, new: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[int]]]:
        """The mirrors of each partition that count as its pages, as their home does not know them yet. new: mirrors of
        which nothing was handed over."""
        sent: defaultdict[int, set[str]] = defaultdict(set)
        for source, row in in_flight(self.parts, self._posted):
            sent[source] |= set(from_bytes(row.records).urls)
        taken: set[str] = set()
        for number, part in enumerate(self.parts):
            some = dict(zip(part.united.mirrored_urls(new[number]), new[number], strict=True)) if new[number] else {}
            for url in sent[number]:
                if (page := part.united.mirror_of(url)) is not None:
                    some[url] = page
            some = {url: page for url, page in some.items() if url not in taken}
            if not some:
                continue
            mirrors = part.united.mirrors()
            homes = dict(zip(mirrors.page.tolist(), mirrors.home.tolist(), strict=True))
            for home in sorted({homes[page] for page in some.values()} & self._at.keys()):
                there = self.parts[self._at[home]].page_table.find(
                    [url for url, page in some.items() if homes[page] == home]
                )
                some = {url: page for url, page in some.items() if url not in there}
            taken |= some.keys()
            if some:
                yield number, sorted(some.values())

    def _resolve(self, number: int, at: IntArray) -> None:
        """Look up the numbers of the pages of some mirrors."""
        hidden = self._hidden[number]
        numbers = self._of_mirror.setdefault(number, np.full(len(hidden), _UNRESOLVED, dtype=np.int64))
        at = at[numbers[at] == _UNRESOLVED]
        if not len(at):
            return
        if number not in self._homes:
            mirrors = self.parts[number].united.mirrors()
            self._homes[number] = mirrors.home[np.isin(mirrors.page, hidden)]
        homes = self._homes[number]
        for start in range(0, len(at), _AT_ONCE):
            some = at[start : start + _AT_ONCE]
            urls = self.parts[number].united.mirrored_urls(hidden[some].tolist())
            numbers[some] = UNKNOWN
            for home in sorted({*np.unique(homes[some]).tolist()} & self._at.keys()):
                here = np.flatnonzero(homes[some] == home)
                known = self.parts[self._at[home]].page_table.find([urls[place] for place in here.tolist()])
                own = np.array([known.get(urls[place], UNKNOWN) for place in here.tolist()], dtype=np.int64)
                there = own != UNKNOWN
                numbers[some[here[there]]] = self.to_all(self._at[home], own[there])
            if self.adopted:
                left = {page: urls[at] for at, page in enumerate(some.tolist()) if numbers[page] == UNKNOWN}
                known = self.find(list(left.values()))
                for page, url in left.items():
                    numbers[page] = known.get(url, UNKNOWN)

    # Hosts.

    @cached_property
    def hosts_elsewhere(self) -> list[set[int]]:
        """Hosts that each partition knows and another one has, by local numbers."""
        return self.each(lambda part: part.united.hosts_elsewhere())

    def own_hosts(self, number: int, rows: Sequence[HostRow]) -> list[HostRow]:
        """The hosts in `rows` that the partition has itself, with their numbers in the crawl."""
        elsewhere, start = self.hosts_elsewhere[number], self.host_starts[number]
        return [row._replace(id=row.id + start) for row in rows if row.id not in elsewhere]

    def host_at(self, host: int) -> tuple[int, Store, int]:
        """The partition of a host, by number and store, and the host's local number."""
        number = int(np.searchsorted(self.host_starts, host, side="right")) - 1
        return number, self.parts[number], host - self.host_starts[number]


def _own_hosts(part: Store) -> IntArray:
    """Hashes of the hosts whose pages a partition may have."""
    elsewhere = part.united.hosts_elsewhere()
    return np.array([_hash_of_host(row.name) for row in part.hosts.all() if row.id not in elsewhere], dtype=np.int64)


def _hash_of_host(authority: str) -> int:
    """The same for all ports of a host, with and without a dot at its end."""
    return hash(authority.partition(":")[0].rstrip("."))


def _sums(each: Sequence[Sums]) -> Sums:
    """Sums over all partitions, without units in transit."""
    return Sums(*(sum(column) for column in zip(*each, strict=True)))


class Posted(NamedTuple):
    """Messages of a partition. taken: their number, by source; kept: home and number of every row of its outbox."""

    partition: int
    taken: Mapping[int, int]
    kept: set[tuple[int, int]]


def posted(part: Store) -> Posted:
    taken = {row.partition: row.taken for row in part.transfers.neighbours() if row.taken}
    return Posted(int(part.meta("partition") or 0), taken, part.transfers.numbers())


def in_flight(parts: Sequence[Store], each: Sequence[Posted]) -> Iterator[tuple[int, OutboxRow]]:
    """Outbox rows that their homes have not taken, each with the index of its source. each: of `parts`."""
    taken = {one.partition: one.taken for one in each}
    for source, (part, one) in enumerate(zip(parts, each, strict=True)):
        flying = {(home, number) for home, number in one.kept if number > taken.get(home, {}).get(one.partition, 0)}
        if flying:
            yield from ((source, row) for row in part.transfers.outbox() if (row.home, row.number) in flying)


class Look(NamedTuple):
    """Facts of a partition. hosts: one more than the last host's number; new: mirrors of which nothing was handed
    over; sums: with no mirror among its pages."""

    posted: Posted
    size: int
    hosts: int
    mirrors: IntArray
    new: list[int]
    sums: Sums


def first_look(part: Store) -> Look:
    """Hide the mirrors of a partition, and gather its facts."""
    mirrors, size = part.united.mirrors(), part.size()
    part.united.adopt([])
    return Look(
        posted(part),
        size,
        part.united.hosts_end(),
        mirrors.page,
        mirrors.page[mirrors.is_new].tolist(),
        part.united.sums(),
    )
