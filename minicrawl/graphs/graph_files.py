"""Graphs as files: loaded from CSR in .npz, edge lists and the stores of crawls, and saved for graph programs.

A loaded graph's rows are sorted, without duplicate links and without links from a page to itself. An unusable file
raises a SettingError of one sentence.

Saved are all known pages of a crawl, by their numbers in the store, and all counted links as they are stored: an alias
links to the page it stands for. Links come by source and target. All but .npz are written as the store is read, a few
thousand rows at a time; the format is told by the file's ending.

.txt         source and target apart by a tab, as WebGraph's and SNAP's tools read arcs
.npz         the matrix in which (i, j) stands for a link i -> j: scipy's CSR
.parquet     source and target of every link as URLs
.graphml     nodes with URL, importance, state and title, then links

The first two have no room for URLs, so these go into NAME.urls.txt beside the file: line i is page i.
"""

import contextlib
import gzip
import io
import re
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, cast
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError, StoreError
from minicrawl.export.tables import Table, export_table, renamed_when_whole, writer_for
from minicrawl.rank import Graph
from minicrawl.store.database import store_errors
from minicrawl.store.reader import Store, open_store

_BITS = 32


def keys_of(
    sources: npt.NDArray[np.integer] | np.integer | int, targets: npt.NDArray[np.integer] | np.integer | int
) -> npt.NDArray[np.int64]:
    """One int64 key for each link sources[k] -> targets[k]: source * 2**32 + target. The arguments broadcast."""
    return np.asarray(sources, dtype=np.int64) << _BITS | np.asarray(targets, dtype=np.int64)


def sources_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return keys >> _BITS


def targets_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return keys & ((1 << _BITS) - 1)


def graph_of_keys(keys: npt.NDArray[np.int64], size: int) -> Graph:
    """The graph of `size` pages with these links, given as rising distinct keys of pages below `size`."""
    indptr = np.searchsorted(keys, keys_of(np.arange(size + 1), 0)).astype(np.int64)
    return Graph(indptr, targets_of(keys).astype(np.int32))


Ends = npt.NDArray[np.integer]

_SQLITE_MAGIC = b"SQLite format 3\0"
# Errors that zipfile and NumPy raise for a damaged archive or array header, including sizes beyond memory.
_NPZ_ERRORS = (ValueError, KeyError, RuntimeError, MemoryError, OverflowError, EOFError, zlib.error, zipfile.BadZipFile)
_ANOTHER = "name another graph file"


LoadedGraph = tuple[Graph, tuple[str, ...] | None]
"""A graph from a file, and the URL (or title) of each page by number; None if the file has none."""


