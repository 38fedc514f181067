"""Graphs from files: CSR in .npz, Matrix Market, DIMACS, edge lists, and the stores of crawls.

For every format, the graph's rows are sorted, without duplicate links and without links from a page to itself. An
unusable file raises a SettingError of one sentence.
"""

import codecs
import contextlib
import csv
import gzip
import io
import re
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError, StoreError
from minicrawl.graphs.dimacs import read_dimacs
from minicrawl.graphs.keys import distinct, graph_of_keys, keys_of
from minicrawl.rank import Graph
from minicrawl.store.database import store_errors
from minicrawl.store.reader import open_store

Ends = npt.NDArray[np.integer]

_SQLITE_MAGIC = b"SQLite format 3\0"
_BLOCK = 1 << 24  # bytes of an edge list that are parsed at once
_TO_BLANKS = bytes.maketrans(b",\t", b"  ")
_COMMENT = re.compile(rb"^[ \t]*[#%].*", re.MULTILINE)
_HEADER = re.compile(rb"\A\s*(source|from|src) +(target|to|dst)\b.*", re.IGNORECASE)
_NPZ_ARRAYS = {"indptr", "indices", "row", "col", "shape", "format"}
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

    .npz: CSR as `indptr` and `indices`, or the output of scipy.sparse.save_npz; names from NAME.urls.txt or
    NAME.urls.txt.gz beside it (line i is page i). .mtx: Matrix Market; in any matrix a stored entry (i, j) is
    a link i -> j, also when it is 0. .gr, .col, .dimacs: see `dimacs`. .txt, .tsv, .csv, .edges: a link a line,
    source and target in two columns apart by blanks, tabs or a comma; lines with # or % are comments, further
    columns are ignored, a header such as source,target too. Whole numbers are page numbers from 0 on; when one end is
    something else (or so large that most pages would be without links), all ends are names, numbered as they appear.
    All but .npz may be .gz. Store: the counted links of all known pages, with their URLs.

    Raises SettingError.
    """
    path = Path(path)
    with _file_errors(path):
        if not path.is_file():
            raise SettingError(f"there is no graph file {str(path)!r}; name one that exists")
        return _loader(path)(path)


def _loader(path: Path) -> Callable[[Path], LoadedGraph]:
    with path.open("rb") as file:
        if file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC:
            return _load_store
    name = path.name.lower()
    ending = Path(name.removesuffix(".gz")).suffix + (".gz" if name.endswith(".gz") else "")
    if ending not in _LOADERS:
        raise SettingError(f"the ending of {path} must be one of {', '.join(_LOADERS)}, not {ending!r}")
    return _LOADERS[ending]


@contextlib.contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Turn errors of reading a file into a SettingError that names the file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise SettingError(f"{path} is not UTF-8 text; {_ANOTHER} or convert this one") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SettingError(f"{path} is cut short or no gzip file; {_ANOTHER} or fetch this one again") from error
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror or error}; {_ANOTHER}") from error


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.name.lower().endswith(".gz") else path.open("rb")


def _graph(path: Path, sources: Ends, targets: Ends, size: int, first: int = 0) -> Graph:
    """The graph of links among 0..size-1. first: number of page 0 in the file."""
    for ends in (sources, targets):
        if len(ends) and not 0 <= ends.min() <= ends.max() < size:
            stray = int(ends.min() if ends.min() < 0 else ends.max()) + first
            last = size - 1 + first
            raise SettingError(f"{path} has a link of page {stray}, but its pages are {first} to {last}; {_ANOTHER}")
    keys = keys_of(sources, targets)[sources != targets]
    if not len(keys):
        raise SettingError(f"{path} has no links between pages; {_ANOTHER}")
    return graph_of_keys(distinct(keys), size)


def _has_gaps(size: int, links: int) -> bool:
    """True if page numbers are too sparse to be numbers: memory would go to pages without links."""
    return size > min(np.iinfo(np.int32).max, max(10_000_000, 100 * links))


# .npz


def _load_npz(path: Path) -> LoadedGraph:
    sources, targets, size = _npz_links(path, _npz_arrays(path))
    return LoadedGraph(_graph(path, sources, targets, size), _names_beside(path, size))


def _npz_arrays(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    """Read the archive's arrays that describe links."""
    try:
        # Opened here: np.load does not close a file that is no archive.
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("one bare array")
            return {name: np.asarray(archive[name]) for name in archive.files if name in _NPZ_ARRAYS}
    except _NPZ_ERRORS as error:
        raise SettingError(f"{path} is damaged or no .npz archive of plain arrays; {_ANOTHER}") from error


