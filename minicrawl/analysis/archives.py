"""The archive of a crawl: its folder, and the store's records of it."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from minicrawl.archive.collection import Collection, indexed
from minicrawl.archive.export import ListedPage
from minicrawl.archive.reading import MOST_KEPT, Record
from minicrawl.archive.writer import FILES, Committed
from minicrawl.crawler.archiving import as_captured, committed, unchunked
from minicrawl.crawler.sources.page_reading import is_large, large_pages, read_page
from minicrawl.errors import FetchError, SettingError, StoreError
from minicrawl.model import ParsedPage, Wanted
from minicrawl.sandbox.sandbox import ChildError
from minicrawl.setting import kept_path
from minicrawl.store.database import store_errors
from minicrawl.store.reader import Store, open_store
from minicrawl.store.writer import Writer
from minicrawl.system import put_in_place, sync
from minicrawl.timing import STANDARD
from minicrawl.web.http.answer_reader import AnswerReader
from minicrawl.web.http.body import decoder
from minicrawl.web.http.response_fields import ResponseFields

_BLOCK = 2**20


class OpenedArchive(NamedTuple):
    """An archive. committed: the store's record of its files; pages: its pages, the most important first; store: the
    crawl's; None without a store."""

    collection: Collection
    committed: Committed | None
    pages: Iterator[ListedPage] | None = None
    store: Store | None = None


@contextmanager
def opened(store: Path, place: str | Path | None) -> Iterator[OpenedArchive]:
    """Open the archive at a place (see minicrawl.archive.collection), or else the store's, with the captures not yet
    in its index.

    Raises SettingError, StoreError.
    """
    with ExitStack() as stack:
        if place is not None:
            is_folder = (Path(place) / FILES).is_dir()
            folder = Path(place) if is_folder else stack.enter_context(indexed([str(place)]))[0]
            collection = Collection(folder, follows_links=not is_folder)
            yield OpenedArchive(stack.enter_context(closing(collection)), None)
            return
        reader = stack.enter_context(open_store(store))
        with reader.snapshot():
            rows = reader.archived.after(int(reader.meta("archive_indexed") or 0))
            unindexed = (as_captured(url, row) for _, url, row in rows)
            collection = stack.enter_context(closing(Collection(folder_of(reader), unindexed)))
            known = committed(reader)
        yield OpenedArchive(collection, known, _pages(reader), reader)


def _pages(store: Store) -> Iterator[ListedPage]:
    """The pages of a store that were answered, by falling importance."""
    for page in store.pages("importance"):
        if page.fetched_at is not None:
            kept = store.text(page.url)
            yield page.url, page.importance, page.title, None if kept is None else kept.text


def folder_of(store: Store) -> Path:
    """The folder with the archive of a store. Raises SettingError."""
    folder = store.settings.get("archive")
    if folder is None:
        raise SettingError(
            f"{store.path} has no archive; 'minicrawl crawl --archive DIR' makes one, --archive DIR here names another"
        )
    return Path(folder)


def back_up(archive: Path, copy: Path, folder: Path) -> int:
    """Copy the files of an archive to a folder, up to what the copy of its store knows of them; the copy then names the
    folder. Files that are there already stay. Returns the number of bytes copied. Raises StoreError."""
    copied = 0
    with closing(Writer(copy)) as writer:
        for name, size in committed(writer).sizes.items():
            copied += _copied(archive / FILES / name, folder / FILES / name, size)
        settings = writer.meta_json("settings") | {"archive": kept_path(str(folder), copy.parent)}
        with writer.transaction():
            # The index is not copied, because it may be ahead of the copy: the store has what would be in it.
            writer.save_meta({"settings": json.dumps(settings), "archive_indexed": 0})
    return copied


def _copied(file: Path, to: Path, size: int) -> int:
    """Copy the first `size` bytes of a file, unless they are there: files of an archive only grow."""
    if to.exists() and to.stat().st_size == size:
        return 0
    with store_errors(to):
        to.parent.mkdir(parents=True, exist_ok=True)
        new = to.with_name(f"{to.name}.new")
        with put_in_place(new, to), file.open("rb") as source, new.open("wb") as target:
            while (left := size - target.tell()) and (block := source.read(min(left, _BLOCK))):
                target.write(block)
            if left:
                raise StoreError(f"{file} has {size - left} bytes, but the store expects {size}; see 'minicrawl check'")
            sync(target.fileno())
    return size


def fields_of(record: Record) -> ResponseFields:
    """The fields of an answer. Raises FetchError."""
    return ResponseFields(_answer_of(record).fields)


def _answer_of(record: Record) -> AnswerReader:
    answer = AnswerReader()
    answer.feed(record.head)
    return answer


def decoded(record: Record, payload: bytes) -> bytes:
    """The body of an answer without chunks and content coding; unchanged where decoding fails. Raises
    StoreError for a body that would be too large."""
    body = bytearray()
    try:
        answer = _answer_of(record)
        coding, payload = ResponseFields(answer.fields).joined(b"content-encoding"), unchunked(answer, payload)
        for piece in decoder(coding).pieces(payload):
            body += piece
            if len(body) > MOST_KEPT:
                raise StoreError(
                    f"the body of {record.url} is larger than {MOST_KEPT >> 20} MB without its coding; --raw writes it "
                    "as it was sent"
                )
    except FetchError:
        return payload
    return bytes(body)


def parsed_body(body: bytes, url: str, content_type: str | None, wanted: Wanted) -> ParsedPage | None:
    """A page, parsed, a large one in a child process; None if it is too slow to parse."""
    if not is_large(body):
        return read_page(body, url, content_type, wanted)[0]

    async def read() -> ParsedPage | None:
        pages = large_pages(STANDARD, 1)
        try:
            return (await pages.call(body, url, content_type, wanted))[0]
        except ChildError:
            return None
        finally:
            await pages.aclose()

    return asyncio.run(read())
