"""The shape of a crawled web: its folders by importance, and the flow of importance between its sections.

    importance(folder) = sum of the importance of the known pages in the folder and below it

The folders of a tree are sites, the hosts of a site, and the folders in the paths of their URLs. A folder that leaves
less than a twentieth of its importance outside one of its subfolders is drawn as one with it.

Sections are disjoint folders: the sites; as long as there are fewer than `n`, the most important section is replaced by
its subfolders, as many as fit, and the rest of it. With the known links of pages p to other pages:

    given(a, b) = sum over the pages p of section a of importance(p) * (links of p into b) / (links of p)
    flow(a, b)  = given(a, b) / (sum over the sections c of given(a, c))

so flow(a, b) is the share of what the links of a give that they give to b. Each link of a page counts alike here.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.urls.keys import authority, site_of

Pages = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_WHOLE = 0.95
_LEAST = 0.004
_DEEPEST, _HOST = 8, 1


@dataclass(frozen=True, eq=False)
class Folder:
    """A site, a host or a folder. label: what its name adds to that of the folder it is in. importance, pages, read:
    sums with all below. best: its most important page. inside: its subfolders of some importance, the greatest first.
    """

    name: str
    label: str
    importance: float
    pages: int
    read: int
    best: int
    members: Pages = field(repr=False)
    inside: Sequence["Folder"] = ()


class Flow(NamedTuple):
    """given[a, b]: importance that the links of section a give to b, shape (sections, sections)."""

    sections: Sequence[Folder]
    given: Floats

    def shares(self) -> Floats:
        """flow(a, b), shape as `given`; 0 for a section without links."""
        shares: Floats = self.given / np.maximum(self.given.sum(axis=1, keepdims=True), 1e-300)
        return shares


class Shape:
    """The folders of pages. urls: by page number; importance, is_read: shape (pages,)."""

    def __init__(self, urls: Sequence[str], importance: Floats, is_read: Flags) -> None:
        numbers: dict[str, int] = {}
        self._of_page = np.fromiter((numbers.setdefault(_folder(url), len(numbers)) for url in urls), np.int64)
        self._parts = [_parts(folder) for folder in numbers]
        self._importance = importance
        size = len(numbers)
        self._sums = np.bincount(self._of_page, importance, minlength=size)
        self._pages = np.bincount(self._of_page, minlength=size)
        self._read = np.bincount(self._of_page[is_read], minlength=size)
        order = np.argsort(importance, kind="stable")
        self._best = np.zeros(size, dtype=np.int64)
        self._best[self._of_page[order]] = order  # the last page written, the most important one, stays
        self.total = float(importance.sum()) or 1.0

    def tree(self) -> Folder:
        """The folder of all pages."""
        return self._made(np.arange(len(self._parts)), 0, "", "")

    def sections(self, n: int) -> list[Folder]:
        """Up to n sections, the most important first, and one of all other pages if there are such."""
        found, whole = [self.tree()], list[Folder]()
        while found and len(found) + len(whole) < n:
            section = max(found, key=lambda each: each.importance)
            found.remove(section)
            room = n - len(found) - len(whole) - 1
            if not section.inside or room < 1:
                whole.append(section)
                continue
            inside = section.inside[:room]
            found += inside
            rest = np.setdiff1d(section.members, np.concatenate([each.members for each in inside]))
            if section.name and len(rest):
                whole.append(self._summed(rest, f"{section.name} (the rest)", "the rest"))
        best = sorted([*found, *whole], key=lambda each: -each.importance)
        others = np.setdiff1d(np.arange(len(self._parts)), np.concatenate([each.members for each in best]))
        return best + ([self._summed(others, "other pages", "other pages")] if len(others) else [])

    def flow(self, n: int, source: Pages, target: Pages) -> Flow:
        """The flow between up to n sections and all other pages along links, shape (links,)."""
        sections = self.sections(n)
        of_folder = np.zeros(len(self._parts), dtype=np.int64)
        for number, section in enumerate(sections):
            of_folder[section.members] = number
        is_other = source != target
        source, target = source[is_other], target[is_other]
        outdegree = np.bincount(source, minlength=len(self._of_page))
        of_page = of_folder[self._of_page]
        pairs = of_page[source] * len(sections) + of_page[target]
        given = np.bincount(pairs, self._importance[source] / outdegree[source], minlength=len(sections) ** 2)
        return Flow(sections, given.reshape(len(sections), -1).astype(np.float64))

    def _made(self, members: Pages, level: int, name: str, label: str) -> Folder:
        """The folder with the members, whose names agree in the first `level` parts."""
        here, core = self._summed(members, name, label), members
        inside = self._inside(core, level)
        while len(inside) == 1 and float(self._sums[inside[0][1]].sum()) >= _WHOLE * here.importance:
            part, core = inside[0]
            name, label = (part, part) if level <= _HOST else (name + part, label + part)
            level += 1
            inside = self._inside(core, level)
        folders = [self._made(each, level + 1, part if level <= _HOST else name + part, part) for part, each in inside]
        return replace(here, name=name, label=label, inside=sorted(folders, key=lambda each: -each.importance))

    def _inside(self, members: Pages, level: int) -> list[tuple[str, Pages]]:
        """The subfolders of some importance: the next part of their names, and their members."""
        groups = defaultdict[str, list[int]](list)
        for number in members.tolist() if level < _DEEPEST else ():
            if len(self._parts[number]) > level:
                groups[self._parts[number][level]].append(number)
        some = ((part, np.array(each)) for part, each in groups.items())
        return [each for each in some if float(self._sums[each[1]].sum()) >= _LEAST * self.total]

    def _summed(self, members: Pages, name: str, label: str) -> Folder:
        best = self._best[members]
        first = int(best[np.argmax(self._importance[best])]) if len(members) else 0
        pages, read = (int(column[members].sum()) for column in (self._pages, self._read))
        return Folder(name, label, float(self._sums[members].sum()), pages, read, first, members)


def _folder(url: str) -> str:
    """A normalised URL up to the last slash of its path."""
    query = url.find("?")
    return url[: url.rfind("/", 0, query if query >= 0 else len(url)) + 1]


def _parts(folder: str) -> list[str]:
    """Site, host, and folders: "http://docs.x.org/a/b/" -> ["x.org", "docs.x.org/", "a/", "b/"]."""
    host = authority(folder)
    path = folder.split("/", 3)[3]
    return [site_of(host), f"{host}/", *(f"{part}/" for part in path.split("/")[:-1])]
