"""Results of a crawl as JSON for the page. Pages that ask for the same share one computation."""

import asyncio
import math
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar  # Any: JSON

from minicrawl.analysis.explain import explain
from minicrawl.analysis.status import AtRest, Partition, at_rest
from minicrawl.analysis.top import best_wanted, lines_per_site, top_list
from minicrawl.audit.auditing import audited
from minicrawl.cluster import answers
from minicrawl.dashboard.issues import issues
from minicrawl.errors import SettingError
from minicrawl.parts import module
from minicrawl.reasons import meaning
from minicrawl.settings import RANKINGS
from minicrawl.store.database import is_held, logs
from minicrawl.store.folder import files_of, found, is_folder
from minicrawl.store.reader import Store, open_store

_T = TypeVar("_T")


class NotYetError(Exception):
    """A value is still being computed, and there is no earlier one."""


@dataclass
class _Entry:
    """`task`: computes the next value, begun after `renewals` renewals. `value`: the last one, if it `is_known`, as of
    `at`, valid `until` then."""

    task: asyncio.Task[None] | None = None
    renewals: int = 0
    value: Any = None
    is_known: bool = False
    at: float = 0.0
    until: float = 0.0


class Shared:
    """Values by key, each computed in a thread, one at a time.

    A value is valid for `least` seconds and for `apart` times its computing time: so each key takes at most one part in
    `apart` of a core's time. `patience`: seconds that a caller waits for a first value, and for one that
    replaces an outdated one; None: unlimited. `most`: number of values in memory.
    """

    def __init__(
        self,
        least: float,
        apart: float,
        *,
        patience: tuple[float | None, float | None] = (None, None),
        most: int = 100,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._least = least
        self._apart = apart
        self._patience = patience
        self._most = most
        self._clock = clock
        self._entries: dict[Hashable, _Entry] = {}
        self._renewals = 0

    async def get(self, key: Hashable, work: Callable[[], _T]) -> _T:
        """The value of a key: the last one while valid, else the result of `work`, whose exceptions are raised.

        If `work` takes longer than callers wait, the outdated value is returned; raises NotYetError if there is none.
        """
        value: _T = (await self.last(key, work))[0]
        return value

    async def last(self, key: Hashable, work: Callable[[], object]) -> tuple[Any, float, bool]:
        """Like `get`, with the seconds since the computation of the value began, and True if the value is outdated and
        the next one is not there."""
        entry = self.begin(key, work)
        task = entry.task
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=self._patience[entry.is_known])
            if done:
                task.result()
            elif not entry.is_known:
                raise NotYetError
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]
        return entry.value, self._clock() - entry.at, task is not None and not task.done()

    def begin(self, key: Hashable, work: Callable[[], object]) -> _Entry:
        """Start computing a value if it is no longer valid, because it will be asked for soon."""
        entry = self._entries.setdefault(key, _Entry())
        # A computation from before a renewal may be outdated: later callers wait for the next one.
        is_late = entry.task is not None and entry.renewals != self._renewals
        if is_late or (entry.task is None and self._clock() >= entry.until):
            entry.task = asyncio.create_task(self._renewed(entry, work, entry.task))
            entry.renewals = self._renewals
            entry.task.add_done_callback(_noticed)
        return entry

    async def _renewed(self, entry: _Entry, work: Callable[[], object], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        renewals, began = self._renewals, self._clock()
        try:
            entry.value = await asyncio.to_thread(work)
            entry.is_known, entry.at = True, began
            ended = self._clock()
            if renewals == self._renewals:  # else the value was renewed meanwhile
                entry.until = ended + max(self._least, self._apart * (ended - began))
        finally:
            if entry.task is asyncio.current_task():
                entry.task = None

    def renew(self) -> None:
        """Invalidate all values."""
        self._renewals += 1
        for entry in self._entries.values():
            entry.until = 0.0


def _noticed(task: asyncio.Task[None]) -> None:
    """Retrieve the exception of a task that nobody awaits."""
    if not task.cancelled():
        task.exception()


Reading = Mapping[str, Any]
"""A JSON object."""

_HOSTS, _SITES, _MOST_PAGES, _LONGEST_QUERY = 500, 500, 500, 2_000
_RULES = ("crawl_delay", "rests_until", "seconds")
"""Columns of a host that say when it may get a request."""


class Readings:
    """Results of the crawl at a path: a store, which may not exist yet, or a folder of partitions.

    Each method opens it, and reads one commit. Each raises MinicrawlError if the result is not available.
    """

    def __init__(self, path: Path, store: Store | None = None) -> None:
        """store: the one at `path`, if it is open: each method reads it as it is. Raises StoreError for a folder
        without a crawl."""
        self.path = path
        self._store = store
        self._at_rest: tuple[object, AtRest] | None = None
        if path.is_dir():
            found(path)

    @contextmanager
    def _opened(self) -> Iterator[Store]:
        with nullcontext(self._store) if self._store else open_store(self.path) as store, store.snapshot():
            yield store

    def has_begun(self) -> bool:
        """True if there is a crawl yet."""
        return self.path.exists()

    def is_in_use(self) -> bool:
        """True if another process is writing to the store."""
        return any(map(is_held, files_of(self.path)))

    def at_rest(self) -> AtRest:
        """Summary of the crawl and its runs, cached until a file changes, because it may take a look at all pages."""
        files = self.is_in_use(), [_as_it_is(path) for path in files_of(self.path)]
        if self._at_rest is None or self._at_rest[0] != files:
            if is_folder(self.path):
                self._at_rest = files, answers.whole(self.path)
            else:
                with self._opened() as store:
                    self._at_rest = files, at_rest(store)
        return self._at_rest[1]

    def top(self, by: str, n: int) -> Reading:
        """The n best pages, without duplicates. by: one of RANKINGS."""
        if by not in RANKINGS:
            raise SettingError(f"pages can be ordered by {', '.join(RANKINGS)}, not {by[:40]!r}")
        _check_length(n)
        if is_folder(self.path):
            found = answers.top(self.path, by, n)
        else:
            with self._opened() as store:
                found = top_list(store, by, n, per_site=lines_per_site(store))
        pages = [{**line.page._asdict(), "alike": len(line.alike)} for line in found.lines]
        return {"pages": pages, "by": by, "unread": found.unread}

    def pages(self, where: str, n: int) -> Reading:
        """The n most important pages for which an expression is true, of any state, and the number of all such; "":
        all pages."""
        _check_length(n)
        with self._opened() as store:
            count, found = best_wanted(store, where.strip() or "1", n)
        return {"pages": [page._asdict() for page in found], "count": count}

    def hosts(self) -> Reading:
        """The hosts with the most known pages, and the reasons why they are not asked; and the number of all hosts.

        `ill`: how a host is ill, "" for one that is not, with the `reason`, and when it is tried `next`.
        """
        with self._opened() as store:
            first = store.hosts.pages(_HOSTS)
            rows = {row.name: row._asdict() for row in store.hosts.all()}
            health = {one.host: (one.kind, one.reason, one.next_at) for one in store.hosts.ill()}
        hosts = [
            {**host._asdict(), **{name: rows[host.name][name] for name in _RULES}}
            | dict(zip(("ill", "reason", "next"), health.get(host.name, ("", None, None)), strict=True))
            for host in first
        ]
        return {"hosts": hosts, "count": len(rows)}

    def sites(self) -> Reading:
        """The most important sites, each a row of the view `site`."""
        query = f"SELECT * FROM site ORDER BY importance DESC LIMIT {_SITES:d}"
        with self._opened() as store, store.questions.asked(query, math.inf) as (names, rows):
            return {"sites": [dict(zip(names, row, strict=True)) for row in rows]}

    def why(self, url: str) -> Reading:
        """All facts about a URL."""
        if not url or len(url) > _LONGEST_QUERY:
            raise SettingError("name the URL of a page")
        if is_folder(self.path):
            return answers.why(self.path, url).as_json()
        with self._opened() as store:
            return explain(store, url).as_json()

    def issues(self) -> Reading:
        """What an audit by the rules that come with minicrawl finds."""
        with self._opened() as store:
            return issues(audited(store))

    def watched(self) -> Reading:
        """The list of pages in a store of `minicrawl watch`. Raises SettingError for a store without the part."""
        with self._opened() as store:
            found: Reading = module("watch.overview").overview(store)
            return found

    def course(self) -> Reading:
        """`states`: numbers of pages by state and reason, with its sentence; `points`: the crawl over time, each a
        `CoursePoint`."""
        with self._opened() as reader:
            counts, course = reader.page_table.counts(), reader.course()
        points = [point._asdict() for point in course]
        states = [
            {"state": state, "reason": reason, "meaning": meaning(reason), "pages": n}
            for (state, reason), n in counts.items()
        ]
        return {"states": states, "points": points}


def _as_it_is(file: Path) -> object:
    """Fingerprint of a store file, different after each change; a reader makes an empty log."""
    found = [path.stat() for path in (file, logs(file)[0]) if path.exists()]
    return [(one.st_mtime_ns, one.st_size) for one in found if one.st_size]


def _check_length(n: int) -> None:
    if not 1 <= n <= _MOST_PAGES:
        raise SettingError(f"a list has 1 to {_MOST_PAGES} pages, not {n}")


def partition(part: Partition) -> Reading:
    """A stored partition in the form of a running one."""
    return {**asdict(part), "known": part.known, "read": part.read, "states": part.pages, "waiting": part.outbox}
