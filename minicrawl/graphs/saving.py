"""The graph of a crawl in the formats of graph programs; the format is told by the file's ending.

All known pages, by their numbers in the store, and all counted links as they are stored: an alias links to the
page it stands for. Links come by source, those of a page in document order; in edge lists and matrices, whose
readers want it so, by target. A file is written as the store is read, a few thousand rows at a time.

.csv .jsonl .parquet     source, target, and where on its page the link stands, in columns
.txt .edges              the same apart by a tab, as WebGraph's and SNAP's tools read arcs; .txt with a comment
.mtx .npz                the matrix in which (i, j) stands for a link i -> j: Matrix Market, scipy's CSR
.graphml .gexf           nodes with URL, importance, state and title, then links with their places

All but the last two have no room for URLs, so these go into NAME.urls.txt beside the file: line i is page i.
"""

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import numpy.typing as npt

from minicrawl.export import tables
from minicrawl.export.tables import Table, renamed_when_whole, writer_for
from minicrawl.model import Place
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage

Array = npt.NDArray[np.generic]
Ends = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
Placed = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.str_]]
_Writer = Callable[[Store, Path], None]

_ATTRIBUTES = {"url": "string", "importance": "double", "state": "string", "title": "string"}
_PLACES = np.array(["", *(place.name.lower() for place in Place)])
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class ExportedGraph(NamedTuple):
    """Numbers of pages and links written, and the files."""

    pages: int
    links: int
    files: tuple[Path, ...]


def export_graph(store: Store, path: Path) -> ExportedGraph:
    """Write the graph of a store to `path`. Raises SettingError for an unknown ending or a bad place."""
    write = writer_for(path, WRITERS)
    names = None if path.suffix.lower() in _WITH_URLS else path.with_suffix(".urls.txt")
    with store.snapshot():
        if names is not None:
            _write(_write_urls, store, names)
        _write(write, store, path)
        pages, links = _size(store)
    return ExportedGraph(pages, links, (path,) if names is None else (path, names))


def _write(write: _Writer, store: Store, path: Path) -> None:
    with renamed_when_whole(path) as temporary:
        write(store, temporary)


def _write_urls(store: Store, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{url}\n" for url in store.page_table.urls())


# Links


def _as_listed(store: Store) -> Iterator[Ends]:
    """Sources and targets of links, in blocks."""
    for block in store.link_table.blocks():
        yield block.link_sources(), block.targets


def _placed(store: Store) -> Iterator[Placed]:
    """Links in document order, in small blocks: source, target, and place on the page, "" where all links of a page are
    in equal places."""
    at_once = store.sizes.exported
    for block in store.link_table.blocks():
        sources, names = block.link_sources(), _names_of_places(block)
        for start in range(0, len(sources), at_once):
            links = slice(start, start + at_once)
            yield sources[links], block.targets[links], names[links]


def _names_of_places(block: LinkGraph) -> npt.NDArray[np.str_]:
    if block.places is None:
        return np.repeat(_PLACES[:1], len(block.targets))
    rows = np.repeat(np.arange(len(block.sources)), np.diff(block.indptr))
    # A page whose links are all in the first place equals one whose links are all alike.
    differ = np.bincount(rows, weights=block.places, minlength=len(block.sources)) > 0
    return _PLACES[np.where(differ[rows], block.places + 1, 0)]


def _sorted(store: Store) -> Iterator[Ends]:
    """Blocks of links, those of a page sorted by target."""
    for sources, targets in _as_listed(store):
        yield sources, targets[np.lexsort((targets, sources))]


def _lines(blocks: Iterable[Ends], form: str, at_once: int) -> Iterator[str]:
    """A text per block: the line `form` % (source, target) for every link."""
    for sources, targets in _few(blocks, at_once):
        yield "".join([form % ends for ends in zip(sources.tolist(), targets.tolist(), strict=True)])


def _few(blocks: Iterable[Ends], at_once: int) -> Iterator[Ends]:
    """Split blocks of links into small ones: as Python objects, links take fifty times the memory."""
    for sources, targets in blocks:
        for start in range(0, len(targets), at_once):
            links = slice(start, start + at_once)
            yield sources[links], targets[links]


def _size(store: Store) -> tuple[int, int]:
    """Numbers of pages and links."""
    return store.size(), store.link_table.count()


def _outdegrees(store: Store) -> npt.NDArray[np.int64]:
    outdegrees = np.zeros(store.size(), dtype=np.int64)
    for block in store.link_table.blocks():
        outdegrees[block.sources] = np.diff(block.indptr)
    return outdegrees


# Lines


def _write_lines(store: Store, path: Path, blocks: Iterable[Ends], form: str, head: str = "") -> None:
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(head)
        file.writelines(_lines(blocks, form, store.sizes.exported))


def _write_placed(store: Store, path: Path, form: str, head: str = "") -> None:
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(head)
        file.writelines(_placed_lines(store, form))


def _placed_lines(store: Store, form: str) -> Iterator[str]:
    """A text per block: the line `form` % (source, target, place) for every link."""
    for links in _placed(store):
        yield "".join([form % link for link in _each(links)])


def _each(links: Placed) -> Iterator[tuple[int, int, str]]:
    return zip(*(column.tolist() for column in links), strict=True)


def _write_csv(store: Store, path: Path) -> None:
    _write_placed(store, path, "%d,%d,%s\n", "source,target,place\n")


def _write_jsonl(store: Store, path: Path) -> None:
    _write_placed(store, path, '{"source": %d, "target": %d, "place": "%s"}\n')


def _write_edges(store: Store, path: Path) -> None:
    _write_lines(store, path, _sorted(store), "%d\t%d\n")


def _write_txt(store: Store, path: Path) -> None:
    pages, links = _size(store)
    _write_lines(store, path, _sorted(store), "%d\t%d\n", f"# {pages} pages from 0 on, {links} links: source, target\n")


def _write_mtx(store: Store, path: Path) -> None:
    pages, links = _size(store)
    head = (
        "%%MatrixMarket matrix coordinate pattern general\n"
        "% page i of the crawl is row and column i + 1; an entry is a link from row to column\n"
        f"{pages} {pages} {links}\n"
    )
    _write_lines(store, path, ((sources + 1, targets + 1) for sources, targets in _sorted(store)), "%d %d\n", head)


# Arrays


def _write_parquet(store: Store, path: Path) -> None:
    rows = (link for links in _placed(store) for link in _each(links))
    with path.open("wb") as file:
        tables.WRITERS[".parquet"](Table({"source": int, "target": int, "place": str}, rows), file)


def _write_npz(store: Store, path: Path) -> None:
    """Write a CSR matrix with a 1 for every link, readable by scipy.sparse.load_npz."""
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(_outdegrees(store))])
    size, links = len(indptr) - 1, int(indptr[-1])
    with zipfile.ZipFile(path, "w") as archive:
        add = partial(_add_array, archive)
        add("format", np.dtype("S3"), (), [np.array(b"csr")])
        add("shape", np.dtype("<i8"), (2,), [np.array([size, size])])
        add("indptr", np.dtype("<i8"), (size + 1,), [indptr])
        add("indices", np.dtype("<i4"), (links,), (targets for _, targets in _sorted(store)))
        add("data", np.dtype("<f8"), (links,), (np.ones(len(targets)) for _, targets in _as_listed(store)))


