"""The stores of many partitions, of which some are open.

An open store takes four of a process's files and half a megabyte, and a crawl may have thousands of stores. Each is
opened again when it is read again, and must then be as it was: so while a crawl runs, all stay open.

Opening takes some milliseconds. So where not all can stay open, short results are remembered: a question that is put to
one store after the other (see `Store.prepare`) opens each once, and the same questions of all then open none.
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

MOST = 56
"""Stores open at once, of a crawl that does not run."""
_CACHE = 120
"""Kilobytes of a store's page cache: the system has one, too."""
_REMEMBERED = 50_000
"""Rows remembered of all stores together; a result counts as one more."""


class OpenStores:
    """Opens stores, and closes others. most: how many are open at once; None: all."""

    def __init__(self, most: int | None = MOST) -> None:
        self.most = most
        self.room = _REMEMBERED
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
                closable[len(closable) // 2].close()  # the least used one would be the next that a look at all needs

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
        self._views: list[str] = []
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

    def make_view(self, statement: str) -> None:
        self._views.append(statement)
        self._remembered.clear()
        if self._is_open:
            super().make_view(statement)

    def prepare(self, ask: Callable[[], object]) -> None:
        if self._stores.is_crowded and not self._remembers:
            self._remembers = True
            try:
                ask()
            finally:
                self._remembers = False

    def rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        given = values.items() if isinstance(values, Mapping) else values
        return [*self._answered((query, *given), lambda: super(_Tables, self).rows(query, values))]

    def row(self, query: str, *values: Any) -> Any:
        (found,) = self._answered((query, *values, None), lambda: [super(_Tables, self).row(query, *values)])
        return found

    def _answered(self, asked: tuple[Any, ...], ask: Callable[[], list[Any]]) -> list[Any]:
        """The result of a query, from memory if it is there."""
        found = self._remembered.get(asked)
        if found is None:
            found = ask()
            if self._remembers and len(found) < self._stores.room:
                self._stores.room -= len(found) + 1
                self._remembered[asked] = found
        return found

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        self.reads += 1
        try:
            yield from super().each(query, *values)
        finally:
            self.reads -= 1

    def blocks(self, query: str, size: int, *values: Any) -> Iterator[list[Any]]:
        self.reads += 1
        try:
            yield from super().blocks(query, size, *values)
        finally:
            self.reads -= 1

    def _open_again(self) -> None:
        self._stores.make_room()
        self._db, self._is_open = self._connect(self.path), True
        self._db.execute(f"PRAGMA cache_size = -{_CACHE}")
        if not self._is_pinned:
            return
        super().pin()
        if self.meta("run_at") != self._committed:
            raise StoreError(f"a crawl began to write to {self.path} while it was read; run this command again")
        for statement in self._views:
            super().make_view(statement)


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
