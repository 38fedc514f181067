"""Search by a program with its defaults: titles, links, headings, paths and texts of pages in, pages of queries out.

    PYTHON search.py PROGRAM < QUESTION

The question is JSON: `pages`, lists of those five fields; `queries`; `deep`, how many places. The answer
has in `found`, for each query, the numbers of pages, best first; `indexing` and `searching` are CPU seconds.
"""

import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

FIELDS = ("title", "links", "headings", "path", "text")
Search = Callable[[str], list[int]]


def fts5(pages: Sequence[Sequence[str]], deep: int) -> Search:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (title, links, headings, path, text, tokenize = 'porter unicode61')")
    db.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", pages)

    def search(query: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        rows = db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?", (words, deep))
        return [row - 1 for (row,) in rows]

    return search


def tantivy(pages: Sequence[Sequence[str]], deep: int) -> Search:
    tantivy: Any = import_module("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for row, page in enumerate(pages):
        fields = {name: [text] for name, text in zip(FIELDS, page, strict=True)}
        writer.add_document(tantivy.Document(row=row, **fields))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> list[int]:
        asked = index.parse_query(" ".join(re.findall(r"\w+", query)), list(FIELDS))
        return [searcher.doc(at)["row"][0] for _, at in searcher.search(asked, deep).hits]

    return search


def bm25s(pages: Sequence[Sequence[str]], deep: int) -> Search:
    bm25s: Any = import_module("bm25s")
    stemmer = import_module("Stemmer").Stemmer("english")
    index = bm25s.BM25()
    texts = [" ".join(page) for page in pages]
    index.index(bm25s.tokenize(texts, stemmer=stemmer, show_progress=False), show_progress=False)

    def search(query: str) -> list[int]:
        words = bm25s.tokenize([query], stemmer=stemmer, show_progress=False)
        found, scores = index.retrieve(words, k=min(deep, len(texts)), show_progress=False)
        return [int(row) for row, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def whoosh(pages: Sequence[Sequence[str]], deep: int) -> Search:
    fields, analysis = import_module("whoosh.fields"), import_module("whoosh.analysis")
    parsing: Any = import_module("whoosh.qparser")
    stems = fields.TEXT(analyzer=analysis.StemmingAnalyzer())
    schema = fields.Schema(row=fields.STORED, **dict.fromkeys(FIELDS, stems))
    index = import_module("whoosh.index").create_in(tempfile.mkdtemp(), schema)
    writer = index.writer(limitmb=256)
    for row, page in enumerate(pages):
        writer.add_document(row=row, **dict(zip(FIELDS, page, strict=True)))
    writer.commit()
    searcher, parser = index.searcher(), parsing.MultifieldParser(FIELDS, schema, group=parsing.OrGroup)

    def search(query: str) -> list[int]:
        asked = parser.parse(" ".join(re.findall(r"\w+", query)))
        return [hit["row"] for hit in searcher.search(asked, limit=deep)]

    return search


PROGRAMS = {"SQLite FTS5": fts5, "tantivy": tantivy, "bm25s": bm25s, "Whoosh": whoosh}


def main() -> None:
    question = json.load(sys.stdin)
    started = time.process_time()
    search = PROGRAMS[sys.argv[1]](question["pages"], question["deep"])
    built = time.process_time()
    answer: dict[str, Any] = {"found": [search(query) for query in question["queries"]]}
    answer["searching"] = time.process_time() - built
    answer["indexing"] = built - started
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
