"""The inverted index: tantivy's, with two documents a page.

head   what the page is called: title, headings, texts of links to it, URL
body   its title, headings and text

They are separate because a score is divided by the length of a document, in which a long text would drown its title,
and because links to a page change far more often than its text. Words come from `words.analysed`, so tantivy only
splits them at spaces. Nothing else of this package knows tantivy, beside its stemmers in `words`.
"""

import json
import mmap
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tantivy import Document, Index, Occur, Query, SchemaBuilder

from minicrawl.search.index.words import analysed, is_one_unspaced_character

HEAD, BODY = 0, 1
"""Kinds of documents, and the lowest bit of their key; the bits above are the page."""
FIELDS = ("head", "body")
"""The field of each kind's words."""
Expression = Query
"""A query of the inverted index."""
Form = tuple[str, ...]
"""Words one behind the other, as the index has them."""
_MEMORY = 48_000_000
"""Bytes of documents gathered before they are written."""


def _schema() -> SchemaBuilder:
    schema = SchemaBuilder()
    schema.add_unsigned_field("key", indexed=True, fast=True)
    schema.add_text_field("body", tokenizer_name="whitespace")
    for field in ("head", "names"):
        schema.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    for field in ("title", "spelled", "hosts"):
        schema.add_text_field(field, tokenizer_name="whitespace", index_option="basic")
    schema.add_text_field("site", tokenizer_name="raw", index_option="basic", fast=True)
    schema.add_text_field("language", tokenizer_name="raw", index_option="basic", fast=True)
    return schema


_PARTS = ("term", "idx", "pos", "fieldnorm", "fast", "store")
"""Files of a segment."""


