"""A folder of partitions as one store: the same readers, each over all partitions.

Each partition is read as of one commit, at the opening of the folder. Counts of `meta` are added up; other values, such
as the settings, are the same in all partitions. History, cash and the queue are those of a page's partition.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Self, TypeVar  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.errors import StoreError
from minicrawl.model import CoursePoint
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.declaration import MetaValue
from minicrawl.store.facts import FactColumns, Facts
from minicrawl.store.hosts import HostPages, HostRow, Hosts, RobotsRow
from minicrawl.store.partitions.folder import PartitionFolder, folder_at
from minicrawl.store.partitions.numbers import Look, Numbers, first_look
from minicrawl.store.partitions.pages import (
    AllAudited,
    AllLinks,
    AllPages,
    AllRanks,
    AllRecognised,
    AllRefreshes,
    AllSelected,
)
from minicrawl.store.partitions.remote import Call
from minicrawl.store.patterns import PatternRow, Patterns
from minicrawl.store.reader import Store
from minicrawl.store.requisites import RequisiteCount, RequisiteRow, Requisites
from minicrawl.store.sitemaps import SitemapRow, Sitemaps
from minicrawl.store.sites import SiteRow, SiteTable, TrustedSite
from minicrawl.store.texts.kept_text import KeptText
from minicrawl.store.texts.reading import Texts

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Site = TypeVar("Site", SiteRow, TrustedSite)

_ADDED_UP = (
    *("virtual", "never_visited", "births", "carried"),
    *("links_left_out", "text_size"),
)
_IN_ONE_STORE = ("is_ranked", "best_floor", "partition")
_COUNTS = ("sitemaps_left_out", "hook_errors")
_OF_COURSE = ("fetched", "bytes", "known", "read", "given_up")


class FolderStore(Store):
    """Reads the stores of all partitions that have one: the others are empty."""

    def __init__(
        self, folder: PartitionFolder, parts: Sequence[Store], sizes: Sizes = STANDARD_SIZES, looks: Sequence[Look] = ()
    ) -> None:
        """parts: by rising number, each pinned to one commit. This store owns them, and changes their views. looks: at
        each of them."""
        self.path = folder.path
        self.sizes = sizes
        self.folder = folder
        self._parts = parts
        self._calls: Mapping[str, Call] = {}
        """Calls to other machines that have some of them."""
        self._machines = ExitStack()
        numbers = self._numbers = Numbers(parts, looks)
        self.page_table = AllPages(numbers)
        self.link_table = AllLinks(numbers)
        self.audit_table = AllAudited(numbers)
        self.selection = AllSelected(numbers)
        self.ranks = AllRanks(numbers)
        self.recognised = AllRecognised(numbers)
        self.refreshes = AllRefreshes(numbers)
        self.hosts = _AllHosts(numbers)
        self.site_table = _AllSites(numbers)
        self.sitemaps = _AllSitemaps(numbers)
        self.requisites = _AllRequisites(numbers)
        self.facts = _AllFacts(numbers)
        self.patterns = _AllPatterns(numbers)
        self.texts = _AllTexts(numbers)

    @classmethod
    def at(cls, path: Path, sizes: Sizes = STANDARD_SIZES) -> Self:
        """The stores of the crawl in a folder, also those on other machines. Raises StoreError."""
        folder = folder_at(path)
        with ExitStack() as stack:
            calls = stack.enter_context(_calls(folder)) if folder.machines else {}
            looks: list[Look] = []
            parts = folder.open(folder.begun, sizes, lambda part: looks.append(first_look(part)), calls)
            for part in parts:
                stack.callback(part.close)
            if not parts:
                raise StoreError(
                    f"no partition in {path} has a store yet; run 'minicrawl crawl SEEDS --store {path}' first"
                )
            store = cls(folder, parts, sizes, looks)
            store._calls, store._machines = calls, stack.pop_all()
            return store

    def close(self) -> None:
        for part in self.parts:
            part.close()
        self._machines.close()

    @property
    def parts(self) -> Sequence[Store]:
        return self._parts

    def partition_of(self, url: str) -> int | None:
        found = next((part for part in self.parts if part.page_table.find([url])), None)
        return None if found is None else int(found.meta("partition") or 0)

    def by_file(self, values: FloatArray) -> Iterator[tuple[Path, FloatArray]]:
        self.folder.check_is_here()
        for number, part in enumerate(self.parts):
            own = self._numbers.kept(number)
            spread = np.zeros(int(own.max(initial=-1)) + 1)
            spread[own] = values[self._numbers.starts[number] : self._numbers.starts[number + 1]]
            yield part.path, spread

    def check_is_at_rest(self) -> None:
        if self.is_in_use():
            raise StoreError(
                f"a crawl uses {self.path}, and its stores are of several moments; stop it, and run this command then"
            )

    @contextmanager
    def files(self) -> Iterator[Sequence[Store]]:
        self.check_is_at_rest()
        stores = self.folder.open(self.folder.begun, self.sizes, calls=self._calls)
        try:
            yield stores
        finally:
            for store in stores:
                store.close()

    def snapshot(self) -> AbstractContextManager[None]:
        """Do nothing: each partition is pinned to one commit."""
        return nullcontext()

    def course(self) -> list[CoursePoint]:
        return _course(self._numbers.each(lambda part: part.course()))

    def size(self) -> int:
        return self._numbers.size

    @property
    def hash_key(self) -> bytes:
        return self.parts[0].hash_key

    def is_in_use(self) -> bool:
        return self.folder.is_in_use or any(part.is_in_use() for part in self.parts if self._calls)

    def meta(self, key: str) -> MetaValue:
        if key in _IN_ONE_STORE:
            return None
        each = self._numbers.each(lambda part: part.meta(key))
        merged: dict[str, Callable[[Sequence[MetaValue]], MetaValue]] = {
            "total": lambda _: self._numbers.sums.total,
            "stopped": _reasons,
            "banned_hosts": _united_lists,
        }
        values = [value for value in each if value is not None]
        if key in merged:
            return merged[key](each)
        if key in _ADDED_UP:
            return sum(int(value) for value in values)
        return max(map(float, values), default=None) if key == "run_at" else next(iter(values), None)

    def meta_json(self, key: str) -> dict[str, Any]:
        each = [value for value in self._numbers.each(lambda part: part.meta_json(key)) if value]
        if not each:
            return {}
        if key == "run":
            return _run(each, min(self._collected, 1.0))
        if key == "earlier_runs":
            return _earlier_runs(each)
        return _counted(each) if key in _COUNTS else each[0]

    @property
    def settings(self) -> dict[str, Any]:
        return self.folder.settings_in_full or self.parts[0].settings

    @cached_property
    def _collected(self) -> float:
        return sum(self._numbers.each(lambda part: part.united.collected()))


class _AllHosts(Hosts):
    """A host belongs to the partition of its pages; others may know its name."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def all(self) -> list[HostRow]:
        return self._own(self._numbers.each(lambda part: part.hosts.all()))

    def names(self) -> dict[int, str]:
        return {row.id: row.name for row in self.all()}

    def strained(self) -> list[HostRow]:
        found = self._own(self._numbers.each(lambda part: part.hosts.strained()))
        return sorted(found, key=lambda row: (-row.strains, row.name))

    def bytes(self) -> dict[str, int]:
        each = self._numbers.each(lambda part: part.hosts.bytes())
        return {name: size for of_part in each for name, size in of_part.items()}

    def answering(self) -> Iterator[str]:
        return chain.from_iterable(part.hosts.answering() for part in self._numbers.parts)

    def count(self) -> int:
        return len(self.all())

    def pages(self, n: int) -> list[HostPages]:
        found = chain.from_iterable(self._numbers.each(lambda part: part.hosts.pages(n)))
        return sorted(found, key=lambda host: (-host.known, host.name))[:n]

    def has(self, name: str) -> bool:
        return any(self._numbers.each(lambda part: part.hosts.has(name)))

    def robots(self, origin: str) -> RobotsRow | None:
        return next(filter(None, self._numbers.each(lambda part: part.hosts.robots(origin))), None)

    def _own(self, each: Sequence[Sequence[HostRow]]) -> list[HostRow]:
        return [row for number, rows in enumerate(each) for row in self._numbers.own_hosts(number, rows)]