def _npz_links(path: Path, arrays: dict[str, npt.NDArray[np.generic]]) -> tuple[Ends, Ends, int]:
    """Sources, targets and number of pages."""
    # scipy.sparse.load_npz would trust an indptr that leads outside its arrays, so read the same members here.
    kind = arrays["format"].astype(str).item() if "format" in arrays and arrays["format"].size == 1 else "csr"
    if kind == "coo":
        sources, targets = _numbers(path, arrays, "row"), _numbers(path, arrays, "col")
        if len(sources) != len(targets):
            raise SettingError(f"row and col of {path} differ in length; {_ANOTHER}")
        return sources, targets, _square(path, _numbers(path, arrays, "shape"), len(sources))
    if kind not in ("csr", "csc"):
        raise SettingError(f"{path} holds a matrix in {kind!r} form; save it as csr, csc or coo")
    indptr, ends = _numbers(path, arrays, "indptr"), _numbers(path, arrays, "indices")
    lengths = np.diff(indptr)
    if not len(indptr) or indptr[0] or indptr[-1] != len(ends) or np.any(lengths < 0):
        raise SettingError(f"indptr and indices of {path} do not fit together; {_ANOTHER}")
    size = len(lengths)
    if "shape" in arrays and size != _square(path, _numbers(path, arrays, "shape"), len(ends), is_stored=True):
        raise SettingError(f"indptr and shape of {path} do not fit together; {_ANOTHER}")
    rows = np.repeat(np.arange(size), lengths)
    return (rows, ends, size) if kind == "csr" else (ends, rows, size)


def _numbers(path: Path, arrays: dict[str, npt.NDArray[np.generic]], name: str) -> npt.NDArray[np.int64]:
    if name not in arrays:
        raise SettingError(f"{path} has no array {name!r}; save indptr and indices of a CSR matrix in it")
    numbers = arrays[name]
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise SettingError(f"{name} of {path} must be a row of whole numbers, not {numbers.ndim}-d {numbers.dtype}")
    return numbers.astype(np.int64)


def _square(path: Path, shape: npt.NDArray[np.int64] | tuple[int, ...], links: int, is_stored: bool = False) -> int:
    """The side of a square matrix. is_stored: the file has a number for every row, so any size is plausible."""
    if len(shape) != 2 or shape[0] != shape[1]:
        sides = " x ".join(str(side) for side in shape)
        raise SettingError(f"the matrix of {path} is {sides}; a graph's has as many rows as columns")
    size = int(shape[0])
    if not is_stored and _has_gaps(size, links):
        raise SettingError(f"{path} has {size} pages for {links} links; number the pages without gaps")
    return size


def _names_beside(path: Path, size: int) -> tuple[str, ...] | None:
    for beside in (path.with_suffix(".urls.txt"), path.with_suffix(".urls.txt.gz")):
        if beside.exists():
            with _file_errors(beside), _open(beside) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="\n") as file:
                names = tuple(line.rstrip("\r\n") for line in file)
            if len(names) != size:
                raise SettingError(
                    f"{beside} has {len(names)} lines for the {size} pages of {path}; write one a page or move it away"
                )
            return names
    return None


# Matrix Market. Not by scipy.io.mmread: with a number it cannot parse, it ends the whole process (scipy #19949).


def _load_mtx(path: Path) -> LoadedGraph:
    with _open(path) as file:
        is_symmetric = _mtx_is_symmetric(path, file.readline())
        number, size, entries = _mtx_size(path, file)
        try:
            ends = _numbers_of_lines(file)
        except ValueError:
            ends = None
    if ends is None:
        raise SettingError(f"{_mtx_wrong_line(path, number)}: no entry of a matrix; write row, column and value")
    if len(ends) != entries:
        raise SettingError(f"{path} has {len(ends)} entries, not the {entries} of its line {number}; {_ANOTHER}")
    rows, columns = ends.T - 1
    if is_symmetric:
        rows, columns = np.append(rows, columns), np.append(columns, rows)
    return LoadedGraph(_graph(path, rows, columns, size, first=1))


def _mtx_is_symmetric(path: Path, banner: bytes) -> bool:
    """True if an entry (i, j) of the file also stands for (j, i)."""
    words = banner.decode("latin-1").lower().split()
    if words[:2] != ["%%matrixmarket", "matrix"] or len(words) != 5:
        raise SettingError(f"{path}:1: no banner '%%MatrixMarket matrix ...'; {_ANOTHER}")
    if words[2] != "coordinate":
        raise SettingError(f"{path}:1: the matrix is in {words[2]!r} form; save it in coordinate form")
    return words[4] != "general"


def _mtx_size(path: Path, file: IO[bytes]) -> tuple[int, int, int]:
    """Number of the size line, and its content: rows, equal to columns, and entries."""
    for number, line in enumerate(file, start=2):
        if not line.strip() or line.startswith(b"%"):
            continue
        fields = line.split()
        if len(fields) != 3 or not all(map(_is_number, fields)):
            break
        rows, columns, entries = map(int, fields)
        return number, _square(path, (rows, columns), entries), entries
    raise SettingError(f"{path} has no line with rows, columns and entries; {_ANOTHER}")


def _mtx_wrong_line(path: Path, after: int) -> str:
    with _open(path) as file:
        for number, line in islice(enumerate(file, start=1), after, None):
            fields = line.split()[:2]
            if fields and not fields[0].startswith(b"%") and (len(fields) < 2 or not all(map(_is_number, fields))):
                return f"{path}:{number}"
    return str(path)


