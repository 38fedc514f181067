"""An archive as one file: WACZ 1.1.1, a zip with the WARC files, their index and a list of pages, or the index alone.

Readers find a record of a WACZ by its offset in the zip, so compressed files are stored in it unchanged.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeGuard

from minicrawl.archive.cdxj import Captured, read
from minicrawl.archive.collection import Collection
from minicrawl.archive.writer import FILES, INDEXES
from minicrawl.errors import SettingError, StoreError
from minicrawl.system import put_in_place

_PIECE = 1 << 20
_PACKED_AT_MOST = 20
"""Bytes of the index and of texts for one in the compressed files, at most."""
_HTML = ("text/html", "application/xhtml+xml")


ListedPage = tuple[str, float, str | None, str | None]
"""A page for the list of a WACZ: its URL, its importance (that of all known pages together is 1), its title, and its
text, if they are known."""


def export(  # noqa: PLR0913 - what a file says of itself
    collection: Collection,
    path: Path,
    sizes: Mapping[str, int],
    software: str,
    now: float,
    pages: Iterable[ListedPage] | None = None,
) -> int:
    """Write an archive to a file, by its ending .wacz or .cdxj. Returns its number of answers.

    The file is written atomically. sizes: bytes to take of WARC files, by name; others are taken whole. now: Unix
    seconds. pages: in the order of the list; None: every HTML page of the archive, by URL. Raises SettingError for
    another ending, StoreError if it cannot be written.
    """
    if path.suffix not in (".wacz", ".cdxj"):
        raise SettingError(f"name a file that ends with .wacz or .cdxj, not {path}")
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with put_in_place(unfinished, path):
            if path.suffix == ".cdxj":
                with unfinished.open("w", encoding="utf-8", newline="\n") as out:
                    count = sum(out.write(f"{line}\n") > 0 for line in collection.lines())
            else:
                with zipfile.ZipFile(unfinished, "w") as wacz:
                    count = _write_wacz(wacz, collection, sizes, software, _iso(now), pages)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; name another file, or check its disk") from error
    return count


def _write_wacz(  # noqa: PLR0913 - what a file says of itself
    file: zipfile.ZipFile,
    collection: Collection,
    sizes: Mapping[str, int],
    software: str,
    created: str,
    pages: Iterable[ListedPage] | None,
) -> int:
    """Write the parts of a WACZ, and record them. Returns the number of answers."""
    parts: list[dict[str, str | int]] = []
    files = {path: sizes.get(path.name, path.stat().st_size) for path in collection.files()}
    most_unpacked = _PACKED_AT_MOST * sum(files.values())

    def add(name: str, pieces: Iterable[bytes], *, stored: int | None = None) -> None:
        """Write a part. stored: its bytes, if they stay as they are.

        ReplayWeb.page cannot read a part with a header of Zip64, so only one that may be large gets that.
        """
        part = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        part.compress_type = zipfile.ZIP_DEFLATED if stored is None else zipfile.ZIP_STORED
        part.file_size = most_unpacked if stored is None else stored
        digest, size = hashlib.sha256(), 0
        with file.open(part, "w") as out:
            for piece in pieces:
                out.write(piece)
                digest.update(piece)
                size += len(piece)
        base = name.rpartition("/")[2]
        parts.append({"name": base, "path": name, "hash": f"sha256:{digest.hexdigest()}", "bytes": size})

    for path, size in files.items():
        add(f"{FILES}/{path.name}", _pieces(path, size), stored=size)
    count = sum(1 for _ in collection.lines())
    add(f"{INDEXES}/index.cdxj", (f"{line}\n".encode() for line in collection.lines()))
    add("pages/pages.jsonl", (f"{json.dumps(line)}\n".encode() for line in _pages(collection, pages)))
    known = {"profile": "data-package", "wacz_version": "1.1.1", "created": created, "software": software}
    description = json.dumps(known | {"resources": parts}, indent=2).encode()
    digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(description).hexdigest()}"}
    file.writestr("datapackage.json", description)
    file.writestr("datapackage-digest.json", json.dumps(digest))
    return count


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    """The first `size` bytes of a file, in pieces."""
    with path.open("rb") as file:
        left = size
        while left and (piece := file.read(min(left, _PIECE))):
            left -= len(piece)
            yield piece


_HEADER: dict[str, str | bool] = {"format": "json-pages-1.0", "id": "pages", "title": "All pages"}


def _pages(collection: Collection, pages: Iterable[ListedPage] | None) -> Iterator[Mapping[str, str | bool | float]]:
    """The header of pages.jsonl and its lines: every successful fetch of these pages, or of all.

    Viewers list pages by id where they have no other order, so ids rise. Title and text are those of the last fetch.
    """
    if pages is None:
        yield _HEADER
        yield from (_line(number, one) for number, one in enumerate(map(read, collection.lines())) if _is_page(one))
        return
    yield {**_HEADER, "hasText": True}
    number = 0
    for url, importance, title, text in pages:
        captured = [one for one in collection.of(url) if _is_page(one)]
        last = {name: value for name, value in (("title", title), ("text", text)) if value}
        for one in captured:
            more = last if one is captured[-1] else {}
            yield {**_line(number, one), "importance": importance, **more}
            number += 1


def _line(number: int, one: Captured) -> dict[str, str]:
    when = datetime.strptime(one.stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    return {"id": f"{number:09}", "url": one.url, "ts": _iso(when)}


def _is_page(one: Captured | None) -> TypeGuard[Captured]:
    return one is not None and one.status == 200 and one.media_type in _HTML


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
