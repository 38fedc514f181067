"""HITS near the pages that agree with a query: which of them, and of what they are linked with, are authorities.

The root set is the pages that agree best, the base set these, what they link to and what links to them (Kleinberg).
Links within a host do not count: they are there to find the way around. Others weigh 1 + n, where n words of the query
stand in and around the link (CLEVER), as in 'minicrawl rank --by hits --context'.
"""

from collections.abc import Mapping

import numpy as np

from minicrawl.store.reader import Store

ROOT = 100
"""Pages that agree best, around which is looked."""


def authorities_near(store: Store, similarity: Mapping[int, float], words: str) -> dict[int, float]:
    """The authority of pages near those that agree best, the best being 1; by page, no other pages. words: of the
    query."""
    from minicrawl.analysis.folded_aliases import folded_store  # noqa: PLC0415 - SciPy is in an extra
    from minicrawl.analysis.rankings.words_near_links import word_counts  # noqa: PLC0415
    from minicrawl.rank.hits import base_set, hits, intrinsic_weights, within  # noqa: PLC0415

    root = sorted(similarity, key=lambda page: (-similarity[page], page))[:ROOT]
    if not root:
        return {}
    folded = folded_store(store)
    near = within(folded.graph, base_set(folded.graph, np.array(sorted(root))))
    between = near * intrinsic_weights(folded.graph, np.asarray(folded.hosts))
    # Where all that is near is on one host, its own links are all there is.
    weights = between if between.any() else near
    linking = np.unique(folded.graph.sources()[weights > 0])
    weights = weights * (1.0 + word_counts(words, linking, store, folded))
    found = hits(folded.graph, weights=weights).authorities
    most = found.max(initial=0.0)
    pages = np.flatnonzero(found)
    return dict(zip(pages.tolist(), (found[pages] / most).tolist(), strict=True))
