"""The readers of pages and links over all partitions: each answers as that of one store does, see minicrawl.store.

Rows are merged as they are read: one row per partition is in memory at once.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import merge
from itertools import chain, islice
from typing import Any, TypeVar  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.settings import RANKINGS
from minicrawl.store.audit_columns import NO_PAGE, AuditColumns, AuditTable
from minicrawl.store.link_table import Links, LinkTable, Refused
from minicrawl.store.links import LinkGraph, from_bytes, to_bytes
from minicrawl.store.pages import Answer, FirstAnswers, PageColumns, PageFacts, PageTable, PageTurn, Queue
from minicrawl.store.partitions.numbers import UNKNOWN, Numbers
from minicrawl.store.partitions.order import best_first
from minicrawl.store.ranks import RankedPage, Ranks
from minicrawl.store.reader import Store
from minicrawl.store.recognised import Fingerprint, FingerprintColumns, ParameterRow, Probe, Recognised
from minicrawl.store.refreshes import (
    ChangedPage,
    GroupRate,
    RefreshColumns,
    Refreshes,
    RefreshHost,
    RefreshRow,
    RisenPage,
)
from minicrawl.store.selection import Condition, Selection

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Found = TypeVar("Found")
FoundRow = TypeVar("FoundRow", bound=tuple[Any, ...])
_BY_PARTITION = re.compile(r"\b(rank|id)\b", re.IGNORECASE)


class AllPages(PageTable):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def find(self, urls: Sequence[str]) -> dict[str, int]:
        return self._numbers.find(urls)

    def url(self, page: int) -> str:
        _, part, own = self._numbers.at(page)
        return part.page_table.url(own)

    def urls_of(self, pages: Iterable[int]) -> dict[int, str]:
        return self._numbers.asked(pages, lambda part, own: part.page_table.urls_of(own))

    def urls(self, first: int = 0) -> Iterator[str]:
        return islice(chain.from_iterable(part.page_table.urls() for part in self._numbers.parts), first, None)

    def seeds(self) -> list[str]:
        return [*chain.from_iterable(self._numbers.each(lambda part: part.page_table.seeds()))]

    def roots(self) -> list[str]:
        return [*chain.from_iterable(self._numbers.each(lambda part: part.page_table.roots()))]

    def with_reason(self, reason: str) -> list[int]:
        return self._listed(lambda part: part.page_table.with_reason(reason))

    def turns(self) -> list[PageTurn]:
        numbers, found = self._numbers, []
        for number, part in enumerate(numbers.parts):
            for turn in part.page_table.turns():
                found.append(turn._replace(found_on=numbers.end(number, turn.found_on)))
        return found

    def first_answers(self) -> FirstAnswers:
        each = self._numbers.each(lambda part: part.page_table.first_answers())
        # A refetched page had its first answer no later than any page behind it.
        firsts = [np.minimum.accumulate(answers.at[::-1])[::-1] for answers in each]
        order = np.argsort(np.concatenate(firsts), kind="stable")
        shifted = (
            answers._replace(page=self._numbers.to_all(number, answers.page)) for number, answers in enumerate(each)
        )
        return FirstAnswers(*(np.concatenate(column)[order] for column in zip(*shifted, strict=True)))

    def state(self, page: int) -> str:
        _, part, own = self._numbers.at(page)
        return part.page_table.state(own)

    def facts(self, page: int) -> dict[str, Any]:
        number, part, own = self._numbers.at(page)
        facts = part.page_table.facts(own)
        facts["found_on"] = self._numbers.end(number, facts["found_on"])
        facts["host"] = facts["host"]._replace(id=facts["host"].id + self._numbers.host_starts[number])
        return facts

    def queue(self, page: int) -> Queue:
        """The queue of the page's own partition."""
        _, part, own = self._numbers.at(page)
        return part.page_table.queue(own)

    def senders(self, pages: Sequence[int]) -> tuple[IntArray, npt.NDArray[np.bool_]]:
        forwarded = np.zeros(len(pages), dtype=np.int64)
        is_alias = np.zeros(len(pages), dtype=np.bool_)
        for some in self._numbers.split(pages):
            forwarded[some.at], is_alias[some.at] = some.part.page_table.senders(some.pages.tolist())
        return forwarded, is_alias

    def redirects_and_failures(self) -> Iterator[tuple[int, str, str, bytes | None]]:
        for number, part in enumerate(self._numbers.parts):
            for page, state, reason, targets in part.page_table.redirects_and_failures():
                ends = None if targets is None else self._numbers.ends(number, from_bytes(targets))
                kept = None if ends is None else to_bytes(ends[ends != UNKNOWN].astype(np.int32))
                yield self._numbers.of(number, page), state, reason, kept

    def answers(self, pages: Iterable[int]) -> dict[int, Answer]:
        return self._numbers.asked(pages, lambda part, own: part.page_table.answers(own))

    def on_use(self, pages: Iterable[int]) -> dict[int, str]:
        return self._numbers.asked(pages, lambda part, own: part.page_table.on_use(own))

    def more_facts(self, pages: Iterable[int]) -> dict[int, PageFacts]:
        numbers, found = self._numbers, {}
        for some in numbers.split(list(pages)):
            of_part = some.part.page_table.more_facts(some.pages.tolist())
            for own, facts in of_part.items():
                target, named_by = (numbers.end(some.number, page) for page in (facts.target, facts.named_by))
                found[numbers.of(some.number, own)] = facts._replace(target=target, named_by=named_by)
        return found

    def hosts(self) -> IntArray:
        each, starts = self._numbers.each(lambda part: part.page_table.hosts()), self._numbers.host_starts
        return np.concatenate([hosts + start for hosts, start in zip(each, starts, strict=False)])

    def counts(self) -> dict[tuple[str, str], int]:
        found: Counter[tuple[str, str]] = Counter()
        for counts in self._numbers.each(lambda part: part.page_table.counts()):
            found.update(counts)
        kept = {key: count for key, count in found.most_common() if key[0] != State.ELSEWHERE}
        if adopted := self._numbers.adopted:
            kept[State.WAITING, "link"] = kept.get((State.WAITING, "link"), 0) + adopted
        return kept

    def states(self) -> list[tuple[str, int]]:
        return [*chain.from_iterable(self._numbers.each(lambda part: part.page_table.states()))]

    def unsent(self) -> IntArray:
        return self._numbers.unsent

    def columns(self, first: int = 0, end: int = 2**31) -> Iterator[PageColumns]:
        for number, part in enumerate(self._numbers.parts):
            adopted = part.united.adopted()
            for block in part.page_table.columns():
                pages = self._numbers.to_all(number, block.id)
                is_adopted = np.isin(block.id, adopted)
                cash = np.where(is_adopted, 0, block.account.cash)
                forwarded = np.where(is_adopted, 0, block.account.forwarded)
                account = block.account._replace(cash=cash, forwarded=forwarded)
                host = block.host + self._numbers.host_starts[number]
                yield block._replace(id=pages, host=host, account=account)

    def _listed(self, ask: Callable[[Store], Sequence[int]]) -> list[int]:
        """Numbers of pages that `ask` lists in all partitions."""
        each = enumerate(self._numbers.each(ask))
        found = [self._numbers.to_all(number, np.array(own, dtype=np.int64)) for number, own in each]
        pages: list[int] = np.concatenate(found).tolist()
        return pages


