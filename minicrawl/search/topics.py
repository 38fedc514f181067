"""PageRank for the topics of a query: pages of several topics, and ranks with jumps to these, blended by its words.

    ranks(query) = sum_k P(k | words of the query) * ranks of topic k
    P(k | words) ~ prod_w P(w | k)

Walks and texts of topics are looked at once, a query only blends. P(w | k) is by how often a word is in the texts of
the topic's pages, as the index has them; words that most pages have are left out. Source: T. Haveliwala,
"Topic-Sensitive PageRank", WWW 2002.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from minicrawl.search.ranking import Places, Scale
from minicrawl.store.reader import Store


class Topics:
    """The topics of a store, each NAME=FILE|URL|REGEX of its pages. Raises SettingError."""

    def __init__(self, store: Store, db: sqlite3.Connection, topics: Sequence[str]) -> None:
        """db: of the store's index."""
        from minicrawl.analysis.folded_aliases import folded_store  # noqa: PLC0415 - SciPy is in an extra
        from minicrawl.analysis.rankings.topic_ranking import topics_of  # noqa: PLC0415
        from minicrawl.rank.trust import topic_walks  # noqa: PLC0415

        folded = folded_store(store)
        pages = topics_of(topics, store, folded)
        self._db = db
        self._walks = topic_walks(folded.graph, list(pages.values()))
        self._texts = {name: _texts_of(db, some) for name, some in pages.items()}
        self._sizes = [sum(sizes.values()) for sizes in self._texts.values()]
        (self._words,) = db.execute("SELECT count(*) FROM full_words").fetchone()

    def shares(self, stems: Sequence[str]) -> dict[str, float]:
        """P(topic | words) by name. stems: words as the index has them."""
        from minicrawl.rank.trust import shares_by_counts  # noqa: PLC0415

        counts = np.zeros((len(self._texts), len(stems)))
        for number, stem in enumerate(stems):
            found = self._db.execute("SELECT doc, count(*) FROM full_places WHERE term = ? GROUP BY doc", (stem,))
            for document, count in found.fetchall():
                for topic, texts in enumerate(self._texts.values()):
                    counts[topic, number] += count * (document in texts)
        return dict(zip(self._texts, shares_by_counts(counts, self._sizes, self._words + 1).tolist(), strict=True))

    def places(self, shares: Mapping[str, float]) -> Places:
        """R by the topics' blended ranks."""
        from minicrawl.rank.trust import blend  # noqa: PLC0415

        ranks = blend(self._walks, [shares[name] for name in self._texts])
        scale = Scale(float(ranks[ranks > 0].min()), float(ranks.max()))
        # Pages that came to be known since have no rank yet.
        return lambda pages: {page: scale.place(float(ranks[page])) for page in pages if page < len(ranks)}


def _texts_of(db: sqlite3.Connection, pages: Sequence[int]) -> dict[int, int]:
    """The texts of some pages in the full barrel, and how many words each has."""
    query = """
        SELECT document, sz FROM json_each(?) CROSS JOIN pages ON page = value
        CROSS JOIN full_docsize ON full_docsize.id = document"""
    return {document: _first_number(size) for document, size in db.execute(query, (json.dumps(pages),))}


def _first_number(octets: bytes) -> int:
    """The first of the numbers that FTS5 keeps as varints of SQLite: seven bits a byte, the high bit on all but the
    last."""
    number = 0
    for octet in octets:
        number = number << 7 | octet & 0x7F
        if octet < 0x80:
            break
    return number
