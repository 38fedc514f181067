"""The inverted index: tantivy's, with a document a page, of one that is not to be shown without words.

Words are runs of letters and digits, stemmed by Snowball for the language that a page declares. "c++" and "c#" are
words; "std::vector" and "mod_rewrite" are two each, side by side, and so are the characters of scripts without spaces,
such as Chinese and Japanese. `spelled` writes a text so that tantivy's tokenizer sees these words; `shown` takes that
back.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from tantivy import Document, Filter, Index, Query, SchemaBuilder, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from minicrawl.search.index_folder import State, index_errors, write_state
from minicrawl.web.kept_text import KeptText
from minicrawl.web.urls.keys import site_of

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
UNKNOWN = "en"
"""The language of pages that do not declare theirs."""
_LONGEST_WORD = 120
"""Bytes; longer words are left out."""
_WORD = re.compile(r"[^\W_]")
_SIGNS = re.compile(r"\+\+(?<=[^\W\d_]\+\+)(?![+#])|#(?<=(?<![^\W_])[^\W\d_]#)(?![+#])")
_LETTERS = str.maketrans("+#", "\u1429\u2d4c")
"""Signs of words, and letters that stand for them."""
_SHOWN = str.maketrans("\u1429\u2d4c", "+#", "\u200b")
_UNSEEN = re.compile("[\xad\u200b-\u200d\u2060\ufeff]+|(?<=i)\u0307")
"""Marks inside words that are not seen: where to break a line or not, how letters join, and the dot that programs leave
where they make İ lower case."""
_UNSPACED = (
    "\u3005-\u3007"  # marks of repetition, and a zero
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
_ANY_UNSPACED = re.compile(f"[{_UNSPACED}]")
_BETWEEN = re.compile(rf"(?<=[{_UNSPACED}])(?=\w)|(?<=\w)(?=[{_UNSPACED}])")


def spelled(text: str) -> str:
    """A text as an analyser reads it."""
    if not text.isascii():
        text = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
        if _ANY_UNSPACED.search(text):
            text = _BETWEEN.sub("\u200b", text)
    return _SIGNS.sub(lambda sign: sign[0].translate(_LETTERS), text)


def folded(text: str) -> str:
    """A spelled text with I for İ, whose lower case an analyser takes for two characters, i and a dot."""
    return text.replace("İ", "I")


def shown(text: str) -> str:
    """A spelled text as people read it."""
    return text.translate(_SHOWN)


def has_words(text: str) -> bool:
    """True if text has words that a search can find."""
    return _WORD.search(text) is not None


def primary_language(tag: str | None) -> str:
    """The first part of a language tag, in lower case; UNKNOWN for none."""
    return (tag or UNKNOWN).lower().replace("_", "-").partition("-")[0].strip() or UNKNOWN


@lru_cache(64)
def analyser(language: str) -> TextAnalyzer:
    """Makes words of spelled texts. language: a primary language."""
    words = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_LONGEST_WORD)).filter(Filter.lowercase())
    if language == UNKNOWN:  # in others the ending may turn on an accent
        words = words.filter(Filter.ascii_fold())
    if language in _STEMMERS:
        words = words.filter(Filter.stemmer(_STEMMERS[language]))
    return words.filter(Filter.ascii_fold()).build()


BOOSTS = {"title": 3.0, "headings": 0.5, "url": 1.0, "body": 1.0}
"""The fields with words of a page, and what a word is worth there."""
_MEMORY = 48_000_000
"""Bytes of documents gathered before they are written."""
_LONGEST, _LONGEST_STORED = 200_000, 50_000
"""Characters of a text."""
_ENDINGS = re.compile(r"(?:/index|/default)?\.(?:html?|php|aspx?)\Z")
"""Endings of URLs without meaning for a search."""


def _schema() -> SchemaBuilder:
    schema = SchemaBuilder()
    schema.add_unsigned_field("page", indexed=True, fast=True)
    schema.add_unsigned_field("number", fast=True)  # of the text: texts.text of the store
    for field in BOOSTS:
        schema.add_text_field(field, tokenizer_name="words")
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
        self.read_as("")
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
        words, body = analyser(primary_language(text.language)), spelled(" ".join(text.content_text.split())[:_LONGEST])
        named = ("title", text.title or ""), ("headings", " \n ".join(text.headings)), ("url", _words_of(text.url))
        for field, value in named:
            document.add_pre_tokenized_text(field, words.pre_tokenize(folded(spelled(value))))
        document.add_pre_tokenized_text("body", words.pre_tokenize(folded(body)))
        document.add_bytes("text", body[:_LONGEST_STORED].encode(errors="ignore"))
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

    def read_as(self, language: str) -> None:
        """Let tantivy take the words of texts, as in snippets, for those of a primary language."""
        self._index.register_tokenizer("words", analyser(language))


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