class _AllSites(SiteTable):
    """Every partition has a row of each site that it knows; the one in the partition of the site's hosts counts."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def all(self) -> list[SiteRow]:
        return [row for _, row in self._at_home(lambda part: part.site_table.all())]

    def trusted(self, host: int | None = None) -> list[TrustedSite]:
        if host is None:
            found = self._at_home(lambda part: part.site_table.trusted())
            return [self._among_all(number, site) for number, site in found]
        number, part, own = self._numbers.host_at(host)
        return [self._among_all(number, site) for site in part.site_table.trusted(own)]

    def _at_home(self, ask: Callable[[Store], list[Site]]) -> Iterator[tuple[int, Site]]:
        """Each site once, with the number of its partition: the first that knows it, if none has its pages yet."""
        found = [{row.name: row for row in rows} for rows in self._numbers.each(ask)]
        for name in dict.fromkeys(chain.from_iterable(found)):
            known = [number for number, rows in enumerate(found) if name in rows]
            number = next((number for number in known if name in self._own[number]), known[0])
            yield number, found[number][name]

    @cached_property
    def _own(self) -> list[set[str]]:
        """Names of the sites with hosts in each partition."""
        found = []
        for number, part in enumerate(self._numbers.parts):
            site_of = part.united.sites_of_hosts()
            hosts = self._numbers.own_hosts(number, part.hosts.all())
            found.append({site_of[host.name] for host in hosts if host.name in site_of})
        return found

    def linking(self, page: int) -> list[str]:
        number, part, own = self._numbers.at(page)
        found = part.site_table.linking(own)
        for some in self._numbers.mirrors_of(number, part.page_table.url(own)):
            found += some.part.site_table.linking(int(some.pages[0]))
        trust = self._trust
        return sorted(found, key=lambda name: -trust.get(name, 0.0))

    def _among_all(self, number: int, site: TrustedSite) -> TrustedSite:
        """A partition's site, with the trusting sites of all others added."""
        elsewhere = self._trusting[number].get(site.name, set())
        names = [site.trusted_first, *elsewhere]
        first = max(filter(None, names), key=lambda name: self._trust.get(name, 0.0), default=None)
        return site._replace(trusted_by=site.trusted_by + len(elsewhere), trusted_first=first)

    @cached_property
    def _trust(self) -> dict[str, float]:
        """The trust of every site by name."""
        return {site.name: site.trust for site in self.all()}

    @cached_property
    def _trusting(self) -> list[dict[str, set[str]]]:
        """For each partition, by site: sites of others that have trust and link to it."""
        found: list[dict[str, set[str]]] = []
        each = [row for rows in self._numbers.each(lambda part: part.united.trusting()) for row in rows]
        for site_of in self._numbers.each(lambda part: part.united.sites_of_hosts()):
            by_site: dict[str, set[str]] = {}
            for row in each:
                if row.host in site_of:
                    by_site.setdefault(site_of[row.host], set()).add(row.site)
            found.append(by_site)
        return found

    def births(self) -> IntArray:
        return np.concatenate(self._numbers.each(lambda part: part.site_table.births()))


