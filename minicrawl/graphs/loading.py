"""Graphs from files: CSR in .npz, edge lists, and the stores of crawls.

For every format, the graph's rows are sorted, without duplicate links and without links from a page to itself. An
unusable file raises a SettingError of one sentence.
"""

import contextlib
import gzip
import io
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError, StoreError
from minicrawl.graphs.keys import graph_of_keys, keys_of
from minicrawl.rank import Graph
from minicrawl.store.database import store_errors
from minicrawl.store.reader import open_store

Ends = npt.NDArray[np.integer]

_SQLITE_MAGIC = b"SQLite format 3\0"
# Errors that zipfile and NumPy raise for a damaged archive or array header, including sizes beyond memory.
_NPZ_ERRORS = (ValueError, KeyError, RuntimeError, MemoryError, OverflowError, EOFError, zlib.error, zipfile.BadZipFile)
_ANOTHER = "name another graph file"


@dataclass(frozen=True, eq=False)
class LoadedGraph:
    """A graph from a file. names: the URL (or title) of page i is names[i]; None where the file has none."""

    graph: Graph
    names: tuple[str, ...] | None = None


def load_graph(path: str | Path) -> LoadedGraph:
    """Load the graph in a file. The ending tells the format; a store is recognised by its first bytes.

    .npz: CSR as `indptr` and `indices`, as scipy.sparse.save_npz writes them; a stored entry (i, j) is a link i -> j,
    also when it is 0. Names from NAME.urls.txt beside it (line i is page i). .txt, .tsv, also .gz: a link a line,
    source and target in two columns apart by tabs or blanks; lines with # or % are comments, further columns are
    ignored. Whole numbers are page numbers from 0 on; when one end is something else (or so large that most pages
    would be without links), all ends are names, numbered as they appear. Store: the counted links of all known pages,
    with their URLs.

    Raises SettingError.
    """
    path = Path(path)
    try:
        if not path.is_file():
            raise SettingError(f"there is no graph file {str(path)!r}; name one that exists")
        return _loader(path)(path)
    except UnicodeDecodeError as error:
        raise SettingError(f"{path} is not UTF-8 text; {_ANOTHER} or convert this one") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SettingError(f"{path} is cut short or no gzip file; {_ANOTHER} or fetch this one again") from error
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror or error}; {_ANOTHER}") from error


def _loader(path: Path) -> Callable[[Path], LoadedGraph]:
    with path.open("rb") as file:
        if file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC:
            return _load_store
    ending = "".join(path.suffixes[-2:] if path.suffix == ".gz" else path.suffixes[-1:])
    if ending not in _LOADERS:
        raise SettingError(f"the ending of {path} must be one of {', '.join(_LOADERS)}, not {ending!r}")
    return _LOADERS[ending]


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _graph(path: Path, sources: Ends, targets: Ends, size: int) -> Graph:
    """The graph of links among 0..size-1."""
    for ends in (sources, targets):
        if len(ends) and not 0 <= ends.min() <= ends.max() < size:
            stray = int(ends.min() if ends.min() < 0 else ends.max())
            raise SettingError(f"{path} has a link of page {stray}, but its pages are 0 to {size - 1}; {_ANOTHER}")
    keys = keys_of(sources, targets)[sources != targets]
    if not len(keys):
        raise SettingError(f"{path} has no links between pages; {_ANOTHER}")
    return graph_of_keys(np.unique(keys), size)


# .npz. Not by scipy.sparse.load_npz: it trusts an indptr that leads outside its arrays.


