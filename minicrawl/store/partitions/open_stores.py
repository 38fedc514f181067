"""The stores of many partitions, of which some are open.

An open store takes four of a process's files and half a megabyte, and a crawl may have thousands of stores. Each is
opened again when it is read again, and must then be as it was: so while a crawl runs, all stay open.

Opening takes some milliseconds. So where not all can stay open, short results are remembered: questions that are put to
one store after the other (see `Store.prepare`) open each once, and the same questions of all then open none. Of long
results reading takes longer than opening.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any  # Any: rows

from minicrawl.errors import StoreError
from minicrawl.sizes import Sizes
from minicrawl.store.database import open_to_read
from minicrawl.store.partitions.remote import Call, RemoteDatabase, RemoteTexts
from minicrawl.store.read.tables import Tables
from minicrawl.store.reader import Store
from minicrawl.store.texts.text_file import OpenTexts

Values = Sequence[Any] | Mapping[str, Any]
MOST = 56
"""Stores open at once, of a crawl that does not run."""
_CACHE = 120
"""Kilobytes of a store's page cache: the system has one, too."""
_REMEMBERED = 100_000
"""Rows remembered of all stores together, of each as many; a result counts as one more."""


class _FullError(Exception):
    """A result is longer than a store may remember."""


class OpenStores:
    """Opens stores, and closes others. most: how many are open at once; None: all."""

    def __init__(self, most: int | None = MOST) -> None:
        self.most = most
        self.number = 0
        """Number of stores that were opened."""
        self.is_crowded = False
        """True once a store was closed to make room for another one."""
        self._used: OrderedDict[_Tables, None] = OrderedDict()

    def open(self, path: Path, sizes: Sizes) -> Store:
        """The read side of the store at `path`. Raises StoreError."""
        return self._opened(_Tables(path, sizes, self))

    def open_remote(self, name: Path, sizes: Sizes, there: Path, call: Call) -> Store:
        """The read side of a store on another machine. name: in errors; there: its path. Raises StoreError."""
        return self._opened(_RemoteTables(name, sizes, self, there, call))

    def _opened(self, tables: "_Tables") -> Store:
        self.number += 1
        try:
            store = Store(tables)
        except BaseException:
            tables.close()
            raise
        tables.on_close = store.texts.close
        return store

    def use(self, tables: "_Tables") -> None:
        """Note that a store is used now."""
        self._used[tables] = None
        self._used.move_to_end(tables)

    def make_room(self) -> None:
        """Close a store if one more would be too many; those whose rows are being read stay open."""
        if self.most is not None and len(self._used) >= self.most:
            closable = [tables for tables in self._used if not tables.reads]
            if closable:
                self.is_crowded = True
                closable[-len(closable) // 8].close()  # a look at all stores needs the least used ones next

    def forget(self, tables: "_Tables") -> None:
        """Note that a store was closed."""
        self._used.pop(tables, None)


class _Tables(Tables):
    """Queries a store that may be closed between two of them. reads: results that are being read."""

    def __init__(self, path: Path, sizes: Sizes, stores: OpenStores) -> None:
        stores.make_room()
        super().__init__(path, self._connect(path), sizes)
        self.reads = 0
        self.on_close: Callable[[], None] = lambda: None
        self._stores = stores
        self._is_open = True
        self._views: dict[str, str] = {}
        self._room = 0
        self._remembers = False
        self._remembered: dict[tuple[Any, ...], list[Any]] = {}
        self._committed: object = None
        self._is_pinned = False
        self._db.execute(f"PRAGMA cache_size = -{_CACHE}")

    def _connect(self, path: Path) -> Any:
        return open_to_read(path)

    @property
    def db(self) -> Any:
        if not self._is_open:
            self._open_again()
        self._stores.use(self)
        return self._db

    def close(self) -> None:
        self._stores.forget(self)
        if self._is_open:
            self._is_open = False
            self.on_close()
            self._db.close()

    def pin(self) -> None:
        super().pin()
        self._is_pinned = True
        self._committed = self.meta("run_at")

    def make_views(self, views: Mapping[str, str]) -> None:
        self._views |= views
        self._remembered.clear()
        if self._is_open:
            super().make_views(views)

    def prepare(self, ask: Callable[[], object]) -> None:
        if not self._stores.is_crowded or self._remembers:
            return
        if not self._remembered:
            self._room = _REMEMBERED // self._stores.number
        self._remembers = True
        try:
            ask()
        except _FullError:
            pass  # this question will open the store again, and so will those after it
        finally:
            self._remembers = False

    def rows(self, query: str, values: Values = ()) -> list[Any]:
        found = self._at_hand(query, values)
        return super().rows(query, values) if found is None else [*found]

    def row(self, query: str, *values: Any) -> Any:
        asked = (query, *values, None)
        if (found := self._remembered.get(asked)) is None:
            found = [super().row(query, *values)]
            if self._remembers:
                self._remember(asked, found)
        return found[0]

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        if (found := self._at_hand(query, values)) is not None:
            yield from found
            return
        self.reads += 1
        try:
            yield from super().each(query, *values)
        finally:
            self.reads -= 1

    def blocks(self, query: str, size: int, *values: Any) -> Iterator[list[Any]]:
        if (found := self._at_hand(query, values)) is not None:
            yield from (found[start : start + size] for start in range(0, len(found), size))
            return
        self.reads += 1
        try:
            yield from super().blocks(query, size, *values)
        finally:
            self.reads -= 1

    def _at_hand(self, query: str, values: Values) -> list[Any] | None:
        """The result of a query if it is remembered, as it is from now on when a question is asked beforehand."""
        asked = (query, *(values.items() if isinstance(values, Mapping) else values))
        if asked not in self._remembered and self._remembers:
            with self.errors:
                found = self.db.execute(query, values).fetchmany(max(self._room, 1))
            if len(found) >= self._room:
                raise _FullError
            self._remember(asked, found)
        return self._remembered.get(asked)

    def _remember(self, asked: tuple[Any, ...], found: list[Any]) -> None:
        self._room -= len(found) + 1
        self._remembered[asked] = found

    def _open_again(self) -> None:
        self._stores.make_room()
        self._db, self._is_open = self._connect(self.path), True
        self._db.execute(f"PRAGMA cache_size = -{_CACHE}")
        if not self._is_pinned:
            return
        super().pin()
        if self.meta("run_at") != self._committed:
            raise StoreError(f"a crawl began to write to {self.path} while it was read; run this command again")
        super().make_views(self._views)


class _RemoteTables(_Tables):
    """Queries a store on another machine."""

    def __init__(self, name: Path, sizes: Sizes, stores: OpenStores, there: Path, call: Call) -> None:
        """See OpenStores.open_remote."""
        self._there, self._call = there, call
        super().__init__(name, sizes, stores)

    @property
    def is_held(self) -> bool:
        return bool(self._call("is_held", self._there))

    def open_texts(self, line: bytes) -> OpenTexts:
        return RemoteTexts(self._call, self._there, line)

    def _connect(self, path: Path) -> Any:
        try:
            return RemoteDatabase(self._call, self._there)
        except StoreError as error:
            raise StoreError(f"{path}: {error}") from error