def _add_array(
    archive: zipfile.ZipFile, name: str, kind: np.dtype[np.generic], shape: tuple[int, ...], parts: Iterable[Array]
) -> None:
    member = zipfile.ZipInfo(f"{name}.npy")  # dated 1980: the same graph is the same file
    member.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(member, "w", force_zip64=True) as file:
        header = {"descr": kind.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for part in parts:
            file.write(part.astype(kind, copy=False).tobytes())


# XML


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
        file.write('<key id="place" for="edge" attr.name="place" attr.type="string"/>\n')
        file.write('<graph id="crawl" edgedefault="directed">\n')
        for number, page in enumerate(store.ranks.numbered()):
            data = "".join(f'<data key="{name}">{_text(value)}</data>' for name, value in _attributes(page))
            file.write(f'<node id="{number}">{data}</node>\n')
        edge = '<edge source="%d" target="%d"><data key="place">%s</data></edge>\n'
        file.writelines(_placed_lines(store, edge))
        file.write("</graph>\n</graphml>\n")


def _write_gexf(store: Store, path: Path) -> None:
    """Write GEXF 1.2, which every reader supports."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            'xsi:schemaLocation="http://www.gexf.net/1.2draft http://www.gexf.net/1.2draft/gexf.xsd" version="1.2">\n'
            "<meta><creator>minicrawl</creator></meta>\n"
            '<graph mode="static" defaultedgetype="directed">\n'
            '<attributes class="node" mode="static">\n'
        )
        for name, kind in _ATTRIBUTES.items():
            file.write(f'<attribute id="{name}" title="{name}" type="{kind}"/>\n')
        file.write(
            '</attributes>\n<attributes class="edge" mode="static">\n'
            '<attribute id="place" title="place" type="string"/>\n</attributes>\n<nodes>\n'
        )
        for number, page in enumerate(store.ranks.numbered()):
            values = "".join(f'<attvalue for="{name}" value={_quoted(value)}/>' for name, value in _attributes(page))
            file.write(f'<node id="{number}" label={_quoted(page.url)}><attvalues>{values}</attvalues></node>\n')
        file.write("</nodes>\n<edges>\n")
        first = 0
        edge = (
            '<edge id="%d" source="%d" target="%d"><attvalues><attvalue for="place" value="%s"/></attvalues></edge>\n'
        )
        for links in _placed(store):
            file.write("".join([edge % (first + at, *link) for at, link in enumerate(_each(links))]))
            first += len(links[0])
        file.write("</edges>\n</graph>\n</gexf>\n")


def _attributes(page: RankedPage) -> Iterator[tuple[str, object]]:
    """Attributes that the page has."""
    return ((name, value) for name in _ATTRIBUTES if (value := getattr(page, name)) is not None)


def _text(value: object) -> str:
    return escape(_allowed(value), {"\r": "&#13;"})


def _quoted(value: object) -> str:
    return quoteattr(_allowed(value))


def _allowed(value: object) -> str:
    """Text of a value, with characters replaced that XML forbids."""
    return _NO_XML.sub("�", str(value))


_WITH_URLS: dict[str, _Writer] = {".graphml": _write_graphml, ".gexf": _write_gexf}
WRITERS: dict[str, _Writer] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
    ".txt": _write_txt,
    ".edges": _write_edges,
    ".mtx": _write_mtx,
    ".npz": _write_npz,
    **_WITH_URLS,
}