def load_graph(path: str | Path) -> LoadedGraph:
    """Load the graph in a file. The ending tells the format; a store is recognised by its first bytes.

    .npz: CSR as `indptr` and `indices`, as scipy.sparse.save_npz writes them; a stored entry (i, j) is a link i -> j,
    also when it is 0. Names from NAME.urls.txt beside it (line i is page i). .txt, .tsv, also .gz: one link per line,
    source and target in two columns, separated by tabs or blanks; lines with # or % are comments, further columns are
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
        raise SettingError(f"{path} must end with one of {', '.join(_LOADERS)}, not {ending!r}")
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
        # Opened here: np.load does not close a file that is not an archive.
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            kind, indptr, ends = str(archive.get("format", b"csr")), archive["indptr"], archive["indices"]
    except (*_NPZ_ERRORS, AttributeError, IndexError) as error:
        raise SettingError(f"{path} is not an .npz file with indptr and indices of a CSR matrix; {_ANOTHER}") from error
    if "csr" not in kind or any(numbers.ndim != 1 or numbers.dtype.kind not in "iu" for numbers in (indptr, ends)):
        raise SettingError(f"{path} is not an .npz file with indptr and indices of a CSR matrix; {_ANOTHER}")
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
    return graph, names


# Edge lists


def _load_edges(path: Path) -> LoadedGraph:
    with contextlib.suppress(ValueError, Warning), _open(path) as file, warnings.catch_warnings():
        warnings.simplefilter("error")  # of older NumPy, which takes 1.0 for a whole number; and of no lines
        # Latin-1 decodes any byte, and further columns may hold any.
        ends = np.loadtxt(file, np.int64, ("#", "%"), usecols=(0, 1), ndmin=2, encoding="latin-1")
        size = int(ends.max()) + 1
        # Where numbers are sparser they are names: memory would go to pages without links.
        if ends.min() >= 0 and size <= min(np.iinfo(np.int32).max, max(10_000_000, 100 * len(ends))):
            return _graph(path, ends[:, 0], ends[:, 1], size), None
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
                        f"{path}:{number}: {line[:60]!r} is not a link; write source and target in two columns"
                    )
                ends.extend(numbers.setdefault(field, len(numbers)) for field in fields[:2])
    sources, targets = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return _graph(path, sources, targets, len(numbers)), tuple(numbers)


# Stores


def _load_store(path: Path) -> LoadedGraph:
    try:
        with store_errors(path), open_store(path) as store:
            links = store.link_table.graph()
            # A crawl running meanwhile may have added pages.
            names = tuple(islice(store.page_table.urls(), links.size))
    except StoreError as error:
        what, way_out, _ = str(error).partition("; use ")  # a way out of a crawl's trouble, not of a graph file's
        raise SettingError(f"{what}; {_ANOTHER}" if way_out else what) from error
    except ValueError as error:
        raise SettingError(f"{path} is damaged: its links cannot be read; {_ANOTHER}") from error
    if len(names) != links.size:
        raise SettingError(f"{path} is damaged: page numbers are missing; {_ANOTHER}")
    return _graph(path, links.link_sources(), links.targets, links.size), names


_LOADERS: dict[str, Callable[[Path], LoadedGraph]] = {
    ".npz": _load_npz,
    **dict.fromkeys((".txt", ".tsv", ".txt.gz", ".tsv.gz"), _load_edges),
    **dict.fromkeys((".db", ".sqlite"), _load_store),
}


_Writer = Callable[[Store, Path], None]

_ATTRIBUTES = {"url": "string", "importance": "double", "state": "string", "title": "string"}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def export_graph(store: Store, path: Path) -> tuple[int, int, list[Path]]:
    """Write the graph of a store to `path`. Returns the numbers of pages and links, and the files. Raises SettingError
    for an unknown ending or a bad place."""
    files = {path: writer_for(path, WRITERS)}
    if path.suffix.lower() not in (".graphml", ".parquet"):
        files[path.with_suffix(".urls.txt")] = _write_urls
    with store.snapshot():
        for file, write in reversed(files.items()):
            with renamed_when_whole(file) as temporary:
                write(store, temporary)
        pages, links = store.size(), store.link_table.count()
    return pages, links, list(files)


def _write_urls(store: Store, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{url}\n" for url in store.page_table.urls())


def _sorted(store: Store) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]]:
    """Blocks of links, those of a page sorted by target."""
    for block in store.link_table.blocks():
        sources, targets = block.link_sources(), block.targets
        yield sources, targets[np.lexsort((targets, sources))]


def _lines(store: Store, form: str) -> Iterator[str]:
    """Texts of the line `form` % (source, target) for every link, some at a time: as Python objects, links take fifty
    times the memory."""
    at_once = store.sizes.exported
    for sources, targets in _sorted(store):
        for start in range(0, len(targets), at_once):
            links = slice(start, start + at_once)
            ends = zip(sources[links].tolist(), targets[links].tolist(), strict=True)
            yield "".join([form % each for each in ends])


def _write_txt(store: Store, path: Path) -> None:
    pages, links = store.size(), store.link_table.count()
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(f"# {pages} pages from 0 on, {links} links: source, target\n")
        file.writelines(_lines(store, "%d\t%d\n"))


def _write_npz(store: Store, path: Path) -> None:
    """Write a CSR matrix with a 1 for every link, readable by scipy.sparse.load_npz."""
    degrees, targets = np.zeros(store.size(), dtype=np.int64), [np.zeros(0, dtype=np.int32)]
    for sources, found in _sorted(store):
        degrees += np.bincount(sources, minlength=len(degrees))
        targets.append(found)
    indices = np.concatenate(targets)
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            format=np.array(b"csr"),
            shape=np.array([len(degrees)] * 2),
            indptr=np.concatenate([[0], np.cumsum(degrees)]),
            indices=indices,
            data=np.ones(len(indices)),
        )


def _write_graphml(store: Store, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
            'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
            'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
        )
        for name, kind in _ATTRIBUTES.items():
            file.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n')
        file.write('<graph id="crawl" edgedefault="directed">\n')
        for number, page in enumerate(store.ranks.numbered()):
            values = ((name, getattr(page, name)) for name in _ATTRIBUTES)
            data = "".join(f'<data key="{name}">{_text(value)}</data>' for name, value in values if value is not None)
            file.write(f'<node id="{number}">{data}</node>\n')
        file.writelines(_lines(store, '<edge source="%d" target="%d"/>\n'))
        file.write("</graph>\n</graphml>\n")


def links_by_url(store: Store) -> Table:
    """Source and target of every counted link as URLs, read some thousand at a time."""

    def rows() -> Iterator[tuple[str, str]]:
        for block in store.link_table.blocks():
            sources = block.link_sources().tolist()
            targets = block.targets.tolist()
            urls = store.page_table.urls_of({*sources, *targets})
            yield from ((urls[source], urls[target]) for source, target in zip(sources, targets, strict=True))

    return Table({"source": str, "target": str}, rows())


def _write_parquet(store: Store, path: Path) -> None:
    export_table(links_by_url(store), path, "parquet")


def _text(value: object) -> str:
    """Text of a value, with characters replaced that XML forbids."""
    return escape(_NO_XML.sub("\ufffd", str(value)), {"\r": "&#13;"})


WRITERS: dict[str, _Writer] = {
    ".txt": _write_txt,
    ".npz": _write_npz,
    ".graphml": _write_graphml,
    ".parquet": _write_parquet,
}