def _load_npz(path: Path) -> LoadedGraph:
    try:
        # Opened here: np.load does not close a file that is no archive.
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            kind, indptr, ends = str(archive.get("format", b"csr")), archive["indptr"], archive["indices"]
    except (*_NPZ_ERRORS, AttributeError, IndexError) as error:
        raise SettingError(f"{path} is no .npz with indptr and indices of a CSR matrix; {_ANOTHER}") from error
    if "csr" not in kind or any(numbers.ndim != 1 or numbers.dtype.kind not in "iu" for numbers in (indptr, ends)):
        raise SettingError(f"{path} is no .npz with indptr and indices of a CSR matrix; {_ANOTHER}")
    indptr, ends = indptr.astype(np.int64), ends.astype(np.int64)
    lengths = np.diff(indptr)
    if not len(indptr) or indptr[0] or indptr[-1] != len(ends) or np.any(lengths < 0):
        raise SettingError(f"indptr and indices of {path} do not fit together; {_ANOTHER}")
    size = len(lengths)
    graph = _graph(path, np.repeat(np.arange(size), lengths), ends, size)
    beside = path.with_suffix(".urls.txt")
    names = tuple(beside.read_text("utf-8").removesuffix("\n").split("\n")) if beside.exists() else None
    if names is not None and len(names) != size:
        raise SettingError(f"{beside} has {len(names)} lines for the {size} pages of {path}; write one a page")
    return LoadedGraph(graph, names)


# Edge lists


def _load_edges(path: Path) -> LoadedGraph:
    with contextlib.suppress(ValueError, Warning), _open(path) as file, warnings.catch_warnings():
        warnings.simplefilter("error")  # of older NumPy, which takes 1.0 for a whole number; and of no lines
        # Latin-1 decodes any byte, and further columns may hold any.
        ends = np.loadtxt(file, np.int64, ("#", "%"), usecols=(0, 1), ndmin=2, encoding="latin-1")
        size = int(ends.max()) + 1
        # Where numbers are sparser they are names: memory would go to pages without links.
        if ends.min() >= 0 and size <= min(np.iinfo(np.int32).max, max(10_000_000, 100 * len(ends))):
            return LoadedGraph(_graph(path, ends[:, 0], ends[:, 1], size))
    return _load_named_edges(path)


def _load_named_edges(path: Path) -> LoadedGraph:
    """Read line by line, slowly; also finds the faulty line."""
    numbers: dict[str, int] = {}
    ends = array("q")
    with _open(path) as raw, io.TextIOWrapper(raw, "utf-8") as file:
        for number, line in enumerate(map(str.strip, file), start=1):
            if line and line[0] not in "#%":
                fields = line.split("\t" if "\t" in line else None)
                if len(fields) < 2:
                    raise SettingError(
                        f"{path}:{number}: {line[:60]!r} is no link; write source and target in two columns"
                    )
                ends.extend(numbers.setdefault(field, len(numbers)) for field in fields[:2])
    sources, targets = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return LoadedGraph(_graph(path, sources, targets, len(numbers)), tuple(numbers))


# Stores


def _load_store(path: Path) -> LoadedGraph:
    try:
        with store_errors(path), open_store(path) as store:
            links = store.links()
            # A crawl running meanwhile may have added pages.
            names = tuple(islice(store.page_table.urls(), links.size))
    except StoreError as error:
        what, way_out, _ = str(error).partition("; use ")  # a way out of a crawl's trouble, not of a graph file's
        raise SettingError(f"{what}; {_ANOTHER}" if way_out else what) from error
    except ValueError as error:
        raise SettingError(f"{path} is damaged: its links cannot be read; {_ANOTHER}") from error
    if len(names) != links.size:
        raise SettingError(f"{path} is damaged: page numbers are missing; {_ANOTHER}")
    return LoadedGraph(_graph(path, links.link_sources(), links.targets, links.size), names)


_TEXT: dict[str, Callable[[Path], LoadedGraph]] = {".txt": _load_edges, ".tsv": _load_edges}
_LOADERS = (
    {".npz": _load_npz}
    | _TEXT
    | {f"{ending}.gz": load for ending, load in _TEXT.items()}
    | dict.fromkeys((".db", ".sqlite"), _load_store)
)
