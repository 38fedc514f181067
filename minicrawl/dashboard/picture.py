"""A picture of the best pages, hosts or sites, and the links between them, with a place for each node.

Nodes are laid out so that linked ones are close (Fruchterman and Reingold 1991): all nodes repel each other, by d^2 / r
at a distance r; linked nodes attract each other, by r^2 / d; and all are pulled to the middle a little, so that
unlinked nodes do not drift off. Each step is shorter than the last. `n` nodes; `d` the distance at which two linked
nodes are at rest.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.numbered_sites import numbered_sites
from minicrawl.analysis.rankable import check_is_rankable
from minicrawl.analysis.top.top_list import top_list
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import State
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import open_store

FloatArray = npt.NDArray[np.float64]
_STEPS = 150
_TO_THE_MIDDLE = 0.6


def laid_out(n: int, links: npt.NDArray[np.int64]) -> FloatArray:
    """Positions from 0 to 1, shape (n, 2). links: of shape (links, 2). Deterministic."""
    rng = np.random.default_rng(0)
    at = rng.random((n, 2)) - 0.5
    d = 1.0 / np.sqrt(max(n, 1))
    for step in range(_STEPS):
        apart = at[:, None, :] - at[None, :, :]
        squared = np.maximum((apart**2).sum(axis=2), 1e-9)
        push = (apart * (d**2 / squared)[:, :, None]).sum(axis=1)
        along = at[links[:, 1]] - at[links[:, 0]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) / d)[:, None]
        force = push - _TO_THE_MIDDLE * at
        np.add.at(force, links[:, 0], pull)
        np.add.at(force, links[:, 1], -pull)
        length = np.maximum(np.sqrt((force**2).sum(axis=1)), 1e-9)
        most = 0.1 * (1.0 - step / _STEPS)
        at = at + force * (np.minimum(length, most) / length)[:, None]
    low, high = at.min(axis=0, initial=0.0), at.max(axis=0, initial=0.0)
    places: FloatArray = (at - low) / np.maximum(high - low, 1e-9)
    return places


Reading = Mapping[str, Any]
IntArray = npt.NDArray[np.int64]
_NODES = 200
_MOST_LINKS = 1_500
"""Maximum links in a picture; more would be unreadable."""


def picture_of_pages(store: Path) -> Reading:
    """The most important pages, without duplicates, and their links. Positions are from 0 to 1, both ways."""
    with open_store(store) as reader, reader.snapshot():
        lines = top_list(reader, "importance", _NODES).lines
        numbers = np.array([line.number for line in lines], dtype=np.int64)
        nodes = _node_of(numbers, reader.size())
        links = _between(nodes, reader.link_table.graph_of(sorted(numbers.tolist())))
    pages = [
        {"name": page.url, "site": site_of(page.url), "title": page.title, "weight": page.importance, "url": page.url}
        for page in (line.page for line in lines)
    ]
    return {**_picture(pages, links), "by": "importance", "apart": 1}


def picture_of_hosts(store: Path, sizes: Sizes = STANDARD_SIZES) -> Reading:
    """`picture_of_pages` for the hosts with the largest sum of importance. `apart`: the links of every nth page were
    read."""
    return _picture_of_groups(store, str, sizes)


def picture_of_sites(store: Path) -> Reading:
    """`picture_of_hosts` for the sites with the most trust; for those with the largest sum of importance if random
    walkers jump to all pages alike."""
    return _picture_of_groups(store, site_of, STANDARD_SIZES)


def _picture_of_groups(store: Path, group_of: Callable[[str], str], sizes: Sizes) -> Reading:
    with open_store(store, sizes) as reader, reader.snapshot():
        check_is_rankable(reader)
        names, groups = numbered_sites(reader, reader.page_table.hosts(), group_of)
        trust = {site.name: site.trust for site in reader.site_table.all()} if group_of is site_of else {}
        weights = np.array([trust.get(name, 0.0) for name in names])
        is_by_trust = bool(weights.any())
        if not is_by_trust:
            weights = np.bincount(groups, weights=reader.ranks.importance())
        best = np.argsort(-weights, kind="stable")[:_NODES]
        best = best[weights[best] > 0]
        nodes = _node_of(best, len(names))[groups]
        asked = sum(n for (state, _), n in reader.page_table.counts().items() if state != State.WAITING)
        apart = -(-asked // reader.sizes.pictured) or 1
        some = [_between(nodes, block) for block in reader.link_table.blocks(apart)]
    links = np.concatenate([np.empty((0, 2), np.int64), *some])
    shown = [
        {"name": names[one], "site": site_of(names[one]), "title": None, "weight": float(weights[one]), "url": None}
        for one in best.tolist()
    ]
    return {**_picture(shown, links), "by": "trust" if is_by_trust else "importance", "apart": apart}


def _node_of(numbers: IntArray, size: int) -> IntArray:
    """The node of each of `size` items; -1: none."""
    nodes = np.full(size, -1, dtype=np.int64)
    nodes[numbers] = np.arange(len(numbers))
    return nodes


def _between(nodes: IntArray, links: LinkGraph) -> IntArray:
    """The links between nodes, as pairs of nodes, shape (links, 2). nodes: the node of each page, or -1."""
    ends = np.stack([nodes[np.repeat(links.sources, np.diff(links.indptr))], nodes[links.targets]], axis=1)
    between: IntArray = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    return between


def _picture(nodes: list[dict[str, Any]], ends: IntArray) -> Reading:
    """The nodes with their places. links: [source, target, count], by falling count."""
    size = max(len(nodes), 1)
    keys, counts = np.unique(ends[:, 0] * size + ends[:, 1], return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_MOST_LINKS]
    edges = np.stack([*np.divmod(keys[most], size), counts[most]], axis=1)
    places = laid_out(len(nodes), edges[:, :2]).round(4)
    shown = [{**node, "x": x, "y": y} for node, (x, y) in zip(nodes, places.tolist(), strict=True)]
    return {"nodes": shown, "links": edges.tolist(), "all_links": len(keys)}
