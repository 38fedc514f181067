"""Words that a query may have meant, from what titles, headings and links of the index say."""

import sqlite3
import string
import unicodedata

_LEAST, _MOST = 4, 24
"""Letters of a word that can be mended."""
_LETTERS = string.ascii_lowercase
_FAR = 7
"""From so many letters on, a word may differ by two."""


def nearest_word(db: sqlite3.Connection, word: str) -> str | None:
    """The most frequent word of the index that differs from one by the fewest letters; None where none is near.

    Letters that are left out, too many, wrong or in the wrong order count one each: one in a word, or two in a long one
    that begins with the same letter. Where a word and its neighbour are one in the index, that is no matter of this.
    """
    word = unicodedata.normalize("NFC", word.lower())
    if not _LEAST <= len(word) <= _MOST or not word.isalpha():
        return None
    near = _edits(word)
    marks = ",".join("?" * len(near))
    query = f"SELECT word, pages FROM spellings WHERE word IN ({marks}) ORDER BY pages DESC, word LIMIT 1"
    row = db.execute(query, list(near)).fetchone()
    if row is None and len(word) >= _FAR:
        candidates = db.execute(
            "SELECT word, pages FROM spellings WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?",
            (word[0], chr(ord(word[0]) + 1), len(word) - 2, len(word) + 2),
        )
        row = max(
            ((other, pages) for other, pages in candidates if distance(word, other, 2) <= 2),
            key=lambda found: (found[1], found[0]),
            default=None,
        )
    return None if row is None else str(row[0])


def distance(a: str, b: str, most: int) -> int:
    """Letters by which two words differ, neighbours that changed places counting one; most + 1 where it is more."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, of_a in enumerate(a, 1):
        row = [i]
        for j, of_b in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (of_a != of_b))
            if i > 1 and j > 1 and of_a == b[j - 2] and a[i - 2] == of_b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)


def _edits(word: str) -> set[str]:
    """Words that differ from one by a letter."""
    letters = sorted({*_LETTERS, *word})
    parts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    left_out = {a + b[1:] for a, b in parts if b}
    exchanged = {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    other = {a + letter + b[1:] for a, b in parts if b for letter in letters}
    more = {a + letter + b for a, b in parts for letter in letters}
    return (left_out | exchanged | other | more) - {word}
