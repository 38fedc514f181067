"""How much links say of a query: its words in and around them, out of the kept texts of the pages that link.

    n(p, q) = how often words of the query stand in the links from p to q, or within 50 characters of one
    weight  = 1 + n(p, q)

Source: S. Chakrabarti et al., "Automatic resource compilation by analyzing hyperlink structure and associated text",
WWW 1998, which looks 50 bytes before and behind a link.
"""

import re
from collections import Counter

import numpy as np

from minicrawl.analysis.folded_aliases import FloatArray, FoldedStore
from minicrawl.errors import SettingError
from minicrawl.rank.hits import IntArray
from minicrawl.store.reader import Store
from minicrawl.store.texts.marked_text import Anchor

_WORD = re.compile(r"[^\W_]+")


def word_counts(query: str, pages: IntArray, store: Store, folded: FoldedStore) -> FloatArray:
    """n of every link of the graph, shape (links,); 0 for links of other pages than `pages`, or of pages without text.

    Raises SettingError when the crawl has kept no text.
    """
    if not store.texts.size:
        raise SettingError(
            f"--context weighs links by the words around them, and {store.path} has no texts; "
            "let the crawl go on with --text, from then on it keeps them"
        )
    words = frozenset(_words(query))
    graph, counts = folded.graph, np.zeros(len(folded.graph.targets))
    for page in pages.tolist():
        links = slice(graph.indptr[page], graph.indptr[page + 1])
        if links.start == links.stop:
            continue
        kept = store.texts.text(page, store.page_table.url(page))
        found = Counter[str]()
        for anchor in kept.anchors() if kept is not None else ():
            found[anchor.url] += words_of_query(anchor, words)
        numbers = store.page_table.find([url for url, count in found.items() if count])
        by_target: Counter[int] = Counter()
        for url, number in numbers.items():
            by_target[int(folded.stands_for[number])] += found[url]
        # Of links that lead to one page through aliases, the first has the words of all.
        counts[links] = [by_target.pop(target, 0) for target in graph.targets[links].tolist()]
    return counts


def words_of_query(anchor: Anchor, words: frozenset[str]) -> int:
    """How many words in and around a link are of the query. At the edges a part of a word counts as one."""
    return sum(word in words for text in (anchor.before, anchor.text, anchor.after) for word in _words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