class InvertedIndex:
    """The documents of an index, in a folder. Errors of tantivy are ValueErrors."""

    def __init__(self, path: Path, *, writes: bool = False) -> None:
        self._folder = path
        self._index = Index(_schema().build(), str(path)) if writes else Index.open(str(path))
        self._writer = self._index.writer(_MEMORY, 1) if writes else None
        self._schema = self._index.schema
        self._index.config_reader("manual")
        self._seen = (0, 0, 0)
        self._inode = path.stat().st_ino
        self.reload()

    # Writing.

    def put(self, page: int, kind: int, words: str, more: Mapping[str, str | Sequence[str]]) -> None:
        """Add a document in place of the one before. words: analysed; more: of its other fields."""
        assert self._writer is not None
        self.remove(page, kind)
        document = Document()
        document.add_unsigned("key", 2 * page + kind)
        document.add_text(FIELDS[kind], words)
        for field, values in more.items():
            for value in [values] if isinstance(values, str) else values:
                document.add_text(field, value)
        self._writer.add_document(document)

    def remove(self, page: int, kind: int) -> None:
        assert self._writer is not None
        # By term, tantivy 0.27 finds no unsigned numbers.
        self._writer.delete_documents_by_query(Query.term_query(self._schema, "key", 2 * page + kind))

    def commit(self) -> None:
        """Keep what was put and removed; a crash leaves what was kept before."""
        assert self._writer is not None
        self._writer.commit()

    def rollback(self) -> None:
        assert self._writer is not None
        self._writer.rollback()

    def close(self) -> None:
        """Wait for merges under way."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    # Reading.

    def reload(self) -> None:
        """See what was committed since; nothing new if the folder was removed or replaced."""
        try:
            state, inode = (self._folder / "meta.json").stat(), self._folder.stat().st_ino
        except FileNotFoundError:
            return
        if inode != self._inode:
            return
        changed = state.st_mtime_ns, state.st_ino, state.st_size
        if changed != self._seen:
            self._index.reload()
            self._seen = changed
            self._searcher = self._index.searcher()
            self.languages = self._languages()

    def check(self) -> None:
        """Compare the files of all segments with their checksums. Raises ValueError."""
        for segment in json.loads((self._folder / "meta.json").read_bytes())["segments"]:
            name = segment["segment_id"].replace("-", "")
            deletes = segment.get("deletes")
            for part in (*_PARTS, f"{deletes['opstamp']}.del") if deletes else _PARTS:
                _check_file(self._folder / f"{name}.{part}")

    def frequency(self, form: Form) -> int:
        """Documents of the kind that has most that have a word; of several words, the rarest counts."""
        if is_one_unspaced_character(form[0]):
            return max(self.count(self.has(field, form)) for field in FIELDS)
        return min(max(self._searcher.doc_freq(field, word) for field in FIELDS) for word in form)

    def knows(self, word: str) -> bool:
        """True if a word is in a document at all."""
        return any(self._searcher.doc_freq(field, form) for form in analysed(word).split() for field in FIELDS)

    def documents(self) -> int:
        """Number of documents."""
        return self._searcher.num_docs

    def terms(self, field: str) -> list[tuple[str, int]]:
        """The words of a field, with their numbers of documents; also those of documents that were put anew."""
        return self._searcher.terms_with_prefix(field, "")

    def _languages(self) -> list[str]:
        """The primary languages of pages, the most frequent first."""
        return [term for term, _ in sorted(self.terms("language"), key=lambda pair: -pair[1]) if "-" not in term]

    def best(self, query: Query, n: int) -> list[tuple[int, float]]:
        """(page, score) of the n documents with the highest scores."""
        hits = self._searcher.search(query, n, count=False).hits
        keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return [(int(key or 0) >> 1, score) for key, (score, _) in zip(keys, hits, strict=True)]

    def count(self, query: Query) -> int:
        """Number of documents that match."""
        return int(self._searcher.search(query, 1, count=True).count)  # type: ignore[attr-defined]  # not in its stubs

    def counts(self, query: Query, field: str, n: int) -> dict[str, int]:
        """The n most frequent values of a field among the documents that match."""
        terms = {"values": {"terms": {"field": field, "size": n}}}
        buckets = self._searcher.aggregate(query, terms)["values"]["buckets"]
        return {bucket["key"]: bucket["doc_count"] for bucket in buckets}

    def near(self, word: str) -> list[tuple[str, int]]:
        """Words of titles and headings within two edits of a word, with their numbers of pages."""
        few = Query.fuzzy_term_query(self._schema, "spelled", word, 1 if len(word) < 7 else 2)
        prefixes = dict.fromkeys((word[0], word[1]))
        return [pair for prefix in prefixes for pair in self._searcher.terms_with_prefix("spelled", prefix, few)]

    # Queries.

    def has(self, field: str, form: Form, *, scored: bool = True) -> Query:
        """Documents with some words; of bodies those that have them one behind the other."""
        if len(form) > 1 and field == "body":
            return Query.phrase_query(self._schema, field, list(form))
        if len(form) > 1:
            return all_of([self.has(field, (word,), scored=scored) for word in form])
        if is_one_unspaced_character(form[0]):
            return Query.regex_query(self._schema, field, f"{form[0]}.?")
        return Query.term_query(self._schema, field, form[0], "freq" if scored else "basic")

    def among(self, pages: Iterable[int], kind: int) -> Query:
        """The documents of some pages."""
        keys = [Query.term_query(self._schema, "key", 2 * page + kind) for page in pages]
        return Query.const_score_query(any_of(keys), 0.0)

    def near_one_another(self, words: Sequence[str], slop: int) -> Query:
        """Bodies that have some words with at most so many others between them."""
        return Query.phrase_query(self._schema, FIELDS[BODY], list(words), slop)


def _check_file(path: Path) -> None:
    """Raise ValueError for a file that differs from its checksum.

    After the content, tantivy writes a JSON object with its CRC-32, the length of that object and a magic number.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as found:
        end = len(found) - 8 - int.from_bytes(found[-8:-4], "little")
        crc = json.loads(found[end:-8])["crc"]
        with memoryview(found) as octets, octets[:end] as body:
            if zlib.crc32(body) != crc:
                raise ValueError(f"{path} differs from its checksum")


def any_of(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, query) for query in queries])


def all_of(queries: Sequence[Query], excluded: Sequence[Query] = ()) -> Query:
    """Documents that match all queries, and none of the excluded ones."""
    if len(queries) == 1 and not excluded:
        return queries[0]
    wanted = [(Occur.Must, query) for query in queries]
    return Query.boolean_query(wanted + [(Occur.MustNot, query) for query in excluded])


def unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


def marked(query: Query, score: float) -> Query:
    """A query whose documents all score this."""
    return Query.const_score_query(query, score)
