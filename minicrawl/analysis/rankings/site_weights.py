"""Weights of links by the hosts or sites at their ends: links within one are self-praise, many from one collusion."""

import numpy as np

from minicrawl.analysis.link_graph import FloatArray, FoldedStore
from minicrawl.analysis.numbered_sites import DIVISIONS, numbered_sites
from minicrawl.analysis.rankings.options import Options
from minicrawl.errors import SettingError
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank.hits import capped_weights, intrinsic_weights
from minicrawl.store.reader import Store


def site_weights(options: Options, store: Store, folded: FoldedStore) -> FloatArray:
    """Weights by --per, --inside, --cap and the crawl's surfer, shape (links,). Raises SettingError."""
    graph = folded.graph
    places = np.arange(graph.size)
    if options.per != "page":
        _, places = numbered_sites(store, folded.hosts, DIVISIONS[options.per or "host"])
    elif options.cap is not None or options.inside:
        raise SettingError("--cap and --inside are about links of a host or site; say --per host or --per site")
    weights = intrinsic_weights(graph, places, options.inside or 0.0)
    by_place = folded.weights(REASONABLE)
    weights *= 1.0 if by_place is None else by_place
    if options.cap is not None:
        weights *= capped_weights(graph, places, options.cap)
    return weights