class _AllSitemaps(Sitemaps):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def all(self) -> list[SitemapRow]:
        return [*chain.from_iterable(self._numbers.each(lambda part: part.sitemaps.all()))]

    def of(self, page: int) -> SitemapRow | None:
        _, part, own = self._numbers.at(page)
        return part.sitemaps.of(own)

    def listing(self, url: str, host: str) -> SitemapRow | None:
        return next(filter(None, self._numbers.each(lambda part: part.sitemaps.listing(url, host))), None)

    def listed_counts(self) -> dict[int, tuple[int, int]]:
        each, starts = self._numbers.each(lambda part: part.sitemaps.listed_counts()), self._numbers.host_starts
        return {host + starts[number]: found for number, counts in enumerate(each) for host, found in counts.items()}


class _AllRequisites(Requisites):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def of(self, url: str) -> RequisiteRow | None:
        for number, row in enumerate(self._numbers.each(lambda part: part.requisites.of(url))):
            if row is not None:
                page = self._numbers.starts[number] + np.searchsorted(self._numbers.kept(number), row.page)
                return row._replace(page=int(page))
        return None

    def counts(self, page: int | None = None) -> list[RequisiteCount]:
        if page is not None:
            _, part, own = self._numbers.at(page)
            return part.requisites.counts(own)
        return [*chain.from_iterable(self._numbers.each(lambda part: part.requisites.counts()))]


