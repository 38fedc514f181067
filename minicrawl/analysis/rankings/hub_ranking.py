"""Hubs and authorities of a store: which links count, and how much."""

import numpy as np

from minicrawl.analysis.folded_aliases import FloatArray, FoldedStore
from minicrawl.analysis.rankings.options import Options
from minicrawl.analysis.rankings.page_sets import IntArray, named_pages, pages_with_words
from minicrawl.analysis.sites import numbered_sites, site_of
from minicrawl.errors import SettingError
from minicrawl.rank.hits import base_set, hits, intrinsic_weights, within
from minicrawl.store.reader import Store

_ROOT = 200  # Kleinberg's size of a root set


def hub_rankings(options: Options, store: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    """Authority and hub of every page. Raises SettingError."""
    if options.per == "page":
        places = np.arange(folded.graph.size)
    else:
        _, places = numbered_sites(store, folded.hosts, site_of(options.per or "host"))
    weights = intrinsic_weights(folded.graph, places)
    root = _root(options, store, folded)
    if root is not None:
        weights *= within(folded.graph, base_set(folded.graph, root))
    if not weights.any():
        raise SettingError("no link between two of these pages counts; ask for more of them, or say --per page")
    found = hits(folded.graph, weights=weights)
    return {"authority": found.authorities, "hub": found.hubs}


def _root(options: Options, store: Store, folded: FoldedStore) -> IntArray | None:
    """The root set of HITS; None for the whole graph."""
    if options.root is not None and options.query is not None:
        raise SettingError("--query and --root both say around which pages to look; give one of them")
    if options.root is not None:
        return named_pages(options.root, "root", store, folded)
    return None if options.query is None else pages_with_words(options.query, _ROOT, store, folded)
