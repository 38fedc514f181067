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
    """Calls that an actor needs. replicas: of `Replicas`, by node; first: of a `Remote` on the machine of cluster.json,
    the node `name`. alive: the nodes that are there."""

    replicas: Mapping[str, Call]
    first: Call
    name: str
    alive: Callable[[], Sequence[str]]

    def node_of(self, place: Place) -> str:
        return place.machine or self.name


class Shipping:
    """Ships the commits of a partition: called after each, it returns once the commit counts.

    Raises StoreError if the partition has been taken over, or nobody can say.
    """

    def __init__(self, writer: Writer, brief: Brief, lines: Lines, apart: float = _APART) -> None:
        """apart: seconds until a partition without a replica tries to make one again."""
        self._writer, self._apart, self._lines = writer, apart, lines
        self._path, self._number = brief.folder.path, brief.number
        self._place = brief.folder.places[brief.number]
        self._store = brief.folder.store(brief.number)
        self._session: tuple[Sender, Call] | None = None
        self._tried = 0.0

    def __call__(self) -> None:
        if self._session is not None:
            sender, call = self._session
            try:
                self._bring(sender.news(), call)
            except MinicrawlError:
                sender.close()
                self._session = None
        if self._session is None and time.monotonic() - self._tried >= self._apart:
            self._begin()
        if self._session is None:
            self._note(None)

    def _begin(self) -> None:
        """Make a replica on the next machine: the one that has it, or the first behind this partition's."""
        own = self._lines.node_of(self._place)
        alive = [name for name in self._lines.alive() if name != own and name in self._lines.replicas]
        for name in sorted(alive, key=lambda name: (name != self._place.replica, name < own, name)):
            sender, call = Sender(self._writer), self._lines.replicas[name]
            try:
                if not sender.goes_on(call("begin", self._store, sender.session, self._place.generation)):
                    self._note(None)  # it is written to before it is whole
                    self._bring(sender.copy(call("digests", self._store)), call)
                self._bring(sender.news(), call)
            except MinicrawlError:
                sender.close()
                continue
            self._session = sender, call
            self._note(name)
            return
        self._tried = time.monotonic()

    def _bring(self, parts: Iterable[Part], call: Call) -> None:
        for part in parts:
            if call("take", self._store, part) != part.number:
                raise GapError("a part has come before")

    def _note(self, name: str | None) -> None:
        if name != self._place.replica:
            place = self._place._replace(replica=name)
            self._lines.first("call", exchange_place, self._path, self._number, self._place, place)
            self._place = place


def taken_over(path: Path, number: int, lines: Lines) -> bool:
    """Let the replica of a partition take over, whose machine is gone. Returns False if it has none that could.

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