class AllLinks(LinkTable):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        number, part, own = self._numbers.at(page)
        ends = self._numbers.ends(number, part.link_table.outlinks(own))
        known: npt.NDArray[np.int32] = ends[ends != UNKNOWN].astype(np.int32)
        return known

    def row(self, page: int) -> Links | None:
        raise NotImplementedError

    def graph(self) -> LinkGraph:
        return _joined(list(self.blocks()), self._numbers.size)

    def graph_of(self, pages: Sequence[int]) -> LinkGraph:
        found = [
            self._numbers.graph(some.number, some.part.link_table.graph_of(some.pages.tolist()))
            for some in self._numbers.split(pages)
        ]
        return _joined(found, self._numbers.size)

    def blocks(self, apart: int = 1) -> Iterator[LinkGraph]:
        for number, part in enumerate(self._numbers.parts):
            for block in part.link_table.blocks(apart):
                yield self._numbers.graph(number, block)

    def on_pages(self) -> Iterator[LinkGraph]:
        for number, part in enumerate(self._numbers.parts):
            for block in part.link_table.on_pages():
                yield self._numbers.graph(number, block)

    @contextmanager
    def kept_blocks(self) -> Iterator[Callable[[], Iterable[LinkGraph]]]:
        yield self.blocks

    def count(self) -> int:
        return sum(len(block.targets) for block in self.blocks())

    def some_sources(self, page: int, n: int) -> list[int]:
        number, part, own = self._numbers.at(page)
        sources = part.link_table.some_sources(own, n)
        found: list[int] = self._numbers.to_all(number, np.array(sources, dtype=np.int64)).tolist()
        for some in self._numbers.mirrors_of(number, part.page_table.url(own)):
            if len(found) < n:
                sources = some.part.link_table.some_sources(int(some.pages[0]), n - len(found))
                found += self._numbers.to_all(some.number, np.array(sources, dtype=np.int64)).tolist()
        return found

    def aliases_of(self, page: int) -> list[int]:
        number, part, own = self._numbers.at(page)
        aliases = part.link_table.aliases_of(own)
        found: list[int] = self._numbers.to_all(number, np.array(aliases, dtype=np.int64)).tolist()
        for some in self._numbers.mirrors_of(number, part.page_table.url(own)):
            aliases = some.part.link_table.aliases_of(int(some.pages[0]))
            found += self._numbers.to_all(some.number, np.array(aliases, dtype=np.int64)).tolist()
        return found

    def refused(self, page: int) -> Refused | None:
        _, part, own = self._numbers.at(page)
        found = part.link_table.refused(own)
        return found and found._replace(source=page)

    def malformed(self) -> Iterator[tuple[int, list[str]]]:
        each = enumerate(self._numbers.each(lambda part: list(part.link_table.malformed())))
        return ((self._numbers.of(number, page), found) for number, pages in each for page, found in pages)

    def too_deep_sources(self, url: str) -> list[int]:
        each = self._numbers.each(lambda part: part.link_table.too_deep_sources(url))
        return [self._numbers.of(number, page) for number, pages in enumerate(each) for page in pages]