def _is_number(field: bytes) -> bool:
    return field.isdigit() and len(field) < 19  # fits an int64


def _load_dimacs(path: Path) -> LoadedGraph:
    with _open(path) as file:
        links = read_dimacs(str(path), file)
    size = _square(path, (links.size, links.size), len(links.sources))
    return LoadedGraph(_graph(path, links.sources, links.targets, size, first=1))


# Edge lists


def _load_edges(path: Path) -> LoadedGraph:
    ends = _numbered_edges(path)
    if ends is None:
        return _load_named_edges(path)
    sources, targets = ends.T
    return LoadedGraph(_graph(path, sources, targets, int(ends.max(initial=-1)) + 1))


def _numbered_edges(path: Path) -> npt.NDArray[np.int64] | None:
    """The two columns, shape (links, 2); None unless all values are page numbers."""
    try:
        with _open(path) as file:
            ends = _numbers_of_lines(file)
    except ValueError:
        return None
    is_numbered = ends.min(initial=0) >= 0 and not _has_gaps(int(ends.max(initial=-1)) + 1, len(ends))
    return ends if is_numbered else None


def _numbers_of_lines(file: IO[bytes]) -> npt.NDArray[np.int64]:
    """The first two columns, shape (lines, 2). Raises ValueError when a value is not a whole number."""
    blocks = [np.zeros((0, 2), dtype=np.int64)]
    for block in _blocks(file):
        text = io.BytesIO(block)
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # of older NumPy, which takes 1.0 for a whole number
            try:
                # Latin-1 decodes any byte, and further columns may hold any.
                block_ends = np.loadtxt(text, np.int64, comments=None, usecols=(0, 1), ndmin=2, encoding="latin-1")
            except DeprecationWarning as error:
                raise ValueError(str(error)) from error
        blocks.append(block_ends)
    return np.concatenate(blocks)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Blocks of whole lines, with columns separated by blanks, without comments and header."""
    is_first = True
    while block := file.read(_BLOCK):
        block = _columns(block + file.readline())
        if b"#" in block or b"%" in block:
            block = _COMMENT.sub(b"", block)
        if is_first:
            block = _HEADER.sub(b"", block)
        if block := block.strip():
            is_first = False
            yield block


def _columns(text: bytes) -> bytes:
    return text.removeprefix(codecs.BOM_UTF8).translate(_TO_BLANKS, b'"')


def _load_named_edges(path: Path) -> LoadedGraph:
    """Read line by line, slowly; also finds the faulty line."""
    numbers: dict[str, int] = {}
    sources, targets = array("q"), array("q")
    for number, line, fields in _rows(path):
        if len(fields) < 2 or not fields[0] or not fields[1]:
            raise SettingError(f"{path}:{number}: {line[:60]!r} is no link; write a source and a target in two columns")
        sources.append(numbers.setdefault(fields[0], len(numbers)))
        targets.append(numbers.setdefault(fields[1], len(numbers)))
    graph = _graph(path, np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64), len(numbers))
    return LoadedGraph(graph, tuple(numbers))


def _rows(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Number, text and columns of every line with a link."""
    split: Callable[[str], list[str]] | None = None
    with _open(path) as raw, io.TextIOWrapper(raw, "utf-8-sig") as file:
        for number, line in enumerate(map(str.strip, file), start=1):
            if not line or line[0] in "#%":
                continue
            if split is None:
                split = _splitter(path, line)
                if _HEADER.match(_columns(line.encode())):
                    continue
            yield number, line, split(line)


def _splitter(path: Path, line: str) -> Callable[[str], list[str]]:
    """Choose the column separator of a file from its first line."""
    if "\t" in line:
        # Titles contain blanks.
        return lambda row: [field.strip() for field in row.split("\t")]
    # URLs contain commas, so two columns separated by blanks win, unless a comma is beside the blank.
    words = line.split()[:2]
    is_apart = len(words) == 2 and not words[0].endswith(",") and not words[1].startswith(",")
    if "," in line and (path.name.lower().removesuffix(".gz").endswith(".csv") or not is_apart):
        return _split_at_commas
    return str.split


def _split_at_commas(row: str) -> list[str]:
    if '"' not in row:
        return [field.strip() for field in row.split(",")]
    try:
        return [field.strip() for field in next(csv.reader([row], skipinitialspace=True))]
    except csv.Error:
        return []


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
    sources = links.link_sources()
    return LoadedGraph(_graph(path, sources, links.targets, links.size), names)


_TEXT: dict[str, Callable[[Path], LoadedGraph]] = {
    ".mtx": _load_mtx,
    **dict.fromkeys((".gr", ".col", ".dimacs"), _load_dimacs),
    ".txt": _load_edges,
    ".tsv": _load_edges,
    ".csv": _load_edges,
    ".edges": _load_edges,
}
_LOADERS = (
    {".npz": _load_npz}
    | _TEXT
    | {f"{ending}.gz": load for ending, load in _TEXT.items()}
    | dict.fromkeys((".db", ".sqlite"), _load_store)
)
