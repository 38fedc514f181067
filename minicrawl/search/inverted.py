"""The inverted index: tantivy's, with a document a page, of one that is not to be shown without words.

The words of a page are stemmed for its language (see words.py). What people type is found as it is written, too: the
field `typed` has the words of a page that are none of its stems. For languages with compounds, `compounds` has the
long words, in which a search looks for others.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from tantivy import Document, Index, Query, SchemaBuilder, TextAnalyzerBuilder, Tokenizer
from zlib_ng import zlib_ng

from minicrawl.search.index_folder import State, index_errors, write_state
from minicrawl.search.words import is_long, primary_language, readable, stemmer, typed, words_of
from minicrawl.web.kept_text import KeptText
from minicrawl.web.urls.keys import site_of

BOOSTS = {"title": 3.0, "headings": 0.5, "url": 1.0, "body": 1.0}
"""The fields with stems of a page, and what a word is worth there."""
TYPED = {"title": "typed_title", "body": "typed"}
"""The fields with the words that are none of the stems of those."""
COMPOUNDS = "compounds"
JOINING = frozenset({"da", "de", "et", "fi", "fo", "fy", "hu", "is", "ko", "lb", "nb", "nl", "nn", "no", "sv"})
"""Languages that write words together."""
_MEMORY = 48_000_000
"""Bytes of documents gathered before they are written."""
_LONGEST, _LONGEST_STORED = 200_000, 50_000
"""Characters of a text."""
_LEVEL = 3
"""Of compression: a third smaller than as tantivy keeps it, in a hundredth of the time of an index."""
_ENDINGS = re.compile(r"(?:/index|/default)?\.(?:html?|php|aspx?)\Z")
"""Endings of URLs without meaning for a search."""


def _schema() -> SchemaBuilder:
    schema = SchemaBuilder()
    schema.add_unsigned_field("page", indexed=True, fast=True)
    schema.add_unsigned_field("number", fast=True)  # of the text: texts.text of the store
    for field in BOOSTS:
        schema.add_text_field(field, tokenizer_name="words")
    for field in (*TYPED.values(), COMPOUNDS):
        schema.add_text_field(field, tokenizer_name="words", index_option="basic")
    schema.add_bytes_field("text", stored=True)  # the begin of the main content, for snippets
    schema.add_text_field("hosts", tokenizer_name="raw", index_option="basic")  # the host, and the domains above it
    schema.add_text_field("language", tokenizer_name="raw", index_option="basic", stored=True)
    return schema


class InvertedIndex:
    """The documents of an index, and its `state`: what it says of itself. Errors of tantivy are ValueErrors, but
    StoreErrors where an index changes. path: of the index; words: of its documents, or of links to them."""

    def __init__(self, path: Path, words: Path, state: State, *, writes: bool = False) -> None:
        self.path, self._folder, self.state = path, words, state
        self._index = Index(_schema().build(), str(words)) if writes else Index.open(str(words))
        self._index.register_tokenizer("words", TextAnalyzerBuilder(Tokenizer.whitespace()).build())
        self._writer = self._index.writer(_MEMORY, 1) if writes else None
        self.schema = self._index.schema
        self._index.config_reader("manual")
        self._seen = (0, 0, 0)
        self._inode = words.stat().st_ino
        self.reload()

    # Writing.

    def put(self, page: int, number: int, text: KeptText) -> None:
        """Add a page in place of what it was before; no search finds one that is not to be shown."""
        assert self._writer is not None
        self.remove(page)
        document = Document()
        document.add_unsigned("page", page)
        document.add_unsigned("number", number)
        if text.index:
            self._describe(document, text)
        self._writer.add_document(document)

    def _describe(self, document: Document, text: KeptText) -> None:
        language, stem = primary_language(text.language), stemmer(primary_language(text.language))
        body = readable(" ".join(text.content_text.split())[:_LONGEST])
        named = ("title", text.title or ""), ("headings", " \n ".join(text.headings)), ("url", _words_of(text.url))
        for field, value in (*named, ("body", body)):
            words = words_of(value)
            stems = list(map(stem, words))
            document.add_text(field, " ".join(stems))
            if field in TYPED:
                others = set(map(typed, words))
                if language in JOINING:
                    document.add_text(COMPOUNDS, " ".join(filter(is_long, others)))
                document.add_text(TYPED[field], " ".join(others.difference(stems)))
        document.add_bytes("text", zlib_ng.compress(body[:_LONGEST_STORED].encode(errors="ignore"), _LEVEL))
        for host in _hosts_of(text.url.split("/", 3)[2]):
            document.add_text("hosts", host)
        for tag in _tags(text.language):
            document.add_text("language", tag)

    def remove(self, page: int) -> None:
        assert self._writer is not None
        # By term, tantivy 0.27 finds no unsigned numbers.
        self._writer.delete_documents_by_query(Query.term_query(self.schema, "page", page))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: a crash inside the block leaves the index as it was before it."""
        assert self._writer is not None
        with index_errors(self.path):
            try:
                yield
                self._writer.commit()
            except BaseException:
                self._writer.rollback()
                raise

    def set_state(self, **values: float | str | None) -> None:
        self.state |= values
        with index_errors(self.path):
            write_state(self.path, self.state)

    def size(self) -> int:
        """Bytes of the index."""
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())

    def close(self) -> None:
        """Wait for merges under way."""
        writer, self._writer = self._writer, None
        with index_errors(self.path):
            if writer is not None:
                writer.wait_merging_threads()

    def __enter__(self) -> "InvertedIndex":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Reading.

    def reload(self) -> None:
        """See what was committed since; nothing new if the folder was removed or replaced."""
        try:
            state, inode = (self._folder / "meta.json").stat(), self._folder.stat().st_ino
        except FileNotFoundError:
            return
        changed = state.st_mtime_ns, state.st_ino, state.st_size
        if inode == self._inode and changed != self._seen:
            self._index.reload()
            self._seen = changed
            self.searcher = self._index.searcher()
            found = self.searcher.terms_with_prefix("language", "")
            self.languages = [tag for tag, _ in sorted(found, key=lambda pair: -pair[1]) if "-" not in tag]

    def count(self, query: Query) -> int:
        """Number of documents that match."""
        return int(self.searcher.search(query, 1, count=True).count)  # type: ignore[attr-defined]  # not in its stubs

    def texts(self) -> dict[int, int]:
        """The ids of the texts of all pages that were put, by page."""
        self.reload()
        found = self.searcher.search(Query.all_query(), max(1, self.searcher.num_docs), count=False).hits
        addresses = [address for _, address in found]
        pages, texts = (self.searcher.fast_field_values(field, addresses) for field in ("page", "number"))
        return {int(page or 0): int(text or 0) for page, text in zip(pages, texts, strict=True)}


def _words_of(url: str) -> str:
    """A URL without what says nothing of its page."""
    place, question, query = unquote(url.split("/", 2)[2]).partition("?")
    return f"{_ENDINGS.sub('', place).removeprefix('www.')}{question}{query}"


@lru_cache(20_000)
def _hosts_of(authority: str) -> list[str]:
    """The host and the domains above it, down to its site."""
    site, host = site_of(authority), authority.rpartition("@")[2].lower()
    labels = (host if host.startswith("[") else host.partition(":")[0]).split(".")
    above = (".".join(labels[i:]) for i in range(len(labels)))
    return [domain for domain in above if len(domain) >= len(site)] or [host]


def _tags(language: str | None) -> list[str]:
    """The tags that a page is found by: "en-GB" by "en" and "en-gb"."""
    tag = (language or "").lower().replace("_", "-").strip()
    return list(dict.fromkeys((primary_language(tag), tag))) if tag else []
