"""A picture of the best pages, or of hosts, and the links between them: where each stands is worked out here."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.folded_aliases import folded_pages
from minicrawl.analysis.top.top_list import top_list
from minicrawl.dashboard.layout import laid_out
from minicrawl.store.reader import Store, open_store

Reading = Mapping[str, Any]
IntArray = npt.NDArray[np.int64]
_NODES = 200
_MOST_LINKS = 1_500
"""Links in a picture: of more nobody could follow any."""


def picture_of_pages(store: Path) -> Reading:
    """The most important pages, each once, and the links between them. Positions are from 0 to 1, both ways."""
    with open_store(store) as reader, reader.snapshot():
        lines = top_list(reader, "importance", _NODES).lines
        numbers = np.array([line.number for line in lines], dtype=np.int64)
        links = reader.link_table.graph_of(sorted(numbers.tolist()))
    sources = np.repeat(links.sources, np.diff(links.indptr))
    ends = [_places(numbers, end) for end in (sources, links.targets)]
    pages = [
        {"name": line.page.url, "title": line.page.title, "weight": line.page.importance, "url": line.page.url}
        for line in lines
    ]
    return _picture(pages, *ends)


def picture_of_hosts(store: Path) -> Reading:
    """The same of the hosts that are the most important together."""
    with open_store(store) as reader, reader.snapshot():
        hosts, importance, names = folded_pages(reader).hosts, reader.ranks.importance(), _names(reader)
        sums = np.bincount(hosts, weights=importance)
        best = np.argsort(-sums, kind="stable")[:_NODES]
        best = best[sums[best] > 0]
        pairs = [
            (hosts[np.repeat(some.sources, np.diff(some.indptr))], hosts[some.targets])
            for some in reader.link_table.blocks()
        ]
    sources, targets = (np.concatenate([pair[end] for pair in pairs] or [np.empty(0, np.int64)]) for end in (0, 1))
    ends = [_places(best, end) for end in (sources, targets)]
    nodes = [{"name": names[host], "title": None, "weight": float(sums[host]), "url": None} for host in best.tolist()]
    return _picture(nodes, *ends)


def _names(reader: Store) -> dict[int, str]:
    return {row.id: row.name for row in reader.hosts.all()}


def _places(nodes: IntArray, ends: npt.NDArray[Any]) -> IntArray:
    """The place of each end among the nodes; -1 where it is none of them."""
    order = np.argsort(nodes)
    at = np.minimum(np.searchsorted(nodes[order], ends), max(len(nodes) - 1, 0))
    if not len(nodes):
        return np.full(len(ends), -1)
    return np.where(nodes[order[at]] == ends, order[at], -1)


def _picture(nodes: list[dict[str, Any]], sources: IntArray, targets: IntArray) -> Reading:
    """The nodes with their places. links: [source, target, how many], those with the most first."""
    inside = (sources >= 0) & (targets >= 0) & (sources != targets)
    keys, counts = np.unique(sources[inside] * max(len(nodes), 1) + targets[inside], return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_MOST_LINKS]
    edges = np.stack([keys[most] // max(len(nodes), 1), keys[most] % max(len(nodes), 1), counts[most]], axis=1)
    places = laid_out(len(nodes), edges[:, :2]).round(4)
    shown = [{**node, "x": x, "y": y} for node, (x, y) in zip(nodes, places.tolist(), strict=True)]
    return {"nodes": shown, "links": edges.tolist(), "all_links": len(keys)}