class AllRanks(Ranks):
    """Pages of the same importance are ordered by partition."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._importance: FloatArray | None = None

    def pages(self, by: str = RANKINGS[0], n: int = -1) -> Iterator[RankedPage]:
        if by not in RANKINGS:
            raise ValueError(f"by must be one of {', '.join(RANKINGS)}, not {by!r}")
        best = islice(self.best_first(by), n if n >= 0 else None)
        if by == RANKINGS[0]:
            return (row._replace(rank=rank) for rank, (_, row, _) in enumerate(best, start=1))
        ranks = self._ranks()
        return (row._replace(rank=int(ranks[page])) for page, row, _ in best)

    def numbered(self) -> Iterator[RankedPage]:
        ranks = self._ranks()
        rows = chain.from_iterable(part.ranks.numbered() for part in self._numbers.parts)
        return (row._replace(rank=rank) for row, rank in zip(rows, ranks.tolist(), strict=True))

    def of(self, pages: Sequence[int]) -> list[RankedPage]:
        rows, ranks = self.rows(pages), self._ranks()
        return [rows[page]._replace(rank=int(ranks[page])) for page in pages]

    def page(self, page: int) -> RankedPage:
        return self.of([page])[0]

    def rows(self, pages: Sequence[int]) -> dict[int, RankedPage]:
        return self._numbers.asked(pages, lambda part, own: part.ranks.rows(own))

    def is_exact(self, page: int) -> bool:
        return True

    def arrays(self) -> dict[str, FloatArray]:
        each = self._numbers.each(lambda part: part.ranks.arrays())
        return {by: np.concatenate([arrays[by] for arrays in each]) for by in RANKINGS}

    def importance(self) -> FloatArray:
        if self._importance is None:
            self._importance = np.concatenate(self._numbers.each(lambda part: part.ranks.importance()))
        return self._importance

    def importance_of(self, pages: Sequence[int]) -> FloatArray:
        found = np.zeros(len(pages))
        for some in self._numbers.split(pages):
            found[some.at] = some.part.ranks.importance_of(some.pages.tolist())
        return found

    def collected(self, importance: FloatArray) -> FloatArray:
        answers = AllPages(self._numbers).first_answers()
        return importance[answers.page[answers.is_read]]

    def least_importance(self) -> float:
        return self._numbers.parts[0].ranks.least_importance()

    def values(self, by: str) -> dict[str, float]:
        each = self._numbers.each(lambda part: part.ranks.values(by))
        return {url: value for values in each for url, value in values.items()}

    def kept(self) -> list[str]:
        return sorted(set(chain.from_iterable(self._numbers.each(lambda part: part.ranks.kept()))))

    def best_first(self, by: str) -> Iterator[tuple[int, RankedPage, float | None]]:
        """As of one store, but `rank` is 0."""
        found = best_first(self._numbers, lambda _, part: part.ranks.worth(by))
        return ((page, row, None if by in RANKINGS else value) for page, row, value in found)

    def extremes(self) -> tuple[float, float]:
        each = self._numbers.each(lambda part: part.ranks.extremes())
        return min((least for least, _ in each if least > 0), default=0.0), max(most for _, most in each)

    def _ranks(self) -> IntArray:
        """The rank of every page by number."""
        order = np.argsort(-self.importance(), kind="stable")
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(1, len(order) + 1)
        return ranks


class AllSelected(Selection):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def by(self, conditions: Sequence[Condition]) -> npt.NDArray[np.bool_]:
        return self._joined(lambda part: part.selection.by(conditions))

    def where(self, expression: str) -> npt.NDArray[np.bool_]:
        if named := _BY_PARTITION.search(re.sub(r"'(?:[^']|'')*'", "''", expression)):
            raise SettingError(
                f"--where cannot ask for {named[0]} over partitions, each of which numbers its own pages; ask for "
                "importance, or take the first with --n"
            )
        return self._joined(lambda part: part.selection.where(expression))

    def _joined(self, ask: Callable[[Store], npt.NDArray[np.bool_]]) -> npt.NDArray[np.bool_]:
        marked = np.zeros(self._numbers.size, dtype=np.bool_)
        for number, found in enumerate(self._numbers.each(ask)):
            marked[self._numbers.to_all(number, np.flatnonzero(found))] = True
        return marked


class AllAudited(AuditTable):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def columns(self) -> AuditColumns:
        shifted = []
        for number, columns in enumerate(self._numbers.each(lambda part: part.audit_table.columns())):
            host = columns.host + self._numbers.host_starts[number]
            leader, target = (self._known(number, pages) for pages in (columns.leader, columns.target))
            shifted.append(columns._replace(host=host, leader=leader, target=target))
        return AuditColumns(*(np.concatenate(column) for column in zip(*shifted, strict=True)))

    def texts(self, column: str) -> Iterator[tuple[int, str]]:
        return self._numbered(lambda part: part.audit_table.texts(column))

    def leads_to(self) -> Iterator[tuple[int, str]]:
        return self._numbered(lambda part: part.audit_table.leads_to())

    def sitemap_pages(self) -> Iterator[tuple[int, int]]:
        return self._numbered(lambda part: part.audit_table.sitemap_pages())

    def _numbered(self, ask: Callable[[Store], Iterable[tuple[int, Found]]]) -> Iterator[tuple[int, Found]]:
        """Rows that begin with a home page's number."""
        for number, part in enumerate(self._numbers.parts):
            rows = list(ask(part))
            pages = self._numbers.to_all(number, np.array([page for page, _ in rows], dtype=np.int64))
            yield from zip(pages.tolist(), (value for _, value in rows), strict=True)

    def _known(self, number: int, pages: IntArray) -> IntArray:
        """Numbers of pages that a partition knows, NO_PAGE included."""
        found = np.full(len(pages), NO_PAGE)
        found[pages != NO_PAGE] = self._numbers.ends(number, pages[pages != NO_PAGE])
        return found


