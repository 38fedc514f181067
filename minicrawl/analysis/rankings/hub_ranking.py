"""Hubs, authorities and communities of a store, by weighted links.

Relevance of links to a query, by its words in and around them in the kept texts of their pages:

    n(p, q) = number of query words in the links from p to q, or within 50 characters of one
    weight  = 1 + n(p, q)

Source: S. Chakrabarti et al., "Automatic resource compilation by analyzing hyperlink structure and associated text",
WWW 1998, which looks 50 bytes before and behind a link.
"""

from collections import Counter

import numpy as np

from minicrawl.analysis.link_graph import FoldedStore
from minicrawl.analysis.rankings.options import Options, named_pages, pages_with_words, site_weights, words_in
from minicrawl.errors import SettingError
from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.rank import Graph
from minicrawl.rank.hits import base_set, bridges, communities, hits, peeled_communities, with_self_links, within
from minicrawl.store.reader import Store


def word_counts(query: str, pages: Pages, store: Store, folded: FoldedStore) -> FloatArray:
    """n of every link of the graph, shape (links,); 0 for links of other pages than `pages`, or of pages without text.

    Raises SettingError when the crawl has kept no text.
    """
    if not store.texts.size:
        raise SettingError(
            f"--context weighs links by the words around them, and {store.path} has no texts; "
            "let the crawl go on with --text, from then on it keeps them"
        )
    words = frozenset(words_in(query))
    graph, counts = folded.graph, np.zeros(len(folded.graph.targets))
    for page in pages.tolist():
        links = slice(graph.indptr[page], graph.indptr[page + 1])
        if links.start == links.stop:
            continue
        kept = store.texts.text(page, store.page_table.url(page))
        found = Counter[str]()
        for anchor in kept.anchors() if kept is not None else ():
            # At the edges a part of a word counts as one.
            near = (anchor.before, anchor.text, anchor.after)
            found[anchor.url] += sum(word in words for text in near for word in words_in(text))
        numbers = store.page_table.find([url for url, count in found.items() if count])
        by_target: Counter[int] = Counter()
        for url, number in numbers.items():
            by_target[int(folded.stands_for[number])] += found[url]
        # Of links that lead to one page through aliases, the first has the words of all.
        counts[links] = [by_target.pop(target, 0) for target in graph.targets[links].tolist()]
    return counts


_ROOT = 200  # Kleinberg's size of a root set


def hub_rankings(options: Options, store: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    """Authority and hub of every page; for communities "authority-1", "hub-1", "authority-2" and so on, and "bridge".
    Raises SettingError.
    """
    if options.peel and options.communities is None:
        raise SettingError("--peel says how to find communities; give their number with --communities")
    graph, weights = _weighed(options, store, folded)
    if options.communities is None:
        found = hits(graph, weights=weights)
        return {"authority": found.authorities, "hub": found.hubs}
    find = peeled_communities if options.peel else communities
    found_ones = find(graph, options.communities, weights=weights)[: options.communities]
    named = {
        f"{name}-{number}": values
        for number, each in enumerate(found_ones, start=1)
        for name, values in (("authority", each.authorities), ("hub", each.hubs))
    }
    return named | {"bridge": bridges(graph, found_ones, weights=weights)}


def kept_name(name: str, kind: str) -> str:
    """Name for keeping hubs, a community or bridges, beside the authorities, kept as `name`."""
    first, _, number = kind.partition("-")
    parts = (name, {"authority": "", "hub": "hubs", "bridge": "bridges"}[first], number)
    return "-".join(filter(None, parts))


def _weighed(options: Options, store: Store, folded: FoldedStore) -> tuple[Graph, FloatArray]:
    """The graph and the weights of its links, shape (links,)."""
    graph, weights = folded.graph, site_weights(options, store, folded)
    root = _root(options, store, folded)
    near = np.arange(graph.size) if root is None else base_set(graph, root)
    if root is not None:
        weights *= within(graph, near)
    if not weights.any():
        raise SettingError("no link between two of these pages counts; take more pages, or give --per page")
    if options.context:
        if options.query is None:
            raise SettingError("--context weighs links by the words of a query near them; give --query")
        weights *= 1.0 + word_counts(options.query, near, store, folded)
    return with_self_links(graph, near, weights) if options.self_links else (graph, weights)


def _root(options: Options, store: Store, folded: FoldedStore) -> Pages | None:
    """The root set of HITS; None for the whole graph."""
    if options.root is not None and options.query is not None:
        raise SettingError("--query and --root both choose pages; give one of them")
    if options.root is not None:
        return named_pages(options.root, "root", store, folded)
    return None if options.query is None else pages_with_words(options.query, _ROOT, store, folded)
