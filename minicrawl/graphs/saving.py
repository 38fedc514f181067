"""The graph of a crawl in the formats of graph programs; the format is told by the file's ending.

All known pages, by their numbers in the store, and all counted links as they are stored: an alias links to the
page it stands for. Links come by source, those of a page in document order; in edge lists and matrices, whose
readers want it so, by target. All but .npz are written as the store is read, a few thousand rows at a time.

.csv         source, target, and where on its page the link stands
.txt         source and target apart by a tab, as WebGraph's and SNAP's tools read arcs
.mtx .npz    the matrix in which (i, j) stands for a link i -> j: Matrix Market, scipy's CSR
.graphml     nodes with URL, importance, state and title, then links with their places

All but the last have no room for URLs, so these go into NAME.urls.txt beside the file: line i is page i.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from minicrawl.export.tables import renamed_when_whole, writer_for
from minicrawl.model import Place
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage

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
    names = None if path.suffix.lower() == ".graphml" else path.with_suffix(".urls.txt")
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
    for block in store.link_table.blocks():
        sources, targets = block.link_sources(), block.targets
        yield sources, targets[np.lexsort((targets, sources))]


def _lines(blocks: Iterable[Ends], form: str, at_once: int) -> Iterator[str]:
    """Texts of the line `form` % (source, target) for every link, some at a time: as Python objects, links take fifty
    times the memory."""
    for sources, targets in blocks:
        for start in range(0, len(targets), at_once):
            links = slice(start, start + at_once)
            ends = zip(sources[links].tolist(), targets[links].tolist(), strict=True)
            yield "".join([form % each for each in ends])


def _size(store: Store) -> tuple[int, int]:
    """Numbers of pages and links."""
    return store.size(), store.link_table.count()


# Formats


def _write_lines(path: Path, head: str, lines: Iterable[str]) -> None:
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(head)
        file.writelines(lines)


def _placed_lines(store: Store, form: str) -> Iterator[str]:
    """A text per block: the line `form` % (source, target, place) for every link."""
    for links in _placed(store):
        yield "".join([form % link for link in zip(*(column.tolist() for column in links), strict=True)])


def _write_csv(store: Store, path: Path) -> None:
    _write_lines(path, "source,target,place\n", _placed_lines(store, "%d,%d,%s\n"))


def _write_txt(store: Store, path: Path) -> None:
    pages, links = _size(store)
    head = f"# {pages} pages from 0 on, {links} links: source, target\n"
    _write_lines(path, head, _lines(_sorted(store), "%d\t%d\n", store.sizes.exported))


def _write_mtx(store: Store, path: Path) -> None:
    pages, links = _size(store)
    head = (
        "%%MatrixMarket matrix coordinate pattern general\n"
        "% page i of the crawl is row and column i + 1; an entry is a link from row to column\n"
        f"{pages} {pages} {links}\n"
    )
    blocks = ((sources + 1, targets + 1) for sources, targets in _sorted(store))
    _write_lines(path, head, _lines(blocks, "%d %d\n", store.sizes.exported))


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
        file.write('<key id="place" for="edge" attr.name="place" attr.type="string"/>\n')
        file.write('<graph id="crawl" edgedefault="directed">\n')
        for number, page in enumerate(store.ranks.numbered()):
            data = "".join(f'<data key="{name}">{_text(value)}</data>' for name, value in _attributes(page))
            file.write(f'<node id="{number}">{data}</node>\n')
        edge = '<edge source="%d" target="%d"><data key="place">%s</data></edge>\n'
        file.writelines(_placed_lines(store, edge))
        file.write("</graph>\n</graphml>\n")


def _attributes(page: RankedPage) -> Iterator[tuple[str, object]]:
    """Attributes that the page has."""
    return ((name, value) for name in _ATTRIBUTES if (value := getattr(page, name)) is not None)


def _text(value: object) -> str:
    """Text of a value, with characters replaced that XML forbids."""
    return escape(_NO_XML.sub("\ufffd", str(value)), {"\r": "&#13;"})


WRITERS: dict[str, _Writer] = {
    ".csv": _write_csv,
    ".txt": _write_txt,
    ".mtx": _write_mtx,
    ".npz": _write_npz,
    ".graphml": _write_graphml,
}
