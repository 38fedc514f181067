"""The graph of a crawl in the formats of graph programs; the format is told by the file's ending.

All known pages, by their numbers in the store, and all counted links as they are stored: an alias links to the
page it stands for. Links come by source and
target. All but .npz are written as the store is read, a few thousand rows at a time.

.txt         source and target apart by a tab, as WebGraph's and SNAP's tools read arcs
.npz         the matrix in which (i, j) stands for a link i -> j: scipy's CSR
.graphml     nodes with URL, importance, state and title, then links

All but the last have no room for URLs, so these go into NAME.urls.txt beside the file: line i is page i.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from minicrawl.export.tables import renamed_when_whole, writer_for
from minicrawl.store.reader import Store

Ends = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
_Writer = Callable[[Store, Path], None]

_ATTRIBUTES = {"url": "string", "importance": "double", "state": "string", "title": "string"}
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
        pages, links = store.size(), store.link_table.count()
    return ExportedGraph(pages, links, (path,) if names is None else (path, names))


def _write(write: _Writer, store: Store, path: Path) -> None:
    with renamed_when_whole(path) as temporary:
        write(store, temporary)


def _write_urls(store: Store, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{url}\n" for url in store.page_table.urls())


def _sorted(store: Store) -> Iterator[Ends]:
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


def _text(value: object) -> str:
    """Text of a value, with characters replaced that XML forbids."""
    return escape(_NO_XML.sub("\ufffd", str(value)), {"\r": "&#13;"})


WRITERS: dict[str, _Writer] = {
    ".txt": _write_txt,
    ".npz": _write_npz,
    ".graphml": _write_graphml,
}