class AllRecognised(Recognised):
    """Duplicates are detected within a partition, not between two."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def fingerprints(self) -> Iterator[FingerprintColumns]:
        for number, part in enumerate(self._numbers.parts):
            for block in part.recognised.fingerprints():
                yield block._replace(page=self._numbers.to_all(number, block.page))

    def fingerprint(self, page: int) -> Fingerprint | None:
        number, part, own = self._numbers.at(page)
        found = part.recognised.fingerprint(own)
        return found and found._replace(page=page, leader=self._numbers.end(number, found.leader))

    def duplicate_counts(self) -> tuple[int, int]:
        exact, near = zip(*self._numbers.each(lambda part: part.recognised.duplicate_counts()), strict=True)
        return sum(exact), sum(near)

    def duplicates_of(self, page: int) -> tuple[int, int]:
        _, part, own = self._numbers.at(page)
        return part.recognised.duplicates_of(own)

    def probes(self) -> list[Probe]:
        return [*chain.from_iterable(self._numbers.each(lambda part: part.recognised.probes()))]

    def parameters(self) -> list[ParameterRow]:
        return [*chain.from_iterable(self._numbers.each(lambda part: part.recognised.parameters()))]

    def alternate_of(self, page: int) -> int | None:
        number, part, own = self._numbers.at(page)
        return self._numbers.end(number, part.recognised.alternate_of(own))


class AllRefreshes(Refreshes):
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def row(self, page: int) -> RefreshRow | None:
        _, part, own = self._numbers.at(page)
        found = part.refreshes.row(own)
        return found and found._replace(page=page)

    def is_empty(self) -> bool:
        return all(self._numbers.each(lambda part: part.refreshes.is_empty()))

    def changed_at(self) -> dict[int, float]:
        each = self._numbers.each(lambda part: part.refreshes.changed_at())
        found = ((number, page, at) for number, of_part in enumerate(each) for page, at in of_part.items())
        return {self._numbers.of(number, page): at for number, page, at in found}

    def hosts(self) -> list[RefreshHost]:
        each, starts = self._numbers.each(lambda part: part.refreshes.hosts()), self._numbers.host_starts
        return [row._replace(host=row.host + starts[number]) for number, rows in enumerate(each) for row in rows]

    def changed(self, belief: int) -> set[int]:
        each = self._numbers.each(lambda part: part.refreshes.changed(belief))
        return {self._numbers.of(number, page) for number, pages in enumerate(each) for page in pages}

    def unlearned(self, below: float) -> Iterator[tuple[int, int, str, str | None]]:
        each, starts = self._numbers.each(lambda part: part.refreshes.unlearned(below)), self._numbers.host_starts
        for number, rows in enumerate(each):
            for page, host, url, content_type in rows:
                yield self._numbers.of(number, page), host + starts[number], url, content_type

    def group_rates(self) -> list[GroupRate]:
        each, starts = self._numbers.each(lambda part: part.refreshes.group_rates()), self._numbers.host_starts
        return [
            row._replace(host=row.host + starts[number] * (row.host >= 0))
            for number, rows in enumerate(each)
            for row in rows
        ]

    def schedule(self) -> RefreshColumns:
        return self._joined(lambda part: part.refreshes.schedule())

    def last_fetches(self, due_by: float) -> RefreshColumns:
        return self._joined(lambda part: part.refreshes.last_fetches(due_by))

    def began(self) -> float | None:
        began = self._numbers.each(lambda part: part.refreshes.began())
        return min((at for at in began if at is not None), default=None)

    def changed_pages(self, since: float, n: int = -1) -> list[ChangedPage]:
        each = self._numbers.each(lambda part: part.refreshes.changed_pages(since, n))
        return list(islice(merge(*each, key=lambda page: -page.importance), None if n < 0 else n))

    def risen_pages(self, since: float, n: int = -1) -> list[RisenPage]:
        raise SettingError(
            "how important pages were before is noted in each partition by itself, so those that rise cannot be told; "
            "leave out --rising"
        )

    def _joined(self, ask: Callable[[Store], RefreshColumns]) -> RefreshColumns:
        each = [
            columns._replace(
                page=self._numbers.to_all(number, columns.page.astype(np.int64)),
                host=columns.host + self._numbers.host_starts[number],
            )
            for number, columns in enumerate(self._numbers.each(ask))
        ]
        return RefreshColumns(*map(np.concatenate, zip(*each, strict=True)))


def _joined(graphs: Sequence[LinkGraph], size: int) -> LinkGraph:
    """Concatenate graphs whose sources rise from one to the next."""
    if not graphs:
        return LinkGraph(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32), size)
    degrees = np.concatenate([np.diff(graph.indptr) for graph in graphs])
    places = [np.zeros(len(one.targets), np.uint8) if one.places is None else one.places for one in graphs]
    return LinkGraph(
        sources=np.concatenate([graph.sources for graph in graphs]),
        indptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        targets=np.concatenate([graph.targets for graph in graphs]),
        size=size,
        places=None if all(graph.places is None for graph in graphs) else np.concatenate(places),
    )
