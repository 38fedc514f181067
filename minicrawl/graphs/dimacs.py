"""Graphs in the DIMACS format. The first letter of a line gives the line's kind:

c ...       a comment
p sp n m    n pages, numbered from 1, and m lines with links; `sp` may be another word, such as `edge` or `col`
a u v w     a link u -> v; its length w is ignored
e u v       an edge: a link either way

Source: the ninth DIMACS implementation challenge (shortest paths), 2006; `p edge` and `e` are of the second.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError

_ARC, _EDGE, _PROBLEM, _COMMENT = b"a", b"e", b"p", b"c"


class DimacsLinks(NamedTuple):
    """Links between pages numbered from 0: sources and targets, int64, shape (links,). size: pages."""

    sources: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    size: int


def read_dimacs(name: str, lines: Iterable[bytes]) -> DimacsLinks:
    """Read the links in a file's lines. Raises SettingError, which names the file (`name`) and the faulty line."""
    ends: list[int] = []
    is_edge: list[bool] = []
    size = stated = -1
    for number, line in enumerate(lines, start=1):
        match line.split():
            case []:
                continue
            case [kind, *_] if kind.startswith(_COMMENT):
                continue
            case [kind, _, pages, links] if kind == _PROBLEM and size < 0 and _are_numbers(pages, links):
                size, stated = int(pages), int(links)
            case [kind, u, v, *_] if kind in (_ARC, _EDGE) and size >= 0 and _are_numbers(u, v):
                ends += int(u), int(v)
                is_edge.append(kind == _EDGE)
            case _:
                shown = line.decode("latin-1").strip()[:60]
                way_out = "write 'p sp PAGES LINKS' once, then 'a SOURCE TARGET LENGTH' or 'e PAGE PAGE'"
                raise SettingError(f"{name}:{number}: {shown!r} is no line of DIMACS here; {way_out}")
    if len(is_edge) != stated:
        begun = f"{stated} links in its line 'p'" if size >= 0 else "no line 'p'"
        raise SettingError(f"{name} has {begun} and {len(is_edge)} lines with links; name another graph file")
    sources, targets = np.array(ends, dtype=np.int64).reshape(-1, 2).T - 1
    back = np.array(is_edge, dtype=np.bool_)
    return DimacsLinks(np.append(sources, targets[back]), np.append(targets, sources[back]), size)


def _are_numbers(*fields: bytes) -> bool:
    return all(field.isdigit() and len(field) < 19 for field in fields)  # fits an int64