class _AllFacts(Facts):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def is_there(self) -> bool:
        return self._is_there

    @cached_property
    def _is_there(self) -> bool:
        return any(self._numbers.each(lambda part: part.facts.is_there()))

    def columns(self) -> FactColumns:
        each = self._numbers.each(lambda part: part.facts.columns())
        numbered = [of_part._replace(page=self._numbers.to_all(at, of_part.page)) for at, of_part in enumerate(each)]
        return FactColumns._make(map(np.concatenate, zip(*numbered, strict=True)))

    def texts(self, column: str) -> Iterator[tuple[int, str]]:
        for number, part in enumerate(self._numbers.parts):
            found = dict(part.facts.texts(column))
            pages = self._numbers.to_all(number, np.array(list(found), dtype=np.int64)).tolist()
            yield from zip(pages, found.values(), strict=True)


class _AllPatterns(Patterns):
    """If several partitions know a pattern, the row with the most pages counts."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def trap_patterns(self) -> list[PatternRow]:
        found = chain.from_iterable(self._numbers.each(lambda part: part.patterns.trap_patterns()))
        return sorted(found, key=lambda row: (-row.dropped, row.name))

    def pattern(self, name: str) -> PatternRow | None:
        found = filter(None, self._numbers.each(lambda part: part.patterns.pattern(name)))
        return max(found, key=lambda row: (row.parsed, row.dropped), default=None)

    def has_digest(self, digest: int) -> bool:
        return any(self._numbers.each(lambda part: part.patterns.has_digest(digest)))


class _AllTexts(Texts):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def close(self) -> None:
        pass  # each partition closes its own

    @property
    def size(self) -> int:
        return sum(self._numbers.each(lambda part: part.texts.size))

    def count(self) -> int:
        return sum(self._numbers.each(lambda part: part.texts.count()))

    def record(self, page: int) -> bytes | None:
        _, part, own = self._numbers.at(page)
        return part.texts.record(own)

    def text(self, page: int, url: str) -> KeptText | None:
        _, part, own = self._numbers.at(page)
        return part.texts.text(own, url)


def _reasons(each: Sequence[MetaValue]) -> str:
    """The partitions' reasons to stop."""
    return ", ".join(dict.fromkeys(str(reason or "killed") for reason in each))


def _united_lists(each: Sequence[MetaValue]) -> str:
    """The union of lists, as JSON."""
    return json.dumps(sorted(set(chain.from_iterable(json.loads(str(value or "[]")) for value in each))))


def _counted(each: Sequence[Mapping[str, int]]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for one in each:
        counted.update(one)
    return dict(counted)


def _earlier_runs(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    added = {name: sum(one.get(name, 0) for one in each) for name in ("fetched", "bytes")}
    return added | {name: max(one.get(name, 0) for one in each) for name in ("runs", "seconds")}


def _run(each: Sequence[Mapping[str, Any]], collected: float) -> dict[str, Any]:
    """A run of all partitions, as long as the longest. coverage: share of importance by the links found so far, no
    bound."""
    added = {name: sum(one.get(name) or 0 for one in each) for name in ("fetched", "bytes", "in_flight", "refreshed")}
    errors = _counted([one["errors"] for one in each])
    return {**added, "seconds": max(one["seconds"] for one in each), "errors": errors, "coverage": collected}


def _calls(folder: PartitionFolder) -> AbstractContextManager[Mapping[str, Call]]:
    """Calls to the other machines that have stores, until the block ends. Raises MinicrawlError."""
    from minicrawl.cluster.machines.ray import reading  # noqa: PLC0415 - several machines are an extra

    return reading(folder)


def _course(each: Sequence[Sequence[CoursePoint]]) -> list[CoursePoint]:
    """Points of all partitions added up, at the times of the one that has crawled longest.

    Values between two points are interpolated. Known URLs include those of other partitions. Coverage is that of the
    partition that has crawled longest.
    """
    some = [points for points in each if points]
    if not some:
        return []
    longest = max(some, key=lambda points: points[-1].seconds)
    at = [point.at for point in longest]
    at[-1] = max(points[-1].at for points in some)  # by then all partitions have finished
    columns = {name: np.sum([_along(points, name, at) for points in some], axis=0) for name in _OF_COURSE}
    return [
        point._replace(at=moment, **{name: round(columns[name][row]) for name in _OF_COURSE})
        for row, (point, moment) in enumerate(zip(longest, at, strict=True))
    ]


def _along(points: Sequence[CoursePoint], name: str, at: Sequence[float]) -> FloatArray:
    """One partition's values at some times, interpolated; 0 before its first point."""
    values = np.array([getattr(point, name) for point in points], np.float64)
    done: FloatArray = np.interp(at, [point.at for point in points], values, left=0.0)
    return done
