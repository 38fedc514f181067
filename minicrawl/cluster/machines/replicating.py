"""Replicas of partitions on other machines: a commit counts once the replica has it, and a lost machine is replaced.

1. the commit is in the store               cluster.json names the replica: the partition waits
2. the replica has it                       rows are sent, and rows taken are confirmed
3. a replica does not answer                the partition says so in cluster.json, and goes on without
4. a machine is gone                        its partitions' replicas take over, if cluster.json names them still

Who changes a place in cluster.json says what it was before, so that either 3 or 4 happens: a partition whose replica
has taken over cannot go on.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from minicrawl.cluster.folder import exchange_place, found
from minicrawl.cluster.machines.carrying import Call, Remote
from minicrawl.cluster.moving import folder_of, remove
from minicrawl.cluster.running.brief import Brief
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.store.partitions.folder import Place
from minicrawl.store.reader import open_store
from minicrawl.store.replicas.receiving import GapError, Part, Position, Replica
from minicrawl.store.replicas.sending import Sender
from minicrawl.store.writer import Writer

_APART = 10.0


class Replicas(Remote):
    """The replicas on a machine, by the paths of their stores. Raises MinicrawlError."""

    def __init__(self) -> None:
        super().__init__()
        self._replicas: dict[Path, Replica] = {}

    def begin(self, store: Path, session: str, generation: int) -> Position | None:
        """See Replica.begin. A store that another machine has taken over since is removed."""
        if store.exists():
            with open_store(store) as left:
                is_left = int(left.meta("generation") or 0) < generation
            if is_left:
                remove(store)
        return self._of(store).begin(session, generation)

    def digests(self, store: Path) -> Mapping[str, Sequence[bytes]]:
        return self.call(self._of(store).digests)

    def take(self, store: Path, part: Part) -> int:
        return self.call(self._of(store).take, part)

    def take_over(self, store: Path, generation: int) -> None:
        """Put a replica in the place of its store, unless it is there already."""
        if store.exists():
            with open_store(store) as there:
                if there.meta("generation") == generation:
                    return
        self.call(self._of(store).take_over, generation)

    def _of(self, store: Path) -> Replica:
        return self._replicas.setdefault(store, Replica(store))


@dataclass(frozen=True)
class Lines:
    """Calls that an actor needs. replicas: of `Replicas`, by node that may have some; first: of a `Remote` on the
    machine of cluster.json, the node `name`. alive: the nodes that are there."""

    replicas: Mapping[str, Call]
    first: Call
    name: str
    alive: Callable[[], Sequence[str]]

    def node_of(self, place: Place) -> str:
        return place.machine or self.name


@dataclass
class _Session:
    """A replica on the node `name`. copying: until it is whole."""

    name: str
    sender: Sender
    call: Call
    copying: Future[None] | None = None
    is_over: bool = False

    def bring(self, store: Path, parts: Iterable[Part]) -> None:
        for part in parts:
            if self.is_over or self.call("take", store, part) != part.number:
                raise GapError("a part has come before, or nobody wants it any more")

    def end(self) -> None:
        self.is_over = True
        if self.copying is not None:
            wait([self.copying])
        self.sender.close()


class Shipping(AbstractContextManager["Shipping"]):
    """Ships the commits of a partition during the block: called after each, it returns once the commit counts.

    A replica is copied while commits go on, which count without it until it is whole. Raises StoreError if the
    partition has been taken over, or nobody can say.
    """

    def __init__(
        self, writer: Writer, brief: Brief, lines: Callable[[], Lines], copies: Executor, apart: float = _APART
    ) -> None:
        """copies: runs copies. apart: seconds until a partition without a replica tries to make one again."""
        self._writer, self._apart, self._lines, self._copies = writer, apart, lines, copies
        self._path, self._number = brief.folder.path, brief.number
        self._replicates = brief.folder.replicas > 0
        self._place = brief.folder.places[brief.number]
        self._store = brief.folder.store(brief.number)
        self._session: _Session | None = None
        self._to: str | None = None
        self._failed = ""
        self._tried = -apart

    def __enter__(self) -> "Shipping":
        self._writer.on_committed = self
        self()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ship_to(self, name: str) -> None:
        """Make the replica on this node from the next commit on, as the partition is to move there."""
        if name != self._to:
            self._to, self._tried = name, -self._apart

    def __call__(self) -> None:
        if self._replicates or self._to:
            there = self._lines().replicas
            if self._session is not None and (
                self._session.name not in there or self._to not in (None, self._session.name)
            ):
                self._end()
            if self._session is not None:
                self._ship(self._session)
            if self._session is None and time.monotonic() - self._tried >= self._apart:
                self._begin(there)
        if self._session is None:
            self._note(None)

    def _begin(self, there: Mapping[str, Call]) -> None:
        """Make a replica on the next machine: the one that has it, or the first behind this partition's."""
        own, alive = self._lines().node_of(self._place), self._lines().alive()
        names = [name for name in alive if name != own and name in there and self._to in (None, name)]
        first = (self._failed, self._place.replica)
        for name in sorted(names, key=lambda name: (name == first[0], name != first[1], name < own, name)):
            session = self._session = _Session(name, Sender(self._writer), there[name])
            sender, call = session.sender, session.call
            try:
                if not sender.goes_on(call("begin", self._store, sender.session, self._place.generation)):
                    self._note(None)  # it is written to before it is whole
                    parts = sender.copy(call("digests", self._store))
                    session.copying = self._copies.submit(session.bring, self._store, parts)
            except MinicrawlError:
                self._end()
                continue
            self._ship(session)
            if self._session is not None:
                return
        self._tried = time.monotonic()

    def _ship(self, session: _Session) -> None:
        """Bring the latest commits, once the replica is whole."""
        if session.copying is not None and not session.copying.done():
            return
        try:
            if session.copying is not None:
                session.copying.result()
                session.copying = None
            session.bring(self._store, session.sender.news())
        except MinicrawlError:
            self._failed = session.name
            self._end()
            return
        self._note(session.name)

    def _end(self) -> None:
        if self._session is not None:
            self._session.end()
            self._session = None

    def _note(self, name: str | None) -> None:
        if name != self._place.replica:
            place = self._place._replace(replica=name)
            self._lines().first("call", exchange_place, self._path, self._number, self._place, place)
            self._place = place


def taken_over(path: Path, number: int, lines: Lines) -> bool:
    """Let the replica of a partition take over, which is gone or has stopped. Returns False if it has none that could.

    path: of the crawl's folder. Raises MinicrawlError.
    """
    folder = found(path)
    before = folder.places[number]
    name, call = before.replica, lines.replicas.get(before.replica or "")
    if name is None or call is None or name not in lines.alive():
        return False
    store = folder.store(number).absolute()
    is_first = name == lines.name
    target = folder_of(folder, store.parent) if is_first else str(store.parent)
    after = Place(target, before.generation + 1, None if is_first else name)
    call("take_over", store, after.generation)
    try:
        exchange_place(path, number, before, after)
    except StoreError:
        call("call", remove, store)
        raise
    return True
