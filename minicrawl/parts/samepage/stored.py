"""What the judge of URLs has learned of a host, from the rows of the store and as rows."""

import json
from collections import Counter
from collections.abc import Mapping

from minicrawl.parts.samepage.judge import Count, Judge
from minicrawl.parts.samepage.known_lines import KnownLines
from minicrawl.parts.samepage.pairs import Pair, Pairs
from minicrawl.parts.samepage.tables import LinesRow, PairRow, PatternRow, SeenRow
from minicrawl.store.recognised import blob_of, numbers_of
from minicrawl.store.tables import Tables


def load_judge(store: Tables, host: str) -> Judge:
    rows = store.records(PatternRow, "patterns WHERE host = ?", host)
    counts = {row.key: _count(row) for row in rows}
    seen = store.records(SeenRow, "seen WHERE host = ?", host)
    return Judge(counts, {row.word: set(numbers_of(row.hashes)) for row in seen})


def load_pairs(store: Tables, host: str) -> Pairs:
    return Pairs((row.name, _pair(row)) for row in store.records(PairRow, "pairs WHERE host = ?", host))


def load_lines(store: Tables, host: str) -> KnownLines:
    rows = store.records(LinesRow, "lines WHERE host = ? ORDER BY number", host)
    return KnownLines(b"".join(row.hashes for row in rows), len(rows))


def pattern_rows(host: str, judge: Judge, waiting: Mapping[str, int]) -> list[PatternRow]:
    """The rows that have changed."""
    found = ((key, judge.counts[key]) for key in sorted(judge.changed))
    return [
        PatternRow(
            host,
            key,
            count.n,
            count.gains,
            count.read,
            json.dumps(count.kinds),
            count.example,
            count.dry,
            count.called,
            waiting.get(key, 0),
        )
        for key, count in found
    ]


def pair_rows(host: str, pairs: Pairs) -> list[PairRow]:
    """The rows that have changed."""
    return [
        PairRow(
            host,
            name,
            pair.agree,
            pair.differ,
            pair.linked,
            pair.asked,
            pair.is_void,
            blob_of(pair.values),
            blob_of(pair.pages),
            pair.example,
        )
        for name, pair in ((name, pairs.by_name[name]) for name in sorted(pairs.changed))
    ]


def seen_rows(host: str, judge: Judge) -> list[SeenRow]:
    """The rows that have changed."""
    words = sorted(judge.changed_words & judge.seen.keys())
    return [SeenRow(host, word, blob_of(judge.seen[word])) for word in words]


def _count(row: PatternRow) -> Count:
    return Count(row.n, row.gains, row.read, Counter(json.loads(row.kinds)), row.example, row.dry, row.called)


def _pair(row: PairRow) -> Pair:
    counts = row.agree, row.differ, row.linked, row.asked, bool(row.is_void)
    return Pair(*counts, set(numbers_of(row.hashes)), set(numbers_of(row.pages)), row.example)
