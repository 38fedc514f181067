"""What FTS5 makes of words: asked of FTS5 itself, so that marks in a snippet and the index never differ."""

import sqlite3
from collections.abc import Iterable

from minicrawl.search.index.words import TOKENIZER, indexed

_MOST_KEPT = 50_000


class Stems:
    """Words as the index has them. Remembers what it has been asked."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute(f"CREATE VIRTUAL TABLE words USING fts5 (word, tokenize = '{TOKENIZER}')")
        self._db.execute("CREATE VIRTUAL TABLE stems USING fts5vocab (words, instance)")
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """By word, which may be several, its stems in order."""
        asked = list(dict.fromkeys(words))
        if len(self._known) > _MOST_KEPT:
            self._known.clear()
        new = [word for word in asked if word not in self._known]
        if new:
            self._db.execute("BEGIN")
            self._db.executemany(
                "INSERT INTO words (rowid, word) VALUES (?, ?)", ((i, indexed(word)) for i, word in enumerate(new))
            )
            stems: list[list[str]] = [[] for _ in new]
            for number, term in self._db.execute('SELECT doc, term FROM stems ORDER BY doc, "offset"'):
                stems[number].append(term)
            self._db.execute("ROLLBACK")
            self._known.update((word, tuple(found)) for word, found in zip(new, stems, strict=True))
        return {word: self._known[word] for word in asked}

    def close(self) -> None:
        self._db.close()
